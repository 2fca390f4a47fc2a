"""The tours of an atlas: along each named path of its engines, and of its stacks.

Takes an `Atlas`; asks for the paths that are not kept, each set of engines read and joined once. A path whose first
way-point is nowhere in these versions is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import msgspec

from tracer import answers, stages
from tracer.errors import UsageError
from tracer.model import Path
from tracer.paths import routes
from tracer.paths.follow import Paths
from tracer.paths.routes import Route
from tracer.render.atlas.gather import Atlas, Subject
from tracer.survey.store import Store
from tracer.walks.model import Tour
from tracer.walks.tour import Source, tour

_made: WeakKeyDictionary[Atlas, list[Tour]] = WeakKeyDictionary()


def tours_of(atlas: Atlas) -> list[Tour]:
    """Every tour, those of the stacks first, then engine by engine in the order of the rule files."""
    if atlas not in _made:
        _made[atlas] = list(atlas.tours) if atlas.tours is not None else list(_tours(atlas))
    return _made[atlas]


def _tours(atlas: Atlas) -> Iterator[Tour]:
    for subjects in _sets(atlas):
        versions = {s.target.name: s.version.name for s in subjects}
        wanted = [r for r in routes.routes(atlas.rules) if set(r.engines) == versions.keys() and r.fits(versions)]
        for path in _paths(atlas, subjects, wanted):
            if path.steps:
                yield tour(path, {s.target.name: source_of(atlas, s) for s in subjects}, atlas.rules)


def source_of(atlas: Atlas, subject: Subject) -> Source:
    """What a tour shows of one engine."""
    return Source(
        subject.engine, subject.target, subject.tree, subject.sites, atlas.holders(subject), atlas.checked(subject)
    )


def _sets(atlas: Atlas) -> list[list[Subject]]:
    """The engines to join: those of each stack that are all here, then each alone."""
    newest: dict[str, Subject] = {}
    for s in atlas.subjects:
        newest.setdefault(s.target.name, s)
    out = []
    for name in atlas.stacks:
        engines = [spec.partition("@")[0] for spec in routes.stack(name)]
        missing = [e for e in engines if e not in newest]
        if missing:
            raise UsageError(f"the stack {name} needs {', '.join(missing)}", todo="name its engines too")
        out.append([newest[e] for e in engines])
    return out + [[s] for s in atlas.subjects]


def _paths(atlas: Atlas, subjects: Sequence[Subject], wanted: Sequence[Route]) -> list[Path]:
    """The paths along these routes, from the cache or found now; what is found is kept."""
    engines = tuple(s.engine for s in subjects)
    store = Store()
    keys = {r.id: answers.question_key(engines, ("atlas", r.id), atlas.rules) for r in wanted}
    kept = {r.id: store.answer(keys[r.id]) for r in wanted}
    missing = [r for r in wanted if kept[r.id] is None]
    if missing:
        specs = [f"{s.target.name}@{s.version.name}" for s in subjects]
        with stages.linked(specs, atlas.rules, atlas.progress) as (hops, _, sites):
            for number, route in enumerate(missing):
                if atlas.progress:
                    atlas.progress(f"paths {' '.join(specs)}", number, len(missing))
                (found, *_) = Paths(hops, sites).along(route)
                kept[route.id] = msgspec.msgpack.encode(found)
                store.put_answer(keys[route.id], kept[route.id] or b"")
    return [msgspec.msgpack.decode(kept[r.id] or b"", type=Path) for r in wanted]
