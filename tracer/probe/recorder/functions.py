"""Which code objects are functions of the engine, of a scenario or of something else, and what runs below a frame."""

from __future__ import annotations

import dis
import os
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

MOST_CODES = 500_000  # functions known to one process
_FOLDED = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_GENERATOR = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_OPTIMIZED = 0x1  # CO_OPTIMIZED: functions have it, bodies of modules and classes have not


class Function:
    """What is known of one code object; it is looked up by identity, because equal code may lie in several files."""

    __slots__ = (
        "armed", "body", "code", "first", "folded", "hits", "last", "lines", "more", "name", "ours", "planned",
        "scenario", "skip", "spent"
    )  # fmt: skip

    def __init__(
        self, code: CodeType, *, ours: bool, body: bool, planned: bool, lines: frozenset[int], name: str
    ) -> None:
        self.code, self.ours, self.planned, self.lines, self.name = code, ours, planned, lines, name
        self.body = body  # of a module or class of the engine: runs once, where it is imported or defined
        self.folded = code.co_name in _FOLDED
        self.skip = False  # whether an entry of it says nothing
        self.scenario = False  # whether it is a scenario's own code
        self.spent = False  # whether it was passed so often that entries are only counted, in `more`
        self.more = 0
        self.armed = False  # whether its lines are watched
        self.first = -1  # offset of a generator that was never resumed
        self.hits: dict[int, int] = {}  # line (0: entered) → how often
        self.last: dict[int, int] = {}  # and when
        if code.co_flags & _GENERATOR:
            ops = dis.get_instructions(code)
            self.first = next((i.offset for i in ops if i.opname == "RESUME"), 0)


class Functions:
    """Takes the folders of the engine's code and the plan; `edges`: whether calls between functions are recorded."""

    def __init__(self, roots: Sequence[str], plan: dict[str, Any], *, edges: bool) -> None:
        self.roots = tuple(os.path.realpath(r) + os.sep for r in roots)
        own = os.environ.get("TRACER_PROBE_OWN", "")
        self._own = os.path.realpath(own) + os.sep if own else ""  # code that plays the engine's user
        self.symbols = frozenset(plan.get("symbols", ()))
        self._lines = {f: frozenset(lines) for f, lines in plan.get("lines", {}).items()}
        self._edges = edges
        self.by_code: dict[int, Function] = {}

    def known(self, code: CodeType, frame: FrameType) -> Function:
        """The function of `code`, which runs in `frame`."""
        return self.by_code.get(id(code)) or self.learn(code, frame)

    def learn(self, code: CodeType, frame: FrameType) -> Function:
        """Keep what there is to know of a code object, and the object itself, so that its identity stays its own."""
        path = code.co_filename
        root = next((r for r in self.roots if path.startswith(r)), None)
        if root is None:
            path = os.path.realpath(path)
            root = next((r for r in self.roots if path.startswith(r)), None)
        body = root is not None and not code.co_flags & _OPTIMIZED
        ours = root is not None and not body
        qualname = (getattr(code, "co_qualname", None) or _qualname(code, frame)) if ours else code.co_name
        planned, lines = False, frozenset[int]()
        if ours and self.symbols and root is not None:
            file = f"{root.rstrip(os.sep).rsplit(os.sep, 1)[-1]}/{path[len(root) :]}".replace(os.sep, "/")
            planned = _symbol(file, qualname) in self.symbols
            if planned:
                inside = {line for _, _, line in code.co_lines() if line}
                lines = self._lines.get(file, frozenset()) & inside
        name = f"{code.co_filename}:{qualname}:{code.co_firstlineno}"
        function = Function(code, ours=ours, body=body, planned=planned, lines=lines, name=name)
        function.scenario = bool(self._own) and path.startswith(self._own)
        function.skip = not ours or function.folded or not (self._edges or planned)
        if len(self.by_code) < MOST_CODES:
            self.by_code[id(code)] = function
        return function

    def below(self, frame: FrameType) -> tuple[FrameType | None, bool]:
        """The next engine frame below, also of a module or class body, and whether frames of other code lie between.

        None below a scenario's own.
        """
        below, between = frame.f_back, False
        while below is not None:
            function = self.known(below.f_code, below)
            if function.ours or function.body:
                break
            if function.scenario:
                return None, True
            between = True
            below = below.f_back
        return below, between

    def holder(self, below: FrameType) -> FrameType:
        """The function that a lambda or comprehension is written in, if it is running."""
        holder = below
        while holder.f_code.co_name in _FOLDED:
            up, _ = self.below(holder)
            if up is None or not _holds(up.f_code, holder.f_code):
                break
            holder = up
        return holder

    def within(self, frame: FrameType) -> list[str]:
        """The planned functions that are running below: what is entered now is entered within them."""
        found: dict[str, None] = {}
        below = frame.f_back
        while below is not None:
            function = self.known(below.f_code, below)
            if function.planned:
                found[function.name] = None
            below = below.f_back
        return list(found)


def _holds(outer: CodeType, inner: CodeType) -> bool:
    """Whether `inner` (a lambda or comprehension) is written in `outer`."""
    return inner.co_filename == outer.co_filename and any(c is inner for c in outer.co_consts)


def _symbol(file: str, qualname: str) -> str:
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = [p for p in qualname.split(".") if p != "<locals>"]
    return ".".join([module, *parts])


def _qualname(code: CodeType, frame: FrameType) -> str:
    """Python 3.10 keeps no qualified names: the class of the first argument that has this very function."""
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount and frame.f_code is code else None
    for cls in getattr(first if isinstance(first, type) else type(first), "__mro__", ()):
        found = cls.__dict__.get(code.co_name)
        found = getattr(found, "fget", None) or getattr(found, "__func__", found)
        if getattr(found, "__code__", None) is code:
            return f"{cls.__qualname__}.{code.co_name}"
    return code.co_name
