// A walkthrough: one step a screen, by keys; a quiz that hides the answers; a speaker's view with a clock. Without this
// script all steps stand below each other, as they do on paper.
"use strict";
(() => {
  const walk = document.querySelector(".walk");
  const stops = [...walk.querySelectorAll(".stop")];
  const by = (id) => document.getElementById(id);
  const count = walk.querySelector(".count");
  const bar = walk.querySelector("progress");
  const help = by("help");
  let at = 0;

  const numbered = () => {
    const found = /^#step-(\d+)$/.exec(location.hash);
    return found ? Math.min(Math.max(Number(found[1]), 1), stops.length) : 1;
  };

  function show(number, focus) {
    at = number;
    for (const [k, stop] of stops.entries()) stop.classList.toggle("current", k + 1 === number);
    count.textContent = number + " / " + stops.length;
    bar.value = number;
    for (const button of walk.querySelectorAll("[data-turn]")) {
      const end = Number(button.dataset.turn) < 0 ? number === 1 : number === stops.length;
      button.setAttribute("aria-disabled", String(end));
    }
    plan();
    if (focus) {
      scrollTo({ top: 0, behavior: "instant" });
      stops[number - 1].querySelector("h2").focus({ preventScroll: true });
    }
  }

  function go(number) {
    const target = Math.min(Math.max(number, 1), stops.length);
    if (target === at) return;
    history.pushState(null, "", "#step-" + target);
    show(target, true);
  }
  addEventListener("popstate", () => show(numbered(), true));

  // -- quiz ---------------------------------------------------------------------------------
  function quiz(on) {
    walk.classList.toggle("quiz", on);
    by("quiz").setAttribute("aria-pressed", String(on));
    for (const stop of stops) reveal(stop, false);
  }
  function reveal(stop, on) {
    stop.classList.toggle("revealed", on);
    stop.querySelector(".reveal").setAttribute("aria-expanded", String(on));
  }
  const asking = () => walk.classList.contains("quiz") && !stops[at - 1].classList.contains("revealed");

  // -- speaker ------------------------------------------------------------------------------
  let spent = 0; // ms before the clock was started last
  let since = 0;
  let tick = 0;
  const clock = (seconds) => Math.floor(seconds / 60) + ":" + String(Math.floor(seconds % 60)).padStart(2, "0");
  const elapsed = () => (spent + (since ? Date.now() - since : 0)) / 1000;

  function speaker(on) {
    walk.classList.toggle("speaking", on);
    by("speaker").setAttribute("aria-pressed", String(on));
    by("timing").hidden = !on;
    for (const say of walk.querySelectorAll(".say")) say.hidden = !on;
    if (!on) run(false);
    plan();
  }
  function run(on) {
    if (on === Boolean(since)) return;
    if (on) since = Date.now();
    else { spent += Date.now() - since; since = 0; }
    clearInterval(tick);
    if (on) tick = setInterval(plan, 500);
    by("clock-run").setAttribute("aria-pressed", String(on));
    plan();
  }
  function plan() {
    const stop = stops[at - 1];
    if (!stop) return;
    const begin = Number(stop.dataset.told);
    const end = begin + Number(stop.dataset.seconds);
    const now = elapsed();
    by("clock").textContent = clock(now);
    by("plan").textContent = clock(begin) + "–" + clock(end);
    const late = now > end ? now - end : now < begin ? now - begin : 0;
    by("drift").textContent = now && late ? (late > 0 ? "+" : "−") + clock(Math.abs(late)) : "";
    by("drift").className = late > 0 ? "fails" : "";
  }

  // -- buttons and keys -----------------------------------------------------------------------
  walk.addEventListener("click", (event) => {
    const target = event.target;
    const turn = target.closest("[data-turn]");
    const shown = target.closest(".reveal");
    const link = target.closest("a[href^='#step-']");
    if (turn) go(at + Number(turn.dataset.turn));
    else if (shown) reveal(shown.closest(".stop"), !shown.closest(".stop").classList.contains("revealed"));
    else if (link && link.dataset.line) {
      event.preventDefault();
      for (const row of walk.querySelectorAll(".row.aim")) row.classList.remove("aim");
      for (const row of stops[at - 1].querySelectorAll('.row[data-line="' + link.dataset.line + '"]')) {
        row.classList.add("aim");
        row.scrollIntoView({ block: "center" });
      }
    } else if (link) {
      event.preventDefault();
      go(Number(link.hash.slice(6)));
    }
  });
  by("quiz").addEventListener("click", () => quiz(!walk.classList.contains("quiz")));
  by("speaker").addEventListener("click", () => speaker(!walk.classList.contains("speaking")));
  by("print").addEventListener("click", () => print());
  by("help-open").addEventListener("click", () => help.showModal());
  by("clock-run").addEventListener("click", () => run(!since));
  by("clock-reset").addEventListener("click", () => { run(false); spent = 0; plan(); });

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const on = event.target instanceof Element ? event.target : document.body;
    if (on.closest("input, select, textarea")) return;
    const presses = on.closest("button, a, summary") && (event.key === " " || event.key === "Enter");
    if (presses) return;
    switch (event.key) {
      case "ArrowRight": case "n": case "PageDown": go(at + 1); break;
      case "ArrowLeft": case "p": case "PageUp": go(at - 1); break;
      case " ": if (asking()) reveal(stops[at - 1], true); else go(at + (event.shiftKey ? -1 : 1)); break;
      case "Home": go(1); break;
      case "End": go(stops.length); break;
      case "q": quiz(!walk.classList.contains("quiz")); break;
      case "s": speaker(!walk.classList.contains("speaking")); break;
      case "t": if (walk.classList.contains("speaking")) run(!since); break;
      case "?": help.showModal(); break;
      default: return;
    }
    event.preventDefault();
  });

  walk.classList.add("single");
  show(numbered(), false);
})();
