"""What a function holds: the names it is known by, what must be true where it was acquired, and where it goes.

Takes an event's fact and the reading around it. Makes names, facts about the result, and the statements that put the
thing into a field or a closure. Refuses to judge exits: that is `pairs.py`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tracer.graph.view import FileView
from tracer.ledger import Event, Ledger
from tracer.reading.branches import Facts, atom, parts_of
from tracer.reading.flow import Exit, When
from tracer.reading.statements import Reading, Statement
from tracer.survey.paths import parts

_ROUNDS = 3  # names of names: `held.append(block)`, `group = held`
_ASSIGNS = re.compile(
    r"^(?:[\w:<>,&*\s]*?[\s&*])?(?P<to>\[?[\w.>\-]+(?:\s*,\s*[\w.>\-]+)*\]?)\s*(?::(?!:)[^=]+)?=(?!=)"
)
_FAILS = re.compile(
    r"(?:return|co_return)\s*(?:\(?\s*(?:None|False|false|nullptr|NULL|std::nullopt|-\s*\d+|-?E[A-Z]+)\b"
    r"|(?:tl::|std::)?(?:make_)?unexpected\b|.*\bunexpected\s*\("
    r"|(?:ErrorCode|Status|StatusCode)::(?!OK\b|Ok\b|SUCCESS\b)\w+|ERR_\w+|toInt\(ErrorCode::(?!OK\b)"
    r"|.*\bErrorCode::(?!OK\b)[A-Z_]+)"
)
_PASSES_ON = re.compile(
    r"thread|enqueue|\bpost\b|submit|push|emplace|async|callback|register|then\(|defer|on_\w+\(|schedule|create_task",
    re.IGNORECASE,
)
_OWN = ("self", "this", "cls")
_NO_NAMES = frozenset({"self", "this", "cls", "_", "len", "None", "True", "False", "auto", "const"})


class Held(NamedTuple):
    """What an event takes hold of: the names that stand for it, and the facts and branch that mean it was taken."""

    names: frozenset[str]
    facts: Facts
    when: When
    scoped: bool  # a `with` gives it back


def fails(leaving: Exit) -> bool:
    """Whether an exit reports failure, so that its caller cannot be meant to hold anything."""
    return leaving.kind in ("raise", "throw") or _FAILS.match(leaving.text) is not None


def held_by(ledger: Ledger, event: Event, reading: Reading) -> Held:
    """What `event` takes hold of."""
    statement = reading.statement_at(event.line)
    call, access = event.match.call, event.match.access
    names: set[str] = set()
    facts: Facts = {}
    when: When = ""
    if call is not None:
        names |= {root for a in call.args if (root := _root(a.path))} | {_root(call.callee)}
        if statement is not None and statement.kind in ("if", "while") and event.line <= statement.head:
            when = _branch(statement, parts(call.callee)[-1].lstrip(".") if parts(call.callee) else "")
        simple = statement is not None and statement.kind in ("simple", "raii")
        result = _ASSIGNS.match(statement.text) if statement is not None and simple else None
        if result is not None:
            made = re.findall(r"[\w.>\-]+", result["to"])
            names |= {n for n in made if n.isidentifier()}
            if ledger.rule.result != "always":
                for name in made:
                    facts |= _taken(name, zero=ledger.rule.result == "zero")
    if access is not None:
        names.add(_root(access.target))
        if event.kind == "drop" and statement is not None and (taken := _ASSIGNS.match(statement.text)):
            made = [n for n in re.findall(r"\w+", taken["to"]) if n.isidentifier()]
            names |= set(made)
            for name in made:
                facts |= _taken(name, zero=False)
    names = _more_names(ledger.world.view(event.at.file), event, names - _NO_NAMES - {""})
    return Held(frozenset(names), facts, when, call is not None and call.how == "with")


def _taken(name: str, *, zero: bool) -> Facts:
    return {name: not zero, f"{name} < 0": False, f"{name} == 0": zero, f"{name} == ErrorCode::OK": True}


def _root(path: str) -> str:
    items = parts(path)
    return items[0] if items and items[0].isidentifier() else ""


def _branch(statement: Statement, callee: str) -> When:
    """Which branch of a head means that the call in it succeeded."""
    body = statement.block("body")
    if body is None or not callee:
        return ""
    for part in parts_of(body.test)[1]:
        what, positive = atom(part)
        if re.search(rf"\b{re.escape(callee)}\b", what):
            return "body" if positive else "else"
    return ""


def _more_names(view: FileView, event: Event, names: set[str]) -> set[str]:
    """Also the locals that a name is taken from or put into: `for b in blocks`, `held.append(b)`."""
    names = set(names)
    for _ in range(_ROUNDS):
        more: set[str] = set()
        for b in view.facts.binds:
            if b.scope != event.at.index or b.name in ("return", "yield"):
                continue
            root = _root(b.value)
            if b.name in names and root and "()" not in b.value:
                more.add(root)
            if root in names and b.line >= event.line and b.name.isidentifier() and "()" not in b.value:
                more.add(b.name)
        for a in view.accesses.get(event.at.index, ()):
            if a.op in ("insert", "write") and a.target.isidentifier() and _mentions(a.text or a.value, names):
                more.add(a.target)
        more -= names | _NO_NAMES
        if not more:
            break
        names |= more
    return names


def _mentions(text: str, names: set[str] | frozenset[str]) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(n)}\b", text) for n in names)


def returned(leaving: Exit, held: Held) -> bool:
    """Whether an exit gives what is held back to the caller."""
    return leaving.kind in ("return", "co_return") and _mentions(leaving.text.partition("return")[2], held.names)


def put_away(ledger: Ledger, event: Event, held: Held) -> Iterator[tuple[int, str]]:
    """Lines that put what is held into a field that a releasing function knows, each with the field."""
    view = ledger.world.view(event.at.file)
    fields = ledger.released_fields()
    for a in view.accesses.get(event.at.index, ()):
        items = parts(a.target)
        own = len(items) > 1 and items[0] in _OWN
        field = items[-1].lstrip(".[]") if items else ""
        member = not view.python and len(items) == 1 and field.endswith("_")
        through = len(items) > 1 and not own and items[0] not in held.names
        if not (own or member or through) or a.op not in ("write", "insert", "augment", "augment+"):
            continue
        named = next((i.lstrip(".") for i in reversed(items) if i[0] == "."), field)
        if a.line == event.line and event.match.access is a:
            continue
        if named in fields and (_mentions(f"{a.text} {a.value}", held.names) or (a.line == event.line)):
            yield a.line, named


def closures(reading: Reading, line: int, host: Statement | None) -> list[tuple[str, int]]:
    """What the closure around `line` means to its host: ("release" or "keep", line in the host) where it is used."""
    around = [block.statements[at] for block, at in reading.holders(line)]
    start = around.index(host) + 1 if host is not None and host in around else 0
    maker = next((s for s in around[start:] if s.kind == "def" or _has_lambda(s)), None)
    if maker is None:
        return []
    name = _closure_name(maker)
    if not name:
        return [("keep" if _PASSES_ON.search(maker.text) else "release", maker.first)]
    out = []
    for s in reading.statements():
        if s is maker or s.first <= maker.first or not re.search(rf"(?<![\w.]){name}\b", s.text):
            continue
        out.append(("release" if re.search(rf"(?<![\w.]){name}\s*\(", s.text) else "keep", s.first))
    return out


def makes_closure(reading: Reading, line: int) -> bool:
    """Whether the statement at `line` holds a lambda whose body stands on the same line."""
    statement = reading.statement_at(line)
    return statement is not None and not statement.compound and statement.first == line and _has_lambda(statement)


def _has_lambda(statement: Statement) -> bool:
    return statement.block("lambda") is not None or re.search(r"\blambda\b", statement.text) is not None


def _closure_name(maker: Statement) -> str:
    found = re.match(r"(?:async\s+)?def\s+(\w+)", maker.text) if maker.kind == "def" else None
    found = found or re.match(r"(?:const\s+)?(?:auto|std::function<.*?>)\s*&?\s*(\w+)\s*=\s*\[", maker.text)
    found = found or re.match(r"(\w+)\s*=\s*lambda\b", maker.text)
    return found[1] if found else ""


def anchor(reading: Reading, line: int) -> int:
    """The line in the function itself of a statement inside a lambda that runs where it stands."""
    host = reading.host_of(line)
    if host is None or host.text.startswith(("def ", "async def ")):
        return line
    around = [block.statements[at] for block, at in reading.holders(line)]
    maker = next((s for s in around if s.block("lambda") is not None), None)
    return line if maker is None or _closure_name(maker) or _PASSES_ON.search(maker.text) else maker.first
