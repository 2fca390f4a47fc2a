"""Statements that deal with an end: what failed, what is late, what a finished task calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tracer.derived.statements import Shape, Statements, words_of
from tracer.graph.places import Match
from tracer.graph.threads import STARTERS
from tracer.graph.world import Sym
from tracer.survey.facts import Mark
from tracer.survey.store import last_part

_LEVELS = frozenset({"warning", "error", "exception", "critical", "warn"})
_SEVERE = frozenset({"ERROR", "WARNING", "FATAL"})
_CLOCK_CALL = re.compile(
    r"\b(time\.(time|monotonic|perf_counter)(_ns)?|monotonic(_ns)?|perf_counter|\w*[cC]lock(::|\.)now|now|"
    r"\w*[cC]urrent_?[tT]ime\w*|clock_gettime|\w*[nN]ow_?[mM]?[sS]?)\(\)$"
)
_FAILED = frozenset({
    "fail", "failed", "failure", "failures", "error", "errors", "timeout", "invalid", "aborted", "abort",
})
NEAR = 8  # lines between a log call and the change that it tells of
_RAISES = ("raise", "throw")


class Endings(Statements):
    """Finds failures, time-outs and callbacks of what is done."""

    @cached_property
    def failure_branch(self) -> Shape:
        """Handlers of an exception that change a shared state or report an end."""
        out: Shape = {}
        for number in self.live():
            for mark in self.world.view(number).facts.marks:
                if mark.kind in ("except", "catch") and mark.last > mark.line:
                    why = next(self._touched(number, mark), "")
                    if why:
                        m = Match(number, mark.scope, mark.line, mark.line, mark.kind, "exact")
                        out[m] = f"the handler {why}"
        return out

    def _touched(self, number: int, mark: Mark) -> Iterator[str]:
        function = Sym(number, self.world.function_of(number, mark.scope))
        for key, m in self.table.by_function.get(function, ()):
            if mark.line < m.line <= mark.last and m.op not in ("read", "init") and key in self.shared:
                yield f"changes {self.table.name(key)}"
        for m, why in self._signals_of.get(function, ()):
            if mark.line < m.line <= mark.last:
                yield f"reports an end ({why})"

    @cached_property
    def _signals_of(self) -> dict[Sym, list[tuple[Match, str]]]:
        out: dict[Sym, list[tuple[Match, str]]] = {}
        for m, why in self.handovers.signals.items():
            out.setdefault(self.table.function(m), []).append((m, why))
        return out

    @cached_property
    def logged_failure(self) -> Shape:
        """Where a warning or an error is logged next to a change of shared state."""
        out: Shape = {}
        for number in self.live():
            for c in self.world.view(number).facts.calls:
                level = c.callee if c.callee.startswith("LOG") else c.callee.rpartition(".")[2]
                if not (level in _LEVELS or (level.startswith("LOG") and c.args and c.args[0].text in _SEVERE)):
                    continue
                function = Sym(number, self.world.function_of(number, c.scope))
                for key, m in self.table.by_function.get(function, ()):
                    if abs(m.line - c.line) <= NEAR and m.op not in ("read", "init") and key in self.shared:
                        out[self.call_at(number, c)] = f"an error is logged where {self.table.name(key)} changes"
                        break
        return out

    @cached_property
    def failed_member(self) -> Shape:
        """Writes of an enumeration's member that tells of a failure, or inserts into what its name says has failed."""
        out: Shape = {}
        for key, state in self.table.states.items():
            for m in state.of("write", "insert"):
                member = m.access.value.replace("::", ".").rpartition(".")[2] if m.access is not None else ""
                if set(words_of(member)) & _FAILED or (m.op == "insert" and set(words_of(key[1])) & _FAILED):
                    out[m] = f"{self.table.name(key)} is told of a failure"
        return out

    @cached_property
    def overdue(self) -> Shape:
        """Tests against the clock in functions that then change a shared state, raise, or report."""
        out: Shape = {}
        for key, state in self.table.states.items():
            for m in self.guards.overdue(state):
                function = self.table.function(m)
                if self._acts(function, m.line):
                    out[m] = f"{self.table.name(key)} is compared with the clock, and what is late is dealt with"
        return out

    def _acts(self, function: Sym, line: int) -> bool:
        return any(
            m.line >= line and m.op not in ("read", "init") and key in self.shared
            for key, m in self.table.by_function.get(function, ())
        ) or any(
            k.kind in _RAISES and k.line >= line
            for k in self.world.view(function.file).marks.get(function.index, ())
        )

    @cached_property
    def done_callback(self) -> Shape:
        """Functions that a future or a task calls when it is done."""
        out: Shape = {}
        for number in self.live():
            for c in self.world.view(number).facts.calls:
                if not c.callee.endswith("add_done_callback"):
                    continue
                for _, to in self.handovers.handed(number, c):
                    d = self.world.definition(to) if isinstance(to, Sym) else None
                    if isinstance(to, Sym) and d is not None:
                        m = Match(to.file, to.index, d.line, d.line, "define", "exact", definition=d)
                        out.setdefault(m, "a future calls it when it is done")
        return out

    @cached_property
    def awaited_task(self) -> Shape:
        """Results asked of a task or a future that the same function started."""
        out: Shape = {}
        for number in self.live():
            view = self.world.view(number)
            for c in view.facts.calls:
                root, _, method = c.callee.rpartition(".")
                if method in ("result", "get", "wait", "done") and root.isidentifier():
                    started = (last_part(b.value.removesuffix("()")) for b in view.binds.get((c.scope, root), ()))
                    if any(name in STARTERS for name in started):
                        out[self.call_at(number, c)] = f"waits for {root}, which it started"
        return out

    @cached_property
    def timed_removal(self) -> Shape:
        """Removals from a shared container in a function that reads the clock: what is due leaves."""
        out: Shape = {}
        for key, state in self.table.states.items():
            if key in self.shared or len(self.table.functions(state.of("insert"))) > 0:
                for m in state.of("remove"):
                    if self._reads_clock(self.table.function(m)):
                        out[m] = f"what is due leaves {self.table.name(key)}"
        return out

    def _reads_clock(self, function: Sym) -> bool:
        return any(
            _CLOCK_CALL.search(c.callee + "()")
            for c in self.world.view(function.file).calls.get(function.index, ())
        )
