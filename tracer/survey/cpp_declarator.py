"""Declarators of C++: takes a declarator node, tells the name in it and what it adds to the type.

`T *const (&x)[4]`, `void (*f)(int)`, `auto [a, b]`, `operator bool() const` and what error recovery leaves of others.
Knows only nodes: no texts, no scopes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tracer.survey.cpp_text import first

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = frozenset({
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name",
    "operator_cast", "template_function", "template_method", "namespace_identifier",
})  # fmt: skip
_POINTERS = frozenset({"pointer_declarator", "abstract_pointer_declarator", "pointer_type_declarator"})
_REFERENCES = frozenset({"reference_declarator", "abstract_reference_declarator"})
_ARRAYS = frozenset({"array_declarator", "abstract_array_declarator"})
_WRAPPERS = frozenset({
    "parenthesized_declarator", "attributed_declarator", "abstract_parenthesized_declarator", "variadic_declarator",
})  # fmt: skip


class Declared(NamedTuple):
    """What a declarator says: the name, and pointers and the like around it."""

    name: Node | None
    pointers: int = 0
    reference: bool = False
    array: bool = False
    variadic: bool = False
    function: Node | None = None  # the function declarator, if it declares a function
    callback: bool = False  # a pointer to a function
    names: tuple[Node, ...] = ()  # of a structured binding

    def typed(self, type_: str) -> str:
        """The type's text with what the declarator adds."""
        if not type_ or not (self.pointers or self.array or self.callback):
            return type_
        return type_ + "*" * self.pointers + "[]" * self.array + "(*)()" * self.callback


def declared(node: Node | None) -> Declared:
    """Unwrap a declarator."""
    if node is not None and node.type == "init_declarator":
        node = node.child(0)
    if node is not None and node.type in ("identifier", "field_identifier"):
        return Declared(node)
    pointers, reference, array, variadic, callback = 0, False, False, False, False
    function: Node | None = None
    names: tuple[Node, ...] = ()
    for _ in range(40):
        if node is None:
            break
        kind = node.type
        inner = node.child_by_field_name("declarator")
        if kind in _POINTERS:
            pointers += function is None
        elif kind in _REFERENCES:
            reference = reference or function is None
            inner = node.named_children[-1] if node.named_child_count else None
        elif kind in _ARRAYS:
            array = array or function is None
        elif kind == "function_declarator":
            if inner is not None and inner.type == "parenthesized_declarator" and not _is_name(first(inner)):
                callback = True
            else:
                function = node
        elif kind in _WRAPPERS:
            variadic = variadic or kind == "variadic_declarator"
            inner = first(node)
        elif kind == "structured_binding_declarator":
            names, node = tuple(c for c in node.named_children if c.type == "identifier"), None
            break
        elif kind == "qualified_identifier":
            last = last_name(node)
            if last.type != "pointer_type_declarator":
                break
            inner = last  # `SPECIFIER ns::T* f()` reads like a pointer to a member
        elif kind not in ("init_declarator", "abstract_function_declarator"):
            break
        node = inner
    if node is not None and node.type not in _NAMES:
        node = None  # what error recovery made of something else
    return Declared(node, 0 if callback else pointers, reference, array, variadic, function, callback, names)


def _is_name(node: Node | None) -> bool:
    return node is not None and node.type in _NAMES


def last_name(node: Node) -> Node:
    """The last part of a qualified name."""
    while node.type == "qualified_identifier":
        inner = node.child_by_field_name("name")
        if inner is None:
            break
        node = inner
    return node


def initial_values(node: Node) -> dict[int, Node]:
    """Declarator (by id) → its initial value; fields of a class have the two side by side."""
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
