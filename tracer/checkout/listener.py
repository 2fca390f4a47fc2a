"""Who hears how a fetch goes: a progress bar and notes; both may be absent.

Takes two callables of the caller; keeps the notes, so that a tree can carry them. Knows nothing of terminals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Progress = Callable[[str, int, int], None]  # what is being done, how much of it is done, how much there is (0: unknown)
Note = Callable[[str], None]  # one line about a decision, e.g. that the archive was taken instead of git


@dataclass(slots=True)
class Listener:
    """Passes on progress and notes."""

    progress: Progress | None = None
    on_note: Note | None = None
    notes: list[str] = field(default_factory=list)

    def step(self, what: str, done: int, total: int = 0) -> None:
        """`done` of `total` of `what`; a total of 0 means that it is not known."""
        if self.progress:
            self.progress(what, done, total)

    def note(self, text: str) -> None:
        """Say and keep one line."""
        self.notes.append(text)
        if self.on_note:
            self.on_note(text)
