"""The whole graph, made on several cores, is the one that one core makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.worlds import MemoryTree
from tracer.graph import whole
from tracer.graph.edges import edges_of
from tracer.graph.world import World
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import Target

TARGET = Target("example", "Example", "https://example.org/e", ("",))


def _ring(count: int) -> MemoryTree:
    """Files in a ring: each calls the next one's function on an object that the next one makes from it."""
    return MemoryTree(
        {
            f"m{n}.py": f"""
                from m{(n + 1) % count} import Part as Next

                class Part:
                    def make(self, x):
                        self.other = Next()
                        return self.other.make(x) or x.to(self)
                """
            for n in range(count)
        }
    )


@pytest.mark.parametrize("count", [3, whole.SMALL + 30])
def test_equal_to_the_graph_of_one_core(tmp_path: Path, count: int) -> None:
    tree, store = _ring(count), Store(tmp_path / "facts.sqlite")
    facts = survey(tree, store)
    found = list(whole.unpacked(list(whole.batches([(tree, TARGET)], store))))
    assert found == list(edges_of(World([(facts, TARGET)])))
    assert len({e.source for e in found}) >= count


def test_progress_ends_at_the_last_file(tmp_path: Path) -> None:
    tree, store, seen = _ring(whole.SMALL + 1), Store(tmp_path / "facts.sqlite"), []
    survey(tree, store)
    list(whole.batches([(tree, TARGET)], store, lambda _, done, total: seen.append((done, total))))
    assert seen[-1] == (whole.SMALL + 1, whole.SMALL + 1)
