"""Evidence: re-read it, excerpt it, link to it.

Takes a source tree and the lines that a statement rests on; makes excerpts, web links to the very revision, and
verdicts on what saved answers cite (`cited.py` finds that). It knows nothing of rules and roles: only lines, digests
and symbols count here.
"""

from __future__ import annotations

import bisect
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tracer.cited import Claim, Trees, claims_of
from tracer.errors import SourceUnavailableError
from tracer.files import Files, ReadFile
from tracer.model import Revision, SourceTree, digest_lines, lines_of
from tracer.targets import Target
from tracer.visible import visible

_CUT = 100  # characters that a line has at least which is cut
Status = Literal["ok", "moved", "stale", "unread"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a file: `lines[0]` is line `start`; `first`..`last` are the decisive ones."""

    file: str
    start: int
    lines: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What re-reading a claim showed: ok, moved (to `now`), stale, or unread (no source); `why` is for the last two."""

    claim: Claim
    status: Status
    now: tuple[int, int] = (0, 0)
    why: str = ""


def excerpt(tree: SourceTree, file: str, first: int, last: int, context: int = 3) -> Excerpt:
    """Lines `first`..`last` of `file` with up to `context` lines around them."""
    lines = lines_of(tree.read(file))
    if not 1 <= first <= last <= len(lines):
        raise SourceUnavailableError(
            f"there are no lines {first}-{last}",
            where=f"{tree.engine}@{tree.version}: {file}",
            todo="run the question again",
        )
    start = max(1, first - context)
    return Excerpt(file, start, tuple(lines[start - 1 : last + context]), first, last)


def permalink(target: Target, revision: Revision, file: str, first: int, last: int) -> str:
    """Web address of the lines at the commit, else at the tag; "" where the revision has neither (a folder)."""
    ref, repository = revision.commit or revision.tag, revision.url or target.url
    if not (ref and repository):
        return ""
    anchor = f"#L{first}" if first == last else f"#L{first}-L{last}"
    base = repository.removesuffix("/").removesuffix(".git")
    return f"{base}/blob/{urllib.parse.quote(ref)}/{urllib.parse.quote(file)}{anchor}"


def verify(document: Mapping[str, Any], open_tree: Trees) -> list[Verdict]:
    """Re-read every piece of evidence of a saved JSON document; `open_tree(engine, version)` gives the sources.

    Raises `UsageError` if the document is not one that Tracer writes. Where there is no source, claims stay unread.
    """
    return judged(claims_of(document), Files(open_tree))


def judged(claims: Iterable[Claim], before: Files, now: Files | None = None) -> list[Verdict]:
    """Re-read claims in the files of `before`; with `now`, in those instead.

    A claim without digest is then about the lines that the source it was made from has, if that can still be had; what
    was not so there is stale. Lines that are in a file several times slid as the evidence nearest to them did.
    """
    files, verdicts, doubtful = now or before, [], []  # type: tuple[Files, list[Verdict], list[tuple[int, ReadFile]]]
    slides: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for each in claims:
        claim = _as_it_was(each, before) if now is not None else each
        if isinstance(claim, Verdict):
            verdicts.append(claim)
            continue
        file = files.get(claim)
        if not isinstance(file, ReadFile):
            verdicts.append(Verdict(claim, "unread" if files.closed(claim) else "stale", why=file))
            continue
        verdict = judge(claim, file)
        verdicts.append(verdict)
        if not (claim.digest or claim.quoted):
            continue
        if verdict.status == "ok" or (verdict.now[0] and (claim.quoted or len(_places(claim, file)) == 1)):
            slides.setdefault(_of(claim), []).append((claim.first, verdict.now[0] - claim.first))
        else:
            doubtful.append((len(verdicts) - 1, file))
    for known in slides.values():
        known.sort()
    for at, file in doubtful:
        claim = verdicts[at].claim
        if known := slides.get(_of(claim), []):
            n = bisect.bisect(known, (claim.first, 0))
            verdicts[at] = judge(claim, file, [slid for _, slid in known[max(0, n - 1) : n + 1]])
    return verdicts


def _of(claim: Claim) -> tuple[str, str, str]:
    return claim.engine, claim.version, claim.file


def _as_it_was(claim: Claim, before: Files) -> Claim | Verdict:
    """The claim with the digest of its lines in the source that it was made from; a verdict if it was wrong there."""
    was = before.get(claim) if not claim.digest else ""
    if not isinstance(was, ReadFile):
        return claim
    then = judge(claim, was)
    if then.status == "stale":
        return then
    return replace(claim, digest=digest_lines(was.lines, *then.now), quoted=()) if then.status == "ok" else claim


def judge(claim: Claim, file: ReadFile, slid: Sequence[int] = ()) -> Verdict:
    """Compare one claim with its file as it is now: by its digest, else by the symbol that its lines belong to.

    `slid` says by how many lines what is above and below it did, for lines that the file has several times.
    """
    if claim.quoted:
        return _judge_quoted(claim, file, slid)
    if not claim.digest:
        return _judge_definition(claim, file) if claim.definition else _judge_owner(claim, file)
    height = claim.last - claim.first
    if digest_lines(file.lines, claim.first, claim.last) == claim.digest:
        return _judge_standing(claim, file)
    found, inside = file.places_of(claim.digest, height), _places(claim, file)
    if not found:
        return Verdict(claim, "stale", why="these lines are no longer in the file")
    expected = [claim.first + n for n in slid]
    if not inside and not (claim.symbol and file.parses):
        inside = [n for n in found if n in expected]
    if not inside:
        of = f"not in {claim.symbol}" if claim.symbol else "more than once"
        return Verdict(claim, "stale", why=f"these lines are in the file, but {of}")
    nearest = min(inside, key=lambda n: (n not in expected, abs(n - claim.first), n))
    return Verdict(claim, "moved", (nearest, nearest + height))


def _places(claim: Claim, file: ReadFile) -> list[int]:
    """Where the claim's lines begin, as often as its symbol has them."""
    height = claim.last - claim.first
    found, homes = file.places_of(claim.digest, height), file.definitions_of(claim.symbol)
    if len(found) == 1 and (not file.parses or not claim.symbol):
        return found  # where no function can be looked into, a line that is unique will do
    return [n for n in found if any(first <= n and n + height <= last for _, first, last in homes)]


def _judge_standing(claim: Claim, file: ReadFile) -> Verdict:
    """The lines stand where they did; so must the definition that the claim names beside them."""
    here = (claim.first, claim.last)
    at = file.definitions_of(claim.symbol) if claim.def_line else []
    if not claim.def_line or not file.parses or any(line == claim.def_line for line, _, _ in at):
        return Verdict(claim, "ok", here)
    if at:
        return Verdict(claim, "moved", here, why=f"{claim.symbol} is now defined in line {at[0][0]}")
    return Verdict(claim, "stale", why=f"{claim.symbol} is no longer defined in the file")


def _judge_quoted(claim: Claim, file: ReadFile, slid: Sequence[int] = ()) -> Verdict:
    """Lines that were printed: each must read in the file as it was printed."""
    height = len(claim.quoted)

    def stands(first: int) -> bool:
        lines = file.lines[first - 1 : first - 1 + height]
        less = _indent(lines) - _indent(claim.quoted)  # a tour's pages show a method without the indent of its class
        shown = [line[less:] if less > 0 and not line[:less].strip() else line for line in lines]
        return all(map(reads_as, claim.quoted, shown))

    places = [n for n in range(1, len(file.lines) - height + 2) if stands(n)]
    if claim.first in places:
        return Verdict(claim, "ok", (claim.first, claim.last))
    if len(places) > 1:
        places = [n for n in places if n - claim.first in slid]
    if len(places) == 1:
        return Verdict(claim, "moved", (places[0], places[0] + height - 1))
    return Verdict(claim, "stale", why="the lines that are printed are not there")


def _indent(lines: Sequence[str]) -> int:
    """The indent of the first line that has any text."""
    text = next((line for line in lines if line.strip()), "")
    return len(text) - len(text.lstrip())


def reads_as(printed: str, line: str) -> bool:
    """Whether `printed` is what Tracer prints for `line`: hidden characters written out, very long lines cut."""
    shown = visible(line.replace("\t", "    ")).rstrip()
    printed = printed.rstrip()
    if printed in (shown, line.rstrip()):
        return True
    stem = printed.removesuffix("…").rstrip()
    return printed.endswith("…") and len(stem) > _CUT and (shown.startswith(stem) or line.startswith(stem))


def _judge_definition(claim: Claim, file: ReadFile) -> Verdict:
    at = sorted({line for line, _, _ in file.definitions_of(claim.symbol)}, key=lambda n: (abs(n - claim.first), n))
    if claim.first in at:
        return Verdict(claim, "ok", (claim.first, claim.first))
    if at:
        return Verdict(claim, "moved", (at[0], at[0]))
    return Verdict(claim, "stale", why=f"{claim.symbol} is no longer defined in the file")


def _judge_owner(claim: Claim, file: ReadFile) -> Verdict:
    """Lines of which only the place is known: they must be there, and be the symbol's where it is defined here."""
    if claim.last > len(file.lines):
        return Verdict(claim, "stale", why=f"the file has {len(file.lines)} lines")
    homes = file.definitions_of(claim.symbol)
    if homes and not any(first <= claim.first and claim.last <= last for _, first, last in homes):
        return Verdict(claim, "stale", why=f"these lines are not in {claim.symbol}")
    return Verdict(claim, "ok", (claim.first, claim.last))


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many claims are ok, moved, stale, unread."""
    tally = {"ok": 0, "moved": 0, "stale": 0, "unread": 0}
    for verdict in verdicts:
        tally[verdict.status] += 1
    return tally
