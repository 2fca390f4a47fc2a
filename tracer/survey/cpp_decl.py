"""Definitions of C++: takes nodes of classes, enums, functions and aliases, makes definitions and their fields.

Names are full (`ns::Class::method`), also of what is defined out of line. Refuses to know statements.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tracer.survey.cpp_declarator import Declared, declared, initial_values, last_name
from tracer.survey.cpp_expr import Around, Frame
from tracer.survey.cpp_members import Variables, as_path
from tracer.survey.cpp_text import clean_type, first, tight, without_templates
from tracer.survey.facts import Arg, Call, Definition, Field, Import, Param

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_MODULES = re.compile(r"PYBIND11_(?:EMBEDDED_)?MODULE|(?:STABLE_)?TORCH_LIBRARY\w*|NB_MODULE|BOOST_PYTHON_MODULE")
_TESTS = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?\Z|INSTANTIATE_\w+\Z|BENCHMARK\w*\Z")
_KEYWORDS = frozenset({"for", "if", "while", "switch", "return", "catch", "else", "do", "sizeof"})
_FIELD_TEXT = 120


class Definitions(Variables):
    """The part of the survey that reads definitions."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.classes: dict[str, int] = {}  # full name → definition
        self.templates: dict[int, int] = {}  # declaration below `template <…>` → first line
        self.initialised: list[tuple[int, int, str]] = []  # call that may be a field's constructor: call, class, field

    def define(
        self, frame: Frame, name: str, kind: str, line: int, node: Node,
        *, bases: tuple[str, ...] = (), params: tuple[Param, ...] = (), returns: str = "", flags: tuple[str, ...] = (),
    ) -> int:  # fmt: skip
        """Note a definition; `name` is relative to the frame."""
        full = f"{frame.name}::{name}" if frame.name else name
        parent = frame.index
        if frame.kind == "module" and "::" in name:
            parent = self.classes.get(full.rpartition("::")[0], -1)
        start, end = node.start_point[0] + 1, node.end_point[0] + 1
        if node.id in self.templates:
            start, flags = self.templates[node.id], (*flags, "template")
        self.definitions.append(Definition(full, kind, line, start, end, parent, bases, params, returns, (), flags))
        index = len(self.definitions) - 1
        if kind == "class":
            self.classes[full] = index
        return index

    # -- classes and enums --------------------------------------------------------------------------------------------
    def specifier(self, node: Node | None, around: Around, name: str = "") -> str:
        """A type that may be defined where it is used: defines it, and gives its text."""
        if node is None:
            return ""
        kind = node.type
        if kind in _CLASSES or kind == "enum_specifier":
            body = node.child_by_field_name("body")
            if body is not None:
                own = node.child_by_field_name("name")
                name = self.name_of(own)[0] if own is not None else name
                if kind == "enum_specifier":
                    self._enum(node, body, around, name)
                else:
                    self._class(node, body, around, name)
                return name
        return self.type_of(node)

    def on_class(self, node: Node, around: Around) -> None:
        """A class, struct, union or enum that stands alone."""
        self.specifier(node, around)

    def _class(self, node: Node, body: Node, around: Around, name: str) -> None:
        inside = around.frame  # members of an anonymous union belong to the class around it
        if name:
            own = node.child_by_field_name("name") or node
            bases = tuple(
                clean_type(self.text(base))
                for child in node.named_children
                if child.type == "base_class_clause"
                for base in child.named_children
                if base.type not in ("access_specifier", "virtual", "comment")
            )
            index = self.define(around.frame, name, "class", own.start_point[0] + 1, node, bases=bases)
            inside = Frame("class", index, self.definitions[index].name, around.frame.space)
        self.push_children(body, Around(inside, 0))

    def _enum(self, node: Node, body: Node, around: Around, name: str) -> None:
        own = node.child_by_field_name("name") or node
        frame = around.frame
        index = self.define(frame, name, "enum", own.start_point[0] + 1, node) if name else frame.index
        for child in body.named_children:
            label, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type == "enumerator" and label is not None:
                text = self.line_text(value, _FIELD_TEXT) if value is not None else ""
                path = self.path(value) if value is not None else ""
                self.fields.append(Field(index, self.text(label), "", path, text, label.start_point[0] + 1, "enum"))

    # -- functions ----------------------------------------------------------------------------------------------------
    def on_function(self, node: Node, around: Around) -> None:
        """A function with a body, `= default` or `= delete`."""
        self._function(node, around, declared(node.child_by_field_name("declarator")))

    def _function(
        self, node: Node, around: Around, said: Declared, *, friend: bool = False, pure: bool = False
    ) -> None:
        frame, body = around.frame, node.child_by_field_name("body")
        if friend and frame.kind == "class":
            frame = Frame("module", -1, frame.space, frame.space)
        if said.name is None:
            self.push(body, around)
            return
        name, line = self.name_of(said.name)
        if name in _KEYWORDS:  # what error recovery made of a statement
            self.push(body, around)
            return
        last = last_name(said.name)
        function = said.function or (last.child_by_field_name("declarator") if last.type == "operator_cast" else None)
        parameters = function.child_by_field_name("parameters") if function is not None else None
        type_ = node.child_by_field_name("type")
        returns, flags = self._signature(node, function, said, last, self.specifier(type_, around))
        kind = "function" if node.type == "function_definition" and "deleted" not in flags else "declaration"
        if type_ is None and name.isupper() and frame.name.rpartition("::")[2] != name:
            if kind == "declaration":
                self._macro(name, node, parameters, frame)
                return
            if _TESTS.match(name) and parameters is not None:
                name = "::".join([name, *(self.text(p) for p in parameters.named_children)])
        inside = Frame("function", -1, "", frame.space)
        params = self.params(parameters, inside)
        flags = ("abstract", *flags) if pure else flags
        inside.index = self.define(frame, name, kind, line, node, params=params, returns=returns, flags=flags)
        if kind == "declaration":
            return
        inside.name = self.definitions[inside.index].name
        if type_ is None and _MODULES.match(name):
            names = [p.annotation or p.name for p in params]
            self.calls.append(Call(inside.index, name, line, line, tuple([Arg("", n, n) for n in names])))
            inside.locals |= dict.fromkeys(names, "alias")
        self.push(body, Around(inside, 0))
        for child in node.children:
            if child.type == "field_initializer_list":
                self._initialisers(child, inside)

    def _signature(
        self, node: Node, function: Node | None, said: Declared, last: Node, type_: str
    ) -> tuple[str, tuple[str, ...]]:
        """The type that a function returns, and its flags."""
        returns, flags = said.typed(type_), []
        for child in node.children:  # `virtual` is no named node
            kind = child.type
            if kind == "virtual":
                flags.append("virtual")
            elif kind == "storage_class_specifier" and self.text(child) == "static":
                flags.append("static")
            elif kind == "delete_method_clause":
                flags.append("deleted")
            elif kind == "pure_virtual_clause":
                flags.append("abstract")
        for child in function.named_children if function is not None else ():
            kind = child.type
            if kind == "type_qualifier" and self.text(child) == "const":
                flags.append("const")
            elif kind == "virtual_specifier" and self.text(child) == "override":
                flags.append("override")
            elif kind == "trailing_return_type":
                returns = clean_type(self.text(child).removeprefix("->"))
        if last.type == "operator_cast":
            returns = self.type_of(last.child_by_field_name("type"))
        return returns, tuple(flags)

    def _macro(self, name: str, node: Node, parameters: Node | None, frame: Frame) -> None:
        """`REFLECT(A, b, c)` in a class is a macro's call, not a method."""
        texts = [self.line_text(p, 80) for p in (parameters.named_children if parameters is not None else ())]
        self.note_call(node, Around(frame, 0), name, tuple([Arg("", as_path(t), t) for t in texts]), "")

    def _initialisers(self, node: Node, inside: Frame) -> None:
        """A constructor's initialisers: writes of fields, calls of bases' constructors."""
        owner = inside.name.rpartition("::")[0]
        index = self.classes.get(owner, -1)
        bases = self.definitions[index].bases if index >= 0 else ()
        heads = {without_templates(base).rpartition("::")[2] for base in bases} | {owner.rpartition("::")[2]}
        for child in node.named_children:
            if child.type != "field_initializer" or child.named_child_count < 2:
                continue
            label, arguments = child.named_children[0], child.named_children[-1]
            name = tight(self.text(label))
            around = Around(inside, child.end_point[0] + 1)
            args = self.args(arguments, around)
            base = name in heads or (index < 0 and name[0].isupper() and name[-1] != "_")
            if base or label.type != "field_identifier":
                self.note_call(child, around, name, args, "")
                continue
            only = args[0].path if len(args) == 1 else ""
            if only and (value := first(arguments)) is not None:
                paths = [self.path(part) for part in self.alternatives(value)]
            else:
                paths = [""]
            text = self.line_text(arguments)[1:-1].strip()
            for path in dict.fromkeys(paths):
                self.access(label, around, name, "write", path, text)
            if args and (index >= 0 or len(args) > 1 or only == "this"):
                self.initialised.append((len(self.calls), index, name))
                self.note_call(child, around, name, args, "new")

    # -- members and globals ------------------------------------------------------------------------------------------
    def on_declaration(self, node: Node, around: Around) -> None:
        """A declaration: of locals in a function, else as a member's."""
        if around.frame.kind == "function":
            self.local(node, self.specifier(node.child_by_field_name("type"), around), around)
        else:
            self.on_member(node, around)

    def on_member(self, node: Node, around: Around, *, friend: bool = False) -> None:
        """Fields or globals, or a function's declaration."""
        frame = around.frame
        declarators = node.children_by_field_name("declarator")
        type_node = node.child_by_field_name("type")
        if not declarators:
            self.specifier(type_node, around)
            if node.type == "declaration" and type_node is None:
                self.push_children(node, around)
            return
        heads = [declared(declarator) for declarator in declarators]
        head = heads[0].name
        if heads[0].function is not None or (head is not None and last_name(head).type == "operator_cast"):
            value = node.child_by_field_name("default_value")
            self._function(node, around, heads[0], friend=friend, pure=value is not None and self.text(value) == "0")
            return
        type_ = self.specifier(type_node, around, self.text(head) if head is not None else "")
        values = initial_values(node)
        around = Around(frame, node.end_point[0] + 1)
        for declarator, said in zip(declarators, heads, strict=True):
            if said.name is None:
                self.push(declarator, around)
                continue
            label = self.name_of(said.name)[0]
            owner = frame.index if frame.kind == "class" else -1
            if "::" in label:  # a static member gets its value
                full = f"{frame.name}::{label}" if frame.name else label
                owner = self.classes.get(full.rpartition("::")[0], -1)
                label = label.rpartition("::")[2] if owner >= 0 else label
            self.field(said, type_, values.get(declarator.id), around, owner, label)

    # -- other names --------------------------------------------------------------------------------------------------
    def on_namespace(self, node: Node, around: Around) -> None:
        """`namespace x {…}`; one without a name leaves no trace in names."""
        name, frame = node.child_by_field_name("name"), around.frame
        if name is not None:
            own = "".join(self.text(name).replace("inline ", "").split())
            full = f"{frame.name}::{own}" if frame.name else own
            frame = Frame("module", -1, full, full)
        self.push_children(node.child_by_field_name("body"), Around(frame, 0))

    def on_alias(self, node: Node, around: Around) -> None:
        """`using X = Y`."""
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None and type_ is not None:
            returns = clean_type(self.text(type_))
            self.define(around.frame, self.text(name), "alias", name.start_point[0] + 1, node, returns=returns)

    def on_typedef(self, node: Node, around: Around) -> None:
        """`typedef Y X`, and classes that get their name from it."""
        heads = [declared(declarator) for declarator in node.children_by_field_name("declarator")]
        own = self.text(heads[0].name) if heads and heads[0].name is not None else ""
        type_ = self.specifier(node.child_by_field_name("type"), around, own)
        for said in heads:
            if said.name is not None and self.text(said.name) != type_:
                name, line = self.name_of(said.name)
                self.define(around.frame, name, "alias", line, node, returns=said.typed(type_))

    def on_namespace_alias(self, node: Node, around: Around) -> None:
        """`namespace x = y`."""
        name = node.child_by_field_name("name")
        if name is not None and node.named_child_count > 1:
            returns = tight(self.text(node.named_children[-1]))
            self.define(around.frame, self.text(name), "alias", name.start_point[0] + 1, node, returns=returns)

    def on_using(self, node: Node, around: Around) -> None:
        """`using namespace x` is an import of all; `using x::y` is an alias."""
        used = first(node)
        if used is None:
            return
        text, line = tight(self.text(used)), node.start_point[0] + 1
        if self.slice(node.start_byte, used.start_byte).split()[-1] == "namespace":
            self.imports.append(Import(around.frame.index, "*", text, "*", 0, line))
        elif "::" in text and around.frame.kind != "class":
            self.define(around.frame, text.rpartition("::")[2], "alias", line, node, returns=text)

    def on_friend(self, node: Node, around: Around) -> None:
        """A friend function belongs to the namespace around the class."""
        for child in node.named_children:
            if child.type in ("function_definition", "declaration"):
                self._function(child, around, declared(child.child_by_field_name("declarator")), friend=True)

    def on_template(self, node: Node, around: Around) -> None:
        """`template <…>` before a declaration."""
        line = self.templates.get(node.id, node.start_point[0] + 1)
        for child in reversed(node.named_children):
            if child.type not in ("template_parameter_list", "requires_clause", "comment"):
                self.templates[child.id] = line
                self.push(child, around)
