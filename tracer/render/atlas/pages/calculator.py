"""The budget page: the arithmetic of `tracer budget`, in the page. The script has the sums, this has the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracer.budget.arithmetic import NAMES, budget
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.strings import said


def pages(_: Atlas) -> Iterator[Page]:
    """One page; without scripts it shows the worked example."""
    lines = [line.as_json() for line in budget()]
    names = {k: {"section": v[0], "unit": v[1], "en": v[2], "zh": v[3]} for k, v in NAMES.items()}
    yield Page(
        places.BUDGET,
        "budget.html.j2",
        said("nav.budget"),
        {"lines": lines},
        data={"budget-names": names},
        scripts=["budget.js", "calculator.js"],
        wide=True,
    )


def nav(_: Atlas) -> Iterable[Nav]:
    """The calculator."""
    return (Nav("nav.budget", places.BUDGET),)


def entries(_: Atlas) -> Iterator[Entry]:
    """The calculator."""
    yield Entry("budget", said("nav.budget"), places.BUDGET, weight=1)
