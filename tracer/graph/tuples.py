"""What stands at each place of a tuple that is written out: `return sock, lock`, `self.running[key] = (node, slots)`.

A fact keeps a tuple's text but not the paths of its parts; the text of a short one is whole, and is read again here.
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
    if "," not in text:
        return ()
    try:
        node = ast.parse(text if text[:1] == "(" else f"({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # cut off, or too much
        return ()
    if not isinstance(node, ast.Tuple) or len(node.elts) > MOST or any(isinstance(e, ast.Starred) for e in node.elts):
        return ()
    return tuple(plain(e) for e in node.elts)
