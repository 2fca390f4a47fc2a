"""One side found by another process: beside the body, quietly, and only where a core is free."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tracer.diff.ahead import ahead
from tracer.errors import CacheError
from tracer.survey import limit_processes


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_the_work_is_done_by_another_process_and_has_ended_after_the_body(tmp_path: Path) -> None:
    with ahead(lambda: (tmp_path / "who").write_text(str(os.getpid()))):
        pass
    assert (tmp_path / "who").read_text() != str(os.getpid())


def test_one_of_several_processes_starts_no_other(tmp_path: Path) -> None:
    limit_processes(1)
    try:
        with ahead((tmp_path / "done").touch):
            pass
    finally:
        limit_processes(0)
    assert not (tmp_path / "done").exists()


def test_what_fails_in_the_other_process_is_said_by_whoever_asks_next(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        raise CacheError("no room")

    with ahead(work):
        pass
    assert capfd.readouterr() == ("", "")


def test_a_body_that_is_interrupted_ends_the_work(tmp_path: Path) -> None:
    def work() -> None:
        (tmp_path / "begun").touch()
        time.sleep(60)

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), ahead(work):
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert time.monotonic() - started < 30
