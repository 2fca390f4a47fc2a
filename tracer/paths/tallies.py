"""How many must arrive: the tests that compare what a field holds, and those that a signal waits behind.

Takes readings; gives lines and the texts of tests. A local that is made of the field stands for it
(`arrived = len(self.seen[key])`, then `if arrived == expected`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tracer.graph.world import Sym, World
from tracer.reading.statements import Block, Reading, Statement
from tracer.readings import Readings

_NO_COMPARISON = re.compile(r"->|<<|>>|<[\w:, *&]*>|\"[^\"]*\"|'[^']*'")  # arrows, shifts, templates, strings
_ORDERS = re.compile(r"[<>]=?")
_EQUALS = re.compile(r"(?P<left>[^=!<>]+?)\s*[=!]=\s*(?P<right>[^=!<>]+)")
_COUNTS = re.compile(r"\d+|\blen\(|\.size\(\)|\.qsize\(\)")
_PLAIN = re.compile(r"[a-z_][\w.\[\]]*")  # a variable or field; a constant of an enumeration has a capital
_MADE = re.compile(r"(?:[\w:<>&*]+\s+)*?(?P<name>[A-Za-z_]\w*)\s*(?::[^=]+)?[-+]?=(?!=)")


def compares(test: str) -> bool:
    """Whether a test compares amounts: with an order, a number, a length, or two variables with each other."""
    bare = _NO_COMPARISON.sub(" ", test)
    if _ORDERS.search(bare):
        return True
    for found in _EQUALS.finditer(bare):
        sides = [*found["left"].split()[-1:], *found["right"].split()[:1]]
        if any(_COUNTS.search(side) for side in (found["left"], found["right"])):
            return True
        if len(sides) == 2 and all(_PLAIN.fullmatch(side) for side in sides):
            return True
    return False


class Tallies:
    """Reads the tests of one world."""

    def __init__(self, world: World, readings: Readings) -> None:
        self.world, self.readings = world, readings

    def until(self, field: str, functions: Iterable[Sym]) -> Iterator[tuple[str, str, int, str]]:
        """(symbol, file, line, test): where one of `functions` compares what the field holds."""
        seen: set[tuple[str, int]] = set()
        for sym in sorted(functions):
            reading = self.readings.of(sym.file, sym.index)
            if reading is None:
                continue
            names = {field, *_made_of(reading, field)}
            for block, statement in _tests(reading):
                place = (self.world.path(sym.file), statement.first)
                if place not in seen and compares(block.test) and _mentions(block.test, names):
                    seen.add(place)
                    yield self.world.symbol(sym), *place, block.test

    def gates(self, sym: Sym, line: int) -> Iterator[tuple[int, int]]:
        """Lines of the nearest comparison that `line` stands under, and of what makes the locals in it."""
        reading = self.readings.of(sym.file, sym.index)
        around = [b.statements[at] for b, at in reading.holders(line)] if reading is not None else []
        for statement in reversed(around):
            if reading is None or statement.kind not in ("if", "while") or not statement.head < line:
                continue
            tests = [b.test for b in statement.own_blocks() if any(s.first <= line <= s.last for s in b.statements)]
            if not tests or not compares(tests[0]):
                continue
            yield statement.first, statement.head
            for made in _simple(reading):
                name = _MADE.match(made.text)
                if name is not None and made.first < statement.first and _mentions(tests[0], {name["name"]}):
                    yield made.first, made.last
            return


def _tests(reading: Reading) -> Iterator[tuple[Block, Statement]]:
    for s in reading.statements():
        if s.kind in ("if", "while"):
            yield from ((b, s) for b in s.own_blocks() if b.test)


def _simple(reading: Reading) -> Iterator[Statement]:
    return (s for s in reading.statements() if s.kind == "simple")


def _made_of(reading: Reading, field: str) -> Iterator[str]:
    """Locals whose value names the field."""
    for s in _simple(reading):
        made = _MADE.match(s.text)
        if made is not None and _mentions(s.text[made.end() :], {field}):
            yield made["name"]


def _mentions(text: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(n)}\b", text) for n in names)
