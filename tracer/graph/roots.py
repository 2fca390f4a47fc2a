"""What the first name of an access path is: a local, a parameter, `self`, a module's name, an import, a builtin."""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_, merge
from tracer.graph.containers import only_callable
from tracer.graph.contents import Contents
from tracer.graph.cpp_roots import CppRoots
from tracer.graph.evaluation import Evaluation, named
from tracer.graph.world import Sym
from tracer.survey.facts import Definition, Param

_LITERAL = {
    "#str": "str",
    "#int": "int",
    "#float": "float",
    "#bool": "bool",
    "#list": "list",
    "#dict": "dict",
    "#set": "set",
    "#tuple": "tuple",
}


class Roots:
    """Evaluates first names, of Python here, of C++ by `CppRoots`."""

    def __init__(self, types: Evaluation, contents: Contents) -> None:
        self.types, self.world, self.contents = types, types.world, contents
        self._cpp = CppRoots(types)

    def of(self, file: int, scope: int, name: str) -> Types_:
        """The types of the first name `name` of a path in `scope`."""
        view = self.world.view(file)
        if name[0] == "<":
            return self.types.annotation(file, scope, name[1:-1])
        if name in _LITERAL:
            return (Type("ext", _LITERAL[name]),)
        if name[0] in "#?":
            return ()
        if not view.python:
            return self._cpp.of(file, scope, name)
        if name == "super()":
            cls = self.world.class_around(file, scope)
            return tuple(Type("obj", b) for b in self.world.mro(cls)[1:2]) if cls else ()
        for s in self.world.chain(file, scope):
            d = view.facts.definitions[s]
            if d.kind == "function":
                found = self.local(file, s, d, name)
                if found is not None:
                    return found
            elif s == scope:  # names of a class body are seen in it, not in its methods
                own = view.fields.get((s, name))
                if own:
                    return self.types.declared(Sym(file, s), own)
        return self.named(file, scope, name)

    def named(self, file: int, scope: int, name: str) -> Types_:
        """A name that is no local: module variable, definition, import, builtin."""
        view = self.world.view(file)
        found = self.world.lookup(file, scope, name)
        if isinstance(found, Sym):
            return (named(self.world, found),)
        if (-1, name) in view.fields:
            return self.module_variable(file, name)
        if isinstance(found, str):
            owner, _, last = found.rpartition(".")
            number = self.world.modules.get(owner)
            if number is not None:  # a module variable of another module, or a name it re-exports as a variable
                return self.module_variable(number, last) or ()
            return (Type("extc", found),)
        return (Type("extc", name),)

    def module_variable(self, number: int, name: str) -> Types_:
        """A variable of module `number`, also one that it imports."""
        fields = self.world.view(number).fields.get((-1, name))
        if fields and fields[0].text.split("(")[0].rsplit(".", 1)[-1] == "NewType":
            return (
                Type("extc", f"{self.world.view(number).module}.{name}"),
            )  # called like a function, gives its argument
        if fields:
            return self.types.declared(Sym(number, -1), fields)
        for i in self.world.view(number).imports.get(name, ()):
            owner = self.world.modules.get(self.world.absolute(number, i))
            if owner is not None and owner != number and i.name:
                return self.module_variable(owner, i.name)
        return ()

    def local(self, file: int, s: int, d: Definition, name: str) -> Types_ | None:
        """A local or parameter of function `s`; None if it has no such name."""
        view = self.world.view(file)
        binds = view.binds.get((s, name), ())
        for b in binds:
            if b.annotation:
                found = self.types.annotation(file, s, b.annotation)
                if found:
                    return found
        for position, p in enumerate(d.params):
            if p.name != name:
                continue
            if (
                position == 0
                and d.parent >= 0
                and view.python
                and view.facts.definitions[d.parent].kind in ("class", "enum")
                and "static" not in d.flags
            ):
                return self._self_type(file, s, d, p)
            own = merge(*(self.types.of(file, s, b.value) for b in binds if b.value))
            if p.kind:
                return (Type("ext", "tuple" if p.kind == "*" else "dict"),)
            declared = self.types.annotation(file, s, p.annotation) if p.annotation else ()
            if not declared or only_callable(declared):  # which function it is, only those who pass it say
                declared = merge(self.types.of_parameter(Sym(file, s), position), declared)
            if not declared and p.default:
                declared = self.types.of(file, s, p.default)
            return merge(declared, own)
        if binds:
            copied = merge(*(self.contents.copied(file, s, b) for b in binds))
            if copied:
                return copied
            values = merge(*(self.types.of(file, s, b.value) for b in binds if b.value))
            return self.contents.filled(file, s, name, values)
        return None

    def _self_type(self, file: int, s: int, d: Definition, p: Param) -> Types_:
        """A method's first parameter: its class, or the subclass that a mixin says it is for (`self: Scheduler`)."""
        around = Sym(file, d.parent)
        if "classmethod" in d.flags or d.name.endswith("__new__"):
            return (Type("cls", around),)
        for t in self.types.annotation(file, s, p.annotation) if p.annotation else ():
            if t.kind == "obj" and isinstance(t.ref, Sym) and self.world.is_a(t.ref, around):
                return (t,)
        return (Type("obj", around),)
