"""A role's report: one Markdown page and one JSON document per engine, and an index that answers on one page.

Takes traces with the trees that they were made from, and the gaps of engines that could not be had; makes file names
and texts, and writes them. Every line that it prints is re-read first, and the count is printed with it. It fetches
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from tracer import atomic, catalog
from tracer.errors import TracerError
from tracer.evidence import Verdict, counts, excerpt, verify
from tracer.model import Gap, Site, SourceTree, Trace
from tracer.render import json as documents
from tracer.render.excerpt import fenced
from tracer.render.grouping import (
    Answer,
    answers_of,
    folded,
    layers_and_actions,
    lines_text,
    revision_text,
    short_symbol,
    version_text,
)
from tracer.render.markdown import cell, code, link, prose
from tracer.render.text import counts_text

QUESTIONS = {
    "request_state": "Where does request state change",
    "publish": "Where does publish happen",
    "protection": "Where is KV protected from eviction and reuse",
    "completion": "Where is completion signalled and observed",
    "lookup": "Where is cached KV looked up",
    "key": "Where are cache keys derived",
    "load": "Where is KV loaded and restored",
    "reclaim": "Where is memory reclaimed",
    "failure": "Where are failures detected, and what follows",
    "all": "Where is each role played",
}

INDEX = "index.md"
MOST_IN_INDEX = 8  # places of one layer and action; the engine's own page has them all


@dataclass(frozen=True, slots=True)
class Subject:
    """One engine of a report: what was found, and the tree in which it was found."""

    trace: Trace
    tree: SourceTree


@dataclass(frozen=True, slots=True)
class Report:
    """The files of a report by name, and the verdicts on everything that they print."""

    files: Mapping[str, str]
    verdicts: tuple[Verdict, ...]


def make(
    role: str, subjects: Sequence[Subject], gaps: Sequence[Gap] = (), *, form: str = "md", language: str = "en"
) -> Report:
    """The pages and documents of `role`; `gaps` are the engines that could not be had.

    `form` is "md" (a page an engine and an index) or "html" (one page, in both languages, `language` first).
    """
    files: dict[str, str] = {}
    verdicts: list[Verdict] = []
    rows: list[dict[str, Any]] = []
    for subject in subjects:
        engine = subject.trace.engines[0]
        document = documents.where([subject.trace], command="report")
        own = verify(document, lambda _name, _version, tree=subject.tree: tree)  # type: ignore[misc]
        document["verified"] = counts(own)
        version = version_text(engine.version)
        stem = f"{role}-{engine.name}-{version.replace('/', '-')}"
        row = {
            "name": engine.name,
            "version": version,
            "revision": revision_text(engine),
            "page": f"{stem}.md",
            "answers": [_answer(answer, f"{stem}.md") for answer in answers_of(subject.trace)],
            "gaps": subject.trace.gaps,
            "told": folded(subject.trace.gaps),
            "verified": counts_text(document["verified"]),
        }
        files[f"{stem}.json"] = documents.dumps(document)
        if form == "md":
            files[f"{stem}.md"] = _page("engine.md.j2", role, engine=row, sites=_excerpts(subject))
        rows.append(row)
        verdicts.extend(own)
    total = counts_text(counts(verdicts))
    if form == "html":
        from tracer.render.atlas import single

        found = [(s.trace, s.tree) for s in subjects]
        told = [str(row["verified"]) for row in rows]
        files[f"{role}.html"] = single.report(role, found, told, gaps, question=QUESTIONS[role], language=language)
    else:
        files[INDEX] = _page("index.md.j2", role, engines=rows, missing=gaps, verified=total)
    return Report(files, tuple(verdicts))


def write(report: Report, out: Path) -> None:
    """Write the files into `out`, each in one step, the index last: what it leads to is there when it is.

    Reports into one folder at once are written one after the other.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        with atomic.alone(out):
            atomic.clear(out)
            for name in sorted(report.files, key=lambda n: (n == INDEX, n)):
                atomic.write(out / name, report.files[name])
    except OSError as error:
        reason = error.strerror or str(error)
        raise TracerError(f"cannot be written ({reason})", where=str(out), todo="choose another --out") from error


def _answer(answer: Answer, page: str) -> dict[str, Any]:
    layers, actions, cells = layers_and_actions(answer)

    def table(most: int) -> list[tuple[str, list[str]]]:
        return [(layer, [_cell(cells.get((layer, a), ()), most, page) for a in actions]) for layer in layers]

    whole = max(len(sites) for sites in cells.values())
    return {
        "role": answer.role,
        "actions": actions,
        "groups": answer.groups,
        "table": table(whole),
        "summary": table(MOST_IN_INDEX),
    }


def _cell(sites: Sequence[Site], most: int, page: str) -> str:
    places = [link(f"{short_symbol(s.symbol)}:{lines_text(s.first, s.last)}", s.permalink) for s in sites]
    shown = places if len(places) <= most else [*places[:most], f"[and {len(places) - most} more]({page})"]
    return cell("<br>".join(shown)) or "–"


def _excerpts(subject: Subject) -> dict[Site, str]:
    found = {}
    for site in subject.trace.sites:
        try:
            found[site] = fenced(excerpt(subject.tree, site.file, site.first, site.last))
        except TracerError as error:
            found[site] = f"({error})"
    return found


def _page(template: str, role: str, **values: Any) -> str:
    # Markdown, not HTML: what comes from an engine goes through `code`, `cell` or `fenced`, which keep it inside.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(catalog.shipped("reports")),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - see above
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"code": code, "cell": cell, "prose": prose}
    environment.globals |= {"link": link, "lines_text": lines_text}
    question = QUESTIONS[role]
    return environment.get_template(template).render(role=role, question=question, **values)
