"""What becomes of a value inside one function: does it come back out, and did it come in from outside?

Takes the facts of a function; gives yes or no, and names. It looks at names and lines, not at paths through the code:
a value flows where it is bound, iterated, inserted or handed on under a name that later stands in the result.
"""

from __future__ import annotations

import re

from tracer.graph.world import Sym, World
from tracer.survey.facts import Access, Bind, Call
from tracer.survey.paths import parts

ROUNDS = 3  # locals bound to locals
_WORD = re.compile(r"[A-Za-z_]\w*")
_EMPTY = ("return", "return;", "return None", "return None;", "co_return;")


class Flow:
    """Follows values through single functions of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._words: dict[Sym, frozenset[str]] = {}

    def gives(self, sym: Sym) -> bool:
        """Whether the function returns a value."""
        return bool(self._returns(sym))

    def _returns(self, sym: Sym) -> list[tuple[int, int, str]]:
        """First line, last line and text of each statement that returns a value."""
        marks = self.world.view(sym.file).marks.get(sym.index, ())
        kinds = ("return", "co_return", "yield")
        return [(m.line, m.last, m.text) for m in marks if m.kind in kinds and m.text.strip() not in _EMPTY]

    def returned(self, sym: Sym) -> frozenset[str]:
        """The names that stand in what the function returns."""
        found = self._words.get(sym)
        if found is None:
            words = {w for _, _, text in self._returns(sym) for w in _WORD.findall(text)}
            for b in self.world.view(sym.file).binds.get((sym.index, "return"), ()):
                words.update(parts(b.value)[:1])
            found = self._words[sym] = frozenset(words - {"return", "self", "this"})
        return found

    def comes_back(self, sym: Sym, call: Call) -> bool:
        """Whether what `call` (in function `sym`) gives flows into what the function returns."""
        if any(first <= call.line <= last for first, last, _ in self._returns(sym)):
            return True
        names = self._carriers(sym, call)
        return bool(names & self.returned(sym))

    def _carriers(self, sym: Sym, call: Call) -> set[str]:
        """Locals of `sym` that hold what `call` gives, or something made of it."""
        view = self.world.view(sym.file)
        binds = [b for b in view.binds_in.get(sym.index, ()) if b.name not in ("return", "yield")]
        head = call.callee + "()"
        names = {b.name for b in binds if b.value.startswith(head) or (_opaque(b) and call.line <= b.line <= call.last)}
        accesses = view.accesses.get(sym.index, ())
        names |= {root for a in accesses if (a.value.startswith(head)) and (root := _root(a))}
        for _ in range(ROUNDS):
            more = {b.name for b in binds if parts(b.value)[:1] and parts(b.value)[0] in names}
            more |= {root for a in accesses if parts(a.value)[:1] and parts(a.value)[0] in names and (root := _root(a))}
            if more <= names:
                break
            names |= more
        return {n.split("[")[0] for n in names}

    def from_parameter(self, sym: Sym, access: Access) -> bool:
        """Whether what is stored came in as a parameter of `sym`: its callers are who really store it."""
        d = self.world.definition(sym)
        if d is None or d.kind != "function":
            return False
        names = {p.name for p in d.params} - {"self", "cls"}
        root = parts(access.value)[:1]
        if root and root[0] in names:
            return True
        if access.value in ("", "?") or access.value.endswith("()"):
            return bool(names & set(_WORD.findall(access.text)))
        return False

    def is_own(self, sym: Sym, target: str) -> bool:
        """Whether the root of `target` is a plain local of `sym`: made there, seen by nobody else."""
        items = parts(target)
        if not items:
            return True
        view = self.world.view(sym.file)
        binds = view.binds.get((sym.index, items[0]), ())
        d = view.definition(sym.index)
        if d is None or items[0] in ("self", "this") or any(p.name == items[0] for p in d.params):
            return False
        return bool(binds) and not any("." in b.value.replace("()", "") for b in binds)


def _opaque(b: Bind) -> bool:
    """Whether the bind says nothing of where its value comes from."""
    return b.value in ("", "?")


def _root(a: Access) -> str:
    items = parts(a.target)
    return items[0] if items and items[0] not in ("self", "this") and a.op in ("insert", "write", "augment+") else ""
