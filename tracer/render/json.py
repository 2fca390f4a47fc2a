"""Traces, uses and verdicts as the documents of the machine-readable contract; the same input gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tracer.evidence import Verdict, counts
from tracer.model import EngineRevision, Gap, Site, Trace, Use
from tracer.render.grouping import settings, site_key

if TYPE_CHECKING:
    from tracer.rules import Rule


def dumps(document: dict[str, Any] | list[Any]) -> str:
    """The text of a document: UTF-8 kept, one space of indent, one line end."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def head(command: str, engines: Iterable[EngineRevision]) -> dict[str, Any]:
    """The common head: which schema, about which engines at which revisions."""
    return {"schema": f"tracer.{command}/1", "engines": [_engine(e) for e in engines]}


def _engine(engine: EngineRevision) -> dict[str, Any]:
    revision = engine.revision
    found = {"kind": revision.kind, "commit": revision.commit, "digest": revision.digest}
    if revision.tag:
        found["tag"] = revision.tag
    return {"name": engine.name, "version": engine.version, "revision": found}


def where(traces: Sequence[Trace], *, command: str = "where") -> dict[str, Any]:
    """Sites and gaps; every site says which engine it is of, because one document may hold several."""
    return head(command, (e for t in traces for e in t.engines)) | {
        "sites": [_site(site, trace.engines[0]) for trace in traces for site in sorted(trace.sites, key=site_key)],
        "gaps": [_gap(gap, trace.engines[0] if trace.engines else None) for trace in traces for gap in trace.gaps],
    }


def _site(site: Site, engine: EngineRevision) -> dict[str, Any]:
    found: dict[str, Any] = {
        "rule": site.rule,
        "role": site.role,
        "action": site.action,
        "layer": site.layer,
        "symbol": site.symbol,
        "file": site.file,
        "def_line": site.def_line,
        "first": site.first,
        "last": site.last,
        "guards": list(site.guards),
        "basis": site.basis,
        "digest": site.digest,
        "permalink": site.permalink,
        "engine": engine.name,
        "version": engine.version,
    }
    more: dict[str, Any] = {"settings": list(settings(site.guards))}
    more |= {"stack": site.stack, "context": site.context, "via": list(site.via), "why": site.why}
    return found | {key: value for key, value in more.items() if value}


def _gap(gap: Gap, engine: EngineRevision | None) -> dict[str, Any]:
    found = {"rule": gap.what, "why": gap.why}
    return found | {"engine": engine.name, "version": engine.version} if engine else found


def uses(engine: EngineRevision, found: Iterable[Use], gaps: Iterable[Gap]) -> dict[str, Any]:
    """Every place that uses a state."""
    return head("uses", [engine]) | {
        "sites": [
            {
                "symbol": use.symbol,
                "file": use.file,
                "line": use.line,
                "op": use.op,
                "text_digest": use.text_digest,
                "basis": use.basis,
            }
            for use in found
        ],
        "gaps": [_gap(gap, None) for gap in gaps],
    }


def rules(found: Iterable[Rule]) -> dict[str, Any]:
    """What the rules say."""
    rows = [
        {
            "id": r.id,
            "engine": r.engine,
            "role": r.role,
            "layer": r.layer,
            "actions": [a for a, _ in r.actions],
            "versions": r.versions,
            "file": r.file,
            "why": {"en": r.why.en, "zh": r.why.zh},
        }
        for r in found
    ]
    return {"schema": "tracer.rules/1", "engines": [], "rules": rows}


def verify(engines: Any, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The verdict on each piece of evidence; `engines` is taken over from the document that was verified."""
    return {"schema": "tracer.verify/1", "engines": engines} | {
        "counts": counts(verdicts),
        "evidence": [
            {
                "engine": v.claim.engine,
                "version": v.claim.version,
                "symbol": v.claim.symbol,
                "file": v.claim.file,
                "first": v.claim.first,
                "last": v.claim.last,
                "verdict": v.status,
                **({"now": {"first": v.now[0], "last": v.now[1]}} if v.status == "moved" else {}),
                **({"why": v.why} if v.why else {}),
            }
            for v in verdicts
        ],
    }
