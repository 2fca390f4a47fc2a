"""Variables of C++: takes declarations of fields, globals, parameters and locals, makes fields, parameters and binds.

Also notes the constructor's call that a declaration makes (`T x(y)`, `T x{y}`). Refuses to know classes and functions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tracer.survey.cpp_calls import Calls
from tracer.survey.cpp_declarator import Declared, declared, last_name
from tracer.survey.cpp_expr import Around, Frame
from tracer.survey.cpp_text import tight, without_templates
from tracer.survey.facts import Arg, Bind, Field, Param

if TYPE_CHECKING:
    from tree_sitter import Node

_OPERATOR = re.compile(r"operator\s+(?=\W)")
_PATH_LIKE = re.compile(r"[&*]?\s*[A-Za-z_][\w:]*\Z")
_PRIMITIVE = re.compile(
    r"(?:unsigned|signed|long|short|int|char|bool|float|double|void|auto|(?:std::)?(?:s?size_t|u?int\d+_t|uintptr_t|atomic))\b"
    r"|.*[*\]]\Z"
)
_PARAMETERS = frozenset({
    "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration",
})  # fmt: skip
_FIELD_TEXT = 120


def is_class_like(type_: str) -> bool:
    """Whether a value of this type is made by a constructor that somebody may have written."""
    return _PRIMITIVE.match(type_) is None


def as_path(text: str) -> str:
    """The access path of an argument that was parsed as a type."""
    return tight(text.lstrip("&* ")) if _PATH_LIKE.match(text) else "?"


class Variables(Calls):
    """The part of the survey that reads variables."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.fields: list[Field] = []

    def name_of(self, node: Node) -> tuple[str, int]:
        """The name that a declarator ends in, as written but without template arguments; and its line."""
        kind = node.type
        if kind in ("identifier", "field_identifier", "type_identifier"):
            return self.text(node), node.start_point[0] + 1
        last = last_name(node)
        scopes = without_templates(tight(self.slice(node.start_byte, last.start_byte))).removesuffix("::")
        if last.type == "operator_cast":
            inside = declared(last.child_by_field_name("declarator"))
            name = f"operator {self.type_of(last.child_by_field_name('type'))}{'*' * inside.pointers}"
        else:
            text = self.text(last)
            name = _OPERATOR.sub("operator", text) if "operator" in text else without_templates(tight(text))
        return f"{scopes}::{name}" if scopes else name, last.start_point[0] + 1

    # -- fields and globals -------------------------------------------------------------------------------------------
    def field(self, said: Declared, type_: str, value: Node | None, around: Around, owner: int, label: str) -> None:
        """One field of a class, or one global."""
        if said.name is None or not label.replace("::", "_").isidentifier():
            self.push(value, around)  # what error recovery made of something else
            return
        annotation = said.typed(type_)
        path, text = self.initial(value, annotation, around)
        where = "class" if owner >= 0 else "module"
        line = last_name(said.name).start_point[0] + 1
        self.fields.append(Field(owner, label, annotation, path, text[:_FIELD_TEXT], line, where))

    def initial(self, value: Node | None, type_: str, around: Around) -> tuple[str, str]:
        """Path and text of an initial value; reads it, and notes the constructor's call that it may be."""
        if value is None:
            return "", ""
        if value.type not in ("argument_list", "initializer_list"):
            self.push(value, around)
            return self.path(value), self.line_text(value, _FIELD_TEXT)
        text = self.line_text(value, _FIELD_TEXT + 2)[1:-1].strip()
        args = self.args(value, around)
        if not type_ or not is_class_like(type_):
            return args[0].path if len(args) == 1 else "", text
        if args:
            self.note_call(value, around, type_, args, "")
        return f"{type_}()", text

    # -- parameters ---------------------------------------------------------------------------------------------------
    def params(self, parameters: Node | None, inside: Frame) -> tuple[Param, ...]:
        """The parameters of a function; they become locals of `inside`."""
        found: list[Param] = []
        for node in parameters.named_children if parameters is not None else ():
            if node.type not in _PARAMETERS:
                continue
            said = declared(node.child_by_field_name("declarator"))
            type_ = said.typed(self.type_of(node.child_by_field_name("type")))
            default = node.child_by_field_name("default_value") if node.type.startswith("optional") else None
            name = self.text(said.name) if said.name is not None and said.name.type == "identifier" else ""
            if type_ == "void" and not name:
                continue
            variadic = said.variadic or node.type.startswith("variadic")
            found.append(Param(name, type_, self.path(default) if default is not None else "", "*" if variadic else ""))
            if name:
                held = said.reference or said.pointers or said.array or not type_
                inside.locals[name] = "alias" if held else "value"
        return tuple(found)

    # -- locals -------------------------------------------------------------------------------------------------------
    def local(self, node: Node, type_: str, around: Around) -> None:
        """A declaration inside a function."""
        around = Around(around.frame, node.end_point[0] + 1, around.test, closure=around.closure)
        static = self.source.startswith(("static", "thread_local"), node.start_byte)
        whole = node.child_by_field_name("value")  # if (T x = …)
        for name in reversed(node.children_by_field_name("declarator")):
            self._local(declared(name), type_, name.child_by_field_name("value") or whole, around, static=static)

    def _local(self, said: Declared, type_: str, value: Node | None, around: Around, *, static: bool) -> None:
        scope, known = around.frame.index, around.frame.locals
        if said.names:
            self.push(value, around)
            self.bind_names(said.names, self.path(value) if value is not None else "", around)
            return
        if said.name is None:
            return
        name, line = self.name_of(said.name)
        annotation = said.typed(type_)
        if said.function is not None:  # `T x(y);` reads like a function's declaration
            if not type_ or not is_class_like(type_):
                return
            parameters = said.function.child_by_field_name("parameters")
            texts = [self.line_text(p, 80) for p in (parameters.named_children if parameters is not None else ())]
            self.note_call(said.function, around, type_, tuple([Arg("", as_path(t), t) for t in texts]), "")
            paths = [f"{type_}()"]
        elif value is None:
            paths = [""]
        elif value.type in ("argument_list", "initializer_list"):
            paths = [self.initial(value, annotation, around)[0]]
        else:
            self.push(value, around)
            paths = [self.path(part) for part in self.alternatives(value)]
        known[name] = "alias" if said.reference or said.pointers or static or not type_ else "value"
        self.binds += [Bind(scope, name, path, annotation, line) for path in dict.fromkeys(paths)]

    def bind_names(self, names: tuple[Node, ...], path: str, around: Around) -> None:
        """The names of a structured binding: `[0]`, `[1]`, … of the value."""
        for at, name in enumerate(names):
            text = self.text(name)
            around.frame.locals[text] = "alias"
            value = f"{path}[{at}]" if path and path != "?" else ""
            self.binds.append(Bind(around.frame.index, text, value, "", name.start_point[0] + 1))

    def bind_params(self, parameters: Node | None, around: Around) -> None:
        """Parameters of a lambda or a catch clause are locals of the function around it."""
        if parameters is None:
            return
        line = parameters.start_point[0] + 1
        for param in self.params(parameters, around.frame):
            if param.name:
                self.binds.append(Bind(around.frame.index, param.name, param.default, param.annotation, line))

    def on_lambda(self, node: Node, around: Around) -> None:
        """A lambda: its body belongs to the function around it."""
        frame = around.frame
        self.push(node.child_by_field_name("body"), Around(frame, 0, closure=node.start_point[0] + 1))
        declarator = node.child_by_field_name("declarator")
        if declarator is not None:
            self.bind_params(declarator.child_by_field_name("parameters"), around)
        captures = node.child_by_field_name("captures")
        for child in captures.named_children if captures is not None else ():
            if child.type != "lambda_capture_initializer":
                continue
            left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
            if left is not None and right is not None:
                name, path = self.text(left), self.path(right)
                frame.locals.setdefault(name, "alias")
                if path != name:
                    self.binds.append(Bind(frame.index, name, path, "", left.start_point[0] + 1))
                self.push(right, around.alone())

    def on_range_loop(self, node: Node, around: Around) -> None:
        """`for (T x : xs)`."""
        right = node.child_by_field_name("right")
        said = declared(node.child_by_field_name("declarator"))
        type_ = said.typed(self.type_of(node.child_by_field_name("type")))
        path = self.path(right)
        path = "" if path in ("?", "#list") else path + "[*]"
        around = around.statement(node.start_point[0] + 1)
        self.push(node.child_by_field_name("body"), around)
        self.push(right, around)
        self.push(node.child_by_field_name("initializer"), around)
        if said.names:
            self.bind_names(said.names, path, around)
        elif said.name is not None:
            name = self.text(said.name)
            around.frame.locals[name] = "alias" if said.reference or said.pointers or not type_ else "value"
            self.binds.append(Bind(around.frame.index, name, path, type_, said.name.start_point[0] + 1))
