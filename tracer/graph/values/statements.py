"""Statements: assignments in their order, branches joined, loops repeated, handlers after any point of a body."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tracer.graph.values.conditions import Conditions
from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Builtin,
    Const,
    Container,
    External,
    Frame,
    Function,
    Instance,
    Klass,
    Marker,
    Value,
    Values,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import UNROLLED, Flow
from tracer.graph.values.patterns import Patterns

MANAGED = "contextmanager"  # the kind of what a `contextlib.contextmanager` function returns


class Statements(Patterns, Conditions):
    """`execute`: one method a kind of statement."""

    def execute(self, body: list[ast.stmt], frame: Frame) -> Flow:
        """Run statements up to the first that leaves the block."""
        for statement in body:
            self.steps += 1
            run: Callable[[Any, Frame], Flow | None] | None = _RUN.get(type(statement))
            if run is None:
                continue
            flow = run(self, statement, frame)  # type: ignore[call-arg,arg-type]
            if flow:
                return flow
        return Flow.FALL

    def _expression(self, node: ast.Expr, frame: Frame) -> None:
        self.evaluate(node.value, frame)

    def _assignment(self, node: ast.Assign, frame: Frame) -> None:
        values = self.evaluate(node.value, frame)
        for target in node.targets:
            self.assign(target, values, frame)

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        if frame.klass is not None and frame.kind == "class" and isinstance(node.target, ast.Name):
            frame.klass.annotated.append(node.target.id)
        if node.value is None:
            return
        values = self.evaluate(node.value, frame)
        if values <= UNKNOWN:
            values = self.declared(node.annotation, frame) or values
        self.assign(node.target, values, frame)

    def declared(self, annotation: ast.expr | None, frame: Frame) -> Values:
        """Instances of the program's class that an annotation names; nothing for any other annotation."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return NOTHING
        if isinstance(annotation, ast.BinOp):
            return self.declared(annotation.left, frame) | self.declared(annotation.right, frame)
        if isinstance(annotation, ast.Subscript) and _tail(annotation.value) in {"Optional", "Union", "Annotated"}:
            inner = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
            return union(self.declared(a, frame) for a in inner)
        if not isinstance(annotation, ast.Name | ast.Attribute):
            return NOTHING
        found = self.evaluate(annotation, frame)
        return union(self.some_instances(k) for k in ordered(found) if isinstance(k, Klass))

    def some_instances(self, klass: Klass) -> Values:
        """The instances of a class and of those below it that were made; one made up if there are none."""
        made = [i for k in self.klasses if klass in k.mro for i in k.instances][:UNROLLED]
        return frozenset(made) if made else one(self.instance(klass, "any", klass.frame))

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        target = node.target
        load: ast.expr
        if isinstance(target, ast.Name):
            load = ast.Name(target.id, ast.Load())
        elif isinstance(target, ast.Attribute):
            load = ast.Attribute(target.value, target.attr, ast.Load())
        else:
            load = ast.Subscript(target.value, target.slice, ast.Load())
        before = self.evaluate(load, frame)
        added = self.evaluate(node.value, frame)
        result: set[Value] = set()
        for value in ordered(before):
            method = self.special(value, _IN_PLACE.get(type(node.op), ""))
            if method:
                result |= self.call(method, Arguments([added]), node, frame)
            elif isinstance(value, Container) and isinstance(node.op, ast.Add | ast.BitOr) and value.kind != "tuple":
                name = "extend" if value.kind == "list" else "update"
                self.call_method(value, name, Arguments([added]), node, frame)
                result.add(value)
            else:
                result |= self.operate(one(value), node.op, added, node, frame)
        self.assign(target, frozenset(result) or UNKNOWN, frame)

    def _if(self, node: ast.If, frame: Frame) -> Flow:
        self.evaluate(node.test, frame)
        sure = self.decided(node.test, frame)
        if sure is not None:
            self.aside(node.test, partial(self._branch, node, not sure, frame), frame)
            return self._branch(node, sure, frame)
        return self.fork([partial(self._branch, node, True, frame), partial(self._branch, node, False, frame)], frame)

    def _branch(self, node: ast.If, holds: bool, frame: Frame) -> Flow:
        self.narrow(node.test, holds, frame)
        return self.execute(node.body if holds else node.orelse, frame)

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> Flow:
        found = self.iterate(self.evaluate(node.iter, frame), node, frame, isinstance(node, ast.AsyncFor))
        if found.each and len(found.each) <= UNROLLED and self.whole(node):
            before = frame.iteration
            for number, values in enumerate(found.each):
                frame.iteration = (*before, number)
                self.assign(node.target, values, frame)
                flow = self.execute(node.body, frame)
                if flow is Flow.LEAVE:
                    frame.iteration = before
                    return flow
            frame.iteration = before
            return self.execute(node.orelse, frame)
        self.repeat(partial(self._turn, node, found.every, frame), frame)
        return self.execute(node.orelse, frame)

    def _turn(self, node: ast.For | ast.AsyncFor, values: Values, frame: Frame) -> Flow:
        self.assign(node.target, values, frame)
        return self.execute(node.body, frame)

    def _while(self, node: ast.While, frame: Frame) -> Flow:
        def turn() -> Flow:
            self.evaluate(node.test, frame)
            return self.execute(node.body, frame)

        self.repeat(turn, frame)
        return self.execute(node.orelse, frame)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        decorators = [self.evaluate(d, frame) for d in node.decorator_list]
        values = one(self.function(node, node.name, frame))
        for number, decorator in reversed(list(enumerate(decorators))):
            values = self.decorate(decorator, values, node.decorator_list[number], frame)
        self.bind(node.name, values, frame)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, frame: Frame) -> Function:
        """The function value of a definition, its defaults evaluated."""
        key = ("function", node, frame, frame.iteration)
        function = self.value(key, lambda: Function(node, f"{frame.scope}.{name}", frame))
        self.functions[function] = None
        function.defaults = [self.evaluate(d, frame) for d in node.args.defaults]
        function.keyword_defaults = [self.evaluate(d, frame) if d else None for d in node.args.kw_defaults]
        return function

    def decorate(self, decorator: Values, values: Values, site: ast.expr, frame: Frame) -> Values:
        """What a decorator makes of `values`; one from outside the program is taken to give it back."""
        result = self.call(decorator, Arguments([values]), site, frame)
        followed = any(not isinstance(r, External | Const | Marker) for r in result)
        return result if followed else values

    def _class(self, node: ast.ClassDef, frame: Frame) -> None:
        decorators = [self.evaluate(d, frame) for d in node.decorator_list]
        values = one(self.make_class(node, frame))
        for number, decorator in reversed(list(enumerate(decorators))):
            values = self.decorate(decorator, values, node.decorator_list[number], frame)
        self.bind(node.name, values, frame)

    def _return(self, node: ast.Return, frame: Frame) -> Flow:
        if node.value is not None:
            frame.owner().returns |= self.evaluate(node.value, frame)
        return Flow.LEAVE

    def _raise(self, node: ast.Raise, frame: Frame) -> Flow:
        thrown: set[Value] = set()
        if node.exc is not None:
            for value in ordered(self.evaluate(node.exc, frame)):
                if isinstance(value, Klass):
                    thrown |= self.instantiate(value, Arguments(), node, frame)
                elif isinstance(value, External) and not isinstance(node.exc, ast.Call):
                    thrown |= self.call(one(value), Arguments(), node, frame)
                else:
                    thrown.add(value)
        if node.cause is not None:
            self.evaluate(node.cause, frame)
        if self.raised:
            self.raised[-1] |= thrown
        return Flow.LEAVE

    def _try(self, node: ast.Try, frame: Frame) -> Flow:
        owner = frame.owner()
        mark = self.store.mark()
        self.raised.append(NOTHING)
        owner.trying += 1
        flow = self.execute(node.body, frame)
        owner.trying -= 1
        raised = self.raised.pop()
        if self.raised:
            self.raised[-1] |= raised
        delta = self.store.undo(mark)

        def ended() -> Flow:
            self.store.redo(delta)
            return flow or self.execute(node.orelse, frame)

        def handled(handler: ast.ExceptHandler) -> Flow:
            self.store.redo(delta, weakly=True)
            self._catch(handler, raised, frame)
            return self.execute(handler.body, frame)

        flow = self.fork([ended, *(partial(handled, h) for h in node.handlers)], frame)
        return max(self.execute(node.finalbody, frame), flow)

    def _catch(self, handler: ast.ExceptHandler, raised: Values, frame: Frame) -> None:
        if handler.type is None:
            return
        kinds = self.types(self.evaluate(handler.type, frame), handler, frame)
        if handler.name is None:
            return
        caught: set[Value] = {r for r in raised if isinstance(r, Instance) and kinds.intersection(r.klass.mro)}
        if any(isinstance(k, Builtin) and k.name in {"Exception", "BaseException"} for k in kinds):
            caught |= {r for r in raised if isinstance(r, Instance)}
        for kind in ordered(kinds):
            if isinstance(kind, Klass) and not any(isinstance(c, Instance) and kind in c.klass.mro for c in caught):
                caught |= self.some_instances(kind)
        self.bind(handler.name, frozenset(caught) or UNKNOWN, frame)

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> Flow:
        prefix = "__a" if isinstance(node, ast.AsyncWith) else "__"
        entered = []
        for item in node.items:
            managers = self.evaluate(item.context_expr, frame)
            values: set[Value] = set()
            for manager in ordered(managers):
                enter = self.special(manager, f"{prefix}enter__")
                if enter:
                    values |= self.call(enter, Arguments(), item.context_expr, frame)
                elif isinstance(manager, Container) and manager.kind == MANAGED:
                    values |= self.iterate(one(manager), item.context_expr, frame).every
                elif isinstance(manager, External | Instance | Container):
                    values.add(manager)  # most managers from outside give themselves
            entered.append((managers, item.context_expr))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, frozenset(values) or UNKNOWN, frame)
        flow = self.execute(node.body, frame)
        for managers, site in reversed(entered):
            for manager in ordered(managers):
                self.call(self.special(manager, f"{prefix}exit__"), Arguments([UNKNOWN] * 3), site, frame)
        return flow

    def _delete(self, node: ast.Delete, frame: Frame) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.store.write(frame, target.id, None)
            elif isinstance(target, ast.Attribute):
                for owner in self.evaluate(target.value, frame):
                    if isinstance(owner, Instance) and not owner.many:
                        self.store.write(owner, target.attr, None)
            elif isinstance(target, ast.Subscript):
                keys = self.evaluate(target.slice, frame)
                for owner in ordered(self.evaluate(target.value, frame)):
                    method = self.special(owner, "__delitem__")
                    if method:
                        self.call(method, Arguments([keys]), target, frame)
                    elif isinstance(owner, Container):
                        self.call_method(owner, "__delitem__", Arguments([keys]), target, frame)

    def _assert(self, node: ast.Assert, frame: Frame) -> None:
        self.evaluate(node.test, frame)
        self.narrow(node.test, True, frame)
        if node.msg is not None:
            self.evaluate(node.msg, frame)

    def _break(self, _node: ast.stmt, _frame: Frame) -> Flow:
        return Flow.LOOP

    def _import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        self.bring(node, frame)


def _tail(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


_IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "__iadd__", ast.Sub: "__isub__", ast.Mult: "__imul__", ast.BitOr: "__ior__", ast.BitAnd: "__iand__",
    ast.LShift: "__ilshift__", ast.RShift: "__irshift__", ast.Div: "__itruediv__", ast.FloorDiv: "__ifloordiv__",
    ast.Mod: "__imod__", ast.Pow: "__ipow__", ast.BitXor: "__ixor__", ast.MatMult: "__imatmul__",
}  # fmt: skip

_RUN: dict[type[ast.stmt], Callable[..., Flow | None]] = {
    ast.Expr: Statements._expression, ast.Assign: Statements._assignment, ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented, ast.If: Statements._if, ast.For: Statements._for,
    ast.AsyncFor: Statements._for, ast.While: Statements._while, ast.FunctionDef: Statements._function,
    ast.AsyncFunctionDef: Statements._function, ast.ClassDef: Statements._class, ast.Return: Statements._return,
    ast.Raise: Statements._raise, ast.Try: Statements._try, ast.TryStar: Statements._try, ast.With: Statements._with,
    ast.AsyncWith: Statements._with, ast.Delete: Statements._delete, ast.Assert: Statements._assert,
    ast.Match: Statements.match_statement, ast.Break: Statements._break, ast.Continue: Statements._break,
    ast.Import: Statements._import, ast.ImportFrom: Statements._import,
}  # fmt: skip
