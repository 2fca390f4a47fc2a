"""The search by trust: the cheapest way through stations, and no function opened that cannot be on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from tracer.graph.edges import Link
from tracer.graph.hops import Hops, Out
from tracer.graph.search import Search, Way
from tracer.graph.world import Sym

Graph = Mapping[str, Mapping[str, int]]  # function → functions that it reaches, each with what that costs


class Drawn:
    """Links as a test draws them; the functions are numbered by their names."""

    def __init__(self, graph: Graph) -> None:
        names = sorted({*graph, *(t for targets in graph.values() for t in targets)})
        self.sym = {name: Sym(0, k) for k, name in enumerate(names)}
        self.name = {s: n for n, s in self.sym.items()}
        self.graph = graph

    def out(self, sym: Sym) -> Out:
        targets = self.graph.get(self.name[sym], {}).items()
        return Out(tuple((cost, Link(sym, self.sym[t], "call", "exact", 0, 1)) for t, cost in targets), ())

    def search(self, *stations: str) -> tuple[Way, set[str]]:
        search = Search(cast(Hops, self))
        way = search.along([{self.sym[n] for n in s.split()} for s in stations])
        assert way is not None
        return way, {self.name[s] for s in search.opened}


def test_what_costs_more_than_the_goal_is_not_opened() -> None:
    way, opened = Drawn({"a": {"b": 2, "far": 5}, "b": {"goal": 2}, "far": {"goal": 9}}).search("a", "goal")
    assert (way.cost, len(way.links)) == (4, 2)
    assert opened == {"a", "b"}


def test_once_every_goal_is_met_nothing_more_is_opened() -> None:
    drawn = Drawn({"a": {"one": 2, "two": 4, "side": 5}, "one": {}, "two": {"end": 2}, "side": {"more": 2}})
    way, opened = drawn.search("a", "one two", "end")
    assert (way.missing, way.cost) == (-1, 6)
    assert opened == {"a", "one", "two"}


def test_a_dearer_hit_is_kept_where_only_it_leads_on() -> None:
    drawn = Drawn({"a": {"one": 2, "two": 9}, "one": {"dead": 2}, "two": {"end": 2}})
    way, _ = drawn.search("a", "one two", "end")
    assert (way.missing, way.cost) == (-1, 11)
    drawn = Drawn({"a": {"one": 2, "two": 40}, "one": {"dead": 2}, "two": {"end": 2}})
    assert drawn.search("a", "one two", "end")[0].cost == 42


def test_of_equally_cheap_goals_the_first_is_taken() -> None:
    way, _ = Drawn({"a": {"y": 2, "x": 2, "z": 3}}).search("a", "x y z")
    assert (way.cost, way.end) == (2, Drawn({"a": {"y": 2, "x": 2, "z": 3}}).sym["x"])
