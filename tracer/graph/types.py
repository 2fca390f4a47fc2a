"""What an access path is: demand-driven, memoised evaluation of `self.pool.blocks[].ref` to types.

Takes a `World`; gives unions of `Type`. It follows imports, class hierarchies, constructors, annotations, dataclass
fields, parameters (from their callers, where nothing is declared), containers, properties and results. It ends:
cycles are cut, unions are capped, and a path it cannot follow is `()`, never a guess.

Each step of a path is a part's: the first name `roots.py` and `cpp_roots.py`, attributes `attributes.py` and what
declares them `fields.py`, calls and elements `results.py`, type texts `written.py`, parameters `parameters.py`.
"""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_, merge
from tracer.graph.attributes import Attributes
from tracer.graph.containers import method_result, unfilled
from tracer.graph.contents import Contents
from tracer.graph.fields import Fields
from tracer.graph.parameters import Parameters
from tracer.graph.pending import Pending
from tracer.graph.results import Results
from tracer.graph.roots import Roots
from tracer.graph.tuples import places
from tracer.graph.world import Sym, World
from tracer.graph.written import Written
from tracer.survey.paths import join, parts

DEPTH = 48  # nested evaluations; deeper chains are unknown


class Types:
    """Evaluates access paths in a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.pending = Pending()
        self._memo: dict[tuple[int, int, str], Types_] = {}
        contents, parameters = Contents(self), Parameters(self)
        self._roots, self._results = Roots(self, contents), Results(self)
        # The parts' own methods, so that asking one through the whole costs no call more.
        self.local, self.module_variable = self._roots.local, self._roots.module_variable
        self.attribute = Attributes(self).of
        self.declared = Fields(self, contents).declared
        self.result, self.function_result = self._results.of, self._results.of_function
        self.element = self._results.element
        self.annotation = Written(self).annotation
        self.of_parameter, self.of_made = parameters.of, parameters.of_field

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
            return self._roots.of(file, scope, items[0])
        before = self.of(file, scope, join(items[:-1]))
        last = items[-1]
        if last[0] == ".":
            return merge(*(self.attribute(t, last[1:]) for t in before))
        if last == "()":
            name = items[-2][1:] if items[-2][0] == "." else ""
            if name:  # a container's or smart pointer's method: the receiver says what comes out
                receiver = self.of(file, scope, join(items[:-2]))
                known = merge(*(self._results.smart_pointer(t, name) or method_result(t, name) for t in receiver))
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

    def attribute_of(self, cls: Sym, name: str) -> Types_:
        """The types of field `name` of an instance of `cls`."""
        return self.attribute(Type("obj", cls), name)

    def element_of(self, containers: Types_) -> Types_:
        """The elements (of a map: the values) of any of `containers`."""
        return merge(*(self.element(t, "[]") for t in containers))
