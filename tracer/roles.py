"""Graph × rules → sites: where is a role played?

For each rule and action: cues give matches (`cues.py`), readings give the exact statement and its guards, lifting adds
the operations that call a one-line mechanism. A rule that finds fewer than it expects is a gap with the nearest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rapidfuzz import process

from tracer.cues import CueMatcher
from tracer.graph.places import Match
from tracer.graph.uses import Uses
from tracer.graph.world import Sym, World
from tracer.model import Gap, Site, digest_lines
from tracer.rules import Cue, Rule, enough
from tracer.survey.store import last_part

MEMBERS = 40  # lines below its head within which a definition shows its members


@dataclass(frozen=True, slots=True)
class Found:
    """What one rule found: its sites, and how many per action (also of what a context label hides)."""

    rule: Rule
    sites: tuple[Site, ...]
    counts: tuple[tuple[str, int], ...]
    gap: Gap | None


class Roles:
    """Applies rules to one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.uses = world.once(Uses)
        self.cues = self.uses.once(CueMatcher)

    def apply(self, rules: Iterable[Rule]) -> list[Found]:
        """One `Found` per rule, in the rules' order."""
        return [self._apply(rule) for rule in rules]

    def _apply(self, rule: Rule) -> Found:
        sites: dict[tuple[str, str, int], Site] = {}
        counts: list[tuple[str, int]] = []
        for action, cues in rule.actions:
            before = len(sites)
            for cue in cues:
                for site in self._sites(rule, action, cue):
                    sites.setdefault((action, site.file, site.first), site)
            counts.append((action, sum(1 for s in list(sites.values())[before:] if not s.context)))
        ordered = tuple(sorted(sites.values(), key=lambda s: (s.file, s.first, s.action)))
        return Found(rule, ordered, tuple(counts), self._gap(rule, dict(counts)))

    def _sites(self, rule: Rule, action: str, cue: Cue) -> Iterator[Site]:
        for m, via in self.cues.hits(cue, rule):
            if cue.at == "def" or not self.cues.readings.dead(m):
                yield self.site(rule, action, cue, m, via)

    def site(self, rule: Rule, action: str, cue: Cue, m: Match, via: tuple[str, ...] = ()) -> Site:
        """The site that a match of a cue makes."""
        scope = m.scope
        d = self.world.view(m.file).definition(scope)
        readings = self.cues.readings
        first, last = self.span(cue, m)
        lines = readings.lines(m.file)
        return Site(
            rule=rule.id,
            role=rule.role,
            action=action,
            layer=cue.layer or rule.layer,
            symbol=self.world.symbol(Sym(m.file, scope)),
            file=self.world.path(m.file),
            def_line=d.line if d else 1,
            first=first,
            last=last,
            digest=digest_lines(lines, first, last),
            basis=m.basis,
            guards=readings.guards(m) if cue.at != "def" else (),
            stack=rule.stack,
            context=self.world.context(m.file),
            via=via,
            why=cue.why.en or rule.why.en or rule.guards_what.en,
        )

    def span(self, cue: Cue, m: Match) -> tuple[int, int]:
        """The lines that the site shows: the statement, its guard's head, or the line that names the definition."""
        if cue.at == "guard":
            return self.cues.readings.guard_span(m, cue.guard)
        if cue.at == "statement":
            return self.cues.readings.span(m)
        d = self.world.view(m.file).definition(m.scope)
        line = m.line if m.op == "define" or d is None else d.line
        return line, max(line, self._last_member(m)) if m.definition is not None and m.op == "define" else line

    def _last_member(self, m: Match) -> int:
        """The line of the last member that a class or enumeration declares before its first method; 0 if far off."""
        view = self.world.view(m.file)
        inner = [
            d.first for d in view.facts.definitions if d.parent == m.scope and d.kind not in ("declaration", "alias")
        ]
        end = min(inner, default=m.line + MEMBERS + 1)
        members = [
            f.line for f in view.facts.fields if f.owner == m.scope and f.where in ("class", "enum") and f.line < end
        ]
        last = max(members, default=0)
        return last if last <= m.line + MEMBERS else 0

    # -- gaps ------------------------------------------------------------------------
    def _gap(self, rule: Rule, counts: dict[str, int]) -> Gap | None:
        short = [
            f"{action} {counts.get(action, 0)} (expected {want})"
            for action, want in rule.expect
            if not enough(counts.get(action, 0), want)
        ]
        if not short:
            return None
        hint = self._nearest(rule)
        return Gap(rule.id, f"found {', '.join(short)}" + (f"; {hint}" if hint else ""))

    def _nearest(self, rule: Rule) -> str:
        """Why a rule may have missed: the first state or class it names that does not exist, with near names."""
        return next((why for p in _patterns(rule) if (why := unknown_name(self.world, p))), "")


def unknown_name(world: World, pattern: str) -> str:
    """Why `Class.member` can match nothing: which of the two does not exist, with near names; "" if both do."""
    owner, _, leaf = pattern.replace("::", ".").rpartition(".")
    if not owner or world.classes(pattern):
        return ""
    if not world.classes(owner):
        if not owner[:1].isupper() and "." in owner:
            return ""
        near = process.extract(last_part(owner), sorted(world.names("d")), limit=3, score_cutoff=60)
        return f"no class {last_part(owner)} here, nearest: {', '.join(n for n, *_ in near) or 'none'}"
    members: set[str] = set()
    for c in world.classes(owner):
        for k in world.mro(c):
            view = world.view(k.file)
            members |= {name for (index, name) in (*view.fields, *view.children) if index == k.index}
    if leaf in members:
        return ""
    near = process.extract(leaf, sorted(members), limit=3, score_cutoff=50)
    return f"{last_part(owner)} has no {leaf} here, nearest: {', '.join(n for n, *_ in near) or 'none'}"


def _patterns(rule: Rule) -> list[str]:
    out: list[str] = []
    for _, cues in rule.actions:
        for cue in cues:
            out += [*cue.state, *cue.on, *cue.within, *cue.lift_to]
            if cue.matcher in ("call", "construct", "define", "override"):
                out += cue.patterns
    return list(dict.fromkeys(out))
