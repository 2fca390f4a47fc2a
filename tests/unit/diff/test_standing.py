"""A statement that a rule finds in one version only, and which the other version has too, is no change."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.unit.worlds import MemoryTree
from tracer.diff.model import Change, End
from tracer.diff.standing import changed
from tracer.survey import survey
from tracer.survey.store import Store

PYTHON = """
class Index:
    def drop(self, key):
        with self.lock:  # held
            del self.rows[
                key]


def drop(rows):
    rows.clear()
"""
CPP = """
namespace kv {
void Index::drop(Key key) {
    rows_->erase(key);  // gone
}
}
"""


def subject(**files: str) -> Any:
    tree = MemoryTree({f"kv/{n.replace('_', '.')}": t for n, t in files.items()})
    return SimpleNamespace(tree=tree, facts=survey(tree, Store(Path(":memory:"))))


def gone(symbol: str, file: str, text: str) -> Change:
    return Change("site", "toy", "removed", "behaviour", End(symbol, file, 1, 2, 2, text=(text,)), None)


def left(change: Change, **files: str) -> tuple[int, int]:
    kept, same = changed([change], subject(), subject(**files))
    return len(kept), same


def test_a_statement_that_stands_in_its_function() -> None:
    files = {"cache_py": PYTHON, "cache_cpp": CPP}
    assert left(gone("old.place.Index.drop", "old/place.py", "del self.rows[key]"), **files) == (0, 1)
    assert left(gone("kv::Index::drop", "kv/cache.cpp", "rows_.erase(key);"), **files) == (0, 1)
    assert left(gone("kv.cache.drop", "kv/cache.py", "rows.clear()"), **files) == (0, 1)


def test_another_statement_another_function_another_file() -> None:
    assert left(gone("kv.cache.Index.drop", "kv/cache.py", "self.rows.pop(key)"), cache_py=PYTHON) == (1, 0)
    assert left(gone("kv.cache.Index.take", "kv/cache.py", "del self.rows[key]"), cache_py=PYTHON) == (1, 0)
    assert left(gone("kv.cache.Table.drop", "kv/cache.py", "del self.rows[key]"), cache_py=PYTHON) == (1, 0)
    assert left(gone("kv.other.drop", "kv/other.py", "rows.clear()"), cache_py=PYTHON) == (1, 0)


def test_what_is_added_is_looked_for_before() -> None:
    end = End("kv.cache.Index.drop", "kv/cache.py", 1, 2, 2, text=("del self.rows[key]",))
    added = Change("site", "toy", "added", "behaviour", None, end)
    assert changed([added], subject(cache_py=PYTHON), subject()) == ([], 1)
    assert changed([added], subject(), subject(cache_py=PYTHON)) == ([added], 0)
    moved = Change("site", "toy", "moved", "place", end, end)
    assert changed([moved], subject(cache_py=PYTHON), subject(cache_py=PYTHON)) == ([moved], 0)
