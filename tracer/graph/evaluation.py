"""What the parts of the evaluation of access paths ask of the whole (`types.py`): each needs the others in turn."""

from __future__ import annotations

from typing import Protocol

from tracer.graph.annotations import Type, Types_
from tracer.graph.pending import Pending
from tracer.graph.world import Sym, World
from tracer.survey.facts import Definition, Field


class Evaluation(Protocol):
    """Evaluates access paths in a world."""

    world: World
    pending: Pending

    def of(self, file: int, scope: int, path: str) -> Types_:
        """The types of access path `path` as written in `scope` of `file`."""

    def local(self, file: int, s: int, d: Definition, name: str) -> Types_ | None:
        """A local or parameter of function `s`; None if it has no such name."""

    def module_variable(self, number: int, name: str) -> Types_:
        """A variable of module `number`."""

    def attribute(self, t: Type, name: str) -> Types_:
        """`t.name`."""

    def declared(self, owner: Sym, fields: list[Field]) -> Types_:
        """The types of a field or module variable: its annotation, else its values and what is inserted."""

    def result(self, t: Type) -> Types_:
        """What calling `t` gives."""

    def function_result(self, sym: Sym) -> Types_:
        """What calling function `sym` gives."""

    def element(self, t: Type, suffix: str) -> Types_:
        """`t[...]` or an element by iteration."""

    def annotation(self, file: int, scope: int, text: str) -> Types_:
        """The instances that a type text at (file, scope) allows."""

    def of_parameter(self, function: Sym, position: int) -> Types_:
        """The type of an undeclared parameter from the arguments of its callers."""

    def of_made(self, cls: Sym, name: str) -> Types_:
        """The type of a dataclass field that is declared as no more than `object`, from what it is made with."""


def named(world: World, sym: Sym) -> Type:
    """What a name is that means `sym`: a module, a class or a function itself."""
    return Type("mod" if sym.index < 0 else "cls" if world.is_class(sym) else "fn", sym)
