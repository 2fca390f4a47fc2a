"""Source lines as pages show them: blocks of neighbouring lines, coloured, with nothing hidden in them.

Takes a file's lines and the lines that decide; makes plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from tracer.visible import visible

if TYPE_CHECKING:
    from pygments.lexer import Lexer

CONTEXT = 3  # lines around a decisive one
MOST_LINES = 80  # of one block; a longer statement is shown by its beginning and its end
MOST_COLUMNS = 300  # generated tables can have lines of many thousand characters
LEAD_IN = 400  # lines before a block that are read for its colours
_CLASSES = (  # pygments token → class of reports/atlas/assets/atlas.css; the first that fits
    ("Comment.Preproc", "tp"),
    ("Comment", "tc"),
    ("Literal.String.Doc", "tc"),
    ("Literal.String", "ts"),
    ("Literal.Number", "tn"),
    ("Keyword", "tk"),
    ("Operator.Word", "tk"),
    ("Name.Decorator", "tp"),
    ("Name.Function", "tf"),
    ("Name.Class", "tf"),
)


def blocks(lines: Sequence[str], spans: Iterable[tuple[int, int]], head: int = 0) -> list[dict[str, Any]]:
    """The blocks of neighbouring lines around `spans` (1-based, closed), each {"start", "lines"}.

    `head` is one more line to show, the one that names the function. A gap of one line is shown rather than left out.
    """
    wanted: set[int] = set()
    for first, last in spans:
        shown = range(max(1, first - CONTEXT), min(len(lines), last + CONTEXT) + 1)
        if last - first >= MOST_LINES:
            half = MOST_LINES // 2
            shown_set = {*range(shown[0], first + half), *range(last - half, shown[-1] + 1)}
            wanted |= shown_set
        else:
            wanted.update(shown)
    if 1 <= head <= len(lines):
        wanted.add(head)
    out: list[dict[str, Any]] = []
    for number in sorted(wanted):
        last_shown = out[-1]["start"] + len(out[-1]["lines"]) - 1 if out else -9
        if number - last_shown > 2 or not out:
            out.append({"start": number, "lines": []})
        elif number - last_shown == 2:
            out[-1]["lines"].append(shown_line(lines[number - 2]))
        out[-1]["lines"].append(shown_line(lines[number - 1]))
    return out


def mark(
    found: Iterable[dict[str, Any]], marks: Mapping[int, Sequence[str]], lines: Sequence[str] = (), head: int = 0
) -> None:
    """Say of each line of the blocks which roles it plays, and what stands before a block in its function (`head`)."""
    for block in found:
        start = block["start"]
        block["marks"] = [list(marks.get(n, ())) for n in range(start, start + len(block["lines"]))]
        before = lines[max(0, min(head, start) - 1) : start - 1] if head else ()
        block["lead_in"] = [shown_line(line) for line in before][-LEAD_IN:]


def shown_line(text: str) -> str:
    """One line as it is shown: tabs as four spaces, what is hidden or deceives written out, very long lines cut."""
    text = visible(text.replace("\t", "    "))
    return text if len(text) <= MOST_COLUMNS else text[:MOST_COLUMNS] + " …"


def coloured(file: str, block: Mapping[str, Any], lead_in: Sequence[str] = ()) -> list[Markup]:
    """The lines of a block as HTML, one element of the list a line; `lead_in` are the lines before it, for context."""
    before = list(lead_in)
    text = "\n".join([*before, *block["lines"]])
    lexer = _lexer(file)
    if lexer is None:
        return [escape(line) for line in block["lines"]]
    lines: list[list[Markup]] = [[]]
    for kind, piece in lexer.get_tokens(text):
        css = _class(str(kind))
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(Markup('<span class="{}">{}</span>').format(css, part) if css else escape(part))
    shown = [Markup().join(parts) for parts in lines[len(before) : len(before) + len(block["lines"])]]
    return shown if len(shown) == len(block["lines"]) else [escape(line) for line in block["lines"]]


@lru_cache(maxsize=256)
def _class(kind: str) -> str:
    name = kind.removeprefix("Token.")
    return next((css for prefix, css in _CLASSES if name == prefix or name.startswith(prefix + ".")), "")


@lru_cache
def _lexer_of(suffix: str) -> Lexer | None:
    from pygments.lexers import CppLexer, PythonLexer, RustLexer

    families = ((PythonLexer, "py pyi"), (CppLexer, "cpp cc cxx c h hpp hh cuh cu"), (RustLexer, "rs"))
    kind = next((k for k, suffixes in families if suffix in suffixes.split()), None)
    found: Lexer | None = kind(stripnl=False, ensurenl=False) if kind else None
    return found


def _lexer(file: str) -> Lexer | None:
    return _lexer_of(file.rpartition(".")[2].lower())
