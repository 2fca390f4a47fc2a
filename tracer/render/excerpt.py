"""An excerpt as numbered lines with a gutter: `>` marks the decisive ones. Text for a page or a terminal."""

from __future__ import annotations

from tracer.evidence import Excerpt
from tracer.render.markdown import fence
from tracer.visible import visible

MAX_LINES = 60  # of one excerpt; a longer statement is shown by its beginning and its end
MAX_COLUMNS = 160  # generated tables can have lines of many thousand characters


def gutter(excerpt: Excerpt) -> str:
    """The lines with their numbers; decisive lines begin with `>`."""
    width = len(str(excerpt.start + len(excerpt.lines) - 1))
    rows = []
    for number, text in enumerate(excerpt.lines, excerpt.start):
        mark = ">" if excerpt.first <= number <= excerpt.last else " "
        rows.append(f"{mark} {number:{width}} | {printable(text)}".rstrip())
    if len(rows) > MAX_LINES:
        half = MAX_LINES // 2
        rows = [*rows[:half], f"  {'':{width}} … {len(rows) - 2 * half} lines left out", *rows[-half:]]
    return "\n".join(rows)


def fenced(excerpt: Excerpt) -> str:
    """The lines as a Markdown block. It has no language: the gutter is no part of one."""
    return fence(gutter(excerpt), "text")


def printable(text: str) -> str:
    """One line as it can be shown: tabs as four spaces, what is hidden or deceives written out, very long lines cut."""
    shown = visible(text.replace("\t", "    "))
    return shown if len(shown) <= MAX_COLUMNS else shown[:MAX_COLUMNS] + " …"
