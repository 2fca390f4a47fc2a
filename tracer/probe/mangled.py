"""From a mangled C++ name to the symbol that the graph uses: `ns::Class::method`, without parameters and templates."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable

_ABI = "[abi:cxx11]"
_HIDDEN = "(anonymous namespace)::"


def symbols(names: Iterable[str]) -> dict[str, str]:
    """The symbol of each mangled name that has one; plain names (C functions) are left out."""
    wanted = sorted({n for n in names if n.startswith("_Z")})
    return {n: s for n, text in zip(wanted, _demangled(wanted), strict=True) if (s := symbol(text))}


def symbol(text: str) -> str:
    """The symbol of a demangled function: "" for what is no function of a program (guards, tables, thunks).

    A lambda is folded into the function that holds it; anonymous namespaces are left out, as in the graph.
    """
    if " for " in text.split("(", 1)[0] or text.startswith(("non-virtual thunk", "virtual thunk", "decltype")):
        return ""
    plain = _without_templates(text.replace(_ABI, "").replace(_HIDDEN, ""))
    if "{lambda" in plain or "'lambda" in plain:
        plain = plain.split("::{lambda", 1)[0].split("::'lambda", 1)[0]
    head = _before_parameters(plain)
    operator = head.find("operator")
    if operator > 0 and head[operator - 1] == ":":
        return head[:operator].rsplit(" ", 1)[-1] + head[operator:].strip()
    return head.rsplit(" ", 1)[-1].strip()


def _without_templates(text: str) -> str:
    """`text` without what stands in angle brackets; the brackets of operators stay."""
    text = _BRACKETED.sub(lambda m: m[0].replace("<", "\x01").replace(">", "\x02"), text)
    while True:
        shorter = _INNERMOST.sub("", text)
        if shorter == text:
            return text.replace("\x01", "<").replace("\x02", ">")
        text = shorter


_BRACKETED = re.compile(r"operator(?:<=>|->\*|[<>]{1,2}=?|->)|->")
_INNERMOST = re.compile(r"<[^<>]*>")


def _before_parameters(text: str) -> str:
    """Up to the parenthesis that opens the parameters."""
    start = text.find("operator()")
    cut = text.find("(", start + len("operator()")) if start >= 0 else text.find("(")
    return text[:cut] if cut >= 0 else text


def _demangled(names: list[str]) -> list[str]:
    demangle = _library()
    if demangle is not None:
        return [demangle(n) for n in names]
    tool = shutil.which("c++filt")
    if tool is None:
        return names
    run = subprocess.run([tool], input="\n".join(names), text=True, capture_output=True, check=False, timeout=60)
    found = run.stdout.split("\n")[: len(names)]
    return found if len(found) == len(names) else names


@functools.cache
def _library() -> Callable[[str], str] | None:
    """`__cxa_demangle` of the C++ library that is installed."""
    for name in ("libstdc++.so.6", ctypes.util.find_library("stdc++"), ctypes.util.find_library("c++abi")):
        try:
            function = ctypes.CDLL(name).__cxa_demangle if name else None
        except (OSError, AttributeError):
            continue
        if function is not None:
            break
    else:
        return None
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]

    def demangle(name: str) -> str:
        status = ctypes.c_int()
        text = function(name.encode(), None, None, ctypes.byref(status))
        if not text:
            return name
        found = ctypes.string_at(text).decode("utf-8", "replace")
        free(text)
        return found

    return demangle
