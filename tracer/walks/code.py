"""The code of a step: where its function lies, which lines count, what to show of it, and its ways out.

Takes a source tree, a step, the next step and the sites in its function. Text is read from the checkout at hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from tracer.errors import TracerError
from tracer.files import ReadFile
from tracer.model import Site, SourceTree, Step
from tracer.pairs.balance import Holder
from tracer.pairs.holding import fails, unreachable
from tracer.reading import flow, read
from tracer.reading.statements import Reading, Statement, shorten
from tracer.survey import language_of
from tracer.walks.model import Code, Piece, Sort, WayOut

HEAD = 6  # lines of a signature that are shown at most
AROUND = 3  # lines around a marked one
GAP = 4  # so many unmarked lines between two pieces are shown too
MOST = 90  # lines of one step
LONG = 14  # lines of one statement
MOST_OUT = 12
_ERROR = re.compile(r"\berror\(\)|\b[Ee]rror[A-Z:]|[A-Z]\w*Error\b")
_BARE = re.compile(r"return\s*(?:None|False|false|nullptr|std::nullopt)?\s*;?")
_BRANCHES = ("if", "try", "while", "for", "switch", "match")
_WORDS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    ("timeout", re.compile(r"time[_ ]?d?[_ ]?out|expire[sd]?\b|_expir|deadline|\bttl\b|lease_|wait_for\(", re.I)),
    ("abort", re.compile(r"abort|cancel|preempt|shut_?down|stopp(?:ed|ing)\b|is_closed|unregister", re.I)),
    ("failure", re.compile(
        r"\bfail|_fail|\berr(?:or)?s?\b|error|except|invalid|unhealthy|not (?:\w+\.)*(?:ok|success)\b|\bcorrupt|missing"
        r"|has_value\(\)|== ?nullptr|!\w+\b.*\bvalue|unexpected|exception|is None\b|is_connected", re.I)),
)


class Trees:
    """Files of the engines of a walk, each read once."""

    def __init__(self, trees: Mapping[str, SourceTree]) -> None:
        self.trees = trees
        self._files: dict[tuple[str, str], tuple[bytes, ReadFile] | None] = {}

    def file(self, engine: str, path: str) -> tuple[bytes, ReadFile] | None:
        """Bytes and lines of a file; None where it cannot be read."""
        key = (engine, path)
        if key not in self._files:
            tree = self.trees.get(engine)
            try:
                data = tree.read(path) if tree else None
            except TracerError:
                data = None
            self._files[key] = (data, ReadFile(path, data)) if data is not None else None
        return self._files[key]

    def span(self, step: Step) -> tuple[int, int]:
        """First and last line of a step's function; (0, 0) where it cannot be found."""
        found = self.file(step.engine, step.file)
        if found is None:
            return 0, 0
        homes = found[1].definitions_of(step.symbol)
        near = sorted(homes, key=lambda h: (abs(h[0] - step.def_line), h))
        return (near[0][1], near[0][2]) if near else (0, 0)

    def reading(self, step: Step) -> Reading | None:
        """The exact reading of a step's function."""
        found, (first, last) = self.file(step.engine, step.file), self.span(step)
        if found is None or not first:
            return None
        try:
            return read(language_of(step.file), found[0], first, last, step.symbol)
        except TracerError:
            return None


def code_of(
    trees: Trees, step: Step, after: Step | None, sites: Sequence[Site], holders: Iterable[Holder] = ()
) -> Code:
    """What to show of a step: its signature, its sites, the line that leads on, and its ways out."""
    found, (first, last) = trees.file(step.engine, step.file), trees.span(step)
    if found is None or not first:
        return Code(step.def_line, step.def_line)
    lines = found[1].lines
    reading = trees.reading(step)
    on = after.from_line if after and after.from_file == step.file and first <= after.from_line <= last else 0
    out = tuple(ways_out(reading, holders, {on}))[:MOST_OUT] if reading is not None else ()
    marks: dict[int, str] = {w.line: "out" for w in out}
    for site in sites:
        marks |= dict.fromkeys(range(site.first, min(site.last, site.first + LONG, last) + 1), "site")
    if on:
        marks[on] = "on" if marks.get(on) != "site" else "site on"
    marks[step.def_line] = "def"
    head = _head_end(reading, step, last)
    pieces = _pieces(lines, (first, last), range(step.def_line, head + 1), marks)
    guards = reading.guards(on) if reading is not None and on else ()
    return Code(first, last, pieces, tuple(sorted(marks.items())), out, tuple(shorten(g) for g in guards))


def _head_end(reading: Reading | None, step: Step, last: int) -> int:
    if reading is not None and reading.head is not None:
        return min(max(reading.head.head, step.def_line), step.def_line + HEAD)
    return min(step.def_line + 1, last)


def _pieces(
    lines: Sequence[str], span: tuple[int, int], head: Collection[int], marks: Mapping[int, str]
) -> tuple[Piece, ...]:
    """The lines around what is marked, within the function; fewer around them where there are too many."""
    first, last = span
    shown: set[int] = set()
    for around in range(AROUND, -1, -1):
        kept = {k: v for k, v in marks.items() if around or v != "out"}
        shown = set(head) | {n for m in kept for n in range(m - around, m + around + 1) if first <= n <= last}
        for n, following in zip(sorted(shown), sorted(shown)[1:], strict=False):
            if 1 < following - n <= GAP:
                shown |= set(range(n, following))
        if len(shown) <= MOST:
            break
    pieces: list[list[int]] = []
    for n in sorted(shown)[:MOST]:
        if pieces and n == pieces[-1][-1] + 1:
            pieces[-1].append(n)
        elif 1 <= n <= len(lines):
            pieces.append([n])
    return tuple(Piece(p[0], tuple(lines[p[0] - 1 : p[-1]])) for p in pieces)


# -- ways out -----------------------------------------------------------------------------
def ways_out(reading: Reading, holders: Iterable[Holder] = (), leave: Collection[int] = ()) -> list[WayOut]:
    """The exits and handlers that an abort, a time-out or a failure takes, by line, with what pairs say of them.

    `leave`: lines that are on the happy path.
    """
    judged = {e.line: (h.rule, e) for h in holders for e in sorted(h.exits, key=lambda e: e.verdict == "missing")}
    out: dict[int, WayOut] = {}
    for leaving in flow.exits(reading):
        if leaving.implicit or leaving.line in leave or unreachable(leaving):
            continue
        guards = reading.guards(leaving.line)
        around = _around(reading, leaving.line)
        when = around or (guards[-1] if guards else "")
        # The branch that holds an exit says why it is taken; what earlier exits left over says nothing of this one.
        sort = _sort(around, leaving.text) if leaving.kind != "fall" else None
        if sort is None and leaving.kind in ("raise", "throw"):
            sort = "failure"
        if sort is None and around and (fails(leaving) or _ERROR.search(leaving.text)):
            sort = "early" if _BARE.fullmatch(leaving.text) else "failure"
        rule, exit_ = judged.get(leaving.line, ("", None))
        if sort is None and (exit_ is None or exit_.verdict != "missing"):
            continue
        out[leaving.line] = WayOut(
            leaving.line, leaving.kind, sort or "failure", shorten(when), exit_.verdict if exit_ else "", rule,
            exit_.by if exit_ else None,
        )
    for line, when in _handlers(reading):
        out.setdefault(line, WayOut(line, "except", _sort(when, "") or "failure", shorten(when)))
    return [out[line] for line in sorted(out)]


def _around(reading: Reading, line: int) -> str:
    """The test of the innermost branch that holds `line`; "" outside of all."""
    found = ""
    for statement in reading.statements():
        if statement.first <= line <= statement.last and statement.kind in _BRANCHES:
            for block in statement.blocks:
                if block.label in ("body", "except", "case") and _holds(block.statements, line) and block.test:
                    found = ("except " if block.label == "except" else "") + block.test.removeprefix("except ")
    return found


def _holds(statements: Sequence[Statement], line: int) -> bool:
    return bool(statements) and statements[0].first <= line <= statements[-1].last


def _handlers(reading: Reading) -> Iterable[tuple[int, str]]:
    """The handlers that do not leave the function: first line and what they catch."""
    for statement in reading.statements():
        for block in statement.blocks if statement.kind == "try" else ():
            if block.label == "except" and block.statements and not block.leaves:
                yield block.statements[0].first, "except " + block.test.removeprefix("except ")


def _sort(when: str, text: str) -> Sort | None:
    for sort, words in _WORDS:
        if words.search(when):
            return sort
    return next((sort for sort, words in _WORDS[:2] if text and words.search(text)), None)
