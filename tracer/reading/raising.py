"""Which statements raise into which handlers, as far as their text tells: what only logs does not; what waits does.

Takes a reading and its control-flow graph. Makes edges to leave out of a walk. Refuses to know rules. The graph itself
lets every statement of a `try` raise into each handler; a question about what is held asks for less:
    a statement that only logs, looks at a clock or moves values about raises nothing
    an exception that names a library, a time-out or a cancellation comes out of a wait, where the `try` has one
    what gives back inside a handler is not stopped half-way by an exception that is only logged
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from tracer.reading.control import Graph, graph_of
from tracer.reading.statements import Block, Reading, Statement, has_call

_QUIET = ("simple", "return", "raii", "if", "while", "for")
_CALM = re.compile(
    r"(?:self\.)?_?(?:logger|logging|log)\.\w+\(.*|\b_?log\w*\(.*|VLOG\(.*|LOG\(.*|\btime\.\w+\(\)"
    r"|\.(?:append|add|discard|items|values|keys|get)\("
    r"|\.cast\(|\b(?:memoryview|len|str|int|isinstance|list|dict|set|tuple|range|min|max|repr)\("
)
_WAITS = re.compile(r"\bawait\b|^async\b|\.(?:result|wait|join|recv\w*|read\w*|poll)\(|\bwait_for\(|\btimeout\b")
_NAMES = re.compile(r"[A-Za-z_][\w.]*")
_LATE = re.compile(r"Timeout|Cancel|Connection|Deadline")
_GOES_ON = ("pass", "continue", "except")


@lru_cache(maxsize=256)
def quiet_edges(reading: Reading, host: Statement | None, exceptions: bool) -> frozenset[tuple[int, int]]:
    """The edges by which a statement would raise that does not, or not what the handler is for."""
    graph = graph_of(reading, host, exceptions)
    tries = {b.statements[0]: s for s in reading.statements() if s.kind == "try" for b in s.blocks
             if b.label == "except" and b.statements and b.statements[0].kind == "except"}
    cut: set[tuple[int, int]] = set()
    for node, statement in enumerate(graph.statements):
        if statement is None:
            continue
        calm = statement.kind in _QUIET and not has_call(_CALM.sub("", statement.text))
        for after in graph.raised[node]:
            if after in graph.normal[node]:
                continue
            if calm or (not _WAITS.search(statement.text) and _only_waiting(graph, after, tries)):
                cut.add((node, after))
    return frozenset(cut)


def _only_waiting(graph: Graph, entry: int, tries: dict[Statement, Statement]) -> bool:
    """Whether the handler at `entry` takes only what a wait in its `try` raises."""
    head = next((s for n in (entry, *graph.normal[entry]) if (s := graph.statements[n]) in tries), None)
    if head is None:
        return False
    names = _NAMES.findall(head.text.removeprefix("except").split(" as ")[0])
    if not names or not all(_late(name) for name in names):
        return False
    body = tries[head].block("body")
    return body is not None and any(_WAITS.search(s.text) for s in _inside(body))


def _late(name: str) -> bool:
    """Whether an exception of that name is a library's, a time-out or a cancellation."""
    last = name.rsplit(".", 1)[-1]
    return ("." in name and not hasattr(builtins, last)) or _LATE.search(last) is not None


def _inside(block: Block) -> Iterator[Statement]:
    for s in block.statements:
        if s.kind not in ("def", "class"):
            yield s
            for inner in s.own_blocks():
                yield from _inside(inner)


def rollback_edges(reading: Reading, graph: Graph, lines: Collection[int]) -> set[tuple[int, int]]:
    """The edges into a handler that only logs, of a `try` in a handler or a `finally` that gives back at a line."""
    cut: set[tuple[int, int]] = set()
    for line in lines:
        around = reading.holders(line)
        for depth, (block, at) in enumerate(around):
            statement = block.statements[at]
            if statement.kind != "try" or not any(b.label in ("except", "finally") for b, _ in around[: depth + 1]):
                continue
            body = statement.block("body")
            handlers = [b for b in statement.blocks if b.label == "except"]
            if body is None or body is not (around[depth + 1][0] if depth + 1 < len(around) else None):
                continue
            if not all(_goes_on(s) for b in handlers for s in b.statements):
                continue
            heads = {b.statements[0] for b in handlers if b.statements}
            for node in (n for s in _inside(body) for n in graph.nodes.get(s, ())):
                for after in graph.raised[node]:
                    firsts = {graph.statements[n] for n in (after, *graph.normal[after])}
                    cut |= {(node, after)} if firsts & heads else set()
    return cut


def _goes_on(statement: Statement) -> bool:
    """Whether a statement of a handler does no more than log."""
    plain = statement.kind in _GOES_ON or statement.text in _GOES_ON
    return plain or (statement.kind == "simple" and not has_call(_CALM.sub("", statement.text)))
