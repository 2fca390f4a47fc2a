"""Rules on the annotated examples beside them: does each rule find what its example marks, and nothing else?

An example is one invented file, `<rules file's stem>.py` or `.cpp`. A comment at a line's end, or on the line above,
says what the rules of that file must find there: `expect: ACTION`, `expect: RULE ACTION` (RULE a tail of the id), or
`expect: nothing`. Outcomes: matched, missed, noisy (found, not marked), wrong-action, silent (rightly nothing).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tracer import catalog
from tracer.graph.world import World
from tracer.model import ACTIONS, Revision, Site, SourceFile, digest_of
from tracer.roles import Roles
from tracer.rules import OTHERS, Cue, Rule, load_file
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import Target

_EXPECT = re.compile(r"(?:#|//)\s*expect:\s*(.+?)\s*(?:\*/)?$")
_ACTIONS = frozenset(a for actions in ACTIONS.values() for a in actions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the rules of one file did on one example: how many marks matched, and each problem in a line."""

    rules: str
    example: str
    counts: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]


class _OneFile:
    """A source tree of one file, held in memory."""

    engine, version = "example", "0"

    def __init__(self, name: str, source: bytes) -> None:
        self.name, self.source = name, source
        self.revision = Revision("folder", digest_of(source))

    def files(self) -> Sequence[SourceFile]:
        return (SourceFile(self.name, len(self.source), digest_of(self.source)),)

    def read(self, path: str) -> bytes:
        assert path == self.name
        return self.source


def run(extra: Sequence[Path] = ()) -> list[Outcome]:
    """Every shipped (and extra) rules file against its examples, sorted; a file without an example is a problem."""
    out = []
    for root in (catalog.shipped("rules"), *extra):
        for file in sorted(root.glob("*/*.yaml")):
            if file.parent.name in OTHERS:
                continue
            where = file.relative_to(root).as_posix()
            examples = [file.with_suffix(s) for s in (".py", ".cpp") if file.with_suffix(s).exists()]
            rules = load_file(file, root)
            out += [check(rules, example, where) for example in examples]
            if not examples and rules:
                out.append(
                    Outcome(where, "", (), ("no example beside it — write one with positive and look-alike lines",))
                )
    return out


def check(rules: Sequence[Rule], example: Path, where: str) -> Outcome:
    """Run `rules` on one example file."""
    source = example.read_bytes()
    tree = _OneFile("example" + example.suffix, source)
    world = World([(survey(tree, Store(Path(":memory:"))), Target("example", "example", "", ("",)))])
    sites = [s for found in Roles(world).apply(_anywhere(r) for r in rules) for s in found.sites]
    return _compare(sites, list(_marks(source.decode("utf-8"))), where, example.name)


def _anywhere(rule: Rule) -> Rule:
    """The rule without its file patterns: an example stands in no engine's folder."""
    return replace(
        rule, files=(), not_files=(), actions=tuple((a, tuple(_cue(c) for c in cues)) for a, cues in rule.actions)
    )


def _cue(cue: Cue) -> Cue:
    def inner(cues: tuple[Cue, ...]) -> tuple[Cue, ...]:
        return tuple(_cue(c) for c in cues)

    files = ("example.*",) if cue.files or cue.matcher == "mark" else ()
    return replace(
        cue,
        files=files,
        not_files=(),
        lift_in=(),
        lift_via=(),
        with_=inner(cue.with_),
        without=inner(cue.without),
        after=inner(cue.after),
        before=inner(cue.before),
    )


def _marks(text: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """(line, [(rule tail, action)]) for each marked line; `nothing` gives none, a comma separates several."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = _EXPECT.search(line)
        if not found:
            continue
        alone = line.strip().startswith(("#", "//"))
        at = number
        if alone:
            at += 1
            while at <= len(lines) and lines[at - 1].strip().startswith(("#", "//", "@")):
                at += 1
        wanted = []
        for part in found[1].split(","):
            words = part.split("(")[0].split()
            if not words or words[0] == "nothing":
                continue
            wanted.append((words[0], words[1]) if len(words) > 1 and words[1] in _ACTIONS else ("", words[0]))
        yield at, wanted


def _compare(
    sites: Sequence[Site], marks: Sequence[tuple[int, list[tuple[str, str]]]], rules: str, example: str
) -> Outcome:
    counts: Counter[str] = Counter()
    problems = []
    explained: set[tuple[str, str, int]] = set()
    for line, wanted in marks:
        here = [s for s in sites if s.first <= line <= s.last]
        for tail, action in wanted:
            named = [s for s in here if not tail or s.rule.endswith(tail)]
            hits = [s for s in named if s.action == action]
            outcome = "matched" if hits else "wrong-action" if named else "missed"
            explained |= {(s.rule, s.action, s.first) for s in hits}
            counts[outcome] += 1
            if not hits:
                got = ", ".join(sorted({f"{s.rule} {s.action}" for s in named or here})) or "nothing"
                problems.append(f"{example}:{line}: {outcome} {tail} {action} (found {got})".replace("  ", " "))
        if not wanted and not here:
            counts["silent"] += 1
    marked = {(line, action) for line, wanted in marks for _, action in wanted}
    for s in sites:
        overlapping = any(
            (line, s.action) in marked for line in range(s.first, s.last + 1)
        )  # another rule's mark: one answer
        if not overlapping and (s.rule, s.action, s.first) not in explained:
            explained.add((s.rule, s.action, s.first))
            counts["noisy"] += 1
            problems.append(f"{example}:{s.first}: noisy {s.rule} {s.action} (not marked)")
    if not counts["matched"]:
        problems.append(f"{example}: marks no line that a rule finds")
    return Outcome(rules, example, tuple(sorted(counts.items())), tuple(problems))
