"""Who gives back, and where may the same be given back twice?

Takes the ledger of each pair. Makes one `Giver` per function with a releasing statement of its own, or with two
releases of the same thing on one path: both lines and what they name. What is taken or named anew between the two, and
two different parts of one thing (`pages[:n]`, `pages[n:]`), are no repetition; a function that acquires is judged
by its exits instead (`balance.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tracer.cues import CueMatcher
from tracer.graph.uses import Uses
from tracer.graph.world import Sym, World
from tracer.pairs.ledger import Event, Ledger, lines_of
from tracer.pairs.rules import DEPTH, PairRule
from tracer.reading import flow
from tracer.reading.branches import facts_at, impossible
from tracer.reading.statements import Reading
from tracer.survey.facts import Call
from tracer.survey.paths import parts

_OWN = ("self", "this", "cls")


@dataclass(frozen=True, slots=True)
class Giver:
    """A function that gives back: its releasing `lines`, and `twice`: (first line, second line, what) on one path."""

    rule: str
    symbol: str
    file: str
    def_line: int
    lines: tuple[int, ...]
    twice: tuple[tuple[int, int, str], ...] = ()


def givers(world: World, rules: Iterable[PairRule]) -> list[Giver]:
    """Every giver of each pair, by rule, file and line."""
    cues = world.once(Uses).once(CueMatcher)
    found = [g for rule in rules for g in _Givers(Ledger(cues, rule)).all()]
    return sorted(found, key=lambda g: (g.rule, g.file, g.def_line))


class _Givers:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.world = ledger, ledger.world

    def all(self) -> Iterator[Giver]:
        by_function: dict[Sym, list[Event]] = {}
        for events in self.ledger.events.values():
            for e in events:
                by_function.setdefault(e.at, []).append(e)
        for function, events in sorted(by_function.items()):
            own = lines_of([e for e in events if e.kind == "release" and not e.via])
            twice = tuple(self._twice(function, events))
            if own or twice:
                d = self.world.definition(function)
                place = self.world.symbol(function), self.world.path(function.file), d.line if d else 1
                yield Giver(self.ledger.rule.id, *place, tuple(own), twice)

    def _twice(self, function: Sym, events: list[Event]) -> Iterator[tuple[int, int, str]]:
        if any(e.kind in ("acquire", "taken") for e in events):
            return
        told = ((e.line, what) for e in events if e.kind == "release" for what in self._given(e))
        given = [(line, what) for line, what in told if _root(what) not in _OWN]
        reading = self.ledger.reading(function) if len(given) > 1 else None
        if reading is None:
            return
        for line, what in sorted(set(given)):
            anew = self._anew(function, what, line, reading)
            never = impossible(reading, line, facts_at(reading, line))
            for other in sorted({n for n, w in given if w == what and n != line}):
                if flow.leads(reading, line, other, anew, never=never):
                    yield line, other, what

    def _anew(self, function: Sym, what: str, line: int, reading: Reading) -> list[int]:
        """Lines behind which `what` is another thing: its name is bound, or the loop takes its next element."""
        binds = self.world.view(function.file).facts.binds
        lines = [b.line for b in binds if b.scope == function.index and b.name == _root(what)]
        if "[]" in what:
            around = (block.statements[at] for block, at in reading.holders(line))
            lines += [s.first for s in around if s.kind in ("for", "while")]
        return lines

    def _given(self, e: Event, depth: int = DEPTH) -> Iterator[str]:
        """The texts of what a release names: its argument, or the receiver; in a callee by the caller's names."""
        call, access = e.match.call, e.match.access
        if call is None:
            if access is not None:
                text = _bare((access.text or access.value) if access.op == "insert" else access.target)
                yield from [text] if _root(text) else []
            return
        if e.via:
            if depth:
                yield from self._by_callee(e, call, depth)
            return
        texts = [_bare(a.text or a.path) for a in call.args]
        receiver = "".join(parts(call.callee)[:-1])
        if not texts and receiver:
            texts = [receiver]
        if len(texts) == 1 and _root(texts[0]):
            yield texts[0]

    def _by_callee(self, e: Event, call: Call, depth: int) -> Iterator[str]:
        d = self.world.definition(e.via[0])
        reading = self.ledger.reading(e.at)
        statement = reading.statement_at(e.line) if reading is not None else None
        waited = statement is not None and "await" in statement.text
        if d is None or ("async" in d.flags and not waited):  # a coroutine that is only made gives nothing back yet
            return
        params = [p.name for p in d.params if p.name not in _OWN]
        receiver = "".join(parts(call.callee)[:-1])
        passed = {a.keyword or (params[at] if at < len(params) else ""): a.text or a.path
                  for at, a in enumerate(call.args)}  # fmt: skip
        passed |= dict.fromkeys(_OWN, receiver)
        for text in self._sure(e.via[0], depth - 1):
            root, what = self._param(e.via[0], text, params)
            given = passed.get(root, "")
            if _root(given):
                yield _bare(re.sub(rf"\b{re.escape(root)}\b", given.replace("\\", ""), what))

    def _sure(self, callee: Sym, depth: int) -> Iterator[str]:
        """What `callee` gives back on every way out, without having taken it."""
        events = [e for e in self.ledger.of(callee, "release", "acquire", "taken") if e.at == callee]
        reading = self.ledger.reading(callee) if events else None
        if reading is None or any(e.kind != "release" for e in events):
            return
        texts: dict[str, list[int]] = {}
        for e in events:
            for text in self._given(e, depth):
                around = (b.statements[at] for b, at in reading.holders(e.line))
                loop = next((s.first for s in around if s.kind == "for"), e.line)  # each element's turn comes
                texts.setdefault(text, []).append(loop)
        for text, lines in texts.items():
            ways = [w for w in flow.exits(reading) if w.kind not in ("raise", "throw") and not _empty(reading, w.line)]
            if all(flow.escape(reading, reading.first, way, lines, present=True) is None for way in ways):
                yield text

    def _param(self, callee: Sym, text: str, params: Sequence[str]) -> tuple[str, str]:
        """The parameter that a text in `callee` is about, and the text: of a local made of it, the parameter alone."""
        root = _root(text)
        for _ in range(DEPTH):
            if root in params or root in _OWN:
                return root, text
            made = (b.value for b in self.world.view(callee.file).facts.binds
                    if b.scope == callee.index and b.name == root)  # fmt: skip
            value = next(iter(made), "")
            if _root(value) in _OWN and value.endswith((")", "]")):
                return "", ""  # looked up: which one it is depends on the key
            root = text = _root(value)
        return "", ""


def _empty(reading: Reading, line: int) -> bool:
    """Whether an exit is for having nothing: `if not pages: return`, `if pages.numel() == 0: return`."""
    guards = reading.guards(line)
    return bool(guards) and re.search(r"^if (?:not [\w.]+|.*(?:==|<=|<) ?[01])$", guards[-1]) is not None


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _root(text: str) -> str:
    found = re.match(r"[&*]?([A-Za-z_]\w*)(?!\w|\()", text)
    return found[1] if found else ""
