"""What `x.name` is, by what `x` is: a member of its class or a base, of a module, of something external."""

from __future__ import annotations

from tracer.graph.annotations import DICTS, LISTS, Type, Types_, merge
from tracer.graph.containers import last_name
from tracer.graph.evaluation import Evaluation, named
from tracer.graph.world import Sym


class Attributes:
    """Evaluates attributes; members of classes are kept."""

    def __init__(self, types: Evaluation) -> None:
        self.types, self.world = types, types.world
        self._field_memo: dict[tuple[Sym, str], Types_] = {}

    def of(self, t: Type, name: str) -> Types_:
        """`t.name`."""
        if name == "__class__" and t.kind == "obj":
            return (Type("cls", t.ref),)
        if t.kind in ("obj", "cls") and isinstance(t.ref, Sym):
            return self._member(t, name)
        if t.kind == "mod" and isinstance(t.ref, Sym):
            found = self.world.member_of(t.ref, name)
            if isinstance(found, Sym):
                return (named(self.world, found),)
            variable = self.types.module_variable(t.ref.file, name)
            return variable or ((Type("extc", found),) if isinstance(found, str) else ())
        if t.kind == "extc":
            found = self.world.member_of(str(t.ref), name)
            if isinstance(found, Sym):
                return (named(self.world, found),)
            return (Type("extc", f"{t.ref}.{name}"),)
        if t.kind == "ext":
            last = last_name(t)
            if (last == "pair" or last in DICTS) and name in ("first", "second") and len(t.args) == 2:
                return t.args[name == "second"]
            if last == "factory" or last == "iterator":
                return merge(*(self.of(a, name) for a in (t.args[0] if t.args else ())))
            return (Type("extc", f"{t.ref}.{name}"),)
        return ()

    def _member(self, t: Type, name: str) -> Types_:
        assert isinstance(t.ref, Sym)
        key = (t.ref, name + ("" if t.kind == "obj" else "@"))
        found = self._field_memo.get(key)
        if found is None:
            if not self.types.pending.enter(key):
                return ()
            found = self._member_now(t, name)
            if self.types.pending.leave(key):
                self._field_memo[key] = found
        return found

    def _member_now(self, t: Type, name: str) -> Types_:
        assert isinstance(t.ref, Sym)
        mro = self.world.mro(t.ref)
        for cls in mro:
            found = self._own_member(cls, name, t.kind)
            if found is not None:
                return found
        for cls in mro:  # a base outside of the world
            d = self.world.definition(cls)
            for base in d.bases if d else ():
                for b in self.types.annotation(cls.file, d.parent if d else -1, base):
                    if b.kind == "ext" and str(b.ref).rsplit(".", 1)[-1] in LISTS | DICTS:
                        return self.of(b, name)
        for cls in mro:  # a C++ accessor stands for what it points to
            for m in self.world.methods(cls, "operator->")[:1]:
                return merge(*(self.of(r, name) for r in self.types.function_result(m) if r.ref != t.ref))
        forwarded = merge(*(self._forwarded(cls, name) for cls in mro))
        if forwarded:
            return forwarded
        for sub in self.world.subclasses(t.ref)[:24]:  # a mixin's attribute may live in the class that mixes it in
            for cls in self.world.mro(sub):
                if cls not in mro:
                    found = self._own_member(cls, name, t.kind)
                    if found:
                        return found
        return ()

    def _forwarded(self, cls: Sym, name: str) -> Types_:
        """What a class without such a member forwards to: `def __getattr__(self, n): return getattr(self.inner, n)`."""
        out: Types_ = ()
        for m in self.world.methods(cls, "__getattr__")[:1] if not name.startswith("__") else ():
            for call in self.world.view(m.file).calls.get(m.index, ()):
                if call.callee == "getattr" and len(call.args) > 1 and call.args[0].path.startswith("self."):
                    inner = self.types.of(m.file, m.index, call.args[0].path)
                    out = merge(out, *(self.of(i, name) for i in inner if i.ref != cls))
        return out

    def _own_member(self, cls: Sym, name: str, kind: str) -> Types_ | None:
        view = self.world.view(cls.file)
        fields = view.fields.get((cls.index, name))
        d = self.world.definition(cls)
        if fields:
            if fields[0].where == "enum" or (d is not None and d.kind == "enum"):
                return (Type("obj", cls),)
            return self.types.declared(cls, fields)
        methods = self.world.methods(cls, name)
        if methods:
            first = self.world.definition(methods[0])
            if (
                first is not None
                and ("property" in first.flags or any("cached_property" in x for x in first.decorators))
                and kind == "obj"
            ):
                return self.types.result(Type("fn", methods[0]))
            return tuple(Type("fn", m) for m in methods)
        inner = view.children.get((cls.index, name))
        if inner and self.world.is_class(Sym(cls.file, inner[-1])):
            return (Type("cls", Sym(cls.file, inner[-1])),)
        return None
