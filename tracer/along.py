"""Does A come before B along a named path: in the functions that it passes, up to where each goes on to the next?

Takes two operands of `order` and a path's name. Makes one `Passed` per step that does A or B. In a step, A counts if
it stands on every way (always) or on some way (sometimes) from the step's entry to the line that leads on; what earlier
steps did holds for later ones. B's verdict is that of A until then, or the better one of the step's own body. What a
step does by calling the next step is the next step's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import Literal

import tracer.trace as pipeline
from tracer import stages
from tracer.errors import UsageError
from tracer.graph.world import Sym
from tracer.model import EngineRevision, Path, Step
from tracer.pairs.ledger import Event, Events, lines_of, places_of
from tracer.pairs.order import Orders
from tracer.pairs.rules import DEPTH
from tracer.reading import flow
from tracer.reading.statements import Reading
from tracer.survey import Progress

Verdict = Literal["never", "sometimes", "always"]
_RANK = {"never": 0, "sometimes": 1, "always": 2}


@dataclass(frozen=True, slots=True)
class Passed:
    """One step (its number from 1) that does A or B. `verdict`: of its B, "" if it has none; `on`: where it goes on."""

    step: int
    symbol: str
    file: str
    def_line: int
    a: tuple[int, ...]
    b: tuple[int, ...]
    on: int
    so_far: Verdict  # A, from the start of the path until this step goes on
    verdict: Verdict | Literal[""] = ""


def order_along(
    a: str,
    b: str,
    name: str,
    specs: Sequence[str],
    *,
    choose: Sequence[str] = (),
    depth: int | None = None,
    rules: Sequence[Folder] = (),
    progress: Progress | None = None,
) -> tuple[tuple[EngineRevision, ...], Path, list[Passed]]:
    """The path called `name` through the engines of `specs`, and its steps that do `a` or `b`."""
    found = pipeline.path((name,), specs, choose=choose, rules=rules, progress=progress)
    way = found.paths[0]
    world, engines = stages.read_world(specs, progress)
    orders = Orders(world, engines[0].name, engines[0].version, rules, {e.name: e.version for e in engines})
    return engines, way, list(passed(orders, a, b, way.steps, DEPTH if depth is None else depth))


def passed(orders: Orders, a: str, b: str, steps: Sequence[Step], depth: int = DEPTH) -> Iterator[Passed]:
    """The steps that do A or B, in order."""
    events = orders.gather(a, b, depth)
    before: Verdict = "never"
    for number, step in enumerate(steps):
        sym = _function(orders, step)
        reading = events.reading(sym) if sym is not None else None
        if sym is None or reading is None:
            continue
        after = steps[number + 1] if number + 1 < len(steps) else None
        on = after.from_line if after is not None and after.from_file == step.file else 0
        own = [_own(events, sym, kind, on) for kind in ("a", "b")]
        a_lines, b_lines = (places_of(found, reading) for found in own)
        verdict: Verdict | Literal[""] = _better(before, _inside(reading, a_lines, b_lines)) if b_lines else ""
        before = _better(before, _until(reading, a_lines, on)) if a_lines else before
        if a_lines or b_lines:
            a_told, b_told = (tuple(lines_of(found)) for found in own)
            yield Passed(number + 1, step.symbol, step.file, step.def_line, a_told, b_told, on, before, verdict)


def _function(orders: Orders, step: Step) -> Sym | None:
    world = orders.world
    found = (Sym(f, i) for f, i in world.functions(step.symbol))
    return next((s for s in found if world.path(s.file) == step.file and _line(orders, s) == step.def_line), None)


def _line(orders: Orders, sym: Sym) -> int:
    d = orders.world.definition(sym)
    return d.line if d is not None else 0


def _own(events: Events, sym: Sym, kind: str, on: int) -> list[Event]:
    """What a function does itself or by other calls than the one that leads on."""
    return [e for e in events.of(sym, kind) if e.at == sym and not (e.via and e.line == on)]


def _inside(reading: Reading, a_lines: list[int], b_lines: list[int]) -> Verdict:
    """The order in one body."""
    if not a_lines:
        return "never"
    if flow.always_before(reading, a_lines, b_lines, lambdas=True).holds:
        return "always"
    follows = any(flow.may_follow(reading, x, y) for x in a_lines for y in b_lines if x != y)
    return "sometimes" if follows else "never"


def _until(reading: Reading, a_lines: list[int], on: int) -> Verdict:
    """Whether A is done by the time that the line `on` is reached; without one, by the end of the body."""
    if on:
        if flow.arrival(reading, on, a_lines) is None:
            return "always"
        return "sometimes" if any(flow.may_follow(reading, x, on) for x in a_lines) else "never"
    ways = [e for e in flow.exits(reading) if e.kind not in ("raise", "throw")]
    missed = any(flow.escape(reading, reading.first, way, a_lines, lambdas=True) is not None for way in ways)
    return "sometimes" if missed else "always"


def _better(one: Verdict, other: Verdict) -> Verdict:
    return max(one, other, key=lambda v: _RANK[v])


def check_names(along: str, inside: str) -> None:
    """`UsageError` where one function and a path are asked at once."""
    if along and inside:
        raise UsageError("--in and --along cannot be given together", todo="ask for one function, or along a path")
