"""Python source as text: takes a file's bytes, makes its lines and the text of syntax nodes.

Refuses to know what a node means. Texts are cut to a limit, on one line, without comments.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize

_ANNOTATION = 1000
_SLOW_CODECS = frozenset({"idna", "punycode"})  # their decoders are quadratic: no source file needs them
_CODE_BEFORE_COMMENT = re.compile(r"""((?:[^#'"\\]|\\.|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*)#""")


def decode(source: bytes) -> str:
    """The file's text, line ends as "\\n", no byte order mark; ValueError or SyntaxError if it has no reading."""
    if source.startswith(b"\xef\xbb\xbf"):
        text = source[3:].decode("utf-8")
    elif b"coding" in source[:2000]:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        if encoding in _SLOW_CODECS:
            raise SyntaxError(f"encoding {encoding} is not supported")
        text = source.decode(encoding)
    else:
        text = source.decode("utf-8")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def line_count(text: str) -> int:
    """How many lines the text has; a last line without line end counts."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def literal(value: str, limit: int) -> str:
    """A string constant as one line of encodable text."""
    if len(value) > limit or "\n" in value:
        value = cut(" ".join(value[: 4 * limit].split()), limit)
    if not value.isascii():  # lone surrogates are legal in literals, not in UTF-8
        value = value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


def cut(text: str, limit: int) -> str:
    """The text, shortened to the limit with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


class _Unquote(ast.NodeTransformer):
    """Puts a name in place of each string that is a forward reference."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`Literal["a"]` holds values and the tail of `Annotated[T, …]` holds anything: both stay."""
        name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        if name == "Literal":
            return node
        if name == "Annotated" and isinstance(node.slice, ast.Tuple) and node.slice.elts:
            node.slice.elts[0] = self.visit(node.slice.elts[0])
            return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Arguments of a call are values."""
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """No forward reference, and its parts must stay what they are."""
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A string becomes the name it spells."""
        return ast.Name(literal(node.value, _ANNOTATION), ast.Load()) if isinstance(node.value, str) else node


class Source:
    """The lines of one file, and the text of its nodes."""

    __slots__ = ("lines",)

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def text(self, node: ast.expr | ast.stmt, limit: int) -> str:
        """The node's source text on one line, at most `limit` characters."""
        line, last = node.lineno, node.end_lineno
        if line == last and line <= len(self.lines):
            full = self.lines[line - 1]
            if full.isascii():
                found = full[node.col_offset : node.end_col_offset]
            else:
                found = full.encode()[node.col_offset : node.end_col_offset].decode("utf-8", "replace")
            return found if len(found) <= limit else found[: limit - 1] + "…"
        return self._joined(line, node.col_offset, last or line, node.end_col_offset or 0, limit)

    def between(self, first: ast.expr, last: ast.expr, limit: int) -> str:
        """The text from the start of one node to the end of another."""
        start, end = first.lineno, last.end_lineno or first.lineno
        return self._joined(start, first.col_offset, end, last.end_col_offset or 0, limit)

    def _joined(self, line: int, column: int, last: int, end: int, limit: int) -> str:
        parts: list[str] = []
        length = 0
        for number in range(line, min(last, len(self.lines)) + 1):
            part = self.lines[number - 1]
            if number in (line, last):
                part = part.encode()[column if number == line else 0 : end if number == last else None].decode(
                    "utf-8", "replace"
                )
            if "#" in part and number != last:
                comment = _CODE_BEFORE_COMMENT.match(part)
                part = comment.group(1) if comment else part
            words = " ".join(part.removesuffix("\\").split()) if line != last else part
            if not words:
                continue
            if parts and parts[-1][-1] not in "([{" and words[0] not in ")]}":
                words = " " + words
            elif parts and words[0] in ")]}" and parts[-1].endswith(","):
                parts[-1] = parts[-1][:-1]
            parts.append(words)
            length += len(words)
            if length > limit + 1:
                break
        return cut("".join(parts), limit)

    def annotation(self, node: ast.expr | None) -> str:
        """An annotation's text, forward references without their quotes."""
        if node is None:
            return ""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return " ".join(literal(node.value, _ANNOTATION).split())
            return self.text(node, _ANNOTATION)
        found = self.text(node, _ANNOTATION)
        if '"' in found or "'" in found:
            return cut(" ".join(ast.unparse(_Unquote().visit(node)).split()), _ANNOTATION)
        return found
