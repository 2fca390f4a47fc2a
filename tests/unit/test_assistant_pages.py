"""The lines that an assistant's page quotes are those of the version that each item speaks of."""

from __future__ import annotations

from tests.unit.trees import MemoryTree
from tracer.assistant.pages import page
from tracer.cited import claims_of
from tracer.evidence import judged
from tracer.files import Files
from tracer.model import SourceTree

OLD, NEW = "def put(k):\n    old(k)\n", "import os\n\ndef put(k):\n    new(k)\n"


def _tree(engine: str, version: str) -> SourceTree:
    return MemoryTree({"a.py": OLD if version == "1.0" else NEW}, engine, version)


def test_a_stop_of_a_timeline_is_quoted_from_its_own_version() -> None:
    stops = [
        {"version": "1.0", "symbol": "a.put", "file": "a.py", "first": 2, "last": 2},
        {"version": "2.0", "symbol": "a.put", "file": "a.py", "first": 4, "last": 4},
    ]
    engines = [{"name": "toy", "version": "1.0"}, {"name": "toy", "version": "2.0"}]
    found = page({"engines": engines, "lines": [{"role": "publish", "stops": stops}]}, _tree)
    assert [stop["lines"] for stop in found["lines"][0]["stops"]] == [["    old(k)"], ["    new(k)"]]
    files = Files(_tree)
    assert {v.status for v in judged(list(claims_of(found)), files)} == {"ok"}
