"""A path and what is known of its engines → a tour: per step the notes, and where none is, what sites and exits say.

Nothing is said that is not in a note (whose claims hold in this version), a site, a reading or a verdict; a part that
no step's note speaks of is carried over from the last one that does, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as Folder

from tracer.evidence import permalink
from tracer.model import EngineRevision, Path, Site, SourceTree, Step
from tracer.pairs.balance import Holder
from tracer.questions import Content, Verdicts, bank, behind
from tracer.rules import Text
from tracer.targets import Target
from tracer.walks import words
from tracer.walks.code import Trees, code_of
from tracer.walks.load import notes as all_notes
from tracer.walks.load import story
from tracer.walks.match import Place, notes_for, part, places, route_of, timing
from tracer.walks.model import PARTS, Code, Fault, Held, Note, Proof, Said, Stop, Tour

MOST_PROOFS = 6
CARRIED = ("owner", "protects")  # what stays true until a later step says otherwise


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of one engine. `verdicts`: its claims, where they were checked."""

    engine: EngineRevision
    target: Target
    tree: SourceTree
    sites: Sequence[Site] = ()
    holders: Sequence[Holder] = ()
    verdicts: Verdicts | None = None


def tour(path: Path, sources: Mapping[str, Source], rules: Sequence[Folder] = ()) -> Tour:
    """The tour along `path`; `sources` by the name of the engine, `rules` are folders of the user's own."""
    route = route_of(path, rules)
    trees = Trees({name: s.tree for name, s in sources.items()})
    own = [_sites_of(step, sources, trees) for step in path.steps]
    spots = places(path, own, route)
    versions = {name: s.engine.version for name, s in sources.items()}
    good = [n for n in all_notes(rules) if _holds(n, sources)]
    beats = story()
    seconds, begins = timing(beats, spots)
    stops: list[Stop] = []
    for k, spot in enumerate(spots):
        after = path.steps[k + 1] if k + 1 < len(path.steps) else None
        stop = _stop(k + 1, spot, after, notes_for(spot, good, versions), sources, trees)
        told = any(s.say == stop.say for s in stops)
        say = Text() if told else stop.say
        stop = replace(stop, parts=_carried(stop, stops), say=say, seconds=seconds[k], beats=begins[k])
        stops.append(stop)
    asked = [q for q in bank().questions if any(q in s.questions for s in stops)]
    title = route.title if route else Text(path.title, path.title)
    return Tour(
        path,
        route.name if route else path.name,
        Text(title.en, title.zh or title.en),
        tuple(s.engine for s in sources.values()),
        tuple(stops),
        beats,
        {q: bank().questions[q] for q in asked},
    )


def wanted(
    path: Path, sites: Mapping[str, Sequence[Site]], engine: str, said: Content, rules: Sequence[Folder] = ()
) -> set[str]:
    """The claims of `engine` that a tour along `path` rests on: its notes', those of questions and faults.

    `said` is the content of the engine's folder of questions; `sites` are all sites of each engine.
    """
    own = [[s for s in sites.get(step.engine, ()) if s.symbol == step.symbol and s.file == step.file]
           for step in path.steps]
    spots = [s for s in places(path, own, route_of(path, rules)) if s.step.engine == engine]
    found = {n.id: n for spot in spots for n in notes_for(spot, all_notes(rules), {})}
    ids = {c for n in found.values() for c in n.claims if c.startswith(engine + ".")}
    ids |= behind(said, sorted({q for n in found.values() for q in n.questions}))
    rows = {f for n in found.values() for f in n.faults}
    return ids | {c for row in rows for cell in said.faults.get(row, ()) for _, s in cell.parts for c in s.claims}


def _holds(note: Note, sources: Mapping[str, Source]) -> bool:
    """Whether the claims of a note about these engines were checked and hold."""
    for claim in note.claims:
        source = sources.get(claim.partition(".")[0])
        if source is None:
            continue
        checked = source.verdicts.checked.get(claim) if source.verdicts else None
        if checked is None or checked.verdict != "holds":
            return False
    return True


def _sites_of(step: Step, sources: Mapping[str, Source], trees: Trees) -> tuple[Site, ...]:
    """The sites in live code within a step's function, each statement and role once."""
    source = sources.get(step.engine)
    first, last = trees.span(step)
    found: dict[tuple[int, str, str, str], Site] = {}
    for s in source.sites if source else ():
        if s.file == step.file and not s.context and first <= s.first and s.last <= last:
            found.setdefault((s.first, s.role, s.action, s.layer), s)
    return tuple(found[key] for key in sorted(found))


def _stop(
    number: int, spot: Place, after: Step | None, found: Sequence[Note], sources: Mapping[str, Source], trees: Trees
) -> Stop:
    step, source = spot.step, sources.get(spot.step.engine)
    holders = [h for h in source.holders if h.symbol == step.symbol and h.file == step.file] if source else []
    code = code_of(trees, step, after, spot.sites, holders)
    crossing, _ = part(found, "crossing")
    stations = [s.what for s in spot.stations]
    waypoint = Text("; ".join(w.en for w in stations), "；".join(w.zh or w.en for w in stations))
    own = [n for n in found if any(p in n.parts for p in PARTS)]
    return Stop(
        number=number,
        step=step,
        waypoint=waypoint,
        parts=_parts(found, spot, code, after),
        crossing=crossing or Text(),
        ask=next((n.ask for n in own if n.ask.en), Text()),
        say=next((n.say for n in own if n.say.en), Text()),
        code=code,
        permalink=permalink(source.target, source.engine.revision, step.file, step.def_line, step.def_line)
        if source else "",
        sites=spot.sites,
        questions=tuple(q for q in bank().questions if any(q in n.questions for n in own[:3])),
        faults=tuple(_faults(own, source)),
        proofs=tuple(_proofs(step, code, source))[:MOST_PROOFS],
        held=tuple(_held(holders)),
    )


def _parts(found: Sequence[Note], spot: Place, code: Code, after: Step | None) -> dict[str, Said]:
    out: dict[str, Said] = {}
    for name in PARTS:
        text, note = part(found, name)
        if note:
            out[name] = Said(text, "note", note)
    if "happens" not in out:
        out["happens"] = Said(words.happens(spot.sites, after), "sites")
    if "wrong" not in out:
        out["wrong"] = Said(words.wrong(code.ways_out), "sites")
    return out


def _carried(stop: Stop, before: Sequence[Stop]) -> dict[str, Said]:
    """The parts of a step, with what an earlier step said of the memory where this one says nothing."""
    parts = dict(stop.parts)
    for name in CARRIED:
        if name in parts:
            continue
        last = next((s for s in reversed(before) if s.parts[name].basis == "note"), None)
        if last is None:
            parts[name] = Said(words.NOTHING_YET, "sites")
        else:
            parts[name] = Said(last.parts[name].text, "since", last.parts[name].note, last.number)
    return {name: parts[name] for name in PARTS}


def _faults(found: Sequence[Note], source: Source | None) -> Iterable[Fault]:
    rows = [f for f in bank().faults if any(f in n.faults for n in found[:2])]
    for row in rows if source else ():
        assert source is not None
        verdicts = source.verdicts
        cell = verdicts.cell(row) if verdicts else None
        if cell is None or verdicts is None or any(c not in verdicts.checked for _, s in cell.parts for c in s.claims):
            yield Fault(row, bank().faults[row], source.engine.name, "", ())
            continue
        parts = tuple((name, s.text, verdicts.status(s)) for name, s in cell.parts)
        yield Fault(row, bank().faults[row], source.engine.name, cell.kind, parts)


def _proofs(step: Step, code: Code, source: Source | None) -> Iterable[Proof]:
    """The claims that rest on lines of this function, those with most lines here first."""
    found = []
    for checked in source.verdicts.checked.values() if source and source.verdicts else ():
        lines = {e.first for e in checked.evidence if e.file == step.file and code.first <= e.first <= code.last}
        if lines and checked.verdict != "not_applicable":
            found.append(Proof(checked.id, checked.text, checked.verdict, tuple(sorted(lines))))
    return sorted(found, key=lambda p: (-len(p.lines), p.id))


def _held(holders: Iterable[Holder]) -> Iterable[Held]:
    for h in holders:
        by = [e.verdict for e in h.exits]
        missing = tuple(sorted({e.line for e in h.exits if e.verdict == "missing"}))
        yield Held(h.rule, h.does, by.count("released"), by.count("handed_over"), missing)
