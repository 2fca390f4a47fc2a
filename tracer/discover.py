"""Roles proposed for code without rules of its own: the generic rules of `rules/any/`, ranked and bounded.

A generic rule asks for a shape of state, never for a name; each proposal names its reason. Proposals are candidates to
look at, not answers: one per function and role, and on average no more than `LIMIT` functions a role.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tracer.cues import Hit, Lift
from tracer.derived.table import Key
from tracer.graph.places import Match
from tracer.graph.uses import CONSTRUCTORS
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.model import ROLES, Site
from tracer.roles import Roles
from tracer.rules import Cue, Rule, rules_for

ANY = "any"  # the folder of the generic rules
LIMIT = 100  # functions proposed per role, on average
MECHANISMS = 60  # functions per action whose callers are looked at, best first
COMMON = 40  # a name called in more files than this says little about who calls it
BUSY = 0.3  # what each further derived state of the function adds
TOPIC = 0.08  # what a word of the field adds
FADE = 0.8  # a caller is worth so much of what it calls
PLAIN = 8.0  # what a statement says whose role hangs on no shared state
STATELESS = ("key", "load")
ACROSS = 1.15  # a caller of another class is an operation of its own
BESIDE = 3  # further states of a function that are named in its reason
AGAIN = 0.93  # each further function of one state is worth so much of the one before


@dataclass(slots=True)
class Candidate:
    """One function proposed for one role: its best statement per action, and what speaks for it."""

    function: Sym
    role: str
    score: float = 0.0
    best: dict[str, tuple[float, Rule, Cue, Hit]] = field(default_factory=dict)
    cues: set[tuple[str, str]] = field(default_factory=set)


class Discover:
    """Proposes roles in one world."""

    def __init__(self, world: World, rules: Sequence[Path] = ()) -> None:
        self.world = world
        self.roles = Roles(world)
        self.cues = self.roles.cues
        self.rules = rules_for(ANY, "0", tuple(rules))

    def sites(self, roles: Sequence[str] = ROLES, limit: int = LIMIT) -> list[Site]:
        """The proposals for `roles`, best first within each role; on average at most `limit` functions a role."""
        return [self._site(c) for role in roles for c in self.ranked(role)[: bound(role, limit)]]

    def ranked(self, role: str) -> list[Candidate]:
        """All candidates for one role, best first."""
        out: dict[Sym, Candidate] = {}
        for rule in self.rules:
            if rule.role == role:
                for action, cues in rule.actions:
                    for cue in cues:
                        for score, hit in self._scored(rule, cue):
                            self._add(out, role, rule, action, cue, hit, score)
        for c in out.values():
            scores = sorted((s for s, *_ in c.best.values()), reverse=True)
            c.score = (scores[0] + 0.3 * sum(scores[1:]) + 0.5 * len(c.cues)) * self.topical(c.function)
        return sorted(out.values(), key=lambda c: (-c.score, self.world.path(c.function.file), c.function.index))

    def _add(
        self, out: dict[Sym, Candidate], role: str, rule: Rule, action: str, cue: Cue, hit: Hit, score: float
    ) -> None:
        function = Sym(hit.match.file, hit.match.scope)
        c = out.setdefault(function, Candidate(function, role))
        c.cues.add((rule.id, action))
        if action not in c.best or score > c.best[action][0]:
            c.best[action] = (score, rule, cue, hit)

    def _scored(self, rule: Rule, cue: Cue) -> Iterator[tuple[float, Hit]]:
        """The hits of a cue, and of the callers of its best functions, with what speaks for each.

        Of the functions that use one state the first counts whole and each further one less: a list of many states
        tells more than many uses of one.
        """
        direct = [h for h in self.cues.hits(replace(cue, lift=0), rule) if not self.world.context(h.match.file)]
        scored = [(self.worth(h.match, rule.role not in STATELESS), h) for h in direct]
        scored.sort(key=lambda s: (-s[0], self.world.path(s[1].match.file), s[1].match.line))
        best: dict[Sym, tuple[float, Match]] = {}
        turns: dict[object, int] = {}
        for score, h in scored:
            function = self._function(h.match)
            if function.index < 0 or (self._builds(function) and cue.init is None) or function in best:
                continue
            group = self._group(h.match, function)
            turn = turns[group] = turns.get(group, 0) + 1
            best[function] = (score * AGAIN ** (turn - 1), h.match)
            yield best[function][0], h
        if not cue.lift:
            return
        calls: dict[object, int] = {}
        for function, (score, own) in sorted(best.items(), key=lambda b: (-b[1][0], b[0]))[:MECHANISMS]:
            for h in Lift(self.roles.uses, self.cues, COMMON).callers([own], cue):
                caller = self._function(h.match)
                if self._builds(caller):
                    continue
                group = self._group(own, function)
                turn = calls[group] = calls.get(group, 0) + 1
                near = self.world.owner(caller) == self.world.owner(function)
                yield score * FADE ** len(h.via) * (1 if near else ACROSS) * AGAIN ** (turn - 1), h

    def _group(self, m: Match, function: Sym) -> object:
        """What a statement shares with others of its kind: its state, else its class, else its file."""
        return self.cues.derived.state_of(m) or self.world.owner(function) or function.file

    def _builds(self, function: Sym) -> bool:
        """Whether the function makes or unmakes its object: setting up is no operation."""
        name, owner = self.world.name(function), self.world.owner(function)
        return name in CONSTRUCTORS or (owner is not None and name == self.world.name(owner))

    def _function(self, m: Match) -> Sym:
        return Sym(m.file, self.world.function_of(m.file, m.scope))

    # -- what speaks for a candidate ---------------------------------------------------------
    def worth(self, m: Match, stateful: bool = True) -> float:
        """How much a statement says: by its state's parts and use, and by how busy its function is with such states."""
        key = self.cues.derived.state_of(m)
        own = self.weight(key) if key else self.around(m) if stateful else PLAIN
        return own + BUSY * self.busy(self._function(m))

    def around(self, m: Match) -> float:
        """What a statement of a shape says: as much as the heaviest derived state that its function uses."""
        derived = self.cues.derived
        found = {k for k, _ in derived.table.by_function.get(self._function(m), ()) if k in derived.roles_of}
        return max((self.weight(k) for k in found), default=3.0)

    @kept
    def weight(self, key: Key) -> float:
        """How surely a state matters: the parts it plays, and in how many functions it is used."""
        derived = self.cues.derived
        return min(derived.roles_of.get(key, 0), 4) + 2 * math.log2(1 + derived.table.users[key])

    def busy(self, function: Sym) -> float:
        """How many derived states a function uses, up to a bound."""
        return float(min(self._busy.get(function, 0), 6))

    @cached_property
    def _busy(self) -> dict[Sym, int]:
        derived = self.cues.derived
        return {
            f: len({key for key, _ in found if key in derived.roles_of})
            for f, found in derived.table.by_function.items()
        }

    def topical(self, function: Sym) -> float:
        """More than 1 for functions named in the words of the field: a hint, never a reason."""
        said = _words(f"{self.world.path(function.file)} {self.world.symbol(function)}")
        return 1.0 + TOPIC * min(sum(WORDS.get(w, 0) for w in said), 10)

    def _site(self, c: Candidate) -> Site:
        """The proposal for a function: the action that most speaks for, the others named in its reason."""
        action = max(sorted(c.best), key=lambda a: c.best[a][0])
        _, rule, cue, hit = c.best[action]
        site = self.roles.site(rule, action, cue, hit.match, hit.via)
        said = f"calls {hit.via[0]}: {site.why}" if hit.via else f"{site.why} {self.cues.derived.why(hit.match)}"
        reason = said.strip()
        others = ", ".join(a for a in sorted(c.best) if a != action)
        beside = ", ".join(self._beside(c.function, hit.match))
        more = "; ".join(filter(None, (others and f"also {others}", beside and f"changes {beside} too")))
        return replace(site, why=f"{reason} ({more})" if more else reason)

    def _beside(self, function: Sym, told: Match) -> list[str]:
        """Other states that the function changes and that play parts: one of them may be the one that matters."""
        derived, said = self.cues.derived, self.cues.derived.state_of(told)
        found = {k for k, m in derived.table.by_function.get(function, ()) if k in derived.roles_of and m.op != "read"}
        ranked = sorted(found - {said}, key=lambda k: (-self.weight(k), derived.table.name(k)))
        return [derived.table.name(k) for k in ranked[:BESIDE]]


def bound(role: str, limit: int) -> int:
    """How many functions are proposed for a role: more than `limit` for the four that questions ask for."""
    return max(1, round(limit * (1.5 if role in ROLES[:4] else 0.6)))


def _words(text: str) -> set[str]:
    return {w.lower() for w in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", text)}


WORDS = {
    "kv": 3, "cache": 2, "cached": 2, "block": 2, "blocks": 2, "page": 2, "pages": 2, "prefix": 2, "evict": 2,
    "eviction": 2, "transfer": 2, "offload": 2, "token": 1, "tokens": 1, "slot": 1, "chunk": 1, "lock": 1, "pin": 1,
    "lease": 1, "request": 1, "req": 1, "scheduler": 1, "load": 1, "store": 1, "hash": 1, "key": 1, "prefetch": 1,
    "lookup": 1, "memory": 1, "pool": 1, "replica": 1, "buffer": 1, "host": 1,
}  # fmt: skip
