"""The one way from a page's data to its bytes: Jinja2 with autoescape, and the few functions that templates may call.

Takes pages; makes text. Links are relative, so that a site opens from a folder as well as from a host.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
from markupsafe import Markup, escape

from tracer import catalog
from tracer.render.atlas import code
from tracer.render.atlas.page import Both, Nav, Page
from tracer.render.atlas.strings import LANGUAGES, said, told
from tracer.render.grouping import lines_text, local_symbol, short_symbol, version_text
from tracer.visible import visible

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
TAG = {"en": "en", "zh": "zh-Hans"}


def render(page: Page, common: Mapping[str, Any]) -> str:
    """The page as HTML; `common` is what every page shows (bar, revisions, language)."""
    root = "../" * page.path.count("/")
    template = environment().get_template(page.template)
    return template.render(
        page=page,
        root=root,
        url=functools.partial(_url, root),
        policy=POLICY,
        **common,
        **page.context,
    )


def _url(root: str, path: str) -> str:
    """A page's address seen from another page; "#…" within a path stays."""
    return root + path


@functools.lru_cache
def environment() -> jinja2.Environment:
    """The templates of reports/atlas/templates, with autoescape and what they may call."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(catalog.shipped("reports") / "atlas" / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    made.filters |= {
        "version": version_text, "local": _local, "short": short_symbol, "json": block, "breaks": breaks,
    }  # fmt: skip
    made.globals |= {
        "t": t,
        "both": both,
        "attr": attr,
        "told": _told,
        "as_json": as_json,
        "t_json": t_json,
        "lines_text": lines_text,
        "coloured": code.coloured,
    }
    return made


def _shown(value: object) -> object:
    """What a template prints: text of a source with everything that is hidden or deceives written out."""
    if type(value) is not str or (value.isascii() and value.isprintable()):
        return value
    return "\n".join(visible(line) for line in value.split("\n"))


def _local(symbol: str, file: str) -> str:
    return local_symbol(symbol, file)


def t(key: str, **values: object) -> Markup:
    """A string of the catalogue in both languages, of which the page shows one."""
    return both(said(key, **values))


def both(texts: Both) -> Markup:
    """A text in both languages as two elements; where they are alike, the text alone."""
    if texts["en"] == texts["zh"]:
        return escape(texts["en"])
    return Markup().join(Markup('<span lang="{}">{}</span>').format(TAG[lang], texts[lang]) for lang in LANGUAGES)


@jinja2.pass_context
def attr(context: jinja2.runtime.Context, name: str, key: str, **values: object) -> Markup:
    """An attribute (`aria-label`, `placeholder`, `title`) in the default language; the script swaps it."""
    texts = said(key, **values)
    return Markup('{}="{}" data-i18n-{}="{}"').format(name, texts[context["language"]], name, as_json(texts))


_BREAKS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[._/:])(?=[^._/:])")


def breaks(name: str) -> Markup:
    """A symbol or path that may be broken where its parts meet, rather than anywhere."""
    return Markup("<wbr>").join(_BREAKS.split(visible(name)))


def _told(group: str, text: str) -> Markup:
    return both(told(group, text))


def as_json(texts: Both) -> str:
    """A text in both languages for a `data-` attribute."""
    return json.dumps(texts, ensure_ascii=False)


def t_json(key: str) -> str:
    """A string of the catalogue for a `data-` attribute; the script fills in what it names."""
    return as_json(said(key))


def block(data: object) -> Markup:
    """Data for a `<script type="application/json">`: nothing in it can end the element or a line of script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - every character that HTML reads is written as an escape of JSON


def common(language: str, nav: Sequence[Nav], engines: Sequence[Mapping[str, Any]], version: str) -> dict[str, Any]:
    """What every page shows."""
    return {
        "language": language,
        "language_tag": TAG[language],
        "nav": [(said(n.key), n.path) for n in nav],
        "engines": list(engines),
        "program": version,
    }
