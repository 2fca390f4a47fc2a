"""C, C++ and CUDA source → facts, with tree-sitter. Takes the bytes of one file; no preprocessor, no other file.

Lambdas belong to the function that holds them. Both branches of `#if` are read (`cpp_prepare.py`). What does not parse is
left out, and said in `problem`. Refuses to resolve anything: that is the graph's work.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import msgspec
import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from tracer.survey.cpp_decl import Declarations, declared
from tracer.survey.cpp_expr import Around, Frame
from tracer.survey.cpp_prepare import prepare
from tracer.survey.facts import Bind, FileFacts, Import, Mark

_LANGUAGE = Language(tree_sitter_cpp.language())
_LARGEST = 8 << 20
_FEW_LINES = 3
_LEAVES = frozenset({
    "comment", "string_literal", "raw_string_literal", "concatenated_string", "number_literal", "char_literal", "true", "false", "null",
    "this", "type_identifier", "primitive_type", "sized_type_specifier", "template_type", "type_descriptor", "template_argument_list",
    "template_function", "sizeof_expression", "alignof_expression", "decltype", "attribute_declaration", "type_qualifier",
    "storage_class_specifier", "placeholder_type_specifier", "access_specifier", "virtual", "template_instantiation", "field_identifier",
    "concept_definition", "template_parameter_list", "requires_clause", "requires_expression", "static_assert_declaration",
    "user_defined_literal", "operator_name", "statement_identifier", "goto_statement", "ms_declspec_modifier", "namespace_identifier",
})  # fmt: skip


class Survey(Declarations):
    """One file's survey: empties the stack, node by node."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.marks: list[Mark] = []
        self.errors: list[tuple[int, int]] = []
        nothing: Callable[[Node, Around], None] = lambda _node, _around: None  # noqa: E731
        self.on: dict[str, Callable[[Node, Around], None]] = {
            **dict.fromkeys(_LEAVES, nothing),
            **self.on_expression,
            **dict.fromkeys(("class_specifier", "struct_specifier", "union_specifier", "enum_specifier"), self.on_class),
            "function_definition": self.on_function,
            "inline_method_definition": self.on_function,
            "field_declaration": self.on_field,
            "declaration": self._declaration,
            "template_declaration": self.on_template,
            "friend_declaration": self.on_friend,
            "alias_declaration": self.on_alias,
            "type_definition": self.on_typedef,
            "using_declaration": self.on_using,
            "namespace_alias_definition": self.on_namespace_alias,
            "namespace_definition": self._namespace,
            "expression_statement": self._expression_statement,
            "return_statement": self._return,
            "co_return_statement": self._return,
            "co_yield_statement": self._return,
            "throw_statement": self._throw,
            "break_statement": self._jump,
            "continue_statement": self._jump,
            "condition_clause": self._condition,
            "do_statement": self._loop,
            "for_statement": self._loop,
            "for_range_loop": self._each,
            "catch_clause": self._catch,
            "lambda_expression": self._lambda,
            "case_statement": self._case,
            "ERROR": self._error,
        }

    def run(self, root: Node) -> None:
        """Read the whole tree."""
        self.push_children(root, Around(Frame("module", -1, "", ""), 0))
        stack, on = self.stack, self.on
        while stack:
            node, around = stack.pop()
            handler = on.get(node.type)
            if handler is not None:
                handler(node, around)
            else:
                if around.value:
                    around = around.alone()
                stack += [(child, around) for child in reversed(node.named_children)]

    # -- declarations -----------------------------------------------------------------------------------------------
    def _namespace(self, node: Node, around: Around) -> None:
        name, frame = node.child_by_field_name("name"), around.frame
        if name is not None:
            full = "::".join(filter(None, [frame.name, self.text(name).replace(" ", "").replace("inline", "")]))
            frame = Frame("module", -1, full, full)
        self.push_children(node.child_by_field_name("body"), Around(frame, 0))

    def _declaration(self, node: Node, around: Around) -> None:
        if around.frame.kind == "function":
            self.local(node, around)
        else:
            self.on_field(node, around)

    def _error(self, node: Node, around: Around) -> None:
        self.errors.append((node.start_point[0] + 1, node.end_point[0] + 1))
        self.push_children(node, around)

    # -- statements -------------------------------------------------------------------------------------------------
    def _expression_statement(self, node: Node, around: Around) -> None:
        around = Around(around.frame, node.end_point[0] + 1, "", "", around.closure)
        for child in reversed(node.named_children):
            if child.type == "call_expression":
                self.call(child, around, "statement")
            elif child.type != "binary_expression" or not self.misread(child, around, "statement"):
                self.push(child, around)

    def _mark(self, kind: str, node: Node, around: Around, text: str = "") -> None:
        line, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.marks.append(Mark(around.frame.index, kind, line, last, text or self.line_text(node)))

    def _return(self, node: Node, around: Around) -> None:
        kind = node.type.removesuffix("_statement")
        if kind != "return" and not around.closure:
            self.coroutines.add(around.frame.index)
        self._mark("yield" if kind == "co_yield" else kind, node, around)
        around = Around(around.frame, node.end_point[0] + 1, "", "", around.closure)
        for child in reversed(node.named_children):
            if child.type == "comment":
                continue
            self.push(child, around)
            if not around.closure:
                name, line = "yield" if kind == "co_yield" else "return", node.start_point[0] + 1
                paths = [self.path(part) for part in self.parts(child)]
                self.binds += [Bind(around.frame.index, name, path, "", line) for path in dict.fromkeys(paths)]

    def _throw(self, node: Node, around: Around) -> None:
        self._mark("throw", node, around)
        self.push_children(node, Around(around.frame, node.end_point[0] + 1, "", "", around.closure))

    def _jump(self, node: Node, around: Around) -> None:
        self._mark(node.type.removesuffix("_statement"), node, around)

    def _condition(self, node: Node, around: Around) -> None:
        value = node.child_by_field_name("value")
        if value is not None and value.type == "declaration":
            text = self.line_text(value)
            self.local(value, Around(around.frame, value.end_point[0] + 1, text, "", around.closure))
        else:
            self.push_test(value, around)
        self.push(node.child_by_field_name("initializer"), around)

    def _loop(self, node: Node, around: Around) -> None:
        condition = node.child_by_field_name("condition")
        around = Around(around.frame, around.last, "", "", around.closure)
        for child in reversed(node.named_children):
            if condition is not None and child.id == condition.id:
                self.push_test(child, around)
            else:
                self.push(child, around)

    def _each(self, node: Node, around: Around) -> None:
        right = node.child_by_field_name("right")
        said = declared(node.child_by_field_name("declarator"))
        type_ = said.typed(self.type_of(node.child_by_field_name("type")))
        path = self.path(right)
        path = "" if path in ("?", "#list") else path + "[*]"
        around = Around(around.frame, node.start_point[0] + 1, "", "", around.closure)
        self.push(node.child_by_field_name("body"), around)
        self.push(right, around)
        self.push(node.child_by_field_name("initializer"), around)
        if said.names:
            self.bind_names(said.names, path, around)
        elif said.name is not None:
            name = self.text(said.name)
            around.frame.locals[name] = "alias" if said.reference or said.pointers or not type_ else "value"
            self.binds.append(Bind(around.frame.index, name, path, type_, said.name.start_point[0] + 1))

    def _catch(self, node: Node, around: Around) -> None:
        body = node.child_by_field_name("body")
        head = self.slice(node.start_byte, body.start_byte if body is not None else node.end_byte)
        self._mark("catch", node, around, " ".join(head.split()))
        self._parameters(node.child_by_field_name("parameters"), around)
        self.push(body, around)

    def _parameters(self, parameters: Node | None, around: Around) -> None:
        line = parameters.start_point[0] + 1 if parameters is not None else 0
        for param in self.params(parameters, around.frame):
            if param.name:
                self.binds.append(Bind(around.frame.index, param.name, param.default, param.annotation, line))

    def _lambda(self, node: Node, around: Around) -> None:
        frame = around.frame
        self.push(node.child_by_field_name("body"), Around(frame, 0, "", "", True))
        declarator = node.child_by_field_name("declarator")
        if declarator is not None:
            self._parameters(declarator.child_by_field_name("parameters"), around)
        captures = node.child_by_field_name("captures")
        for child in captures.named_children if captures is not None else ():
            if child.type == "lambda_capture_initializer":
                left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
                if left is not None and right is not None:
                    name = self.text(left)
                    frame.locals.setdefault(name, "alias")
                    path = self.path(right)
                    if path != name:
                        self.binds.append(Bind(frame.index, name, path, "", left.start_point[0] + 1))
                    self.push(right, around.alone())

    def _case(self, node: Node, around: Around) -> None:
        value = node.child_by_field_name("value")
        for child in reversed(node.named_children):
            if value is None or child.id != value.id:
                self.push(child, around)

    # -- the result -------------------------------------------------------------------------------------------------
    def facts(self, lines: int, includes: tuple[tuple[str, int], ...]) -> FileFacts:
        """All facts, in source order, guesses settled."""
        known = {field.name for field in self.fields if field.where != "enum"}
        accesses = [a for at, a in enumerate(self.accesses) if at not in self.guesses or a.op != "read" or self.guesses[at] in known]
        types = {(field.owner, field.name): field.annotation for field in self.fields}
        calls = self.calls
        gone: set[int] = set()
        for at, owner, name in self.initialised:
            type_ = types.get((owner, name))
            if type_ is not None:
                if self.is_class_like(type_):
                    calls[at] = msgspec.structs.replace(calls[at], callee=type_, how="")
                else:
                    gone.add(at)
        definitions = [
            msgspec.structs.replace(d, flags=(*d.flags, "async")) if at in self.coroutines else d for at, d in enumerate(self.definitions)
        ]
        by_line = attrgetter("line")
        imports = [Import(-1, "", path, "", 0, line) for path, line in includes]
        return FileFacts(
            "cpp", lines, self._problem(),
            imports=tuple(sorted([*imports, *self.imports], key=by_line)),
            definitions=tuple(definitions),
            fields=tuple(self.fields),
            binds=tuple(sorted(self.binds, key=by_line)),
            accesses=tuple(sorted(accesses, key=by_line)),
            calls=tuple(sorted([c for at, c in enumerate(calls) if at not in gone], key=by_line)),
            marks=tuple(sorted(self.marks, key=by_line)),
        )

    def _problem(self) -> str:
        lost = sum(last - line + 1 for line, last in self.errors)
        if lost <= _FEW_LINES:
            return ""
        return f"parsed with {len(self.errors)} errors (first at line {min(self.errors)[0]})"


def survey_cpp(source: bytes) -> FileFacts:
    """All facts of one C, C++ or CUDA file; bad input gives a `problem`, never an exception."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    if len(source) > _LARGEST:
        return FileFacts("cpp", lines, f"too large to survey ({len(source)} bytes)")
    prepared = prepare(source)
    tree = Parser(_LANGUAGE).parse(prepared.code)
    survey = Survey(prepared.code)
    survey.run(tree.root_node)
    return survey.facts(lines, prepared.includes)

