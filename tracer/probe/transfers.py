"""Transfers on a device, as recorded: copy enqueued → event recorded → seen complete → reported → published or reused.

Reads the rows that `recorder/device.py` wrote, marks of the scenario, and functions that the recorder saw. One transfer
is one recording of one event behind a copy on the same stream. The verdict on each:

- confirmed: all stages in that order, and the event lives on a device
- contradicted: it was reported, published or reused before anybody had seen it complete
- host only: the order holds, but copy or event live on the CPU: nothing is proven about a device
- not seen: a stage is missing in this run, or several were in flight and nothing tells whose it was

A scenario tells transfers apart with `probe.mark("transfer", job=J, stage="submit" | "reported" | "published" |
"reused")`; without such marks, functions named by the caller of `read` are taken where just one was in flight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracer.probe.recording import rows, symbol

CONFIRMED, AGAINST, HOST, NOT = "confirmed", "contradicted", "host only", "not seen"
STAGES = ("enqueued", "recorded", "complete", "reported", "published")
LATER = {"reported": "reported", "published": "published", "reused": "published"}


@dataclass(slots=True)
class Transfer:
    """One copy and what followed; times in ns of the machine's clock, 0 where not seen."""

    process: str
    job: str
    event: int
    times: int
    on: str
    stream: str
    what: str = ""  # the copy
    at: dict[str, int] = field(default_factory=dict)
    queries: int = 0  # that said it still runs
    how: str = ""  # by what it was seen complete
    verdict: str = NOT
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Happened:
    stage: str
    job: str
    t: int
    name: str


def read(folder: Path, stages: Mapping[str, str] | None = None) -> list[Transfer]:
    """The transfers recorded below `folder`, by process and time.

    `stages` maps functions to the stage, `reported` or `published`, that entering them is.
    """
    by_process: dict[str, list[dict[str, Any]]] = {}
    later: list[_Happened] = []
    named = stages or {}
    for process, roots, row in rows(folder):
        if "device" in row or row.get("mark") == "transfer":
            by_process.setdefault(process.rsplit("-", 1)[0], []).append(row)
        if row.get("mark") == "transfer" and row.get("stage") in LATER:
            later.append(_Happened(LATER[row["stage"]], str(row.get("job", "")), int(row["t"]), row["stage"]))
        elif named and ("hit" in row or "edge" in row or "seen" in row):
            if row.get("line") and "hit" in row:
                continue
            name = str(row.get("seen") or symbol(row.get("hit") or row["edge"][1], roots)[1])
            if name in named:
                later.append(_Happened(named[name], "", int(row["t"]), name))
    found: list[Transfer] = []
    for process, happened in sorted(by_process.items()):
        found += _transfers(process, sorted(happened, key=lambda r: int(r["t"])))
    _attribute(found, later)
    for transfer in found:
        _judge(transfer)
    return sorted(found, key=lambda t: (t.process, t.at.get("recorded", 0)))


def _transfers(process: str, happened: Sequence[dict[str, Any]]) -> list[Transfer]:
    jobs: dict[Any, str] = {}  # thread → the job it said it submits
    copies: dict[str, list[dict[str, Any]]] = {}  # stream → what was enqueued since the last event on it
    by_event: dict[tuple[int, int], Transfer] = {}
    for row in happened:
        what = row.get("device")
        if what is None:
            if row.get("stage") == "submit":
                jobs[row.get("thread")] = str(row.get("job", ""))
        elif what in ("copy", "op"):
            copies.setdefault(row["stream"], []).append(row)
        elif what == "record":
            before = copies.pop(row["stream"], [])
            if before:
                job = jobs.get(row.get("thread"), "")
                new = Transfer(process, job, row["event"], row["times"], row["on"], row["stream"])
                new.what = ", ".join(sorted({_copy(c) for c in before}))
                new.at = {"enqueued": int(before[0]["t"]), "recorded": int(row["t"])}
                if any(c["on"] == "cpu" for c in before):
                    new.on = "cpu"
                by_event[row["event"], row["times"]] = new
        elif what in ("query", "synchronize"):
            transfer = by_event.get((row["event"], row["times"]))
            if transfer is None or "complete" in transfer.at:
                continue
            if what == "query" and not row.get("result"):
                transfer.queries += 1
            elif "raised" not in row:
                transfer.at["complete"], transfer.how = int(row["after"]), what
        elif what in ("synchronize_stream", "synchronize_all"):
            for transfer in by_event.values():
                same = transfer.stream == row.get("stream") or (
                    what == "synchronize_all" and transfer.on.split(":")[0] == row["on"].split(":")[0]
                )
                if same and "complete" not in transfer.at:
                    transfer.at["complete"], transfer.how = int(row["after"]), what
    return list(by_event.values())


def _copy(row: Mapping[str, Any]) -> str:
    return str(row["name"]) if row["device"] == "op" else f"{row['from']} → {row['to']}"


def _attribute(found: Sequence[Transfer], later: Iterable[_Happened]) -> None:
    """Give each report and publication to its transfer: by job, else to the only one that was in flight."""
    for event in sorted(later, key=lambda e: e.t):
        if event.job:
            mine = [t for t in found if t.job == event.job and t.at["recorded"] <= event.t]
            mine = mine[-1:]
        else:
            mine = [t for t in found if t.at["recorded"] <= event.t and event.stage not in t.at]
            if len(mine) > 1:
                for transfer in mine:
                    transfer.why = f"{len(mine)} were in flight when it was {event.stage}, nothing tells whose it was"
                continue
        for transfer in mine:
            transfer.at.setdefault(event.stage, event.t)


def _judge(transfer: Transfer) -> None:
    at = transfer.at
    done = at.get("complete")
    early = [s for s in ("reported", "published") if s in at and (done is None or at[s] < done)]
    if early:
        seen = "nobody had seen it complete"
        if done is not None:
            seen = f"{(done - at[early[0]]) / 1e6:.3f} ms before it was seen complete"
        transfer.verdict, transfer.why = AGAINST, f"{early[0]}: {seen}"
        return
    missing = [s for s in STAGES if s not in at]
    if missing:
        transfer.verdict, transfer.why = NOT, transfer.why or f"not seen: {', '.join(missing)}"
        return
    order = [at[s] for s in STAGES]
    if order != sorted(order):
        wrong = next(b for a, b, x, y in zip(STAGES, STAGES[1:], order, order[1:], strict=False) if x > y)
        transfer.verdict, transfer.why = AGAINST, f"{wrong} came before the stage it follows"
        return
    transfer.why = ""
    if transfer.on.split(":", 1)[0] == "cpu":
        transfer.verdict, transfer.why = HOST, "copy or event live on the CPU"
    else:
        transfer.verdict = CONFIRMED


def as_json(found: Sequence[Transfer]) -> dict[str, Any]:
    """The document of transfers, without its head; times relative to when each was enqueued."""
    return {
        "transfers": [
            {
                "job": t.job, "on": t.on, "stream": t.stream, "copy": t.what, "verdict": t.verdict, "why": t.why,
                "complete_by": t.how, "queries_while_running": t.queries,
                "ms": {s: round((t.at[s] - t.at["enqueued"]) / 1e6, 3) for s in STAGES if s in t.at},
            }
            for t in found
        ],
        "counts": {v: sum(t.verdict == v for t in found) for v in (CONFIRMED, AGAINST, HOST, NOT)},
    }  # fmt: skip


def as_text(found: Sequence[Transfer]) -> list[str]:
    """The transfers line by line, and how many have which verdict."""
    marks = {CONFIRMED: "✓", AGAINST: "✗", HOST: "~", NOT: "·"}
    lines = []
    for t in found:
        times = " → ".join(f"{s} {(t.at[s] - t.at['enqueued']) / 1e6:.3f}" for s in STAGES if s in t.at)
        said = f"; {t.queries} queries said that it runs" if t.queries else ""
        label = f"job {t.job}, " if t.job else ""
        lines.append(f"{marks[t.verdict]} {label}{t.what} on {t.stream}: {t.verdict}{f' ({t.why})' if t.why else ''}")
        lines.append(f"    ms: {times}{said}{f'; complete by {t.how}' if t.how else ''}")
    counts = as_json(found)["counts"]
    lines.append(", ".join(f"{n} {v}" for v, n in counts.items()))
    if not counts[CONFIRMED]:
        lines.append("nothing is confirmed on a device by this recording")
    return lines
