"""`diff` as one HTML file: every change with its code before and after, side by side.

Takes a difference and what shows the code of an end. The page needs nothing from elsewhere and runs nothing; whatever
comes from an engine is escaped, and links are web addresses only.
"""

from __future__ import annotations

from typing import Any

import jinja2

from tracer import catalog
from tracer.diff.model import Change, Difference, End
from tracer.render import changes
from tracer.render.excerpt import gutter
from tracer.render.grouping import lines_text, local_symbol


def page(found: Difference, show: changes.Show | None = None) -> str:
    """The whole page; `show` gives the lines around an end, where they can be read."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(catalog.shipped("reports")),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    groups = [
        {
            "title": changes.TITLES[severity],
            "open": severity == "breaking",
            "changes": [_change(c, show) for c in of_it],
        }
        for severity, of_it in changes.grouped(found.changes)
    ]
    return environment.get_template("diff.html.j2").render(
        title=changes.title(found.before, found.after),
        summary=changes.summary(found),
        left_out=changes.left_out(found),
        roles=list(changes.by_role(found.changes)),
        groups=groups,
        gaps=found.gaps,
    )


def _change(c: Change, show: changes.Show | None) -> dict[str, Any]:
    about = " · ".join(p for p in (c.role, c.action, c.layer) if p) or c.what
    told = {"kind": c.kind, "about": about, "detail": c.detail, "id": c.id}
    return told | {"before": _end("before", c.before, show), "after": _end("after", c.after, show)}


def _end(side: str, end: End | None, show: changes.Show | None) -> dict[str, Any] | None:
    if end is None:
        return None
    lines = show(side, end) if show and end.file and end.first else None
    return {
        "place": f"{end.file}:{lines_text(end.first, end.last)}" if end.file else "",
        "link": end.permalink if end.permalink.startswith(("https://", "http://")) else "",
        "symbol": local_symbol(end.symbol, end.file),
        "text": list(changes.cut(end.text)),
        "code": gutter(lines) if lines else "",
    }
