"""The drawing of a path: where each box, lane, arrow and exit lies. Takes a tour's document; makes plain figures.

One band a line of control (process, thread, task, device), the steps in it from top to bottom; each band begins a
little further to the right, so that a crossing is seen as one. What leaves the happy path stands beside its step.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 640
PAD, HEADER = 12, 26  # of a band
NODE, LINE = 340, 17  # width of a box, height of its lines
CHIP, CHIPS = 74, 2  # width of an exit, and how many are drawn
STAIR = 24
CALL_GAP, CROSSING_GAP = 28, 44
STARTS = ("thread", "process", "rpc", "async", "device")  # what begins another line of control
PLAIN = ("", "call", "dynamic")
HALF = {12.5: 7.8, 11.0: 6.5, 11.5: 6.8}  # half a character's width at a size of type, wide enough for DejaVu Sans


def drawing(stops: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Bands, boxes and arrows for these steps, and the size of the whole."""
    bands = _bands(stops)
    room = WIDTH - 2 * PAD - NODE - (CHIP + 6) * CHIPS - 34
    stair = min(STAIR, room / max(len(bands) - 1, 1))
    nodes: list[dict[str, Any]] = []
    shown_bands: list[dict[str, Any]] = []
    y = 4.0
    for number, members in enumerate(bands):
        first = stops[members[0]]
        if number:
            y += CROSSING_GAP
        top, y = y, y + HEADER + PAD / 2
        for place, k in enumerate(members):
            if place:
                y += CALL_GAP if stops[k]["edge"] in PLAIN else CROSSING_GAP
            nodes.append(_node(stops[k], PAD + stair * number, y))
            y += nodes[-1]["h"]
        y += PAD
        shown_bands.append(
            {"y": round(top, 1), "h": round(y - top, 1), "engine": first["engine"],
             "edge": first["edge"] if first["edge"] in STARTS else "", "x": PAD}
        )
    arrows = [_arrow(stops[k], nodes[k - 1], nodes[k]) for k in range(1, len(stops))]
    return {"w": WIDTH, "h": round(y + 6), "bands": shown_bands, "nodes": nodes, "arrows": arrows}


def _bands(stops: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    out: list[list[int]] = []
    for k, s in enumerate(stops):
        if not out or s["edge"] in STARTS or s["engine"] != stops[k - 1]["engine"]:
            out.append([])
        out[-1].append(k)
    return out


def _node(s: Mapping[str, Any], x: float, y: float) -> dict[str, Any]:
    owner, _, leaf = s["symbol"].replace("::", ".").rpartition(".")
    kind = owner.rpartition(".")[2]
    file = s["file"].rpartition("/")[2]
    place = f"{file}:{s['def_line']}"
    marked = bool(s["waypoint"]["en"])
    room = NODE - 20
    node = {
        "number": s["number"], "x": round(x, 1), "y": round(y, 1), "w": NODE, "h": 12 + LINE * (3 if marked else 2),
        "engine": s["engine"], "full": s["symbol"], "name": fitted(f"{s['number']}  {leaf}", room, 12.5),
        "place": fitted(f"{kind} · {place}" if kind else place, room, 11.0),
        "waypoint": {lang: fitted(text, room, 11.5) for lang, text in s["waypoint"].items()} if marked else None,
    }  # fmt: skip
    node["outs"], node["more"] = _outs(s, x + NODE, y + node["h"] / 2)
    return node


def _outs(s: Mapping[str, Any], x: float, middle: float) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The exits that are drawn: those that miss a release first, then aborts and time-outs; and how many are not."""
    rank = {"abort": 1, "timeout": 1, "failure": 2, "early": 3}
    every = sorted(s["code"]["ways_out"], key=lambda w: (w["verdict"] != "missing", rank[w["sort"]], w["line"]))
    shown = sorted(every[:CHIPS], key=lambda w: w["line"])
    outs = [
        {"x": round(x + 16 + n * (CHIP + 6), 1), "y": round(middle - 12, 1), "w": CHIP, "line": w["line"],
         "sort": w["sort"], "verdict": w["verdict"], "when": w["when"], "kind": w["kind"]}
        for n, w in enumerate(shown)
    ]
    left = len(every) - len(shown)
    more = {"x": round(x + 16 + CHIPS * (CHIP + 6), 1), "y": round(middle + 4, 1), "count": left} if left else None
    return outs, more


def _arrow(s: Mapping[str, Any], above: Mapping[str, Any], below: Mapping[str, Any]) -> dict[str, Any]:
    x1, y1 = above["x"] + 22, above["y"] + above["h"]
    x2, y2 = below["x"] + 22, below["y"] - 1
    middle = (y1 + y2) / 2 - (6 if x1 != x2 else 0)
    crossing = s["edge"] not in PLAIN
    label = f"{s['from_file'].rpartition('/')[2]}:{s['from_line']}"
    if s["others"]:
        label += f"  +{s['others']}"
    path = f"M{x1:g} {y1:g}V{y2:g}" if x1 == x2 else f"M{x1:g} {y1:g}V{middle:g}H{x2:g}V{y2:g}"
    kind = s["edge"] or "call"
    pill = round(columns(kind) * HALF[11.5] + 14)
    return {
        "kind": kind, "crossing": crossing, "path": path, "x": round(max(x1, x2) + 10, 1), "y": round(middle, 1),
        "pill": pill, "label": fitted(label, WIDTH - max(x1, x2) - pill - 30, 11.0), "to": s["number"],
    }  # fmt: skip


def columns(text: str) -> int:
    """How many half-widths a text takes: two for a Chinese character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def fitted(text: str, room: float, size: float) -> str:
    """`text`, its middle left out where it is wider than `room` at a size of type."""
    most = int(room / HALF[size])
    if columns(text) <= most:
        return text
    head: list[str] = []
    tail: list[str] = []
    left = most - 1
    front, back = list(text), list(reversed(text))
    while left > 0 and (front or back):
        for source, taken in ((front, head), (back, tail)):
            if source and columns(source[0]) <= left:
                taken.append(source.pop(0))
                left -= columns(taken[-1])
            else:
                left = 0
    return "".join(head) + "…" + "".join(reversed(tail))
