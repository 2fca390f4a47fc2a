"""The ways out of a function: which statements leave it, how, and where an exit starts in the control-flow graph.

Takes a `Reading`, its graph and the nodes that were reached. Makes `Exit`s. Refuses to know what lies between: paths
are `flow.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from tracer.reading.control import ENTRY, FALL, RAISE, RETURN, Graph
from tracer.reading.statements import Reading, Statement


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of a function: `kind` return · raise · fall · co_return · throw; `implicit`: a call that may raise."""

    line: int
    kind: str
    text: str
    implicit: bool = False


def end(leaving: Exit) -> int:
    """The end of the graph that an exit leads to."""
    return {"fall": FALL, "raise": RAISE, "throw": RAISE}.get(leaving.kind, RETURN)


def outward(graph: Graph, node: int, leaving: Exit) -> list[int]:
    """Where flow goes first that leaves from `node` by that exit."""
    last = end(leaving)
    return [n for n in (graph.raised if last == RAISE else graph.normal)[node] if n in graph.outward[last]]


def origins(reading: Reading, graph: Graph, leaving: Exit) -> list[int]:
    """The nodes that `leaving` leaves from."""
    if leaving.kind == "fall":
        return []
    out: list[int] = []
    for statement, nodes in graph.nodes.items():
        if statement.first != leaving.line:
            continue
        for found, implicit in _ways_out(reading, statement):
            if (found, implicit) == (leaving.kind, leaving.implicit):
                out += nodes
    return out


def _ways_out(reading: Reading, statement: Statement) -> list[tuple[str, bool]]:
    """How flow may leave a function from a statement: kind, and whether only an exception of a call makes it."""
    word = "throw" if reading.language == "cpp" else "raise"
    if statement.kind == "raise":
        return [(word, False)]
    if statement.kind == "return":
        return [("co_return" if statement.text.startswith("co_return") else "return", False), (word, True)]
    return [(word, True)]


def exits_from(
    reading: Reading, host: Statement | None, graph: Graph, reached: set[int], starts: dict[int, list[int]]
) -> tuple[Exit, ...]:
    """The exits from `reached` nodes, from a start itself, and those under way at a start in a `finally`."""
    found: set[Exit] = set()
    alive = graph.reach([ENTRY])
    onward = {node: graph.reach(behind) for node, behind in starts.items()}
    leads: dict[int, set[int]] = {}
    for statement, nodes in graph.nodes.items():
        for kind, implicit in _ways_out(reading, statement):
            leaving = Exit(statement.first, kind, statement.text, implicit)
            last = end(leaving)
            for node, after in ((n, a) for n in nodes if n in alive for a in outward(graph, n, leaving)):
                if after not in leads:
                    leads[after] = graph.reach([after])
                if last not in leads[after]:
                    continue  # a `finally` that returns keeps an exception in
                # A start that raises has not started: it is no exit behind itself.
                own = node in reached or (node in starts and not implicit)
                if own or any(n in leads[after] and last in ahead for n, ahead in onward.items()):
                    found.add(leaving)
    if FALL in reached:
        found.add(Exit(host.last if host is not None else reading.last, "fall", ""))
    return tuple(sorted(found, key=lambda e: (e.line, e.kind, e.implicit)))
