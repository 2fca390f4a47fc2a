"""The kinds of pages, one module each: `pages`, `nav` and `entries` of an `Atlas` (see `page.Kind`)."""
