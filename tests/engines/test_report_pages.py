"""The pages in `reports/`: what they cite stands in the sources, and what was read by hand is what is found today."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import tracer
from tests import report_pages
from tracer.cli import main
from tracer.errors import TracerError

REPORTS = Path(__file__).parents[2] / "reports"
pytestmark = [pytest.mark.engine, pytest.mark.network]


@pytest.mark.parametrize("page", ["aibrix.md", "mcp-transcript.md"])
def test_every_place_of_a_page_reads_as_it_did(page: str) -> None:
    text = (REPORTS / page).read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```", text, re.S | re.M)
    document = json.loads(block)
    verdicts = tracer.verify(document)
    if any(v.status == "unread" for v in verdicts):
        pytest.skip(next(v.why for v in verdicts if v.status == "unread"))
    assert Counter(v.status for v in verdicts) == {"ok": len(document["sites"])}
    assert len(verdicts) >= 6
    assert main(["verify", str(REPORTS / page)]) == 0  # also what stands in the text


def test_the_places_that_were_read_by_hand_are_found_today() -> None:
    try:
        found = tracer.trace(report_pages.AIBRIX).where("publish")
    except TracerError as error:
        pytest.skip(str(error))
    assert set(report_pages.READ) <= {(s.file.rpartition("/")[2], s.first) for s in found}
    assert main(["verify", str(REPORTS / "aibrix.md"), "--in", report_pages.AIBRIX]) == 0
    assert report_pages.page("aibrix") == (REPORTS / "aibrix.md").read_text(encoding="utf-8")
