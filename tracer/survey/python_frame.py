"""The scope at hand of the Python survey, and what an expression does to a container it is stored in or added to."""

from __future__ import annotations

import ast

from tracer.survey.python_path import plain

_EMPTY = frozenset({
    "dict", "set", "list", "tuple", "frozenset", "deque", "OrderedDict", "Counter", "defaultdict", "bytearray",
    "WeakSet", "WeakKeyDictionary", "WeakValueDictionary", "Queue", "SimpleQueue", "LifoQueue", "PriorityQueue",
})  # fmt: skip
_BOUNDS = frozenset({"maxlen", "maxsize", "ctx"})  # keywords that leave a container empty
_GROWING = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_GROWING_CALLS = frozenset({"list()", "tuple()", "set()", "frozenset()", "sorted()", "dict()"})


class Frame:
    """The scope at hand: the module, a class or a function."""

    __slots__ = (
        "elsewhere", "generator", "initial", "kind", "made", "names", "outer", "owner", "prefix", "scope", "self",
    )  # fmt: skip

    def __init__(self, kind: str, scope: int, prefix: str, outer: Frame | None) -> None:
        self.kind = kind                        # module | class | enum | function
        self.scope = scope
        self.prefix = prefix                    # of the names defined in it, with the last dot
        self.outer = outer
        self.owner = -1                         # the class whose fields `self` holds
        self.self = ""                          # what a method calls its instance
        self.initial = False                    # in __init__ or __post_init__
        self.generator = False
        self.names: dict[str, str] = {}         # local name → last path
        self.made: dict[str, ast.BinOp] = {}    # local name → the sum it holds
        self.elsewhere: dict[str, int] = {}     # names declared global or nonlocal → scope


def is_empty(node: ast.expr) -> bool:
    """Whether the expression makes an empty container."""
    if isinstance(node, ast.List | ast.Tuple):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if not isinstance(node, ast.Call):
        return False
    func = node.func.value if isinstance(node.func, ast.Subscript) else node.func  # dict[str, int]()
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    if name not in _EMPTY or any(keyword.arg not in _BOUNDS for keyword in node.keywords):
        return False
    if name == "defaultdict":
        return len(node.args) <= 1
    return not node.args or (len(node.args) == 1 and is_empty(node.args[0]))


def grows(node: ast.expr) -> bool:
    """Whether adding the expression to something inserts elements."""
    if isinstance(node, ast.BinOp):
        return grows(node.left) or grows(node.right)
    return isinstance(node, _GROWING) or (isinstance(node, ast.Call) and plain(node) in _GROWING_CALLS)
