"""The nouns of a walk. Notes are what people wrote; a tour is what one path of one checkout shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tracer.model import EngineRevision, Path, Site, Step
from tracer.rules import Text

PARTS = ("happens", "owner", "protects", "wrong")  # what is said of each step, in this order
Sort = Literal["abort", "timeout", "failure", "early"]
NOTHING = Text()


@dataclass(frozen=True, slots=True)
class Selector:
    """Which steps a note is for: all that is given must fit. Fields of a way-point or a site hold allowed values."""

    waypoint: tuple[tuple[str, tuple[str, ...]], ...] = ()
    site: tuple[tuple[str, tuple[str, ...]], ...] = ()
    edge: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # names or ids

    @property
    def weight(self) -> int:
        """How narrow it is: a way-point says more than a site, a site more than a crossing."""
        rules = 16 * any(name == "rule" for name, _ in self.site)
        fields = 8 * len(self.waypoint) + 4 * len(self.site) + rules + 2 * bool(self.edge)
        return fields + 4 * bool(self.paths) + 3 * bool(self.engine)


@dataclass(frozen=True, slots=True)
class Note:
    """What a person wrote about some steps. `parts`: some of `PARTS`, or `crossing`; `claims` must hold for it."""

    id: str
    at: tuple[Selector, ...]
    parts: Mapping[str, Text]
    ask: Text = NOTHING
    say: Text = NOTHING
    questions: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Beat:
    """A part of the five-minute story: what to say for so many seconds, and the steps that it is about."""

    id: str
    seconds: int
    title: Text
    say: Text
    at: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file in a row: `lines[0]` is line `start`."""

    start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WayOut:
    """A way out of a step's function beside the happy path. `verdict`, `by`: of a pair that is held there, if any."""

    line: int
    kind: str  # return · raise · throw · except …
    sort: Sort
    when: str  # the condition that leads there, as written
    verdict: str = ""
    rule: str = ""
    by: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """A step's code: the pieces shown, where the function lies, which lines are marked and why, and its ways out."""

    first: int
    last: int
    pieces: tuple[Piece, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()  # line, def · site · on · out
    ways_out: tuple[WayOut, ...] = ()
    guards: tuple[str, ...] = ()  # of the line that leads on


@dataclass(frozen=True, slots=True)
class Said:
    """One part of a step. `basis`: note, sites (generated), since (as at an earlier step); `note`: its id."""

    text: Text
    basis: Literal["note", "sites", "since"]
    note: str = ""
    since: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """A claim that touches a step: its text, its verdict, and the lines of this function that it rests on."""

    id: str
    text: Text
    verdict: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """A row of the failure matrix that belongs to a step, and what the engine does about it."""

    id: str
    title: Text
    engine: str
    kind: str
    parts: tuple[tuple[str, Text, str], ...]  # detects · memory · request …, the sentence, its verdict


@dataclass(frozen=True, slots=True)
class Held:
    """What a pair says of a step's function: how many exits release, hand over, miss."""

    rule: str
    does: str
    released: int
    handed_over: int
    missing: tuple[int, ...]  # lines


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of a tour, ready to be shown."""

    number: int  # from 1
    step: Step
    waypoint: Text
    parts: Mapping[str, Said]
    crossing: Text
    ask: Text
    say: Text
    code: Code
    permalink: str = ""
    sites: tuple[Site, ...] = ()
    questions: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    proofs: tuple[Proof, ...] = ()
    held: tuple[Held, ...] = ()
    seconds: int = 0  # of the five-minute story
    beats: tuple[str, ...] = ()  # that begin here


@dataclass(frozen=True, slots=True)
class Tour:
    """A whole walk. `questions`: those that its steps answer, with what they ask."""

    path: Path
    name: str
    title: Text
    engines: tuple[EngineRevision, ...]
    stops: tuple[Stop, ...]
    beats: tuple[Beat, ...]
    questions: Mapping[str, Text]
