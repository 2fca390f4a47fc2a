"""Edges that were seen and are fed back: always marked as observed, never mixed in silently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracer.errors import UsageError
from tracer.probe import feed
from tracer.probe.observed import Observed

SEEN = [
    Observed("sglang.srt.a.f", "sglang.srt.a.g", "sglang/srt/a.py", 3, "thread"),
    Observed("lmcache.b.f", "lmcache.b.g", "lmcache/b.py", 4, "indirect"),
]


def test_what_is_kept_comes_back_as_observed_edges_of_the_repositories_files(tmp_path: Path) -> None:
    file = tmp_path / "seen.jsonl"
    assert feed.write(feed.edges(SEEN, ["sglang", "lmcache"]), file) == 2
    one, two = feed.read(file)
    assert (one.kind, one.basis, one.file, one.line) == ("thread", "observed", "python/sglang/srt/a.py", 3)
    assert (two.kind, two.file) == ("dynamic", "lmcache/b.py")


@pytest.mark.parametrize(
    "text",
    [
        "not json\n",
        json.dumps({"source": "a"}) + "\n",
        json.dumps({"source": "a", "target": "b", "kind": "call", "basis": "exact", "file": "f", "line": 1}) + "\n",
        json.dumps({"source": "a", "target": "b", "kind": "magic", "basis": "observed", "file": "f", "line": 1}) + "\n",
    ],
)
def test_only_observed_edges_are_taken(tmp_path: Path, text: str) -> None:
    file = tmp_path / "seen.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError):
        feed.read(file)
