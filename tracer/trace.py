"""The pipeline in order; read this first.

    Target ─checkout→ SourceTree ─survey→ Facts ─link→ World ─assign→ Sites ─follow→ Paths ─verify→ Trace

Each function below is one question, and each line of it one stage. A stage with heavy libraries is imported where it
runs, so that an answer from the cache is there at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tracer import answers
from tracer.checkout import folder_tree, open_tree
from tracer.checkout.folder import any_target
from tracer.errors import UsageError
from tracer.globs import path_matches
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.model import ROLES, Edge, EngineRevision, Gap, Site, SourceTree, Trace, Use
from tracer.model import Path as Way
from tracer.survey import Facts, Progress, survey
from tracer.survey.store import Store
from tracer.targets import Target, Version, parse_spec, specs_of

if TYPE_CHECKING:
    from tracer.drives import Driven
    from tracer.graph.hops import Hops
    from tracer.order import Order
    from tracer.pairs import Holder
    from tracer.relay import Carrier
    from tracer.stations import Sites

Answer = TypeVar("Answer")


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
    parts = [_where_engine(role, spec, tuple(rules), store, progress) for spec in specs]
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
    target, version = parse_spec(spec)
    tree = open_tree((target, version), progress=progress)
    facts = survey(tree, Store(), progress)
    found = answers.uses(Uses(World([(facts, target)])), pattern, op)
    return _revision(tree), tuple(u for u in found if not glob or path_matches(u.file, [glob])), _problems(facts)


def pairs(
    what: str,
    spec: str,
    *,
    glob: str | None = None,
    depth: int | None = None,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> tuple[EngineRevision, tuple[Holder, ...], tuple[Gap, ...]]:
    """Who holds what the pairs of `what` (a role, a rule, "all") acquire, and the verdict on each of their exits."""
    from tracer.pair_rules import pair_rules
    from tracer.pairs import judge

    target, version = parse_spec(spec)
    asked = pair_rules(what, target.name, version.name, rules)
    tree = open_tree((target, version), progress=progress)
    facts = survey(tree, Store(), progress)
    holders, gaps = judge(World([(facts, target)]), asked, depth)
    kept = tuple(h for h in holders if not glob or path_matches(h.file, [glob]))
    return _revision(tree), kept, (*gaps, *_problems(facts))


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
    from tracer.order import Orders
    from tracer.pair_rules import DEPTH

    target, version = parse_spec(spec)
    tree = open_tree((target, version), progress=progress)
    found = Orders(World([(survey(tree, Store(), progress), target)]), target.name, version.name, rules)
    return _revision(tree), tuple(found.between(a, b, DEPTH if depth is None else depth, inside))


def discover(spec: str, *, limit: int = 100, progress: Progress | None = None) -> Trace:
    """Roles proposed by the generic rules, for `ENGINE[@VERSION]` or a folder of any code.

    Candidates with their reason, best first within each role, at most `limit` functions a role.
    """
    from tracer.discover import Discover

    if Path(spec).is_dir():
        tree: SourceTree = folder_tree(spec)
        target = any_target(tree.engine)
    else:
        target, version = parse_spec(spec)
        tree = open_tree((target, version), progress=progress)
    facts = survey(tree, Store(), progress)
    found = Discover(World([(facts, target)])).sites(limit=limit)
    return Trace((_revision(tree),), tuple(found), gaps=_problems(facts))


def graph(specs: Sequence[str], *, progress: Progress | None = None) -> Iterator[Edge]:
    """Every edge of one engine, or of several joined as one body of code, in file and line order; kept once found."""
    from tracer.graph import whole

    store, trees = Store(), _trees(specs, progress)
    key = answers.links_key([_revision(tree) for tree, _ in trees], "graph")
    kept = answers.recall_batches(store, key)
    if kept is None:
        for tree, _ in trees:
            survey(tree, store, progress)
        kept = list(whole.batches(trees, store, progress))
        answers.keep_batches(store, key, kept)
    return whole.unpacked(kept)


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
    from tracer import routes
    from tracer.paths import Paths

    stack, picked = routes.choices(choose)
    if len(names) > 1 and stack:
        raise UsageError("a stack is chosen for a named path only", todo="use --choose INTERFACE=CLASS between A and B")

    def find(hops: Hops, engines: tuple[EngineRevision, ...], sites: Sites) -> list[Way]:
        if len(names) > 1:
            return Paths(hops, sites).between(names[0], names[1], count, through, picked)
        route = routes.choose(names[0], {e.name: e.version for e in engines}, stack, rules)
        return Paths(hops, sites).along(route, count, picked)

    question = ("path", *names, count, tuple(through), stack, picked)
    engines, found = _ask(question, find, list[Way], specs, rules, progress)
    return Trace(engines, paths=tuple(found))


def drives(
    site: str, specs: Sequence[str], *, most: int = 40, rules: Sequence[Path] = (), progress: Progress | None = None
) -> tuple[tuple[EngineRevision, ...], list[Driven]]:
    """The entries (loops, threads, handlers, public functions) to `site`: a symbol, FILE:LINE or a rule's id."""
    from tracer.drives import Driven, Drives
    from tracer.stations import Stations

    def find(hops: Hops, _: tuple[EngineRevision, ...], sites: Sites) -> list[Driven]:
        return Drives(hops, Stations(hops, sites)).of(site, most)

    return _ask(("drives", site, most), find, list[Driven], specs, rules, progress)


def relay(
    what: str, specs: Sequence[str], *, rules: Sequence[Path] = (), progress: Progress | None = None
) -> tuple[tuple[EngineRevision, ...], list[Carrier]]:
    """The carriers of a role's signals, or of those at a site: what fills each, what takes from it, what follows."""
    from tracer.relay import Carrier, Relay, places_of
    from tracer.stations import Stations

    def find(hops: Hops, _: tuple[EngineRevision, ...], sites: Sites) -> list[Carrier]:
        stations = Stations(hops, sites)
        if what in ROLES:
            held = ((stations.at(s.file, s.first, engine), s) for engine, s in sites(what))
            return Relay(hops).of(places_of(held))
        return Relay(hops).of(stations.places(what))

    return _ask(("relay", what), find, list[Carrier], specs, rules, progress)


def _ask(
    question: object,
    find: Callable[[Hops, tuple[EngineRevision, ...], Sites], Answer],
    kind: type[Answer],
    specs: Sequence[str],
    rules: Sequence[Path],
    progress: Progress | None,
) -> tuple[tuple[EngineRevision, ...], Answer]:
    """The kept answer to `question` about these engines, or what `find` makes of their graph, which is kept."""
    import msgspec

    store = Store()
    engines = tuple(_revision(open_tree(pair, progress=progress)) for pair in specs_of(specs))
    key = answers.question_key(engines, question, tuple(rules))
    body = store.answer(key)
    if body is not None:
        return engines, msgspec.msgpack.decode(body, type=kind)
    with _linked(specs, rules, progress) as (hops, engines, sites):
        found = find(hops, engines, sites)
    store.put_answer(key, msgspec.msgpack.encode(found))
    return engines, found


@contextmanager
def _linked(
    specs: Sequence[str], rules: Sequence[Path], progress: Progress | None
) -> Iterator[tuple[Hops, tuple[EngineRevision, ...], Sites]]:
    """The engines of `specs` as one graph, with the links that earlier questions found; new ones are kept after it."""
    from tracer.graph.edges import Edges
    from tracer.graph.hops import Hops

    store = Store()
    world, engines = read_world(specs, progress)
    key = answers.links_key(engines)
    hops = Hops(Edges(Uses(world)), store.answer(key))

    @functools.cache
    def sites(role: str) -> Sequence[tuple[str, Site]]:
        wanted = role if role in ROLES else "all"
        parts = [_where_engine(wanted, f"{e.name}@{e.version}", tuple(rules), store, progress) for e in engines]
        return [(e.name, s) for e, part in zip(engines, parts, strict=True) for s in part.sites if not s.context]

    yield hops, engines, sites
    packed = hops.pack()
    if packed is not None:
        store.put_answer(key, packed)


def read_world(specs: Sequence[str], progress: Progress | None) -> tuple[World, tuple[EngineRevision, ...]]:
    """The engines of `specs`, each once, read, surveyed and joined."""
    store, trees = Store(), _trees(specs, progress)
    return World([(survey(tree, store, progress), target) for tree, target in trees]), tuple(
        _revision(tree) for tree, _ in trees
    )


def _trees(specs: Sequence[str], progress: Progress | None) -> list[tuple[SourceTree, Target]]:
    """The engines of `specs`, each once, read."""
    return [(open_tree((target, version), progress=progress), target) for target, version in specs_of(specs)]


def _where_engine(role: str, spec: str, rules: tuple[Path, ...], store: Store, progress: Progress | None) -> Trace:
    target, version = parse_spec(spec)
    return where_tree(role, target, version, open_tree((target, version), progress=progress), rules, store, progress)


def where_tree(
    role: str, target: Target, version: Version, tree: SourceTree, rules: tuple[Path, ...], store: Store,
    progress: Progress | None,
) -> Trace:
    """Every site of `role` ("all") in `tree`, test and mock code too, by the rules for `version`."""
    wanted = ROLES if role == "all" else (role,)
    kept = {r: answers.recall(store, tree, r, rules) for r in wanted}
    missing = [r for r, answer in kept.items() if answer is None]
    if missing:
        _assign(missing, target, version, tree, rules, store, progress)
        kept |= {r: answers.recall(store, tree, r, rules) for r in missing}
    found = list(kept.values())
    sites = sorted(
        (s for f in found if f for s in f[0]), key=lambda s: (s.file, s.first, s.last, s.role, s.action, s.rule)
    )
    gaps = sorted({*getattr(tree, "gaps", ()), *(g for f in found if f for g in f[1])}, key=lambda g: (g.what, g.why))
    return Trace((_revision(tree),), tuple(sites), gaps=tuple(gaps))


def _assign(
    roles: Sequence[str], target: Target, version: Version, tree: SourceTree, rules: tuple[Path, ...], store: Store,
    progress: Progress | None,
) -> None:
    """Survey the tree, link it, apply the rules of `roles`, and keep what was found."""
    from tracer.evidence import permalink
    from tracer.roles import Roles
    from tracer.rules import rules_for

    facts = survey(tree, store, progress)
    if not rules_for(target.name, version.name, rules):
        _propose(roles, target, tree, rules, store, facts)
        return
    engine = Roles(World([(facts, target)]))
    for role in roles:
        found = engine.apply(r for r in rules_for(target.name, version.name, rules) if r.role == role)
        sites = answers.one_per_statement([s for f in found for s in f.sites])
        links = [replace(s, permalink=permalink(target, tree.revision, s.file, s.first, s.last)) for s in sites]
        answers.keep(store, tree, role, rules, links, [f.gap for f in found if f.gap] + list(_problems(facts)))


def _propose(
    roles: Sequence[str], target: Target, tree: SourceTree, rules: tuple[Path, ...], store: Store, facts: Facts
) -> None:
    """An engine without rules of its own: what the generic rules propose, said as a gap beside it."""
    from tracer.discover import Discover
    from tracer.evidence import permalink

    engine = Discover(World([(facts, target)]), rules)
    said = Gap(f"rules/{target.name}", "no rules of its own: these are candidates of the generic rules, rules/any")
    for role in roles:
        sites = answers.one_per_statement(engine.sites([role]))
        links = [replace(s, permalink=permalink(target, tree.revision, s.file, s.first, s.last)) for s in sites]
        answers.keep(store, tree, role, rules, links, [said, *_problems(facts)])


def _revision(tree: SourceTree) -> EngineRevision:
    return EngineRevision(tree.engine, tree.version, tree.revision)


def _problems(facts: Facts) -> tuple[Gap, ...]:
    """Files that were not read, or not whole."""
    return tuple(Gap(path, why if why.startswith("parsed") else f"not parsed: {why}") for path, why in facts.problems)


__all__ = ["Site", "discover", "drives", "graph", "order", "pairs", "path", "relay", "uses", "where", "where_tree"]
