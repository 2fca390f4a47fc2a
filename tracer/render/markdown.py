"""Engine text inside Markdown: nothing that an engine's source says may break a table, a code span or a fence."""

from __future__ import annotations

import re

from tracer.visible import visible

_SIGN = re.compile(r"[\\`*_\[\]<>&|#~$]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def code(text: str) -> str:
    """An inline code span that survives backticks in `text`; line breaks become spaces."""
    text = visible(" ".join(text.split("\n")).strip())
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def cell(text: str) -> str:
    """Text for a table cell: bars escaped, on one line."""
    return text.replace("\n", " ").replace("|", "\\|")


def prose(text: str) -> str:
    """Engine text in running text or a table cell: no markup of Markdown or HTML works in it."""
    return _SIGN.sub(lambda sign: _ENTITIES.get(sign[0], "\\" + sign[0]), visible(" ".join(text.split("\n"))))


def link(text: str, address: str) -> str:
    """A link on a code span, or the span alone where there is no address."""
    return f"[{code(text)}]({address})" if address else code(text)


def fence(text: str, language: str) -> str:
    """A fenced block, its fence longer than any run of backticks inside."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
