"""What can be said of the paths through one function: its exits, what comes before and after what.

Takes a `Reading` and lines of its file. Makes exits and verdicts, with the lines of a path that shows it where
something does not hold. Refuses to know what a line means: that it acquires or releases is the asker's business.

A line stands for its innermost statement, so on `if (!ok) return;` for the return; `when` picks the head instead.
To start from a line of the function's own head is to start from its entry.
Lines inside a nested function or a lambda are asked for in that function; its body does not run where it stands
(`lambdas=True`: count it as running there, for calls that run their argument at once).
A statement that was reached counts as having happened, also when it raises half-way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from tracer.reading.branches import Branch, cut_edges, entered
from tracer.reading.control import ENTRY, FALL, Graph, graph_of
from tracer.reading.flags import flags_of
from tracer.reading.leaving import Exit, end, exits_from, origins, outward
from tracer.reading.raising import quiet_edges, rollback_edges
from tracer.reading.statements import Block, Reading, Statement

When = Literal["", "body", "else"]
_HEADED = ("if", "while", "for", "with", "match", "switch")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`verdict` holds · fails · unknown; `path`: the lines of a path on which it fails."""

    verdict: Literal["holds", "fails", "unknown"]
    path: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return self.verdict == "holds"


def exits(reading: Reading, host: Statement | None = None, *, exceptions: bool = False) -> tuple[Exit, ...]:
    """The reachable exits, by line; of `host`, a nested function or lambda of it, where one is given."""
    if reading.head is not None and reading.head.kind == "class" and host is None:
        return ()
    graph = graph_of(reading, host, exceptions)
    return exits_from(reading, host, graph, graph.reach([ENTRY]), {})


def reachable_exits(
    reading: Reading, line: int, *, when: When = "", exceptions: bool = False, never: Collection[Branch] = (),
    calm: bool = False,
) -> tuple[Exit, ...]:
    """The exits that can be reached behind the statement at `line`, in the function that holds the line.

    `never`: branches that are known not to be taken. `calm`: what only logs or moves values about raises nothing.
    """
    host = reading.host_of(line)
    graph = graph_of(reading, host, exceptions)
    starts = _starts(reading, graph, line, when)
    flags = flags_of(reading, host, exceptions)
    _, reached = flags.walk(flags.behind(starts), (), (), _cut(reading, host, exceptions, never, calm))
    return exits_from(reading, host, graph, {node for node, _ in reached}, starts)


def covered(
    reading: Reading, start_line: int, leaving: Exit, lines: Collection[int], *, scoped: Collection[int] = (),
    when: When = "", exceptions: bool = False, lambdas: bool = False, present: bool = False,
) -> bool:
    """Whether every path from behind the statement at `start_line` to `leaving` passes one of `lines`.

    `scoped`: lines of `with` heads and scope guards, which do their work whenever their scope is left. `when`: start
    only where the test of the head at `start_line` holds ("body") or fails ("else"), for `if (!acquire()) return;`.
    `present`: take it that there is something to work on, so that `if (p) p->unpin();` and `for b in bs: free(b)`
    enter their bodies.
    """
    return escape(reading, start_line, leaving, lines, scoped=scoped, when=when, exceptions=exceptions,
                  lambdas=lambdas, present=present) is None


def escape(
    reading: Reading, start_line: int, leaving: Exit, lines: Collection[int], *, scoped: Collection[int] = (),
    when: When = "", exceptions: bool = False, lambdas: bool = False, present: bool = False,
    never: Collection[Branch] = (), calm: bool = False,
) -> tuple[int, ...] | None:
    """The lines of a path that `covered` denies, from `start_line` to the exit; None where there is none.

    `never`: branches that are known not to be taken. `calm`: what only logs or moves values about raises nothing.
    """
    host = reading.host_of(start_line)
    graph = graph_of(reading, host, exceptions)
    at_leave = {line for line in lines if _guarded_by_scope(reading, line)} | set(scoped)
    if any(_in_scope(reading, start_line, line) for line in at_leave):
        return None
    stops = set(_nodes(reading, graph, {*lines}, lambdas)) | set(_nodes(reading, graph, at_leave, True))
    cut = _cut(reading, host, exceptions, never, calm)
    if present:
        cut |= rollback_edges(reading, graph, lines) if calm else set()
        cut |= entered(reading, graph, lines, stops, cut)
    starts = _starts(reading, graph, start_line, when)
    starts = {node: [after for after in ways if (node, after) not in cut] for node, ways in starts.items()}
    flags = flags_of(reading, host, exceptions)
    before, begin = flags.at(starts), flags.behind(starts)
    if leaving.kind == "fall":
        way, _ = flags.walk(begin, {FALL}, stops, cut)
        return None if way is None else (abs(start_line), *_lines(graph, way, leaving))
    goal = {end(leaving)}
    _, reached = flags.walk(begin, (), stops, cut)
    for node in origins(reading, graph, leaving):
        values = sorted({v for n, v in reached if n == node}, key=repr)
        itself = before.get(node, []) if not when and not leaving.implicit else []
        for after in outward(graph, node, leaving):
            tail, _ = flags.walk([(after, flags.after(node, v)) for v in (*values, *itself)], goal, stops, cut)
            if tail is not None:
                first = flags.walk(begin, {node}, stops, cut)[0] if values else None
                return (abs(start_line), *_lines(graph, [*(first or ()), *tail], leaving))
            for pending in sorted(starts.keys() & graph.reach([after])):
                onward = [at for at in begin if at[0] in starts[pending]]
                way, _ = flags.walk(onward, goal, stops, cut)
                if way is not None:
                    return (abs(start_line), *_lines(graph, way, leaving))
    return None


def arrival(
    reading: Reading, line: int, lines: Collection[int], *, present: bool = False, never: Collection[Branch] = (),
) -> tuple[int, ...] | None:
    """The lines of a path from the entry to `line` that passes none of `lines`; None where there is none."""
    graph = graph_of(reading, reading.host_of(line))
    stops = set(_nodes(reading, graph, lines, False))
    goals = set(_nodes(reading, graph, [line], True)) - stops
    cut = cut_edges(graph, never) | (entered(reading, graph, lines, stops) if present else set())
    flags = flags_of(reading, reading.host_of(line))
    way, _ = flags.walk([(ENTRY, flags.unknown)], goals, stops, cut)
    return None if way is None else _lines(graph, way)


def always_before(
    reading: Reading, a_lines: Collection[int], b_lines: Collection[int], *, exceptions: bool = False,
    lambdas: bool = False,
) -> Verdict:
    """Whether on every path that reaches one of `b_lines` one of `a_lines` came before."""
    failed: Verdict | None = None
    seen = False
    for line in sorted(b_lines):
        answers = [_before(reading, host, a_lines, line, exceptions, lambdas) for host in _hosts(reading, line)]
        known = [answer for answer in answers if answer.verdict != "unknown"]
        seen = seen or bool(known)
        if known and not any(answer.holds for answer in known):
            failed = failed or known[0]
    if failed is not None:
        return failed
    return Verdict("holds" if seen else "unknown")


def dominates(reading: Reading, a: int, b: int, *, exceptions: bool = False) -> bool:
    """Whether no path reaches line `b` without the statement at line `a`."""
    return always_before(reading, [a], [b], exceptions=exceptions).holds


def may_follow(reading: Reading, a: int, b: int, *, exceptions: bool = False) -> bool:
    """Whether a path leads from behind the statement at line `a` to the one at line `b`."""
    graph = graph_of(reading, reading.host_of(a), exceptions)
    reached = graph.reach(_behind(_starts(reading, graph, a, "")))
    return any(node in reached for node in _nodes(reading, graph, [b], True))


def leads(
    reading: Reading, a: int, b: int, avoiding: Collection[int], *, never: Collection[Branch] = ()
) -> bool:
    """Whether a path leads from behind the statement at `a` to the one at `b` that passes none of `avoiding`."""
    host = reading.host_of(a)
    graph = graph_of(reading, host, False)
    goals = set(_nodes(reading, graph, [b], True))
    stops = set(_nodes(reading, graph, avoiding, True)) - goals
    starts, flags = _starts(reading, graph, a, ""), flags_of(reading, host)
    return flags.walk(flags.behind(starts), goals, stops, _cut(reading, host, False, never, True))[0] is not None


# -- from lines to nodes ------------------------------------------------------------------------------------------
def _nodes(reading: Reading, graph: Graph, lines: Iterable[int], lambdas: bool) -> list[int]:
    """The nodes of the statements at `lines`; `lambdas`: of the statement that holds the lambda they are in."""
    out: list[int] = []
    for line in sorted(set(lines)):
        found = reading.statement_at(line)
        if found is not None and found in graph.nodes:
            out += graph.nodes[found]
        elif lambdas:
            ours = [block.statements[at] for block, at in reading.holders(line) if block.statements[at] in graph.nodes]
            out += graph.nodes[ours[-1]] if ours else []
    return out


def _starts(reading: Reading, graph: Graph, line: int, when: When) -> dict[int, list[int]]:
    """The nodes of the statement at `line`, and where flow may go once it is done."""
    if reading.head is not None and reading.statement_at(line) is reading.head:
        return {ENTRY: graph.normal[ENTRY]}
    if not when:  # what a `raise` does is to raise; anything else that raises is not done
        nodes = _nodes(reading, graph, [line], False)
        return {n: graph.normal[n] or [a for a in graph.raised[n] if _kind(graph, n) == "raise"] for n in nodes}
    heads = [s for s in (block.statements[at] for block, at in reading.holders(line))
             if s in graph.nodes and s.kind in _HEADED and s.first <= abs(line) <= s.head]
    nodes = graph.nodes[heads[-1]] if heads else []
    return {node: [ways[when]] for node in nodes if when in (ways := graph.branches.get(node, {}))}


def _kind(graph: Graph, node: int) -> str:
    statement = graph.statements[node]
    return statement.kind if statement is not None else ""


def _cut(
    reading: Reading, host: Statement | None, exceptions: bool, never: Collection[Branch], calm: bool
) -> set[tuple[int, int]]:
    quiet = quiet_edges(reading, host, exceptions) if calm else frozenset()
    return cut_edges(graph_of(reading, host, exceptions), never) | quiet


def _behind(starts: dict[int, list[int]]) -> list[int]:
    return [after for behind in starts.values() for after in behind]


def _hosts(reading: Reading, line: int) -> list[Statement | None]:
    """The functions that hold `line`: the innermost first, the reading's own (None) last."""
    held = [block.statements[at] for block, at in reading.holders(line)]
    inner = [s for s, below in zip(held, [*held[1:], None], strict=True) if s.kind == "def" and below is not None]
    return [*reversed(inner), None]


def _place(reading: Reading, line: int) -> tuple[Block, int] | None:
    """The block and the position of the statement that `line` stands for, outside of lambdas."""
    found = reading.statement_at(line)
    return next(((b, at) for b, at in reading.holders(line) if b.statements[at] is found), None)


def _in_scope(reading: Reading, line: int, scope_line: int) -> bool:
    """Whether `line` runs while the `with` or the scope guard at `scope_line` is in force."""
    place = _scope(reading, scope_line)
    if place is None:
        return False
    block, at = place
    guard = block.statements[at]
    for holder, index in reading.holders(line):
        if guard.kind == "with" and any(holder is b for b in guard.own_blocks()):
            return True
        if guard.kind != "with" and holder is block and index > at:
            return True
    return False


def _scope(reading: Reading, line: int) -> tuple[Block, int] | None:
    """The `with` or the scope guard that `line` stands in the head of, or in a lambda of."""
    for block, at in reversed(reading.holders(line)):
        if block.statements[at].kind == "raii":
            return block, at
    return _place(reading, line)


def _guarded_by_scope(reading: Reading, line: int) -> bool:
    """Whether `line` stands in a lambda that a scope guard runs at the end of its scope."""
    found = reading.statement_at(line)
    return any(b.statements[at].kind == "raii" and b.statements[at] is not found for b, at in reading.holders(line))


# -- answers ------------------------------------------------------------------------------------------------------
def _lines(graph: Graph, way: Iterable[int], leaving: Exit | None = None) -> tuple[int, ...]:
    lines = [s.first for node in way if (s := graph.statements[node]) is not None]
    if leaving is not None and leaving.kind == "fall":
        lines.append(leaving.line)
    return tuple(line for at, line in enumerate(lines) if at == 0 or lines[at - 1] != line)


def _before(
    reading: Reading, host: Statement | None, a_lines: Collection[int], line: int, exceptions: bool, lambdas: bool
) -> Verdict:
    graph = graph_of(reading, host, exceptions)
    goals = set(_nodes(reading, graph, [line], True))
    stops = set(_nodes(reading, graph, a_lines, lambdas))
    if not goals or not stops or goals <= stops:
        return Verdict("unknown")
    flags = flags_of(reading, host, exceptions)
    way, _ = flags.walk([(ENTRY, flags.unknown)], goals - stops, stops)
    return Verdict("holds") if way is None else Verdict("fails", _lines(graph, way))
