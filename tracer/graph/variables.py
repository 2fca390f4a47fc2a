"""Type variables: what a `TypeVar` may stand for, as the text of an annotation."""

from __future__ import annotations

import ast
import functools


@functools.lru_cache(maxsize=1 << 10)
def bound_of(text: str) -> str:
    """The bound of `TypeVar("T", bound=X)`, or the union of its constraints; "" where it stands for anything."""
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith("TypeVar"):
        return ""
    bound = [k.value for k in call.keywords if k.arg == "bound"] or call.args[1:]
    return " | ".join(_plain(b) for b in bound)


def _plain(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
