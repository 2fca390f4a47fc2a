"""Role pages: each role over all engines, and in each engine every site of it, by layer, action and rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tracer.model import ACTIONS, ROLES, Trace
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas, Subject
from tracer.render.atlas.page import Entry, Nav, Page, same
from tracer.render.atlas.strings import said
from tracer.render.grouping import Answer, answers_of, layers_and_actions


def pages(atlas: Atlas) -> Iterator[Page]:
    """One page a role, one page a role and engine."""
    found = {s.slug: {a.role: a for a in answers_of(_live(s))} for s in atlas.subjects}
    for role in ROLES:
        engines = [_engine(atlas, s, found[s.slug].get(role)) for s in atlas.subjects]
        context = {"role": role, "about": said(f"roles.{role}_about"), "engines_of": engines}
        yield Page(places.role(role), "role.html.j2", said(f"roles.{role}"), context, wide=True)
        for subject in atlas.subjects:
            answer = found[subject.slug].get(role)
            more = {
                "role": role,
                "about": said(f"roles.{role}_about"),
                "engine": _engine(atlas, subject, answer),
                "groups": [_group(atlas, subject, g) for g in answer.groups] if answer else [],
                "gaps": gaps_of(subject, role),
                "others": [(s.name, places.engine_role(s, role)) for s in atlas.subjects if s is not subject],
            }
            title = {k: f"{v} · {subject.name}" for k, v in said(f"roles.{role}").items()}
            trail = [(said(f"roles.{role}"), places.role(role))]
            yield Page(places.engine_role(subject, role), "engine_role.html.j2", title, more, trail=trail)


def nav(_: Atlas) -> Iterable[Nav]:
    """Roles are reached from the matrix."""
    return ()


def entries(atlas: Atlas) -> Iterator[Entry]:
    """The roles, and each role in each engine."""
    for role in ROLES:
        yield Entry("role", said(f"roles.{role}"), places.role(role), weight=3)
        for s in atlas.subjects:
            yield Entry("role", said(f"roles.{role}"), places.engine_role(s, role), s.name, 2)


def gaps_of(subject: Subject, role: str) -> list[dict[str, str]]:
    """The gaps of the rules of a role."""
    mine = {k for k, r in subject.rules.items() if r.role == role}
    return [{"what": g.what, "why": g.why} for g in subject.trace.gaps if g.what in mine]


def actions(answer: Answer | None, role: str) -> list[tuple[str, int]]:
    """How many sites each action has, in the order of the closed list."""
    held = [s.action for g in answer.groups for s in g.sites] if answer else []
    return [(a, held.count(a)) for a in ACTIONS[role] if a in held]


def _live(subject: Subject) -> Trace:
    return Trace((subject.engine,), subject.sites)


def _engine(atlas: Atlas, subject: Subject, answer: Answer | None) -> dict[str, Any]:
    role = answer.role if answer else ""
    layers, names, cells = layers_and_actions(answer) if answer else ([], [], {})
    sites = [s for g in answer.groups for s in g.sites] if answer else []
    return {
        "name": subject.name,
        "slug": subject.slug,
        "path": places.engine_role(subject, role) if answer else "",
        "count": len(sites),
        "layers": layers,
        "actions": names,
        "table": [[_cell(subject, cells.get((layer, a), ())) for a in names] for layer in layers],
        "confirmed": sum(1 for s in sites if atlas.seen(subject, s) == "confirmed"),
    }


def _cell(subject: Subject, sites: Iterable[Any]) -> dict[str, Any]:
    found = list(sites)
    symbols = dict.fromkeys((s.symbol, s.file) for s in found)
    firsts = {(s.symbol, s.file): s for s in reversed(found)}
    return {
        "count": len(found),
        "symbols": [(symbol, file, places.site(subject, firsts[symbol, file])) for symbol, file in symbols],
    }


def _group(atlas: Atlas, subject: Subject, group: Any) -> dict[str, Any]:
    rule = subject.rules.get(group.rule)
    return {
        "layer": group.layer,
        "action": group.action,
        "rule": group.rule,
        "why": why(rule, group.why),
        "sites": [
            {
                "symbol": s.symbol,
                "file": s.file,
                "first": s.first,
                "last": s.last,
                "path": places.site(subject, s),
                "guards": list(s.guards),
                "basis": s.basis,
                "seen": atlas.seen(subject, s),
                "stale": atlas.verdicts[subject.slug, s].status != "ok",
            }
            for s in group.sites
        ],
    }


def why(rule: Any, english: str) -> dict[str, str]:
    """The reason of a site in both languages, as its rule writes it."""
    if rule is not None:
        texts = [rule.why, rule.guards_what, *(cue.why for _, cues in rule.actions for cue in cues)]
        for text in texts:
            if text.en == english and text.zh:
                return {"en": text.en, "zh": text.zh}
    return same(english)
