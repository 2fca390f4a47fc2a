"""What becomes of a value inside one function: does it come back out, and did it come in from outside?

Takes the facts of a function; gives yes or no, and names. It looks at names and lines, not at paths through the code:
a value flows where it is bound, iterated, inserted or handed on under a name that later stands in the result.
"""

from __future__ import annotations

import re

from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.survey.facts import Access, Call
from tracer.survey.paths import parts

ROUNDS = 3  # locals bound to locals
_WORD = re.compile(r"[A-Za-z_]\w*")
_EMPTY = ("return", "return;", "return None", "return None;", "co_return;")


class Flow:
    """Follows values through single functions of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._back: dict[tuple[Sym, str, int, int], bool] = {}

    def gives(self, sym: Sym) -> bool:
        """Whether the function returns a value."""
        return bool(self._returns(sym))

    @kept
    def _returns(self, sym: Sym) -> list[tuple[int, int, str]]:
        """First line, last line and text of each statement that returns a value."""
        marks = self.world.view(sym.file).marks.get(sym.index, ())
        kinds = ("return", "co_return", "yield")
        return [(m.line, m.last, m.text) for m in marks if m.kind in kinds and m.text.strip() not in _EMPTY]

    @kept
    def returned(self, sym: Sym) -> frozenset[str]:
        """The names that stand in what the function returns."""
        words = {w for _, _, text in self._returns(sym) for w in _WORD.findall(text)}
        for b in self.world.view(sym.file).binds.get((sym.index, "return"), ()):
            words.update(parts(b.value)[:1])
        return frozenset(words - {"return", "self", "this"})

    def comes_back(self, sym: Sym, call: Call) -> bool:
        """Whether what `call` (in function `sym`) gives flows into what the function returns."""
        key = (sym, call.callee, call.line, call.last)
        found = self._back.get(key)
        if found is None:
            found = any(first <= call.line <= last for first, last, _ in self._returns(sym))
            found = self._back[key] = found or not self.returned(sym).isdisjoint(self._carriers(sym, call))
        return found

    def _carriers(self, sym: Sym, call: Call) -> set[str]:
        """Locals of `sym` that hold what `call` gives, or something made of it."""
        values, unsaid, onward = self._locals(sym)
        head = call.callee + "()"
        names = {name for value, name in values if value.startswith(head)}
        names |= {name for line, name in unsaid if call.line <= line <= call.last}
        for _ in range(ROUNDS):
            more: set[str] = set()
            more.update(*(onward[n] for n in names if n in onward))
            if more <= names:
                break
            names |= more
        return {n.split("[")[0] for n in names}

    @kept
    def _locals(self, sym: Sym) -> tuple[list[tuple[str, str]], list[tuple[int, str]], dict[str, set[str]]]:
        """What the locals of `sym` get: (value, name), (line, name) where the value is not said, and name → names."""
        view = self.world.view(sym.file)
        values: list[tuple[str, str]] = []
        unsaid: list[tuple[int, str]] = []
        for b in view.binds_in.get(sym.index, ()):
            if b.name not in ("return", "yield"):
                values.append((b.value, b.name))
                if b.value in ("", "?"):
                    unsaid.append((b.line, b.name))
        for a in view.accesses.get(sym.index, ()):
            root = _root(a) if a.value else ""
            if root:
                values.append((a.value, root))
        onward: dict[str, set[str]] = {}
        for value, name in values:
            for root in parts(value)[:1]:
                onward.setdefault(root, set()).add(name)
        return values, unsaid, onward

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


def _root(a: Access) -> str:
    items = parts(a.target)
    return items[0] if items and items[0] not in ("self", "this") and a.op in ("insert", "write", "augment+") else ""
