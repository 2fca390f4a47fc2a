"""Sites as a SCIP index: read back by field numbers, with the ranges of the very statements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.render.traces import HOLD, PUT, TREE, trace

scip = pytest.importorskip("tracer.render.scip", reason="protobuf is not here")


def test_every_site_is_an_occurrence_of_its_rules_action_at_its_statement() -> None:
    data = scip.index([trace(HOLD, PUT)], [TREE])
    index = scip._types()["Index"].FromString(data)
    assert (index.metadata.tool_info.name, index.metadata.project_root) == ("tracer", "file:///toy")
    put, hold = index.documents
    assert (put.relative_path, put.language, put.position_encoding) == ("toy/index.py", "Python", 3)
    (occurrence,) = hold.occurrences
    assert list(occurrence.range) == [3, 12, 23]
    line = TREE.read("toy/pool.py").decode().splitlines()[3]
    assert line[12:23] == "b.pins += 1"
    assert occurrence.symbol == "tracer . toy 1.0 protection/acquire/`toy.protection.pins`."
    (told,) = occurrence.diagnostics
    assert (told.severity, told.code, told.source) == (3, "toy.protection.pins", "tracer")
    assert told.message == "protection acquire (gpu) in Pool.hold [typed]"
    assert {s.symbol: list(s.documentation) for s in index.external_symbols}[occurrence.symbol] == ["a block is held"]
    assert scip.index([trace(PUT, HOLD)], [TREE]) == data


def test_a_statement_of_several_lines_and_a_test() -> None:
    long = replace(HOLD, first=3, last=4, context="test")
    (document,) = scip._types()["Index"].FromString(scip.index([trace(long)], [TREE])).documents
    assert list(document.occurrences[0].range) == [2, 8, 3, 23]
    assert document.occurrences[0].symbol_roles == 0x20


def test_the_bytes_have_the_public_field_numbers() -> None:
    data = scip.index([trace(HOLD)], [TREE])
    # Index.metadata = 1 (length-delimited), in it tool_info = 2, in that name = 1
    assert data[0] == 0x0A
    assert data[2] == 0x12
    assert data[4:12] == b"\x0a\x06tracer"
