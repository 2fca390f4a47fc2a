"""The arithmetic of a shared KV cache: Model × Load → lines, each with its formula, exact value, unit and text.

Takes the shapes of `budget_models.py` and a `Load`, and gives one `Line` per figure: bytes per token, request and rank,
pages and their tails, what the store holds, the traffic on its link, and from which hit length on loading beats
computing. It knows no engine: a rule joins an engine's source to a line by its `quantity`.

Without arguments it is the worked example: 32 layers, 8 KV heads of 128, BF16, TP=4, 1,000 prefixes of 6,144 tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction

from tracer.budget.config import model_from_config
from tracer.budget.load import Load, load_from
from tracer.budget.models import (
    Element,
    IndexKeys,
    Latent,
    Model,
    TokenLayers,
    element,
    held,
    held_text,
    kept,
    plain_model,
    shard,
)
from tracer.budget.units import (
    Exact,
    figure,
    show_count,
    show_rate,
    show_share,
    show_size,
    show_time,
    simple,
    term_rate,
    term_size,
)
from tracer.errors import UsageError

__all__ = ["NAMES", "Line", "Load", "Model", "budget", "load_from", "model_from_config", "plain_model"]


@dataclass(frozen=True, slots=True)
class Line:
    """One figure. `value` is exact, in `unit` (B, B/s, s, token, …; 1: a share, ×: a factor); None: there is none."""

    quantity: str
    section: str
    name: str
    name_zh: str
    formula: str
    value: Exact | None
    unit: str
    shown: str
    shown_zh: str = ""

    @property
    def number(self) -> int | float | None:
        """The value for a reader that has no fractions."""
        return float(self.value) if isinstance(self.value, Fraction) else self.value

    def as_json(self) -> dict[str, object]:
        """Plain types only; `exact` is the value as `numerator/denominator` text."""
        return {**asdict(self), "value": self.number, "exact": None if self.value is None else str(self.value),
                "shown_zh": self.shown_zh or self.shown}


NAMES: dict[str, tuple[str, str, str, str]] = {
    # quantity: section, unit, English, Chinese
    "group_token_bytes": ("model", "B", "KV per token, {}", "每 token 的 KV，{}"),
    "token_bytes": ("model", "B", "KV per token", "每 token 的 KV"),
    "window_tokens": ("model", "token", "tokens that {} keep", "{}保留的 token"),
    "state_bytes": ("model", "B", "state per sequence ({} layers)", "每序列的状态（{} 层）"),
    "sequence_bytes": ("request", "B", "KV of one request", "一条请求的 KV"),
    "rank_bytes": ("request", "B", "on each TP rank", "每个 TP rank"),
    "ranks_bytes": ("request", "B", "on all TP ranks together", "全部 TP rank 合计"),
    "replication": ("request", "×", "copies that tensor parallelism keeps", "张量并行下的重复份数"),
    "page_bytes": ("request", "B", "one page of all layers, per rank", "每 rank 一页（全部层）"),
    "pages": ("request", "page", "pages of the longest-kept layers", "保留最久的层所需页数"),
    "paged_rank_bytes": ("request", "B", "on each rank in whole pages", "每 rank 按整页计"),
    "tail_bytes": ("request", "B", "of that, empty page tails", "其中页尾浪费"),
    "chunks": ("store", "chunk", "chunks per prefix", "每前缀的 chunk 数"),
    "stored_tokens": ("store", "token", "tokens of a prefix that are stored", "每前缀存下的 token"),
    "prefix_bytes": ("store", "B", "one hot prefix", "每条热前缀"),
    "logical_bytes": ("store", "B", "all hot prefixes, once", "全部热前缀（逻辑数据）"),
    "replica_bytes": ("store", "B", "payload of all replicas", "全部副本的 payload"),
    "pool_bytes": ("store", "B", "physical pool for that payload", "物理池预算"),
    "objects": ("store", "object", "object identities", "对象身份数"),
    "replica_records": ("store", "record", "replica records", "副本记录数"),
    "object_bytes": ("store", "B", "payload of one object (one rank, one chunk)", "每对象 payload（每 rank 每 chunk）"),
    "read_rate": ("traffic", "B/s", "read traffic, every request loads its prefix", "读流量（每请求都从远端读前缀）"),
    "link_rate": ("traffic", "B/s", "line rate", "线速"),
    "usable_rate": ("traffic", "B/s", "usable of it", "有效带宽预算"),
    "link_use": ("traffic", "1", "of which reads take", "读流量占有效带宽"),
    "write_rate": ("traffic", "B/s", "write traffic, all replicas", "写流量（全部副本）"),
    "in_flight_bytes": ("traffic", "B", "in flight on average", "平均在途数据"),
    "load_time": ("break_even", "s", "loading the prefix takes", "加载该前缀的时间"),
    "saved_time": ("break_even", "s", "computing it would take", "重算该前缀的时间"),
    "gain": ("break_even", "s", "loading gains", "加载的收益"),
    "break_even_tokens": ("break_even", "token", "loading wins from a hit of", "加载开始划算的命中长度"),
    "break_even_rate": ("break_even", "B/s", "loading the prefix wins above", "该前缀划算所需带宽"),
}


def budget(model: Model | None = None, load: Load | None = None) -> tuple[Line, ...]:
    """All lines for `model` under `load`; `UsageError` where ranks, types or sizes do not fit together."""
    sums = _Sums(model or plain_model(), load or Load())
    parts = (_model_lines, _request_lines, _store_lines, _traffic_lines, _break_even_lines)
    return tuple(line for part in parts for line in part(sums))


class _Sums:
    """The bytes that several lines share, for one model under one load."""

    def __init__(self, model: Model, load: Load) -> None:
        self.model, self.load = model, load
        asked = load.kv_dtype if load.kv_dtype != "auto" else model.kv_dtype or model.dtype
        self.kind: Element = element(asked, scale_group=load.scale_group, scale_dtype=load.scale_dtype,
                                     zero_dtype=load.zero_dtype)
        self.state = None if load.state_dtype == "auto" else element(load.state_dtype, where="state_dtype")
        if model.query_heads and model.query_heads % load.tp:
            shard(model.query_heads, load.tp, "attention heads")
            raise UsageError(f"{load.tp} ranks are more than {model.query_heads} attention heads", where="tp",
                             todo=f"at most {model.query_heads}")
        self.token = sum(one.token_bytes(self.kind) for one in model.layers)
        self.rank_token = sum(one.token_bytes(self.kind, load.tp) for one in model.layers)
        self.state_bytes = sum(one.sequence_bytes(self.state) for one in model.states)
        self.rank_state = sum(one.sequence_bytes(self.state, load.tp) for one in model.states)
        self.sequence = held((kept(one, load.tokens), one.token_bytes(self.kind)) for one in model.layers)
        self.rank = held((kept(one, load.tokens), one.token_bytes(self.kind, load.tp)) for one in model.layers)
        self.sequence_bytes = _total(self.sequence) + self.state_bytes
        self.rank_bytes = _total(self.rank) + self.rank_state
        self.usable = simple(Fraction(load.link) * load.link_share)

    def _once(self, one: TokenLayers) -> bool:
        return self.load.replicated == "once" or (self.load.replicated == "auto" and one.replicated)

    def writers(self) -> int:
        """Ranks that store something of a chunk."""
        return max((min(one.units(), self.load.tp) if self._once(one) else self.load.tp for one in self.model.layers),
                   default=0)

    def state_objects(self) -> int:
        """Objects for the state snapshots of one prefix."""
        writers = 1 if self.load.replicated == "once" else self.load.tp
        return self.load.states * writers if self.model.states else 0

    def stored_token(self, one: TokenLayers) -> int:
        """Bytes per token of one group in the store, over all ranks."""
        if self._once(one):
            return one.token_bytes(self.kind)
        return self.load.tp * one.token_bytes(self.kind, self.load.tp)

    def window(self, one: TokenLayers) -> int:
        """The window to which a store cuts these layers; 0: it keeps them whole."""
        return one.window if self.load.window_store == "window" else 0

    def snapshots(self, tokens: int = 1) -> int:
        """Bytes of the state snapshots stored with a prefix of `tokens` tokens."""
        whole = self.state_bytes if self.load.replicated == "once" else self.load.tp * self.rank_state
        return self.load.states * whole if tokens else 0

    def stored(self, tokens: int) -> dict[int, int]:
        """What the store keeps of `tokens` tokens: bytes per token, for each number of tokens kept."""
        whole = self.load.whole(tokens)
        spans = ((min(self.window(one) or whole, whole), self.stored_token(one)) for one in self.model.layers)
        return held((span, per_token) for span, per_token in spans if span)

    def stored_bytes(self, tokens: int) -> int:
        """Bytes that the store keeps of `tokens` tokens, with the state snapshots."""
        return _total(self.stored(tokens)) + self.snapshots(self.load.whole(tokens))

    def stored_text(self, tokens: int) -> str:
        """The formula of `stored_bytes`."""
        return held_text(self.stored(tokens)) + _plus(self.snapshots(self.load.whole(tokens)))


def _total(terms: Mapping[int, int]) -> int:
    return sum(tokens * per_token for tokens, per_token in terms.items())


def _plus(size: int) -> str:
    return f" + {term_size(size)}" if size else ""


def _line(quantity: str, formula: str, value: Exact | None, which: tuple[str, str] = ("", "")) -> Line:
    section, unit, name, name_zh = NAMES[quantity]
    value = value if value is None else simple(value)
    shown_zh = ""
    if value is None:
        shown, shown_zh = "never", "永不"
    elif unit == "×":
        shown = show_count(value, "").rstrip() + "×"
    else:
        showing = {"B": show_size, "B/s": show_rate, "s": show_time, "1": show_share}.get(unit)
        shown = showing(value) if showing else show_count(value, unit if value == 1 else f"{unit}s")
        shown_zh = "" if showing else show_count(value, "个")
    name, name_zh = name.format(which[0]), name_zh.format(which[1])
    return Line(quantity, section, name, name_zh, formula, value, unit, shown, shown_zh)


def _label(one: TokenLayers) -> tuple[str, str]:
    if isinstance(one, IndexKeys):
        return f"{one.count} layers' index keys", f"{one.count} 层的索引键"
    kind, kind_zh = ("latent", "潜变量") if isinstance(one, Latent) else ("full", "全注意力")
    if one.window:
        return f"{one.count} sliding layers of {one.window:,}", f"{one.count} 个滑窗层（窗口 {one.window:,}）"
    return f"{one.count} {kind} layers", f"{one.count} 个{kind_zh}层"


def _model_lines(sums: _Sums) -> Iterator[Line]:
    groups = sums.model.layers
    for one in groups if len(groups) > 1 else ():
        yield _line("group_token_bytes", one.formula(sums.kind), one.token_bytes(sums.kind), _label(one))
    sizes = " + ".join(term_size(one.token_bytes(sums.kind)) for one in groups)
    yield _line("token_bytes", groups[0].formula(sums.kind) if len(groups) == 1 else sizes or "0 B", sums.token)
    for one in groups:
        if one.window:
            tokens = sums.load.tokens
            yield _line("window_tokens", f"min({one.window:,}, {tokens:,})", kept(one, tokens), _label(one))
    if sums.model.states:
        count = str(sum(one.count for one in sums.model.states))
        formula = " + ".join(one.formula(sums.state) for one in sums.model.states)
        yield _line("state_bytes", formula, sums.state_bytes, (count, count))


def _request_lines(sums: _Sums) -> Iterator[Line]:
    tp, page = sums.load.tp, sums.load.page
    whole, rank = sums.sequence_bytes, sums.rank_bytes
    yield _line("sequence_bytes", held_text(sums.sequence) + _plus(sums.state_bytes), whole)
    even = f"{term_size(whole)} ÷ {tp:,}"
    yield _line("rank_bytes", even if rank * tp == whole else held_text(sums.rank) + _plus(sums.rank_state), rank)
    yield _line("ranks_bytes", f"{tp:,} × {term_size(rank)}", tp * rank)
    if whole:
        yield _line("replication", f"{term_size(tp * rank)} ÷ {term_size(whole)}", Fraction(tp * rank, whole))
    if not sums.model.layers:
        return
    longest = max(sums.rank)
    paged = held((-(-tokens // page) * page, per_token) for tokens, per_token in sums.rank.items())
    yield _line("page_bytes", f"{page:,} × {term_size(sums.rank_token)}", page * sums.rank_token)
    yield _line("pages", f"⌈{longest:,} ÷ {page:,}⌉", -(-longest // page))
    full = _total(paged) + sums.rank_state
    yield _line("paged_rank_bytes", held_text(paged) + _plus(sums.rank_state), full)
    yield _line("tail_bytes", f"{term_size(full)} - {term_size(rank)}", full - rank)


def _store_lines(sums: _Sums) -> Iterator[Line]:
    load, hit = sums.load, sums.load.hit
    chunks = -(-load.whole(hit) // load.chunk)
    rounding = "⌈{}⌉" if load.partial_chunks else "⌊{}⌋"
    division = f"{hit:,} ÷ {load.chunk:,}"
    yield _line("chunks", rounding.format(division) if hit % load.chunk else division, chunks)
    yield _line("stored_tokens", f"min({chunks:,} × {load.chunk:,}, {hit:,})", load.whole(hit))
    prefix = sums.stored_bytes(hit)
    logical, payload = load.prefixes * prefix, load.prefixes * prefix * load.replicas
    yield _line("prefix_bytes", sums.stored_text(hit), prefix)
    yield _line("logical_bytes", f"{load.prefixes:,} × {term_size(prefix)}", logical)
    yield _line("replica_bytes", f"{load.replicas:,} × {term_size(logical)}", payload)
    share = figure(load.payload_share)[0]
    yield _line("pool_bytes", f"{term_size(payload)} ÷ {share}", Fraction(payload) / load.payload_share)
    writers, extra = sums.writers(), sums.state_objects() if chunks else 0
    each = chunks * writers * load.objects + extra
    per_prefix = f"{chunks:,} × {writers:,}" + (f" × {load.objects:,}" if load.objects > 1 else "")
    identities = f"{load.prefixes:,} × " + (f"({per_prefix} + {extra:,})" if extra else per_prefix)
    yield _line("objects", identities, load.prefixes * each)
    records = load.replicas * load.prefixes * each
    yield _line("replica_records", f"{load.replicas:,} × {load.prefixes * each:,}", records)
    if writers:
        token = sum(sums.stored_token(one) for one in sums.model.layers)
        parts = f"{writers:,}" + (f" ÷ {load.objects:,}" if load.objects > 1 else "")
        yield _line("object_bytes", f"{load.chunk:,} × {term_size(token)} ÷ {parts}",
                    Fraction(load.chunk * token, writers * load.objects))


def _traffic_lines(sums: _Sums) -> Iterator[Line]:
    load = sums.load
    prefix, request = sums.stored_bytes(load.hit), sums.stored_bytes(load.tokens)
    reads = simple(load.rate * Fraction(prefix))
    yield _line("read_rate", f"{figure(load.rate)[0]}/s × {term_size(prefix)}", reads)
    yield _line("link_rate", f"{figure(simple(Fraction(load.link * 8, 10**9)))[0]} × 10⁹ b/s ÷ 8", load.link)
    yield _line("usable_rate", f"{term_rate(load.link)} × {figure(load.link_share)[0]}", sums.usable)
    yield _line("link_use", f"{term_rate(reads)} ÷ {term_rate(sums.usable)}", Fraction(reads) / sums.usable)
    shares = f"{figure(load.rate)[0]}/s × {figure(load.write_share)[0]}"
    yield _line("write_rate", f"{shares} × {term_size(request)} × {load.replicas:,}",
                load.rate * Fraction(load.write_share) * request * load.replicas)
    yield _line("in_flight_bytes", f"{term_rate(reads)} × {show_time(load.residence).removeprefix('≈ ')}",
                Fraction(reads) * load.residence)


def _break_even_lines(sums: _Sums) -> Iterator[Line]:
    load = sums.load
    if load.prefill_rate is None:
        return
    tokens, size = load.whole(load.hit), sums.stored_bytes(load.hit)
    share = simple(sums.usable / Fraction(load.concurrent))
    loading, computing = load.latency + size / Fraction(share), Fraction(tokens) / load.prefill_rate
    wait, speed = show_time(load.latency).removeprefix("≈ "), f"{figure(load.prefill_rate)[0]}/s"
    yield _line("load_time", f"{wait} + {term_size(size)} ÷ {term_rate(share)}", loading)
    yield _line("saved_time", f"{tokens:,} ÷ {speed}", computing)
    times = [show_time(one).removeprefix("≈ ") for one in (computing, loading)]
    yield _line("gain", " - ".join(times), computing - loading)
    per_token = " + ".join(
        f"{f'min(n, {w:,})' if (w := sums.window(one)) else 'n'} × {term_size(sums.stored_token(one))}"
        for one in sums.model.layers)
    whole = "" if load.partial_chunks else f", n = k × {load.chunk:,}"
    bytes_text = (per_token or "0 B") + _plus(sums.snapshots())
    yield _line("break_even_tokens", f"n ÷ {speed} > {wait} + ({bytes_text}) ÷ {term_rate(share)}{whole}",
                _first_win(sums, share, load.prefill_rate))
    spare = computing - load.latency
    yield _line("break_even_rate", f"{term_size(size)} ÷ ({tokens:,} ÷ {speed} - {wait})",
                size / spare if spare > 0 else None)


def _first_win(sums: _Sums, share: Exact, prefill_rate: Exact) -> int | None:
    """The shortest hit whose loading takes less time than computing it; None where that never happens.

    The gain starts at or below nothing and its slope only rises (at each window the load grows slower), so the first
    segment in which it turns positive has the answer, and every longer hit wins too: rounding up to chunks is safe.
    """
    load = sums.load
    groups = [(sums.window(one), Fraction(sums.stored_token(one)) / share) for one in sums.model.layers]
    saved, start = 1 / Fraction(prefill_rate), 0
    gain = -(Fraction(load.latency) + Fraction(sums.snapshots()) / share)
    for end in (*sorted({window for window, _ in groups if window}), None):
        slope = saved - sum(cost for window, cost in groups if not window or window > start)
        if slope > 0:
            first = start + int(-gain // slope) + 1
            if end is None or first <= end:
                return first if load.partial_chunks else -(-first // load.chunk) * load.chunk
        if end is not None:
            gain, start = gain + slope * (end - start), end
    return None
