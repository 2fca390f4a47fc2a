"""What a function remembers in flags: locals that are set to True, False or None and asked later.

Takes a reading and which function of it. Makes `Flags`: the value of each after a statement, and which way a test goes
that asks them; and a walk that keeps them in mind, so that no path is told that `if not freed: free(x)` rules out. What
is set to anything else is not known from there on, what a callee or a closure may set is no flag. Few are followed in
one function, so that the cost stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from tracer.reading.branches import atom, decides, parts_of
from tracer.reading.control import ENTRY, Graph, graph_of, search
from tracer.reading.statements import Reading, Statement

_MOST = 4
_SET = re.compile(
    r"(?:(?:const\s+)?(?:bool|auto)\s+)?(?P<name>[A-Za-z_]\w*)\s*(?::\s*[^=]+)?(?:=\s*|\{)"
    r"(?P<value>True|False|None|true|false)\}?;?"
)
_VALUES = {"True": True, "true": True, "False": False, "false": False, "None": False}
Values = tuple[bool | None, ...]  # of each flag: None is not known
_At = tuple[int, Values]


class Flags:
    """The flags of one function: which statements set them, and what their tests decide."""

    def __init__(self, graph: Graph, names: Iterable[str]) -> None:
        self.graph = graph
        self.names = tuple(names)
        tests = [body.test for s in graph.nodes if s.kind in ("if", "while") and (body := s.block("body")) is not None]
        self.asked_for_none = {n for n in self.names if any(re.search(rf"\b{n} is\b", test) for test in tests)}
        self.sets: dict[Statement, dict[int, bool | None]] = {}
        for statement in graph.nodes:
            found = {at: self._value(statement, name) for at, name in enumerate(self.names) if _binds(statement, name)}
            if found:
                self.sets[statement] = found
        self.unknown: Values = (None,) * len(self.names)

    def _value(self, statement: Statement, name: str) -> bool | None:
        found = _set(statement)
        if found is None or found["name"] != name:
            return None
        if found["value"] == "False" and name in self.asked_for_none:
            return None  # neither true nor None
        return _VALUES[found["value"]]

    def after(self, node: int, values: Values) -> Values:
        """The values once the statement at `node` is done."""
        statement = self.graph.statements[node]
        changed = self.sets.get(statement) if statement is not None else None
        return values if not changed else tuple(changed.get(at, old) for at, old in enumerate(values))

    def denied(self, node: int, values: Values) -> int | None:
        """Where flow cannot go from `node` with these values: the other branch of a test that they decide."""
        statement = self.graph.statements[node]
        ways = self.graph.branches.get(node)
        if statement is None or not ways or statement.kind not in ("if", "while"):
            return None
        facts = {name: value for name, value in zip(self.names, values, strict=True) if value is not None}
        body = statement.block("body")
        answer = decides(body.test, facts) if facts and body is not None else None
        return None if answer is None else ways.get("else" if answer else "body")

    def at(self, nodes: Collection[int]) -> dict[int, list[Values]]:
        """What the flags may be where flow comes to each of `nodes`."""
        if not self.names:
            return {node: [()] for node in nodes}
        _, seen = self.walk([(ENTRY, self.unknown)], (), ())
        return {node: sorted((v for n, v in seen if n == node), key=repr) or [self.unknown] for node in nodes}

    def behind(self, starts: Mapping[int, Iterable[int]]) -> list[_At]:
        """Where flow goes from the nodes of `starts`, by the edges given there, with what the flags may be by then."""
        before = self.at(starts.keys())
        return [(to, self.after(node, v)) for node, ways in starts.items() for v in before[node] for to in ways
                if to != self.denied(node, v)]  # fmt: skip

    def walk(
        self, start: Iterable[_At], goals: Collection[int], stops: Collection[int],
        cut: Collection[tuple[int, int]] = (),
    ) -> tuple[list[int] | None, set[_At]]:
        """As `Graph.walk`, from nodes with the values before them; also every node and values that were come by."""
        if not self.names:
            nodes: dict[int, int | None] = {}
            way = self.graph.walk([node for node, _ in start], goals, stops, nodes, cut)
            return way, {(node, ()) for node in nodes}

        def onward(at: _At) -> Iterator[_At]:
            node, values = at
            denied, then = self.denied(node, values), self.after(node, values)
            for to in self.graph.follow(node):
                if to != denied and to not in stops and (node, to) not in cut:
                    yield to, then

        seen: dict[_At, _At | None] = {}
        found = search((at for at in start if at[0] not in stops), lambda at: at[0] in goals, onward, seen)
        return None if found is None else [node for node, _ in found], set(seen)


@lru_cache(maxsize=256)
def flags_of(reading: Reading, host: Statement | None = None, exceptions: bool = False) -> Flags:
    """The flags of a reading's body, or of `host`'s: those that a test asks for."""
    graph = graph_of(reading, host, exceptions)
    own = list(graph.nodes)
    asked: set[str] = set()
    for statement in own:
        body = statement.block("body") if statement.kind in ("if", "while") else None
        asked |= {atom(part)[0] for part in parts_of(body.test)[1]} if body is not None else set()
    given = {found["name"] for s in own if (found := _set(s)) is not None}
    elsewhere = [s for s in reading.statements() if s not in graph.nodes]
    names = sorted(n for n in asked & given if not _out_of_hand(n, own, elsewhere, reading.language))
    return Flags(graph, names[:_MOST])


def _set(statement: Statement) -> re.Match[str] | None:
    return _SET.fullmatch(statement.text) if statement.kind in ("simple", "raii") else None


def _binds(statement: Statement, name: str) -> bool:
    """Whether a statement gives `name` a value, in any way that its text shows."""
    bound = (rf"(?<![\w.>]){name}\b\s*(?:[,)\]][^=(]*)?(?::[^=]+)?(?:\W?=(?!=)|:=)|\b(?:as|del|import)\s+{name}\b"
             rf"|\bfor\b[^:]*\b{name}\b[^:]*(?:\bin\b|:)|>>\s*{name}\b|\b{name}\s*\{{|[;,]\s*{name}\s*;")
    return re.search(rf"{bound}|\bcase\b.*\b{name}\b", statement.text) is not None


def _out_of_hand(name: str, own: Iterable[Statement], elsewhere: Iterable[Statement], language: str) -> bool:
    """Whether something else may change `name`: a closure, a callee that is given it by reference."""
    outer = re.compile(rf"\b(?:nonlocal|global)\b.*\b{name}\b")
    if any(_binds(s, name) for s in elsewhere) or any(outer.search(s.text) for s in own):
        return True
    if language != "cpp":
        return False
    head = r"\b(?!if\b|while\b|for\b|switch\b|return\b)\w+"
    given = re.compile(rf"&\s*{name}\b|{head}\s*[({{](?:[^()]*,)?\s*{name}\s*[,)}}]")
    return any(given.search(s.text) for s in own if _set(s) is None)
