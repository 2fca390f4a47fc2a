"""The nouns of a comparison: what changed, how it is shown on either side, what was seen and left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tracer.model import EngineRevision, Gap

Kind = Literal["removed", "claim", "guard", "path", "added", "renamed", "moved"]
KINDS: tuple[Kind, ...] = ("removed", "claim", "guard", "path", "added", "renamed", "moved")
Severity = Literal["breaking", "behaviour", "place"]
SEVERITIES: tuple[Severity, ...] = ("breaking", "behaviour", "place")


@dataclass(frozen=True, slots=True)
class End:
    """One side of a change: a place in the code, and what is read there (a condition, a value, a verdict)."""

    symbol: str = ""
    file: str = ""
    def_line: int = 0
    first: int = 0
    last: int = 0
    digest: str = ""
    permalink: str = ""
    rule: str = ""
    text: tuple[str, ...] = ()  # conditions, a value, a verdict with its reason


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `what`: site · rule · default · claim · pair; `detail` says more than `kind` does.

    Details of path: statement (the decisive statement reads differently) · statements (others play the role in the same
    function) · inputs (a local that it uses is made from something else) · action (another action of the role) ·
    rule (another rule finds it) · signature.
    """

    what: str
    id: str
    kind: Kind
    severity: Severity
    before: End | None
    after: End | None
    detail: str = ""
    role: str = ""
    action: str = ""
    layer: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two versions compared: their changes, what was left out (how many by reason), and gaps of either side."""

    before: EngineRevision
    after: EngineRevision
    changes: tuple[Change, ...]
    compared: Mapping[str, int] = field(default_factory=dict)
    ignored: Mapping[str, int] = field(default_factory=dict)
    gaps: tuple[tuple[str, Gap], ...] = ()  # ("before" | "after", gap)
