"""Access paths of Python expressions as text (grammar in `facts.py`): joining, alternatives, and paths without a walk.

A path in flight may hold alternatives (`a or b`), joined by SEP; whoever emits a fact emits one for each.
Refuses to know what a path means and emits no facts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

SEP = "\x1f"  # no source text in a path can hold it
COPIES = frozenset({"list", "sorted", "tuple", "set", "frozenset", "reversed", "iter"})  # of the argument's elements
_MOST_ALTERNATIVES = 6
_LONGEST_KEY = 40


def alternatives(path: str) -> list[str]:
    """The path's alternatives, usually just itself."""
    return path.split(SEP) if SEP in path else [path]


def suffixed(path: str, suffix: str) -> str:
    """The path, or each of its alternatives, with a suffix."""
    if SEP in path:
        return SEP.join([part + suffix for part in path.split(SEP)])
    return path + suffix


def best(path: str) -> str:
    """The alternative that says most: the first that is not a literal."""
    if SEP not in path:
        return path
    parts = path.split(SEP)
    return next((part for part in parts if part[:1] not in "#?"), parts[0])


def either(paths: Iterable[str]) -> str:
    """Several paths as one with alternatives."""
    parts = dict.fromkeys(part for path in paths for part in path.split(SEP))
    return SEP.join(list(parts)[:_MOST_ALTERNATIVES])


def without_subscripts(path: str, count: int) -> str:
    """The path, or each alternative, without its last `count` subscripts."""
    for _ in range(count):
        path = SEP.join([part[: part.rindex("[")] if part.endswith("]") else part for part in path.split(SEP)])
    return path


def index_suffix(index: Any) -> str:
    """The suffix of a subscript: by constant, by anything; a slice has the type of the whole, so it adds nothing."""
    kind = index.__class__
    if kind is ast.Slice:
        return ""
    if kind is ast.UnaryOp and index.op.__class__ is ast.USub and index.operand.__class__ is ast.Constant:
        return f"[-{index.operand.value}]" if index.operand.value.__class__ is int else "[]"
    if kind is not ast.Constant:
        return "[]"
    key = index.value
    if key.__class__ is int:
        return f"[{key}]"
    if key.__class__ is str and len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable():
        return "[]" if "'" in key or "[" in key or "]" in key else f"['{key}']"
    return "[]"


def plain(node: Any) -> str:
    """The path of a name, attribute, subscript or call without emitting facts; "" for anything else."""
    kind = node.__class__
    if kind is ast.Name:
        name: str = node.id
        return name
    if kind is ast.Attribute:
        inner = plain(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    if kind is ast.Subscript:
        inner = plain(node.value)
        return inner + index_suffix(node.slice) if inner else ""
    if kind is ast.Call:
        inner = plain(node.func)
        return inner + "()" if inner else ""
    return plain(node.value) if kind is ast.Await else ""


def copied(node: Any) -> Any:
    """The expression that `list(x)`, `sorted(x)`, … copies the elements of; None for any other expression."""
    if node.__class__ is ast.Call and node.func.__class__ is ast.Name and node.func.id in COPIES and node.args:
        return node.args[0]
    return None
