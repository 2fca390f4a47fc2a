"""What C++ code the parser gave up on still says: takes an ERROR node, keeps names and functions in it.

In an error's children the heads of namespaces, classes and functions lie flat between braces; they still name what
follows. Refuses to guess more than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tracer.survey.cpp_decl import Definitions
from tracer.survey.cpp_declarator import declared
from tracer.survey.cpp_expr import Around, Frame

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED = frozenset({"identifier", "namespace_identifier", "type_identifier", "nested_namespace_specifier"})
_FUNCTIONS = frozenset({"function_declarator", "pointer_declarator", "reference_declarator"})


class Broken(Definitions):
    """The part of the survey that reads what did not parse."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.errors: list[tuple[int, int]] = []

    def on_error(self, node: Node, around: Around) -> None:
        """Read the pieces of an error, each in the frame that the heads and braces before it make."""
        self.errors.append((node.start_point[0] + 1, node.end_point[0] + 1))
        frames, own = [around.frame], {around.frame.index}
        head: tuple[str, str, int] | None = None  # kind, name, line
        found: list[tuple[Node, Around]] = []
        children = node.children
        for at, child in enumerate(children):
            kind, frame = child.type, frames[-1]
            if kind in ("namespace", "class", "struct") and at + 1 < len(children) and children[at + 1].type in _NAMED:
                name = "".join(self.text(children[at + 1]).split())
                head = kind, name, children[at + 1].start_point[0] + 1
            elif kind == ";":
                head = None
            elif kind == "{":
                frames.append(self._opened(node, frame, head, found))
                head = None
            elif kind == "}" and len(frames) > 1:
                closed = frames.pop()
                if closed.index not in own and closed.index != frames[-1].index and closed.kind != "module":
                    last = child.end_point[0] + 1
                    self.definitions[closed.index] = msgspec.structs.replace(self.definitions[closed.index], last=last)
            elif child.is_named:
                found.append((child, Around(frame, 0, closure=around.closure)))
        found.reverse()
        self.stack += found

    def _opened(
        self, node: Node, frame: Frame, head: tuple[str, str, int] | None, found: list[tuple[Node, Around]]
    ) -> Frame:
        """The frame inside a brace: of the namespace, class or function just named, or the same."""
        if head is not None:
            kind, name, line = head
            full = f"{frame.name}::{name}" if frame.name else name
            if kind == "namespace":
                return Frame("module", -1, full, full)
            return Frame("class", self.define(frame, name, "class", line, node), full, frame.space)
        if found and found[-1][0].type in _FUNCTIONS and frame.kind != "function":
            said = declared(found[-1][0])
            if said.function is not None and said.name is not None:
                found.pop()
                name, line = self.name_of(said.name)
                inside = Frame("function", -1, "", frame.space)
                params = self.params(said.function.child_by_field_name("parameters"), inside)
                inside.index = self.define(frame, name, "function", line, said.function, params=params)
                inside.name = self.definitions[inside.index].name
                return inside
        return frame
