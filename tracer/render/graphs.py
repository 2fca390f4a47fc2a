"""Edges as JSON lines, GraphML or DOT (streamed where the format allows it, in their own order); callees by caller."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO

from tracer.model import Edge


def write(edges: Iterable[Edge], form: str) -> Iterator[str]:
    """The text of `edges` in `form` (jsonl, graphml, dot), piece by piece."""
    if form == "jsonl":
        yield from _jsonl(edges)
    elif form == "graphml":
        yield _graphml(edges)
    else:
        yield from _dot(edges)


def adjacency(callees: Mapping[str, Sequence[str]]) -> str:
    """One JSON object of callees by caller, as call-graph benchmarks read it."""
    return json.dumps(callees, ensure_ascii=False, indent=1) + "\n"


def _jsonl(edges: Iterable[Edge]) -> Iterator[str]:
    text = json.encoder.encode_basestring  # `json.dumps` of a whole row takes six times as long
    for e in edges:
        via = f', "via": {text(e.via)}' if e.via else ""
        yield (
            f'{{"source": {text(e.source)}, "target": {text(e.target)}, "kind": {text(e.kind)}, '
            f'"basis": {text(e.basis)}, "file": {text(e.file)}, "line": {e.line}{via}}}\n'
        )


def _graphml(edges: Iterable[Edge]) -> str:
    import networkx as nx

    graph = nx.MultiDiGraph()
    for e in edges:
        via = {"via": e.via} if e.via else {}
        graph.add_edge(e.source, e.target, kind=e.kind, basis=e.basis, file=e.file, line=e.line, **via)
    out = BytesIO()
    nx.write_graphml(graph, out)
    return out.getvalue().decode("utf-8") + "\n"


def _dot(edges: Iterable[Edge]) -> Iterator[str]:
    yield "digraph tracer {\n"
    for e in edges:
        label = f"{e.kind}\\n{e.file.rsplit('/', 1)[-1]}:{e.line}"
        named = f"file={quoted(e.file)} line={e.line}" + (f" via={quoted(e.via)}" if e.via else "")
        yield f"  {quoted(e.source)} -> {quoted(e.target)} [label={quoted(label, escape=False)} {named}];\n"
    yield "}\n"


def quoted(text: str, *, escape: bool = True) -> str:
    """A DOT string; with `escape`, backslashes in source text stay what they are."""
    safe = text.replace("\\", "\\\\") if escape else text
    return '"' + safe.replace('"', '\\"').replace("\n", " ") + '"'
