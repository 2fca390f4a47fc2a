"""Type texts → types: Python annotations and C++ type spellings, resolved where they stand.

`Type` is all that resolution knows of a value: an instance of a class in the world, a class, a function, a module,
or something external by dotted name, with the element types of containers as arguments.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable
from typing import NamedTuple

from tracer.graph.world import Sym


class Type(NamedTuple):
    """kind: obj (instance) · cls (the class itself) · fn · mod · ext (external instance) · extc (external name)."""

    kind: str
    ref: Sym | str
    args: tuple[tuple[Type, ...], ...] = ()  # unions of the type arguments, outermost container first


Types_ = tuple[Type, ...]
Lookup = Callable[[str], Types_]  # a name in an annotation → the types of its instances

# External containers by how their elements are reached. Spelt as the last part of the external name.
LISTS = frozenset(
    {
        "list",
        "set",
        "frozenset",
        "deque",
        "List",
        "Set",
        "FrozenSet",
        "Deque",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "Generator",
        "sorted",  # what `sorted(x)` and `reversed(x)` give is named after them
        "reversed",
        "AsyncIterator",
        "AsyncIterable",
        "AsyncGenerator",
        "Collection",
        "AbstractSet",
        "MutableSet",
        "Queue",
        "SimpleQueue",
        "PriorityQueue",
        "LifoQueue",
        "JoinableQueue",
        "KeysView",
        "ValuesView",
        "SortedList",
        "generator",
        "vector",
        "unordered_set",
        "queue",
        "span",
        "array",
        "stack",
        "priority_queue",
        "initializer_list",
        "multiset",
    }
)
DICTS = frozenset(
    {
        "dict",
        "defaultdict",
        "OrderedDict",
        "Dict",
        "DefaultDict",
        "Mapping",
        "MutableMapping",
        "Counter",
        "WeakValueDictionary",
        "ItemsView",
        "map",
        "unordered_map",
        "multimap",
        "unordered_multimap",
        "flat_map",
        "flat_hash_map",
        "robin_map",
        "LRUCache",
        "TTLCache",
    }
)
CPP_MAPS = frozenset(
    {"map", "unordered_map", "multimap", "unordered_multimap", "flat_map", "flat_hash_map", "robin_map"}
)
TUPLES = frozenset({"tuple", "Tuple", "pair"})
TRANSPARENT = frozenset(
    {
        "Optional",
        "Union",
        "Final",
        "ClassVar",
        "Annotated",
        "Required",
        "NotRequired",
        "ReadOnly",
        "InitVar",
        "Awaitable",
        "Coroutine",
        "shared_ptr",
        "unique_ptr",
        "weak_ptr",
        "optional",
        "reference_wrapper",
        "expected",
        "Ref",
        "ref",
        "ReferenceType",
        "Lazy",
        "ContextManager",
        "AbstractContextManager",
        "AsyncContextManager",
        "enable_shared_from_this",
        "result",
        "ErrorOr",
        "StatusOr",
    }
)


def merge(*unions: Types_) -> Types_:
    """One union, first seen first, at most 16 alternatives (more is as good as unknown)."""
    said = [u for u in unions if u]
    if len(said) < 2:
        if not said:
            return ()
        if len(said[0]) == 1:
            return said[0]
    return tuple(dict.fromkeys([t for u in said for t in u]))[:16]


def python_annotation(text: str, lookup: Lookup) -> Types_:
    """The types that a Python annotation allows; () where it says nothing usable."""
    node = _parsed(text)
    return _python(node, lookup, 0) if node is not None else ()


@functools.lru_cache(maxsize=1 << 15)
def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip().strip("\"'"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python(node: ast.expr, lookup: Lookup, depth: int) -> Types_:
    if depth > 12:
        return ()
    if isinstance(node, ast.Constant):
        return python_annotation(node.value, lookup) if isinstance(node.value, str) else ()
    if isinstance(node, ast.BinOp):
        return merge(_python(node.left, lookup, depth + 1), _python(node.right, lookup, depth + 1))
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = _dotted(node)
        return lookup(name) if name else ()
    if not isinstance(node, ast.Subscript):
        return ()
    name = _dotted(node.value)
    last = name.rsplit(".", 1)[-1]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if last in ("Annotated", "Final", "ClassVar", "Optional", "Required", "NotRequired", "InitVar"):
        return _python(inner[0], lookup, depth + 1)
    if last == "Coroutine":
        return _python(inner[-1], lookup, depth + 1)
    if last == "Literal":
        return (Type("ext", "str"),)
    if last in TRANSPARENT:
        return merge(*(_python(i, lookup, depth + 1) for i in inner))
    if last in ("type", "Type"):
        return tuple(Type("cls", t.ref) for t in _python(inner[0], lookup, depth + 1) if t.kind == "obj")
    if last == "Callable":
        return (Type("ext", "Callable", (_python(inner[-1], lookup, depth + 1),)),)
    args = tuple(
        _python(i, lookup, depth + 1) for i in inner if not (isinstance(i, ast.Constant) and i.value is Ellipsis)
    )
    return tuple(t._replace(args=args) if not t.args else t for t in lookup(name))


def _dotted(node: ast.expr) -> str:
    bits: list[str] = []
    while isinstance(node, ast.Attribute):
        bits.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(bits)]) if isinstance(node, ast.Name) else ""


_NOISE = re.compile(
    r"\b(const|volatile|mutable|static|constexpr|inline|typename|struct|class|enum|virtual|explicit|extern|thread_local|register)\b|&&?|\*|\.\.\."
)


def cpp_type(text: str, lookup: Lookup, depth: int = 0) -> Types_:
    """The types that a C++ type spelling names; pointers, references and smart pointers are seen through."""
    name, args = _cpp_split(text)
    if not name or name == "auto" or depth > 12:
        return ()
    last = name.rsplit("::", 1)[-1]
    if last in TRANSPARENT and args:
        return cpp_type(args[0], lookup, depth + 1)
    if last in ("atomic", "atomic_ref") and args:
        return merge((Type("ext", "std.atomic"),), cpp_type(args[0], lookup, depth + 1))
    if last == "function":
        return (Type("ext", "std.function"),)
    inner = tuple(cpp_type(a, lookup, depth + 1) for a in args)
    if name.startswith("std::") or last in LISTS or last in DICTS:
        found = () if name.startswith("std::") else lookup(name)
        return found or (Type("ext", name.replace("::", "."), inner),)
    return tuple(t._replace(args=inner) if inner and not t.args else t for t in lookup(name))


@functools.lru_cache(maxsize=1 << 15)
def _cpp_split(text: str) -> tuple[str, tuple[str, ...]]:
    """`const std::vector<T>&` → ("std::vector", ("T",))."""
    text = " ".join(_NOISE.sub(" ", text).split()) if "<" not in text else text
    at = text.find("<")
    if at < 0:
        words = text.split("(")[0].split()
        return (
            words[-1] if words and words[0] not in ("unsigned", "signed", "long", "short") else "".join(words[:1])
        ), ()
    head = " ".join(_NOISE.sub(" ", text[:at]).split())
    depth, start, args = 0, at + 1, []
    for i in range(at, len(text)):
        ch = text[i]
        if ch in "<({[":
            depth += 1
        elif ch in ")}]" or (ch == ">" and text[i - 1] != "-"):
            depth -= 1
            if depth == 0:
                args.append(text[start:i])
                tail = text[i + 1 :].strip()
                if tail.startswith("::") and re.match(r"::(value_type|iterator|const_iterator|mapped_type)", tail):
                    return head, tuple(a.strip() for a in args)
                break
        elif ch == "," and depth == 1:
            args.append(text[start:i])
            start = i + 1
    return (head.split()[-1] if head else ""), tuple(a.strip() for a in args if a.strip())
