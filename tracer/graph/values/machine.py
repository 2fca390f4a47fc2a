"""What the parts of the value flow share: the store, the edges found, the budget, and what each part offers the others.

The program is run on sets of values, statement by statement, a call entering the function it calls: that gives each
place the values that reach it *in this order*. Each call site has frames and objects of its own until a function has
been run `RUNS` times (or the whole has taken `STEPS`); from then on its calls are joined: one set of arguments and
one result a function, run again only while these grow, `ROUNDS` times at most. So the cost is bounded by the number of
functions, whatever they do.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable
from enum import IntEnum
from typing import NamedTuple, TypeVar

from tracer.graph.values.domain import (
    Arguments,
    Bound,
    Container,
    Frame,
    Function,
    Instance,
    Klass,
    Module,
    Object,
    Partial,
    Value,
    Values,
)
from tracer.graph.values.shapes import Code, Shape, own, shape
from tracer.graph.values.sources import Sources
from tracer.graph.values.store import Delta, Store

RUNS = 40  # of one function, each with frames of its own
LIBRARY_RUNS = 3  # the same for functions that the entry does not reach
ACTIVE = 3  # activations of one function at a time
DEPTH = 60  # calls inside one another
STEPS = 60_000  # statements
ROUNDS = 3  # of a loop, and of a function whose calls are joined
UNROLLED = 8  # elements of a loop that is run turn by turn


V = TypeVar("V", bound=Value)


class Flow(IntEnum):
    """How a block ends."""

    FALL = 0  # into the next statement
    LOOP = 1  # at a `break` or `continue`
    LEAVE = 2  # out of the function


class Elements(NamedTuple):
    """What iterating gives: all together, and one after the other where number and order are known."""

    every: Values
    each: list[Values] | None


class Machine(ABC):
    """Shared state; the abstract methods are what one part needs of another."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.store = Store()
        self.modules: dict[str, Module] = {}
        self.edges: dict[str, set[str]] = {}
        self.functions: dict[Function, None] = {}
        self.klasses: dict[Klass, None] = {}
        self.lambdas: dict[ast.Lambda, int] = {}
        self.steps = 0
        self.reached = True  # what runs now is reached from the entry
        self.runs: Counter[Code] = Counter()
        self.stack: list[Frame] = []
        self.raised: list[Values] = []
        self.importing: set[Module] = set()
        self._made: dict[Hashable, Object] = {}
        self._values: dict[Hashable, Value] = {}
        self._shapes: dict[Code, Shape] = {}
        self._whole: dict[ast.stmt, bool] = {}
        self._parsed: dict[tuple[str, str], ast.AST] = {}

    # what is found

    def edge(self, frame: Frame, callee: str) -> None:
        """A call from the code of `frame`."""
        self.edges.setdefault(frame.caller, set()).add(callee)

    # making values: the same place makes the same value, so that loops come to an end

    def value(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value made for `key`, made now if it is the first time."""
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = make()
        return found  # type: ignore[return-value]  # a key begins with the kind of value

    def container(self, kind: str, site: Hashable, frame: Frame) -> Container:
        """The container made at `site`; made again there, it stands for many."""
        key = ("container", kind, site, frame, frame.iteration)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Container(kind)
        else:
            found.many = True
        assert isinstance(found, Container)
        return found

    def instance(self, klass: Klass, site: Hashable, frame: Frame) -> Instance:
        """The instance of `klass` made at `site`; made again there, it stands for many."""
        key = ("instance", klass, site, frame, frame.iteration)
        found = self._made.get(key)
        if found is None:
            made = self._made[key] = Instance(klass)
            klass.instances.append(made)
            return made
        found.many = True
        assert isinstance(found, Instance)
        return found

    def shape(self, node: Code) -> Shape:
        """The shape of a function, looked at once."""
        if node not in self._shapes:
            self._shapes[node] = shape(node)
        return self._shapes[node]

    def whole(self, node: ast.For | ast.AsyncFor) -> bool:
        """Whether every turn of a loop runs to its end: no `break` or `continue`."""
        if node not in self._whole:
            self._whole[node] = not any(isinstance(n, ast.Break | ast.Continue) for n in own([*node.body]))
        return self._whole[node]

    # branches

    def fork(self, branches: list[Callable[[], Flow]], frame: Frame) -> Flow:
        """Run each from the same state and join what they leave; a branch that leaves the function takes its
        variables with it.
        """
        ends: list[tuple[Delta, Flow]] = []
        owner = frame.owner()
        owner.nesting += 1
        for branch in branches:
            mark = self.store.mark()
            flow = branch()
            ends.append((self.store.undo(mark), flow))
        owner.nesting -= 1
        flow = min((f for _, f in ends), default=Flow.FALL)
        gone = flow is not Flow.LEAVE and not owner.trying
        self.store.merge([(delta, gone and f is Flow.LEAVE) for delta, f in ends], owner)
        return flow

    def repeat(self, turn: Callable[[], Flow], frame: Frame) -> None:
        """A loop: turns until one leaves nothing new, `ROUNDS` at most; it may also not run at all."""
        owner = frame.owner()
        owner.nesting += 1
        for number in range(ROUNDS):
            mark = self.store.mark()
            turn()
            if not self.store.redo(self.store.undo(mark), weakly=True, widen=number > 0):
                break
        owner.nesting -= 1

    # what the parts offer

    @abstractmethod
    def evaluate(self, node: ast.expr, frame: Frame) -> Values:
        """What an expression may be."""

    @abstractmethod
    def execute(self, body: list[ast.stmt], frame: Frame) -> Flow:
        """Run statements."""

    @abstractmethod
    def some_instances(self, klass: Klass) -> Values:
        """The instances of a class and of those below it that were made; one made up if there are none."""

    @abstractmethod
    def decided(self, test: ast.expr, frame: Frame) -> bool | None:
        """What a condition on a variable of an exact frame always is there; None if it may be either."""

    @abstractmethod
    def aside(self, test: ast.expr, run: Callable[[], object], frame: Frame) -> None:
        """Run a branch that is not taken for the calls in it alone: nothing that it sets or returns goes on."""

    @abstractmethod
    def declared(self, annotation: ast.expr | None, frame: Frame) -> Values:
        """Instances of the program's class that an annotation names; nothing for any other annotation."""

    @abstractmethod
    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, frame: Frame) -> Function:
        """The function value of a definition, its defaults evaluated."""

    @abstractmethod
    def operate(self, left: Values, op: ast.operator, right: Values, site: ast.AST, frame: Frame) -> Values:
        """A binary operation."""

    @abstractmethod
    def bring(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """An import statement."""

    @abstractmethod
    def assign(self, target: ast.expr, values: Values, frame: Frame) -> None:
        """Bind a target: name, attribute, item, or a pattern of these."""

    @abstractmethod
    def bind(self, name: str, values: Values, frame: Frame) -> None:
        """Bind a name where its scope says."""

    @abstractmethod
    def lookup(self, name: str, frame: Frame) -> Values:
        """What a name holds."""

    @abstractmethod
    def call(self, callees: Values, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call whatever `callees` may be."""

    @abstractmethod
    def attribute(self, owner: Value, name: str, site: Hashable, frame: Frame) -> Values:
        """`owner.name`."""

    @abstractmethod
    def attributes(self, owners: Values, name: str, site: Hashable, frame: Frame) -> Values:
        """`owner.name` of each owner."""

    @abstractmethod
    def set_attribute(self, owners: Values, name: str, values: Values, site: Hashable, frame: Frame) -> None:
        """`owner.name = value`."""

    @abstractmethod
    def special(self, owner: Value, name: str) -> Values:
        """The method `__name__` that the program defines for `owner`, bound; nothing if it defines none."""

    @abstractmethod
    def method(self, function: Value, receiver: Value) -> Value:
        """`function` bound to `receiver`; the same each time. Only functions bind."""

    @abstractmethod
    def joint(self, function: Value, receiver: Value) -> Bound:
        """Any callable with a receiver before its arguments; the same each time."""

    @abstractmethod
    def outside(self, name: str, instance: bool = False) -> Value:
        """The value of a dotted name outside the program."""

    @abstractmethod
    def namespace(self, owner: Object) -> Container:
        """The names of an object as a dict."""

    @abstractmethod
    def find(self, klass: Klass, name: str, after: Klass | None = None) -> Values:
        """A name in a class and its bases, the first that has it; unbound."""

    @abstractmethod
    def instantiate(self, klass: Klass, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call a class."""

    @abstractmethod
    def make_class(self, node: ast.ClassDef, frame: Frame) -> Klass:
        """Run a class statement."""

    @abstractmethod
    def item(self, owner: Value, keys: Values, site: Hashable, frame: Frame) -> Values:
        """`owner[key]`."""

    @abstractmethod
    def set_item(self, owners: Values, keys: Values, values: Values, site: Hashable, frame: Frame) -> None:
        """`owner[key] = value`."""

    @abstractmethod
    def iterate(self, values: Values, site: Hashable, frame: Frame, awaited: bool = False) -> Elements:
        """What iterating gives."""

    @abstractmethod
    def sequence(self, kind: str, items: list[Values], site: Hashable, frame: Frame) -> Container:
        """A new list, tuple or iterator of these elements."""

    @abstractmethod
    def bag(self, kind: str, values: Values, site: Hashable, frame: Frame) -> Container:
        """A new container of any number of these elements."""

    @abstractmethod
    def call_method(self, receiver: Value, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call a method of a built-in type."""

    @abstractmethod
    def call_builtin(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call a built-in function."""

    @abstractmethod
    def call_external(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call something outside the program."""

    @abstractmethod
    def call_getter(self, getter: Partial, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call what `operator.attrgetter`, `itemgetter` or `methodcaller` made."""

    @abstractmethod
    def construct(self, klass: Klass, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """What `type.__call__` does: make, then initialise."""

    @abstractmethod
    def load(self, name: str) -> Value:
        """Import a module, running it the first time."""
