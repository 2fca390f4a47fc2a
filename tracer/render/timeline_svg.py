"""A timeline as one SVG: a row for each place, a column for each release; colours say what changed there.

Takes a timeline; gives a self-contained picture without scripts, whose text is escaped. Colour is never the only sign:
each cell has its mark and its words as a title.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape

from tracer.render.grouping import local_symbol, version_text
from tracer.render.timelines import title as revisions
from tracer.timeline import Line, Stop, Timeline

CELL, ROW, TEXT, HEAD = 22, 18, 330, 96
FONT = "Helvetica,Arial,Noto Sans CJK SC,sans-serif"
COLOURS = {
    "added": "#15803d", "removed": "#b91c1c", "claim": "#b45309", "guard": "#b45309", "path": "#c2410c",
    "renamed": "#1d4ed8", "moved": "#1d4ed8", "": "#a3a3a3", "wrong": "#b91c1c",
}  # fmt: skip
MARKS = {"added": "+", "claim": "!", "guard": "?", "path": "~", "renamed": "n", "moved": "m", "": "·", "wrong": "✗"}
ORDER = ("wrong", "added", "claim", "guard", "path", "renamed", "moved", "")


def draw(found: Timeline) -> str:
    """The picture as text."""
    versions = [e.version for e in found.engines]
    body = list(_rows(found, versions))
    width = TEXT + CELL * len(versions) + 20
    height = HEAD + ROW * len(body) + 30
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{FONT}" font-size="11" role="img">'
    )
    title = f"{found.engines[0].name} · {found.role}: {len(versions)} releases"
    parts = [
        head,
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(revisions(found))}</desc>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="18" font-size="14" font-weight="bold">{escape(title)}</text>',
        f'<text x="8" y="36" fill="#525252">{escape(_legend(found))}</text>',
        *(_column(n, v) for n, v in enumerate(versions)),
        *(row.replace("@Y", str(HEAD + ROW * n + 12)).replace("@T", str(HEAD + ROW * n)) for n, row in enumerate(body)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _legend(found: Timeline) -> str:
    told = "+ new  ~ done otherwise  ? gated otherwise  n renamed  m moved  · as before"
    return f"{told}  ! other verdict  ✗ wrong" if found.wrong else told


def _column(number: int, version: str) -> str:
    x = TEXT + CELL * number + 12
    return f'<text transform="translate({x},{HEAD - 8}) rotate(-60)">{escape(version_text(version))}</text>'


def _rows(found: Timeline, versions: list[str]) -> Iterator[str]:
    for (role, layer, action), lines in groupby(found.lines, key=lambda n: (n.role, n.layer, n.action)):
        name = " · ".join(p for p in (role, layer, action) if p)
        yield f'<text x="8" y="@Y" font-weight="bold" fill="#0369a1">{escape(name)}</text>'
        for line in lines:
            yield _row(line, versions)


def _row(line: Line, versions: list[str]) -> str:
    last = line.stops[-1]
    name = local_symbol(last.symbol, last.file) or line.action
    short = name if len(name) <= 52 else f"…{name[-51:]}"
    cells = "".join(_cell(s, versions.index(s.version)) for s in line.stops)
    return f'<g><text x="16" y="@Y">{escape(short)}<title>{escape(name)}</title></text>{cells}</g>'


def _cell(s: Stop, column: int) -> str:
    kind = "wrong" if s.wrong else next(k for k in ORDER if k in (*s.kinds, ""))
    x = TEXT + CELL * column
    said = ", ".join((version_text(s.version), *s.kinds, *([s.text] if s.text else []), f"{s.file}:{s.first}"))
    return (
        f'<rect x="{x}" y="@T" width="{CELL - 3}" height="{ROW - 3}" rx="3" fill="{COLOURS[kind]}">'
        f"<title>{escape(said)}</title></rect>"
        f'<text x="{x + 9}" y="@Y" fill="#ffffff" text-anchor="middle" pointer-events="none">{MARKS[kind]}</text>'
    )
