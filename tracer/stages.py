"""The stages that the questions of `trace` share: read the trees, join them, assign roles, keep what was found."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tracer import answers
from tracer.checkout import folder_tree, open_tree
from tracer.checkout.folder import any_target
from tracer.model import ROLES, EngineRevision, Gap, Site, SourceTree, Trace
from tracer.survey import Facts, Progress, survey
from tracer.survey.store import Store
from tracer.targets import Target, Version, parse_spec, specs_of

if TYPE_CHECKING:
    from tracer.graph.hops import Hops
    from tracer.graph.world import World
    from tracer.pairs.balance import Holder
    from tracer.pairs.rules import PairRule
    from tracer.paths.stations import Sites

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Engine:
    """One engine, read and surveyed."""

    target: Target
    tree: SourceTree
    facts: Facts

    @property
    def version(self) -> str:
        """The version's name, as the pin or the folder has it."""
        return self.tree.version

    @property
    def revision(self) -> EngineRevision:
        """What was read, for the head of an answer."""
        return revision(self.tree)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Files that were not read, or not whole."""
        return problems(self.facts)

    def world(self) -> World:
        """The engine, linked: once for all who ask this object."""
        return self._world

    @functools.cached_property
    def _world(self) -> World:
        from tracer.graph.world import World

        return World([(self.facts, self.target)])


def read_engine(spec: str, progress: Progress | None) -> Engine:
    """`ENGINE[@VERSION]`, read and surveyed."""
    target, version = parse_spec(spec)
    tree = open_tree((target, version), progress=progress)
    return Engine(target, tree, survey(tree, Store(), progress))


def read_folder(path: str, progress: Progress | None) -> Engine:
    """A folder of any code, as an engine of its own."""
    tree = folder_tree(path)
    return Engine(any_target(tree.engine), tree, survey(tree, Store(), progress))


def ask(
    question: object,
    find: Callable[[Hops, tuple[EngineRevision, ...], Sites], Answer],
    kind: type[Answer],
    specs: Sequence[str],
    rules: Sequence[Path],
    progress: Progress | None,
) -> tuple[tuple[EngineRevision, ...], Answer]:
    """The kept answer to `question` about these engines, or what `find` makes of their graph, which is kept."""
    engines = revisions(specs, progress)

    def fresh() -> Answer:
        with linked(specs, rules, progress) as (hops, joined, sites):
            return find(hops, joined, sites)

    return engines, remembered(question, engines, rules, kind, fresh)


def revisions(specs: Sequence[str], progress: Progress | None) -> tuple[EngineRevision, ...]:
    """What is read of each engine of `specs`; nothing is surveyed for it."""
    return tuple(revision(tree) for tree, _ in read_trees(specs, progress))


def remembered(
    question: object,
    engines: Sequence[EngineRevision],
    rules: Sequence[Path],
    kind: type[Answer],
    fresh: Callable[[], Answer],
) -> Answer:
    """The kept answer to `question` about these engines, or what `fresh` gives, which is kept."""
    import msgspec

    store = Store()
    key = answers.question_key(engines, question, tuple(rules))
    body = store.answer(key)
    if body is None:
        body = msgspec.msgpack.encode(fresh())
        store.put_answer(key, body)
    return msgspec.msgpack.decode(body, type=kind)


def judged(
    engine: EngineRevision,
    version: str,
    asked: Iterable[PairRule],
    world: Callable[[], World],
    *,
    depth: int | None = None,
    rules: Sequence[Path] = (),
) -> tuple[list[Holder], list[Gap]]:
    """Who holds what each of these pairs (those for `version`) acquires, with gaps; kept pair by pair."""
    from tracer.pairs.balance import Holder, judge_pair, matcher

    cues = functools.cache(lambda: matcher(world()))  # one for all the pairs that were not asked before

    def fresh(rule: PairRule) -> tuple[list[Holder], list[Gap]]:
        return judge_pair(cues(), rule, depth)

    holders: list[Holder] = []
    gaps: list[Gap] = []
    for rule in asked:
        question = ("pair", rule.id, version, depth)
        more, said = remembered(question, [engine], rules, tuple[list[Holder], list[Gap]], partial(fresh, rule))
        holders += more
        gaps += said
    return holders, gaps


@contextmanager
def linked(
    specs: Sequence[str], rules: Sequence[Path], progress: Progress | None
) -> Iterator[tuple[Hops, tuple[EngineRevision, ...], Sites]]:
    """The engines of `specs` as one graph, with the links that earlier questions found; new ones are kept after it."""
    from tracer.graph.edges import Edges
    from tracer.graph.hops import Hops
    from tracer.graph.uses import Uses

    store = Store()
    world, engines = read_world(specs, progress)
    key = answers.links_key(engines)
    alone = world if len(engines) == 1 else None  # an engine's roles are found in it alone
    hops = Hops(world.once(Uses).once(Edges), store.answer(key))

    @functools.cache
    def sites(role: str) -> Sequence[tuple[str, Site]]:
        wanted = role if role in ROLES else "all"
        parts = [
            where_engine(wanted, f"{e.name}@{e.version}", tuple(rules), store, progress, alone) for e in engines
        ]
        return [(e.name, s) for e, part in zip(engines, parts, strict=True) for s in part.sites if not s.context]

    yield hops, engines, sites
    packed = hops.pack()
    if packed is not None:
        store.put_answer(key, packed)


def read_world(specs: Sequence[str], progress: Progress | None) -> tuple[World, tuple[EngineRevision, ...]]:
    """The engines of `specs`, each once, read, surveyed and joined."""
    from tracer.graph.world import World

    store, trees = Store(), read_trees(specs, progress)
    return World([(survey(tree, store, progress), target) for tree, target in trees]), tuple(
        revision(tree) for tree, _ in trees
    )


def read_trees(specs: Sequence[str], progress: Progress | None) -> list[tuple[SourceTree, Target]]:
    """The engines of `specs`, each once, read."""
    return [(open_tree((target, version), progress=progress), target) for target, version in specs_of(specs)]


def where_engine(
    role: str,
    spec: str,
    rules: tuple[Path, ...],
    store: Store,
    progress: Progress | None,
    linked: World | None = None,
) -> Trace:
    """Every site of `role` ("all") in `ENGINE[@VERSION]`; `linked` is the engine where that was done before."""
    target, version = parse_spec(spec)
    tree = open_tree((target, version), progress=progress)
    return where_tree(role, target, version, tree, rules, store, progress, lambda: linked)


def where_tree(
    role: str, target: Target, version: Version, tree: SourceTree, rules: tuple[Path, ...], store: Store,
    progress: Progress | None, world: Callable[[], World | None] | None = None,
) -> Trace:
    """Every site of `role` ("all") in `tree`, test and mock code too, by the rules for `version`.

    `world` gives the linked tree where others ask it too; it is asked only if something is not kept.
    """
    wanted = ROLES if role == "all" else (role,)
    kept = {r: answers.recall(store, tree, r, rules) for r in wanted}
    missing = [r for r, answer in kept.items() if answer is None]
    if missing:
        _assign(missing, target, version, tree, rules, store, progress, world)
        kept |= {r: answers.recall(store, tree, r, rules) for r in missing}
    found = list(kept.values())
    sites = sorted(
        (s for f in found if f for s in f[0]), key=lambda s: (s.file, s.first, s.last, s.role, s.action, s.rule)
    )
    gaps = sorted({*getattr(tree, "gaps", ()), *(g for f in found if f for g in f[1])}, key=lambda g: (g.what, g.why))
    return Trace((revision(tree),), tuple(sites), gaps=tuple(gaps))


def _assign(
    roles: Sequence[str], target: Target, version: Version, tree: SourceTree, rules: tuple[Path, ...], store: Store,
    progress: Progress | None, world: Callable[[], World | None] | None,
) -> None:
    """Survey the tree, link it, apply the rules of `roles`, and keep what was found."""
    from tracer.evidence import permalink
    from tracer.graph.world import World
    from tracer.roles import Roles
    from tracer.rules import rules_for

    facts = survey(tree, store, progress)
    if not rules_for(target.name, version.name, rules):
        _propose(roles, target, tree, rules, store, facts)
        return
    engine = Roles((world and world()) or World([(facts, target)]))
    for number, role in enumerate(roles):
        if progress:
            progress(f"rules {tree.engine} {tree.version}: {role}", number, len(roles))
        found = engine.apply(r for r in rules_for(target.name, version.name, rules) if r.role == role)
        sites = answers.one_per_statement([s for f in found for s in f.sites])
        links = [replace(s, permalink=permalink(target, tree.revision, s.file, s.first, s.last)) for s in sites]
        answers.keep(store, tree, role, rules, links, [f.gap for f in found if f.gap] + list(problems(facts)))


def _propose(
    roles: Sequence[str], target: Target, tree: SourceTree, rules: tuple[Path, ...], store: Store, facts: Facts
) -> None:
    """An engine without rules of its own: what the generic rules propose, said as a gap beside it."""
    from tracer.discover import Discover
    from tracer.evidence import permalink
    from tracer.graph.world import World

    engine = Discover(World([(facts, target)]), rules)
    said = Gap(f"rules/{target.name}", "no rules of its own: these are candidates of the generic rules, rules/any")
    for role in roles:
        sites = answers.one_per_statement(engine.sites([role]))
        links = [replace(s, permalink=permalink(target, tree.revision, s.file, s.first, s.last)) for s in sites]
        answers.keep(store, tree, role, rules, links, [said, *problems(facts)])


def revision(tree: SourceTree) -> EngineRevision:
    """What was read, for the head of an answer."""
    return EngineRevision(tree.engine, tree.version, tree.revision)


def problems(facts: Facts) -> tuple[Gap, ...]:
    """Files that were not read, or not whole."""
    return tuple(Gap(path, why if why.startswith("parsed") else f"not parsed: {why}") for path, why in facts.problems)
