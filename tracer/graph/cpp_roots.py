"""What the first name of a C++ access path is: a local, a member by its bare name, a class, a function."""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_
from tracer.graph.evaluation import Evaluation
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.store import last_part

_HOLDING = frozenset({  # what gives an object of the type in its angle brackets
    "make_shared", "make_unique", "make_optional", "shared_ptr", "unique_ptr", "get", "any_cast",
})  # fmt: skip


class CppRoots:
    """Evaluates first names as written in C++."""

    def __init__(self, types: Evaluation) -> None:
        self.types, self.world = types, types.world

    def of(self, file: int, scope: int, name: str) -> Types_:
        """The types of the bare or qualified name `name` in `scope`."""
        view = self.world.view(file)
        inside = ""
        if name in ("this", "self"):
            cls = self.world.class_around(file, scope)
            if cls or name == "this":  # outside of a class, `self` is a parameter like any other
                return (Type("obj", cls),) if cls else ()
        for s in self.world.chain(file, scope):
            d = view.facts.definitions[s]
            inside = inside or d.name
            if d.kind == "function" and "::" not in name:
                found = self.types.local(file, s, d, name)
                if found is not None:
                    return found
        cls = self.world.class_around(file, scope)
        if "::" not in name:
            if cls is not None:
                found = self.types.attribute(Type("obj", cls), name)
                if found:
                    return found
            if (-1, name) in view.fields:
                return self.types.declared(Sym(file, -1), view.fields[-1, name])
        bare, _, template = name.partition("<")
        last = last_part(bare)
        if last in _HOLDING and template:
            return (Type("ext", "std.factory", (self.types.annotation(file, scope, template[:-1].split(",")[0]),)),)
        found_class = self.world.cpp_lookup(bare, file, inside)
        if found_class is not None:
            alias = self.world.definition(found_class)
            if alias is not None and alias.kind == "alias":
                meant = self.types.annotation(found_class.file, -1, alias.returns)
                return tuple(Type("cls", t.ref) for t in meant if t.kind == "obj")
            return (Type("cls", found_class),)
        if "::" in bare:
            owner = self.world.cpp_lookup(bare.rsplit("::", 1)[0], file, inside)
            if owner is not None:
                return self.types.attribute(Type("cls", owner), last)
        functions = self._functions(bare, inside)
        if functions:
            return functions
        return (Type("extc", bare.replace("::", ".")),)

    def _functions(self, bare: str, inside: str) -> Types_:
        named = self._called(last_part(bare))
        scopes = inside.split("::") if named else []
        for k in range(len(scopes), -1, -1):
            exact = named.get("::".join([*scopes[:k], bare]))
            if exact:
                bodies = [s for s in exact if self.world.kind(s) == "function"]
                return tuple(Type("fn", s) for s in (bodies or exact)[:8])
        return ()

    @kept
    def _called(self, last: str) -> dict[str, list[Sym]]:
        """The C++ functions of this last name: whole name → definitions and declarations, in file order."""
        out: dict[str, list[Sym]] = {}
        for s in self.world.defined(last):
            d = self.world.definition(s)
            if d is not None and d.kind in ("function", "declaration") and not self.world.view(s.file).python:
                out.setdefault(self.world.symbol(s), []).append(s)
        return out
