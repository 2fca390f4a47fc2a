"""Selectors → places: the lines of live code that do what a selector says, and why one can find nothing.

Takes the roles engine of a world (cues, rules, readings); makes `Place`s sorted by file and line, and `Search`es.
Tests, mocks and benchmarks are no evidence, so their places are left out. It judges nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracer.claims.model import Evidence, Pick, Search, Selector
from tracer.evidence import permalink
from tracer.globs import path_matches
from tracer.graph.definitions import Part, Sym
from tracer.graph.places import Match
from tracer.kept import kept
from tracer.model import Basis, digest_lines, lines_of
from tracer.roles import Roles, unknown_name
from tracer.rules import Cue, Rule, describe
from tracer.targets import context_of

_COMMENT = re.compile(r"\s*(//|/?\*|#(?!\s*(if|ifdef|ifndef|elif|else|endif|define|include|pragma)\b))")
ANYWHERE = Rule("", "publish", "engine", (), "", "")  # a cue of a claim has no rule's file patterns around it


@dataclass(frozen=True, slots=True)
class Place:
    """Lines that a selector found; `line` is the decisive one, `file` and `scope` are -1 outside of surveyed files."""

    path: str
    symbol: str
    line: int
    first: int
    last: int
    basis: Basis
    file: int = -1
    scope: int = -1
    match: Match | None = None


class Places:
    """Finds the places of selectors in one world."""

    def __init__(self, roles: Roles, rules: Sequence[Rule], version: str = "", extra: Sequence[Path] = ()) -> None:
        self.roles, self.world, self.rules = roles, roles.world, rules
        self.version, self.extra = version, tuple(extra)  # `extra`: folders of the user's own rules
        self._found: dict[Selector, tuple[Place, ...]] = {}

    def of(self, selector: Selector) -> tuple[Place, ...]:
        """Every place, once, by file and line."""
        found = self._found.get(selector)
        if found is None:
            every = {(p.path, p.line, p.first): p for pick in reversed(selector.picks) for p in self._pick(pick)}
            found = self._found[selector] = tuple(every[k] for k in sorted(every))
        return found

    def functions(self, places: Iterable[Place]) -> dict[tuple[int, int], list[Place]]:
        """The places by the outermost function that holds them; places outside of functions are left out."""
        out: dict[tuple[int, int], list[Place]] = {}
        for p in places:
            if p.file >= 0 and p.scope >= 0:
                out.setdefault((p.file, self.roles.cues.readings.outer(p.file, p.scope)), []).append(p)
        return out

    def evidence(self, part: str, places: Iterable[Place]) -> tuple[Evidence, ...]:
        """The places as evidence."""
        return tuple(self.lines(part, p.path, p.first, p.last, p.symbol, p.basis) for p in places)

    def lines(self, part: str, path: str, first: int, last: int, symbol: str, basis: Basis = "exact") -> Evidence:
        """Lines of a file as evidence."""
        source = self._sources[path]
        digest = digest_lines(self.text(path), first, last)
        link = permalink(source.target, source.facts.tree.revision, path, first, last)
        return Evidence(part, symbol, path, first, last, digest, basis, link)

    # -- picks -----------------------------------------------------------------------
    def _pick(self, pick: Pick) -> Iterator[Place]:
        if pick.text:
            yield from self._lines(pick)
        elif pick.cue is not None:
            yield from self._hits(pick.cue, ANYWHERE)
        else:
            for rule in self.rules_of(pick):
                for action, cues in rule.actions:
                    for cue in cues if not pick.action or action == pick.action else ():
                        if pick.layer in ("", cue.layer or rule.layer):
                            yield from (p for p in self._hits(cue, rule) if self._fits(pick, p.path))

    def rules_of(self, pick: Pick) -> list[Rule]:
        """The rules of this version that a pick names."""
        return [
            r
            for r in self.rules
            if (not pick.rule or r.id == pick.rule or r.id.endswith("." + pick.rule)) and pick.role in ("", r.role)
        ]

    def _hits(self, cue: Cue, rule: Rule) -> Iterator[Place]:
        for m, _ in self.roles.cues.hits(cue, rule):
            if self.world.context(m.file):
                continue
            first, last = self.roles.span(cue, m)
            symbol = self.world.symbol(Sym(m.file, m.scope))
            yield Place(self.world.path(m.file), symbol, m.line, first, last, m.basis, m.file, m.scope, m)

    def _lines(self, pick: Pick) -> Iterator[Place]:
        wanted = re.compile(pick.text)
        for path in self.area(pick.files, pick.not_files):
            for number, line in enumerate(self.text(path), 1):
                if wanted.search(line) and not _COMMENT.match(line):
                    yield self.place(path, number)

    def place(self, path: str, line: int, last: int = 0) -> Place:
        """One line (or several) of a file as a place in the definition that holds it."""
        file = self._numbers.get(path, -1)
        scope = self.world.view(file).scope_at(line) if file >= 0 else -1
        symbol = self.world.symbol(Sym(file, scope)) if file >= 0 else path
        match = Match(file, scope, line, last or line, "text", "exact") if file >= 0 else None
        return Place(path, symbol, line, line, last or line, "exact", file, scope, match)

    # -- files -----------------------------------------------------------------------
    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {self.world.path(n): n for n in range(self.world.size)}

    @functools.cached_property
    def _sources(self) -> dict[str, Part]:
        return {f.path: p for p in self.world.parts for f in p.facts.tree.files()}

    @functools.cached_property
    def _live(self) -> tuple[str, ...]:
        return tuple(
            f.path for p in self.world.parts for f in p.facts.tree.files() if not context_of(p.target, f.path)
        )

    def area(self, files: Sequence[str], not_files: Sequence[str] = ()) -> list[str]:
        """The live files that the globs name; without globs all of them."""
        return [
            path
            for path in self._live
            if (not files or path_matches(path, files)) and not path_matches(path, not_files)
        ]

    @kept
    def text(self, path: str) -> list[str]:
        """The lines of one file."""
        return lines_of(self._sources[path].facts.tree.read(path))

    @staticmethod
    def _fits(pick: Pick, path: str) -> bool:
        return (not pick.files or path_matches(path, pick.files)) and not path_matches(path, pick.not_files)

    # -- what was looked for -----------------------------------------------------------
    def searches(self, selector: Selector) -> tuple[Search, ...]:
        """What looking for the selector meant: one search per pick."""
        out = []
        for pick in selector.picks:
            cue = pick.cue
            files = cue.files if cue else pick.files
            area = self.area(files, cue.not_files if cue else pick.not_files)
            where = ", ".join(files) or "every live file"
            if cue is not None and cue.within:
                where += f", within {' | '.join(cue.within)}"
            unread = sum(path in self._unread for path in area)
            out.append(Search(words(pick), where, len(area), unread))
        return tuple(out)

    @functools.cached_property
    def _unread(self) -> frozenset[str]:
        """Files that are not known whole."""
        return frozenset(path for p in self.world.parts for path, _ in p.facts.problems)

    @functools.cached_property
    def closed(self) -> frozenset[str]:
        """Files of which nothing is known."""
        problems = (problem for p in self.world.parts for problem in p.facts.problems)
        return frozenset(path for path, why in problems if not why.startswith("parsed"))

    def lacking(self, selector: Selector) -> str:
        """Why none of the picks can find anything here (a name or a file that does not exist); "" if one can."""
        whys = [self._lacking(pick) for pick in selector.picks]
        return "" if not all(whys) else whys[0]

    def _lacking(self, pick: Pick) -> str:
        if pick.cue is None:
            if not pick.text and not self.rules_of(pick):
                return f"no rule {pick.rule or pick.role} for this version"
            return "" if self.area(pick.files) else f"no file {' | '.join(pick.files)} here"
        cue = pick.cue
        if cue.files and not self.area(cue.files):
            return f"no file {' | '.join(cue.files)} here"
        states = cue.state if cue.matcher == "op" else ()
        for names in (states, cue.on, cue.within, cue.lift_to, cue.patterns if cue.matcher == "override" else ()):
            whys = [self._unknown(n) for n in names]
            if names and all(whys):
                return whys[0]
        return ""

    def _unknown(self, pattern: str) -> str:
        """Why a name means nothing here; the variable of a module has that module as its owner."""
        owner = pattern.replace("::", ".").rpartition(".")[0]
        if owner and not self.world.classes(owner) and not self.world.classes(pattern):
            if any(m == owner or m.endswith("." + owner) for m in self.world.modules):
                return ""
            return unknown_name(self.world, pattern) or f"no {owner} here"
        return unknown_name(self.world, pattern)


def words(pick: Pick) -> str:
    """A pick in words."""
    if pick.cue is not None:
        return describe(pick.cue)
    if pick.text:
        return f"lines that match {pick.text}"
    return "sites of " + " ".join(p for p in (pick.rule or pick.role, pick.action, pick.layer) if p)
