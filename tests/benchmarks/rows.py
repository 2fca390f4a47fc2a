"""The lines of the benchmark's table: what was measured, its budget, and how the table reads."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence

from tests.benchmarks.measure import Run


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; a figure or a budget that does not exist is None."""

    tree: str
    what: str
    wall: float | None = None
    peak_mb: float | None = None
    budget_s: float | None = None
    budget_mb: float | None = None
    note: str = ""
    cpu: float | None = None

    @property
    def verdict(self) -> str:
        """`within` or `over` the budget; empty without a budget or a figure."""
        pairs = [
            (figure, budget)
            for figure, budget in ((self.wall, self.budget_s), (self.peak_mb, self.budget_mb))
            if figure is not None and budget is not None
        ]
        if not pairs:
            return ""
        return "over" if any(figure > budget for figure, budget in pairs) else "within"


def table(rows: Sequence[Row]) -> str:
    """The rows as text, in the order given."""
    head = ("tree", "what", "wall s", "CPU s", "peak MB", "budget", "", "remark")
    lines = [head]
    for row in rows:
        budget = ", ".join(
            text
            for value, text in (
                (row.budget_s, f"≤ {_short(row.budget_s)} s"),
                (row.budget_mb, f"≤ {_short(row.budget_mb)} MB"),
            )
            if value is not None
        )
        wall = "—" if row.wall is None else f"{row.wall:.2f}"
        cpu = "—" if row.cpu is None else f"{row.cpu:.2f}"
        peak = "—" if row.peak_mb is None else f"{row.peak_mb:.0f}"
        lines.append((row.tree, row.what, wall, cpu, peak, budget or "—", row.verdict, row.note))
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if at in (2, 3, 4) else text.ljust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def row(tree: str, what: str, run: Run, *, budget_s: float | None = None, budget_mb: float | None = None,
        note: str = "") -> Row:  # fmt: skip
    print(f"{tree}  {what}: {run.wall:.1f} s", file=sys.stderr, flush=True)  # a long run shows that it goes on
    if run.stopped:
        note = f"stopped after {run.wall:.0f} s" + (f"; {note}" if note else "")
    elif run.code:
        note = f"failed ({run.code}): {run.complaint[:100]}"
        if run.code == 127:
            return Row(tree, what, note=note)
    return Row(tree, what, run.wall, run.peak_mb, budget_s, budget_mb, note, run.cpu)
