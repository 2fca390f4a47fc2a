"""A rule names the state that carries a role, never the function that is the answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tracer.graph.world import Sym, World
from tracer.model import SourceTree, Trace
from tracer.rules import Cue, rules_for
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import target

pytestmark = [pytest.mark.engine, pytest.mark.network]


def cues(cue: Cue) -> Iterator[Cue]:
    yield cue
    for inner in (*cue.with_, *cue.without, *cue.after, *cue.before):
        yield from cues(inner)


def named_functions(world: World, cue: Cue) -> Iterator[tuple[str, Sym]]:
    """Functions that a cue names, bare method names on a state and classes left out."""
    patterns = [p for p in cue.patterns if "." in p or "::" in p] if cue.matcher in ("call", "define") else []
    for pattern in (*patterns, *cue.within, *cue.lift_to):
        if not world.classes(pattern):
            yield from ((pattern, f) for f in world.functions(pattern))


def of_an_interface(world: World, function: Sym) -> bool:
    """Whether other classes override it, it overrides one, or it is abstract: an interface's method may be named."""
    owner, d = world.owner(function), world.definition(function)
    if owner is None or d is None:
        return False
    family = (*world.subclasses(owner), *world.mro(owner)[1:])
    return "abstract" in d.flags or any(world.methods(c, world.name(function)) for c in family)


def test_no_rule_names_a_function_that_it_prints(tree: SourceTree, answer: Trace) -> None:
    world = World([(survey(tree, Store()), target(tree.engine))])
    printed = {(site.rule, site.symbol) for site in answer.sites}
    guilty = set()
    for rule in rules_for(tree.engine, tree.version):
        for cue in (inner for _, outer in rule.actions for top in outer for inner in cues(top)):
            for pattern, function in named_functions(world, cue):
                if (rule.id, world.symbol(function)) in printed and not of_an_interface(world, function):
                    guilty.add((rule.id, pattern))
    assert sorted(guilty) == []
