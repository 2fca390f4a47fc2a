"""What an access path is: demand-driven, memoised evaluation of `self.pool.blocks[].ref` to types.

Takes a `World`; gives unions of `Type`. It follows imports, class hierarchies, constructors, annotations, dataclass
fields, parameters (from their callers, where nothing is declared), containers, properties and results. It ends:
cycles are cut, unions are capped, and a path it cannot follow is `()`, never a guess.
"""

from __future__ import annotations

import re

from tracer.graph.annotations import DICTS, LISTS, Type, Types_, cpp_type, merge, python_annotation
from tracer.graph.containers import MADE, element, last_name, method_result, unfilled
from tracer.graph.parameters import Parameters
from tracer.graph.pending import Pending
from tracer.graph.tuples import places
from tracer.graph.variables import bound_of
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.survey.facts import Bind, Definition, Field, Param
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

_COPIES = ("dict()", "list()", "set()", "deque()", "OrderedDict()", "copy.copy()", "copy.deepcopy()")
_HOLDING = frozenset({  # what gives an object of the type in its angle brackets
    "make_shared", "make_unique", "make_optional", "shared_ptr", "unique_ptr", "get", "any_cast",
})  # fmt: skip
DEPTH = 48  # nested evaluations; deeper chains are unknown
SETTERS = 12  # files that mention a field which only others set; a name in more says nothing
SHALLOW = 8  # and what they set is looked up only near the question
_PARTS = 4  # of a tuple made in a comprehension, as many as the survey keeps
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

_FACTORY = re.compile(r"[\w.]*defaultdict\(\s*(?:lambda\s*:\s*)?([A-Za-z_][\w.]*)\s*[(),]")


def _only_callable(types: Types_) -> bool:
    """Whether no more is known than that it can be called."""
    return all(t.kind == "ext" and last_name(t) == "Callable" for t in types)


class Types:
    """Evaluates access paths in a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._memo: dict[tuple[int, int, str], Types_] = {}
        self._field_memo: dict[tuple[Sym, str], Types_] = {}
        self.pending = Pending()
        self._parameters = Parameters(self)

    # -- paths -------------------------------------------------------------------
    def of(self, file: int, scope: int, path: str) -> Types_:
        """The types of access path `path` as written in `scope` of `file`."""
        key = (file, scope, path)
        found = self._memo.get(key)
        if found is not None:
            return found
        if self.pending.beyond(DEPTH) or not self.pending.enter(key):
            return ()
        found = self._of(file, scope, parts(path))
        if self.pending.leave(key):
            self._memo[key] = found
        return found

    def _of(self, file: int, scope: int, items: tuple[str, ...]) -> Types_:
        if not items:
            return ()
        if len(items) == 1:
            return self._root(file, scope, items[0])
        before = self.of(file, scope, join(items[:-1]))
        last = items[-1]
        if last[0] == ".":
            return merge(*(self.attribute(t, last[1:]) for t in before))
        if last == "()":
            name = items[-2][1:] if items[-2][0] == "." else ""
            if name:  # a container's or smart pointer's method: the receiver says what comes out
                receiver = self.of(file, scope, join(items[:-2]))
                known = merge(*(self._smart_pointer(t, name) or method_result(t, name) for t in receiver))
                if known:
                    return known
            return merge(*(self.result(t) for t in before))
        if items[-2] == "()" and last[1:-1].isdigit() and any(unfilled(t) for t in before):
            functions = self.of(file, scope, join(items[:-2]))
            return merge(*(self._place(t.ref, int(last[1:-1])) for t in functions if isinstance(t.ref, Sym)))
        return merge(*(self.element(t, last) for t in before))

    def _place(self, function: Sym, place: int) -> Types_:
        """What stands at a place of the tuple that a function returns, where that is state of its object or class."""
        view = self.world.view(function.file)
        out: Types_ = ()
        for mark in view.marks.get(function.index, ()) if view.python else ():
            paths = places(mark.text) if mark.kind == "return" else ()
            if place < len(paths) and self._of_object(function, paths[place]):
                out = merge(out, self.of(function.file, function.index, paths[place]))
        return out

    def _of_object(self, function: Sym, path: str) -> bool:
        """Whether a path of a function starts at its object or class, also through one local name."""
        root, _, rest = path.partition(".")
        if root in ("self", "cls") and rest:
            return True
        binds = self.world.view(function.file).binds.get((function.index, root), ())
        return any(b.value.startswith(("self.", "cls.")) for b in binds)

    # -- roots -------------------------------------------------------------------
    def _root(self, file: int, scope: int, name: str) -> Types_:
        view = self.world.view(file)
        if name[0] == "<":
            return self.annotation(file, scope, name[1:-1])
        if name in _LITERAL:
            return (Type("ext", _LITERAL[name]),)
        if name[0] in "#?":
            return ()
        if not view.python:
            return self._cpp_root(file, scope, name)
        if name == "super()":
            cls = self._class_around(file, scope)
            return tuple(Type("obj", b) for b in self.world.mro(cls)[1:2]) if cls else ()
        for s in self.world.chain(file, scope):
            d = view.facts.definitions[s]
            if d.kind == "function":
                found = self._local(file, s, d, name)
                if found is not None:
                    return found
            elif s == scope:  # names of a class body are seen in it, not in its methods
                own = view.fields.get((s, name))
                if own:
                    return self._declared(Sym(file, s), own)
        return self.named(file, scope, name)

    def named(self, file: int, scope: int, name: str) -> Types_:
        """A name that is no local: module variable, definition, import, builtin."""
        view = self.world.view(file)
        found = self.world.lookup(file, scope, name)
        if isinstance(found, Sym):
            if found.index < 0:
                return (Type("mod", found),)
            return (Type("cls" if self.world.is_class(found) else "fn", found),)
        if (-1, name) in view.fields:
            return self._module_variable(file, name)
        if isinstance(found, str):
            owner, _, last = found.rpartition(".")
            number = self.world.modules.get(owner)
            if number is not None:  # a module variable of another module, or a name it re-exports as a variable
                return self._module_variable(number, last) or ()
            return (Type("extc", found),)
        return (Type("extc", name),)

    def _module_variable(self, number: int, name: str) -> Types_:
        fields = self.world.view(number).fields.get((-1, name))
        if fields and fields[0].text.split("(")[0].rsplit(".", 1)[-1] == "NewType":
            return (
                Type("extc", f"{self.world.view(number).module}.{name}"),
            )  # called like a function, gives its argument
        if fields:
            return self._declared(Sym(number, -1), fields)
        for i in self.world.view(number).imports.get(name, ()):
            owner = self.world.modules.get(self.world.absolute(number, i))
            if owner is not None and owner != number and i.name:
                return self._module_variable(owner, i.name)
        return ()

    def _local(self, file: int, s: int, d: Definition, name: str) -> Types_ | None:
        """A local or parameter of function `s`; None if it has no such name."""
        view = self.world.view(file)
        binds = view.binds.get((s, name), ())
        for b in binds:
            if b.annotation:
                found = self.annotation(file, s, b.annotation)
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
            own = merge(*(self.of(file, s, b.value) for b in binds if b.value))
            if p.kind:
                return (Type("ext", "tuple" if p.kind == "*" else "dict"),)
            declared = self.annotation(file, s, p.annotation) if p.annotation else ()
            if not declared or _only_callable(declared):  # which function it is, only those who pass it say
                declared = merge(self._parameters.of(Sym(file, s), position), declared)
            if not declared and p.default:
                declared = self.of(file, s, p.default)
            return merge(declared, own)
        if binds:
            copied = merge(*(self._copied(file, s, b) for b in binds))
            return copied or self._filled(file, s, name, merge(*(self.of(file, s, b.value) for b in binds if b.value)))
        return None

    def _put_into(self, file: int, scope: int, name: str) -> Types_:
        """What `name.append(x)` and its kin put into the local container `name`."""
        inserts = (a for a in self.world.view(file).accesses.get(scope, ()) if a.op == "insert" and a.target == name)
        return merge(*(self.of(file, scope, a.value) for a in inserts if a.value[:1] not in ("", "#", "?")))

    def _tuples_in(self, file: int, scope: int, name: str) -> Types_:
        """The tuple that `name = [(a, b) for …]` is full of, by its parts; parts of no known type stay empty."""
        binds, items = self.world.view(file).binds, []
        for k in range(_PARTS):
            found = merge(*(self.of(file, scope, b.value) for b in binds.get((scope, f"{name}[*][{k}]"), ())))
            items.append(found)
        while items and not items[-1]:
            items.pop()
        return (Type("ext", "tuple", tuple(items)),) if items else ()

    def _self_type(self, file: int, s: int, d: Definition, p: Param) -> Types_:
        """A method's first parameter: its class, or the subclass that a mixin says it is for (`self: Scheduler`)."""
        around = Sym(file, d.parent)
        if "classmethod" in d.flags or d.name.endswith("__new__"):
            return (Type("cls", around),)
        for t in self.annotation(file, s, p.annotation) if p.annotation else ():
            if t.kind == "obj" and isinstance(t.ref, Sym) and self.world.is_a(t.ref, around):
                return (t,)
        return (Type("obj", around),)

    def _copied(self, file: int, scope: int, b: Bind) -> Types_:
        """What a local is that is made by copying a container: `mine = dict(self.table)`."""
        if b.value not in _COPIES:
            return ()
        for call in self.world.view(file).calls.get(scope, ()):
            if call.callee + "()" == b.value and call.line == b.line and len(call.args) == 1:
                found = self.of(file, scope, call.args[0].path) if not call.args[0].keyword else ()
                return tuple(t for t in found if t.kind == "ext" and t.args)
        return ()

    def _filled(self, file: int, scope: int, name: str, found: Types_) -> Types_:
        """Containers of unknown elements, with what `name[*]` and `name[]` were seen to hold."""
        if not any(unfilled(t) for t in found):
            return found
        view = self.world.view(file)
        binds = view.binds
        star = merge(*(self.of(file, scope, b.value) for b in binds.get((scope, name + "[*]"), ())))
        if view.python:
            star = merge(star, self._put_into(file, scope, name), self._tuples_in(file, scope, name))
        values = merge(*(self.of(file, scope, b.value) for b in binds.get((scope, name + "[]"), ())))
        if not star and not values:
            return found
        return tuple(
            t._replace(args=(star, values) if last_name(t) in DICTS else (star or values,)) if unfilled(t) else t
            for t in found
        )

    def _class_around(self, file: int, scope: int) -> Sym | None:
        for s in self.world.chain(file, scope):
            sym = Sym(file, s)
            if self.world.is_class(sym):
                return sym
            owner = self.world.owner(sym)
            if owner is not None:
                return owner
        return None

    def _cpp_root(self, file: int, scope: int, name: str) -> Types_:
        view = self.world.view(file)
        inside = ""
        if name in ("this", "self"):
            cls = self._class_around(file, scope)
            if cls or name == "this":  # outside of a class, `self` is a parameter like any other
                return (Type("obj", cls),) if cls else ()
        for s in self.world.chain(file, scope):
            d = view.facts.definitions[s]
            inside = inside or d.name
            if d.kind == "function" and "::" not in name:
                found = self._local(file, s, d, name)
                if found is not None:
                    return found
        cls = self._class_around(file, scope)
        if "::" not in name:
            if cls is not None:
                found = self.attribute(Type("obj", cls), name)
                if found:
                    return found
            if (-1, name) in view.fields:
                return self._declared(Sym(file, -1), view.fields[-1, name])
        bare, _, template = name.partition("<")
        last = last_part(bare)
        if last in _HOLDING and template:
            return (Type("ext", "std.factory", (self.annotation(file, scope, template[:-1].split(",")[0]),)),)
        found_class = self.world.cpp_lookup(bare, file, inside)
        if found_class is not None:
            alias = self.world.definition(found_class)
            if alias is not None and alias.kind == "alias":
                meant = self.annotation(found_class.file, -1, alias.returns)
                return tuple(Type("cls", t.ref) for t in meant if t.kind == "obj")
            return (Type("cls", found_class),)
        if "::" in bare:
            owner = self.world.cpp_lookup(bare.rsplit("::", 1)[0], file, inside)
            if owner is not None:
                return self.attribute(Type("cls", owner), last)
        functions = self._cpp_functions(bare, inside)
        if functions:
            return functions
        return (Type("extc", bare.replace("::", ".")),)

    def _cpp_functions(self, bare: str, inside: str) -> Types_:
        named = self._cpp_called(last_part(bare))
        scopes = inside.split("::") if named else []
        for k in range(len(scopes), -1, -1):
            exact = named.get("::".join([*scopes[:k], bare]))
            if exact:
                bodies = [s for s in exact if self.world.kind(s) == "function"]
                return tuple(Type("fn", s) for s in (bodies or exact)[:8])
        return ()

    @kept
    def _cpp_called(self, last: str) -> dict[str, list[Sym]]:
        """The C++ functions of this last name: whole name → definitions and declarations, in file order."""
        out: dict[str, list[Sym]] = {}
        for s in self.world.defined(last):
            d = self.world.definition(s)
            if d is not None and d.kind in ("function", "declaration") and not self.world.view(s.file).python:
                out.setdefault(self.world.symbol(s), []).append(s)
        return out

    # -- members -----------------------------------------------------------------
    def attribute(self, t: Type, name: str) -> Types_:
        """`t.name`."""
        if name == "__class__" and t.kind == "obj":
            return (Type("cls", t.ref),)
        if t.kind in ("obj", "cls") and isinstance(t.ref, Sym):
            return self._member(t, name)
        if t.kind == "mod" and isinstance(t.ref, Sym):
            found = self.world.member_of(t.ref, name)
            if isinstance(found, Sym):
                return (Type("mod" if found.index < 0 else "cls" if self.world.is_class(found) else "fn", found),)
            return self._module_variable(t.ref.file, name) or ((Type("extc", found),) if isinstance(found, str) else ())
        if t.kind == "extc":
            found = self.world.member_of(str(t.ref), name)
            if isinstance(found, Sym):
                return (Type("mod" if found.index < 0 else "cls" if self.world.is_class(found) else "fn", found),)
            return (Type("extc", f"{t.ref}.{name}"),)
        if t.kind == "ext":
            last = last_name(t)
            if (last == "pair" or last in DICTS) and name in ("first", "second") and len(t.args) == 2:
                return t.args[name == "second"]
            if last == "factory" or last == "iterator":
                return merge(*(self.attribute(a, name) for a in (t.args[0] if t.args else ())))
            return (Type("extc", f"{t.ref}.{name}"),)
        return ()

    def attribute_of(self, cls: Sym, name: str) -> Types_:
        """The types of field `name` of an instance of `cls`."""
        return self.attribute(Type("obj", cls), name)

    def _member(self, t: Type, name: str) -> Types_:
        assert isinstance(t.ref, Sym)
        key = (t.ref, name + ("" if t.kind == "obj" else "@"))
        found = self._field_memo.get(key)
        if found is None:
            if not self.pending.enter(key):
                return ()
            found = self._member_now(t, name)
            if self.pending.leave(key):
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
                for b in self.annotation(cls.file, d.parent if d else -1, base):
                    if b.kind == "ext" and str(b.ref).rsplit(".", 1)[-1] in LISTS | DICTS:
                        return self.attribute(b, name)
        for cls in mro:  # a C++ accessor stands for what it points to
            for m in self.world.methods(cls, "operator->")[:1]:
                return merge(*(self.attribute(r, name) for r in self._function_result(m) if r.ref != t.ref))
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
                    inner = self.of(m.file, m.index, call.args[0].path)
                    out = merge(out, *(self.attribute(i, name) for i in inner if i.ref != cls))
        return out

    def _own_member(self, cls: Sym, name: str, kind: str) -> Types_ | None:
        view = self.world.view(cls.file)
        fields = view.fields.get((cls.index, name))
        d = self.world.definition(cls)
        if fields:
            if fields[0].where == "enum" or (d is not None and d.kind == "enum"):
                return (Type("obj", cls),)
            return self._declared(cls, fields)
        methods = self.world.methods(cls, name)
        if methods:
            first = self.world.definition(methods[0])
            if (
                first is not None
                and ("property" in first.flags or any("cached_property" in x for x in first.decorators))
                and kind == "obj"
            ):
                return self.result(Type("fn", methods[0]))
            return tuple(Type("fn", m) for m in methods)
        inner = view.children.get((cls.index, name))
        if inner and self.world.is_class(Sym(cls.file, inner[-1])):
            return (Type("cls", Sym(cls.file, inner[-1])),)
        return None

    def _declared(self, owner: Sym, fields: list[Field]) -> Types_:
        """The types of a field or module variable: its annotation, else its values and what is inserted."""
        file = owner.file
        view = self.world.view(file)
        for f in fields:
            if f.annotation:
                scope = owner.index if f.where in ("class", "enum", "module") else view.scope_at(f.line)
                found = self.annotation(file, scope, f.annotation)
                if found and not _only_callable(found):
                    return found
                if found:
                    return merge(self._kept_functions(owner, fields), found)
        out: Types_ = ()
        if view.python and any(f.annotation and f.where == "class" for f in fields):
            out = self._parameters.of_field(owner, fields[0].name)
        for f in fields:
            if f.value and f.value != "#none":
                scope = view.scope_at(f.line) if f.where in ("init", "method") else owner.index
                out = merge(
                    out,
                    self._filled(
                        file, scope, f"self.{f.name}" if owner.index >= 0 else f.name, self.of(file, scope, f.value)
                    ),
                )
        if not out or any(unfilled(t) for t in out):
            elements = merge(self._missing(owner, fields), self._inserted(file, owner, fields[0].name))
            if elements:
                out = tuple(
                    t._replace(args=((), elements) if last_name(t) in DICTS else (elements,)) if unfilled(t) else t
                    for t in out
                ) or (Type("ext", "dict", (elements, elements)),)
        if not out and view.python and all(f.value == "#none" and not f.annotation for f in fields):
            return self._set_outside(owner, fields[0].name) if owner.index >= 0 else ()
        return out

    def _missing(self, owner: Sym, fields: list[Field]) -> Types_:
        """What a `defaultdict(C)` in a field makes for a missing key: the objects of an engine's own class."""
        view = self.world.view(owner.file)
        out: Types_ = ()
        for f in fields:
            made = _FACTORY.match(f.text) if f.value.endswith("defaultdict()") else None
            if made:
                scope = view.scope_at(f.line) if f.where in ("init", "method") else owner.index
                out = merge(out, tuple(t for t in self.of(owner.file, scope, made[1] + "()") if t.kind == "obj"))
        return out

    def _set_outside(self, owner: Sym, name: str) -> Types_:
        """What others store in a field that its own class only ever sets to None."""
        files = self.world.files_with("u", name)
        key = ("set", owner, name)
        if len(files) > SETTERS or self.pending.beyond(SHALLOW) or not self.pending.enter(key):
            return ()
        out: Types_ = ()
        for number in files:
            for a in self.world.view(number).targets.get(name, ()):
                holder = a.target.removesuffix("." + name)
                if a.op != "write" or holder in ("self", a.target) or a.value[:1] in ("", "#", "?"):
                    continue
                if any(t.ref == owner for t in self.of(number, a.scope, holder)):
                    out = merge(out, self.of(number, a.scope, a.value))
        self.pending.leave(key)
        return out

    def _kept_functions(self, owner: Sym, fields: list[Field]) -> Types_:
        """The functions that are stored in a field declared as no more than callable."""
        view = self.world.view(owner.file)
        out = self._parameters.of_field(owner, fields[0].name) if view.python and owner.index >= 0 else ()
        for f in fields:
            if f.value and f.value[0] != "#":
                out = merge(out, self.of(owner.file, view.scope_at(f.line), f.value))
        return tuple(t for t in out if t.kind == "fn")

    def _inserted(self, file: int, owner: Sym, name: str) -> Types_:
        """What the owner's own file inserts into an unannotated container field."""
        view = self.world.view(file)
        out: Types_ = ()
        for a in view.facts.accesses:
            if a.op != "insert" or not a.value:
                continue
            items = parts(a.target)
            if (owner.index >= 0 and items[0] in ("self", "cls") and items[1:] == ("." + name,)) or (
                owner.index < 0 and items == (name,)
            ):
                out = merge(out, self._displayed(file, a.scope, a.value, a.text))
        return out

    def _displayed(self, file: int, scope: int, path: str, text: str) -> Types_:
        """What `path` is; a tuple that is written out, by its parts."""
        parts_ = places(text) if path == "#tuple" else ()
        if not any(parts_):
            return self.of(file, scope, path)
        return (Type("ext", "tuple", tuple(self.of(file, scope, p) if p else () for p in parts_)),)

    # -- results and elements --------------------------------------------------------
    def result(self, t: Type) -> Types_:
        """What calling `t` gives."""
        if t.kind == "cls" and isinstance(t.ref, Sym):
            return (Type("obj", t.ref, t.args),)
        if t.kind == "fn" and isinstance(t.ref, Sym):
            return self._function_result(t.ref)
        if t.kind == "obj" and isinstance(t.ref, Sym):
            for cls in self.world.mro(t.ref):
                for m in self.world.methods(cls, "__call__")[:1]:
                    return self._function_result(m)
            return ()
        if t.kind == "ext":
            last = last_name(t)
            return t.args[0] if last in ("Callable", "factory") and t.args else ()
        if t.kind == "extc":
            return (Type("ext", MADE.get(str(t.ref), t.ref)),)
        return ()

    def _function_result(self, sym: Sym) -> Types_:
        d = self.world.definition(sym)
        if d is None:
            return ()
        if d.returns:
            if last_part(d.returns.strip("\"'")) == "Self":
                owner = self.world.owner(sym)
                return (Type("obj", owner),) if owner else ()
            found = self.annotation(sym.file, sym.index, d.returns)
            if found:
                manager = any("contextmanager" in x for x in d.decorators)
                return merge(*(t.args[0] for t in found if t.args)) if manager else found
        view = self.world.view(sym.file)
        returned = merge(
            *(self.of(sym.file, sym.index, b.value) for b in view.binds.get((sym.index, "return"), ()) if b.value)
        )
        yielded = merge(
            *(self.of(sym.file, sym.index, b.value) for b in view.binds.get((sym.index, "yield"), ()) if b.value)
        )
        if yielded:
            return (
                yielded if any("contextmanager" in x for x in d.decorators) else (Type("ext", "generator", (yielded,)),)
            )
        return returned

    def _smart_pointer(self, t: Type, name: str) -> Types_:
        """`p.get()`, `w.lock()`, `o.value()` of a C++ pointer or optional that stands for its object."""
        if t.kind != "obj" or name not in ("lock", "get", "value", "load") or not isinstance(t.ref, Sym):
            return ()
        return () if self.world.view(t.ref.file).python or self._own_or_inherited(t.ref, name) else (t,)

    def _own_or_inherited(self, cls: Sym, name: str) -> bool:
        return any(self.world.methods(c, name) for c in self.world.mro(cls))

    def element_of(self, containers: Types_) -> Types_:
        """The elements (of a map: the values) of any of `containers`."""
        return merge(*(self.element(t, "[]") for t in containers))

    def element(self, t: Type, suffix: str) -> Types_:
        """`t[...]` or an element by iteration."""
        if t.kind == "extc" or (t.kind == "cls" and isinstance(t.ref, Sym) and self.world.kind(t.ref) != "enum"):
            return (t,) if suffix == "[]" else ()  # a generic class with its arguments
        if t.kind == "obj" and isinstance(t.ref, Sym):
            d = self.world.definition(t.ref)
            if suffix[1:-1].isdigit() and d is not None and any(last_part(b) == "NamedTuple" for b in d.bases):
                own = [f for f in self.world.view(t.ref.file).facts.fields if f.owner == t.ref.index]
                return self._declared(t.ref, [own[int(suffix[1:-1])]]) if int(suffix[1:-1]) < len(own) else ()
            for cls in self.world.mro(t.ref):
                for name in (
                    ("__getitem__", "operator[]")
                    if suffix != "[*]"
                    else ("__iter__", "__next__", "__getitem__", "begin")
                ):
                    for m in self.world.methods(cls, name)[:1]:
                        found = self._function_result(m)
                        return merge(
                            *(
                                self.element(f, suffix) if f.kind == "ext" and name in ("__iter__", "begin") else (f,)
                                for f in found
                            )
                        )
                d = self.world.definition(cls)
                for base in d.bases if d else ():
                    for b in self.annotation(cls.file, d.parent if d else -1, base):
                        if b.kind == "ext":
                            return self.element(b, suffix)
            return ()
        return element(t, suffix) if t.kind == "ext" else ()

    # -- annotations and parameters ----------------------------------------------------
    def annotation(self, file: int, scope: int, text: str) -> Types_:
        """The instances that a type text at (file, scope) allows."""
        view = self.world.view(file)
        if view.python:
            return python_annotation(text, lambda name: self._annotated(file, scope, name))
        inside = view.facts.definitions[scope].name if scope >= 0 else ""
        return cpp_type(text, lambda name: self._cpp_annotated(file, inside, name))

    def _annotated(self, file: int, scope: int, name: str) -> Types_:
        if name == "Self":
            cls = self._class_around(file, scope)
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
        if not text or not self.pending.enter(key):
            return ()
        found = python_annotation(text, lambda n: self._annotated(file, -1, n))
        self.pending.leave(key)
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
        if not self.pending.enter(key):
            return ()
        scope_name = d.name.rsplit("::", 1)[0] if "::" in d.name else ""
        meant = cpp_type(d.returns, lambda n: self._cpp_annotated(found.file, scope_name, n))
        self.pending.leave(key)
        return meant
