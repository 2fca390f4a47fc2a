"""What a display written on the spot holds: `return a, b`, `run[key] = (node, slots)`, `f([r.end for r in reqs])`.

A fact keeps a display's text but not the paths of its parts; the text of a short one is whole, and is read again here.
"""

from __future__ import annotations

import ast
import functools

from tracer.survey.python_path import plain

MOST = 12  # parts; longer tuples are data


@functools.lru_cache(maxsize=1 << 14)
def places(text: str) -> tuple[str, ...]:
    """The access paths at the places of the tuple `text` (or of `return TUPLE`), "" for what is no path; () if none."""
    text = text.strip().removeprefix("return ").strip()
    node = _parsed(f"({text})") if "," in text else None
    if not isinstance(node, ast.Tuple) or len(node.elts) > MOST or any(isinstance(e, ast.Starred) for e in node.elts):
        return ()
    return tuple(plain(e) for e in node.elts)


@functools.lru_cache(maxsize=1 << 12)
def held_by(text: str) -> str:
    """The access path of what the list comprehension `text` is full of; "" if it is none, or no path."""
    node = _parsed(text) if " for " in text else None
    return plain(node.elt) if isinstance(node, ast.ListComp) else ""


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # cut off, or too much
        return None
