"""What a closure means to the function around it: it runs where it stands, or is handed on with what it gives back.

Takes a reading and lines. Makes lines in the function itself. Refuses to know rules and events.
"""

from __future__ import annotations

import re

from tracer.reading.statements import Reading, Statement

_PASSES_ON = re.compile(
    r"thread|enqueue|\bpost\b|submit|push|emplace|async|callback|register|then\(|defer|on_\w+\(|schedule|create_task",
    re.IGNORECASE,
)


def closures(reading: Reading, line: int, host: Statement | None) -> list[tuple[str, int]]:
    """What the closure around `line` means to its host: ("release" or "keep", line in the host) where it is used."""
    around = [block.statements[at] for block, at in reading.holders(line)]
    start = around.index(host) + 1 if host is not None and host in around else 0
    maker = next((s for s in around[start:] if s.kind == "def" or _holds(s, line)), None)
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


def _holds(statement: Statement, line: int) -> bool:
    """Whether `line` stands in a lambda of the statement's own."""
    inside = any(s.first <= line <= s.last for b in statement.blocks if b.label == "lambda" for s in b.statements)
    return inside or (not statement.compound and _has_lambda(statement))


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
    maker = next((s for s in around if _holds(s, line)), None)
    return line if maker is None or _closure_name(maker) or _PASSES_ON.search(maker.text) else maker.first
