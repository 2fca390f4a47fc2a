"""A role's report as one HTML file: styles and scripts are in it, and its policy allows nothing else.

Takes what `render/report.py` takes; makes the text of a page that can be sent by mail or attached to an issue.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

import tracer
from tracer.model import EngineRevision, Gap, Site, SourceTree, Trace, lines_of
from tracer.render.atlas import code, frame, writer
from tracer.render.atlas.pages.roles import why
from tracer.render.atlas.strings import said
from tracer.render.grouping import answers_of, revision_text, version_text
from tracer.rules import Rule, all_rules


def report(
    role: str,
    subjects: Sequence[tuple[Trace, SourceTree]],
    verified: Sequence[str],
    missing: Sequence[Gap] = (),
    *,
    question: str,
    language: str = "en",
) -> str:
    """The page of `role`; `verified` says of each subject what re-reading its evidence showed."""
    assets = writer.assets()
    css, boot, script = (assets[name].decode() for name in ("atlas.css", "boot.js", "atlas.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(boot)} {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    rules = {r.id: r for r in all_rules()}
    return frame.environment().get_template("report.html.j2").render(
        role=role,
        title=said(f"roles.{role}") if role != "all" else {"en": question, "zh": question},
        policy=policy,
        css=Markup(css),  # noqa: S704 - our own file
        boot=Markup(boot),  # noqa: S704
        script=Markup(script),  # noqa: S704
        language=language,
        language_tag=frame.TAG[language],
        program=tracer.__version__,
        subjects=[_subject(t, tree, v, rules) for (t, tree), v in zip(subjects, verified, strict=True)],
        missing=[{"what": g.what, "why": g.why} for g in missing],
        url=lambda path: path,
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _subject(trace: Trace, tree: SourceTree, verified: str, rules: Mapping[str, Rule]) -> dict[str, Any]:
    engine: EngineRevision = trace.engines[0]
    files: dict[str, list[str]] = {}
    return {
        "name": f"{engine.name} {version_text(engine.version)}",
        "revision": revision_text(engine),
        "verified": verified,
        "gaps": [{"what": g.what, "why": g.why} for g in trace.gaps],
        "answers": [
            {
                "role": answer.role,
                "groups": [
                    {
                        "layer": g.layer,
                        "action": g.action,
                        "rule": g.rule,
                        "why": why(rules.get(g.rule), g.why),
                        "sites": [_site(s, tree, files) for s in g.sites],
                    }
                    for g in answer.groups
                ],
            }
            for answer in answers_of(trace)
        ],
    }


def _site(s: Site, tree: SourceTree, files: dict[str, list[str]]) -> dict[str, Any]:
    if s.file not in files:
        files[s.file] = lines_of(tree.read(s.file))
    lines = files[s.file]
    found = code.blocks(lines, [(s.first, s.last)])
    code.mark(found, {n: [s.role] for n in range(s.first, s.last + 1)})
    return {
        "symbol": s.symbol,
        "file": s.file,
        "first": s.first,
        "last": s.last,
        "link": s.permalink,
        "guards": list(s.guards),
        "context": s.context,
        "blocks": found,
    }

