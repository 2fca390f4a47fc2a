"""Spellings of C++: takes nodes of tree-sitter's C++ trees, gives texts, type texts and access paths (`facts.py`).

Knows nothing of scopes, and makes no facts. Paths are made along the spine of an expression, without recursion, so that
a chain of a thousand calls is as safe as one.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_TRANSPARENT = frozenset({
    "std::move", "std::forward", "std::ref", "std::cref", "std::as_const", "std::addressof", "move", "forward",
})  # fmt: skip
_CASTS = frozenset({
    "static_cast", "dynamic_cast", "reinterpret_cast", "const_cast", "bit_cast", "static_pointer_cast",
    "dynamic_pointer_cast", "reinterpret_pointer_cast", "const_pointer_cast", "any_cast", "get", "get_if",
})  # fmt: skip
_LITERALS = {
    "number_literal": "#int", "char_literal": "#int", "sizeof_expression": "#int", "alignof_expression": "#int",
    "string_literal": "#str", "raw_string_literal": "#str", "concatenated_string": "#str", "true": "#bool",
    "false": "#bool", "null": "#none", "lambda_expression": "#lambda", "initializer_list": "#list",
}  # fmt: skip
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "<=>", "&&", "||", "and", "or"})
_CHAINED = re.compile(r"def|value\Z|export_values\Z|attr\Z")
_CHAIN_ROOT = re.compile(r"(?:\w+::)*(?:class_|enum_|exception)<")
_TIGHT = re.compile(r" ?(::|[<>(){}\[\],]) ?")
_QUALIFIERS = re.compile(r"\b(?:const|volatile|typename|struct|class|enum|mutable|constexpr)\b ?")
_REFERENCE = re.compile(r" ?&{1,2}(?= ?(?:[,>)]|\Z))")
_LONGEST_TYPE = 1000
_LONGEST_PATH = 300
_DEEPEST = 80  # steps along one spine


@functools.lru_cache(maxsize=1 << 16)
def clean_type(text: str) -> str:
    """A type's text without `const`, references and needless space: `const List<const T &>&` → `List<T>`."""
    text = " ".join(text[:_LONGEST_TYPE].split())
    if " " in text:
        text = _QUALIFIERS.sub("", text)
    return tight(_REFERENCE.sub("", text) if "&" in text else text)


@functools.lru_cache(maxsize=1 << 16)
def tight(text: str) -> str:
    """A name, type or callee on one line: no space around `::` and brackets, `, ` between arguments."""
    if text.isalnum():
        return text
    text = " ".join(text[:_LONGEST_TYPE].split())  # first, because the patterns below are slow on long runs of spaces
    if " " in text or "," in text:
        text = _TIGHT.sub(lambda found: ", " if found[1] == "," else found[1], text)
        text = text.replace(" *", "*").replace("* ", "*")
    return text.removeprefix("::")


def without_templates(name: str) -> str:
    """`A<T>::f<int>` → `A::f`; operators keep their signs."""
    if "<" not in name:
        return name
    head, operator, tail = name.partition("operator")
    out: list[str] = []
    depth = 0
    for ch in head:
        depth += ch == "<"
        if not depth:
            out.append(ch)
        depth -= ch == ">"
    return "".join(out) + operator + tail


class Spelling:
    """Texts and access paths of the nodes of one file."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.source = code.decode("latin-1")  # one character a byte, so that byte offsets index it
        self.binds_python = "class_<" in self.source or "enum_<" in self.source
        self._roots: dict[int, str] = {}  # call of a binding chain → path of the chain's root

    def text(self, node: Node) -> str:
        """The node's text as it stands."""
        raw = self.source[node.start_byte : node.end_byte]
        return raw if raw.isascii() else _decoded(raw)

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        raw = self.source[start:end]
        return raw if raw.isascii() else _decoded(raw)

    def line_text(self, node: Node, limit: int = 160) -> str:
        """The node's text on one line, at most `limit` characters."""
        start, end = node.start_byte, node.end_byte
        raw = self.source[start : end if end - start < 4 * limit else start + 4 * limit]
        if not raw.isascii():
            raw = _decoded(raw)
        if "\n" in raw or "  " in raw:
            raw = " ".join(raw.split())
        return raw[:limit]

    def type_of(self, node: Node | None) -> str:
        """The type that a type node spells; "" for `auto`."""
        if node is None or node.type == "placeholder_type_specifier":
            return ""
        if node.type.endswith("_specifier") and node.type != "sized_type_specifier":  # struct X, enum X
            name = node.child_by_field_name("name")
            return tight(self.text(name)) if name is not None else ""
        return clean_type(self.text(node))

    # -- access paths -----------------------------------------------------------------------------------------------
    def path(self, node: Node | None) -> str:
        """The access path of an expression; `?` where it has none."""
        suffixes: list[str] = []
        root = "?"
        for _ in range(_DEEPEST):
            if node is None:
                break
            kind = node.type
            if kind == "identifier":
                root = self.source[node.start_byte : node.end_byte]
                break
            if kind == "field_expression":
                node, field = pair(node, "argument", "field")
                if field is not None and field.type == "field_identifier":
                    suffixes.append("." + self.source[field.start_byte : field.end_byte])
                else:
                    suffixes.append("." + self.member(field))
            elif kind == "call_expression":
                step = self._call_step(node, suffixes)
                if isinstance(step, str):
                    root = step
                    break
                node = step
            elif kind == "this":
                root = "this"
                break
            elif kind == "subscript_expression":
                node, indices = pair(node, "argument", "indices")
                suffixes.append(self._subscript(indices))
            elif kind in ("pointer_expression", "co_await_expression", "update_expression"):
                node = node.child_by_field_name("argument")
            elif kind == "parenthesized_expression":
                node = first(node)
            elif kind in ("qualified_identifier", "template_function"):
                root = tight(self.text(node))
                break
            elif kind in ("comma_expression", "assignment_expression"):
                node = node.child_by_field_name("right")
            elif kind == "conditional_expression":
                node = node.child_by_field_name("consequence") or node.child_by_field_name("condition")
            else:
                root = self._root(kind, node)
                break
        else:
            root = "?"
        if not suffixes:
            return root if len(root) <= _LONGEST_PATH else "?"
        suffixes.append(root)
        path = "".join(reversed(suffixes))
        return path if len(path) <= _LONGEST_PATH else "?"

    def _root(self, kind: str, node: Node) -> str:
        literal = _LITERALS.get(kind)
        if literal is not None:
            if literal == "#int" and kind == "number_literal":
                text = self.text(node)
                return "#float" if "." in text and not text.startswith("0x") else "#int"
            return literal
        if kind in ("compound_literal_expression", "new_expression"):
            made = self.type_of(node.child_by_field_name("type"))
            return f"{made}()" if made else "?"
        if kind == "cast_expression":
            return f"<{self.type_of(node.child_by_field_name('type'))}>"
        if kind == "binary_expression":
            operator = node.child_by_field_name("operator")
            return "#bool" if operator is not None and operator.type in _TESTS else "?"
        if kind == "unary_expression":
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type in ("!", "not"):
                return "#bool"
            argument = node.child_by_field_name("argument")
            number = argument is not None and argument.type == "number_literal"
            return self._root("number_literal", argument) if argument is not None and number else "?"
        if kind in ("type_descriptor", "type_identifier", "template_type", "primitive_type", "operator_name"):
            return tight(self.text(node))
        return "?"

    def _call_step(self, node: Node, suffixes: list[str]) -> Node | str | None:
        """Go on from a call to its callee: the next node, or the root's text."""
        function = node.child(0)
        if function is None:
            return "?"
        kind = function.type
        if kind == "field_expression":
            root = self.chain_root(node)
            if root:
                suffixes.append("()")
                return root
        elif kind in ("identifier", "qualified_identifier", "template_function", "primitive_type"):
            name = tight(self.text(function))
            base, _, template = name.partition("<")
            if base in _TRANSPARENT:
                return _first_argument(node)
            if template and base.rsplit("::", 1)[-1] in _CASTS:
                wanted = template[:-1]
                if wanted.isdigit():
                    suffixes.append(f"[{wanted}]")
                    return _first_argument(node)
                return f"<{clean_type(wanted)}>"
            suffixes.append("()")
            return _binding(name)
        suffixes.append("()")
        return function

    def chain_root(self, node: Node) -> str:
        """`class_<T>().def` for a `.def(…)` in a chain of such on a binding's class; "" for any other call."""
        if not self.binds_python:
            return ""
        known = self._roots.get(node.id)
        if known is not None:
            return known
        seen: list[tuple[int, str]] = []
        root = ""
        step: Node | None = node
        while step is not None and step.type == "call_expression":
            called = step.child_by_field_name("function")
            if called is None or called.type != "field_expression":
                text = self.text(called) if called is not None else ""
                root = f"{_binding(tight(text))}()" if _CHAIN_ROOT.match(text) else ""
                break
            name = self.member(called.child_by_field_name("field"))
            if not _CHAINED.match(name):
                break
            seen.append((step.id, name))
            step = called.child_by_field_name("argument")
        for call, name in seen:
            self._roots[call] = f"{root}.{name}" if root else ""
        return self._roots.get(node.id, "")

    def member(self, field: Node | None) -> str:
        """The name behind `.` or `->`, without template arguments and qualifiers."""
        if field is None:
            return "?"
        if field.type == "field_identifier":
            return self.text(field)
        return without_templates(tight(self.text(field)).removeprefix("template ")).rsplit("::", 1)[-1]

    def _subscript(self, indices: Node | None) -> str:
        index = first(indices)
        if index is not None and index.type == "number_literal":
            text = self.text(index)
            return f"[{text}]" if text.isdigit() else "[]"
        if index is not None and index.type == "string_literal":
            text = self.text(index)[1:-1]
            return f"['{text}']" if text.replace("_", "").replace("-", "").isalnum() else "[]"
        return "[]"

    def callee(self, function: Node) -> str:
        """The callee's path; template arguments of its last name stay."""
        if function.type == "identifier":
            return self.source[function.start_byte : function.end_byte]
        if function.type != "field_expression":
            return _binding(tight(self.text(function))) if function.type in _NAMES else self.path(function)
        argument, field = pair(function, "argument", "field")
        base = self.path(argument)
        name = self.text(field) if field is not None else "?"
        name = tight(name).removeprefix("template ")
        if field is not None and field.type == "qualified_identifier":
            name = name.rsplit("::", 1)[-1]
        return f"{base}.{name}"

    def alternatives(self, node: Node) -> list[Node]:
        """The alternatives of an expression: both arms of `c ? x : y`, else itself."""
        if node.type not in ("conditional_expression", "parenthesized_expression"):
            return [node]
        found: list[Node] = []
        todo = [node]
        while todo and len(found) < 8:
            step = todo.pop()
            if step.type == "conditional_expression":
                arms = step.child_by_field_name("alternative"), step.child_by_field_name("consequence")
                todo += [arm for arm in arms if arm is not None]
            elif step.type == "parenthesized_expression":
                inner = first(step)
                todo += [inner] if inner is not None else []
            else:
                found.append(step)
        return found


_NAMES = frozenset({
    "identifier", "qualified_identifier", "template_function", "primitive_type", "template_type", "type_identifier",
})  # fmt: skip


def _binding(name: str) -> str:
    """`py::class_<T, Holder>` → `py::class_<T>`: the class alone tells one binding from another."""
    if not _CHAIN_ROOT.match(name):
        return name
    at = name.index("<")
    depth = 0
    for i in range(at, len(name)):
        depth += (name[i] in "<(") - (name[i] in ">)")
        if name[i] == "," and depth == 1:
            return name[:i].rstrip() + ">"
    return name


def _decoded(raw: str) -> str:
    """Text of bytes that were read one character each."""
    return raw.encode("latin-1").decode("utf-8", "replace")


def pair(node: Node, left: str, right: str) -> tuple[Node | None, Node | None]:
    """The first and the last child, which are the fields `left` and `right` unless comments stand between."""
    children = node.children
    if len(children) in (2, 3):  # `a.b`, `a[b]`, `f(x)`, `a == b`; fields by name take three times as long
        return children[0], children[-1]
    return node.child_by_field_name(left), node.child_by_field_name(right)


def triple(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """Left side, operator and right side of a binary expression or an assignment."""
    children = node.children
    if len(children) == 3:
        return children[0], children[1], children[2]
    fields = node.child_by_field_name
    return fields("left"), fields("operator"), fields("right")


def first(node: Node | None) -> Node | None:
    """The first named child that is no comment."""
    if node is not None:
        for child in node.named_children:
            if child.type != "comment":
                return child
    return None


def _first_argument(node: Node) -> Node | None:
    return first(node.child_by_field_name("arguments"))
