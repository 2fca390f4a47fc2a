"""Functions of a world read exactly, on demand: the statement, its span and its guards behind a match."""

from __future__ import annotations

import re

from tracer.errors import SourceParseError
from tracer.graph.places import Match
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import SourceTree, lines_of
from tracer.reading import read
from tracer.reading.statements import Reading


class Readings:
    """Functions read exactly, on demand, by their scope in the world."""

    def __init__(self, uses: Uses) -> None:
        self.world = uses.world
        self._sources: dict[int, bytes] = {}

    def source(self, file: int) -> bytes:
        """The bytes of file `file`."""
        if file not in self._sources:
            part = self.world.part_of(file)
            tree: SourceTree = part.facts.tree
            self._sources[file] = tree.read(self.world.path(file))
        return self._sources[file]

    @kept
    def lines(self, file: int) -> list[str]:
        """The file's lines, undecodable bytes replaced."""
        return lines_of(self.source(file))

    @kept
    def of(self, file: int, scope: int) -> Reading | None:
        """The reading of the outermost function around `scope`; None where there is none or it cannot be read."""
        outer = self.outer(file, scope)
        d = self.world.view(file).definition(outer)
        if d is None or d.kind != "function":
            return None
        try:
            return read(
                self.world.view(file).facts.language,
                self.source(file),
                d.first,
                d.last,
                self.world.symbol(Sym(file, outer)),
            )
        except SourceParseError:
            return None

    def outer(self, file: int, scope: int) -> int:
        """The outermost function around `scope` (closures belong to their host); else `scope` itself."""
        definitions = self.world.view(file).facts.definitions
        best = scope
        for s in self.world.chain(file, scope):
            if definitions[s].kind == "function":
                best = s
        return best

    def guards(self, m: Match) -> tuple[str, ...]:
        """The conditions under which the matched statement runs, outermost first."""
        reading = self.of(m.file, m.scope)
        return reading.guards(m.line) if reading else ()

    def dead(self, m: Match) -> bool:
        """Whether the matched statement never runs: it stands behind an unconditional way out."""
        reading = self.of(m.file, m.scope)
        return reading is not None and reading.dead(m.line)

    def span(self, m: Match) -> tuple[int, int]:
        """First and last line of the matched statement."""
        reading = self.of(m.file, m.scope)
        statement = reading.statement_at(m.line) if reading else None
        if statement is None:
            return m.line, max(m.line, min(m.last, m.line + 30))
        return statement.first, max(statement.first, min(statement.last, statement.first + 60))

    def guard_span(self, m: Match, pattern: str) -> tuple[int, int]:
        """The head of the innermost test around the statement (or last early exit before it) that `pattern` matches."""
        reading = self.of(m.file, m.scope)
        best: tuple[bool, int, int] | None = None
        for s in reading.statements() if reading else ():
            if (
                s.kind not in ("if", "while", "for", "switch", "match", "try", "with")
                or s.first > m.line
                or (pattern and not re.search(pattern, s.text))
            ):
                continue
            around = s.last >= m.line
            if (around or s.kind == "if") and (best is None or (around, s.first) >= (best[0], best[1])):
                best = (around, s.first, s.head)
        return (best[1], best[2]) if best else self.span(m)
