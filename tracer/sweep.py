"""One question asked of many releases: a task for each, in parallel, and one that breaks is a gap, not an end.

Takes an engine, versions and a question (a role, claims, pairs); makes one `Outcome` for each version, in their order.
Runs on the cores of this machine, or on a Dask cluster through its executor. Releases share surveys by the digest of a
file's content, because all of them write to one cache.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from tracer.diff.places import Side
from tracer.diff.subject import Subject
from tracer.errors import TracerError, UsageError
from tracer.model import EngineRevision, Gap
from tracer.survey import Progress, language_of, limit_processes
from tracer.targets import Version, target
from tracer.workers import each, pool

RETRIES = 3  # how often a cluster may lose the worker of one task
CONNECT = 10  # seconds to wait for a scheduler


class Question(msgspec.Struct, frozen=True):
    """What is asked of each release: `kind` role, claims or pairs; its names."""

    kind: str
    names: tuple[str, ...]
    shown: str


class Job(msgspec.Struct, frozen=True):
    """One release to be asked; where its source comes from, if not from where the pin says."""

    engine: str
    version: Version
    question: Question
    clone: str = ""
    rules: tuple[str, ...] = ()
    fetch: bool = True


class Verdict(msgspec.Struct, frozen=True):
    """What a claim or a pair says of one function or place."""

    group: tuple[str, str, str]  # claims or pairs, the id, what is done
    symbol: str
    file: str
    first: int
    last: int
    text: str
    wrong: int


class Outcome(msgspec.Struct, frozen=True):
    """The answer of one release: its places, or its verdicts; or why there is none. And what it cost."""

    version: str
    revision: EngineRevision | None = None
    side: Side | None = None
    verdicts: tuple[Verdict, ...] = ()
    gaps: tuple[Gap, ...] = ()
    problem: str = ""
    files: tuple[str, ...] = ()  # digest of each file that a survey reads
    surveyed: int = 0
    seconds: float = 0.0


def run(job: Job) -> bytes:
    """Answer one job, in whatever process; the encoded outcome. What it cannot answer is said in it, never raised."""
    limit_processes(1)  # the others of this sweep have the other cores
    since = time.monotonic()
    try:
        found = _answer(job)
    except TracerError as error:
        found = Outcome(job.version.name, problem=str(error))
    except Exception as error:  # one broken release must not end the sweep
        found = Outcome(job.version.name, problem=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
    return msgspec.msgpack.encode(msgspec.structs.replace(found, seconds=round(time.monotonic() - since, 3)))


def _answer(job: Job) -> Outcome:
    from tracer.checkout import fetch, open_tree
    from tracer.checkout.store import stored

    home, rules = target(job.engine), tuple(Path(r) for r in job.rules)
    if job.clone and stored(home, job.version) is None:
        tree = fetch(home, job.version, origin=job.clone)
    else:
        tree = open_tree((home, job.version), fetch=job.fetch)
    subject = Subject(home, job.version, tree)
    found = _ASK[job.question.kind](subject, job.question, rules)
    files = tuple(sorted({f.digest for f in tree.files() if language_of(f.path)}))
    surveyed = subject.facts.surveyed
    return msgspec.structs.replace(found, revision=subject.revision, files=files, surveyed=surveyed)


def _role(subject: Subject, question: Question, rules: tuple[Path, ...]) -> Outcome:
    _ = subject.facts  # surveyed here, so that what it cost is counted here
    found = subject.where(question.names[0], rules)
    side = subject.side(question.names[0], rules, found)
    return Outcome(subject.version.name, side=side, gaps=tuple(g for g in found.gaps if "/" not in g.what))


def _claims(subject: Subject, question: Question, rules: tuple[Path, ...]) -> Outcome:
    from tracer import questions

    wanted = set(question.names)
    _ = subject.facts
    checked = questions.check_tree(subject.target, subject.version, subject.tree, lambda _: wanted, rules).checked
    out = []
    for name in sorted(checked):
        c = checked[name]
        e = c.evidence[0] if c.evidence else None
        place = (e.symbol, e.file, e.first, e.last) if e else ("", "", 0, 0)
        out.append(Verdict(("claims", name, ""), *place, c.verdict, int(c.verdict == "fails")))
    return Outcome(subject.version.name, verdicts=tuple(out))


def _pairs(subject: Subject, question: Question, rules: tuple[Path, ...]) -> Outcome:
    from tracer.diff.verdicts import holders

    _ = subject.facts
    out = []
    for h in sorted(holders(subject, question.names[0], rules), key=lambda h: (h.rule, h.file, h.def_line, h.does)):
        text = f"{h.missing} of {len(h.exits)} exits miss a release" if h.missing else "released"
        out.append(Verdict(("pairs", h.rule, h.does), h.symbol, h.file, h.def_line, h.def_line, text, h.missing))
    return Outcome(subject.version.name, verdicts=tuple(out))


_ASK: dict[str, Callable[[Subject, Question, tuple[Path, ...]], Outcome]] = {
    "role": _role,
    "claims": _claims,
    "pairs": _pairs,
}


# -- where the tasks run -----------------------------------------------------------------------
def sweep(jobs: Sequence[Job], *, dask: str = "", workers: int = 0, progress: Progress | None = None) -> list[Outcome]:
    """One outcome for each job, in their order, whichever ended first: each job once, none missing."""
    what = f"{jobs[0].engine}: {jobs[0].question.shown}" if jobs else ""
    done: dict[int, Outcome] = {}

    def note(number: int, body: bytes) -> None:
        done[number] = msgspec.msgpack.decode(body, type=Outcome)
        if progress:
            progress(what, len(done), len(jobs))

    if dask:
        with cluster(dask) as executor:
            _gather(executor, jobs, range(len(jobs)), note)
        return [done[n] for n in range(len(jobs))]
    most = min(len(jobs), workers or os.cpu_count() or 1)
    if most <= 1:
        for number, job in enumerate(jobs):
            note(number, run(job))
        limit_processes(0)
        return [done[n] for n in range(len(jobs))]
    with pool(most, "spawn") as executor:
        _gather(executor, jobs, _apart(len(jobs), most), note)
    for number in range(len(jobs)):  # those that were with a process that died: each alone, so that it fails alone
        if number not in done:
            with pool(1, "spawn") as executor:
                _gather(executor, jobs, [number], note)
        if number not in done:
            why = "its process ended: out of memory, or killed — ask for it alone"
            note(number, msgspec.msgpack.encode(Outcome(jobs[number].version.name, problem=why)))
    return [done[n] for n in range(len(jobs))]


def _apart(number: int, workers: int) -> list[int]:
    """The jobs in the order in which they are given out: neighbours share most files, so each worker has a stretch.

    Two that survey neighbouring releases at once would both do what the two have in common.
    """
    stretch = -(-number // workers)
    return [n for first in range(stretch) for n in range(first, number, stretch)]


def _gather(
    executor: Executor, jobs: Sequence[Job], numbers: Sequence[int], note: Callable[[int, bytes], None]
) -> None:
    """Give the jobs out and note what comes back; those whose process died are left out."""
    order = list(numbers)
    for number, body in each(executor, run, [jobs[n] for n in order]):
        note(order[number], body)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The executor of the Dask cluster at `address`; a task whose worker dies is given to another one."""
    try:
        import distributed
    except ImportError as error:
        raise UsageError("distributed is not installed", todo="pip install 'kv-tracer[dask]'") from error
    make: Any = distributed.Client  # untyped
    try:
        client = make(address, timeout=CONNECT)
    except (OSError, ValueError, TimeoutError) as error:
        why = " ".join(str(error).split())[:100]
        todo = "start `dask scheduler`, or give the address that it prints"
        raise UsageError(f"no Dask cluster answers ({why})", where=address, todo=todo) from error
    with client, client.get_executor(retries=RETRIES) as executor:
        yield executor
