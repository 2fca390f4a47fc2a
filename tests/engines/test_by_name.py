"""An engine that is asked only by name: what must hold of every answer holds of its answers too."""

from __future__ import annotations

import pytest

import tracer.trace as pipeline
from tests.engines.test_answers import (  # noqa: F401 - these run on the trees of this module
    test_a_saved_answer_verifies,
    test_a_statement_is_given_once_for_each_action,
    test_every_site_lies_in_the_function_it_names,
    test_every_site_reads_as_it_says,
    test_names_and_places_are_those_of_the_closed_lists,
    test_no_rule_is_silent_where_it_promised_sites,
    test_permalinks_point_at_the_very_lines,
    test_rules_hold_no_line_number,
)
from tests.engines.test_rules_name_no_answer import test_no_rule_names_a_function_that_it_prints  # noqa: F401
from tracer import checkout
from tracer.errors import TracerError
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.model import SourceTree, Trace
from tracer.paths.routes import routes
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import defaults, names, target

pytestmark = [pytest.mark.engine, pytest.mark.network]
BY_NAME = sorted({*names()} - {*defaults()})


@pytest.fixture(scope="module", params=BY_NAME)
def tree(request: pytest.FixtureRequest) -> SourceTree:
    try:
        return checkout.open_tree(request.param)
    except TracerError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def answer(tree: SourceTree) -> Trace:
    return pipeline.where("all", [tree.engine])


@pytest.mark.parametrize("role", ["publish", "protection", "completion"])
def test_the_roles_that_it_has_rules_for_are_found(answer: Trace, role: str) -> None:
    assert any(site.role == role for site in answer.sites)


def test_whatever_changes_the_index_of_a_lookup_is_published_or_unpublished(tree: SourceTree, answer: Trace) -> None:
    if tree.engine != "aibrix":
        pytest.skip("another index")
    uses = Uses(World([(survey(tree, Store()), target("aibrix"))]))
    changes = {
        (uses.world.path(m.file), m.line)
        for m in uses.state("BaseEvictionPolicy._hashmap")
        if m.op in ("insert", "remove", "clear")
    }
    told = {(s.file, s.first) for s in answer.sites if s.role == "publish"}
    assert len(changes) == 8
    assert changes <= told


def test_its_pairs_are_judged_and_its_named_paths_are_complete(tree: SourceTree) -> None:
    _, holders, _ = pipeline.pairs("all", tree.engine)
    assert len({h.rule for h in holders}) >= 4
    # What a put is given is lost where the store's quota is full: on the two ways that go straight to the store. A
    # get that hits the host index never drops its references.
    missing = {(h.rule, h.symbol.rpartition(".")[2], h.missing) for h in holders if h.missing}
    assert missing == {("aibrix.pairs.given", "put", 2), ("aibrix.pairs.acquired", "_get_impl", 1)}
    for route in (r for r in routes(()) if r.engines[0] == tree.engine):
        (found,) = pipeline.path([route.name], [tree.engine]).paths
        assert found.end == "complete", route.id
        assert {"async"} <= {s.edge for s in found.steps}
        assert [s.mark for s in found.steps if s.mark] == [w.what.en for w in route.way]
