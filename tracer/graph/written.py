"""What a type text means where it is written: names, aliases and type variables resolved in its scope."""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_, cpp_type, python_annotation
from tracer.graph.evaluation import Evaluation
from tracer.graph.variables import bound_of
from tracer.graph.world import Sym


class Written:
    """Evaluates annotations and C++ type spellings."""

    def __init__(self, types: Evaluation) -> None:
        self.types, self.world = types, types.world

    def annotation(self, file: int, scope: int, text: str) -> Types_:
        """The instances that a type text at (file, scope) allows."""
        view = self.world.view(file)
        if view.python:
            return python_annotation(text, lambda name: self._annotated(file, scope, name))
        inside = view.facts.definitions[scope].name if scope >= 0 else ""
        return cpp_type(text, lambda name: self._cpp_annotated(file, inside, name))

    def _annotated(self, file: int, scope: int, name: str) -> Types_:
        if name == "Self":
            cls = self.world.class_around(file, scope)
            return (Type("obj", cls),) if cls else ()
        found = self.world.resolve(file, scope, name)
        if isinstance(found, Sym):
            return (Type("obj", found),) if self.world.is_class(found) else self._type_alias(found)
        if isinstance(found, str):
            owner, _, last = found.rpartition(".")
            number = self.world.modules.get(owner)
            if number is not None:
                return self._alias_variable(number, last)
            return (Type("ext", found),)
        if self.world.view(file).fields.get((-1, name)):  # a type alias, or a type variable
            return self._alias_variable(file, name)
        return () if name in ("Any", "object", "None") else (Type("ext", name),)

    def _type_alias(self, sym: Sym) -> Types_:
        d = self.world.definition(sym)
        return (
            self.annotation(sym.file, d.parent, d.returns) if d is not None and d.kind == "alias" and d.returns else ()
        )

    def _alias_variable(self, file: int, name: str) -> Types_:
        """A module variable used as a type: `BlockTable = dict[int, Block]`."""
        fields = self.world.view(file).fields.get((-1, name))
        key = ("alias", file, name)
        text = fields[0].text if fields else ""
        variable = "TypeVar" in text
        if variable:
            text = bound_of(text)
        if not text or not self.types.pending.enter(key):
            return ()
        found = python_annotation(text, lambda n: self._annotated(file, -1, n))
        self.types.pending.leave(key)
        # A variable bound to a library's type (`F` to Callable) says nothing: what is put in comes out.
        return tuple(t for t in found if t.kind == "obj") if variable else found

    def _cpp_annotated(self, file: int, inside: str, name: str) -> Types_:
        found = self.world.cpp_lookup(name, file, inside)
        if found is None:
            return (Type("ext", name.replace("::", ".")),)
        d = self.world.definition(found)
        if d is None or d.kind != "alias":
            return (Type("obj", found),)
        key = ("alias", found)
        if not self.types.pending.enter(key):
            return ()
        scope_name = d.name.rsplit("::", 1)[0] if "::" in d.name else ""
        meant = cpp_type(d.returns, lambda n: self._cpp_annotated(found.file, scope_name, n))
        self.types.pending.leave(key)
        return meant
