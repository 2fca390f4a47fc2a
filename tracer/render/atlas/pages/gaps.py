"""What was read, what is missing, what is stale: revisions, verdicts of the re-reading, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tracer.evidence import counts
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas, Subject
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.strings import said
from tracer.render.grouping import about_a_file


def pages(atlas: Atlas) -> Iterator[Page]:
    """One page."""
    context = {
        "subjects": [_subject(atlas, s) for s in atlas.subjects],
        "missing": [{"what": g.what, "why": g.why} for g in atlas.missing],
        "unanswered": [*atlas.answers["gaps"], *atlas.faults["gaps"]],
        "unproved": list(_unproved(atlas)),
    }
    yield Page(places.GAPS, "gaps.html.j2", said("nav.gaps"), context)


def nav(_: Atlas) -> Iterable[Nav]:
    """The page."""
    return (Nav("nav.gaps", places.GAPS),)


def entries(_: Atlas) -> Iterator[Entry]:
    """The page."""
    yield Entry("gaps", said("nav.gaps"), places.GAPS)


def tally(atlas: Atlas, subject: Subject) -> dict[str, int]:
    """How many sites of an engine were read again and are as before, moved, stale, unread."""
    return counts(v for (slug, _), v in atlas.verdicts.items() if slug == subject.slug)


def _subject(atlas: Atlas, subject: Subject) -> dict[str, Any]:
    revision = subject.tree.revision
    gaps = [{"what": g.what, "why": g.why} for g in subject.trace.gaps]
    stale = [
        {"symbol": s.symbol, "file": s.file, "first": s.first, "last": s.last, "status": v.status, "why": v.why,
         "path": places.site(subject, s)}
        for (slug, s), v in atlas.verdicts.items()
        if slug == subject.slug and v.status != "ok"
    ]
    return {
        "name": subject.name,
        "slug": subject.slug,
        "kind": revision.kind,
        "commit": revision.commit,
        "tag": revision.tag,
        "url": revision.url or subject.target.url,
        "digest": revision.digest,
        "verified": tally(atlas, subject),
        "stale": stale,
        "rules": [g for g, raw in zip(gaps, subject.trace.gaps, strict=True) if not about_a_file(raw)],
        "files": [g for g, raw in zip(gaps, subject.trace.gaps, strict=True) if about_a_file(raw)],
    }


def _unproved(atlas: Atlas) -> Iterator[dict[str, str]]:
    """Claims behind answers that do not hold, or could not be checked."""
    seen: set[tuple[str, str]] = set()
    for item in (*atlas.answers["answers"], *(c for row in atlas.faults["faults"] for c in row["cells"])):
        for claim in item["claims"]:
            key = (item["engine"] + item["version"], claim["id"])
            if claim["verdict"] in ("fails", "unknown") and key not in seen:
                seen.add(key)
                yield {"id": claim["id"], "verdict": claim["verdict"], "en": claim["claim"], "zh": claim["claim_zh"],
                       "why": claim.get("why", "")}
