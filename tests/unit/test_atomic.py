"""Files that are there whole or not at all: links, modes, pipes; who holds what; folders that killed processes left."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import pytest

from tracer import atomic


def _there(folder: Path) -> list[str]:
    return sorted(f.name for f in folder.iterdir())


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a"
    atomic.write(file, "älter")
    file.chmod(0o640)
    atomic.write(file, b"new")
    assert file.read_bytes() == b"new" and stat.S_IMODE(file.stat().st_mode) == 0o640
    assert _there(tmp_path) == ["a"]


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic.write(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(Path("far") / "file")
    for text in ("one", "two"):
        atomic.write(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink() and (tmp_path / "far" / "file").read_text() == text


def test_what_is_no_file_is_written_as_it_comes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    atomic.write(pipe, "through")
    assert os.read(reader, 99) == b"through" and stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)


def test_a_half_that_a_killed_process_left_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / f".a{atomic.HALF}").write_text("a long half of something else")
    atomic.write(tmp_path / "a", "x")
    assert (tmp_path / "a").read_text() == "x" and _there(tmp_path) == ["a"]


def test_only_what_nobody_writes_is_cleared(tmp_path: Path) -> None:
    left, held = (tmp_path / f".{name}{atomic.HALF}" for name in ("left", "held"))
    left.touch()
    (tmp_path / "mine").touch()
    with atomic.alone(held):
        atomic.clear(tmp_path)
        assert _there(tmp_path) == [held.name, "mine"]
    atomic.clear(tmp_path)
    assert _there(tmp_path) == ["mine"]


def test_a_lock_that_was_moved_away_is_not_held(tmp_path: Path) -> None:
    """Who waited for a file that its holder then renamed holds nothing; a new one is made."""
    lock = tmp_path / "lock"
    with atomic.alone(lock) as first:
        lock.rename(tmp_path / "moved")
        with atomic.alone(lock, wait=False) as second:
            assert not os.path.samestat(os.fstat(first), os.fstat(second))
            with pytest.raises(BlockingIOError), atomic.alone(lock, wait=False):
                pass


def test_a_file_system_without_locks_keeps_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no locks")

    monkeypatch.setattr(atomic.fcntl, "flock", none)
    atomic.write(tmp_path / "a", "x")
    assert (tmp_path / "a").read_text() == "x"


def test_a_folder_for_work_is_gone_afterwards_and_so_are_those_that_were_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "tracer-kind-left" / "deep").mkdir(parents=True)
    (tmp_path / "tracer-other-left").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tracer-kind-link").symlink_to("elsewhere")
    with atomic.scratch("kind") as one, atomic.scratch("kind") as two:
        (one / "file").touch()
        assert one != two and (one / "file").exists()
        assert not (tmp_path / "tracer-kind-left").exists()
    assert _there(tmp_path) == ["elsewhere", "tracer-kind-link", "tracer-other-left"]
