"""Asks for all that a tour shows: the path, the sites, what pairs say, and the claims behind its notes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path as Folder

import tracer.trace as pipeline
from tracer import questions, stages
from tracer.checkout import open_tree
from tracer.errors import UsageError
from tracer.model import Path, SourceTree
from tracer.pairs.balance import Holder
from tracer.pairs.rules import pair_rules
from tracer.survey import Progress, survey
from tracer.survey.store import Store
from tracer.targets import Target, Version, specs_of
from tracer.walks.model import Tour
from tracer.walks.tour import Source, tour, wanted


def tour_of(
    name: str,
    specs: Sequence[str],
    *,
    choose: Sequence[str] = (),
    rules: Sequence[Folder] = (),
    fast: bool = False,
    progress: Progress | None = None,
) -> Tour:
    """The tour along the path called `name`; kept once asked.

    `fast`: without pairs and claims, which take their time when first asked. Raises what `trace.path` raises.
    """
    question = ("tour", name, list(specs), list(choose), fast)
    work = partial(_gathered, name, specs, choose, rules, fast, progress)
    return stages.remembered(question, stages.revisions(specs, progress), rules, Tour, work)


def _gathered(
    name: str, specs: Sequence[str], choose: Sequence[str], rules: Sequence[Folder], fast: bool,
    progress: Progress | None,
) -> Tour:
    found = pipeline.path((name,), specs, choose=choose, rules=rules, progress=progress)
    path = found.paths[0]
    used = {s.engine for s in path.steps}
    sources: dict[str, Source] = {}
    for target, version in specs_of(specs):
        if target.name in used:
            sources[target.name] = source_of(path, target, version, rules, fast=fast, progress=progress)
    return tour(path, sources, rules)


def source_of(
    path: Path, target: Target, version: Version, rules: Sequence[Folder] = (), *, fast: bool = False,
    progress: Progress | None = None,
) -> Source:
    """What a tour along `path` needs to know of one engine."""
    store, tree = Store(), open_tree((target, version), progress=progress)
    sites = stages.where_tree("all", target, version, tree, tuple(rules), store, progress).sites
    source = Source(stages.revision(tree), target, tree, sites)
    if fast:
        return source

    def rests_on(said: questions.Content) -> set[str]:
        return wanted(path, {target.name: sites}, target.name, said, rules)

    verdicts = questions.check_tree(target, version, tree, rests_on, rules, progress)
    held = holders(target, version, tree, rules, progress)
    return Source(source.engine, target, tree, sites, held, verdicts)


def holders(
    target: Target, version: Version, tree: SourceTree, rules: Sequence[Folder] = (), progress: Progress | None = None
) -> list[Holder]:
    """What the pairs of an engine say, kept once asked."""
    try:
        asked = pair_rules("all", target.name, version.name, rules)
    except UsageError:  # an engine without pairs
        return []
    engine = stages.Engine(target, tree, survey(tree, Store(), progress))
    return stages.judged(engine.revision, version.name, asked, engine.world, rules=rules)[0]
