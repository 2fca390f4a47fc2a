"""What a question gives back: records, and the same as a document, as Markdown, or in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tracer.model import EngineRevision, Gap

if TYPE_CHECKING:
    from tracer.claims.model import Checked
    from tracer.questions import Sentence
    from tracer.rules import Text

T = TypeVar("T")


class Result(Sequence[T]):
    """An answer: a sequence of records, and the same as a document, as Markdown, or in a notebook.

    `engines` are the revisions that were asked, `gaps` what could not be answered and why.
    """

    def __init__(
        self,
        items: Iterable[T],
        engines: Iterable[EngineRevision],
        gaps: Iterable[Gap],
        document: Callable[[], dict[str, Any]],
        markdown: Callable[[], Iterable[str]],
    ) -> None:
        self.items, self.engines, self.gaps = tuple(items), tuple(engines), tuple(gaps)
        self._document, self._markdown = document, markdown

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def document(self) -> dict[str, Any]:
        """The machine-readable contract: what `--format json` prints, before it is text; `tracer.verify` reads it."""
        from tracer.cited import sealed

        return sealed(self._document())

    def to_json(self) -> str:
        """The document as text; the same bytes as `--format json`."""
        from tracer.render.json import dumps

        return dumps(self.document())

    def to_markdown(self) -> str:
        """The answer as Markdown; the same as `--format md` where the command has it."""
        return "\n".join(self._markdown()) + "\n"

    def __repr__(self) -> str:
        told = ", ".join(f"{e.name} {e.version}" for e in self.engines)
        return f"<{len(self)} results{f' for {told}' if told else ''}; {len(self.gaps)} gaps>"

    def _repr_html_(self) -> str:
        """What a notebook shows; whatever comes from an engine is escaped."""
        from tracer.render.notebook import html

        return html(self.document())


@dataclass(frozen=True, slots=True)
class Answered:
    """One question, answered for one engine: `text` are the sentences whose claims hold, `claims` what they rest on."""

    question: str
    title: Text
    engine: EngineRevision
    text: Text
    says: tuple[Sentence, ...]
    unless: tuple[Sentence, ...]
    has_not: tuple[Sentence, ...]
    claims: tuple[Checked, ...]


@dataclass(frozen=True, slots=True)
class Handling:
    """One fault on one engine: `kind` handled · not_handled · not_applicable ("" where nothing is written)."""

    fault: str
    title: Text
    engine: EngineRevision
    kind: str
    parts: tuple[tuple[str, Sentence], ...]
    claims: tuple[Checked, ...]


__all__ = ["Answered", "Handling", "Result"]
