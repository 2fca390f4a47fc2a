// A comparison's filter: only changes of a kind, or about a role.
"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const output = form.querySelector("output");

  function apply() {
    let shown = 0;
    for (const change of document.querySelectorAll(".change")) {
      const fits = [["kind", change.dataset.kind], ["role", change.dataset.role]]
        .every(([name, value]) => !form.elements[name].value || form.elements[name].value === value);
      change.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const section of document.querySelectorAll("section.changes")) {
      section.hidden = !section.querySelector(".change:not([hidden])");
    }
    output.textContent = window.atlas.text(JSON.parse(output.dataset.shown)).replace("{count}", String(shown));
  }

  form.addEventListener("change", apply);
  document.addEventListener("atlas:language", apply);
  apply();
})();
