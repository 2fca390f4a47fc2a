"""C, C++ and CUDA source → facts, with tree-sitter. Takes the bytes of one file; no preprocessor, no other file.

Lambdas belong to the function that holds them. Both branches of `#if` are read (`cpp_prepare.py`). What does not parse
is left out, and said in `problem`. Refuses to resolve anything: that is the graph's work.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import msgspec
import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from tracer.survey.cpp_broken import Broken
from tracer.survey.cpp_expr import TEXT, Around, Frame
from tracer.survey.cpp_members import is_class_like
from tracer.survey.cpp_prepare import prepare
from tracer.survey.facts import Bind, Call, FileFacts, Import, Mark

_LANGUAGE = Language(tree_sitter_cpp.language())
_LARGEST = 8 << 20
_FEW_LINES = 3
_LEAVES = frozenset({
    "comment", "string_literal", "raw_string_literal", "concatenated_string", "number_literal", "char_literal",
    "true", "false", "null", "this", "type_identifier", "primitive_type", "sized_type_specifier", "template_type",
    "type_descriptor", "template_argument_list", "template_function", "sizeof_expression", "alignof_expression",
    "decltype", "attribute_declaration", "type_qualifier", "storage_class_specifier", "placeholder_type_specifier",
    "access_specifier", "template_instantiation", "field_identifier", "concept_definition", "template_parameter_list",
    "requires_clause", "requires_expression", "static_assert_declaration", "user_defined_literal", "operator_name",
    "statement_identifier", "goto_statement", "ms_declspec_modifier", "namespace_identifier",
})  # fmt: skip
_LOCKS = ("std::thread", "std::jthread", "std::unique_lock", "std::lock_guard", "std::shared_lock", "std::scoped_lock")


class Survey(Broken):
    """One file's survey: empties the stack, node by node, and reads statements."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.marks: list[Mark] = []
        self.coroutines: set[int] = set()

    def run(self, root: Node) -> None:
        """Read the whole tree."""
        self.push(root, Around(Frame("module", -1, "", ""), 0))
        stack, on = self.stack, _ON
        while stack:
            node, around = stack.pop()
            handler = on.get(node.type)
            if handler is not None:
                handler(self, node, around)
                continue
            if around.value:
                around = around.alone()
            stack += [(child, around) for child in reversed(node.named_children)]

    # -- statements ---------------------------------------------------------------------------------------------------
    def on_expression_statement(self, node: Node, around: Around) -> None:
        """An expression whose value is not used."""
        around = around.statement(node.end_point[0] + 1)
        for child in reversed(node.named_children):
            kind = child.type
            if kind == "call_expression":
                self.call(child, around, "statement")
            elif kind != "binary_expression" or not self.misread(child, around, "statement"):
                self.stack.append((child, around))

    def _mark(self, kind: str, node: Node, around: Around, text: str) -> None:
        line, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.marks.append(Mark(around.frame.index, kind, line, last, text))

    def on_return(self, node: Node, around: Around) -> None:
        """`return`, `co_return`, `co_yield`: a mark, and a result."""
        kind = node.type.removesuffix("_statement").removeprefix("co_yield") or "yield"
        if kind != "return" and not around.closure:
            self.coroutines.add(around.frame.index)
        self._mark(kind, node, around, self.line_text(node, TEXT))
        closure, scope, line = around.closure, around.frame.index, node.start_point[0] + 1
        around = around.statement(node.end_point[0] + 1)
        for child in reversed(node.named_children):
            if child.type == "comment":
                continue
            self.stack.append((child, around))
            if not closure:  # what a lambda returns is no result of the function
                name = "yield" if kind == "yield" else "return"
                paths = dict.fromkeys([self.path(part) for part in self.alternatives(child)])
                self.binds += [Bind(scope, name, path, "", line) for path in paths]

    def on_throw(self, node: Node, around: Around) -> None:
        """`throw`."""
        self._mark("throw", node, around, self.line_text(node, TEXT))
        self.push_children(node, around.statement(node.end_point[0] + 1))

    def on_jump(self, node: Node, around: Around) -> None:
        """`break`, `continue`."""
        self._mark(node.type.removesuffix("_statement"), node, around, self.line_text(node, TEXT))

    def on_condition(self, node: Node, around: Around) -> None:
        """The condition of `if`, `while`, `switch`, with what it declares."""
        value = node.child_by_field_name("value")
        if value is not None and value.type == "declaration":
            around = around.statement(value.end_point[0] + 1)
            type_ = self.specifier(value.child_by_field_name("type"), around)
            self.local(value, type_, around.tested(self.line_text(value, TEXT)))
        else:
            self.push_test(value, around)
        self.push(node.child_by_field_name("initializer"), around)

    def on_loop(self, node: Node, around: Around) -> None:
        """`for (;;)` and `do … while`: the condition is a test."""
        condition = node.child_by_field_name("condition")
        around = around.statement(around.last)
        for child in reversed(node.named_children):
            if condition is not None and child.id == condition.id:
                self.push_test(child, around)
            else:
                self.stack.append((child, around))

    def on_catch(self, node: Node, around: Around) -> None:
        """`catch (T& e) {…}`."""
        body = node.child_by_field_name("body")
        head = self.slice(node.start_byte, body.start_byte if body is not None else node.end_byte)
        self._mark("catch", node, around, " ".join(head.split())[:TEXT])
        self.bind_params(node.child_by_field_name("parameters"), around)
        self.push(body, around)

    def on_case(self, node: Node, around: Around) -> None:
        """`case X:`; its value is no use of a state."""
        value = node.child_by_field_name("value")
        for child in reversed(node.named_children):
            if value is None or child.id != value.id:
                self.stack.append((child, around))

    # -- the result ---------------------------------------------------------------------------------------------------
    def facts(self, lines: int, includes: tuple[tuple[str, int], ...]) -> FileFacts:
        """All facts, in source order, guesses settled."""
        known = {field.name for field in self.fields if field.where != "enum"}
        guesses = self.guesses
        accesses = [a for at, a in enumerate(self.accesses) if at not in guesses or guesses[at] in known]
        definitions = [
            msgspec.structs.replace(d, flags=(*d.flags, "async")) if at in self.coroutines else d
            for at, d in enumerate(self.definitions)
        ]
        by_line = attrgetter("line")
        imports = [Import(-1, "", path, "", 0, line) for path, line in includes]
        return FileFacts(
            "cpp",
            lines,
            self._problem(),
            imports=tuple(sorted([*imports, *self.imports], key=by_line)),
            definitions=tuple(definitions),
            fields=tuple(self.fields),
            binds=tuple(sorted(self.binds, key=by_line)),
            accesses=tuple(sorted(accesses, key=by_line)),
            calls=tuple(sorted(self._settled_calls(), key=by_line)),
            marks=tuple(sorted(self.marks, key=by_line)),
        )

    def _settled_calls(self) -> list[Call]:
        """Calls of fields' constructors by the field's type, where the file tells it; none for values and enums."""
        types = {(field.owner, field.name): field.annotation for field in self.fields}
        kinds = {d.name.rpartition("::")[2]: d.kind for d in self.definitions if d.kind in ("class", "enum", "alias")}
        gone: set[int] = set()
        for at, owner, name in self.initialised:
            type_ = types.get((owner, name))
            if type_ is None:
                continue
            last = type_.partition("<")[0].rpartition("::")[2]
            standard = type_.startswith("std::") and not type_.startswith(_LOCKS)
            if standard or not is_class_like(type_) or kinds.get(last) in ("enum", "alias"):
                gone.add(at)
            else:
                self.calls[at] = msgspec.structs.replace(self.calls[at], callee=type_, how="")
        return [call for at, call in enumerate(self.calls) if at not in gone]

    def _problem(self) -> str:
        lost = sum(last - line + 1 for line, last in self.errors)
        if lost <= _FEW_LINES:
            return ""
        return f"parsed with {len(self.errors)} errors (first at line {min(self.errors)[0]})"


def _nothing(_survey: Survey, _node: Node, _around: Around) -> None:
    """A leaf says nothing by itself."""


_ON: dict[str, Callable[[Survey, Node, Around], None]] = {  # kind of node → how it is read; of others, the children are
    **dict.fromkeys(_LEAVES, _nothing),
    **dict.fromkeys(("class_specifier", "struct_specifier", "union_specifier", "enum_specifier"), Survey.on_class),
    "ERROR": Survey.on_error,
    "alias_declaration": Survey.on_alias,
    "assignment_expression": Survey.on_assignment,
    "binary_expression": Survey.on_binary,
    "break_statement": Survey.on_jump,
    "call_expression": Survey.call,
    "case_statement": Survey.on_case,
    "catch_clause": Survey.on_catch,
    "co_await_expression": Survey.on_await,
    "co_return_statement": Survey.on_return,
    "co_yield_statement": Survey.on_return,
    "compound_literal_expression": Survey.on_literal,
    "condition_clause": Survey.on_condition,
    "conditional_expression": Survey.on_conditional,
    "continue_statement": Survey.on_jump,
    "declaration": Survey.on_declaration,
    "delete_expression": Survey.on_delete,
    "do_statement": Survey.on_loop,
    "expression_statement": Survey.on_expression_statement,
    "field_declaration": Survey.on_member,
    "field_expression": Survey.on_member_read,
    "for_range_loop": Survey.on_range_loop,
    "for_statement": Survey.on_loop,
    "friend_declaration": Survey.on_friend,
    "function_definition": Survey.on_function,
    "identifier": Survey.on_identifier,
    "initializer_pair": Survey.on_pair,
    "lambda_expression": Survey.on_lambda,
    "namespace_alias_definition": Survey.on_namespace_alias,
    "namespace_definition": Survey.on_namespace,
    "new_expression": Survey.on_new,
    "parenthesized_expression": Survey.on_through,
    "pointer_expression": Survey.on_through,
    "qualified_identifier": Survey.on_qualified,
    "return_statement": Survey.on_return,
    "subscript_expression": Survey.on_subscripted,
    "template_declaration": Survey.on_template,
    "throw_statement": Survey.on_throw,
    "type_definition": Survey.on_typedef,
    "update_expression": Survey.on_update,
    "using_declaration": Survey.on_using,
}


def survey_cpp(source: bytes) -> FileFacts:
    """All facts of one C, C++ or CUDA file; bad input gives a `problem`, never an exception."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    if len(source) > _LARGEST:
        return FileFacts("cpp", lines, f"too large to survey ({len(source)} bytes)")
    prepared = prepare(source)
    survey = Survey(prepared.code)
    survey.run(Parser(_LANGUAGE).parse(prepared.code).root_node)
    return survey.facts(lines, prepared.includes)
