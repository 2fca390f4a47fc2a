"""Roles proposed for code without rules of its own: the shapes that carry a role in every engine.

Each proposal names its cue. A cue is a shape of state, never a name: a map that one method fills and another asks; a
counter that goes up and down and is tested; a deadline compared with the clock; an enum field that is set to members;
a container filled here and drained there. Proposals are candidates to look at, not answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tracer.cues import CLOCK
from tracer.graph.aliases import Aliases
from tracer.graph.annotations import DICTS
from tracer.graph.containers import last_name
from tracer.graph.places import Match
from tracer.graph.uses import Uses, reads
from tracer.graph.world import Sym, World
from tracer.model import Site, digest_lines
from tracer.readings import Readings
from tracer.survey.facts import Access

_Proposal = tuple[str, str, str, Sequence[Match]]


@dataclass(slots=True)
class _State:
    """All that is done to one field, by op."""

    ops: dict[str, list[Match]] = field(default_factory=dict)

    def of(self, *ops: str) -> list[Match]:
        return [m for op in ops for m in self.ops.get(op, ())]

    def functions(self, *ops: str) -> set[tuple[int, int]]:
        return {(m.file, m.scope) for m in self.of(*ops)}


class Discover:
    """Proposes roles in one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.uses = Uses(world)
        self.readings = Readings(self.uses)

    def sites(self) -> list[Site]:
        """All proposals, sorted by file, line and role; one per role, action and statement."""
        found: dict[tuple[str, str, str, int], Site] = {}
        for (cls, name), state in sorted(self._states().items()):
            for role, action, cue, matches in self._roles(cls, name, state):
                for m in matches:
                    s = self._site(role, action, cue, f"{self.world.symbol(cls)}.{name}", m)
                    found.setdefault((s.file, s.role, s.action, s.first), s)
        return [found[k] for k in sorted(found)]

    def _states(self) -> dict[tuple[Sym, str], _State]:
        """Every field of live code with what is done to it."""
        aliases = Aliases(self.uses.types)
        out: dict[tuple[Sym, str], _State] = {}
        for number in range(self.world.size):
            if self.world.context(number):
                continue
            facts = self.world.view(number).facts
            asked = (
                Access(c.scope, c.callee.rpartition(".")[0], "read", c.line, c.last) for c in facts.calls if reads(c)
            )
            for a in (*facts.accesses, *asked):
                key = next(iter(aliases.keys(number, a.scope, a.target)), None)
                if key is None:
                    continue
                born = a.op in ("write", "clear") and self.uses.in_construction(number, a.scope, a.target)
                m = Match(number, a.scope, a.line, a.last, "init" if born else a.op, "typed", access=a)
                out.setdefault(key, _State()).ops.setdefault(m.op, []).append(m)
        return out

    def _roles(self, cls: Sym, name: str, state: _State) -> Iterator[_Proposal]:
        """(role, action, cue, matches) for each shape that the field has."""
        tested = [m for m in state.of("read") if m.access is not None and m.access.test]
        up, down = state.of("augment+"), state.of("augment-")
        if up and down and tested:
            yield "protection", "acquire", "a counter that goes up and down and is tested", up
            yield "protection", "release", "a counter that goes up and down and is tested", down
        clocked = [m for m in tested if m.access is not None and CLOCK.search(m.access.text)]
        if clocked and state.of("write", "insert", "init"):
            yield "protection", "expire", "a deadline compared with the clock", clocked
        if self._is_enum(cls, name):
            yield "request_state", "transition", "an enum field set to a member", state.of("write")
        filled, drained = state.functions("insert"), state.functions("remove", "clear")
        if filled and drained:
            if self._is_map(cls, name) and state.functions("read") - filled - drained:
                yield "publish", "commit", "a map that one method fills and another asks", state.of("insert")
                yield (
                    "publish",
                    "unpublish",
                    "a map that one method fills and another asks",
                    state.of("remove", "clear"),
                )
            if self._is_map(cls, name):
                asked = [m for m in state.of("read") if (m.file, m.scope) not in filled | drained]
                yield "lookup", "query", "a map that another method fills, asked here", asked
            if drained - filled:
                yield "completion", "signal", "filled by one function, drained by another", state.of("insert")
                yield "completion", "observe", "filled by one function, drained by another", state.of("remove", "clear")

    def _is_enum(self, cls: Sym, name: str) -> bool:
        types = self.uses.types.attribute_of(cls, name)
        return any(t.kind == "obj" and isinstance(t.ref, Sym) and self.world.kind(t.ref) == "enum" for t in types)

    def _is_map(self, cls: Sym, name: str) -> bool:
        types = self.uses.types.attribute_of(cls, name)
        return any(t.kind == "ext" and last_name(t) in DICTS for t in types)

    def _site(self, role: str, action: str, cue: str, state: str, m: Match) -> Site:
        first, last = self.readings.span(m)
        lines = self.readings.lines(m.file)
        d = self.world.view(m.file).definition(m.scope)
        return Site(
            rule="any." + role,
            role=role,
            action=action,
            layer="engine",
            symbol=self.world.symbol(Sym(m.file, m.scope)),
            file=self.world.path(m.file),
            def_line=d.line if d else 1,
            first=first,
            last=last,
            digest=digest_lines(lines, first, last),
            basis=m.basis,
            guards=self.readings.guards(m),
            why=f"{cue}: {state}",
        )
