// A path: a step of the drawing shows its code beside it; the drawing is dragged, made larger and smaller. Without this
// script all steps stand below each other, and the links of the drawing lead to them.
"use strict";
(() => {
  const box = document.querySelector(".path");
  const canvas = box.querySelector(".canvas");
  const svg = canvas.querySelector("svg");
  const steps = [...box.querySelectorAll(".step")];
  const nodes = [...svg.querySelectorAll(".node")];
  const count = box.querySelector(".count");
  const wide = matchMedia("(min-width: 64rem)");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0;

  const numbered = () => {
    const found = /^#step-(\d+)$/.exec(location.hash);
    return found ? Math.min(Math.max(Number(found[1]), 1), steps.length) : 0;
  };

  // Shows step `number`; `line` is one to point at; `aim`: the code is brought to the eye on a narrow screen.
  function show(number, { line = 0, focus = false, aim = false } = {}) {
    at = number;
    for (const [k, step] of steps.entries()) step.classList.toggle("current", k + 1 === number);
    for (const node of nodes) {
      const mine = Number(node.dataset.step) === number;
      node.classList.toggle("current", mine);
      if (mine) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    }
    count.textContent = number + " / " + steps.length;
    const step = steps[number - 1];
    for (const row of box.querySelectorAll(".row.aim")) row.classList.remove("aim");
    if (line) {
      step.querySelector("details.more").open = true;
      for (const row of step.querySelectorAll('.row[data-line="' + line + '"]')) row.classList.add("aim");
    }
    if (!wide.matches) {
      if (aim) {
        step.querySelector("details.more").open = true;
        step.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
      }
    } else {
      reveal(nodes[number - 1]);
      const row = step.querySelector(".row.aim") || step.querySelector(".row.on") || null;
      const panel = box.querySelector(".panel");
      panel.scrollTop = 0;
      if (line && row) panel.scrollTop = row.offsetTop - panel.clientHeight / 2;
    }
    if (focus) nodes[number - 1].focus({ preventScroll: true });
  }

  // The drawing moves so far that a node is seen; the page stays.
  function reveal(node) {
    const a = node.getBoundingClientRect();
    const b = canvas.getBoundingClientRect();
    if (a.top < b.top + 8) canvas.scrollTop -= b.top + 8 - a.top;
    else if (a.bottom > b.bottom - 8) canvas.scrollTop += a.bottom - b.bottom + 8;
  }

  function go(number, how = {}) {
    const target = Math.min(Math.max(number, 1), steps.length);
    if ("#step-" + target !== location.hash) history.pushState(null, "", "#step-" + target);
    show(target, how);
  }

  box.addEventListener("click", (event) => {
    const link = event.target.closest("[data-step][href]");
    if (link) {
      event.preventDefault();
      if (moved) return;
      go(Number(link.dataset.step), { line: Number(link.dataset.line || 0), aim: true });
      return;
    }
    const turn = event.target.closest("[data-turn]");
    if (turn) go(at + Number(turn.dataset.turn), { aim: true });
    const zoom = event.target.closest("[data-zoom]");
    if (zoom) scale({ in: size * 1.25, out: size / 1.25, fit: 1 }[zoom.dataset.zoom]);
  });
  addEventListener("popstate", () => show(numbered() || 1, { aim: true }));

  // -- keys ------------------------------------------------------------------------------
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inside = event.target.closest(".node");
    const move = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (move) go(at + move, { focus: Boolean(inside) });
    else if (event.key === "Home") go(1, { focus: Boolean(inside) });
    else if (event.key === "End") go(steps.length, { focus: Boolean(inside) });
    else if (event.key === "+" || event.key === "=") scale(size * 1.25);
    else if (event.key === "-") scale(size / 1.25);
    else if (event.key === "0") scale(1);
    else return;
    event.preventDefault();
  });

  // -- size and place ----------------------------------------------------------------------
  const view = svg.viewBox.baseVal;
  let size = 1;
  function scale(wanted) {
    const before = size;
    size = Math.min(Math.max(wanted, 0.4), 4);
    const width = Math.max(canvas.clientWidth - 2, 200) * size;
    const middle = (canvas.scrollTop + canvas.clientHeight / 2) / before;
    const centre = (canvas.scrollLeft + canvas.clientWidth / 2) / before;
    svg.setAttribute("width", String(Math.round(width)));
    svg.setAttribute("height", String(Math.round((width * view.height) / view.width)));
    canvas.scrollTop = middle * size - canvas.clientHeight / 2;
    canvas.scrollLeft = centre * size - canvas.clientWidth / 2;
  }
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    scale(size * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });
  addEventListener("resize", () => scale(size));

  let drag = null;
  let moved = false;
  canvas.addEventListener("pointerdown", (event) => {
    moved = false;
    if (event.pointerType === "mouse" && event.button === 0) {
      drag = { x: event.clientX, y: event.clientY, left: canvas.scrollLeft, top: canvas.scrollTop };
    }
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (Math.hypot(dx, dy) > 5) moved = true;
    if (!moved) return;
    canvas.scrollLeft = drag.left - dx;
    canvas.scrollTop = drag.top - dy;
  });
  addEventListener("pointerup", () => { drag = null; });
  svg.addEventListener("dragstart", (event) => event.preventDefault());

  box.classList.add("single");
  if (!wide.matches) for (const more of box.querySelectorAll("details.more")) more.open = false;
  scale(1);
  show(numbered() || 1, { aim: numbered() > 0 });
})();
