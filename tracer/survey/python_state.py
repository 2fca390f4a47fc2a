"""Stores of Python: takes assignment targets with their values, makes binds, fields and changes of state.

Knows scopes (which function, whose `self`, which names are global). Refuses to know statements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tracer.survey.facts import Bind, Field
from tracer.survey.python_expr import Expressions
from tracer.survey.python_frame import Frame, grows, is_empty
from tracer.survey.python_path import SEP, alternatives, best, copied, index_suffix, plain, suffixed
from tracer.survey.python_text import Source

_FIELD_TEXT = 120
_VALUE = 160
_ELEMENTS = 4  # of a display are asked for what they are
_COMPREHENSIONS = frozenset({ast.ListComp, ast.SetComp, ast.GeneratorExp})
_HOLDING = _COMPREHENSIONS | {ast.List, ast.Set, ast.Tuple, ast.Dict, ast.DictComp, ast.Call}
_OPPOSITE: dict[type, str] = {ast.Add: "augment-", ast.Sub: "augment+"}
_SIGNS: dict[type, str] = {ast.Add: "augment+", ast.Sub: "augment-", ast.BitOr: "insert"}


Put = Callable[[ast.expr, str, ast.expr | None], None]


class Stores(Expressions):
    """Expressions plus what assignment does."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.frame = Frame("module", -1, "", None)

    def bind(self, name: str, value: str, line: int, annotation: str = "") -> None:
        """A name of the scope at hand gets a value; one fact for each alternative."""
        frame = self.frame
        scope = frame.scope
        if frame.elsewhere:
            scope = frame.elsewhere.get(name, scope)
        frame.names[name] = value
        for part in value.split(SEP) if SEP in value else (value,):
            self.binds.append(Bind(scope, name, part, annotation, line))

    def elements(self, name: str, value: ast.expr) -> None:
        """What a container of unknown type holds: binds of `name[*]` (elements, keys) and `name[]` (a dict's values).

        `[(a, b) for …]` holds tuples: binds of `name[*][0]`, `name[*][1]`.

        Known for displays, comprehensions and copies, whose own path says no more than `#list`.
        """
        kind = value.__class__
        if kind not in _HOLDING or self.frame.kind != "function":
            return
        items: list[tuple[str, str]] = []
        if isinstance(value, ast.List | ast.Set | ast.Tuple):
            items = [("[*]", plain(part)) for part in value.elts[:_ELEMENTS]]
        elif isinstance(value, ast.Dict):
            items = [("[]", plain(part)) for part in value.values[:_ELEMENTS]]
        elif kind is ast.DictComp:
            items = [("[*]", self.key), ("[]", self.element)]
        elif kind in _COMPREHENSIONS:
            items = [("[*]", self.element)]
            if isinstance(value, ast.ListComp | ast.SetComp) and isinstance(value.elt, ast.Tuple):
                items += [(f"[*][{k}]", plain(part)) for k, part in enumerate(value.elt.elts[:_ELEMENTS])]
        else:
            inner = copied(value)
            if inner is None:
                return
            known = self.element if inner.__class__ in _COMPREHENSIONS else plain(inner)
            items = [("[*]", known if inner.__class__ in _COMPREHENSIONS or not known else known + "[*]")]
        for suffix, path in dict.fromkeys(items):
            if path and path[0] not in "#?":
                self.binds.append(Bind(self.scope, name + suffix, path, "", value.lineno))

    def result(self, kind: str, path: str, node: ast.expr | ast.stmt) -> None:
        """A yield makes its function a generator."""
        if kind == "yield":
            self.frame.generator = True
        super().result(kind, path, node)

    def store(self, target: ast.expr, path: str, value: ast.expr | None) -> None:
        """A target of a loop, with, walrus or comprehension gets a value: names are binds in any scope."""
        if isinstance(target, ast.Name):
            self.bind(target.id, path, target.lineno)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, path, value, self.store)
        elif isinstance(target, ast.Starred):
            self.store(target.value, path, None)
        else:
            self.assign(target, path, value)

    def assign(self, target: ast.expr, path: str, value: ast.expr | None, annotation: str = "") -> None:
        """A target of an assignment gets a value: names of modules and classes are fields."""
        if isinstance(target, ast.Name):
            self._assign_name(target, path, value, annotation)
        elif isinstance(target, ast.Attribute):
            inner = self.chain(target.value)
            self.set_attribute(suffixed(inner, "." + target.attr), target.value, target, value, path, annotation)
            if value is not None and value.__class__ in _HOLDING and inner in ("self", "cls"):
                self.elements(f"{inner}.{target.attr}", value)
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, path, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, path, value, self.assign)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, path, None)

    def _assign_name(self, target: ast.Name, path: str, value: ast.expr | None, annotation: str) -> None:
        frame = self.frame
        name = target.id
        if frame.kind == "function":
            frame.made.pop(name, None)
            if isinstance(value, ast.BinOp):
                frame.made[name] = value
            if name in frame.elsewhere:
                self._write(name, target, value, path)
            self.bind(name, path, target.lineno, annotation)
            if value is not None and value.__class__ in _HOLDING:
                self.elements(name, value)
            return
        frame.names[name] = path
        text = self.text(value, _FIELD_TEXT) if value is not None else ""
        if isinstance(value, ast.Call):
            path = self._made_by_default(value) or path
        for part in alternatives(path):
            self.fields.append(Field(frame.scope, name, annotation, part, text, target.lineno, frame.kind))

    def _made_by_default(self, value: ast.Call) -> str:
        """`field(default_factory=C)` starts as `C()`, `field(default=x)` as `x`."""
        name = plain(value.func)
        if name.endswith(("field", "Field")):
            for keyword in value.keywords:
                if keyword.arg == "default_factory":
                    made = keyword.value
                    path = plain(made.body if isinstance(made, ast.Lambda) else made)
                    return path if isinstance(made, ast.Lambda) or not path else path + "()"
                if keyword.arg == "default":
                    return self._again(keyword.value)
        return ""

    def set_attribute(
        self, target: str, owner: ast.expr, node: ast.expr, value: ast.expr | None, path: str, annotation: str = ""
    ) -> None:
        """`owner.name = value`: a field of the class if the owner is `self`, and a write of the whole path."""
        frame = self.frame
        own = isinstance(owner, ast.Name) and frame.owner >= 0 and owner.id in (frame.self, "self")
        if own:
            text = self.text(value, _FIELD_TEXT) if value is not None else ""
            where = "init" if frame.initial else "method"
            name = target.rpartition(".")[2]
            line = node.end_lineno or node.lineno
            for part in alternatives(path):
                self.fields.append(Field(frame.owner, name, annotation, part, text, line, where))
            if frame.initial and value is not None and is_empty(value):
                return  # the initial value, not a clearing
        if path or value is not None:
            self._write(target, node, value, path)

    def _write(self, target: str, node: ast.expr, value: ast.expr | None, path: str) -> None:
        if value is None:
            for part in alternatives(path):
                self.change(target, "write", node, part, "")
            return
        if is_empty(value):
            self.change(target, "clear", node, path, self.text(value, _VALUE))
            return
        step = self._step(target, value)
        if step is not None:
            op, operand = step
            self.change(target, op, node, best(self._again(operand)), self.text(operand, _VALUE))
            return
        text = self.text(value, _VALUE)
        for part in alternatives(path):
            self.change(target, "write", node, part, text)

    def _step(self, target: str, value: ast.expr) -> tuple[str, ast.expr] | None:
        """Whether the value is the target's own value plus or minus something: (op, the something)."""
        frame = self.frame
        if isinstance(value, ast.Name):
            made = frame.made.get(value.id)
            if made is None:
                return None
            value = made
        if isinstance(value, ast.Call):  # max(0, self.f - 1): a step with a bound
            if isinstance(value.func, ast.Name) and value.func.id in ("max", "min"):
                for arg in value.args:
                    if isinstance(arg, ast.BinOp):
                        return self._step(target, arg)
            return None
        if not isinstance(value, ast.BinOp):
            return None
        for old, operand in ((value.left, value.right), (value.right, value.left)):
            path = plain(old)
            kept = alternatives(frame.names.get(path, "")) if isinstance(old, ast.Name) else ()
            if path and (path == target or target in kept):
                return self._op(value.op, operand), operand
            if isinstance(value.op, ast.Sub):
                break
        return None

    def _op(self, operator: ast.operator, operand: ast.expr) -> str:
        kind = operator.__class__
        if kind is ast.Add and grows(operand):
            return "insert"
        if isinstance(operand, ast.UnaryOp) and isinstance(operand.op, ast.USub):
            return _OPPOSITE.get(kind, "augment")
        return _SIGNS.get(kind, "augment")

    def _assign_element(self, target: ast.Subscript, path: str, value: ast.expr | None) -> None:
        base = self._index(target)
        if value is not None:
            if isinstance(target.slice, ast.Slice) and is_empty(value):
                whole = target.slice.lower is None and target.slice.upper is None
                self.change(base, "clear" if whole else "remove", target.value, path, self.text(value, _VALUE))
                return
            step = self._element_step(target, value)
            if step is not None:
                op, operand = step
                self.change(base, op, target.value, best(self._again(operand)), self.text(operand, _VALUE))
                return
        text = self.text(value, _VALUE) if value is not None else ""
        for part in alternatives(path):
            self.change(base, "insert", target.value, part, text)

    def _index(self, target: ast.Subscript) -> str:
        """Visit the container and the key of a subscript target; the container's path."""
        base = self.chain(target.value)
        if not isinstance(target.slice, ast.Constant):
            self.value(target.slice)
        return base

    def _element_step(self, target: ast.Subscript, value: ast.expr) -> tuple[str, ast.expr] | None:
        """`d[k] = d[k] + 1`, `d[k] = d.get(k, 0) + 1`, `n = d[k]; d[k] = n + 1`."""
        if isinstance(value, ast.Name):
            made = self.frame.made.get(value.id)
            if made is None:
                return None
            value = made
        if not isinstance(value, ast.BinOp):
            return None
        base = plain(target.value)
        key = self.text(target.slice, _VALUE)
        old = value.left
        same = False
        if isinstance(old, ast.Subscript):
            same = plain(old.value) == base and self.text(old.slice, _VALUE) == key
        elif isinstance(old, ast.Call) and old.args:
            same = plain(old.func) == base + ".get" and self.text(old.args[0], _VALUE) == key
        elif isinstance(old, ast.Name):
            same = self.frame.names.get(old.id) in (base + index_suffix(target.slice), base + ".get()")
        if not base or not same:
            return None
        op = self._op(value.op, value.right)
        return (op, value.right) if op.startswith("augment") else None

    def _unpack(self, targets: list[ast.expr], path: str, value: ast.expr | None, put: Put) -> None:
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        if len(parts) == len(targets) and not any(isinstance(part, ast.Starred) for part in (*parts, *targets)):
            for target, part in zip(targets, parts, strict=True):
                put(target, self._again(part), part)
            return
        star = next((place for place, part in enumerate(targets) if isinstance(part, ast.Starred)), len(targets))
        for place, target in enumerate(targets):
            at = place if place < star else place - len(targets)
            put(target, path if place == star else suffixed(path, f"[{at}]"), None)

    def _again(self, node: ast.expr) -> str:
        """The path of an expression that was visited before: its facts are not repeated."""
        if isinstance(node, ast.Name):
            return node.id
        kept: list[list[Any]] = [self.calls, self.accesses, self.binds, self.marks, self.fields]
        sizes = [len(facts) for facts in kept]
        path = self.value(node)
        for facts, size in zip(kept, sizes, strict=True):
            del facts[size:]
        return path

    def augment(self, target: ast.expr, operator: ast.operator, operand: ast.expr, path: str) -> None:
        """`target op= operand`."""
        op = self._op(operator, operand)
        text = self.text(operand, _VALUE)
        if isinstance(target, ast.Attribute):
            self.change(suffixed(self.chain(target.value), "." + target.attr), op, target, best(path), text)
        elif isinstance(target, ast.Subscript):
            base = self._index(target)
            if op == "insert":  # grows the element, not the container
                base = suffixed(base, index_suffix(target.slice))
            self.change(base, op, target.value, best(path), text)
        elif isinstance(target, ast.Name):
            frame = self.frame
            frame.made[target.id] = ast.BinOp(target, operator, operand)  # `n = self.f; n += 1; self.f = n`
            # `n += 1` on a local name changes no state; a list or set grows in place
            if op == "insert" or target.id in frame.elsewhere or frame.kind != "function":
                self.change(target.id, op, target, best(path), text)

    def delete(self, target: ast.expr) -> None:
        """`del target`."""
        if isinstance(target, ast.Attribute):
            self.change(suffixed(self.chain(target.value), "." + target.attr), "remove", target, "", "")
        elif isinstance(target, ast.Subscript):
            base = self._index(target)
            cut = target.slice
            whole = isinstance(cut, ast.Slice) and cut.lower is None and cut.upper is None
            op = "clear" if whole else "remove"
            self.change(base, op, target.value, plain(cut), "" if whole else self.text(cut, _VALUE))
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self.delete(part)
