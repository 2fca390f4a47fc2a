"""External containers: what their methods give and what they hold. Tables and small functions on `Type`, no world."""

from __future__ import annotations

from tracer.graph.annotations import CPP_MAPS, DICTS, LISTS, TUPLES, Type, Types_, merge

_SAME = frozenset(
    {"copy", "get", "lock", "value", "load", "release", "deepcopy", "union", "difference", "intersection", "result"}
)
_CONTAINERS = LISTS | DICTS | TUPLES

MADE = {  # methods of library objects whose result has a type of another name
    "zmq.Context.socket": "zmq.Socket",
    "zmq.Context.instance.socket": "zmq.Socket",
    "zmq.asyncio.Context.socket": "zmq.asyncio.Socket",
    "zmq.asyncio.Context.instance.socket": "zmq.asyncio.Socket",
}


def last_name(t: Type) -> str:
    """The last part of an external type's name."""
    return str(t.ref).rsplit(".", 1)[-1]


def only_callable(types: Types_) -> bool:
    """Whether no more is known than that it can be called."""
    return all(t.kind == "ext" and last_name(t) == "Callable" for t in types)


def unfilled(t: Type) -> bool:
    """Whether `t` is a container of which no element is known."""
    return t.kind == "ext" and not t.args and last_name(t) in _CONTAINERS


def method_result(t: Type, name: str) -> Types_:
    """Results of methods of external containers and smart pointers; () where the ordinary way applies."""
    if t.kind != "ext":
        return ()
    last = last_name(t)
    if last in DICTS:
        key, value = (*t.args, (), ())[:2]
        if name in ("get", "pop", "setdefault", "at", "move_to_end", "operator[]"):
            return value
        if name == "values":
            return (Type("ext", "list", (value,)),)
        if name == "keys":
            return (Type("ext", "list", (key,)),)
        if name == "items":
            return (Type("ext", "list", ((Type("ext", "tuple", (key, value)),),)),)
        if name == "popitem":
            return (Type("ext", "tuple", (key, value)),)
        if name in ("find", "begin", "end", "emplace", "try_emplace", "insert", "lower_bound", "extract"):
            return (Type("ext", "pair", (key, value)),)
        if name in ("copy", "most_common"):
            return (t,)
    if last in LISTS:
        element = t.args[0] if t.args else ()
        if name in (
            "pop",
            "popleft",
            "get",
            "get_nowait",
            "front",
            "back",
            "at",
            "top",
            "find",
            "begin",
            "end",
            "rbegin",
            "emplace_back",
            "__next__",
        ):
            return element
        if name in ("copy", "union", "difference", "intersection"):
            return (t,)
    if last in ("factory", "iterator"):
        return t.args[0] if name in ("get", "value") and t.args else ()
    return (t,) if name in _SAME and last in ("Future", "Task") else ()


def element(t: Type, suffix: str) -> Types_:
    """`t[...]` or an element by iteration (`[*]`) of an external container."""
    last = last_name(t)
    if last in TUPLES:
        if suffix[1:-1].isdigit() and int(suffix[1:-1]) < len(t.args):
            return t.args[int(suffix[1:-1])]
        return merge(*t.args)
    if last in DICTS:
        key, value = (*t.args, (), ())[:2]
        if suffix != "[*]":
            return value
        return (Type("ext", "pair", (key, value)),) if last in CPP_MAPS else key
    if last in LISTS:
        return t.args[0] if t.args else ()
    return ()
