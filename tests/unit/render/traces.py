"""Hand-made traces for the renderers' tests."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.trees import MemoryTree
from tracer.model import EngineRevision, Gap, Site, Trace, digest_of

POOL = """\
class Pool:
    def hold(self, b):
        if b.live:
            b.pins += 1
        # `tick` | bar
"""
INDEX = """\
class Index:
    def put(self, k, v):
        self.map[k] = v
"""
TREE = MemoryTree({"toy/pool.py": POOL, "toy/index.py": INDEX})

HOLD = Site(
    rule="toy.protection.pins",
    role="protection",
    action="acquire",
    layer="gpu",
    symbol="toy.pool.Pool.hold",
    file="toy/pool.py",
    def_line=2,
    first=4,
    last=4,
    digest=digest_of("            b.pins += 1"),
    basis="typed",
    guards=("if b.live", "not (a | b)"),
    why="a block is held",
    permalink="https://host/o/r/blob/v1.0/toy/pool.py#L4",
)
PUT = Site(
    rule="toy.publish.map",
    role="publish",
    action="commit",
    layer="host",
    symbol="toy.index.Index.put",
    file="toy/index.py",
    def_line=2,
    first=3,
    last=3,
    digest=digest_of("        self.map[k] = v"),
    basis="exact",
    via=("toy.index.Index.set",),
    stack="v1",
    why="the key becomes visible",
)
GAP = Gap("toy.publish.other", "found commit 0 (expected >=1)")


def trace(*sites: Site, gaps: tuple[Gap, ...] = (), tree: MemoryTree = TREE) -> Trace:
    return Trace((EngineRevision(tree.engine, tree.version, tree.revision),), sites, gaps=gaps)


def on(layer: str, action: str) -> Site:
    return replace(PUT, layer=layer, action=action)
