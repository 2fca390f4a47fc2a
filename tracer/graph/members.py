"""Members of C++ enumerations: where is `ErrorCode::TIMED_OUT` given, returned or tested?

Surveys keep no fact for a constant inside an expression, so the text is read, without comments and string literals.
Takes a world and the pattern `Enum::MEMBER`, or a member's name alone; gives matches:
`define` for its own line, else `read`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracer.graph.places import Match
from tracer.graph.world import Sym, World
from tracer.model import lines_of

_SILENT = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')


def member_uses(world: World, pattern: str) -> Iterator[Match]:
    """Every line of C++ that names the member, by file and line; none where no enumeration has it."""
    owner, _, name = pattern.replace("::", ".").rpartition(".")
    known = world.classes(owner) if owner else _all_enums(world, name)
    enums = [c for c in known if world.kind(c) == "enum" and _declares(world, c, name)]
    if not enums:
        return
    owners = "|".join(sorted({re.escape(world.name(c).rpartition("::")[2]) for c in enums}))
    spelt = re.compile(rf"\b(?:{owners})::{re.escape(name)}\b")
    for enum in enums:
        for f in world.view(enum.file).fields.get((enum.index, name), ()):
            yield Match(enum.file, enum.index, f.line, f.line, "define", "exact")
    for number in range(world.size):
        view = world.view(number)
        if view.python:
            continue
        data = world.part_of(number).facts.tree.read(world.path(number))
        if name.encode() not in data:
            continue
        inside = False  # a comment of several lines
        for at, line in enumerate(lines_of(data), 1):
            code, inside = _code(line, inside)
            if spelt.search(code):
                yield Match(number, view.scope_at(at), at, at, "read", "typed")


def _all_enums(world: World, name: str) -> list[Sym]:
    """Enumerations that have a member of this name, if it is written as members are."""
    if not re.fullmatch(r"[A-Z][A-Z0-9_]+|k[A-Z]\w+", name):
        return []
    files = (n for n in range(world.size) if not world.view(n).python)
    found = ((n, f) for n in files for f in world.view(n).facts.fields if f.name == name and f.where == "enum")
    return [Sym(n, f.owner) for n, f in found if f.owner >= 0]


def _declares(world: World, enum: Sym, name: str) -> bool:
    return not world.view(enum.file).python and bool(world.view(enum.file).fields.get((enum.index, name)))


def _code(line: str, inside: bool) -> tuple[str, bool]:
    """The line without comments and strings, and whether a comment goes on behind it."""
    out = ""
    while line:
        if inside:
            _, ended, line = line.partition("*/")
            inside = not ended
            continue
        text, opened, line = line.partition("/*")
        kept = _SILENT.sub(" ", text)
        inside = bool(opened) and "//" not in _SILENT.sub(lambda m: m[0] if m[0][0] == "/" else " ", text)
        out += kept
        if opened and not inside:
            break  # the comment sign stands in a comment of one line
    return out, inside
