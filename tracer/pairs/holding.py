"""What a function holds: the names it is known by, what must be true where it was acquired, and where it goes.

Takes an event's fact and the reading around it. Makes names, facts about the result, and the statements that put the
thing into a field or a closure. Refuses to judge exits: that is `pairs.py`'s.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from tracer.graph.view import FileView
from tracer.graph.world import Sym
from tracer.pairs.ledger import Event, Ledger
from tracer.reading.branches import Branch, Facts, atom, parts_of
from tracer.reading.flow import When
from tracer.reading.leaving import Exit
from tracer.reading.statements import Reading, Statement
from tracer.survey.paths import parts

_ROUNDS = 3  # names of names: `held.append(block)`, `group = held`
_ASSIGNS = re.compile(
    r"^(?:[\w:<>,&*\s]*?[\s&*])??(?P<to>\[?[\w.>\-]+(?:\s*,\s*[\w.>\-]+)*\]?)\s*(?::(?!:)[^=]+)?=(?!=)"
)
_FAILS = re.compile(
    r"(?:return|co_return)\s*(?:\(?\s*(?:None|False|false|nullptr|NULL|std::nullopt|-\s*\d+|-?E[A-Z]+)\b"
    r"|(?:tl::|std::)?(?:make_)?unexpected\b|.*\bunexpected\s*\("
    r"|(?:ErrorCode|Status|StatusCode)::(?!OK\b|Ok\b|SUCCESS\b)\w+|ERR_\w+|toInt\(ErrorCode::(?!OK\b)"
    r"|.*\bErrorCode::(?!OK\b)[A-Z_]+)"
)
_NO_RUN = re.compile(  # how code says that a line is never reached in a program that is set up rightly
    r"raise\s+(?:NotImplementedError|AssertionError)\b"
    r"|raise\s+\w+\(\s*[rf]?[\"'](?:Unexpected|Unknown|Unsupported|Unhandled|Unreachable)\b"
)
_GATHERS = re.compile(
    r"(?P<to>[A-Za-z_]\w*)\s*(?::[^=]+)?=\s*(?P<from>(?:[\[({]|(?:set|list|tuple|dict|[A-Z]\w*)\().*)"
)
_PUTS = re.compile(
    r"(?P<to>[A-Za-z_]\w*)(?:(?:\.|->)(?:push_back|emplace_back|append|add|insert|emplace|extend|update|push)\(|\[.*?\]\s*=)"
    r"(?P<from>.*)"
)
_PICKS = re.compile(r"(?P<to>[A-Za-z_]\w*)\s*(?::[^=]+)?=\s*[\w.]+\[(?P<key>[A-Za-z_]\w*)\];?")
_WAITED = re.compile(r"\.(?:value|id|unwrap|pop|popleft)\(\)|\.(?:result|get|wait)\([^()]*\)")
_STARTED = re.compile(
    r"(?P<name>[A-Za-z_]\w*)\s*=\s*.*\b(?:run_coroutine_threadsafe|create_task|ensure_future|submit|run_in_executor)\("
)
_IF_ASKED = re.compile(r"(?P<what>\w+) if .+ else (?:False|None)|(?P<all>\w+(?: and [\w.]+)*)|bool\((?P<of>\w+)\)")
_LOGS = re.compile(r"(?:^|\.)_?(?:logger|logging|log)\b|^LOG|^VLOG|^(?:len|print|isinstance|str)$")
_COUNTED = re.compile(r"(?<![\w.])(?:len|bool)\((?:[^()]|\([^()]*\))*\)|[\w.>()-]+(?:\.|->)(?:size|empty|numel)\(\)")
_OWN = ("self", "this", "cls")
_HEAD = 30  # lines of a function's head that are searched for defaults
_LITERALS = {"True": True, "true": True, "False": False, "false": False, "None": False, "nullptr": False}
_NO_NAMES = frozenset({"self", "this", "cls", "_", "len", "None", "True", "False", "auto", "const"})


class Held(NamedTuple):
    """What an event takes hold of: the names that stand for it, and the facts and branch that mean it was taken."""

    names: frozenset[str]
    facts: Facts
    later: tuple[tuple[int, Facts], ...]  # facts about parts of it, each from its line on
    when: When
    scoped: bool  # a `with` gives it back
    filled: tuple[tuple[str, int], ...] = ()  # names that stand for it once a line behind the event has put it there


def fails(leaving: Exit) -> bool:
    """Whether an exit reports failure, so that its caller cannot be meant to hold anything."""
    return leaving.kind in ("raise", "throw") or _FAILS.match(leaving.text) is not None


def unreachable(leaving: Exit) -> bool:
    """Whether an exit says of itself that it is for programs that are set up wrongly."""
    return leaving.kind == "raise" and _NO_RUN.match(leaving.text) is not None


def held_by(ledger: Ledger, event: Event, reading: Reading) -> Held:
    """What `event` takes hold of."""
    statement = reading.statement_at(event.place(reading))
    call, access = event.match.call, event.match.access
    names: set[str] = set()
    facts: Facts = {}
    when: When = ""
    if call is not None:
        names |= {root for a in call.args if (root := _root(a.path))} | {_root(call.callee)}
        known = _locals(ledger, event)
        texts = [a.text for a in call.args if not _root(a.path)]
        names |= {word for text in texts for word in re.findall(r"\b[A-Za-z_]\w*", text) if word in known}
        if statement is not None and statement.kind in ("if", "while") and event.line <= statement.head:
            when = _branch(statement, parts(call.callee)[-1].lstrip(".") if parts(call.callee) else "")
        simple = statement is not None and statement.kind in ("simple", "raii")
        result = _ASSIGNS.match(statement.text) if statement is not None and simple else None
        if result is not None:
            if event.kind == "acquire" and ledger.rule.known_by == "result":  # no argument finds it again
                names = set()
            made = re.findall(r"[\w.>\-]+", result["to"])
            names |= {n for n in made if n.isidentifier()}
            if event.via or ledger.rule.result != "always":
                for name in made:
                    facts |= _taken(name, zero=ledger.rule.result == "zero" and not event.via)
    if access is not None:
        names |= {_root(access.target)} if len(parts(access.target)) > 1 else set()
        if statement is not None and statement.kind in ("if", "while") and event.line <= statement.head:
            when = _branch(statement, parts(access.target)[-1].lstrip(".") if parts(access.target) else "")
        if event.kind == "drop" and statement is not None and (taken := _ASSIGNS.match(statement.text)):
            made = [n for n in re.findall(r"\w+", taken["to"]) if n.isidentifier()]
            names |= set(made)
            for name in made:
                facts |= _taken(name, zero=False)
    view = ledger.world.view(event.at.file)
    later = _parts_of_it(view, event, set(facts))
    filled: set[tuple[str, int]] = set()
    names = _more_names(view, event, reading, names - _NO_NAMES - {""}, filled)
    scoped = call is not None and call.how == "with"
    before = {name for name, line in filled if line <= event.line}  # it was put there before it was taken
    behind = tuple(sorted((name, line) for name, line in filled if name not in before))
    return Held(frozenset(names), facts, later, when, scoped, behind)


def _parts_of_it(view: FileView, event: Event, names: set[str]) -> tuple[tuple[int, Facts], ...]:
    """Locals that are what was made, waited for or taken out of it: `obj = objs[0]`, `obj = future.result()`."""
    out: dict[str, int] = {}
    for b in sorted((b for b in view.facts.binds if b.scope == event.at.index), key=lambda b: b.line):
        inner = _WAITED.sub("", b.value)
        if b.line >= event.line and b.name.isidentifier() and "." not in inner and _root(inner) in names | out.keys():
            out[b.name] = b.line
    return tuple((line, _taken(name, zero=False)) for name, line in out.items())


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


def _locals(ledger: Ledger, event: Event) -> set[str]:
    """Parameters and locals of the event's function."""
    d = ledger.world.definition(event.at)
    params = {p.name for p in d.params} if d is not None else set()
    return params | {b.name for b in ledger.world.view(event.at.file).facts.binds if b.scope == event.at.index}


def _more_names(
    view: FileView, event: Event, reading: Reading, names: set[str], filled: set[tuple[str, int]]
) -> set[str]:
    """Also the locals that a name is taken from or put into: `for b in blocks`, `held.append(b)`, which is `filled`."""
    names = set(names)
    records = _records(view, event)
    for _ in range(_ROUNDS):
        more: set[str] = set()
        for b in view.facts.binds:
            if b.scope != event.at.index or b.name in ("return", "yield"):
                continue
            root, plain = _root(b.value), "()" not in _WAITED.sub("", b.value)
            if b.name in names and root and plain:
                more.add(root)
            if root in names and b.line >= event.line and b.name.isidentifier() and plain:
                more.add(b.name)
        for a in view.accesses.get(event.at.index, ()):
            to = a.target if a.target.isidentifier() else _root(a.target)
            local = to == a.target or to in records
            if a.op in ("insert", "write") and local and _mentions(a.text or a.value, names):
                more.add(to)
                filled |= {(to, a.line)} - {(n, a.line) for n in names}
            if a.op == "insert" and to == a.target and to in names and a.line <= event.line and a.text.isidentifier():
                more.add(a.text)  # what was put into it before
        for s in reading.statements():
            picked = _PICKS.fullmatch(s.text) if s.kind == "simple" and s.first <= event.line else None
            if picked is not None and picked["to"] in names:
                more.add(picked["key"])  # who is given the key can say which one it is
            made = _GATHERS.match(s.text) or _PUTS.match(s.text) if s.kind == "simple" else None
            if made is not None and _mentions(made["from"], names):
                more.add(made["to"])
                filled |= {(made["to"], s.first)} - {(n, s.first) for n in names}
        more -= names | _NO_NAMES
        if not more:
            break
        names |= more
    return names


def _records(view: FileView, event: Event) -> set[str]:
    """C++ locals that are objects of their own: what is put into a field of one goes where the object goes."""
    binds = (b for b in view.facts.binds if b.scope == event.at.index and not view.python)
    return {b.name for b in binds if b.annotation.isidentifier() and b.value in ("", f"{b.annotation}()")}


def _mentions(text: str, names: set[str] | frozenset[str]) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(n)}\b", text) for n in names)


def _gives(text: str, names: set[str] | frozenset[str]) -> bool:
    """Whether `text` hands on one of `names`, and not only its length."""
    before = ""
    while before != text:
        before, text = text, _COUNTED.sub("0", text)
    return _mentions(text, names)


def returned(leaving: Exit, held: Held) -> tuple[bool, tuple[int, ...]]:
    """Whether an exit gives what is held back to the caller, and by which lines it must have come for that."""
    if leaving.kind not in ("return", "co_return"):
        return False, ()
    text, put = leaving.text.partition("return")[2], {name for name, _ in held.filled}
    if _gives(text, held.names - put):
        return True, ()
    named = {name for name in put if _gives(text, {name})}
    return bool(named), tuple(sorted({line for name, line in held.filled if name in named}))


def known_outside(ledger: Ledger, event: Event, held: Held) -> bool:
    """Whether the caller knows what is held without getting it back: an argument, or the object that is called."""
    d = ledger.world.definition(event.at)
    params = {p.name for p in d.params} if d is not None else set()
    params -= _NO_NAMES
    if held.names & params or (not event.via and not held.names):
        return True
    # `block = self._blocks.get(key)` with a parameter `key`: the caller can say which one it is.
    reading = ledger.reading(event.at)
    until = event.line - (event.match.call is not None and ledger.rule.known_by == "result")
    makers = [s.text for s in reading.statements() if s.first <= until] if reading is not None else []
    names = set(held.names)
    for _ in range(_ROUNDS):
        made = "|".join(rf"(?<![\w.]){n}\s*:?=(?!=)|\bfor\b.*\b{n}\b.* in " for n in sorted(names))
        texts = [text for text in makers if made and re.search(made, text)]
        if any(_mentions(text, params) for text in texts):
            return True
        names |= {w for text in texts for w in re.findall(r"\b[a-z_]\w*", text)} - _NO_NAMES
    return False


def passed_on(ledger: Ledger, event: Event, held: Held, reading: Reading, never: Collection[Branch]) -> list[int]:
    """The lines behind the event, in no branch of `never`, that pass what is held to a call."""
    view = ledger.world.view(event.at.file)
    closed = [block for s, label in never if (block := s.block(label)) is not None]
    later = (
        c for c in view.calls.get(event.at.index, ())
        if c.line > event.line and not _LOGS.search(c.callee)
        and not any(b is block for b, _ in reading.holders(c.line) for block in closed)
    )
    return sorted({c.line for c in later if any(_gives(f"{a.text} {a.path}", held.names) for a in c.args)})


def begins(reading: Reading, line: int) -> int:
    """The line from which on it is held: where the outcome is waited for of what `line` starts in the background."""
    statement = reading.statement_at(line)
    made = _STARTED.match(statement.text) if statement is not None and statement.kind == "simple" else None
    if made is None:
        return line
    waits = re.compile(rf"=\s*(?:await\s+{made['name']}\b|{made['name']}\.result\()")
    found = [s.first for s in reading.statements() if s.first > line and s.kind == "simple" and waits.search(s.text)]
    return found[0] if len(found) == 1 else line


def asked_of(ledger: Ledger, event: Event, facts: Facts) -> Facts:
    """Of the facts at an event, those about parameters: what its caller has to pass for it to happen."""
    d = ledger.world.definition(event.at)
    wanted = facts | dict(event.asked)
    for b in ledger.world.view(event.at.file).facts.binds:  # `pin = asked if … else False` holds only if `asked` does
        if b.scope == event.at.index and wanted.get(b.name) and (made := _IF_ASKED.fullmatch(b.value.strip())):
            names = (made["all"] or made["what"] or made["of"]).split(" and ")
            wanted |= dict.fromkeys(names, True)
    return {p.name: wanted[p.name] for p in d.params if p.name in wanted} if d is not None else {}


def passes(ledger: Ledger, function: Sym, call: Event, asked: Facts) -> Facts | None:
    """What a call of `function` asks of its own caller so that `asked` is passed; None where a literal denies it."""
    out: Facts = {}
    d = ledger.world.definition(function)
    if d is None or call.match.call is None:
        return out
    args = call.match.call.args
    if any(a.keyword.startswith("*") for a in args):
        return out
    params = [p for p in d.params if p.name not in _OWN]
    for at, p in enumerate(params):
        if p.name not in asked:
            continue
        given = next((a for a in args if a.keyword == p.name), None)
        positional = [a for a in args if not a.keyword]
        if given is None and at < len(positional):
            given = positional[at]
        text = given.text if given is not None else _default(ledger, function, p.name)
        if _LITERALS.get(text) is (not asked[p.name]):
            return None
        if text.isidentifier():
            out[text] = asked[p.name]
    return out


def _default(ledger: Ledger, function: Sym, name: str) -> str:
    """The text of a parameter's default, read from the function's head."""
    d = ledger.world.definition(function)
    lines = ledger.readings.lines(function.file)[d.line - 1 : d.line + _HEAD] if d is not None else []
    found = re.search(rf"\b{name}\b[^,()=]*=\s*(\w+)", " ".join(lines))
    return found[1] if found else ""


def put_away(ledger: Ledger, event: Event, held: Held) -> Iterator[tuple[int, str, bool]]:
    """Lines that put what is held into a field, each with the field and whether a releasing function knows it."""
    view = ledger.world.view(event.at.file)
    fields = ledger.released_fields()
    mine = ledger.class_releases(event.at)
    for a in view.accesses.get(event.at.index, ()):
        items = parts(a.target)
        own = len(items) > 1 and items[0] in _OWN
        field = items[-1].lstrip(".[]") if items else ""
        member = not view.python and len(items) == 1 and field.endswith("_")
        here = a.line == event.line
        through = len(items) > 1 and not own and (here or items[0] not in held.names)
        if not (own or member or through) or a.op not in ("write", "insert", "augment", "augment+"):
            continue
        named = next((i.lstrip(".") for i in reversed(items) if i[0] == "."), field)
        if here and event.match.access is not None:
            continue  # the acquire itself
        what = f"{a.text} {a.value}"
        if (named in fields or (own and mine)) and (here or _mentions(what, held.names)):
            yield a.line, named, True
        elif here or _itself(what, held.names):
            yield a.line, named, False


def _itself(text: str, names: frozenset[str]) -> bool:
    """Whether `text` has one of `names` as it is, not a part of it or its length."""
    bare = _COUNTED.sub("0", text)
    return any(re.search(rf"(?<![\w.]){re.escape(n)}\b(?!\s*(?:\.|->|\())", bare) for n in names)
