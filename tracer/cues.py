"""Cues → matches: which facts does one cue of a rule mean, after all its filters?

Takes `Uses` (facts by type) and `Readings` (exact statements); gives `Match`es. It knows nothing of roles or sites.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tracer.globs import path_matches
from tracer.graph.crossings import Crossings
from tracer.graph.places import Match
from tracer.graph.uses import CONSTRUCTORS, Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.readings import Readings
from tracer.rules import Cue, Rule
from tracer.survey.store import last_part

if TYPE_CHECKING:
    from tracer.derived.selectors import Selectors

CLOCK = re.compile(
    r"\b(time\.(time|monotonic|perf_counter)(_ns)?\(|monotonic\(\)|perf_counter\(\)|(steady|system|high_resolution)_clock::now|Clock::now|"
    r"loop\.time\(\)|now(_\w+)?\b|current_time\b|deadline\b)"
)
_STARTS = frozenset(
    {
        "Thread",
        "Timer",
        "Process",
        "submit",
        "create_task",
        "ensure_future",
        "run_coroutine_threadsafe",
        "run_in_executor",
        "to_thread",
        "add_done_callback",
        "call_soon_threadsafe",
        "call_soon",
        "register",
        "thread",
        "jthread",
        "async",
        "post",
        "enqueue",
        "emplace_back",
    }
)


class Hit(NamedTuple):
    """A match, and for a lifted caller the chain of symbols down to the mechanism, nearest first."""

    match: Match
    via: tuple[str, ...]


class CueMatcher:
    """Evaluates cues in one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world = uses, uses.world
        self.readings = uses.once(Readings)
        self.crossings = uses.once(Crossings)
        self._cache: dict[tuple[Cue, tuple[str, ...], tuple[str, ...]], tuple[Hit, ...]] = {}

    def hits(self, cue: Cue, rule: Rule) -> tuple[Hit, ...]:
        """All hits of `cue` within the rule's files, by file and line; lifted callers have a `via`."""
        return self._hits(cue, rule.files, rule.not_files)

    def _hits(self, cue: Cue, files: tuple[str, ...], not_files: tuple[str, ...]) -> tuple[Hit, ...]:
        key = (cue, files, not_files)
        found = self._cache.get(key)
        if found is None:
            self._cache[key] = ()  # a cue that asks for itself ends here
            found = self._cache[key] = tuple(self._picked(cue.pick, self._found(cue, files, not_files)))
        return found

    def _found(self, cue: Cue, files: tuple[str, ...], not_files: tuple[str, ...]) -> list[Hit]:
        """The mechanism's matches, and with `lift` their callers.

        With `keep: false` the filters on place, company and guards are about what is reported, the calling statement.
        """
        raw: dict[tuple[int, int, int, str], Match] = {}
        for m in self._raw(cue, files):
            key = (m.file, m.scope, m.line, m.op)
            if key not in raw or (_tells(m) > _tells(raw[key])):
                raw[key] = m
        here = [m for m in raw.values() if self._in_files(cue, m, files, not_files) and self._text_fits(cue, m)]
        if not cue.lift or cue.keep:
            here = [m for m in here if self._around_fits(cue, m, files, not_files)]
        here.sort(key=lambda m: (self.world.path(m.file), m.line, m.op))
        if not cue.lift:
            return [Hit(m, ()) for m in here]
        above = [
            h
            for h in Lift(self.uses, self).callers(here, cue)
            if cue.keep or self._around_fits(cue, h.match, files, not_files)
        ]
        above.sort(key=lambda h: (self.world.path(h.match.file), h.match.line, len(h.via)))
        return [Hit(m, ()) for m in here] * cue.keep + above

    def _picked(self, pick: str, hits: list[Hit]) -> Iterator[Hit]:
        if pick == "all":
            yield from hits
            return
        groups: dict[tuple[int, int], list[Hit]] = {}
        for h in hits:
            groups.setdefault((h.match.file, h.match.scope), []).append(h)
        for group in groups.values():
            yield group[0] if pick == "first" else group[-1]

    @functools.cached_property
    def derived(self) -> Selectors:
        """States and statements derived from how code uses them; made when a cue first asks for one."""
        from tracer.derived.selectors import Selectors

        return Selectors(self.uses, self.crossings, self.readings, CLOCK)

    # -- matchers ------------------------------------------------------------------
    def _raw(self, cue: Cue, files: tuple[str, ...]) -> Iterable[Match]:
        if cue.matcher == "shape":
            return (m for name in cue.patterns for m in self.derived.shape(name))
        if cue.matcher == "op":
            ops = set(cue.patterns) | ({"init"} if cue.init and {"write", "clear"} & set(cue.patterns) else set())
            return (
                m
                for s in cue.state
                for m in (self.derived.matches(s[1:-1]) if s[0] == "{" else self.uses.state(s))
                if m.op in ops or ("augment" in ops and m.op.startswith("augment"))
            )
        if cue.matcher == "call":
            if cue.on:
                return (m for c in cue.patterns for s in cue.on for m in self.uses.called_on(c, s))
            return (m for c in cue.patterns for m in self.uses.called(c))
        if cue.matcher == "construct":
            return (m for c in cue.patterns for m in self.uses.constructed(c))
        if cue.matcher == "define":
            return (m for c in cue.patterns for m in self.uses.defined(c))
        if cue.matcher == "override":
            return (m for c in cue.patterns for m in self.uses.overrides(c))
        if cue.matcher == "decorator":
            return (m for c in cue.patterns for m in self.uses.defined("@" + c))
        return self._marks(cue, files)

    def _marks(self, cue: Cue, files: tuple[str, ...]) -> Iterator[Match]:
        """Marked statements: only in named files or within named classes, since every file has returns."""
        kinds = set(cue.patterns)
        for number in self._mark_files(cue, files):
            view = self.world.view(number)
            for mark in view.facts.marks:
                if mark.kind in kinds and (not cue.value or re.search(cue.value, mark.text)):
                    yield Match(number, mark.scope, mark.line, mark.last, mark.kind, "exact")

    def _mark_files(self, cue: Cue, files: tuple[str, ...]) -> list[int]:
        if cue.within:
            return sorted({s.file for w in cue.within for s in self._within_symbols(w)})
        wanted = cue.files or files
        return [n for n in range(self.world.size) if wanted and path_matches(self.world.path(n), wanted)]

    @kept
    def _within_symbols(self, pattern: str) -> tuple[Sym, ...]:
        classes = self.world.classes(pattern)
        if classes:
            family = {s for c in classes for s in (c, *self.world.subclasses(c))}
            out = set(family)
            for c in family:  # C++ bodies may stand in other files than their class
                if not self.world.view(c.file).python:
                    d = self.world.definition(c)
                    out |= (
                        {
                            Sym(n, -1)
                            for m in self.world.method_names(c)
                            for s in self.world.defined(m)
                            if self.world.owner(s) == c
                            for n in [s.file]
                        }
                        if d
                        else set()
                    )
            return tuple(sorted(out))
        owner, _, method = pattern.replace("::", ".").rpartition(".")
        return tuple(
            sorted(
                {
                    m
                    for base in self.world.classes(owner)
                    for c in (base, *self.world.subclasses(base))
                    for m in self.world.methods(c, method)
                }
            )
        )

    # -- filters -------------------------------------------------------------------
    def _in_files(self, cue: Cue, m: Match, files: tuple[str, ...], not_files: tuple[str, ...]) -> bool:
        path = self.world.path(m.file)
        wanted = cue.files or files
        return (not wanted or path_matches(path, wanted)) and not path_matches(path, (*not_files, *cue.not_files))

    def _around_fits(self, cue: Cue, m: Match, files: tuple[str, ...], not_files: tuple[str, ...]) -> bool:
        return (
            self._place_fits(cue, m)
            and self._company_fits(cue, m, files, not_files)
            and self.guards_fit(m, cue.guard, cue.not_guard)
        )

    def _text_fits(self, cue: Cue, m: Match) -> bool:
        if m.access is not None:
            if cue.value and not re.search(cue.value, f"{m.access.text} {m.access.value}"):
                return False
            if cue.test and not m.access.test:
                return False
            if cue.against == "clock" and not (m.access.test and CLOCK.search(m.access.text)):
                return False
        if m.call is not None:
            texts = [f"{a.keyword}={a.text or a.path}" if a.keyword else (a.text or a.path) for a in m.call.args]
            if cue.args and not any(re.search(cue.args, t) for t in texts):
                return False
            if cue.value and not any(re.search(cue.value, t) for t in texts):
                return False
        return True

    def _place_fits(self, cue: Cue, m: Match) -> bool:
        if cue.init is not None and cue.init != self._in_construction(m):
            return False
        if cue.within and not any(self.inside(m, w) for w in cue.within):
            return False
        if cue.not_within and any(self.inside(m, w) for w in cue.not_within):
            return False
        return cue.thread is None or cue.thread == self._starts(m)

    def _in_construction(self, m: Match) -> bool:
        d = self.world.view(m.file).definition(self.world.function_of(m.file, m.scope))
        if m.op == "init" or d is None:
            return m.op == "init"
        bits = d.name.split("::")
        return last_part(d.name) in CONSTRUCTORS or (len(bits) > 1 and bits[-1] == bits[-2])

    def inside(self, m: Match, pattern: str) -> bool:
        """Whether the match stands in a method of the class (or a subclass), or in the method or an override of it."""
        wanted = self._within_symbols(pattern)
        for s in self.world.chain(m.file, m.scope):
            sym = Sym(m.file, s)
            if sym in wanted:
                return True
            owner = self.world.owner(sym)
            if owner is not None and owner in wanted:
                return True
        return False

    @kept
    def _started(self, name: str) -> tuple[tuple[int, int, str], ...]:
        """(file, scope, path) of arguments named `name` that are handed to something that starts or keeps them."""
        out = []
        for number in self.world.files_with("u", name):
            for call in self.world.view(number).facts.calls:
                if last_part(call.callee.split("<", 1)[0]) not in _STARTS:
                    continue
                out += [
                    (number, call.scope, a.path)
                    for a in call.args
                    if a.path and last_part(a.path.removesuffix("()")) == name
                ]
        return tuple(out)

    def _starts(self, m: Match) -> bool:
        scope = self.world.function_of(m.file, m.scope)
        d = self.world.view(m.file).definition(scope)
        if d is None:
            return False
        me = Sym(m.file, scope)
        for file, where, path in self._started(last_part(d.name)):
            if any(t.ref == me for t in self.uses.types.of(file, where, path.removesuffix("()"))):
                return True
        return False

    def _company_fits(self, cue: Cue, m: Match, files: tuple[str, ...], not_files: tuple[str, ...]) -> bool:
        def near(other: Cue) -> list[Match]:
            return self._by_function(other, files, not_files).get((m.file, self.readings.outer(m.file, m.scope)), [])

        def some(cues: tuple[Cue, ...], test: Callable[[Match], bool]) -> bool:
            return any(test(o) for c in cues for o in near(c))

        return (
            all(near(c) for c in cue.with_)
            and not any(near(c) for c in cue.without)
            and (not cue.after or some(cue.after, lambda o: o.line < m.line))
            and (not cue.before or some(cue.before, lambda o: o.line > m.line))
        )

    def _by_function(
        self, cue: Cue, files: tuple[str, ...], not_files: tuple[str, ...]
    ) -> dict[tuple[int, int], list[Match]]:
        out: dict[tuple[int, int], list[Match]] = {}
        for m, _ in self._hits(cue, files, not_files):
            out.setdefault((m.file, self.readings.outer(m.file, m.scope)), []).append(m)
        return out

    def guards_fit(self, m: Match, wanted: str, unwanted: str) -> bool:
        """Whether some guard of the statement matches `wanted` and none `unwanted` (regexes; "" asks nothing)."""
        if not wanted and not unwanted:
            return True
        guards = self.readings.guards(m)
        if wanted and not any(re.search(wanted, g) for g in guards):
            return False
        return not (unwanted and any(re.search(unwanted, g) for g in guards))


def _tells(m: Match) -> int:
    """Of several facts on one line, a test tells most, a plain access more than a call."""
    return 0 if m.access is None else 2 if m.access.test else 1


CALLERS_PER_LEVEL = 60  # a mechanism called from more places is not lifted further: it is a library by then


class Lift:
    """From a mechanism up to the operations that call it."""

    def __init__(self, uses: Uses, cues: CueMatcher, common: int = 0) -> None:
        self.uses, self.world, self.cues = uses, uses.world, cues
        self.common = common  # a name called in more files than this is not lifted (0: any is)

    def callers(self, matches: Sequence[Match], cue: Cue) -> Iterator[Hit]:
        """The calling statements, nearest callers first. A chain ends at the first caller that `lift_to` names."""
        todo: dict[Sym, tuple[str, ...]] = {}
        for m in matches:
            function = Sym(m.file, self.world.function_of(m.file, m.scope))
            if function.index >= 0:
                todo.setdefault(function, ())
        seen = set(todo)
        for _ in range(cue.lift):
            above: dict[Sym, tuple[str, ...]] = {}
            for sym, via in todo.items():
                if self.common and len(self.world.files_with("c", self.world.name(sym))) > self.common:
                    continue
                sites = [
                    c
                    for c in (*self.uses.calls.callers(sym), *self.cues.crossings.sent_to(sym))
                    if not self.world.context(c.file)
                ]
                if len(sites) > CALLERS_PER_LEVEL:
                    continue
                chain = (self.world.symbol(sym), *via)
                for c in sites:
                    caller = Sym(c.file, self.world.function_of(c.file, c.call.scope))
                    if caller.index < 0 or caller == sym:
                        continue
                    m = Match(c.file, c.call.scope, c.call.line, c.call.last, "call", c.basis, call=c.call)
                    inside, climbed = self._bounds(cue, m)
                    wanted = inside and self._wanted(cue, m)
                    if wanted:
                        yield Hit(m, chain)
                    if climbed and caller not in seen and not (wanted and cue.lift_to):
                        seen.add(caller)
                        above[caller] = chain
            todo = above

    def _bounds(self, cue: Cue, m: Match) -> tuple[bool, bool]:
        """Whether the caller's file is one to report from, and one to climb through."""
        if not cue.lift_in:
            return True, True
        path = self.world.path(m.file)
        inside = path_matches(path, cue.lift_in)
        return inside, inside or path_matches(path, cue.lift_via)

    def _wanted(self, cue: Cue, m: Match) -> bool:
        if cue.lift_to and not any(self.cues.inside(m, w) for w in cue.lift_to):
            return False
        if (
            cue.lift_on
            and m.call is not None
            and not any(self.uses.received_by(m.file, m.call, s) for s in cue.lift_on)
        ):
            return False
        return self.cues.guards_fit(m, cue.lift_guard, cue.lift_not_guard)
