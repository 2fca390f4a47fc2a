"""A document → one page of it, with the lines of each place, re-read; and the page in short text.

Takes documents of the machine-readable contract and the trees they speak of. A page is never larger than `MOST_BYTES`:
fewer items are given then, and the page says where to go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tracer.cited import SEAL
from tracer.errors import TracerError
from tracer.model import SourceTree, digest_lines, digest_of, lines_of
from tracer.render.grouping import lines_text, short_symbol

LISTS = (
    "sites", "paths", "functions", "lines", "stops", "steps", "carriers", "changes", "answers", "claims", "faults",
    "evidence", "rows",
)  # fmt: skip
LIMIT = 20  # items of a page that nobody asked to be longer
MOST_ITEMS = 200
MOST_BYTES = 60_000
QUOTED = 6  # lines of one place
WIDTH = 240  # characters of one line
NESTED = 40  # items of a list inside an item

Trees = Callable[[str, str], SourceTree]  # engine, version → its source


def page(document: Mapping[str, Any], trees: Trees, *, offset: int = 0, limit: int = LIMIT) -> dict[str, Any]:
    """The document with `limit` items of its list from `offset` on; `page` says how many there are and what is next."""
    key = next((k for k in LISTS if k in document), "")
    items: Sequence[Any] = document.get(key, ())
    offset, count = max(0, offset), max(1, min(limit, MOST_ITEMS))
    quotes, deep = Quotes(document, trees), NESTED
    head = {k: v for k, v in document.items() if k not in (key, SEAL)}
    for name in [k for k, v in head.items() if isinstance(v, list) and len(v) > NESTED]:
        head |= {name: head[name][:NESTED], f"{name}_left_out": len(head[name]) - NESTED}
    while True:
        shown = [quotes.item(item, deep) for item in items[offset : offset + count]]
        going_on = offset + len(shown)
        told: dict[str, Any] = {"of": key, "total": len(items), "offset": offset, "count": len(shown)}
        told |= {"next_offset": going_on} if going_on < len(items) else {}
        found = head | ({key: shown} if key else {}) | {"page": told}
        if len(json.dumps(found, ensure_ascii=False).encode()) <= MOST_BYTES or (count == 1 and deep == 1):
            return found
        if count == 1:  # one item that is too large by itself: less of the lists in it
            deep = max(1, deep // 2)
        count = max(1, min(count, len(shown)) // 2)


class Quotes:
    """Puts the lines of each place beside it: `lines`, and `checked` where its digest was compared with them."""

    def __init__(self, document: Mapping[str, Any], trees: Trees) -> None:
        self._engines = [(e["name"], e["version"]) for e in document.get("engines") or ()]
        self._trees, self._texts = trees, {}  # type: tuple[Trees, dict[tuple[str, str, str], list[str]]]
        self._deep = NESTED

    def item(self, item: Any, deep: int = NESTED) -> Any:
        """The item with its lines, lists in it cut to `deep` items."""
        self._deep = deep
        return self._any(item, self._engines[-1] if self._engines else ("", ""))

    def _any(self, item: Any, engine: tuple[str, str]) -> Any:
        if isinstance(item, list):
            return [self._any(one, engine) for one in item]
        if not isinstance(item, Mapping):
            return item
        engine = self._engine(item, engine)
        found: dict[str, Any] = {}
        for key, value in item.items():
            inner = self._engines[0] if key == "before" and self._engines else engine
            part = value[: self._deep] if isinstance(value, list) else value
            found[key] = self._any(part, inner)
            if isinstance(value, list) and len(value) > self._deep:
                found[f"{key}_left_out"] = len(value) - self._deep
        return found | self._lines(item, engine)

    def _engine(self, item: Mapping[str, Any], engine: tuple[str, str]) -> tuple[str, str]:
        name, version = item.get("engine"), item.get("version")
        if not isinstance(name, str) or not name:  # a stop of a timeline says only in which version it is
            return (engine[0], version) if isinstance(version, str) and version else engine
        return name, item.get("version") or next((v for n, v in self._engines if n == name), "")

    def _lines(self, item: Mapping[str, Any], engine: tuple[str, str]) -> dict[str, Any]:
        first = item.get("first") or item.get("line") or item.get("def_line")
        if not isinstance(item.get("file"), str) or not item["file"] or not isinstance(first, int):
            return {}
        last = item.get("last") or first
        text = self._text(engine, item["file"])
        shown = text[first - 1 : last][:QUOTED]
        found: dict[str, Any] = {"lines": [cut(s) for s in shown]}
        if last - first >= QUOTED:
            found["lines_left_out"] = last - first + 1 - QUOTED
        if digest := item.get("digest"):
            found["checked"] = digest_lines(text, first, last) == digest
        elif digest := item.get("text_digest"):
            found["checked"] = 0 < first <= len(text) and digest_of(text[first - 1]) == digest
        return found

    def _text(self, engine: tuple[str, str], file: str) -> list[str]:
        key = (*engine, file)
        if key not in self._texts:
            try:
                self._texts[key] = lines_of(self._trees(*engine).read(file))
            except TracerError:
                self._texts[key] = []
        return self._texts[key]


def cut(line: str) -> str:
    """A line, not wider than `WIDTH`."""
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


# -- short text ------------------------------------------------------------------------
def text(found: Mapping[str, Any]) -> str:
    """A line for each item of the page, with what it quotes; then what the page leaves out, and the gaps."""
    told = found["page"]
    engines = ", ".join(f"{e['name']} {e['version']}" for e in found.get("engines") or ())
    lines = [f"{told['count']} of {told['total']} {told['of']}" + (f" in {engines}" if engines else "")]
    for item in found.get(told["of"], ()):
        lines += _item(item, [f"{e['name']} {e['version']}" for e in found.get("engines") or ()])
    if not told["total"] and found.get("judged"):
        lines.append(f"{found['judged']} functions hold it, and each of their exits releases it or hands it over")
    elif not told["total"]:
        lines.append("nothing is found: ask without layer, action, op or glob, or look for the name with op=define")
    if "next_offset" in told:
        lines.append(f"more with offset={told['next_offset']}")
    lines += [f"gap: {g.get('rule') or g.get('what')}: {g['why']}" for g in found.get("gaps", ())[:5]]
    return "\n".join(lines)


def _item(item: Mapping[str, Any], engines: Sequence[str]) -> Iterator[str]:
    if "steps" in item:
        yield f"{item.get('title') or item.get('kind', '')}: {item.get('end', '')}".rstrip(": ")
        for s in item["steps"]:
            by = f"{s['edge']} [{s['basis']}] at {s['from_file']}:{s['from_line']} → " if s["edge"] else ""
            yield f"  {by}{short_symbol(s['symbol'])} ({s['file']}:{s['def_line']})"
        return
    if "text" in item and "claims" in item:  # an answer
        yield f"{item['question']} {item['engine']}: {item['text']['en']}"
        for claim in item["claims"]:
            places = [_place(e) for e in claim["evidence"][:3]]
            said = claim["claim"]
            yield f"  {claim['verdict']}: {said['en'] if isinstance(said, dict) else said}"
            yield f"    {', '.join(filter(None, places))}"
        return
    if "cells" in item:  # a fault
        yield f"{item['fault']}: {item['title']['en']}"
        for cell in item["cells"]:
            yield f"  {cell['engine']} {cell['kind'] or 'nothing is written'}"
            yield from (f"    {p['part']} ({p['verdict']}): {p['text']['en']}" for p in cell["parts"])
        return
    if "stops" in item:  # a line of a timeline
        yield " · ".join(filter(None, (item["role"], item["action"], item["layer"], item.get("ended", ""))))
        for s in item["stops"]:
            about = " ".join((*s["kinds"], s.get("text", "")))
            yield f"  {s['version']}  {_place(s)}  {short_symbol(s['symbol'])}  {about}".rstrip()
        return
    if "parts" in item:  # a stop of a walk
        yield f"{item['number']}. {short_symbol(item['symbol'])} ({_place(item)}) {item['crossing']['en']}".rstrip()
        yield from (f"  {name}: {said['en']}" for name, said in item["parts"].items() if said["en"])
        return
    sides = zip(("before", "after"), engines, strict=False) if "before" in item else ()
    ends = [(f"{engine}: ", item[side]) for side, engine in sides if item[side]] or [("", item)]
    keys = ("what", "kind", "severity", "role", "action", "layer", "op", "verdict", "basis", "detail", "name")
    about = " ".join(str(item[k]) for k in keys if item.get(k))
    for of, end in ends:
        symbol = f"  {short_symbol(end['symbol'])}" if end.get("symbol") else ""
        yield f"{of}{_place(end)}{symbol}  {about}".strip()
        yield from (f"    | {line}" for line in end.get("lines", ())[:2])
    for leaving in item.get("exits", ()):
        if leaving["verdict"] == "missing":
            yield f"    line {leaving['line']}: {leaving['kind']} misses a release (held since line {leaving['since']})"
    for side in ("producers", "consumers"):
        yield from (f"    {side[:-1]} {_place(h)} {h['op']} {short_symbol(h['symbol'])}" for h in item.get(side, ()))
    for entry in item.get("entries", ()):
        yield f"    entry {entry['kind']}: {short_symbol(entry['symbol'])} ({len(entry['steps'])} steps)"


def _place(end: Mapping[str, Any]) -> str:
    first = end.get("first") or end.get("line") or end.get("def_line") or 0
    return f"{end['file']}:{lines_text(first, end.get('last') or first)}" if end.get("file") else ""
