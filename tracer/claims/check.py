"""Claims × world → verdicts: one table of predicates, what is composed of them, and when a claim does not apply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tracer.claims import closing, presence, reach, sequence, values
from tracer.claims.model import Checked, Claim, Evidence, Judged, Predicate, Search, Verdict
from tracer.claims.select import Places
from tracer.errors import TracerError
from tracer.graph.world import World
from tracer.roles import Roles
from tracer.rules import Rule

PREDICATES: dict[str, Callable[[Places, Predicate], Judged]] = {
    "exists": presence.exists,
    "absent": presence.absent,
    "only_in": presence.only_in,
    "writers_are": presence.only_in,
    "same_field": presence.same_field,
    "order": sequence.order,
    "dominates": sequence.dominates,
    "followed_by": sequence.followed_by,
    "never_follows": sequence.never_follows,
    "pairs_closed": closing.pairs_closed,
    "guarded_by": sequence.guarded_by,
    "reaches": reach.reaches,
    "not_reaches": reach.not_reaches,
    "value_is": values.value_is,
}


class Checker:
    """Checks claims on one version of an engine."""

    def __init__(self, world: World, version: str, rules: Sequence[Rule] = (), extra: Sequence[Path] = ()) -> None:
        self.version = version
        self.places = Places(Roles(world), rules, version, extra)

    def check(self, claims: Iterable[Claim]) -> Iterator[Checked]:
        """A verdict for each claim, in their order."""
        for claim in claims:
            judged = self._claim(claim)
            evidence = tuple(dict.fromkeys(judged.evidence))
            yield Checked(claim.id, claim.text, judged.verdict, evidence, judged.searches, judged.why)

    def _claim(self, claim: Claim) -> Judged:
        if not claim.applies_to(self.version):
            return Judged("not_applicable", why=f"said of versions {claim.versions}")
        try:
            if claim.when is not None and not self.places.of(claim.when):
                why = self.places.lacking(claim.when) or "what it presupposes is not found"
                return Judged("not_applicable", (), self.places.searches(claim.when), why)
            return self.judge(claim.predicate)
        except TracerError as error:
            return Judged("unknown", why=str(error))

    def judge(self, p: Predicate) -> Judged:
        """One predicate's verdict."""
        if p.kind in ("all", "any"):
            return composed(p.kind, [self.judge(inner) for inner in p.inner])
        return PREDICATES[p.kind](self.places, p)


def composed(kind: str, parts: Sequence[Judged]) -> Judged:
    """`all`: the worst verdict counts; `any`: the best. What does not apply counts for neither unless nothing does."""
    ranked: tuple[Verdict, ...] = ("fails", "unknown", "holds") if kind == "all" else ("holds", "unknown", "fails")
    verdicts = {part.verdict for part in parts}
    verdict: Verdict = next((v for v in ranked if v in verdicts), "not_applicable")
    shown = [part for part in parts if kind == "all" or part.verdict == verdict]
    evidence: list[Evidence] = [e for part in shown for e in part.evidence]
    searches: list[Search] = [s for part in shown for s in part.searches]
    why = "; ".join(dict.fromkeys(part.why for part in shown if part.verdict == verdict and part.why))
    return Judged(verdict, tuple(evidence), tuple(dict.fromkeys(searches)), why if verdict != "holds" else "")
