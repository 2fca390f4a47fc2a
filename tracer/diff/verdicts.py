"""What else may differ: verdicts of claims, exits of pairs, values that claims name. Kept in the cache side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tracer import questions
from tracer.claims import values
from tracer.claims.model import Checked, Evidence, Predicate
from tracer.diff import settings
from tracer.diff.model import Change, End, Severity
from tracer.diff.places import Side, tail
from tracer.errors import UsageError
from tracer.pairs.balance import Holder

if TYPE_CHECKING:
    from tracer.diff.subject import Subject

Found = tuple[list[Change], int]


def claims(
    a: Subject,
    b: Subject,
    sides: Sequence[Side],
    role: str,
    rules: tuple[Path, ...],
) -> Found:
    """Claims whose verdict is another one; how many have the same. With a role: those that rest on its functions."""
    asked = [_checked(s, role, rules) for s in (a, b)]
    homes = {s.symbol for side in sides for s in side.sites} if role != "all" else None
    changes, same = [], 0
    for name in sorted(asked[0].checked.keys() | asked[1].checked.keys()):
        before, after = (v.checked.get(name) for v in asked)
        if before is None or after is None or not (homes is None or _rests_on(before, after, homes)):
            continue
        if before.verdict == after.verdict:
            same += 1
            continue
        severity: Severity = "breaking" if (before.verdict, after.verdict) == ("holds", "fails") else "behaviour"
        ends = (_claim_end(before), _claim_end(after))
        detail = f"{before.verdict} → {after.verdict}: {after.text.en}"
        changes.append(Change("claim", name, "claim", severity, *ends, detail))
    return changes, same


def _checked(s: Subject, _: str, rules: tuple[Path, ...]) -> questions.Verdicts:
    """Every claim, whatever the role: they rest on each other's places."""
    return questions.check_tree(
        s.target, s.version, s.tree, lambda said: (c.id for c in said.claims), rules, s.progress, lambda: s.world
    )


def _rests_on(before: Checked, after: Checked, homes: set[str]) -> bool:
    return any(e.symbol in homes for c in (before, after) for e in c.evidence)


def _claim_end(c: Checked) -> End:
    text = (c.verdict, *([c.why] if c.why else []))
    if not c.evidence:
        return End(text=text)
    e = c.evidence[0]
    return End(e.symbol, e.file, 0, e.first, e.last, e.digest, e.permalink, text=text)


# -- pairs -----------------------------------------------------------------------------------
def pairs(
    a: Subject,
    b: Subject,
    _: Sequence[Side],
    role: str,
    rules: tuple[Path, ...],
) -> Found:
    """Functions that now miss a release on some way out, or no longer do; how many are as before."""
    before, after = ({_holder_key(h): h for h in holders(s, role, rules)} for s in (a, b))
    changes, same = [], 0
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        was, now = (h.missing if h else None for h in (old, new))
        if was == now or (was or 0) == (now or 0):
            same += 1
            continue
        severity: Severity = "breaking" if (now or 0) > (was or 0) else "behaviour"
        ends = (_holder_end(old), _holder_end(new))
        changes.append(Change("pair", key[0], "claim", severity, *ends, _exits(was, now), (new or old).rule))  # type: ignore[union-attr]
    return [_without_role(c) for c in changes], same


def _without_role(c: Change) -> Change:
    return Change(c.what, c.id, c.kind, c.severity, c.before, c.after, c.detail)


def _exits(was: int | None, now: int | None) -> str:
    return f"exits that miss a release: {'no such function' if was is None else was} → " + (
        "no such function" if now is None else str(now)
    )


def _holder_key(h: Holder) -> tuple[str, tuple[str, ...], str]:
    return (h.rule, tail(h.symbol, 2), h.does)


def _holder_end(h: Holder | None) -> End | None:
    if h is None:
        return None
    lines = tuple(f"{e.kind} at {e.line} since {e.since}" for e in h.exits if e.verdict == "missing")
    return End(h.symbol, h.file, h.def_line, h.def_line, h.def_line, rule=h.rule, text=lines)


def holders(s: Subject, role: str, rules: tuple[Path, ...]) -> list[Holder]:
    """Who holds what the pairs of a role (a rule, "all") acquire; nobody where there are no such pairs."""
    from tracer import stages
    from tracer.pairs.rules import pair_rules

    try:
        asked = pair_rules(role, s.target.name, s.version.name, rules)
    except UsageError:  # this role, or this engine, has no pairs
        return []
    return stages.judged(s.revision, s.version.name, asked, lambda: s.world, rules=rules)[0]


# -- defaults ----------------------------------------------------------------------------------
def defaults(
    a: Subject,
    b: Subject,
    sides: Sequence[Side],
    role: str,
    rules: tuple[Path, ...],
) -> Found:
    """Settings and values that claims name, written differently; a role does not narrow them."""
    if role != "all":
        return [], 0
    changes, same = settings.changed(sides[0].settings, sides[1].settings)
    known = {tail(c.id, 1)[0] for c in changes}
    before, after = (_values(s, role, rules) for s in (a, b))
    for name in sorted(before.keys() & after.keys()):
        old, new = before[name], after[name]
        was, now = ({settings.plain(v) for v, _ in side} for side in (old, new))
        if was <= now or now <= was:  # one more or less that says the same, in a comment or another file
            same += 1
            continue
        if tail(name, 1)[0] in known:
            continue
        texts = [" or ".join(dict.fromkeys(v for v, _ in side)) for side in (old, new)]
        ends = (_value_end(old), _value_end(new))
        changes.append(Change("default", name, "claim", "behaviour", *ends, f"{texts[0]} → {texts[1]}"))
    return changes, same


def _value_end(found: list[tuple[str, Evidence]]) -> End:
    e = found[0][1]
    return End(e.symbol, e.file, 0, e.first, e.last, e.digest, e.permalink, text=tuple(v for v, _ in found))


def _values(s: Subject, role: str, rules: tuple[Path, ...]) -> dict[str, list[tuple[str, Evidence]]]:
    """What each name that a `value_is` claim asks about is set to; only names that have a value, and with no role."""
    if role != "all":
        return {}

    def make() -> dict[str, list[tuple[str, Evidence]]]:
        from tracer.claims.select import Places
        from tracer.roles import Roles

        places = Places(Roles(s.world), (), s.version.name, rules)
        found: dict[str, list[tuple[str, Evidence]]] = {}
        for p in _asked_values(questions.content(s.target.name, rules)):
            written = [(f.value, places.evidence("value", [f.place])) for f in values.written(places, p)]
            if written:
                found.setdefault(values.name_of(p), []).extend((v, e[0]) for v, e in written if e)
        return {k: v for k, v in found.items() if v}

    return s.kept("values", "", rules, dict[str, list[tuple[str, Evidence]]], make)


def _asked_values(said: questions.Content) -> Iterator[Predicate]:
    todo = [c.predicate for c in said.claims]
    seen: set[str] = set()
    while todo:
        p = todo.pop(0)
        todo += p.inner
        shown = f"{sorted(p.options.items(), key=str)}"
        if p.kind == "value_is" and "members" not in p.options and shown not in seen:
            seen.add(shown)
            yield p


PARTS: dict[str, Callable[..., Found]] = {"claims": claims, "pairs": pairs, "defaults": defaults}

OF_ONE: dict[str, Callable[[Subject, str, tuple[Path, ...]], object]] = {
    "claims": _checked, "pairs": holders, "defaults": _values,
}  # fmt: skip
"""What each part finds in one side, and keeps."""
