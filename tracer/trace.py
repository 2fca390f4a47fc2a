"""The pipeline in order; read this first.

    Target ─checkout→ SourceTree ─survey→ Facts ─link→ World ─assign→ Sites ─follow→ Paths ─verify→ Trace

Each function below is one question, and each line of it one stage. A stage with heavy libraries is imported where it
runs, so that an answer from the cache is there at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import import_module
from inspect import Signature, signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tracer import answers, stages
from tracer.errors import UsageError
from tracer.globs import path_matches
from tracer.model import ROLES, Edge, EngineRevision, Gap, Site, Trace, Use
from tracer.model import Path as Way
from tracer.survey import Progress, survey
from tracer.survey.store import Store
from tracer.targets import parse_spec

if TYPE_CHECKING:
    from tracer.graph.hops import Hops
    from tracer.pairs.again import Giver
    from tracer.pairs.balance import Holder
    from tracer.pairs.order import Order
    from tracer.paths.drives import Driven
    from tracer.paths.relay import Carrier
    from tracer.paths.stations import Sites


def where(
    role: str,
    specs: Sequence[str],
    *,
    layer: str | None = None,
    action: str | None = None,
    contexts: bool = False,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Trace:
    """Every site of `role` ("all" for the nine) in each `ENGINE[@VERSION]`, with gaps; sorted by engine, file and line.

    `contexts=True` also gives sites in test, mock and benchmark code, marked so. Raises `UsageError` for unknown names
    and `SourceUnavailableError` where a source cannot be had.
    """
    store = Store()
    parts = [stages.where_engine(role, spec, tuple(rules), store, progress) for spec in specs]
    sites = tuple(
        s
        for part in parts
        for s in part.sites
        if (not layer or s.layer == layer) and (not action or s.action == action) and (contexts or not s.context)
    )
    return Trace(tuple(e for p in parts for e in p.engines), sites, gaps=tuple(g for p in parts for g in p.gaps))


def uses(
    pattern: str,
    spec: str,
    *,
    op: str = "all",
    glob: str | None = None,
    progress: Progress | None = None,
) -> tuple[EngineRevision, tuple[Use, ...], tuple[Gap, ...]]:
    """Every place that does `op` ("all": any) to the state `Class.field`, or calls or defines a function, by type."""
    engine = stages.read_engine(spec, progress)
    found = stages.remembered(
        ("uses", pattern, op), [engine.revision], (), list[Use], lambda: answers.uses(engine.world(), pattern, op)
    )
    return engine.revision, tuple(u for u in found if not glob or path_matches(u.file, [glob])), engine.gaps


def pairs(
    what: str,
    spec: str,
    *,
    glob: str | None = None,
    depth: int | None = None,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
    read: Callable[[], stages.Engine] | None = None,
) -> tuple[EngineRevision, tuple[Holder, ...], tuple[Gap, ...]]:
    """Who holds what the pairs of `what` (a role, a rule, "all") acquire, and the verdict on each of their exits.

    `read` gives what `spec` names, where others ask the same object: what one finds in it the next one finds there.
    """
    from tracer.pairs.rules import pair_rules

    target, version = parse_spec(spec)
    asked = pair_rules(what, target.name, version.name, rules)
    engine = read() if read else stages.read_engine(spec, progress)
    holders, gaps = stages.judged(engine.revision, version.name, asked, engine.world, depth=depth, rules=rules)
    kept = tuple(h for h in holders if not glob or path_matches(h.file, [glob]))
    return engine.revision, kept, (*gaps, *engine.gaps)


def givers(
    what: str,
    spec: str,
    *,
    glob: str | None = None,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
    read: Callable[[], stages.Engine] | None = None,
) -> tuple[Giver, ...]:
    """Who gives back what the pairs of `what` acquire, and where the same may be given back twice."""
    from tracer.pairs.again import Giver, givers
    from tracer.pairs.rules import pair_rules

    target, version = parse_spec(spec)
    asked = pair_rules(what, target.name, version.name, rules)
    engine = read() if read else stages.read_engine(spec, progress)
    found = stages.remembered(
        ("givers", what), [engine.revision], tuple(rules), list[Giver], lambda: givers(engine.world(), asked)
    )
    return tuple(g for g in found if not glob or path_matches(g.file, [glob]))


def order(
    a: str,
    b: str,
    spec: str,
    *,
    inside: str = "",
    depth: int | None = None,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> tuple[EngineRevision, tuple[Order, ...]]:
    """Whether `a` comes before `b` in each function of `ENGINE[@VERSION]` that does both."""
    from tracer.pairs.order import Order, Orders
    from tracer.pairs.rules import DEPTH

    engine = stages.read_engine(spec, progress)

    def find() -> list[Order]:
        orders = Orders(engine.world(), engine.target.name, engine.version, rules)
        return orders.between(a, b, DEPTH if depth is None else depth, inside)

    question = ("order", a, b, inside, depth)
    return engine.revision, tuple(stages.remembered(question, [engine.revision], rules, list[Order], find))


def discover(spec: str, *, limit: int = 100, progress: Progress | None = None) -> Trace:
    """Roles proposed by the generic rules, for `ENGINE[@VERSION]` or a folder of any code.

    Candidates with their reason, best first within each role, at most `limit` functions a role.
    """
    from tracer.discover import Discover

    engine = stages.read_folder(spec, progress) if Path(spec).is_dir() else stages.read_engine(spec, progress)

    def find() -> list[Site]:
        return Discover(engine.world()).sites(limit=limit)

    found = stages.remembered(("discover", limit), [engine.revision], (), list[Site], find)
    return Trace((engine.revision,), tuple(found), gaps=engine.gaps)


def graph(specs: Sequence[str], *, progress: Progress | None = None) -> Iterator[Edge]:
    """Every edge of one engine, or of several joined as one body of code, in file and line order; kept once found."""
    from tracer.graph import whole

    store, trees = Store(), stages.read_trees(specs, progress)
    key = answers.links_key([stages.revision(tree) for tree, _ in trees], "graph")
    kept = answers.recall_batches(store, key)
    if kept is None:
        for tree, _ in trees:
            survey(tree, store, progress)
        kept = list(whole.batches(trees, store, progress))
        answers.keep_batches(store, key, kept)
    return whole.unpacked(kept)


def graph_of(files: Collection[str], specs: Sequence[str], *, progress: Progress | None = None) -> Iterator[Edge]:
    """The edges that start in these files (repository paths) of the engines, without the rest of their graph."""
    from tracer.graph.edges import Edges
    from tracer.graph.uses import Uses

    world, _ = stages.read_world(specs, progress)
    edges = world.once(Uses).once(Edges)
    for number in range(world.size):
        if world.path(number) in files:
            yield from edges.in_order(number)


def path(
    names: Sequence[str],
    specs: Sequence[str],
    *,
    count: int = 1,
    through: Sequence[str] = (),
    choose: Sequence[str] = (),
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Trace:
    """Up to `count` paths through the engines of `specs`, best first: from A to B, or the one called NAME.

    `names` is (A, B) or (NAME,); `choose` has KEY=VALUE for the stack and for implementations at fan-outs.
    """
    from tracer.paths import routes
    from tracer.paths.follow import Paths

    stack, picked = routes.choices(choose)
    if len(names) > 1 and stack:
        raise UsageError("a stack is chosen for a named path only", todo="use --choose INTERFACE=CLASS between A and B")

    def find(hops: Hops, engines: tuple[EngineRevision, ...], sites: Sites) -> list[Way]:
        if len(names) > 1:
            return Paths(hops, sites).between(names[0], names[1], count, through, picked)
        route = routes.choose(names[0], {e.name: e.version for e in engines}, stack, rules)
        return Paths(hops, sites).along(route, count, picked)

    question = ("path", *names, count, tuple(through), stack, picked)
    engines, found = stages.ask(question, find, list[Way], specs, rules, progress)
    return Trace(engines, paths=tuple(found))


def drives(
    site: str, specs: Sequence[str], *, most: int = 40, rules: Sequence[Path] = (), progress: Progress | None = None
) -> tuple[tuple[EngineRevision, ...], list[Driven]]:
    """The entries (loops, threads, handlers, public functions) to `site`: a symbol, FILE:LINE or a rule's id."""
    from tracer.paths.drives import Driven, Drives
    from tracer.paths.stations import Stations

    def find(hops: Hops, _: tuple[EngineRevision, ...], sites: Sites) -> list[Driven]:
        return Drives(hops, Stations(hops, sites)).of(site, most)

    return stages.ask(("drives", site, most), find, list[Driven], specs, rules, progress)


def relay(
    what: str, specs: Sequence[str], *, rules: Sequence[Path] = (), progress: Progress | None = None
) -> tuple[tuple[EngineRevision, ...], list[Carrier]]:
    """The carriers of a role's signals, or of those at a site: what fills each, what takes from it, what follows."""
    from tracer.paths.relay import Carrier, Relay, places_of, places_of_state
    from tracer.paths.stations import Stations

    def find(hops: Hops, _: tuple[EngineRevision, ...], sites: Sites) -> list[Carrier]:
        stations = Stations(hops, sites)
        if what in ROLES:
            held = ((stations.at(s.file, s.first, engine), s) for engine, s in sites(what))
            return Relay(hops).of(places_of(held))
        return Relay(hops).of(list(places_of_state(hops, what)) or stations.places(what))

    return stages.ask(("relay", what), find, list[Carrier], specs, rules, progress)


__all__ = ["Site", "discover", "drives", "givers", "graph", "order", "pairs", "path", "relay", "uses", "where"]


class _Callable(ModuleType):
    """So that `tracer.trace("lmcache")` is `tracer.api.trace("lmcache")` although this module has the name."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return import_module("tracer.api").trace(*arguments, **named)  # by name: imports go the other way

    @property
    def __signature__(self) -> Signature:
        """What `help` and notebooks show of the call."""
        return signature(import_module("tracer.api").trace)


sys.modules[__name__].__class__ = _Callable
