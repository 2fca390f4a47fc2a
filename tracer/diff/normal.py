"""Code without its formatting: the same text for the same code, however it is laid out, commented or quoted.

Takes lines of Python or C++ and conditions as `where` prints them. Refuses to know what they mean.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

from tracer.reading.branches import atom, parts_of

_PIECES = r"""(?P<comment>%s)
    |(?P<string>[rRbBuUfFL]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<word>[A-Za-z_]\w*|\d[\w.']*)|(?P<mark>->|::|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%%&|^]=|[^\s\w\\])"""
_PYTHON = re.compile(_PIECES % r"\#[^\n]*", re.VERBOSE | re.DOTALL)
_CPP = re.compile(_PIECES % r"//[^\n]*|/\*.*?\*/", re.VERBOSE | re.DOTALL)
_ROOT = re.compile(r"[a-z_][a-z0-9_]*[a-z0-9]|[a-z]")  # a local: no constant, no type, no C++ member
_AFTER = re.compile(r"(::|[.(\[!~]) ")
_BEFORE = re.compile(r" (::|[.)\],;(\[])")
_WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|::|->|\S")
_LOOP = re.compile(r"(?:for|while|do|async for)\b")
_IF = re.compile(r"(?:if|elif)\b\s*(?:constexpr\b)?")


def tokens(text: str, python: bool) -> list[str]:
    """The tokens of `text` without comments and layout; strings in one kind of quotes, no comma before a closing."""
    out: list[str] = []
    for found in (_PYTHON if python else _CPP).finditer(text):
        piece = found[0]
        if found.lastgroup == "comment":
            continue
        if found.lastgroup == "string" and python:
            piece = _string(piece)
        elif piece == "->" and not python:
            piece = "."  # by pointer or by value is the same step
        if piece in (")", "]", "}") and out and out[-1] == ",":
            out.pop()
        out.append(piece)
    return out


def _string(token: str) -> str:
    try:
        value = ast.literal_eval(token)
    except (ValueError, SyntaxError):
        return token.replace('"', "'")
    return repr(value)


def code(lines: Sequence[str], python: bool) -> str:
    """Lines as one normalised text; of a Python definition its docstring does not count."""
    text = "\n".join(lines)
    if python:
        try:
            tree = ast.parse(textwrap.dedent(text).strip())
        except (SyntaxError, ValueError, RecursionError):
            pass
        else:
            for node in ast.walk(tree):
                _without_docstring(node)
            return ast.unparse(tree)
    return spelt(tokens(text, python))


def spelt(found: Sequence[str]) -> str:
    """Tokens as text, without blanks where code has none."""
    return _BEFORE.sub(r"\1", _AFTER.sub(r"\1", " ".join(found)))


def _without_docstring(node: ast.AST) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            node.body = node.body[1:] or [ast.Pass()]


# -- conditions ------------------------------------------------------------------------------
def conditions(guards: Sequence[str], python: bool) -> dict[str, str]:
    """What must hold, as single conditions: normalised → as written. Loops do not gate.

    `if a: …` and `if not a: return` say the same, and so do `x`, `x is not None` and `len(x) > 0`.
    """
    found: dict[str, str] = {}
    for guard in guards:
        text = " ".join(guard.split())
        if _LOOP.match(text) or text in ("try", "else", "finally"):
            continue
        if head := _IF.match(text):
            found |= _atoms(text[head.end() :].strip(), True, python)
        elif text.startswith("not (") and text.endswith(")"):
            found |= _atoms(text[5:-1].strip(), False, python)
        else:
            found[spelt(tokens(text, python))] = text
    return found


def _atoms(test: str, holds: bool, python: bool) -> dict[str, str]:
    kind, joined = parts_of(test)
    if not kind:
        one = joined[0].strip()
        inner = one.removeprefix("!") if one.startswith("!") and not one.startswith("!=") else one.removeprefix("not ")
        if inner != one:
            return _atoms(inner.strip(), not holds, python)
        what, positive = atom(one)
        return {_said(spelt(tokens(what, python)), positive == holds): one if holds else f"not ({one})"}
    parts = [_atoms(part, holds, python) for part in joined]
    if (kind == "and") == holds:
        return {key: shown for part in parts for key, shown in part.items()}
    key = " or ".join(sorted(k for part in parts for k in part))
    return {f"({key})": " ".join(test.split()) if holds else f"not ({' '.join(test.split())})"}


def _said(text: str, holds: bool) -> str:
    text = text.replace("this.", "")
    return text if holds else f"not {text}"


def reworded(before: str, after: str) -> bool:
    """Whether two normalised texts differ in the names of locals only, each renamed the same way everywhere."""
    a, b = (_WORD.findall(t) for t in (before, after))
    if len(a) != len(b):
        return False
    names: dict[str, str] = {}
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x == y and x not in names:
            if _ROOT.fullmatch(x) and _local(a, i):
                names[x] = y
            continue
        if not (_ROOT.fullmatch(x) and _ROOT.fullmatch(y) and _local(a, i) and _local(b, i)):
            return False
        if names.setdefault(x, y) != y:
            return False
    return len(set(names.values())) == len(names)


def _local(words: Sequence[str], at: int) -> bool:
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    return before not in (".", "::", "->") and after not in ("(", "::") and words[at] not in _KEYWORDS


_KEYWORDS = frozenset(
    {"self", "this", "not", "in", "is", "and", "or", "none", "nullptr", "true", "false", "case", "except", "with"}
)
