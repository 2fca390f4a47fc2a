"""Container methods by what they do to the state they are called on (DESIGN §7). Shared by both surveys."""

from __future__ import annotations

INSERT = frozenset({
    "add", "append", "appendleft", "update", "setdefault", "put", "put_nowait", "extend", "extendleft", "insert",
    "emplace", "emplace_back", "emplace_front", "try_emplace", "insert_or_assign", "push_back", "push_front", "push",
    "splice", "enqueue",
})
REMOVE = frozenset({
    "pop", "popitem", "popleft", "discard", "remove", "get_nowait", "difference_update", "erase", "pop_back",
    "pop_front", "extract", "dequeue", "remove_if",
})
CLEAR = frozenset({"clear", "swap"})
AUGMENT_UP = frozenset({"fetch_add"})
AUGMENT_DOWN = frozenset({"fetch_sub"})
WRITE = frozenset({"store", "exchange", "compare_exchange_strong", "compare_exchange_weak"})  # C++ atomics only


def op_of_method(name: str, *, cpp: bool) -> str:
    """The access op of calling method `name` on a state, or "" if it says nothing."""
    if name in INSERT:
        return "insert"
    if name in REMOVE:
        return "remove"
    if name in CLEAR:
        return "clear"
    if cpp:
        if name in AUGMENT_UP:
            return "augment+"
        if name in AUGMENT_DOWN:
            return "augment-"
        if name in WRITE:
            return "write"
    return ""
