"""Findings as the code-quality report that GitLab shows in a merge request (the Code Climate issue format).

Takes findings; makes a list of issues. What GitLab asks for: a description, a rule's name, a fingerprint that is
unique in the report, a severity of its own words, a path relative to the repository, a first line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tracer.model import digest_of
from tracer.render.findings import Finding

SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def report(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """One issue for each finding that has a place; the same finding has the same fingerprint when its lines move."""
    seen: Counter[tuple[str, ...]] = Counter()
    issues = []
    for f in found:
        if not f.place.file:
            continue
        seen[f.key] += 1
        issues.append(
            {
                "description": f.message,
                "check_name": f.rule,
                "fingerprint": digest_of(chr(0).join((*f.key, str(seen[f.key])))),
                "severity": SEVERITIES[f.level],
                "location": {
                    "path": f.place.file,
                    "lines": {"begin": max(f.place.first, 1), "end": max(f.place.last, f.place.first, 1)},
                },
            }
        )
    return issues
