"""What containers of unknown elements are full of, from what the code around puts into them."""

from __future__ import annotations

from tracer.graph.annotations import DICTS, Type, Types_, merge
from tracer.graph.containers import last_name, unfilled
from tracer.graph.evaluation import Evaluation
from tracer.graph.tuples import places
from tracer.graph.world import Sym
from tracer.survey.facts import Bind
from tracer.survey.paths import parts

_COPIES = ("dict()", "list()", "set()", "deque()", "OrderedDict()", "copy.copy()", "copy.deepcopy()")
_PARTS = 4  # of a tuple made in a comprehension, as many as the survey keeps


class Contents:
    """Finds the elements of containers."""

    def __init__(self, types: Evaluation) -> None:
        self.types, self.world = types, types.world

    def filled(self, file: int, scope: int, name: str, found: Types_) -> Types_:
        """Containers of unknown elements, with what `name[*]` and `name[]` were seen to hold."""
        if not any(unfilled(t) for t in found):
            return found
        view = self.world.view(file)
        binds = view.binds
        star = merge(*(self.types.of(file, scope, b.value) for b in binds.get((scope, name + "[*]"), ())))
        if view.python:
            star = merge(star, self._put_into(file, scope, name), self._tuples_in(file, scope, name))
        values = merge(*(self.types.of(file, scope, b.value) for b in binds.get((scope, name + "[]"), ())))
        if not star and not values:
            return found
        return tuple(
            t._replace(args=(star, values) if last_name(t) in DICTS else (star or values,)) if unfilled(t) else t
            for t in found
        )

    def _put_into(self, file: int, scope: int, name: str) -> Types_:
        """What `name.append(x)` and its kin put into the local container `name`."""
        inserts = (a for a in self.world.view(file).accesses.get(scope, ()) if a.op == "insert" and a.target == name)
        return merge(*(self.types.of(file, scope, a.value) for a in inserts if a.value[:1] not in ("", "#", "?")))

    def _tuples_in(self, file: int, scope: int, name: str) -> Types_:
        """The tuple that `name = [(a, b) for …]` is full of, by its parts; parts of no known type stay empty."""
        binds, items = self.world.view(file).binds, []
        for k in range(_PARTS):
            found = merge(*(self.types.of(file, scope, b.value) for b in binds.get((scope, f"{name}[*][{k}]"), ())))
            items.append(found)
        while items and not items[-1]:
            items.pop()
        return (Type("ext", "tuple", tuple(items)),) if items else ()

    def copied(self, file: int, scope: int, b: Bind) -> Types_:
        """What a local is that is made by copying a container: `mine = dict(self.table)`."""
        if b.value not in _COPIES:
            return ()
        for call in self.world.view(file).calls.get(scope, ()):
            if call.callee + "()" == b.value and call.line == b.line and len(call.args) == 1:
                found = self.types.of(file, scope, call.args[0].path) if not call.args[0].keyword else ()
                return tuple(t for t in found if t.kind == "ext" and t.args)
        return ()

    def inserted(self, file: int, owner: Sym, name: str) -> Types_:
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
            return self.types.of(file, scope, path)
        return (Type("ext", "tuple", tuple(self.types.of(file, scope, p) if p else () for p in parts_)),)
