"""What is this constant, default or enum? value_is, read from the source with its line.

`of` is a field, class attribute, enum member, module or namespace constant (`Class.field`, `module.NAME`, `NAME` with
`in`); `parameter` is `Class.method.name`, the default of a parameter; `setting` is a name under which a value is asked
for or declared in the files of `in`; `members` are the names of an enum or a record, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tracer.claims.model import Judged, Predicate
from tracer.claims.presence import SHOWN
from tracer.claims.select import Place, Places
from tracer.globs import path_matches
from tracer.graph.world import Sym
from tracer.survey.store import last_part

_DIGIT_MARKS = re.compile(r"(?<=\d)['_](?=\d)")
_SUFFIX = re.compile(r"^(0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)(?:[uUlLfF]|ull|ULL)+$")
_WRAPPED = re.compile(
    r"^(?:(?:std::)?(?:chrono::)?\w+|(?:dataclasses\.)?field|(?:pydantic\.)?Field|msgspec\.field)"
    r"[({]\s*(?:default\s*=\s*)?([^,(){}]+?)\s*(?:,.*)?[)}]$", re.S)


class Found(NamedTuple):
    """A value as written, and where."""

    place: Place
    value: str


def value_is(places: Places, p: Predicate) -> Judged:
    """The value as written is `is`, or matches `matches`; of an enum, its members are `members`."""
    if "members" in p.options:
        return _members(places, p)
    name, found = name_of(p), written(places, p)
    if not found:
        return Judged("unknown", (), (), f"no value of {name} is found here")
    wrong = [f for f in found if not _fits(p, f.value)]
    if wrong and len(wrong) == len(found):
        why = f"{name} is {wrong[0].value[:60]}"
        return Judged("fails", places.evidence("value", [f.place for f in wrong[:SHOWN]]), (), why)
    return Judged("holds", places.evidence("value", [f.place for f in found if f not in wrong][:SHOWN]))


def name_of(p: Predicate) -> str:
    """The name whose value is asked for."""
    return str(p.options.get("of") or p.options.get("parameter") or p.options.get("setting"))


def written(places: Places, p: Predicate) -> list[Found]:
    """Every value as written of the name that `p` asks about."""
    look = _settings if "setting" in p.options else _parameters if "parameter" in p.options else _fields
    return [f for f in look(places, name_of(p), _globs(p)) if f.value]


def bare(text: str) -> str:
    """A value without quotes, digit marks, number suffixes and what wraps it."""
    inner = _WRAPPED.match(text.strip())
    return _bare(inner[1] if inner else text)


def _members(places: Places, p: Predicate) -> Judged:
    name = str(p.options.get("of"))
    wanted = list(p.options["members"])
    for sym in places.world.classes(name):
        if places.world.context(sym.file):
            continue
        view = places.world.view(sym.file)
        fields = sorted((f.line, n) for (owner, n), fs in view.fields.items() if owner == sym.index for f in fs[:1])
        members = [n for _, n in fields if not n.startswith("_") or n in wanted]
        d = places.world.definition(sym)
        assert d is not None
        path = places.world.path(sym.file)
        shown = places.evidence("members", [places.place(path, line) for line in (d.line, *(at for at, _ in fields))])
        if members == wanted:
            return Judged("holds", shown)
        return Judged("fails", shown, (), f"{name} has {', '.join(members)}")
    return Judged("unknown", (), (), f"no enum {name} here")


def _fits(p: Predicate, value: str) -> bool:
    """Whether a value as written is the one wanted: quotes, digit marks and number suffixes do not count."""
    if "matches" in p.options:
        return re.search(str(p.options["matches"]), value) is not None
    want = _bare(str(p.options["is"]))
    plain = _bare(value)
    inner = _WRAPPED.match(value.strip())
    return plain == want or (inner is not None and _bare(inner[1]) == want)


def _bare(text: str) -> str:
    text = _DIGIT_MARKS.sub("", text.strip().rstrip(";").strip())
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    number = _SUFFIX.match(text)
    text = number[1] if number else text
    try:
        return repr(float(text)) if not text.lower().startswith("0x") else str(int(text, 16))
    except ValueError:
        return text


def _globs(p: Predicate) -> tuple[str, ...]:
    value = p.options.get("in") or ()
    return (value,) if isinstance(value, str) else tuple(value)


# -- fields and constants ---------------------------------------------------------------
def _fields(places: Places, name: str, files: tuple[str, ...]) -> Iterator[Found]:
    world = places.world
    owner, _, leaf = name.replace("::", ".").rpartition(".")
    for number in world.files_with("f", leaf):
        path = world.path(number)
        if world.context(number) or (files and not path_matches(path, files)):
            continue
        view = world.view(number)
        for (index, field), declared in view.fields.items():
            if field != leaf or not _owned(places, number, index, owner):
                continue
            for f in declared:
                if f.where == "method":
                    continue
                place = places.place(path, f.line)
                yield Found(place, f.text or _written(places.text(path), f.line, leaf))
    if not owner and files:
        yield from _locals(places, leaf, files)


def _owned(places: Places, number: int, index: int, owner: str) -> bool:
    """Whether a field of definition `index` (-1: of the file) belongs to `owner`, a class, module or namespace."""
    if not owner:
        return True
    world = places.world
    if index >= 0:
        return world.matches(Sym(number, index), owner)
    module = world.module(number)
    return module == owner or module.endswith("." + owner) or not world.view(number).python


def _locals(places: Places, name: str, files: tuple[str, ...]) -> Iterator[Found]:
    """Constants of a function that the files of `in` write down as a literal."""
    for number in range(places.world.size):
        path = places.world.path(number)
        if places.world.context(number) or not path_matches(path, files):
            continue
        for (scope, bound), binds in places.world.view(number).binds.items():
            if bound == name and scope >= 0:
                for b in binds:
                    yield Found(places.place(path, b.line), _written(places.text(path), b.line, name))


def _written(lines: list[str], line: int, name: str) -> str:
    """The value that source text gives to `name`, from its line on: `name = value`, `name{value}`."""
    text = "\n".join(lines[line - 1 : line + 5])
    found = re.search(rf"\b{re.escape(name)}\b[^=;{{\n]*(?:=(?!=)\s*|(?=\{{))([^;\n]+(?:\n\s+[^;\n]+)?)", text)
    return found[1].strip().rstrip(",").strip() if found else ""


# -- settings -----------------------------------------------------------------------------
def _settings(places: Places, name: str, files: tuple[str, ...]) -> Iterator[Found]:
    quoted = rf"""["'](?:--)?{re.escape(name)}["']"""
    value = r"([^,(){}\n]+(?:\([^()\n]*\))?)"
    ways = [
        re.compile(rf"{quoted}\s*,\s*{value}\s*\)"),  # get("NAME", 30)
        re.compile(rf"""{quoted}[^()]*?["']?\bdefault["']?\s*[=:]\s*{value}"""),  # default=30, {"default": 30}
        re.compile(rf"{quoted}\s*:\s*{value}"),
        re.compile(rf"\bDEFINE_\w+\(\s*{re.escape(name)}\s*,\s*{value}\s*,"),
    ]
    for path in places.area(files):
        lines = places.text(path)
        for number, line in enumerate(lines, 1):
            if name not in line:
                continue
            text = "\n".join(lines[number - 1 : number + 6])
            hits = [m for way in ways if (m := way.search(text)) and m.start() <= len(line)]
            if not hits and "DEFINE_" in (before := lines[max(0, number - 2)]):
                hits = [m for m in [ways[-1].search(f"{before}\n{text}")] if m]
            if hits:
                yield Found(places.place(path, number), hits[0][1].strip())


# -- parameters ---------------------------------------------------------------------------
def _parameters(places: Places, name: str, files: tuple[str, ...]) -> Iterator[Found]:
    world = places.world
    function, _, parameter = name.replace("::", ".").rpartition(".")
    for sym in world.functions(function):
        d = world.definition(sym)
        if d is None or world.context(sym.file) or not any(last_part(q.name) == parameter for q in d.params):
            continue
        path = world.path(sym.file)
        if files and not path_matches(path, files):
            continue
        lines = places.text(path)
        for line in range(d.line, min(d.last, d.line + 80) + 1):
            text = "\n".join(lines[line - 1 : line + 2])
            found = re.match(rf"[^\n]*?\b{re.escape(parameter)}\b\s*(?::[^=\n]*)?=\s*([^,\n]+)", text)
            if found:
                yield Found(places.place(path, line), _closed(found[1]))
                break


def _closed(text: str) -> str:
    """Text up to the bracket that closes what was opened before it."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return text[:at].strip()
    return text.strip()
