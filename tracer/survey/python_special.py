"""Python calls with a meaning of their own: `getattr`, `cast`, `partial`, `next`, heaps, containers' methods by name.

Each takes the walk, the call and its visited arguments; it may emit facts and makes the path of the result,
"" for the usual one (`callee()`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tracer.survey.facts import Arg
from tracer.survey.ops import op_of_method
from tracer.survey.python_path import best, copied, either, plain

if TYPE_CHECKING:
    from tracer.survey.python_expr import Expressions

_TEXT = 160

Args = tuple[Arg, ...]
Special = Callable[["Expressions", ast.Call, Args], str]


class _Operations(dict[str, str]):
    """Method name → access op, filled as names come."""

    def __missing__(self, name: str) -> str:
        op = self[name] = op_of_method(name, cpp=False)
        return op


OPERATIONS = _Operations()


def _named(args: Args) -> str:
    """The path `x.name` of `getattr(x, "name", …)` and its kin, "" if the name is no constant."""
    if len(args) < 2 or args[1].path != "#str" or args[0].keyword or args[1].keyword or not args[1].text.isidentifier():
        return ""
    return f"{args[0].path}.{args[1].text}"


def _getattr(walk: Expressions, node: ast.Call, args: Args) -> str:
    path = _named(args)
    if path:
        walk.read(path, node.args[1])
    return either((path, args[2].path)) if path and len(args) == 3 else path


def _setattr(walk: Expressions, node: ast.Call, args: Args) -> str:
    path = _named(args)
    if path and len(node.args) == 3:
        walk.set_attribute(path, node.args[0], node.args[1], node.args[2], args[2].path)
    return ""


def _delattr(walk: Expressions, node: ast.Call, args: Args) -> str:
    path = _named(args)
    if path:
        walk.change(path, "remove", node.args[1], "", "")
    return ""


def _cast(walk: Expressions, node: ast.Call, _args: Args) -> str:
    return f"<{walk.source.annotation(node.args[0])}>" if len(node.args) == 2 else ""


def _first(_walk: Expressions, _node: ast.Call, args: Args) -> str:
    """`partial(f, x)` is `f`."""
    return args[0].path if args and not args[0].keyword else ""


def _type(_walk: Expressions, _node: ast.Call, args: Args) -> str:
    return args[0].path + ".__class__" if len(args) == 1 else ""


def _next(_walk: Expressions, node: ast.Call, args: Args) -> str:
    if not node.args:
        return ""
    inner = copied(node.args[0])
    path = args[0].path if inner is None else plain(inner)
    if not path or path[0] in "#?":
        return ""
    return either((path + "[*]", args[1].path)) if len(args) == 2 else path + "[*]"


def _least(walk: Expressions, node: ast.Call, args: Args) -> str:
    """`min(xs, key=…)` is an element of `xs`."""
    return _next(walk, node, args[:1]) if len(node.args) == 1 else ""


def _push(walk: Expressions, node: ast.Call, args: Args) -> str:
    if len(node.args) >= 2:
        walk.change(args[0].path, "insert", node.args[0], best(args[1].path), walk.text(node.args[1], _TEXT))
    return ""


def _pop(walk: Expressions, node: ast.Call, args: Args) -> str:
    if len(node.args) != 1:
        return ""
    walk.change(args[0].path, "remove", node.args[0], "", "")
    return args[0].path + "[*]"


SPECIAL: dict[str, Special] = {
    "getattr": _getattr, "setattr": _setattr, "object.__setattr__": _setattr,
    "delattr": _delattr, "object.__delattr__": _delattr,
    "cast": _cast, "typing.cast": _cast, "partial": _first, "functools.partial": _first,
    "type": _type, "next": _next, "min": _least, "max": _least,
    "heappush": _push, "heapq.heappush": _push, "insort": _push, "bisect.insort": _push,
    "heappop": _pop, "heapq.heappop": _pop,
}  # fmt: skip
