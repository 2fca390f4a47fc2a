"""Defaults: the values as written of configuration fields, constants, flags, options and environment variables.

Takes a tree and its facts; keeps what has one plain value (a number, a text, a switch) and a name that the files with
places mention. Which of them matter is not judged here; two sides are compared by owner and name, else by the name
alone where it is the only one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from tracer.claims.values import bare
from tracer.diff.model import Change, End
from tracer.model import SourceTree, digest_lines, lines_of
from tracer.survey import Facts, language_of
from tracer.survey.store import last_part

_NUMBER = re.compile(r"[-+(]*\d[\w.'xX]*(?:\s*(?:\*\*?|<<|\+|-|/)\s*\(?\d[\w.']*\)?)*\)*")
_TEXT = re.compile(r"[rbu]?(\"[^\"\n]*\"|'[^'\n]*')")
_SWITCH = ("True", "False", "true", "false", "None")
_FLAG = re.compile(r"\bDEFINE_\w+\(\s*(\w+)\s*,\s*([^,]+?)\s*,")
_MACRO = re.compile(r"^\s*#\s*define\s+(\w+)\s+(\S.*?)\s*(?://.*|/\*.*)?$", re.M)
LONG = 2  # marks in a name that says enough to be the same setting under another owner
_ASKED = {"add_argument": "default", "getenv": "", "get": ""}  # call → the keyword with the default, "" is the second


class Setting(msgspec.Struct, frozen=True):
    """A value as written, and where."""

    owner: str
    name: str
    value: str
    file: str
    first: int
    last: int
    digest: str


def settings_of(tree: SourceTree, facts: Facts, words: Collection[str]) -> dict[str, tuple[Setting, ...]]:
    """Every setting whose name is one of `words`, by `Owner.name`."""
    found: dict[str, list[Setting]] = {}
    lines: dict[str, list[str]] = {}

    def add(file: str, owner: str, name: str, value: str, first: int, last: int) -> None:
        if name.lstrip("-").replace("-", "_") not in words or not _plain(value):
            return
        if file not in lines:
            lines[file] = lines_of(tree.read(file))
        digest = digest_lines(lines[file], first, last)
        if digest:
            key = f"{owner}.{name}" if owner else name
            found.setdefault(key, []).append(Setting(owner, name, value, file, first, last, digest))

    for path, file in facts.outlines():
        for field in file.fields:
            if field.where in ("class", "module") and field.text:
                owner = last_part(file.definitions[field.owner].name) if field.owner >= 0 else ""
                add(path, owner, field.name, field.text, field.line, field.line)
    _asked(facts, add)
    _written(tree, facts, add)
    return {k: tuple(sorted(found[k], key=lambda s: (s.file, s.first))) for k in sorted(found)}


_Add = Callable[[str, str, str, str, int, int], None]


def _plain(value: str) -> bool:
    """Whether a value is a number, a text or a switch, bare or in one wrapper (`Field(5)`, `EnvStr("tcp")`)."""
    text = bare(value)
    if text in _SWITCH or _NUMBER.fullmatch(text) or _TEXT.fullmatch(value.strip()):
        return True
    return value.count('"') + value.count("'") == 2 and bool(re.fullmatch(r"[\w.\-/ ]{1,60}", text))


def _asked(facts: Facts, add: _Add) -> None:
    """Options of a command line and environment variables that are read with a default."""
    variables = {n for name in ("getenv", "get") for n in facts.files_with("c", name)} & set(
        facts.files_with("i", "os")
    )
    for number in sorted(variables | set(facts.files_with("c", "add_argument"))):
        for call in facts.of(number).calls:
            keyword = _ASKED.get(last_part(call.callee))
            if keyword is None or not call.args or call.args[0].path != "#str":
                continue
            if not keyword and "environ" not in call.callee and last_part(call.callee) != "getenv":
                continue
            value = next((a for a in call.args[1:] if a.keyword == keyword), None)
            if value is not None:
                text = repr(value.text) if value.path == "#str" else value.text
                add(facts.files[number].path, "", call.args[0].text, text, call.line, call.last)


def _written(tree: SourceTree, facts: Facts, add: _Add) -> None:
    """Flags and macros, which the survey of C++ does not keep."""
    for f in facts.files:
        if language_of(f.path) != "cpp":
            continue
        text = "\n".join(lines_of(tree.read(f.path)))
        if "DEFINE_" not in text and "#define" not in text:
            continue
        for pattern in (_FLAG, _MACRO):
            for m in pattern.finditer(text):
                first = text.count("\n", 0, m.start(1)) + 1
                add(f.path, "", m[1], m[2], first, text.count("\n", 0, m.end(2)) + 1)


# -- comparison ------------------------------------------------------------------------------
def changed(a: Mapping[str, Sequence[Setting]], b: Mapping[str, Sequence[Setting]]) -> tuple[list[Change], int]:
    """Settings that have another value in `b`; how many have the same."""
    changes: dict[tuple[str, str, str], Change] = {}
    same = 0
    for x, y in _pairs(a, b):
        values = _value(x), _value(y)
        if values[0] == values[1]:
            same += 1
        else:
            change = Change("default", _name(y), "claim", "behaviour", _end(x), _end(y), f"{x.value} → {y.value}")
            changes.setdefault((y.name, *values), change)
    return list(changes.values()), same


def _pairs(a: Mapping[str, Sequence[Setting]], b: Mapping[str, Sequence[Setting]]) -> Iterator[tuple[Setting, Setting]]:
    """Settings that are the same one: by owner and name in one file, in any; a long name also with another owner."""
    mine, theirs = (_by_name([s for found in side.values() for s in found]) for side in (a, b))
    for key in sorted(a):
        for x in a[key]:
            others = b.get(key, ())
            here = [y for y in others if y.file == x.file]
            if here:
                yield x, min(here, key=lambda y: (_value(y) != _value(x), abs(y.first - x.first)))
            elif len(others) == len(a[key]) == 1:
                yield x, others[0]
            elif not others and x.name.count("_") + x.name.count("-") >= LONG:
                same = [s for s in mine[x.name] if _alike(s, x)]
                heirs = [y for y in theirs.get(x.name, ()) if _alike(x, y)]
                if len(same) == len(heirs) == 1:
                    yield x, heirs[0]


def _alike(x: Setting, y: Setting) -> bool:
    """Whether two values are of one sort: both numbers, both texts, both switches."""
    return "None" not in (x.value, y.value) and _sort(x.value) == _sort(y.value)


def _sort(written: str) -> str:
    value = bare(written)
    return "switch" if value in _SWITCH else "number" if _NUMBER.fullmatch(value) else "text"


def _by_name(settings: Sequence[Setting]) -> dict[str, list[Setting]]:
    out: dict[str, list[Setting]] = {}
    for s in settings:
        out.setdefault(s.name, []).append(s)
    return out


def _value(s: Setting) -> str:
    return plain(s.value)


def plain(written: str) -> str:
    """A value as it is compared: without what wraps it; blanks and the base of a number do not count."""
    value = bare(written)
    if _sort(written) == "text":
        return value
    tight = "".join(value.split())
    try:
        return repr(float(int(tight, 0)))  # 0x10 is 16
    except ValueError:
        return tight


def _name(s: Setting) -> str:
    return f"{s.owner}.{s.name}" if s.owner else s.name


def _end(s: Setting) -> End:
    return End(_name(s), s.file, 0, s.first, s.last, s.digest, text=(s.value,))
