"""The statement tree that both languages share, and what can be asked of it without following control flow.

Takes trees that `reading.python` and `reading.cpp` build. Makes `Reading`: which statement holds a line, which
guards stand around it, which comments stand next to it. Refuses to know syntax trees, files, rules and symbols'
meaning; questions about paths (exits, order) belong to `reading.flow`.

Kinds of statement:
    simple   assignment, expression, declaration …        raii      a C++ declaration whose type releases at scope end
    return · raise · break · continue · goto              yield     an expression statement that is a `yield`
    if · while · do · for · with · try · match · switch   block     a bare `{ … }`
    def · class  nested: its body does not run here       label     the target of a goto
    except · case  the head line of a handler or of a case, first in its block
    macro-condition  `#if`/`#ifdef`/`#elif` and the lines under it
Labels of blocks: body · else · except · finally · case · condition (of a `do`) · lambda (holds one `def`).
An `elif` is an `else` block with one `if` in it; so is `#elif`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

HEAD_LENGTH = 200
TEST_LENGTH = 160
_SPACE = re.compile(r"\s+")
_EDGE = re.compile(r"(?<=[(\[{])\n|,?\n(?=[)\]}])")
_JUMPS = frozenset({"return", "raise", "break", "continue", "goto"})
_COMPOUND = frozenset({
    "if", "while", "do", "for", "with", "try", "match", "switch", "block", "def", "class", "macro-condition",
})
_ALWAYS = frozenset({"True", "1", "true"})
_NO_RETURN = re.compile(
    r"(?:(?:std)?::)?(?:abort|terminate|_?exit|quick_exit|unreachable|__builtin_unreachable|__builtin_trap)\s*\("
    r"|LOG\(FATAL\)|(?:sys|os)\._?(?:exit|abort)\("
)
_CALL = re.compile(
    r"(?<![\w.])(?!(?:and|assert|await|co_await|co_return|co_yield|del|elif|else|for|if|in|is|lambda|not|or|raise|return"
    r"|switch|throw|while|with|yield)\b)[\w.]+\s*\(|[\])>}]\s*\("
)
_SWALLOWS = re.compile(r"\b(?:suppress|raises)\(")


def collapse(text: str) -> str:
    """`text` on one line: a run of white space becomes one blank, a line break inside a bracket's edge none."""
    if "\n" in text:
        text = _EDGE.sub("", "\n".join(line for part in text.split("\n") if (line := part.strip())))
    return _SPACE.sub(" ", text).strip()


def shorten(text: str, length: int = TEST_LENGTH) -> str:
    """`text` cut to `length` characters; a cut one ends in "…"."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def has_call(text: str) -> bool:
    """Whether `text` calls something, as far as text tells."""
    return _CALL.search(text) is not None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Statements that run in order. `label` says what they are to their statement, `test` what must hold to enter."""

    label: str
    test: str
    statements: tuple[Statement, ...]

    @property
    def leaves(self) -> bool:
        """Whether no path runs off the end of this block."""
        return any(s.leaves for s in self.statements)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One statement: lines `first`..`last`, its head's text on one line, its blocks, the comments next to it.

    `head` is the last line of the head (of a simple statement: `last`). `calls`: the head contains a call.
    `leaves`: control never reaches the statement behind it; `breaks`: holds a `break` of an enclosing loop or switch.
    """

    kind: str
    first: int
    last: int
    text: str
    blocks: tuple[Block, ...] = ()
    comments: tuple[str, ...] = ()
    head: int = 0
    calls: bool = False
    leaves: bool = field(init=False, default=False)
    breaks: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "text", self.text[:HEAD_LENGTH])
        if not self.head:
            put(self, "head", self.last)
        breaks = self.kind == "break" or (
            self.kind not in ("def", "class") and any(s.breaks for b in self.own_blocks() for s in b.statements)
        )
        put(self, "leaves", self._leaves(breaks))
        put(self, "breaks", breaks and self.kind not in ("while", "do", "for", "switch"))

    @property
    def compound(self) -> bool:
        """Whether only its head lines are the statement's own (`if`, `with`, `for`, `def`, …)."""
        return self.kind in _COMPOUND

    def own_blocks(self) -> tuple[Block, ...]:
        """The blocks that run as part of this statement: not the bodies of lambdas in its head."""
        return tuple(b for b in self.blocks if b.label != "lambda")

    def block(self, label: str) -> Block | None:
        """The first block with that label."""
        return next((b for b in self.blocks if b.label == label), None)

    def endless(self) -> bool:
        """Whether it is a loop whose test never fails (`while True`, `for (;;)`)."""
        body = self.block("body")
        if self.kind == "while":
            return body is not None and body.test in _ALWAYS
        return self.kind == "for" and body is not None and body.test.replace(" ", "") == ";;"

    def total(self) -> bool:
        """Whether a match or switch has a case that takes everything."""
        return any(b.label == "case" and is_default(b.test) for b in self.blocks)

    def ends_process(self) -> bool:
        """Whether it is a call that never comes back (`abort()`, `sys.exit()`, …)."""
        return self.kind == "simple" and _NO_RETURN.match(self.text) is not None

    def _leaves(self, breaks: bool) -> bool:
        kind, blocks = self.kind, self.own_blocks()
        if kind in _JUMPS or self.ends_process():
            return True
        if kind in ("if", "macro-condition"):
            return self.block("else") is not None and all(b.leaves for b in blocks)
        if kind == "block":
            return any(b.leaves for b in blocks)
        if kind == "with":
            return not _SWALLOWS.search(self.text) and any(b.leaves for b in blocks)
        if kind == "try":
            if any(b.leaves for b in blocks if b.label == "finally"):
                return True
            normal = any(b.leaves for b in blocks if b.label in ("body", "else"))
            return normal and all(b.leaves for b in blocks if b.label == "except")
        if kind in ("while", "for"):
            return self.endless() and not breaks
        if kind == "match":
            return self.total() and all(b.leaves for b in blocks)
        if kind == "switch":
            return self.total() and not breaks and bool(blocks) and blocks[-1].leaves
        return False


def is_default(test: str) -> bool:
    """Whether a case's test takes every value (`default`, `_`, `case A | default`)."""
    return any(part.strip() in ("default", "_") for part in test.split("|"))


class Region(NamedTuple):
    """Lines between preprocessor directives, and the conditions that let the compiler see them, outermost first."""

    first: int
    last: int
    conditions: tuple[str, ...]


class _Place(NamedTuple):
    """A step of the way down to a line: the statement at `at` of `block`, a block of `host`."""

    host: Statement | None
    block: Block
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One function, class or run of statements, read exactly. Lines are those of the file.

    `head` is the definition's own head (decorators, signature), None for a run of statements. `regions` are the
    preprocessor's branches that touch it, outer ones first. `problems` are lines that the parser had to skip.
    """

    symbol: str
    first: int
    last: int
    body: Block
    language: str = "python"
    head: Statement | None = None
    regions: tuple[Region, ...] = ()
    problems: tuple[int, ...] = ()

    def statement_at(self, line: int) -> Statement | None:
        """The innermost simple statement that holds `line`, or the compound one whose head lines do; else None."""
        way = self._way(line)
        line = abs(line)
        for place in reversed(way):
            found = place.block.statements[place.at]
            if found.kind == "block" and place.at and place.block.statements[place.at - 1].first == line:
                return place.block.statements[place.at - 1]  # `case X: {`
            if not found.compound or found.first <= line <= found.head:
                return found
            if place.block.label != "lambda":
                return None
        head = self.head
        return head if not way and head is not None and head.first <= line <= head.head else None

    def place(self, line: int, word: str) -> int:
        """`line`, or -`line` where `word` stands in the head of what shares its line with its body: `if (!f()) return;`

        Every question takes such a negative line, and means that head.
        """
        heads = _heads(self._way(line), line)
        body = heads[-1].block("body") if heads else None
        return -line if word and body is not None and re.search(rf"\b{re.escape(word)}\b", body.test) else line

    def guards(self, line: int) -> tuple[str, ...]:
        """What must hold, or surrounds, for `line` to run; outermost first, early exits before it included."""
        out: list[str] = []
        for place in self._way(line):
            if place.host is not None:
                out += _entering(place.host, place.block)
            passed: list[str] = []
            for statement in place.block.statements[: place.at]:
                if statement.kind == "label":
                    passed.clear()  # a goto may come in behind the early exit
                passed += _passing(statement)
            out += passed
        around = (c for r in self.regions if r.first <= abs(line) <= r.last for c in r.conditions)
        return (*(c for c in dict.fromkeys(around) if c not in out), *out)

    def dead(self, line: int) -> bool:
        """Whether `line` stands behind a statement that control never passes (`raise`, `return`, …), in its block."""
        for place in self._way(line):
            before = place.block.statements[: place.at]
            entered = max((k for k, s in enumerate(before) if s.kind in ("label", "case", "except")), default=-1)
            if any(s.leaves for s in before[entered + 1 :]):
                return place.block.statements[place.at].kind not in ("label", "case", "except")
        return False

    def comments_near(self, line: int) -> tuple[str, ...]:
        """The comment lines directly above the statement at `line`, and the one at its end."""
        found = self.statement_at(line)
        return found.comments if found is not None else ()

    def holders(self, line: int) -> tuple[tuple[Block, int], ...]:
        """The way down to `line`: at each level the block, and which of its statements holds the line."""
        return tuple((place.block, place.at) for place in self._way(line))

    def host_of(self, line: int) -> Statement | None:
        """The innermost nested function or lambda (`def`) whose body holds `line`; None: the function itself."""
        return next((p.host for p in reversed(self._way(line)) if p.host is not None and p.host.kind == "def"), None)

    def statements(self) -> Iterator[Statement]:
        """Every statement, in source order, hosts before what they hold; lambdas and nested functions included."""
        todo = list(reversed(self.body.statements))
        while todo:
            statement = todo.pop()
            yield statement
            todo += reversed([s for b in statement.blocks for s in b.statements])

    def _way(self, line: int) -> list[_Place]:
        if line < 0:
            way = self._way(-line)
            heads = _heads(way, -line)
            return way[: next(at for at, p in enumerate(way) if p.block.statements[p.at] is heads[-1]) + 1]
        way = []
        step = _step(None, self.body, line)
        while step is not None:
            way.append(step)
            inner = step.block.statements[step.at]
            step = None
            for block in inner.blocks:
                # `f([&] { g(); });` on one line is asked for as the call; only lines of its own are the lambda's.
                if block.label == "lambda" and line == inner.first and not inner.compound:
                    continue
                step = _step(inner, block, line)
                if step is not None:
                    break
        return way


def _heads(way: list[_Place], line: int) -> list[Statement]:
    """The statements on the way to `line` whose head stands there, with more of them on the same line."""
    inner = (p.block.statements[p.at] for p in way[:-1])
    return [s for s in inner if s.kind in ("if", "while", "for") and s.first <= line <= s.head]


def _step(host: Statement | None, block: Block, line: int) -> _Place | None:
    best: _Place | None = None
    for index, statement in enumerate(block.statements):
        if statement.first <= line <= statement.last:
            if statement.kind not in ("except", "case", "label"):
                return _Place(host, block, index)
            best = best or _Place(host, block, index)  # `case X: f();` on one line is f()
    return best


def _entering(host: Statement, block: Block) -> list[str]:
    """The guards that entering `block` of `host` adds."""
    kind, label = host.kind, block.label
    body = host.block("body")
    test = shorten(body.test) if body is not None else ""
    if label in ("lambda", "condition") or kind in ("def", "class", "block", "switch", "match", "do"):
        if label == "case":
            return [block.test if block.test == "default" else f"case {shorten(block.test)}"]
        return [f"do while {shorten(loop.test)}"] if kind == "do" and (loop := host.block("condition")) else []
    if kind == "if":
        return [f"if {test}"] if label == "body" else [f"not ({test})"]
    if kind == "macro-condition":
        return [test] if label == "body" else [f"#else of {test}"]
    if kind == "try":
        if label == "except":
            return [shorten(collapse(f"{_handler_word(block)} {block.test}"))]
        return [{"body": "try", "else": "else of try"}.get(label, label)]
    word = f"async {kind}" if host.text.startswith("async ") else kind
    return [f"{word} {test}"] if label == "body" else [f"else of {word} {test}"]


def _handler_word(block: Block) -> str:
    head = block.statements[0].text if block.statements else ""
    return "catch" if head.startswith("catch") else "except"


def _passing(statement: Statement) -> list[str]:
    """What holds behind `statement` because some of its branches leave: `if c: return` gives `not (c)`."""
    out: list[str] = []
    todo = [statement]
    while todo:
        now = todo.pop()
        if now.kind == "with" and _SWALLOWS.search(now.text):
            continue
        if now.kind in ("with", "block"):
            todo += reversed([s for b in now.own_blocks() for s in b.statements])
        if now.kind != "if":
            continue
        body, other = now.block("body"), now.block("else")
        if body is None:
            continue
        if body.leaves:
            out.append(f"not ({shorten(body.test)})")
            if other is not None:
                todo += reversed(other.statements)  # reached only where the test failed, so it counts behind too
        elif other is not None and other.leaves:
            out.append(f"if {shorten(body.test)}")
            todo += reversed(body.statements)
    return out
