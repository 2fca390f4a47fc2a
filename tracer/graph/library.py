"""What the standard library calls back: a log call runs the package's formatters, a look-up hashes and compares a key.

True of a run, and of no use for a path, so these links are in the graph but not followed by searches.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from tracer.graph.annotations import Type
from tracer.graph.implicit import Entered
from tracer.graph.types import Types
from tracer.graph.world import Sym, World
from tracer.survey.facts import Access, Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

_LEVELS = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log"})
_HOOKS = {"Formatter": "format", "Filter": "filter", "Handler": "emit"}  # of `logging`: class → what it calls
_KEYED = frozenset({"get", "pop", "add", "discard", "remove", "setdefault", "move_to_end"})


class Library:
    """Finds what the standard library calls back in one world."""

    def __init__(self, world: World, types: Types) -> None:
        self.world, self.types = world, types

    def of_file(self, number: int) -> Iterator[Entered]:
        """All that starts in file `number`."""
        view = self.world.view(number)
        if not view.python:
            return
        if self._hooks:
            for level in sorted(_LEVELS & view.called.keys()):
                yield from self._logged(number, view.called[level])
        if self._compared:
            for name in sorted(_KEYED & view.called.keys()):
                yield from self._keyed(number, view.called[name])
            yield from self._sought(number, view.facts.accesses)

    # -- logging ---------------------------------------------------------------------
    @functools.cached_property
    def _hooks(self) -> tuple[Sym, ...]:
        """What the package's own formatters, filters and handlers run for a log record."""
        found: list[Sym] = []
        for base, method in _HOOKS.items():
            for number in self.world.files_with("b", base):
                view = self.world.view(number)
                for index, d in enumerate(view.facts.definitions if view.python else ()):
                    own = any(last_part(b) == base for b in d.bases) and not self.world.context(number)
                    found += self.world.methods(Sym(number, index), method)[:1] if own else ()
        return tuple(dict.fromkeys(found))

    def _logged(self, number: int, calls: Iterable[Call]) -> Iterator[Entered]:
        for call in calls:
            items = parts(call.callee)
            if len(items) > 1 and any(self._is_logger(t) for t in self.types.of(number, call.scope, join(items[:-1]))):
                source = Sym(number, self.world.function_of(number, call.scope))
                for hook in self._hooks:
                    if hook != source:
                        yield Entered(source, hook, "callback", "declared", number, call.line)

    def _is_logger(self, t: Type) -> bool:
        if isinstance(t.ref, Sym):
            bases = self.world.definition(t.ref)
            return t.kind == "obj" and bases is not None and any(last_part(b) == "Logger" for b in bases.bases)
        return str(t.ref).startswith("logging.") or str(t.ref) == "logging"

    # -- keys --------------------------------------------------------------------------
    @functools.cached_property
    def _compared(self) -> bool:
        return bool(self.world.files_with("d", "__hash__") or self.world.files_with("d", "__eq__"))

    def _keyed(self, number: int, calls: Iterable[Call]) -> Iterator[Entered]:
        """The key that a method of a map or set is given."""
        for call in calls:
            items = parts(call.callee)
            if len(items) > 1 and call.args and not self._ours(number, call.scope, join(items[:-1])):
                yield from self._hashed(number, call.scope, call.args[0].path, call.line)

    def _sought(self, number: int, accesses: Iterable[Access]) -> Iterator[Entered]:
        """`key in self.map`."""
        for a in accesses:
            if a.test and a.op == "read" and a.value and " in " in a.text:
                yield from self._hashed(number, a.scope, a.value, a.line)

    def _ours(self, number: int, scope: int, path: str) -> bool:
        return any(t.kind in ("obj", "cls") for t in self.types.of(number, scope, path))

    def _hashed(self, number: int, scope: int, path: str, line: int) -> Iterator[Entered]:
        if not path or path[0] in "#?<":
            return
        source = Sym(number, self.world.function_of(number, scope))
        for t in self.types.of(number, scope, path):
            if t.kind == "obj" and isinstance(t.ref, Sym):
                for name in ("__hash__", "__eq__"):
                    for cls in self.world.mro(t.ref):
                        found = self.world.methods(cls, name)[:1]
                        yield from (Entered(source, m, "call", "typed", number, line) for m in found)
                        if found:
                            break
