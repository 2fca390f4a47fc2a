"""Calls: what is called is run with what it is passed, in frames of its own while the budget lasts, then joined."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial

from tracer.graph.values.domain import (
    MAYBE,
    NOTHING,
    OPAQUE,
    UNKNOWN,
    Arguments,
    Bound,
    Builtin,
    Const,
    Descriptor,
    External,
    Frame,
    Function,
    Instance,
    Klass,
    Method,
    Partial,
    Value,
    Values,
    constant,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import ACTIVE, DEPTH, LIBRARY_RUNS, ROUNDS, RUNS, STEPS, Flow, Machine
from tracer.graph.values.shapes import Code
from tracer.graph.values.sources import Sources


@dataclass(slots=True)
class Joined:
    """All calls of one function together."""

    frame: Frame
    given: dict[str, Values] = field(default_factory=dict)
    result: Values = NOTHING
    rounds: int = 0
    running: bool = False
    again: bool = False
    waiting: dict[Frame, None] = field(default_factory=dict)  # who took a result that may grow


class Calls(Machine):
    """`call` and what it needs."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._joined: dict[Function, Joined] = {}
        self._pending: dict[Function, None] = {}
        self._active: Counter[Code] = Counter()

    def call(self, callees: Values, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call whatever `callees` may be; several are run from the same state."""
        targets = ordered(callees - {OPAQUE, MAYBE})
        rest = UNKNOWN if OPAQUE in callees else NOTHING
        if not targets:
            return rest
        if len(targets) == 1:
            found = self._call(targets[0], arguments, site, frame)
            return found | rest if rest else found
        results = [rest]

        def branch(target: Value) -> Flow:
            results.append(self._call(target, arguments, site, frame))
            return Flow.FALL

        self.fork([partial(branch, t) for t in targets], frame)
        return union(results)

    def _call(self, callee: Value, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        if isinstance(callee, Function):
            return self._call_function(callee, arguments, site, frame)
        if isinstance(callee, Bound):
            if isinstance(callee.function, Partial) and callee.function.kind == "partialmethod":
                given = callee.function.arguments.behind(callee.receiver)
                return self.call(callee.function.inner, arguments.after(given), site, frame)
            return self._call(callee.function, arguments.behind(callee.receiver), site, frame)
        if isinstance(callee, Klass):
            return self.instantiate(callee, arguments, site, frame)
        if isinstance(callee, Instance):
            return self.call(self.special(callee, "__call__"), arguments, site, frame) or UNKNOWN
        if isinstance(callee, Partial):
            return self._call_partial(callee, arguments, site, frame)
        if isinstance(callee, Method):
            return self.call_method(callee.receiver, callee.name, arguments, site, frame)
        if isinstance(callee, Builtin):
            self.edge(frame, f"<builtin>.{callee.name}")
            return self.call_builtin(callee.name, arguments, site, frame)
        if isinstance(callee, External):
            if callee.instance:
                return UNKNOWN
            self.edge(frame, callee.name)
            return self.call_external(callee.name, arguments, site, frame)
        if isinstance(callee, Descriptor):
            if callee.kind == "identity":
                return arguments.at(0)
            return self.call(callee.inner, arguments, site, frame)
        return UNKNOWN

    def _call_partial(self, callee: Partial, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        if callee.kind == "managed":
            made = self.call(callee.inner, arguments, site, frame)
            found = self.iterate(made, site, frame)
            return one(self.bag("contextmanager", found.every, ("managed", site), frame))
        if callee.kind == "registering":
            return self.call_method(callee, "register", arguments, site, frame)
        if callee.kind in {"attrgetter", "itemgetter", "methodcaller"}:
            return self.call_getter(callee, arguments, site, frame)
        return self.call(callee.inner, arguments.after(callee.arguments), site, frame)

    def _call_function(self, function: Function, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        self.edge(frame, function.name)
        node = function.node
        spent = self.steps > STEPS or self.runs[node] >= (RUNS if self.reached else LIBRARY_RUNS)
        if spent or self._active[node] >= ACTIVE or len(self.stack) >= DEPTH:
            return self._call_joined(function, arguments, frame)
        inner = self.value(("frame", site, frame, frame.iteration, function), partial(_frame, function))
        inner.returns, inner.yields, inner.yielded = NOTHING, NOTHING, []
        inner.exact = True
        for name, values in self.bound(function, arguments, inner).items():
            self.store.write(inner, name, values)
        return self.run(function, inner)

    def run(self, function: Function, inner: Frame) -> Values:
        """Run a function's body in a frame that holds its arguments; returns what a call gives."""
        node = function.node
        inner.declared = self.shape(node).declared
        inner.function = function
        self.runs[node] += 1
        self._active[node] += 1
        self.stack.append(inner)
        if isinstance(node, ast.Lambda):
            self.steps += 1
            inner.returns |= self.evaluate(node.body, inner)
        elif self.execute(node.body, inner) is not Flow.LEAVE:
            inner.returns |= constant(None)
        self.stack.pop()
        self._active[node] -= 1
        if not self.shape(node).generator:
            return inner.returns
        if inner.yielded is not None:
            made = self.sequence("generator", inner.yielded, node, inner)
        else:
            made = self.bag("generator", inner.yields, node, inner)
        made.source = inner.returns
        return one(made)

    def bound(self, function: Function, arguments: Arguments, inner: Frame) -> dict[str, Values]:
        """What each parameter of `function` gets."""
        signature = function.node.args
        positional = [*signature.posonlyargs, *signature.args]
        given = {p.arg: v for p, v in zip(positional, arguments.positional, strict=False)}
        loose: dict[str, Values] = {}  # what may be given, or not
        for parameter in positional[len(arguments.positional) :]:
            if arguments.rest is not None:
                loose[parameter.arg] = arguments.rest
        if signature.vararg is not None:
            extra = arguments.positional[len(positional) :]
            place = ("*", function.node)
            if arguments.rest is None:
                given[signature.vararg.arg] = one(self.sequence("tuple", extra, place, inner))
            else:
                given[signature.vararg.arg] = one(self.bag("tuple", union([arguments.rest, *extra]), place, inner))
        named = {p.arg for p in [*signature.args, *signature.kwonlyargs]}
        given.update({name: v for name, v in arguments.keywords.items() if name in named})
        if signature.kwarg is not None:
            extras = self.sequence("dict", [], ("**", function.node), inner)
            for name, values in arguments.keywords.items():
                if name not in named:
                    self.store.add(extras, Const(name), values)
            if arguments.rest_keywords is not None:
                self.set_item(one(extras), UNKNOWN, arguments.rest_keywords, function.node, inner)
            given[signature.kwarg.arg] = one(extras)
        defaults = dict(zip([p.arg for p in positional][::-1], function.defaults[::-1], strict=False))
        for parameter, default in zip(signature.kwonlyargs, function.keyword_defaults, strict=True):
            if default is not None:
                defaults[parameter.arg] = default
        for parameter in [*positional, *signature.kwonlyargs]:
            name = parameter.arg
            if name not in given:
                if arguments.rest_keywords is not None:
                    loose[name] = loose.get(name, NOTHING) | arguments.rest_keywords
                given[name] = (loose.get(name, NOTHING) | defaults.get(name, NOTHING)) or UNKNOWN
            if OPAQUE in given[name] and parameter.annotation is not None:
                given[name] |= self.declared(parameter.annotation, function.frame)
        return given

    def _call_joined(self, function: Function, arguments: Arguments, frame: Frame) -> Values:
        joined = self._joined.get(function)
        if joined is None:
            joined = self._joined[function] = Joined(_frame(function))
            joined.frame.nesting = 1
        grew = not joined.rounds
        for name, values in self.bound(function, arguments, joined.frame).items():
            before = joined.given.get(name, NOTHING)
            if not values <= before:
                joined.given[name] = before | values
                grew = True
        if grew and joined.running:
            joined.again = True
        elif grew and len(self.stack) >= 2 * DEPTH:
            self._pending[function] = None
        elif grew and joined.rounds < ROUNDS:
            self._run_joined(function, joined)
        if joined.running or function in self._pending:
            joined.waiting[frame.owner()] = None
        return joined.result

    def _run_joined(self, function: Function, joined: Joined) -> None:
        while joined.rounds < ROUNDS:
            joined.rounds += 1
            joined.again, joined.running = False, True
            for name, values in joined.given.items():
                self.store.write(joined.frame, name, values)
            before = joined.result
            joined.result |= self.run(function, joined.frame)
            joined.running = False
            if not joined.again and (joined.result == before or not joined.waiting):
                break

    def drain(self) -> None:
        """Run what was put off because it lay too deep, and whoever took a result of it before."""
        for _ in range(ROUNDS):
            pending, self._pending = self._pending, {}
            for function in pending:
                joined = self._joined[function]
                before = joined.result
                self._run_joined(function, joined)
                if joined.result != before:
                    for frame in joined.waiting:
                        if frame.function is not None:
                            self.run(frame.function, frame)


def _frame(function: Function) -> Frame:
    return Frame("function", function.name, function.name, function.frame)
