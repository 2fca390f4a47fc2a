"""Named paths on the newest pins: stores cross the repositories up to the master that completes the replica."""

from __future__ import annotations

import pytest

import tracer.trace as pipeline
from tracer import checkout
from tracer.errors import TracerError
from tracer.model import Path

pytestmark = [pytest.mark.engine, pytest.mark.network]


def ask(name: str, specs: list[str], choose: tuple[str, ...] = ()) -> Path:
    for spec in specs:
        try:
            checkout.open_tree(spec)
        except TracerError as error:
            pytest.skip(str(error))
    (found,) = pipeline.path([name], specs, choose=choose).paths
    return found


@pytest.mark.parametrize(
    ("specs", "choose", "crossings"),
    [
        (["vllm", "lmcache", "mooncake"], ("stack=mp",), {"rpc", "callback", "thread", "binding"}),
        (["vllm", "lmcache", "mooncake"], ("stack=in-process",), {"binding", "rpc"}),
        (["sglang", "mooncake"], (), {"thread", "binding", "rpc"}),
    ],
)
def test_a_store_ends_where_the_master_completes_the_replica(
    specs: list[str], choose: tuple[str, ...], crossings: set[str]
) -> None:
    found = ask("store", specs, choose)
    assert found.end == "complete"
    assert [e for k, e in enumerate(s.engine for s in found.steps) if k == 0 or e != found.steps[k - 1].engine] == specs
    assert crossings <= {s.edge for s in found.steps}
    commits = pipeline.where("publish", ["mooncake"], layer="remote", action="commit")
    completing = {(s.file, s.symbol) for s in commits.sites}
    last = found.steps[-1]
    assert (last.file, last.symbol) in completing


@pytest.mark.parametrize("name", ["store", "load", "lookup", "evict", "owner-death"])
def test_mooncakes_own_paths_are_complete(name: str) -> None:
    assert ask(name, ["mooncake"]).end == "complete"
