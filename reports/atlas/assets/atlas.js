// On every page: the switches, the texts of attributes, the lines that a link aims at, the key that leads to the search.
"use strict";
(() => {
  const root = document.documentElement;
  const { atlas } = window;

  function speak() {
    const title = document.querySelector("title[data-both]");
    if (title) document.title = atlas.text(JSON.parse(title.dataset.both)) + " · Tracer";
    for (const name of ["aria-label", "placeholder", "title"]) {
      for (const element of document.querySelectorAll("[data-i18n-" + name + "]")) {
        element.setAttribute(name, atlas.text(JSON.parse(element.getAttribute("data-i18n-" + name))));
      }
    }
    document.dispatchEvent(new CustomEvent("atlas:language"));
  }

  document.getElementById("language").addEventListener("click", () => {
    const next = atlas.language() === "en" ? "zh" : "en";
    root.dataset.lang = next;
    root.lang = next === "zh" ? "zh-Hans" : "en";
    atlas.keep("lang", next);
    speak();
  });

  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    atlas.keep("theme", root.dataset.theme);
  });

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!link || link.getAttribute("href").startsWith("#")) return;
    const here = new URL(link.href);
    if (here.protocol !== location.protocol || here.host !== location.host) return;
    for (const [name, value] of Object.entries(atlas.carried())) here.searchParams.set(name, value);
    if (Object.keys(atlas.carried()).length) link.href = here.href;
  });

  // A note's address ("#publish-commit-120") aims at the lines that it is about.
  function aim() {
    for (const row of document.querySelectorAll(".aim")) row.classList.remove("aim");
    const note = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (!note || !note.dataset.first) return;
    const home = note.closest(".function");
    let top = null;
    for (let n = Number(note.dataset.first); n <= Number(note.dataset.last); n += 1) {
      for (const row of home.querySelectorAll('.row[data-line="' + n + '"]')) {
        row.classList.add("aim");
        top = top || row;
      }
    }
    note.classList.add("aim");
    if (top) top.scrollIntoView({ block: "center" });
  }
  addEventListener("hashchange", aim);

  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = document.getElementById("q") || document.querySelector('.find input[name="q"]');
    if (!box) return;
    event.preventDefault();
    box.focus();
  });

  speak();
  aim();
})();
