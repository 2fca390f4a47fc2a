"""What the syntax of one function says before it is run: generator or not, global names, the numbers of lambdas."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

Code = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(slots=True)
class Shape:
    """A function's own body, nested ones left out."""

    generator: bool = False
    declared: dict[str, str] = field(default_factory=dict)  # name → "global" or "nonlocal"


def shape(node: Code) -> Shape:
    """The shape of one function."""
    found = Shape()
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    for part in own(body):
        if isinstance(part, ast.Yield | ast.YieldFrom):
            found.generator = True
        elif isinstance(part, ast.Global):
            found.declared.update(dict.fromkeys(part.names, "global"))
        elif isinstance(part, ast.Nonlocal):
            found.declared.update(dict.fromkeys(part.names, "nonlocal"))
    return found


def own(body: list[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body that belong to no nested function or class."""
    todo = list(reversed(body))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(reversed(list(ast.iter_child_nodes(node))))


def number_lambdas(tree: ast.AST) -> dict[ast.Lambda, int]:
    """Each lambda's place among those of its function, class or module, in the order of the text."""
    numbers: dict[ast.Lambda, int] = {}
    _number(tree, numbers, [0])
    return numbers


def _number(node: ast.AST, numbers: dict[ast.Lambda, int], count: list[int]) -> None:
    todo = [(child, count) for child in reversed(list(ast.iter_child_nodes(node)))]
    while todo:
        child, count = todo.pop()
        inner: list[ast.AST] = []
        outer: list[ast.AST] = []
        scope = count
        if isinstance(child, ast.Lambda):
            count[0] += 1
            numbers[child] = count[0]
            scope, inner, outer = [0], [child.body], [child.args]
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            scope, inner, outer = [0], list(child.body), [*child.decorator_list, child.args]
        elif isinstance(child, ast.ClassDef):
            scope, inner = [0], list(child.body)
            outer = [*child.decorator_list, *child.bases, *child.keywords]
        else:
            todo.extend((c, count) for c in reversed(list(ast.iter_child_nodes(child))))
            continue
        todo.extend((c, scope) for c in reversed(inner))
        todo.extend((c, count) for c in reversed(outer))
