"""The whole graph of some trees, on all cores. What a file's edges are does not depend on which core asks."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tracer.graph.edges import Edges
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.model import Edge, SourceTree
from tracer.survey import Facts, Progress
from tracer.survey.store import Store
from tracer.targets import Target
from tracer.workers import each, pool

BATCH = 64  # files a core takes at once
SMALL = 200  # files; below, starting processes costs more than it saves
Trees = Sequence[tuple[SourceTree, Target]]


def batches(trees: Trees, store: Store, progress: Progress | None = None) -> Iterator[bytes]:
    """Every edge of the surveyed `trees`, joined as one body of code: packed batches in file and line order."""
    world = _world(trees, store)
    jobs = [range(n, min(n + BATCH, world.size)) for n in range(0, world.size, BATCH)]
    workers = min(len(jobs), os.cpu_count() or 1)
    if workers <= 1 or world.size < SMALL:
        edges = world.once(Uses).once(Edges)
        yield from (_packed(edges, job) for job in jobs)
        return
    found: dict[int, bytes] = {}
    with pool(workers, "fork", _start, (trees, store.path)) as executor:
        for number, batch in each(executor, _work, jobs):
            found[number] = batch
            if progress:
                progress("graph", min(len(found) * BATCH, world.size), world.size)
    if len(found) < len(jobs):  # a process was killed, for want of memory say: the rest here
        edges = Edges(Uses(world))
        found |= {n: _packed(edges, job) for n, job in enumerate(jobs) if n not in found}
    yield from (found[n] for n in range(len(jobs)))


def unpacked(found: Sequence[bytes]) -> Iterator[Edge]:
    """The edges of packed batches."""
    decode = msgspec.msgpack.Decoder(list[Edge]).decode
    for batch in found:
        yield from decode(batch)


def _world(trees: Trees, store: Store) -> World:
    parts = [(Facts(tree, store), target) for tree, target in trees]
    for facts, _ in parts:
        facts.open_names()
    return World(parts)


def _packed(edges: Edges, files: Sequence[int]) -> bytes:
    return msgspec.msgpack.encode([e for number in files for e in edges.in_order(number)])


_edges: Edges | None = None


def _start(trees: Trees, cache: Path) -> None:
    global _edges
    gc.disable()  # what a core learns lasts as long as it runs; looking for cycles in it only costs
    _edges = Edges(Uses(_world(trees, Store(cache))))


def _work(files: Sequence[int]) -> bytes:
    assert _edges is not None
    return _packed(_edges, files)
