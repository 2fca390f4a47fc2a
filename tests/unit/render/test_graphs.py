"""Edges as JSON lines: each line is what `json.dumps` makes of the edge."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tracer.model import Edge
from tracer.render import graphs

TEXT = st.text(max_size=12)


@given(st.lists(st.builds(Edge, TEXT, TEXT, TEXT, st.sampled_from(["exact", "typed"]), TEXT, st.integers(0), TEXT)))
def test_a_line_is_the_edge_as_json(edges: list[Edge]) -> None:
    lines = list(graphs.write(edges, "jsonl"))
    for edge, line in zip(edges, lines, strict=True):
        row = {k: getattr(edge, k) for k in ("source", "target", "kind", "basis", "file", "line")}
        row |= {"via": edge.via} if edge.via else {}
        assert line == json.dumps(row, ensure_ascii=False) + "\n"
