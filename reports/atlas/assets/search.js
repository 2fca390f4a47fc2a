// The search of the first page, over the index that lies in it. Every word of the query must be found; a name that
// begins with a word comes before one that holds it, and a last part of a dotted name before the others.
"use strict";
(() => {
  const { atlas } = window;
  const index = JSON.parse(document.getElementById("search-index").textContent);
  const box = document.getElementById("q");
  const list = document.getElementById("found");
  const count = document.getElementById("found-count");
  const MOST = 60;

  const entries = index.rows.map(([kind, en, zh, path, more, weight]) => ({
    kind: index.kinds[kind], en, zh: zh || en, path, more, weight,
    hay: (en + " " + zh).toLowerCase(), beside: more.toLowerCase(),
  }));

  function score(entry, words) {
    let sum = entry.weight;
    for (const word of words) {
      const at = entry.hay.indexOf(word);
      if (at < 0) {
        if (!entry.beside.includes(word)) return -1;
        sum += 1;
        continue;
      }
      const last = Math.max(entry.hay.lastIndexOf("."), entry.hay.lastIndexOf("::") + 1, entry.hay.lastIndexOf("/")) + 1;
      if (entry.hay === word || entry.hay.slice(last).trim() === word) sum += 40;
      else if (entry.hay.startsWith(word, last)) sum += 20;
      else if (at === 0) sum += 14;
      else if (/[^a-z0-9]/.test(entry.hay[at - 1])) sum += 8;
      else sum += 3;
    }
    // Words that stand together in a name: "put end" means PutEnd and put_end before put.
    if (words.length > 1 && entry.hay.replace(/[_.: ]/g, "").includes(words.join(""))) sum += 45;
    return sum - entry.hay.length / 200;
  }

  // A piece of text with the words marked; built from text nodes, so that nothing in it is read as HTML.
  function marked(text, words) {
    const piece = document.createDocumentFragment();
    const low = text.toLowerCase();
    const spans = words.map((w) => [low.indexOf(w), w.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
    let done = 0;
    for (const [at, length] of spans) {
      if (at < done) continue;
      piece.append(text.slice(done, at));
      const mark = document.createElement("mark");
      mark.textContent = text.slice(at, at + length);
      piece.append(mark);
      done = at + length;
    }
    piece.append(text.slice(done));
    return piece;
  }

  function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
    list.replaceChildren();
    if (!words.length) {
      count.textContent = "";
      return;
    }
    const found = entries
      .map((entry, place) => [score(entry, words), place, entry])
      .filter(([value]) => value >= 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const said = found.length ? count.dataset.results : count.dataset.none;
    count.textContent = atlas.text(JSON.parse(said)).replace("{count}", String(found.length));
    for (const [, , entry] of found.slice(0, MOST)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = entry.path;
      const kind = document.createElement("span");
      kind.className = "kind";
      kind.textContent = atlas.text(entry.kind);
      const text = document.createElement(["symbol", "file"].includes(entry.kind.id) ? "code" : "span");
      text.append(marked(atlas.text(entry), words));
      link.append(kind, " ", text);
      if (entry.more) {
        const more = document.createElement("span");
        more.className = "more";
        more.textContent = entry.more;
        link.append(more);
      }
      item.append(link);
      list.append(item);
    }
  }

  box.addEventListener("input", show);
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) first.click();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") list.querySelector("a")?.focus();
  });
  list.addEventListener("keydown", (event) => {
    const item = document.activeElement?.closest("li");
    const next = event.key === "ArrowDown" ? item?.nextElementSibling : event.key === "ArrowUp" ? item?.previousElementSibling : null;
    if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    (next?.querySelector("a") || box).focus();
  });
  document.addEventListener("atlas:language", show);

  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    box.value = asked;
    box.focus();
  }
  show();
})();
