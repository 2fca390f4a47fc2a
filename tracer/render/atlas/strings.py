"""The words of the pages, in English and Chinese: reports/atlas/strings.yaml, checked when it is read."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from tracer import catalog
from tracer.errors import TracerError
from tracer.render.atlas.page import Both
from tracer.rules import read_yaml

LANGUAGES = ("en", "zh")


@functools.lru_cache
def strings() -> Mapping[str, Both]:
    """Every string by its key (`group.name`); `TracerError` where one lacks a language."""
    found: dict[str, Both] = {}
    for group, items in read_yaml(catalog.shipped("reports") / "atlas" / "strings.yaml", "atlas/strings.yaml").items():
        for name, texts in items.items():
            if set(texts) != set(LANGUAGES) or not all(isinstance(t, str) and t for t in texts.values()):
                raise TracerError(f"{group}.{name} is not written in both languages", where="atlas/strings.yaml")
            found[f"{group}.{name}"] = texts
    return found


def said(key: str, **values: object) -> dict[str, str]:
    """The string `key` in both languages, with `{name}` replaced by `values`."""
    texts = strings()[key]
    return {lang: text.format(**values) if values else text for lang, text in texts.items()}


def told(group: str, text: str) -> Both:
    """A word that another part of Tracer says, in both languages where `group` has it; else as it is."""
    return strings().get(f"{group}.{text}") or dict.fromkeys(LANGUAGES, text)
