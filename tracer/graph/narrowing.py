"""What `isinstance` says of a receiver whose declared type does not have what is asked of it.

`meta = self.current(); assert isinstance(meta, Mine); meta.items`: declared is a base that all kinds of messages share
(or a class of another package); the test names the one that is meant. Only members that the declared type lacks are
looked for in the tested classes, so what every kind has still reaches every kind.
"""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_
from tracer.graph.types import Types
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Arg


class Narrowing:
    """Classes that functions of one world test their values for."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world

    def of(self, number: int, scope: int, path: str, member: str, declared: Types_) -> Types_:
        """The classes that `path` is tested for in `scope` and that have `member`; () if its declared type has it."""
        tested = self._tests(number).get((self.world.function_of(number, scope), path))
        if not tested or any(t.kind == "obj" and self._has(t.ref, member) for t in declared):
            return ()
        classes = {t.ref: None for arg in tested for t in self._classes(number, scope, arg)}
        return tuple(Type("obj", c) for c in classes if self._has(c, member))

    def _classes(self, number: int, scope: int, arg: Arg) -> Types_:
        named = arg.text.strip("()").split(",") if arg.path == "#tuple" else (arg.path,)
        found = (t for name in named if name.strip() for t in self.types.of(number, scope, name.strip()))
        return tuple(t for t in found if t.kind == "cls" and isinstance(t.ref, Sym))

    @kept
    def _tests(self, number: int) -> dict[tuple[int, str], tuple[Arg, ...]]:
        """(function, tested path) → the classes named, of one file. What a tested local was made from is tested too."""
        view = self.world.view(number)
        out: dict[tuple[int, str], tuple[Arg, ...]] = {}
        for call in view.called.get("isinstance", ()) if view.python else ():
            if len(call.args) != 2 or call.callee != "isinstance" or not call.args[0].path:
                continue
            function, path = self.world.function_of(number, call.scope), call.args[0].path
            made = view.binds.get((call.scope, path), ())
            for spelt in (path, *(b.value for b in made if b.value and len(made) == 1)):
                out[function, spelt] = (*out.get((function, spelt), ()), call.args[1])
        return out

    def _has(self, ref: object, member: str) -> bool:
        """Whether the class, or one above it, has such a field or method."""
        if not isinstance(ref, Sym):
            return False
        return any(
            (c.index, member) in self.world.view(c.file).fields or member in self.world.method_names(c)
            for c in self.world.mro(ref)
        )
