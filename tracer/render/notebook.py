"""A document as the HTML that a notebook shows: plain tables and lists, everything escaped, nothing loaded.

Takes a document of the machine-readable contract; gives one `<div>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from tracer.render.grouping import lines_text, local_symbol, short_symbol, version_text

MOST = 200  # rows; the rest is counted
_CELL = "text-align:left;vertical-align:top"


def html(document: Mapping[str, Any]) -> str:
    """The answer as a heading, a table or lists, and its gaps."""
    command = str(document["schema"]).partition("/")[0].removeprefix("tracer.")
    engines = ", ".join(f"{e['name']} {version_text(e['version'])}" for e in document["engines"])
    body = "".join(_BODIES.get(command, _table)(document))
    gaps = [f"{g.get('rule') or g.get('what')}: {g['why']}" for g in document.get("gaps", ())]
    told = f"<p>Gaps:</p><ul>{''.join(f'<li>{escape(g)}</li>' for g in gaps)}</ul>" if gaps else ""
    return f"<div><p><b>{escape(command)}</b> · {escape(engines)}</p>{body}{told}</div>"


def _table(document: Mapping[str, Any]) -> Iterator[str]:
    """Whatever list of places the document has."""
    lists = ("sites", "functions", "changes", "carriers", "steps")
    items: Sequence[Mapping[str, Any]] = next((document[k] for k in lists if k in document), ())
    yield _rows(("place", "symbol", "what", "why"), [_row(item) for item in items[:MOST]])
    yield from _more(items)


def _row(item: Mapping[str, Any]) -> tuple[str, ...]:
    end = item.get("after") or item.get("before") or item
    what = [str(item[k]) for k in ("role", "action", "layer", "op", "kind", "verdict", "basis") if item.get(k)]
    missing = sum(1 for e in item.get("exits", ()) if e["verdict"] == "missing")
    what += [f"{missing} of {len(item['exits'])} exits miss a release"] if missing else []
    why = next((item[k] for k in ("why", "detail", "rule", "id", "name") if item.get(k)), "")
    symbol = local_symbol(end.get("symbol", ""), end.get("file", ""))
    return _place(end), _code(symbol), escape(" · ".join(what)), escape(why)


def _paths(document: Mapping[str, Any]) -> Iterator[str]:
    for path in document["paths"]:
        yield f"<p>{escape(path['title'])}</p><ol>"
        yield from (f"<li>{_step(step)}</li>" for step in path["steps"])
        yield f"</ol><p>end: {escape(path['end'])}</p>"


def _step(step: Mapping[str, Any]) -> str:
    by = f"{step['edge']} [{step['basis']}] at {step['from_file']}:{step['from_line']} → " if step["edge"] else ""
    mark = f" <i>{escape(step['waypoint'])}</i>" if step.get("waypoint") else ""
    engine = f" ({escape(step['engine'])})" if step["engine"] else ""
    return f"{escape(by)}{_code(short_symbol(step['symbol']))} {_place(step)}{engine}{mark}"


def _answers(document: Mapping[str, Any]) -> Iterator[str]:
    for a in document["answers"]:
        yield f"<p><b>{escape(a['question'])}</b> {escape(a['title']['en'])}</p><p>{escape(a['text']['en'])}</p>"
        yield _claim_rows(a["claims"])


def _claims(document: Mapping[str, Any]) -> Iterator[str]:
    yield _claim_rows(document["claims"][:MOST])
    yield from _more(document["claims"])


def _claim_rows(claims: Sequence[Mapping[str, Any]]) -> str:
    rows = [(escape(c["id"]), escape(c["verdict"]), "<br>".join(map(_place, c["evidence"]))) for c in claims]
    return _rows(("claim", "verdict", "evidence"), rows)


def _faults(document: Mapping[str, Any]) -> Iterator[str]:
    for fault in document["faults"]:
        yield f"<p><b>{escape(fault['fault'])}</b> {escape(fault['title']['en'])}</p>"
        for cell in fault["cells"]:
            said = [f"<li>{escape(p['part'])}: {escape(p['text']['en'])} ({escape(p['verdict'])})</li>"
                    for p in cell["parts"]]  # fmt: skip
            yield f"<p>{escape(cell['engine'])}: {escape(cell['kind'] or 'nothing is written')}</p>"
            yield f"<ul>{''.join(said)}</ul>" if said else ""


def _timeline(document: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for line in document["lines"][:MOST]:
        stops = [f"{escape(version_text(s['version']))}: {_place(s)} {escape(', '.join(s['kinds']))}".rstrip()
                 for s in line["stops"]]  # fmt: skip
        what = " · ".join(filter(None, (line["role"], line["action"], line["layer"])))
        symbol = line["stops"][-1]["symbol"] if line["stops"] else ""
        rows.append((escape(what), _code(short_symbol(symbol)), "<br>".join(stops)))
    yield _rows(("what", "symbol", "versions"), rows)
    yield from _more(document["lines"])


def _walk(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"<p>{escape(document['title']['en'])}</p><ol>"
    for stop in document["stops"]:
        told = " ".join(escape(f"{name}: {said['en']}") + "<br>" for name, said in stop["parts"].items() if said["en"])
        yield f"<li>{_code(short_symbol(stop['symbol']))} {_place(stop)}<br>{told}</li>"
    yield f"</ol><p>end: {escape(document['end'])}</p>"


def _budget(document: Mapping[str, Any]) -> Iterator[str]:
    columns = ("name", "formula", "shown")
    yield _rows(("figure", "formula", "value"), [[escape(line[c]) for c in columns] for line in document["lines"]])


def _more(items: Sequence[Any]) -> Iterator[str]:
    if len(items) > MOST:
        yield f"<p>… {len(items) - MOST} more</p>"


_BODIES = {
    "path": _paths, "answer": _answers, "claims": _claims, "faults": _faults, "timeline": _timeline, "walk": _walk,
    "budget": _budget,
}  # fmt: skip


def _place(end: Mapping[str, Any]) -> str:
    if not end.get("file"):
        return ""
    first = end.get("first") or end.get("line") or end.get("def_line") or 0
    text = escape(f"{end['file']}:{lines_text(first, end.get('last') or first)}")
    address = str(end.get("permalink") or "")
    return f'<a href="{escape(address)}">{text}</a>' if address.startswith("https://") else text


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th style="{_CELL}">{escape(c)}</th>' for c in columns)
    body = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
