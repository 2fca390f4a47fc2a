"""What may go wrong around a run: it is killed, starved, crowded, or finds its cache spoilt.

Each test does the harm to a real process or file, and then asks again: the answer must be the one that an undisturbed
run gives, byte for byte, or an error of one line.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults import driver

_HERE = Path(__file__).resolve().parents[2]
_FILES = 60


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("engine")
    driver.make(made, _FILES)
    return made


@pytest.fixture(scope="module")
def right(place: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The answer of an undisturbed run with a cache of its own."""
    done = run(place, tmp_path_factory.mktemp("cache"))
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["sites"]) == 2 * _FILES
    return done.stdout


def start(
    place: Path, cache: Path, command: str = "where", before: Callable[[], None] | None = None, path: Path = _HERE
) -> subprocess.Popen[str]:
    env = {**os.environ, "TRACER_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join([str(path), str(_HERE)])}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.driver", command, str(place)],
        env=env, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before,
        start_new_session=True,
    )  # fmt: skip


def run(
    place: Path, cache: Path, command: str = "where", before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    process = start(place, cache, command, before)
    out, err = process.communicate(timeout=900)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def one_line(text: str) -> bool:
    return text.startswith("tracer: ") and text.count("\n") == 1 and "Traceback" not in text


def _grown(cache: Path, size: int) -> bool:
    return sum(f.stat().st_size for f in cache.glob("facts-*")) >= size


@pytest.mark.parametrize("size", [1, 30_000, 120_000])
def test_killed_during_survey_or_cache_write(size: int, place: Path, right: str, tmp_path: Path) -> None:
    """kill -9 to the whole group while the cache grows; what it left must not be believed."""
    process = start(place, tmp_path)
    end = time.monotonic() + 120
    while process.poll() is None and not _grown(tmp_path, size) and time.monotonic() < end:
        time.sleep(0.002)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=300)
    assert run(place, tmp_path).stdout == right


def _killed_at(moment: float, place: Path, cache: Path, command: str = "where") -> bool:
    """Start, and kill the whole group so many seconds later; whether it still ran then."""
    process = start(place, cache, command)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=300)
    return process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("command", ["where", "graph", "discover", "diff"])
def test_killed_at_random_moments_again_and_again(command: str, place: Path, tmp_path: Path) -> None:
    """On one cache, at moments from the first tenth of an undisturbed run to its end."""
    since = time.monotonic()
    calm = run(place, tmp_path / "calm", command)
    took = time.monotonic() - since
    assert calm.returncode == 0 and calm.stdout.count("\n") > _FILES, calm
    chance = random.Random(command)
    killed = [_killed_at(took * chance.uniform(0.1, 1.0), place, tmp_path / "hurt", command) for _ in range(6)]
    assert any(killed)
    again = run(place, tmp_path / "hurt", command)
    assert (again.stdout, again.returncode) == (calm.stdout, 0)
    assert {f.name for f in (tmp_path / "hurt").iterdir()} == {f.name for f in (tmp_path / "calm").iterdir()}


@pytest.mark.parametrize("room", [4_096, 40_000, 100_000])
def test_disk_full(room: int, place: Path, right: str, tmp_path: Path) -> None:
    """No file of the child may grow beyond `room` bytes: writing fails as it does on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    starved = run(place, tmp_path, before=limit)
    assert starved.returncode == 3 and starved.stdout == "" and one_line(starved.stderr), starved
    assert run(place, tmp_path).stdout == right


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null/x"])
def test_read_only_home(home: str, place: Path) -> None:
    refused = run(place, Path(home))
    assert refused.returncode == 3 and refused.stdout == "" and one_line(refused.stderr), refused
    assert "TRACER_CACHE_DIR" in refused.stderr


@pytest.mark.parametrize("number", [2, 20])
def test_processes_at_once_on_one_cache(number: int, place: Path, right: str, tmp_path: Path) -> None:
    together = [start(place, tmp_path) for _ in range(number)]
    answers = [p.communicate(timeout=900) for p in together]
    assert [p.returncode for p in together] == [0] * number, {err for _, err in answers}
    assert {out for out, _ in answers} == {right}


@pytest.mark.parametrize("then", [0, 4_102_444_800])
def test_clock_jumps(then: int, place: Path, right: str, tmp_path: Path) -> None:
    """Every file of the cache and of the source says that it was written in 1970, or in 2100."""
    assert run(place, tmp_path).stdout == right
    for file in [*tmp_path.rglob("*"), *place.rglob("*")]:
        os.utime(file, (then, then))
    assert run(place, tmp_path).stdout == right


CLOCK = """
import itertools, time
_jumps = itertools.cycle((0.0, 4_102_444_800.0))
time.time = lambda: next(_jumps)
time.time_ns = lambda: int(next(_jumps)) * 10**9
"""


@pytest.mark.parametrize("command", ["where", "discover"])
def test_the_clock_jumps_while_it_runs(command: str, place: Path, tmp_path: Path) -> None:
    """Each time that it is asked, the clock says another century than before; so do the processes of a survey."""
    calm = run(place, tmp_path / "calm", command)
    (tmp_path / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
    for cache in ("calm", "new"):
        process = start(place, tmp_path / cache, command, path=tmp_path)
        assert (process.communicate(timeout=900)[0], process.returncode) == (calm.stdout, 0)


def _cache_file(cache: Path) -> Path:
    (file,) = cache.glob("facts-*.sqlite")
    db = sqlite3.connect(file)
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    return file


def _spoilt() -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
    for share in (0, 1, 10, 50, 90, 99):
        yield f"cut-at-{share}%", lambda data, share=share: data[: len(data) * share // 100]
    yield "zeroes", lambda data: bytes(len(data))
    yield "head-gone", lambda data: bytes(4_096) + data[4_096:]
    yield "half-zeroed", lambda data: data[: len(data) // 2] + bytes(len(data) - len(data) // 2)
    yield "another-file", lambda _: b"<html>not found</html>" * 1_000
    for seed in range(6):
        yield f"bytes-changed-{seed}", lambda data, seed=seed: _changed(data, seed)


def _changed(data: bytes, seed: int) -> bytes:
    """Two hundred bytes changed anywhere behind the header."""
    chance, changed = random.Random(seed), bytearray(data)
    for _ in range(200):
        changed[chance.randrange(100, len(changed))] ^= chance.randrange(1, 256)
    return bytes(changed)


@pytest.mark.parametrize("harm", [h for _, h in _spoilt()], ids=[n for n, _ in _spoilt()])
def test_spoilt_cache(
    harm: Callable[[bytes], bytes], place: Path, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong answer is never served: it is the right one or a line that says what to do, and then the right one."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path))
    from tracer.errors import CacheError

    assert driver.where(place) == right
    file = _cache_file(tmp_path)
    file.write_bytes(harm(file.read_bytes()))
    for _ in range(3):
        try:
            assert driver.where(place) == right
            break
        except CacheError as error:
            assert "\n" not in str(error)
    else:
        file.unlink()  # what `tracer cache clear` does
        assert driver.where(place) == right


def _pages(place: Path) -> dict[str, bytes]:
    site = place / "site"
    return {f.relative_to(site).as_posix(): f.read_bytes() for f in sorted(site.rglob("*")) if f.is_file()}


def test_two_at_once_write_one_atlas(tmp_path: Path) -> None:
    for name in ("calm", "shared"):
        (tmp_path / name / "rules").mkdir(parents=True)
    assert run(tmp_path / "calm", tmp_path / "cache-a", "atlas").returncode == 0
    both = [start(tmp_path / "shared", tmp_path / f"cache-{n}", "atlas") for n in "bc"]
    errors = [p.communicate(timeout=900)[1] for p in both]
    assert [p.returncode for p in both] == [0, 0], errors
    assert _pages(tmp_path / "shared") == _pages(tmp_path / "calm")


@pytest.mark.parametrize("pages", [1, 6, 12, 30])
def test_killed_during_an_atlas(pages: int, tmp_path: Path) -> None:
    """kill -9 when so many pages lie there; the next build takes it up, and no half page or stray file is left."""
    for name in ("calm", "harmed"):
        (tmp_path / name / "rules").mkdir(parents=True)
    assert run(tmp_path / "calm", tmp_path / "cache-a", "atlas").returncode == 0
    harmed = tmp_path / "harmed"
    process = start(harmed, tmp_path / "cache-b", "atlas")
    end = time.monotonic() + 120
    while process.poll() is None and len(list(harmed.glob("site/**/*.html"))) < pages and time.monotonic() < end:
        time.sleep(0.002)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=300)
    done = run(harmed, tmp_path / "cache-b", "atlas")
    assert done.returncode == 0, done.stderr
    assert _pages(harmed) == _pages(tmp_path / "calm")
