// The arithmetic of `tracer budget` (tracer/budget*.py), line by line the same: exact fractions of big integers, the
// same rounding, the same texts. A test compares the two over many inputs; change one and change the other.
"use strict";
window.tracerBudget = (() => {
  class Wrong extends Error {
    constructor(where, what) {
      super(where + ": " + what);
      this.where = where;
      this.what = what;
    }
  }

  // -- exact numbers: {n, d}, d > 0, reduced ----------------------------------------------
  const abs = (a) => (a < 0n ? -a : a);
  const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
  const floor = (a, b) => (a % b !== 0n && a < 0n !== b < 0n ? a / b - 1n : a / b);
  const up = (a, b) => -floor(-a, b);
  function make(n, d = 1n) {
    n = BigInt(n);
    d = BigInt(d);
    if (d < 0n) [n, d] = [-n, -d];
    const g = gcd(abs(n), d) || 1n;
    return { n: n / g, d: d / g };
  }
  const of = (x) => (typeof x === "object" ? x : make(x));
  const add = (a, b) => { a = of(a); b = of(b); return make(a.n * b.d + b.n * a.d, a.d * b.d); };
  const sub = (a, b) => { b = of(b); return add(a, { n: -b.n, d: b.d }); };
  const mul = (a, b) => { a = of(a); b = of(b); return make(a.n * b.n, a.d * b.d); };
  const div = (a, b) => { a = of(a); b = of(b); return make(a.n * b.d, a.d * b.n); };
  const less = (a, b) => { a = of(a); b = of(b); return a.n * b.d < b.n * a.d; };
  const same = (a, b) => { a = of(a); b = of(b); return a.n === b.n && a.d === b.d; };
  const whole = (a) => of(a).d === 1n;
  const min = (a, b) => (a < b ? a : b);
  const total = (list) => list.reduce((a, b) => a + b, 0n);

  // -- reading -----------------------------------------------------------------------------
  const LARGEST = 10n ** 18n;
  function number(text, where) {
    const clean = String(text).trim().replaceAll("_", "").replaceAll(",", "");
    const match = /^(-?)(\d{1,18})(?:\.(\d{1,18}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(clean);
    if (!match) throw new Wrong(where, JSON.stringify(text) + " is not a number");
    const [, sign, head, tail = "", power = "0"] = match;
    let found = make(BigInt(head + tail), 10n ** BigInt(tail.length));
    const p = BigInt(power);
    found = p >= 0n ? mul(found, 10n ** p) : div(found, 10n ** -p);
    if (sign && found.n) throw new Wrong(where, "is negative");
    if (less(LARGEST, found)) throw new Wrong(where, "is too large");
    return found;
  }
  const PREFIX = {
    "": 1n, k: 10n ** 3n, K: 10n ** 3n, M: 10n ** 6n, G: 10n ** 9n, T: 10n ** 12n,
    ki: 1n << 10n, Ki: 1n << 10n, Mi: 1n << 20n, Gi: 1n << 30n, Ti: 1n << 40n,
  };
  function rate(text, where) {
    const match = /^\s*([\d.,_]+(?:[eE][+-]?\d+)?)\s*([kKMGT]i?|)([bB])(?:\/s|ps)\s*$/.exec(String(text));
    if (!match || !(match[2] in PREFIX)) throw new Wrong(where, "write a unit: Gb/s, GB/s or GiB/s");
    return mul(number(match[1], where), make(PREFIX[match[2]], match[3] === "b" ? 8n : 1n));
  }
  const SECONDS = { s: make(1), ms: make(1, 1000), us: make(1, 10n ** 6n), "µs": make(1, 10n ** 6n), ns: make(1, 10n ** 9n) };
  function time(text, where) {
    const match = /^\s*([\d.,_]+(?:[eE][+-]?\d+)?)\s*(s|ms|us|µs|ns)\s*$/.exec(String(text));
    if (!match) throw new Wrong(where, "write a unit: s, ms, us or ns");
    return mul(number(match[1], where), SECONDS[match[2]]);
  }
  function share(text, where) {
    const clean = String(text).trim();
    return clean.endsWith("%") ? div(number(clean.slice(0, -1), where), 100n) : number(clean, where);
  }
  function integer(text, where, least, most) {
    const found = number(text, where);
    if (!whole(found) || found.n < least || found.n > most) {
      throw new Wrong(where, "is not a whole number from " + least + " to " + comma(most));
    }
    return found.n;
  }

  // -- showing ------------------------------------------------------------------------------
  const comma = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  function general(value) { // Python's "%.2g"
    let [digits, power] = value.toExponential(1).split("e");
    power = Number(power);
    digits = digits.replace(/\.0$/, "");
    if (power < -4 || power >= 2) {
      return digits + "e" + (power < 0 ? "-" : "+") + String(Math.abs(power)).padStart(2, "0");
    }
    return String(Number(value.toPrecision(2)));
  }
  function figure(value) {
    value = of(value);
    if (whole(value)) return [comma(value.n), true];
    const size = { n: abs(value.n), d: value.d };
    if (less(size, make(1, 100))) {
      const text = general(Number(value.n) / Number(value.d));
      return [text, same(number(text.replace("-", ""), ""), size)];
    }
    const scale = less(size, 1000n) ? 100n : 1n;
    const count = floor(2n * value.n * scale + value.d, 2n * value.d);
    const exact = same(make(count, scale), value);
    if (scale === 1n) return [comma(count), exact];
    const text = comma(count / 100n) + "." + String(count % 100n).padStart(2, "0");
    return exact ? [text.replace(/0+$/, "").replace(/\.$/, ""), true] : [text, false];
  }
  const SIZES = [["GiB", 1n << 30n], ["MiB", 1n << 20n], ["KiB", 1n << 10n], ["B", 1n]];
  const BITS = [["Gb/s", 10n ** 9n], ["Mb/s", 10n ** 6n], ["kb/s", 10n ** 3n], ["b/s", 1n]];
  const TIMES = [["s", make(1)], ["ms", make(1, 1000)], ["µs", make(1, 10n ** 6n)], ["ns", make(1, 10n ** 9n)]];
  function scaled(value, units, first = make(1, 2)) {
    const pair = units.find(([, per], rank) => !less(value, rank ? per : mul(per, first))) || units.at(-1);
    const [text, exact] = figure(div(value, pair[1]));
    return [text + " " + pair[0], exact];
  }
  function showSize(value) {
    const [text, exact] = scaled(value, SIZES);
    if (exact) return text;
    return whole(value) ? "≈ " + text + " (" + comma(of(value).n) + " B)" : "≈ " + text;
  }
  function termSize(value) {
    const [text, exact] = scaled(value, SIZES);
    return !exact && whole(value) ? comma(of(value).n) + " B" : text;
  }
  function showRate(value) {
    const [size, exactSize] = scaled(value, SIZES);
    const [bits, exactBits] = scaled(mul(value, 8n), BITS);
    if (exactBits && !exactSize) return bits + " ≈ " + size + "/s";
    return (exactSize ? "" : "≈ ") + size + "/s " + (exactBits ? "=" : "≈") + " " + bits;
  }
  function termRate(value) {
    const [size, exactSize] = scaled(value, SIZES);
    const [bits, exactBits] = scaled(mul(value, 8n), BITS);
    return exactBits && !exactSize ? bits : size + "/s";
  }
  function showTime(value) {
    value = of(value);
    const lost = value.n < 0n;
    const [text, exact] = value.n ? scaled({ n: abs(value.n), d: value.d }, TIMES, 1n) : ["0 s", true];
    return (exact ? "" : "≈ ") + (lost ? "-" : "") + text;
  }
  function showShare(value) {
    const [text, exact] = figure(mul(value, 100n));
    return (exact ? "" : "≈ ") + text + " %";
  }
  function showCount(value, unit) {
    const [text, exact] = figure(value);
    return ((exact ? "" : "≈ ") + text + " " + unit).trimEnd();
  }
  const bare = (text) => text.replace(/^≈ /, "");

  // -- element types ---------------------------------------------------------------------------
  const PLAIN = { float64: 64n, float32: 32n, float16: 16n, bfloat16: 16n, fp8: 8n, int8: 8n, int4: 4n, fp4: 4n };
  const SCALED = {
    fp8_per_token_head: [8n, -1n, 32n, 0n], int8_per_token_head: [8n, -1n, 32n, 0n], int4_per_token_head: [4n, -1n, 32n, 0n],
    nvfp4: [4n, 16n, 8n, 0n], mxfp4: [4n, 32n, 8n, 0n], mxfp8: [8n, 32n, 8n, 0n], q8_0: [8n, 32n, 16n, 0n],
    q4_0: [4n, 32n, 16n, 0n], fp8_ds_mla: [8n, 128n, 32n, 16n],
  };
  function element(name, where) {
    if (Object.hasOwn(PLAIN, name)) return { name, bits: PLAIN[name], group: 0n, scale: 0n, rope: 0n };
    if (!Object.hasOwn(SCALED, name)) throw new Wrong(where, "is not a known type");
    const [bits, group, scale, rope] = SCALED[name];
    return { name, bits, group, scale, rope };
  }
  const groups = (e, dim) => (e.group === 0n || dim === 0n ? 0n : e.group < 0n ? 1n : up(dim, e.group));
  const rowBytes = (e, dim) => up(dim * e.bits, 8n) + up(groups(e, dim) * e.scale, 8n);
  function rowText(e, dim) {
    const each = figure(make(e.bits, 8n))[0];
    const numbers = dim * e.bits % 8n ? "⌈" + comma(dim) + " × " + each + "⌉ B" : comma(dim) + " × " + each + " B";
    if (e.group === 0n) return numbers;
    return numbers + " + " + groups(e, dim) + " × " + figure(make(e.scale, 8n))[0] + " B";
  }
  function shard(units, tp, what) {
    if (units % tp === 0n) return units / tp;
    if (tp % units === 0n) return 1n;
    throw new Wrong("tp", tp + " ranks neither divide nor are a multiple of " + units + " " + what);
  }

  // -- layers --------------------------------------------------------------------------------------
  const attention = (count, heads, dim, window) => ({
    count, window, replicated: false, label: ["full", "全注意力"], units: heads,
    bytes(kind, tp = 1n) {
      if (kind.rope) throw new Wrong("kv_dtype", kind.name + " is a layout for latent (MLA) layers");
      return count * shard(heads, tp, "KV heads") * 2n * rowBytes(kind, dim);
    },
    formula(kind) {
      const row = rowText(kind, dim);
      return "2 × " + count + " × " + heads + " × " + (row.includes("+") ? "(" + row + ")" : row);
    },
  });
  const latentLayers = (count, rank, rope, window) => ({
    count, window, replicated: true, label: ["latent", "潜变量"], units: 1n,
    bytes(kind) {
      if (kind.rope) return count * (rowBytes(kind, rank) + up(rope * kind.rope, 8n));
      return count * rowBytes(kind, rank + rope);
    },
    formula(kind) {
      if (kind.rope) {
        return count + " × (" + rowText(kind, rank) + " + " + rope + " × " + figure(make(kind.rope, 8n))[0] + " B)";
      }
      if (kind.group || (rank + rope) * kind.bits % 8n) return count + " × (" + rowText(kind, rank + rope) + ")";
      return count + " × (" + rank + " + " + rope + ") × " + figure(make(kind.bits, 8n))[0] + " B";
    },
  });
  const kept = (one, tokens) => (one.window ? min(one.window, tokens) : tokens);
  function held(pairs) {
    const sums = new Map();
    for (const [tokens, each] of pairs) sums.set(tokens, (sums.get(tokens) || 0n) + each);
    return [...sums].sort((a, b) => (a[0] < b[0] ? 1 : -1));
  }
  const heldTotal = (terms) => total(terms.map(([tokens, each]) => tokens * each));
  const heldText = (terms) => terms.map(([tokens, each]) => comma(tokens) + " × " + termSize(each)).join(" + ") || "0 B";
  const plus = (size) => (size ? " + " + termSize(size) : "");

  // -- inputs ------------------------------------------------------------------------------------------
  const MODEL = { layers: "32", kv_heads: "8", head_dim: "128", query_heads: "0", window: "0", latent: "0", rope: "0",
    state_layers: "0", state_elements: "0" };
  const LOAD = {
    tokens: ["8192", 1n], prefixes: ["1000", 0n], replicas: ["2", 1n], tp: ["4", 1n], page: ["16", 1n], chunk: ["256", 1n],
    objects: ["1", 1n], states: ["1", 0n],
  };
  function modelOf(input) {
    const m = {};
    for (const [name, value] of Object.entries(MODEL)) {
      m[name] = integer(input[name] || value, name, ["layers", "kv_heads", "head_dim"].includes(name) ? 1n : 0n, 10n ** 9n);
    }
    m.dtype = input.dtype || "bfloat16";
    element(m.dtype, "dtype");
    const given = input.window_layers ? integer(input.window_layers, "window_layers", 0n, 10n ** 9n) : null;
    const attending = m.layers - m.state_layers;
    const sliding = !m.window ? 0n : given === null ? attending : given;
    if (m.layers > 10000n || attending < 0n || sliding > attending) {
      throw new Wrong("layers", m.layers + " cannot hold " + sliding + " sliding and " + m.state_layers + " state layers");
    }
    if (m.query_heads && m.query_heads % m.kv_heads) throw new Wrong("kv_heads", "does not divide the query heads");
    if (m.state_layers && !m.state_elements) throw new Wrong("state_elements", "state layers need their size");
    const group = (count, span) => (m.latent
      ? latentLayers(count, m.latent, m.rope, span) : attention(count, m.kv_heads, m.head_dim, span));
    m.groups = [[attending - sliding, 0n], [sliding, m.window]].filter(([count]) => count).map(([c, s]) => group(c, s));
    return m;
  }
  function loadOf(input) {
    const l = {};
    for (const [name, [value, least]] of Object.entries(LOAD)) {
      l[name] = integer(input[name] || value, name, least, 10n ** 12n);
    }
    l.prefix = input.prefix ? integer(input.prefix, "prefix", 0n, 10n ** 12n) : null;
    l.partial = input.partial_chunks === "true";
    l.window_store = input.window_store || "all";
    l.replicated = input.replicated || "auto";
    l.kv_dtype = input.kv_dtype || "auto";
    l.rate = number(input.rate || "20", "rate");
    l.link = rate(input.link || "200 Gb/s", "link");
    for (const [name, value] of [["payload_share", "0.7"], ["write_share", "0.1"], ["link_share", "0.7"]]) {
      l[name] = share(input[name] || value, name);
    }
    l.residence = time(input.residence || "100 ms", "residence");
    l.latency = time(input.latency || "0 s", "latency");
    l.concurrent = number(input.concurrent || "1", "concurrent");
    l.prefill_rate = input.prefill_rate ? number(input.prefill_rate, "prefill_rate") : null;
    for (const name of ["payload_share", "link_share", "link", "concurrent", "prefill_rate"]) {
      if (l[name] && l[name].n === 0n) throw new Wrong(name, "0 leaves nothing");
    }
    for (const name of ["payload_share", "link_share", "write_share"]) {
      if (less(1n, l[name])) throw new Wrong(name, "is more than all");
    }
    if (l.prefix !== null && l.prefix > l.tokens) throw new Wrong("prefix", "more than the input of " + comma(l.tokens));
    l.hit = l.prefix === null ? min(6144n, l.tokens) : l.prefix;
    l.whole = (tokens) => (l.partial ? tokens : tokens / l.chunk * l.chunk);
    return l;
  }

  // -- lines ---------------------------------------------------------------------------------------------
  return function tracerBudget(input, names) {
    const m = modelOf(input);
    const load = loadOf(input);
    const { tp, page } = load;
    const kind = element(load.kv_dtype !== "auto" ? load.kv_dtype : m.dtype, "kv_dtype");
    const stateKind = element("float32", "state_dtype");
    if (m.query_heads && m.query_heads % tp) {
      shard(m.query_heads, tp, "attention heads");
      throw new Wrong("tp", tp + " ranks are more than " + m.query_heads + " attention heads");
    }
    const layers = m.groups;
    const state = m.state_layers * m.state_elements * rowBytes(stateKind, 1n);
    const rankState = m.state_layers ? m.state_layers * shard(m.state_elements, tp, "units of recurrent state") * rowBytes(stateKind, 1n) : 0n;
    const token = total(layers.map((one) => one.bytes(kind)));
    const rankToken = total(layers.map((one) => one.bytes(kind, tp)));
    const sequence = held(layers.map((one) => [kept(one, load.tokens), one.bytes(kind)]));
    const rank = held(layers.map((one) => [kept(one, load.tokens), one.bytes(kind, tp)]));
    const wholeBytes = heldTotal(sequence) + state;
    const rankBytes = heldTotal(rank) + rankState;
    const usable = mul(load.link, load.link_share);
    const once = (one) => load.replicated === "once" || (load.replicated === "auto" && one.replicated);
    const storedToken = (one) => (once(one) ? one.bytes(kind) : tp * one.bytes(kind, tp));
    const windowOf = (one) => (load.window_store === "window" ? one.window : 0n);
    const snapshots = (tokens = 1n) => (tokens ? load.states * (load.replicated === "once" ? state : tp * rankState) : 0n);
    const stored = (tokens) => {
      const all = load.whole(tokens);
      return held(layers.map((one) => [min(windowOf(one) || all, all), storedToken(one)]).filter(([span]) => span));
    };
    const storedBytes = (tokens) => heldTotal(stored(tokens)) + snapshots(load.whole(tokens));
    const storedText = (tokens) => heldText(stored(tokens)) + plus(snapshots(load.whole(tokens)));

    const lines = [];
    function line(quantity, formula, value, which = ["", ""]) {
      const { section, unit, en, zh } = names[quantity];
      let shown;
      let shownZh = "";
      if (value === null) [shown, shownZh] = ["never", "永不"];
      else if (unit === "×") shown = showCount(value, "") + "×";
      else {
        const showing = { B: showSize, "B/s": showRate, s: showTime, 1: showShare }[unit];
        shown = showing ? showing(value) : showCount(value, same(value, 1n) ? unit : unit + "s");
        shownZh = showing ? "" : showCount(value, "个");
      }
      const exact = value === null ? null : whole(value) ? String(of(value).n) : of(value).n + "/" + of(value).d;
      lines.push({
        quantity, section, name: en.replace("{}", which[0]), name_zh: zh.replace("{}", which[1]), formula, exact, unit, shown,
        shown_zh: shownZh || shown,
      });
    }
    const label = (one) => (one.window
      ? [one.count + " sliding layers of " + comma(one.window), one.count + " 个滑窗层（窗口 " + comma(one.window) + "）"]
      : [one.count + " " + one.label[0] + " layers", one.count + " 个" + one.label[1] + "层"]);

    // model
    if (layers.length > 1) {
      for (const one of layers) line("group_token_bytes", one.formula(kind), one.bytes(kind), label(one));
    }
    const sizes = layers.map((one) => termSize(one.bytes(kind))).join(" + ");
    line("token_bytes", layers.length === 1 ? layers[0].formula(kind) : sizes || "0 B", token);
    for (const one of layers) {
      if (one.window) {
        line("window_tokens", "min(" + comma(one.window) + ", " + comma(load.tokens) + ")", kept(one, load.tokens), label(one));
      }
    }
    if (m.state_layers) {
      const formula = m.state_layers + " × (" + comma(m.state_elements) + " × " + rowText(stateKind, 1n) + ")";
      line("state_bytes", formula, state, [String(m.state_layers), String(m.state_layers)]);
    }
    // request
    line("sequence_bytes", heldText(sequence) + plus(state), wholeBytes);
    const even = termSize(wholeBytes) + " ÷ " + comma(tp);
    line("rank_bytes", rankBytes * tp === wholeBytes ? even : heldText(rank) + plus(rankState), rankBytes);
    line("ranks_bytes", comma(tp) + " × " + termSize(rankBytes), tp * rankBytes);
    if (wholeBytes) line("replication", termSize(tp * rankBytes) + " ÷ " + termSize(wholeBytes), make(tp * rankBytes, wholeBytes));
    if (layers.length) {
      const longest = rank[0][0];
      const paged = held(rank.map(([tokens, each]) => [up(tokens, page) * page, each]));
      const full = heldTotal(paged) + rankState;
      line("page_bytes", comma(page) + " × " + termSize(rankToken), page * rankToken);
      line("pages", "⌈" + comma(longest) + " ÷ " + comma(page) + "⌉", up(longest, page));
      line("paged_rank_bytes", heldText(paged) + plus(rankState), full);
      line("tail_bytes", termSize(full) + " - " + termSize(rankBytes), full - rankBytes);
    }
    // store
    const { hit } = load;
    const chunks = up(load.whole(hit), load.chunk);
    const division = comma(hit) + " ÷ " + comma(load.chunk);
    const rounding = load.partial ? "⌈" + division + "⌉" : "⌊" + division + "⌋";
    line("chunks", hit % load.chunk ? rounding : division, chunks);
    line("stored_tokens", "min(" + comma(chunks) + " × " + comma(load.chunk) + ", " + comma(hit) + ")", load.whole(hit));
    const prefix = storedBytes(hit);
    const logical = load.prefixes * prefix;
    const payload = logical * load.replicas;
    line("prefix_bytes", storedText(hit), prefix);
    line("logical_bytes", comma(load.prefixes) + " × " + termSize(prefix), logical);
    line("replica_bytes", comma(load.replicas) + " × " + termSize(logical), payload);
    line("pool_bytes", termSize(payload) + " ÷ " + figure(load.payload_share)[0], div(payload, load.payload_share));
    const writers = layers.map((one) => (once(one) ? min(one.units, tp) : tp)).reduce((a, b) => (a > b ? a : b), 0n);
    const extra = chunks && m.state_layers ? load.states * (load.replicated === "once" ? 1n : tp) : 0n;
    const each = chunks * writers * load.objects + extra;
    const perPrefix = comma(chunks) + " × " + comma(writers) + (load.objects > 1n ? " × " + comma(load.objects) : "");
    line("objects", comma(load.prefixes) + " × " + (extra ? "(" + perPrefix + " + " + comma(extra) + ")" : perPrefix), load.prefixes * each);
    line("replica_records", comma(load.replicas) + " × " + comma(load.prefixes * each), load.replicas * load.prefixes * each);
    if (writers) {
      const all = total(layers.map(storedToken));
      const parts = comma(writers) + (load.objects > 1n ? " ÷ " + comma(load.objects) : "");
      line("object_bytes", comma(load.chunk) + " × " + termSize(all) + " ÷ " + parts, make(load.chunk * all, writers * load.objects));
    }
    // traffic
    const request = storedBytes(load.tokens);
    const reads = mul(load.rate, prefix);
    line("read_rate", figure(load.rate)[0] + "/s × " + termSize(prefix), reads);
    line("link_rate", figure(div(mul(load.link, 8n), 10n ** 9n))[0] + " × 10⁹ b/s ÷ 8", load.link);
    line("usable_rate", termRate(load.link) + " × " + figure(load.link_share)[0], usable);
    line("link_use", termRate(reads) + " ÷ " + termRate(usable), div(reads, usable));
    const shares = figure(load.rate)[0] + "/s × " + figure(load.write_share)[0];
    line("write_rate", shares + " × " + termSize(request) + " × " + comma(load.replicas),
      mul(mul(load.rate, load.write_share), request * load.replicas));
    line("in_flight_bytes", termRate(reads) + " × " + bare(showTime(load.residence)), mul(reads, load.residence));
    // break-even
    if (load.prefill_rate) {
      const tokens = load.whole(hit);
      const part = div(usable, load.concurrent);
      const loading = add(load.latency, div(prefix, part));
      const computing = div(tokens, load.prefill_rate);
      const wait = bare(showTime(load.latency));
      const speed = figure(load.prefill_rate)[0] + "/s";
      line("load_time", wait + " + " + termSize(prefix) + " ÷ " + termRate(part), loading);
      line("saved_time", comma(tokens) + " ÷ " + speed, computing);
      line("gain", [computing, loading].map((one) => bare(showTime(one))).join(" - "), sub(computing, loading));
      const perToken = layers.map((one) => (windowOf(one) ? "min(n, " + comma(windowOf(one)) + ")" : "n") + " × " + termSize(storedToken(one))).join(" + ");
      const bytes = (perToken || "0 B") + plus(snapshots());
      line("break_even_tokens", "n ÷ " + speed + " > " + wait + " + (" + bytes + ") ÷ " + termRate(part)
        + (load.partial ? "" : ", n = k × " + comma(load.chunk)), firstWin(part));
      const spare = sub(computing, load.latency);
      line("break_even_rate", termSize(prefix) + " ÷ (" + comma(tokens) + " ÷ " + speed + " - " + wait + ")",
        spare.n > 0n ? div(prefix, spare) : null);
    }
    return lines;

    // The shortest hit whose loading takes less time than computing it; null where that never happens.
    function firstWin(part) {
      const costs = layers.map((one) => [windowOf(one), div(storedToken(one), part)]);
      const saved = div(1n, load.prefill_rate);
      let start = 0n;
      let gain = sub(0n, add(load.latency, div(snapshots(), part)));
      const windows = [...new Set(costs.map(([w]) => w).filter(Boolean))].sort((a, b) => (a < b ? -1 : 1));
      for (const end of [...windows, null]) {
        const slope = costs.filter(([w]) => !w || w > start).reduce((sum, [, cost]) => sub(sum, cost), saved);
        if (slope.n > 0n) {
          const quotient = div(sub(0n, gain), slope);
          const first = start + floor(quotient.n, quotient.d) + 1n;
          if (end === null || first <= end) return load.partial ? first : up(first, load.chunk) * load.chunk;
        }
        if (end !== null) {
          gain = add(gain, mul(slope, end - start));
          start = end;
        }
      }
      return null;
    }
  };
})();
