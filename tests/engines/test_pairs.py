"""The source counts of Mooncake's copy and move, at four commits: two leaks, repaired, one back, repaired again.

Needs a clone or mirror that has the commits: name it in TRACER_MOONCAKE_GIT.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import tracer.trace as pipeline
from tracer.cli import main

pytestmark = [pytest.mark.engine]

COMMITS = {
    "a00f75742469d6cc408bc5393b73c501e92dc74a": {"CopyEnd": 1, "MoveEnd": 1},  # v0.3.9
    "6041a609a8c3af35e778f70db344f145c2914980": {},  # v0.3.12.post1
    "41a9917065317e16306ecd0c45931ec64b3c9eb3": {"MoveEnd": 1},
    "e7aa9183cf9f190a7583704d5d3c229ab85327a4": {},
}


@pytest.mark.parametrize("commit", COMMITS)
def test_source_counts_of_copy_and_move(commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = os.environ.get("TRACER_MOONCAKE_GIT")
    if not clone:
        pytest.skip("no Mooncake repository: name a clone or mirror in TRACER_MOONCAKE_GIT")
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    assert main(["targets", "add", "mooncake", commit, "--from", clone]) == 0
    assert main(["fetch", f"mooncake@{commit}", "--from", clone]) == 0
    _, holders, _ = pipeline.pairs("mooncake.pairs.replica-refcount", f"mooncake@{commit}")
    missing = Counter({h.symbol.rpartition("::")[2]: h.missing for h in holders if h.missing})
    assert missing == COMMITS[commit]
    assert sum(e.verdict == "released" for h in holders for e in h.exits) >= 5
