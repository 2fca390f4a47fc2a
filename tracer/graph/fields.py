"""What a field or module variable is: its annotation, else its values and what is put into it."""

from __future__ import annotations

import re

from tracer.graph.annotations import DICTS, Type, Types_, merge
from tracer.graph.containers import last_name, only_callable, unfilled
from tracer.graph.contents import Contents
from tracer.graph.evaluation import Evaluation
from tracer.graph.world import Sym
from tracer.survey.facts import Field

SETTERS = 12  # files that mention a field which only others set; a name in more says nothing
_FACTORY = re.compile(r"[\w.]*defaultdict\(\s*(?:lambda\s*:\s*)?([A-Za-z_][\w.]*)\s*[(),]")
SHALLOW = 8  # and what they set is looked up only near the question


class Fields:
    """Evaluates fields by how they are declared and set."""

    def __init__(self, types: Evaluation, contents: Contents) -> None:
        self.types, self.world, self.contents = types, types.world, contents

    def declared(self, owner: Sym, fields: list[Field]) -> Types_:
        """The types of a field or module variable: its annotation, else its values and what is inserted."""
        file = owner.file
        view = self.world.view(file)
        for f in fields:
            if f.annotation:
                scope = owner.index if f.where in ("class", "enum", "module") else view.scope_at(f.line)
                found = self.types.annotation(file, scope, f.annotation)
                if found and not only_callable(found):
                    return found
                if found:
                    return merge(self._kept_functions(owner, fields), found)
        out: Types_ = ()
        if view.python and any(f.annotation and f.where == "class" for f in fields):
            out = self.types.of_made(owner, fields[0].name)
        for f in fields:
            if f.value and f.value != "#none":
                scope = view.scope_at(f.line) if f.where in ("init", "method") else owner.index
                name = f"self.{f.name}" if owner.index >= 0 else f.name
                out = merge(out, self.contents.filled(file, scope, name, self.types.of(file, scope, f.value)))
        if not out or any(unfilled(t) for t in out):
            elements = merge(self._missing(owner, fields), self.contents.inserted(file, owner, fields[0].name))
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
                out = merge(out, tuple(t for t in self.types.of(owner.file, scope, made[1] + "()") if t.kind == "obj"))
        return out

    def _set_outside(self, owner: Sym, name: str) -> Types_:
        """What others store in a field that its own class only ever sets to None."""
        files = self.world.files_with("u", name)
        key = ("set", owner, name)
        if len(files) > SETTERS or self.types.pending.beyond(SHALLOW) or not self.types.pending.enter(key):
            return ()
        out: Types_ = ()
        for number in files:
            for a in self.world.view(number).targets.get(name, ()):
                holder = a.target.removesuffix("." + name)
                if a.op != "write" or holder in ("self", a.target) or a.value[:1] in ("", "#", "?"):
                    continue
                if any(t.ref == owner for t in self.types.of(number, a.scope, holder)):
                    out = merge(out, self.types.of(number, a.scope, a.value))
        self.types.pending.leave(key)
        return out

    def _kept_functions(self, owner: Sym, fields: list[Field]) -> Types_:
        """The functions that are stored in a field declared as no more than callable."""
        view = self.world.view(owner.file)
        out = self.types.of_made(owner, fields[0].name) if view.python and owner.index >= 0 else ()
        for f in fields:
            if f.value and f.value[0] != "#":
                out = merge(out, self.types.of(owner.file, view.scope_at(f.line), f.value))
        return tuple(t for t in out if t.kind == "fn")
