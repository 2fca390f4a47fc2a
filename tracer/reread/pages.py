"""HTML pages → claims: the places that they name, their links to lines, and every line of code that they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

from tracer.cited import Claim
from tracer.files import Files
from tracer.reread.texts import Row, Side, claims_of_items

_BLOCKS = frozenset(
    ("p", "li", "ul", "ol", "div", "section", "article", "summary", "details", "h1", "h2", "h3", "h4", "tr", "dt", "dd",
     "nav", "header", "footer", "main", "text", "title", "desc", "br", "form", "pre")
)  # fmt: skip
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "rect", "source", "track",
     "wbr", "path", "circle", "line")
)  # fmt: skip
_SILENT = frozenset({"script", "style", "template"})


def claims(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """Every citation on a page."""
    page = _Page()
    page.feed(text)
    page.close()
    page.end_line()
    return claims_of_items(page.items, files, specs)


class _Page(HTMLParser):
    """A page as the lines that a reader sees in English, with rows of code apart."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.items: list[str | Row | Side] = []
        self._text: list[str] = []
        self._open: list[tuple[str, bool, str]] = []  # tag, is silent, the file of its code
        self._row: tuple[int, list[str]] | None = None
        self._shift = ""  # the blanks that a page of a path leaves out before every line of a piece of code
        self._row_depth = 0

    def end_line(self) -> None:
        """What was read since the last block is a line."""
        line = " ".join("".join(self._text).split())
        self._text = []
        if line:
            self.items.append(line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self.end_line()
        if tag in ("td", "th"):
            self._text.append("  ")
        if tag in _VOID:
            return
        _, silent, file = self._open[-1] if self._open else ("", False, "")
        chinese = tag != "html" and has.get("lang", "").startswith("zh")  # says again what English says beside it
        hidden = silent or tag in _SILENT or chinese
        self._open.append((tag, hidden, has.get("data-file") or file))
        if has.get("data-file"):
            self._shift = " " * int(has["data-indent"]) if has.get("data-indent", "").isdecimal() else ""
        classes = has.get("class", "").split()
        if "side" in classes and not hidden:
            self.items.append(Side("after" in classes))
        if "row" in classes and has.get("data-line", "").isdecimal() and not hidden:
            self.end_line()
            self._row, self._row_depth = (int(has["data-line"]), []), len(self._open)
        if not hidden and "/blob/" in has.get("href", "") and "#L" in has["href"]:
            self._text.append(f" {has['href']} ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID or not any(t == tag for t, _, _ in self._open):
            return
        while self._open:
            depth, (ended, _, file) = len(self._open), self._open.pop()
            if self._row and depth == self._row_depth:
                line, parts = self._row
                text = "".join(parts).removesuffix("\n")
                self.items.append(Row(file, line, f"{self._shift}{text}" if text.strip() else text))
                self._row = None
            if ended in _BLOCKS:
                self.end_line()
            if ended == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][1]:
            return
        if self._row:
            self._row[1].append(data)
        elif any(t == "pre" for t, _, _ in self._open):
            for number, part in enumerate(data.split("\n")):
                if number:
                    self.items.append("".join(self._text))
                    self._text = []
                self._text.append(part)
        else:
            self._text.append(data)
