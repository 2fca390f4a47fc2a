"""The nouns of claims: what is claimed, what it selects, how it was judged. Knows nothing of files and worlds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tracer.model import Basis
from tracer.rules import Cue, Rule, Text

Verdict = Literal["holds", "fails", "unknown", "not_applicable"]
VERDICTS: tuple[Verdict, ...] = ("holds", "fails", "unknown", "not_applicable")


@dataclass(frozen=True, slots=True)
class Pick:
    """One alternative of a selector: a cue, the sites of rules, or lines of text. Exactly one of the three is set."""

    cue: Cue | None = None
    rule: str = ""  # a rule's id; with `role` the sites of every rule that fits
    role: str = ""
    action: str = ""
    layer: str = ""
    text: str = ""  # regex, searched in each line
    files: tuple[str, ...] = ()
    not_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selector:
    """Places in the code by what they do: the union of its picks."""

    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class Predicate:
    """One statement that can be checked: its kind, its selectors by part, its plain options, its inner predicates."""

    kind: str
    parts: Mapping[str, Selector] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    inner: tuple[Predicate, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence and the predicate that decides it, for the versions of its range, where `when` finds something."""

    id: str
    text: Text
    predicate: Predicate
    engine: str
    file: str  # where it is written, relative to the questions folder
    versions: str = ""
    when: Selector | None = None

    def applies_to(self, version: str) -> bool:
        """Whether `version` lies in the claim's range; a commit stands behind the release it builds on."""
        return in_range(self.versions, version)


def in_range(versions: str, version: str) -> bool:
    """Whether a pin's name lies in a version range ("": all), as for rules."""
    return Rule("", "", "", (), "", "", versions=versions).applies_to(version)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines that a verdict rests on; `part` says what they are to the claim (what, first, then, by, step …)."""

    part: str
    symbol: str
    file: str
    first: int
    last: int
    digest: str
    basis: Basis
    permalink: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """What was looked for without being found: in words, where, in how many files, how many of them cannot be read."""

    looked_for: str
    where: str
    files: int
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Judged:
    """How a predicate came out. `why`: one line for every verdict but a plain "holds"."""

    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    searches: tuple[Search, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with its verdict on one version."""

    id: str
    text: Text
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    searches: tuple[Search, ...] = ()
    why: str = ""
