"""Whom the functions of small programs call: one case a folder beside this file, with the edges that a run of it has.

A case's `callgraph.json` holds what running it shows, and the other side of its branches; calls of built-in functions
are left out; a generator is called by whom makes it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracer.graph.values.flow import adjacency

FOUND = sorted(p.parent for p in Path(__file__).parent.glob("*/*/callgraph.json"))


def edges(callees: dict[str, list[str]]) -> set[tuple[str, str]]:
    return {(a, b) for a, bs in callees.items() for b in bs if not b.startswith("<")}


def test_cases_are_there() -> None:
    assert len(FOUND) >= 200
    assert len({p.parent.name for p in FOUND}) >= 15


@pytest.mark.parametrize("case", FOUND, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_case(case: Path) -> None:
    expected = edges(json.loads((case / "callgraph.json").read_text()))
    assert expected or case.parent.name == "imports"
    assert edges(adjacency(case, case / "main.py")[0]) == expected
