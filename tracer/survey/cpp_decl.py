"""Declarations of C++: takes declaration nodes, makes definitions, fields, parameters, and the binds of locals.

Names are full (`ns::Class::method`), also of what is defined out of line. Refuses to know statements.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tracer.survey.cpp_expr import Around, Expressions, Frame
from tracer.survey.cpp_text import clean_type, first, tight, without_templates
from tracer.survey.facts import Arg, Bind, Call, Definition, Field, Import, Param

if TYPE_CHECKING:
    from tree_sitter import Node

_BODIES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_NAMES = frozenset({
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name", "operator_cast",
    "template_function", "template_method", "namespace_identifier",
})  # fmt: skip
_MODULES = re.compile(r"PYBIND11_(?:EMBEDDED_)?MODULE|(?:STABLE_)?TORCH_LIBRARY\w*|NB_MODULE|BOOST_PYTHON_MODULE")
_TESTS = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?\Z|INSTANTIATE_\w+\Z|BENCHMARK\w*\Z")
_OPERATOR = re.compile(r"operator\s+(?=\W)")
_PATH_LIKE = re.compile(r"[&*]?\s*[A-Za-z_][\w:]*\Z")
_PRIMITIVE = re.compile(r"(?:unsigned|signed|long|short|int|char|bool|float|double|void|auto|size_t|ssize_t|u?int\d+_t|uintptr_t|std::size_t)\b|.*[*\]]\Z")
_FIELD_TEXT = 120


class Declared(NamedTuple):
    """What a declarator says: name, pointers and the like around it."""

    name: Node | None
    pointers: int = 0
    reference: bool = False
    array: bool = False
    variadic: bool = False
    function: Node | None = None      # the function declarator, if it declares a function
    callback: Node | None = None      # the function declarator of a pointer to a function
    names: tuple[Node, ...] = ()      # of a structured binding

    def typed(self, type_: str) -> str:
        """The type's text with what the declarator adds."""
        return type_ + "*" * self.pointers + "[]" * self.array + "(*)()" * (self.callback is not None) if type_ else ""


def declared(node: Node | None) -> Declared:
    """Unwrap a declarator."""
    pointers, reference, array, variadic = 0, False, False, False
    function: Node | None = None
    callback: Node | None = None
    names: tuple[Node, ...] = ()
    for _ in range(40):
        if node is None:
            break
        kind = node.type
        inner = node.child_by_field_name("declarator")
        if kind in ("pointer_declarator", "abstract_pointer_declarator"):
            if function is None:
                pointers += 1
        elif kind in ("reference_declarator", "abstract_reference_declarator"):
            reference = reference or function is None
            inner = node.named_children[-1] if node.named_child_count else None
        elif kind in ("array_declarator", "abstract_array_declarator"):
            array = array or function is None
        elif kind == "function_declarator":
            if inner is not None and inner.type == "parenthesized_declarator" and first(inner) is not None and not _is_name(first(inner)):
                callback = node
            else:
                function = node
        elif kind in ("parenthesized_declarator", "attributed_declarator", "abstract_parenthesized_declarator", "variadic_declarator"):
            variadic = variadic or kind == "variadic_declarator"
            inner = first(node)
        elif kind == "structured_binding_declarator":
            names, node = tuple(c for c in node.named_children if c.type == "identifier"), None
            break
        elif kind not in ("init_declarator", "abstract_function_declarator"):
            break
        node = inner
    if callback is not None:
        pointers = 0
    if node is not None and node.type not in _NAMES:
        node = None  # what error recovery made of something else
    return Declared(node, pointers, reference, array, variadic, function, callback, names)


def _is_name(node: Node | None) -> bool:
    return node is not None and node.type in ("identifier", "field_identifier", "qualified_identifier", "operator_name")


class Declarations(Expressions):
    """The part of the survey that reads declarations."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.definitions: list[Definition] = []
        self.fields: list[Field] = []
        self.imports: list[Import] = []
        self.classes: dict[str, int] = {}            # full name → definition
        self.coroutines: set[int] = set()
        self.templates: dict[int, int] = {}          # declaration below `template <…>` → first line
        self.initialised: list[tuple[int, int, str]] = []  # constructor call of a field: call, class, field

    @staticmethod
    def is_class_like(type_: str) -> bool:
        """Whether a value of this type is made by a constructor that somebody may have written."""
        return not _PRIMITIVE.match(type_) and not type_.startswith("std::atomic")

    # -- names ------------------------------------------------------------------------------------------------------
    def name_of(self, node: Node) -> tuple[str, int]:
        """The name that a declarator ends in, as written but without template arguments; and its line."""
        scopes: list[str] = []
        while node.type == "qualified_identifier":
            scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
            if scope is not None:
                scopes.append(without_templates(tight(self.text(scope))))
            if name is None:
                break
            node = name
        if node.type == "operator_cast":
            inside = declared(node.child_by_field_name("declarator"))
            last = f"operator {self.type_of(node.child_by_field_name('type'))}{'*' * inside.pointers}"
        else:
            text = self.text(node)
            last = _OPERATOR.sub("operator", text) if "operator" in text else without_templates(tight(text))
        return "::".join([*scopes, last]), node.start_point[0] + 1

    def define(self, frame: Frame, name: str, kind: str, line: int, node: Node, **more: object) -> int:
        """Note a definition; `name` is relative to the frame."""
        full = f"{frame.name}::{name}" if frame.name else name
        parent = frame.index
        if frame.kind == "module" and "::" in name:
            parent = self.classes.get(full.rpartition("::")[0], -1)
        first_line = self.templates.get(node.id, node.start_point[0] + 1)
        if node.id in self.templates:
            more["flags"] = (*more.get("flags", ()), "template")  # type: ignore[misc]
        last = node.end_point[0] + 1
        self.definitions.append(Definition(full, kind, line, first_line, last, parent, **more))  # type: ignore[arg-type]
        index = len(self.definitions) - 1
        if kind == "class":
            self.classes[full] = index
        return index

    # -- classes and enums ------------------------------------------------------------------------------------------
    def specifier(self, node: Node | None, around: Around, name: str = "") -> str:
        """A type that may be defined where it is used: defines it, and gives its text."""
        if node is None:
            return ""
        if node.type in _BODIES or node.type == "enum_specifier":
            body = node.child_by_field_name("body")
            if body is not None:
                own = node.child_by_field_name("name")
                name = self.name_of(own)[0] if own is not None else name
                if node.type == "enum_specifier":
                    self._enum(node, body, around, name)
                else:
                    self._class(node, body, around, name)
                return name
        return self.type_of(node)

    def on_class(self, node: Node, around: Around) -> None:
        """A class, struct, union or enum that stands alone."""
        self.specifier(node, around)

    def _class(self, node: Node, body: Node, around: Around, name: str) -> None:
        frame = around.frame
        if name:
            own = node.child_by_field_name("name") or node
            bases: list[str] = []
            for child in node.named_children:
                if child.type == "base_class_clause":
                    bases = [clean_type(self.text(c)) for c in child.named_children if c.type not in ("access_specifier", "virtual", "comment")]
            index = self.define(frame, name, "class", own.start_point[0] + 1, node, bases=tuple(bases))
            inside = Frame("class", index, self.definitions[index].name, frame.space)
            inside.bases = tuple(bases)
        else:
            inside = frame  # members of an anonymous union belong to the class around it
        self.push_children(body, Around(inside, 0))

    def _enum(self, node: Node, body: Node, around: Around, name: str) -> None:
        own = node.child_by_field_name("name") or node
        index = self.define(around.frame, name, "enum", own.start_point[0] + 1, node) if name else around.frame.index
        for child in body.named_children:
            if child.type == "enumerator":
                label, value = child.child_by_field_name("name"), child.child_by_field_name("value")
                if label is not None:
                    text = self.line_text(value, _FIELD_TEXT) if value is not None else ""
                    path = self.path(value) if value is not None else ""
                    self.fields.append(Field(index, self.text(label), "", path, text, label.start_point[0] + 1, "enum"))

    # -- functions --------------------------------------------------------------------------------------------------
    def on_function(self, node: Node, around: Around) -> None:
        """A function with a body (or `= default`, `= delete`)."""
        self._function(node, around, node.child_by_field_name("declarator"))

    def _function(self, node: Node, around: Around, declarator: Node | None, *, friend: bool = False, pure: bool = False) -> None:
        said = declared(declarator)
        frame = around.frame
        if friend and frame.kind == "class":
            frame = Frame("module", -1, frame.space, frame.space)
        body = node.child_by_field_name("body")
        if said.name is None:
            self.push(body, around)
            return
        name, line = self.name_of(said.name)
        function = said.function or _cast_declarator(said.name)
        parameters = function.child_by_field_name("parameters") if function is not None else None
        type_ = node.child_by_field_name("type")
        returns, flags = self._signature(node, function, said, type_, around, pure)
        kind = "function" if node.type == "function_definition" and "deleted" not in flags else "declaration"
        if type_ is None and name.isupper() and frame.name.rpartition("::")[2] != name:
            if kind == "declaration":
                self._macro_call(name, node, parameters, frame)
                return
            if _TESTS.match(name) and parameters is not None:
                name = "::".join([name, *(self.text(p) for p in parameters.named_children)])
        inside = Frame("function", -1, "", frame.space)
        params = self.params(parameters, inside)
        inside.index = self.define(frame, name, kind, line, node, params=params, returns=returns, flags=flags)
        inside.name = self.definitions[inside.index].name
        if kind == "declaration":
            return
        if type_ is None and _MODULES.match(name):
            args = tuple(Arg("", p.annotation or p.name, p.annotation or p.name) for p in params)
            self.calls.append(Call(inside.index, name, line, line, args))
            inside.locals |= {p.annotation: "alias" for p in params}
        self.push(body, Around(inside, 0))
        for child in node.named_children:
            if child.type == "field_initializer_list":
                self._initialisers(child, inside, frame)

    def _signature(
        self, node: Node, function: Node | None, said: Declared, type_: Node | None, around: Around, pure: bool,
    ) -> tuple[str, tuple[str, ...]]:
        """The type that a function returns, and its flags."""
        returns = said.typed(self.specifier(type_, around)) if type_ is not None else ""
        flags = ["abstract"] if pure else []
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
        if said.name is not None and said.name.type == "operator_cast":
            returns = self.type_of(said.name.child_by_field_name("type"))
        return returns, tuple(flags)

    def _macro_call(self, name: str, node: Node, parameters: Node | None, frame: Frame) -> None:
        """`REFLECT(A, b, c)` in a class is a macro's call, not a method."""
        args = tuple(Arg("", _as_path(t), t[:80]) for p in (parameters.named_children if parameters is not None else ()) if (t := self.line_text(p)))
        self.calls.append(Call(frame.index, name, node.start_point[0] + 1, node.end_point[0] + 1, args))

    def params(self, parameters: Node | None, inside: Frame | None) -> tuple[Param, ...]:
        """The parameters of a function; they become locals of `inside`."""
        found: list[Param] = []
        for node in parameters.named_children if parameters is not None else ():
            if node.type not in ("parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"):
                continue
            said = declared(node.child_by_field_name("declarator"))
            type_ = said.typed(self.type_of(node.child_by_field_name("type")))
            default = node.child_by_field_name("default_value")
            name = self.text(said.name) if said.name is not None and said.name.type == "identifier" else ""
            variadic = said.variadic or node.type.startswith("variadic")
            if type_ == "void" and not name:
                continue
            found.append(Param(name, type_, self.path(default) if default is not None else "", "*" if variadic else ""))
            if inside is not None and name:
                inside.locals[name] = "alias" if said.reference or said.pointers or said.array or not type_ else "value"
        return tuple(found)

    def _initialisers(self, node: Node, inside: Frame, frame: Frame) -> None:
        """A constructor's initialisers: writes of fields, calls of bases' constructors."""
        owner = inside.name.rpartition("::")[0]
        class_index = self.classes.get(owner, -1)
        bases = self.definitions[class_index].bases if class_index >= 0 else ()
        heads = {without_templates(base).rpartition("::")[2] for base in bases} | {owner.rpartition("::")[2]}
        found = [child for child in node.named_children if child.type == "field_initializer" and child.named_child_count > 1]
        self.stack += [(child.named_children[-1], Around(inside, child.end_point[0] + 1)) for child in reversed(found)]
        for child in found:
            label, arguments = child.named_children[0], child.named_children[-1]
            name = tight(self.text(label))
            around = Around(inside, child.end_point[0] + 1)
            values = [c for c in arguments.named_children if c.type != "comment"]
            lines = child.start_point[0] + 1, child.end_point[0] + 1
            if label.type != "field_identifier" or name in heads or class_index < 0 and name[0].isupper() and not name.endswith("_"):
                self.calls.append(Call(inside.index, name, *lines, self.args(arguments)))
                continue
            text = self.line_text(arguments)[1:-1].strip()
            value = self.path(values[0]) if len(values) == 1 else ""
            self.access(label, around, name, "write", value, text)
            if values:
                if class_index >= 0 or len(values) > 1 or values[0].type == "this":
                    self.initialised.append((len(self.calls), class_index, name))
                    self.calls.append(Call(inside.index, name, *lines, self.args(arguments), "new"))

    # -- fields and other members -------------------------------------------------------------------------------------
    def on_field(self, node: Node, around: Around) -> None:
        """A member: fields or a method's declaration."""
        self._members(node, around)

    def _members(self, node: Node, around: Around, *, friend: bool = False) -> None:
        frame = around.frame
        names = node.children_by_field_name("declarator")
        type_node = node.child_by_field_name("type")
        if not names:
            self.specifier(type_node, around)
            if node.type == "declaration" and type_node is None:
                self.push_children(node, around)
            return
        heads = [declared(name) for name in names]
        own = self.text(heads[0].name) if heads[0].name is not None else ""
        if heads[0].function is not None or heads[0].name is not None and heads[0].name.type == "operator_cast":
            value = node.child_by_field_name("default_value")
            self._function(node, around, names[0], friend=friend, pure=value is not None and self.text(value) == "0")
            return
        type_ = self.specifier(type_node, around, own)
        values = _values(node)
        for name, said in zip(names, heads, strict=True):
            if said.name is None:
                continue
            value = values.get(name.id)
            label, line = self.name_of(said.name)
            index, where = (frame.index, "class") if frame.kind == "class" else (-1, "module")
            if "::" in label:
                owner = self.classes.get(f"{frame.name}::{label}".removeprefix("::").rpartition("::")[0])
                index, label = (-1, label) if owner is None else (owner, label.rpartition("::")[2])
            path, text = self.initial(value, said.typed(type_), Around(frame, node.end_point[0] + 1))
            self.fields.append(Field(index, label, said.typed(type_), path, text[:_FIELD_TEXT], line, where))

    def initial(self, value: Node | None, type_: str, around: Around) -> tuple[str, str]:
        """Path and text of an initial value; reads it, and notes the constructor's call that it may be."""
        if value is None:
            return "", ""
        inside = value.type in ("argument_list", "initializer_list")
        self.push_children(value, around) if inside else self.push(value, around)
        if not inside:
            return self.path(value), self.line_text(value, _FIELD_TEXT)
        text = self.line_text(value, _FIELD_TEXT + 2)[1:-1].strip()
        only = first(value) if value.named_child_count == 1 else None
        if not type_ or not self.is_class_like(type_):
            return self.path(only) if only is not None else "", text
        if value.named_child_count:
            line, last = value.start_point[0] + 1, value.end_point[0] + 1
            self.calls.append(Call(around.frame.index, type_, line, last, self.args(value)))
        return f"{type_}()", text

    def on_alias(self, node: Node, around: Around) -> None:
        """`using X = Y`."""
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None and type_ is not None:
            self.define(around.frame, self.text(name), "alias", name.start_point[0] + 1, node, returns=clean_type(self.text(type_)))

    def on_typedef(self, node: Node, around: Around) -> None:
        """`typedef Y X`, and classes that get their name from it."""
        names = [declared(n) for n in node.children_by_field_name("declarator")]
        own = self.text(names[0].name) if names and names[0].name is not None else ""
        type_ = self.specifier(node.child_by_field_name("type"), around, own)
        for said in names:
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
                self._function(child, around, child.child_by_field_name("declarator"), friend=True)

    def on_template(self, node: Node, around: Around) -> None:
        """`template <…>` before a declaration."""
        line = self.templates.get(node.id, node.start_point[0] + 1)
        for child in reversed(node.named_children):
            if child.type not in ("template_parameter_list", "requires_clause", "comment"):
                self.templates[child.id] = line
                self.push(child, around)

    # -- locals -------------------------------------------------------------------------------------------------------
    def local(self, node: Node, around: Around) -> None:
        """A declaration inside a function."""
        around = Around(around.frame, node.end_point[0] + 1, around.test, "", around.closure)
        type_ = self.specifier(node.child_by_field_name("type"), around)
        static = any(c.type == "storage_class_specifier" for c in node.named_children)
        whole = node.child_by_field_name("value")  # if (T x = …)
        for name in reversed(node.children_by_field_name("declarator")):
            said = declared(name)
            value = name.child_by_field_name("value") or whole
            self._bind(said, type_, value, around, static)

    def _bind(self, said: Declared, type_: str, value: Node | None, around: Around, static: bool) -> None:
        scope, known = around.frame.index, around.frame.locals
        if said.names:
            path = self.path(value) if value is not None else ""
            self.push(value, around)
            self.bind_names(said.names, path, around)
            return
        if said.name is None:
            return
        name, line = self.name_of(said.name)
        annotation = said.typed(type_)
        if said.function is not None:  # `T x(y);` reads like a function's declaration
            if not type_ or _PRIMITIVE.match(type_):
                return
            parameters = said.function.child_by_field_name("parameters")
            texts = [self.line_text(p, 80) for p in (parameters.named_children if parameters is not None else ())]
            args = tuple(Arg("", _as_path(t), t) for t in texts)
            self.calls.append(Call(scope, type_, line, around.last, args))
            paths = [f"{type_}()"]
            annotation = type_
        elif value is not None and value.type in ("argument_list", "initializer_list"):
            paths = [self.initial(value, annotation, around)[0]]
            if not type_ and paths == [""] and value.named_child_count == 1:
                paths = [self.path(first(value))]
        else:
            self.push(value, around)
            paths = [self.path(part) for part in self.parts(value)] if value is not None else [""]
        known[name] = "alias" if said.reference or said.pointers or static or not type_ else "value"
        self.binds += [Bind(scope, name, path, annotation, line) for path in dict.fromkeys(paths)]

    def bind_names(self, names: tuple[Node, ...], path: str, around: Around) -> None:
        """The names of a structured binding: `[0]`, `[1]`, … of the value."""
        for at, name in enumerate(names):
            text = self.text(name)
            around.frame.locals[text] = "alias"
            value = f"{path}[{at}]" if path and path != "?" else ""
            self.binds.append(Bind(around.frame.index, text, value, "", name.start_point[0] + 1))


def _values(node: Node) -> dict[int, Node]:
    """Declarator → its initial value (fields of a class have them side by side)."""
    found: dict[int, Node] = {}
    label: Node | None = None
    for at, child in enumerate(node.children):
        field = node.field_name_for_child(at)
        if field == "declarator":
            label = child
            value = child.child_by_field_name("value")
            if value is not None:
                found[child.id] = value
        elif field in ("default_value", "value") and label is not None:
            found[label.id] = child
    return found


def _cast_declarator(name: Node) -> Node | None:
    """The function declarator inside `operator T() const`."""
    while name.type == "qualified_identifier":
        inner = name.child_by_field_name("name")
        if inner is None:
            return None
        name = inner
    return name.child_by_field_name("declarator") if name.type == "operator_cast" else None


def _as_path(text: str) -> str:
    """The access path of an argument that was parsed as a type."""
    return tight(text.lstrip("&* ")) if _PATH_LIKE.match(text) else "?"
