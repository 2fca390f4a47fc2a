"""The control-flow graph of one function body, built from its statement tree.

Takes a `Reading` (and which nested function or lambda of it, if not itself). Makes `Graph`: one node for each statement
and each copy of a `finally` block, edges of normal and of exceptional flow, and the ends. Refuses to know languages'
syntax and to answer questions: those are `reading.flow`'s.

What it assumes: a loop may run zero times, `while True` ends only by leaving it; every statement of a `try` may raise
into its handlers, a handler that names the exception raised (or everything) is the end of it; a `finally` runs on every
way out and is copied for each, so that no path leaves by another way than it came; a nested function's body, and a
lambda's, do not run where they stand; `abort()` and the like end the process, which is no exit. With `exceptions`, a
statement that calls something may also raise out of the function. Its cost is linear in the statements.
"""

from __future__ import annotations

import builtins
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from tracer.reading.statements import Block, Reading, Statement, has_call

Node = TypeVar("Node")

ENTRY, RETURN, RAISE, FALL, HALT = range(5)
_NAME = re.compile(r"(?:raise|throw)\s+(?:new\s+)?([\w.:]+)")
_WORD = re.compile(r"[\w.:]+")
_NEVER_RAISES = frozenset({
    "break", "continue", "goto", "raise", "def", "class", "except", "case", "label", "try", "block", "do",
    "macro-condition",
})
_NO_EXCEPTION = frozenset({"BaseException", "CancelledError", "GeneratorExit", "KeyboardInterrupt", "SystemExit"})
_FAILS = frozenset({"0", "false", "False"})
_SUPPRESS = re.compile(r"\b(?:suppress|raises)\((.*?)\)")


@dataclass(slots=True)
class Graph:
    """Nodes are numbers; 0–4 are entry, return, raise, fall-through and the end of the process."""

    statements: list[Statement | None] = field(default_factory=lambda: [None] * 5)
    normal: list[list[int]] = field(default_factory=lambda: [[] for _ in range(5)])
    raised: list[list[int]] = field(default_factory=lambda: [[] for _ in range(5)])
    nodes: dict[Statement, list[int]] = field(default_factory=dict)
    # Of a compound statement's node: where its `body` and its `else` lead.
    branches: dict[int, dict[str, int]] = field(default_factory=dict)
    # Where a return, or an exception that nothing catches, goes first: the end itself or the copy of a `finally`.
    outward: dict[int, set[int]] = field(default_factory=lambda: {RETURN: {RETURN}, RAISE: {RAISE}})

    def add(self, statement: Statement | None = None) -> int:
        """A new node."""
        self.statements.append(statement)
        self.normal.append([])
        self.raised.append([])
        node = len(self.statements) - 1
        if statement is not None:
            self.nodes.setdefault(statement, []).append(node)
        return node

    def follow(self, node: int) -> Iterable[int]:
        """Where flow may go from `node`, by whatever kind of edge."""
        return (*self.normal[node], *self.raised[node])

    def reach(self, start: Iterable[int]) -> set[int]:
        """All nodes that flow may come to from `start`, which is part of them."""
        seen: dict[int, int | None] = {}
        self.walk(start, frozenset(), frozenset(), seen)
        return set(seen)

    def walk(
        self, start: Iterable[int], goals: Collection[int], stops: Collection[int],
        seen: dict[int, int | None] | None = None, cut: Collection[tuple[int, int]] = (),
    ) -> list[int] | None:
        """The shortest way from `start` to `goals` that enters none of `stops` and takes none of the edges `cut`.

        `seen` gets where each node came from.
        """

        def onward(node: int) -> Iterable[int]:
            return (to for to in self.follow(node) if to not in stops and (node, to) not in cut)

        return search((n for n in start if n not in stops), goals.__contains__, onward, {} if seen is None else seen)


def search(
    start: Iterable[Node], is_goal: Callable[[Node], bool], onward: Callable[[Node], Iterable[Node]],
    seen: dict[Node, Node | None],
) -> list[Node] | None:
    """The shortest way from `start` to a goal; `seen` gets where each node came from."""
    todo: deque[Node] = deque()
    for node in start:
        if node not in seen:
            seen[node] = None
            todo.append(node)
    while todo:
        node = todo.popleft()
        if is_goal(node):
            return _trace(seen, node)
        for to in onward(node):
            if to not in seen:
                seen[to] = node
                todo.append(to)
    return None


def _trace(seen: Mapping[Node, Node | None], node: Node) -> list[Node]:
    """The way that a search took to `node`."""
    way = [node]
    while (before := seen[way[-1]]) is not None:
        way.append(before)
    way.reverse()
    return way


@dataclass(slots=True, eq=False)
class _Frame:
    """What surrounds a block: where `break` and `continue` lead, what catches, what runs on every way out."""

    parent: _Frame | None = None
    leave: int | None = None
    again: int | None = None
    handlers: tuple[tuple[str, int], ...] = ()
    final: Block | None = None
    copies: dict[int, int] = field(default_factory=dict)
    catches: dict[str, tuple[int, ...]] = field(default_factory=dict)


@lru_cache(maxsize=256)
def graph_of(reading: Reading, host: Statement | None = None, exceptions: bool = False) -> Graph:
    """The graph of a reading's body, or of the body of `host`, a nested function or lambda in it."""
    body = reading.body if host is None else host.block("body")
    build = _Builder(exceptions)
    build.run(body.statements if body is not None else ())
    return build.graph


class _Builder:
    """Builds a graph from blocks that wait on a list, so that depth costs no recursion."""

    def __init__(self, exceptions: bool) -> None:
        self.graph = Graph()
        self.exceptions = exceptions
        self.todo: list[tuple[int, Sequence[Statement], int, _Frame]] = []
        self.jumps: list[tuple[int, str]] = []
        self.labels: dict[str, int] = {}

    def run(self, statements: Sequence[Statement]) -> None:
        self.todo.append((ENTRY, statements, FALL, _Frame()))
        while self.todo:
            entry, inner, after, frame = self.todo.pop()
            nodes = [self.graph.add(s) for s in inner]
            self._edge(entry, nodes[0] if nodes else after)
            for at, statement in enumerate(inner):
                self._statement(statement, nodes[at], nodes[at + 1] if at + 1 < len(nodes) else after, frame)
        for node, label in self.jumps:
            self._edge(node, self.labels.get(label, FALL))

    def _edge(self, source: int, target: int) -> None:
        if target not in self.graph.normal[source]:
            self.graph.normal[source].append(target)

    def _enter(self, node: int, block: Block, after: int, frame: _Frame) -> int:
        """Flow may go from `node` into `block` and from its end to `after`; the block's entry."""
        entry = self.graph.add()
        self._edge(node, entry)
        self.todo.append((entry, block.statements, after, frame))
        return entry

    def _statement(self, statement: Statement, node: int, after: int, frame: _Frame) -> None:
        kind = statement.kind
        if self._may_raise(statement):
            self.graph.raised[node] += self._caught(frame, statement)
        if kind == "return":
            self._edge(node, self._jump(frame, "return"))
        elif kind == "raise":
            self.graph.raised[node] += self._thrown(frame, statement)
            if self.exceptions and has_call(statement.text.partition("(")[2]):  # its argument may raise another
                self.graph.raised[node] += self._caught(frame, statement)
        elif kind == "break":
            self._edge(node, self._jump(frame, "break"))
        elif kind == "continue":
            self._edge(node, self._jump(frame, "continue"))
        elif kind == "goto":
            self.jumps.append((node, statement.text.removeprefix("goto").strip(" ;")))
        elif statement.ends_process():
            self._edge(node, HALT)
        elif kind in ("if", "macro-condition"):
            self._branch(statement, node, after, after, frame)
        elif kind in ("while", "for"):
            self._branch(statement, node, node, after, _Frame(frame, after, node), frame)
        elif kind == "do":
            self._do(statement, node, after, frame)
        elif kind in ("match", "switch"):
            self._cases(statement, node, after, frame)
        elif kind == "try":
            self._try(statement, node, after, frame)
        elif kind in ("with", "block"):
            swallowed = _SUPPRESS.search(statement.text) if kind == "with" else None
            inner = _Frame(frame, handlers=((swallowed[1], after),)) if swallowed else frame
            for block in statement.own_blocks():
                self.graph.branches[node] = {"body": self._enter(node, block, after, inner)}
        else:
            if kind == "label":
                self.labels[statement.text.rstrip(":")] = node
            self._edge(node, after)

    def _branch(
        self, statement: Statement, node: int, behind: int, after: int, frame: _Frame, outer: _Frame | None = None
    ) -> None:
        """An `if` or a loop: its body leads to `behind`; without an `else`, a test that fails leads to `after`."""
        body, other = statement.block("body"), statement.block("else")
        ways = self.graph.branches[node] = {}
        if body is not None:
            ways["body"] = self._enter(node, body, behind, frame)
        if other is not None:
            ways["else"] = self._enter(node, other, after, outer or frame)
        elif not statement.endless():
            ways["else"] = after
            self._edge(node, after)

    def _do(self, statement: Statement, node: int, after: int, frame: _Frame) -> None:
        body, test = statement.block("body"), statement.block("condition")
        check = self.graph.add(test.statements[0] if test is not None else None)
        again = self._enter(node, body, check, _Frame(frame, after, check)) if body is not None else check
        if test is None or test.test not in _FAILS:
            self._edge(check, again)
        if test is None or test.test not in ("1", "true"):
            self._edge(check, after)
        if test is not None and self._may_raise(test.statements[0]):
            self.graph.raised[check] += self._caught(frame, test.statements[0])

    def _cases(self, statement: Statement, node: int, after: int, frame: _Frame) -> None:
        falls = statement.kind == "switch"
        inner = _Frame(frame, leave=after) if falls else frame
        blocks = [b for b in statement.blocks if b.label == "case"]
        behind = after
        for block in reversed(blocks):  # a case of a switch goes on into the next
            entry = self._enter(node, block, behind, inner)
            behind = entry if falls else after
        if not statement.total():
            self._edge(node, after)

    def _try(self, statement: Statement, node: int, after: int, frame: _Frame) -> None:
        final = statement.block("finally")
        ending = _Frame(frame, final=final) if final is not None else frame
        end = self._copy(ending, after) if final is not None else after
        handlers: list[tuple[str, int]] = []
        for block in statement.blocks:
            if block.label == "except":
                entry = self.graph.add()
                self.todo.append((entry, block.statements, end, ending))
                handlers.append((block.test, entry))
        other, body = statement.block("else"), statement.block("body")
        behind = end
        if other is not None:
            behind = self.graph.add()
            self.todo.append((behind, other.statements, end, ending))
        if body is not None:
            self._enter(node, body, behind, _Frame(ending, handlers=tuple(handlers)))

    def _copy(self, frame: _Frame, target: int) -> int:
        """The entry of the `finally` of `frame` that goes on to `target`."""
        assert frame.final is not None and frame.parent is not None
        if target not in frame.copies:
            entry = frame.copies[target] = self.graph.add()
            self.todo.append((entry, frame.final.statements, target, frame.parent))
        return frame.copies[target]

    def _through(self, passed: Sequence[_Frame], target: int) -> int:
        ways = self.graph.outward.get(target, set())
        for frame in reversed(passed):
            target = self._copy(frame, target)
            ways.add(target)
        return target

    def _jump(self, start: _Frame, how: str) -> int:
        passed: list[_Frame] = []
        frame: _Frame | None = start
        target: int | None = None
        while frame is not None:
            target = {"break": frame.leave, "continue": frame.again}.get(how)
            if target is not None:
                break
            if frame.final is not None:
                passed.append(frame)
            frame = frame.parent
        return self._through(passed, RETURN if target is None else target)

    # -- exceptions -----------------------------------------------------------------------------------------------
    def _may_raise(self, statement: Statement) -> bool:
        return statement.kind not in _NEVER_RAISES and statement.text != "pass" and statement.text[:1] not in ("'", '"')

    def _caught(self, frame: _Frame, statement: Statement) -> tuple[int, ...]:
        """Where an exception that `statement` lets happen may go; out of the function only if asked for."""
        asked = self.exceptions and statement.calls
        # A task that is cancelled while it waits gets past `except Exception`.
        waits = bool(re.search(r"\bawait\b", statement.text)) or statement.text.startswith("async ")
        key = f"{asked}{waits}"
        if key not in frame.catches:
            frame.catches[key] = self._targets(frame, "?waiting" if waits else "?", asked)
        return frame.catches[key]

    def _thrown(self, frame: _Frame, statement: Statement) -> tuple[int, ...]:
        named = _NAME.match(statement.text)
        name = named[1] if named else ""
        # `raise error` tells no class: names of classes start with a capital, C++'s standard ones with std::.
        known = name.startswith("std::") or name.rsplit(".", 1)[-1].rsplit(":", 1)[-1][:1].isupper()
        return self._targets(frame, name if known else "", True)

    def _targets(self, start: _Frame, name: str, escapes: bool) -> tuple[int, ...]:
        passed: list[_Frame] = []
        out: list[int] = []
        frame: _Frame | None = start
        while frame is not None:
            for test, entry in frame.handlers:
                caught = catches(test, name)
                if caught is not False:
                    out.append(self._through(passed, entry))
                if caught:
                    return tuple(dict.fromkeys(out))
                if caught is None and name == "?waiting" and catches(test, "?"):
                    name = "CancelledError"  # `except Exception` lets nothing else past
            if frame.final is not None:
                passed.append(frame)
            frame = frame.parent
        if escapes:
            out.append(self._through(passed, RAISE))
        return tuple(dict.fromkeys(out))


def catches(test: str, raised: str) -> bool | None:
    """Whether a handler for `test` takes an exception named `raised`; None where names do not tell.

    `raised` is "" or "?" where its class is not known, "?waiting" where it may also be a cancellation.
    """
    if test.strip() in ("", "..."):
        return True
    names = {word.rsplit(".", 1)[-1].rsplit("::", 1)[-1] for word in _WORD.findall(test.split(" as ")[0])}
    name = raised.rsplit(".", 1)[-1].rsplit("::", 1)[-1]
    if "BaseException" in names or name in names:
        return True
    if "Exception" in names:
        return None if name == "?waiting" else name not in _NO_EXCEPTION
    if "exception" in names and raised.startswith("std::"):
        return True
    if name == "CancelledError":
        return any("Cancel" in n for n in names)
    thrown = _builtin(name)
    kinds = [_builtin(n) for n in names]
    if thrown is not None and all(kinds):
        return any(kind is not None and issubclass(thrown, kind) for kind in kinds)
    return None


def _builtin(name: str) -> type[BaseException] | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
