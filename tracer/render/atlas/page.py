"""What a page of the atlas is, and what a kind of pages offers. Standard library only.

A page is a path, a template and plain data (dictionaries, lists, text, numbers): the data is what decides whether the
page has to be made again, so nothing that is not in it may show. Text in two languages is a `Both`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tracer.render.atlas.gather import Atlas

Both = Mapping[str, str]  # {"en": …, "zh": …}


def same(text: str) -> dict[str, str]:
    """A name that both languages write alike."""
    return {"en": text, "zh": text}


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the site: `path` below its root, `template` below reports/atlas/templates, `context` for it.

    `data` are blocks of JSON for the page's scripts, by element id; `scripts` are files of reports/atlas/assets that
    this page needs beside the common ones; `trail` are the pages above it, as (title, path).
    """

    path: str
    template: str
    title: Both
    context: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)
    scripts: Sequence[str] = ()
    styles: Sequence[str] = ()
    trail: Sequence[tuple[Both, str]] = ()
    wide: bool = False  # uses the whole width of a large screen


@dataclass(frozen=True, slots=True)
class Nav:
    """An entry of the bar on every page: a key of the strings, where it leads."""

    key: str
    path: str


@dataclass(frozen=True, slots=True)
class Entry:
    """Something the search finds: `kind` symbol · file · role · question · fault · rule · path …, where it leads."""

    kind: str
    text: Both
    path: str
    more: str = ""  # shown beside it: engine and version, file and line
    weight: int = 0  # of two that match alike, the heavier comes first


class Kind(Protocol):
    """A module of `atlas/pages/`: the pages of one kind. `nav` and `entries` may give nothing."""

    def pages(self, atlas: Atlas) -> Iterable[Page]:
        """The pages, in a fixed order."""
        ...

    def nav(self, atlas: Atlas) -> Iterable[Nav]:
        """Entries of the bar."""
        ...

    def entries(self, atlas: Atlas) -> Iterable[Entry]:
        """What the search finds of this kind."""
        ...
