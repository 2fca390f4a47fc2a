"""Names and other targets: where they are bound, and in which scope they are found."""

from __future__ import annotations

import ast
import builtins

from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Builtin,
    Container,
    External,
    Frame,
    Later,
    Values,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import Machine

BUILTINS = frozenset(dir(builtins)) - {"__name__", "__doc__", "__spec__", "__loader__", "__package__"}


class Scopes(Machine):
    """`assign`, `bind`, `lookup`."""

    def assign(self, target: ast.expr, values: Values, frame: Frame) -> None:
        """Bind a target: name, attribute, item, or a pattern of these."""
        if isinstance(target, ast.Name):
            self.bind(target.id, values, frame)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.evaluate(target.value, frame), target.attr, values, target, frame)
        elif isinstance(target, ast.Subscript):
            owners = self.evaluate(target.value, frame)
            self.set_item(owners, self.evaluate(target.slice, frame), values, target, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, one(self.bag("list", values, target, frame)), frame)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, values, target, frame)

    def _unpack(self, targets: list[ast.expr], values: Values, site: ast.expr, frame: Frame) -> None:
        parts: list[list[Values]] = [[] for _ in targets]
        starred = next((n for n, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        for value in ordered(values):
            found = self.iterate(one(value), site, frame)
            each = found.each
            if each is None or (len(each) < len(targets) - 1 if starred is not None else len(each) != len(targets)):
                for part in parts:
                    part.append(found.every)
            elif starred is None:
                for part, item in zip(parts, each, strict=True):
                    part.append(item)
            else:
                behind = len(targets) - starred - 1
                middle = each[starred : len(each) - behind]
                star = self.sequence("list", middle, (targets[starred], value), frame)
                for part, item in zip(parts, [*each[:starred], one(star), *each[len(each) - behind :]], strict=True):
                    part.append(item)
        for number, (target, part) in enumerate(zip(targets, parts, strict=True)):
            if number == starred and isinstance(target, ast.Starred) and union(part):
                lists = frozenset(v for v in union(part) if isinstance(v, Container) and v.kind == "list")
                self.assign(target.value if lists == union(part) else target, union(part), frame)
            else:
                self.assign(target, union(part), frame)

    def bind(self, name: str, values: Values, frame: Frame) -> None:
        """Bind a name where its scope says."""
        declared = frame.owner().declared.get(name)
        if declared == "global" and frame.module is not None:
            frame = frame.module.frame
        elif declared == "nonlocal":
            outer = frame.owner().parent
            while outer is not None and outer.kind != "module":
                if outer.kind != "class" and outer.fields.get(name) is not None:
                    frame = outer
                    break
                outer = outer.parent
        self.store.write(frame, name, values)

    def lookup(self, name: str, frame: Frame) -> Values:
        """What a name holds: in its scopes, then among the built-in names."""
        place: Frame | None = frame
        if frame.owner().declared.get(name) == "global" and frame.module is not None:
            place = frame.module.frame
        inside = True
        while place is not None:
            if place.kind != "class" or inside:
                values = place.fields.get(name)
                if values is not None:
                    return self._now(values) if any(isinstance(v, Later) for v in values) else values
            inside = inside and place.kind == "comprehension"
            place = place.parent
        if name in BUILTINS:
            return one(self.value(("builtin", name), lambda: Builtin(name)))
        stars = frame.module.frame.stars if frame.module is not None else []
        if len(stars) == 1:
            return one(self.value(("external", stars[0], name), lambda: External(f"{stars[0]}.{name}")))
        return UNKNOWN if stars else NOTHING

    def _now(self, values: Values) -> Values:
        return union(v.module.frame.fields.get(v.name) if isinstance(v, Later) else one(v) for v in values)
