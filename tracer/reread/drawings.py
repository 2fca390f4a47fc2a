"""Drawings of paths (Mermaid, DOT, SVG) → claims: where each box is defined, and the line that each arrow stands for.

A drawing names files without their folders. A box is in the file whose symbol of that name is defined in that line; the
line of an arrow is in the function of the box that it starts from, or of the one that a result comes back to.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tracer.cited import Claim
from tracer.files import Files, ReadFile
from tracer.reread.texts import WORD, Spoken, mentioned, place, places, unnamed

_LABEL = r'"((?:[^"\\]|\\.)*)"'
_MERMAID = (
    re.compile(r'^  subgraph \w+\["(.*)"\]$|^    (n\d+)\["(.*)"\]$', re.MULTILINE),
    re.compile(r'^  (n\d+) [-=.]+>\|"(.*)"\| (n\d+)$', re.MULTILINE),
)
_DOT = (
    re.compile(rf"\t(n\d+) \[label={_LABEL}(?: class=\"?([\w-]+))?"),
    re.compile(rf"\t(n\d+) -> (n\d+) \[label={_LABEL}"),
)
_GROUP = re.compile(r'<g id="\w+" class="(?:node|edge) ?([^"]*)">\s*<title>(.*?)</title>(.*?)</g>', re.DOTALL)
_TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


def is_drawing(text: str) -> bool:
    """Whether this is a path that was drawn."""
    return any(not piece.startswith("<svg") or 'class="node' in piece for piece in _pieces(text))


def _pieces(text: str) -> list[str]:
    """The single drawings in a text: the places of a path are numbered anew in each."""
    for start in (r"^flowchart ", r"^digraph path \{", r"^<svg "):
        begins = [m.start() for m in re.finditer(start, text, re.MULTILINE)]
        if begins:
            return [text[a:b] for a, b in zip(begins, [*begins[1:], len(text)], strict=True)]
    return []


def claims(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """Every citation of drawings of paths; `specs` is what is read where they name no engine."""
    for piece in _pieces(text):
        said = Spoken([*specs.items()])
        for line in html.unescape(piece).split("\n"):
            said.specs += [spec for spec in mentioned(line) if spec not in said.specs]
        if not said.specs:
            raise unnamed()
        yield from _of_piece(piece, said, files)


def _of_piece(piece: str, said: Spoken, files: Files) -> Iterator[Claim]:
    boxes, arrows = _read(piece)
    found: dict[str, Claim] = {}
    for name, label, engine in boxes:
        for file, first, _ in places(label):
            found[name] = _box(label, file, first, engine, said, files)
            yield found[name]
    for start, end, label in arrows:
        for file, first, last in places(label):
            near = [found[n] for n in (start, end) if n in found and found[n].file.rpartition("/")[2] == file]
            inside = [c for c in near if _holds(c, first, files)]
            for claim in (*inside, *near):
                yield replace(claim, first=first, last=last, definition=False)
                break
            else:
                yield place(file, first, last, (), "", said, files)


def _read(piece: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """The boxes (name, label, engine) and the arrows (from, to, label) of a drawing."""
    boxes, arrows, engine = [], [], ""
    if piece.startswith("flowchart"):
        for lane, name, label in _MERMAID[0].findall(piece):
            if name:
                boxes.append((name, html.unescape(label).replace("<br/>", " "), engine))
            else:
                engine = lane.partition(" · ")[0]
        arrows = [(a, b, html.unescape(label)) for a, label, b in _MERMAID[1].findall(piece)]
    elif piece.startswith("digraph"):
        boxes = [(name, _plain(label), of) for name, label, of in _DOT[0].findall(piece)]
        arrows = [(a, b, _plain(label)) for a, b, label in _DOT[1].findall(piece)]
    for of, title, body in _GROUP.findall(piece) if piece.startswith("<svg") else ():
        label = html.unescape(" ".join(_TEXT.findall(body)))
        start, arrow, end = html.unescape(title).partition("->")
        if arrow:
            arrows.append((start, end, label))
        else:
            boxes.append((title, label, of))
    return boxes, arrows


def _plain(label: str) -> str:
    return re.sub(r"\\(.)", r"\1", label).replace("\n", " ")


def _box(label: str, file: str, line: int, of: str, said: Spoken, files: Files) -> Claim:
    """Where a box says that its symbol is defined: in the file of that name where it is, of its engine first."""
    words = WORD.findall(label.partition(f"{file}:{line}")[0])
    for engine, version in sorted(said.specs, key=lambda spec: spec[0] != of):
        for path in files.paths(engine, version, file):
            read = files.read(engine, version, path)
            for symbol in (read.named(word, line) for word in words) if isinstance(read, ReadFile) else ():
                if symbol and line in (at for at, _, _ in read.definitions_of(symbol)):  # type: ignore[union-attr]
                    return Claim(engine, version, symbol, path, line, line, "", definition=True)
    claim = place(file, line, line, words, "", said, files)
    return claim if claim.symbol else replace(claim, symbol=max(words, key=len, default=""), definition=bool(words))


def _holds(claim: Claim, line: int, files: Files) -> bool:
    read = files.get(claim)
    return isinstance(read, ReadFile) and read.has(claim.symbol, line)
