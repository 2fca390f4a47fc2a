// Before the page is drawn: the language and the theme that were chosen earlier. Storage may be forbidden (some browsers
// do for file://); then the choice travels in the address.
"use strict";
(() => {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search);
  const kept = {};
  let storage = null;
  try {
    storage = window.localStorage;
    storage.getItem("tracer.lang");
  } catch {
    storage = null;
  }
  for (const [name, values] of [["lang", ["en", "zh"]], ["theme", ["light", "dark"]]]) {
    let value = asked.get(name);
    if (!values.includes(value)) value = storage ? storage.getItem("tracer." + name) : null;
    if (values.includes(value)) kept[name] = value;
  }
  const language = kept.lang || root.dataset.lang;
  root.dataset.lang = language;
  root.lang = language === "zh" ? "zh-Hans" : "en";
  if (kept.theme) root.dataset.theme = kept.theme;
  window.atlas = {
    language: () => root.dataset.lang,
    // Text of an object {en, zh} in the language of now.
    text: (texts) => texts[root.dataset.lang] || texts.en,
    keep(name, value) {
      kept[name] = value;
      try {
        if (storage) storage.setItem("tracer." + name, value);
      } catch {
        storage = null;
      }
    },
    // What links must carry where nothing can be stored.
    carried: () => (storage ? {} : kept),
  };
})();
