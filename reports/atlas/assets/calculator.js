// The budget's form: reads the fields, asks `tracerBudget`, draws the tables, and says the same as a command.
"use strict";
(() => {
  const { atlas, tracerBudget } = window;
  const names = JSON.parse(document.getElementById("budget-names").textContent);
  const form = document.getElementById("budget");
  const wrong = document.getElementById("wrong");
  const fields = [...form.querySelectorAll("input[name], select[name]")];
  const first = Object.fromEntries(fields.map((field) => [field.name, field.value]));
  const PRESETS = {
    example: {},
    wide: { layers: "80", tp: "8" },
    latent: { layers: "61", latent: "512", rope: "64", tp: "8" },
    sliding: { layers: "30", window: "1024", window_layers: "25" },
  };
  const FLAGS = ["layers", "kv_heads", "head_dim", "query_heads", "window", "window_layers", "latent", "rope", "state_layers",
    "state_elements", "dtype", "kv_dtype", "tokens", "prefix", "prefixes", "replicas", "tp", "page", "chunk", "rate", "write_share",
    "payload_share", "link", "link_share", "residence", "latency", "prefill_rate"];

  function both(cell, en, zh) {
    cell.replaceChildren();
    for (const [lang, text] of en === zh ? [["", en]] : [["en", en], ["zh-Hans", zh]]) {
      const span = document.createElement("span");
      if (lang) span.lang = lang;
      span.textContent = text;
      cell.append(span);
    }
  }

  function row(line) {
    const tr = document.createElement("tr");
    tr.setAttribute("role", "row");
    tr.dataset.quantity = line.quantity;
    const name = document.createElement("th");
    name.scope = "row";
    name.setAttribute("role", "rowheader");
    both(name, line.name, line.name_zh);
    const formula = document.createElement("td");
    formula.setAttribute("role", "cell");
    const code = document.createElement("code");
    code.textContent = line.formula;
    formula.append(code);
    const value = document.createElement("td");
    value.setAttribute("role", "cell");
    value.className = "value";
    both(value, line.shown, line.shown_zh);
    tr.append(name, formula, value);
    return tr;
  }

  function quoted(text) {
    return /^[\w.%+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
  }

  function command(input) {
    const given = fields.filter((f) => f.value.trim() !== first[f.name]).map((f) => [f.name, input[f.name]]);
    return ["tracer budget", ...given.filter(([, value]) => value !== "").map(([name, value]) => (FLAGS.includes(name)
      ? "--" + name.replaceAll("_", "-") + " " + quoted(value) : "--set " + quoted(name + "=" + value)))].join(" ");
  }

  function show() {
    const input = Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]));
    for (const field of fields) field.removeAttribute("aria-invalid");
    document.getElementById("command").textContent = command(input);
    let lines;
    try {
      lines = tracerBudget(input, names);
      wrong.hidden = true;
    } catch (error) {
      if (!error.where) throw error;
      const field = fields.find((f) => f.name === error.where);
      if (field) field.setAttribute("aria-invalid", "true");
      wrong.textContent = atlas.text(JSON.parse(wrong.dataset.wrong)) + ": " + error.message;
      wrong.hidden = false;
      return;
    }
    for (const section of document.querySelectorAll("[data-section]")) {
      const mine = lines.filter((line) => line.section === section.dataset.section);
      section.hidden = !mine.length;
      section.querySelector("tbody").replaceChildren(...mine.map(row));
    }
  }

  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const button of form.querySelectorAll("[data-preset]")) {
    button.addEventListener("click", () => {
      const preset = { ...first, ...PRESETS[button.dataset.preset] };
      for (const field of fields) field.value = preset[field.name];
      show();
    });
  }
  document.addEventListener("atlas:language", show);
  show();
})();
