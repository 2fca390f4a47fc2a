"""What calling a value gives, and what its elements are."""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_, merge
from tracer.graph.containers import MADE, element, last_name
from tracer.graph.evaluation import Evaluation
from tracer.graph.world import Sym
from tracer.survey.store import last_part


class Results:
    """Evaluates calls, subscripts and iteration."""

    def __init__(self, types: Evaluation) -> None:
        self.types, self.world = types, types.world

    def of(self, t: Type) -> Types_:
        """What calling `t` gives."""
        if t.kind == "cls" and isinstance(t.ref, Sym):
            return (Type("obj", t.ref, t.args),)
        if t.kind == "fn" and isinstance(t.ref, Sym):
            return self.of_function(t.ref)
        if t.kind == "obj" and isinstance(t.ref, Sym):
            for cls in self.world.mro(t.ref):
                for m in self.world.methods(cls, "__call__")[:1]:
                    return self.of_function(m)
            return ()
        if t.kind == "ext":
            last = last_name(t)
            return t.args[0] if last in ("Callable", "factory") and t.args else ()
        if t.kind == "extc":
            return (Type("ext", MADE.get(str(t.ref), t.ref)),)
        return ()

    def of_function(self, sym: Sym) -> Types_:
        """What calling function `sym` gives: as it says, else what it returns or yields."""
        d = self.world.definition(sym)
        if d is None:
            return ()
        if d.returns:
            if last_part(d.returns.strip("\"'")) == "Self":
                owner = self.world.owner(sym)
                return (Type("obj", owner),) if owner else ()
            found = self.types.annotation(sym.file, sym.index, d.returns)
            if found:
                manager = any("contextmanager" in x for x in d.decorators)
                return merge(*(t.args[0] for t in found if t.args)) if manager else found
        view = self.world.view(sym.file)
        returned = merge(
            *(self.types.of(sym.file, sym.index, b.value) for b in view.binds.get((sym.index, "return"), ()) if b.value)
        )
        yielded = merge(
            *(self.types.of(sym.file, sym.index, b.value) for b in view.binds.get((sym.index, "yield"), ()) if b.value)
        )
        if yielded:
            return (
                yielded if any("contextmanager" in x for x in d.decorators) else (Type("ext", "generator", (yielded,)),)
            )
        return returned

    def smart_pointer(self, t: Type, name: str) -> Types_:
        """`p.get()`, `w.lock()`, `o.value()` of a C++ pointer or optional that stands for its object."""
        if t.kind != "obj" or name not in ("lock", "get", "value", "load") or not isinstance(t.ref, Sym):
            return ()
        return () if self.world.view(t.ref.file).python or self._own_or_inherited(t.ref, name) else (t,)

    def _own_or_inherited(self, cls: Sym, name: str) -> bool:
        return any(self.world.methods(c, name) for c in self.world.mro(cls))

    def element(self, t: Type, suffix: str) -> Types_:
        """`t[...]` or an element by iteration."""
        if t.kind == "extc" or (t.kind == "cls" and isinstance(t.ref, Sym) and self.world.kind(t.ref) != "enum"):
            return (t,) if suffix == "[]" else ()  # a generic class with its arguments
        if t.kind == "obj" and isinstance(t.ref, Sym):
            d = self.world.definition(t.ref)
            if suffix[1:-1].isdigit() and d is not None and any(last_part(b) == "NamedTuple" for b in d.bases):
                own = [f for f in self.world.view(t.ref.file).facts.fields if f.owner == t.ref.index]
                return self.types.declared(t.ref, [own[int(suffix[1:-1])]]) if int(suffix[1:-1]) < len(own) else ()
            for cls in self.world.mro(t.ref):
                for name in (
                    ("__getitem__", "operator[]")
                    if suffix != "[*]"
                    else ("__iter__", "__next__", "__getitem__", "begin")
                ):
                    for m in self.world.methods(cls, name)[:1]:
                        found = self.of_function(m)
                        return merge(
                            *(
                                self.element(f, suffix) if f.kind == "ext" and name in ("__iter__", "begin") else (f,)
                                for f in found
                            )
                        )
                d = self.world.definition(cls)
                for base in d.bases if d else ():
                    for b in self.types.annotation(cls.file, d.parent if d else -1, base):
                        if b.kind == "ext":
                            return self.element(b, suffix)
            return ()
        return element(t, suffix) if t.kind == "ext" else ()
