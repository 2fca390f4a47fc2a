"""Processes that share work: one that is killed takes only its share with it, and all end with who asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.checkout.sources import eventually
from tests.unit.worlds import MemoryTree
from tracer import survey as surveys
from tracer.errors import CacheError
from tracer.graph import whole
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import Target
from tracer.workers import beside, each, pool

TARGET = Target("example", "Example", "https://example.org/e", ("",))
_HERE = Path(__file__).resolve().parents[2]


def _killed_at_two(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_what_was_with_a_killed_process_is_left_out(method: str) -> None:
    with pool(1, method) as executor:
        found = dict(each(executor, _killed_at_two, range(5)))
    assert found == {0: 0, 1: 1}


def test_a_process_that_cannot_start_leaves_its_work_out(capfd: pytest.CaptureFixture[str]) -> None:
    with pool(2, "fork", int, ("no number",)) as executor:
        assert list(each(executor, abs, [1, 2])) == []
    assert capfd.readouterr().err == ""


class _Deadly(MemoryTree):
    """Ends each process but the first that reads one of its files."""

    def __init__(self, files: dict[str, str]) -> None:
        super().__init__(files)
        self.home = os.getpid()

    def read(self, path: str) -> bytes:
        if path == "m7.py" and os.getpid() != self.home:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().read(path)


def test_a_survey_outlives_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "_limit", 2)
    long = "# " + "x" * 150_000 + "\n"
    files = {f"m{n}.py": f"class C{n}:\n    pass\n{long}" for n in range(16)}
    calm = survey(MemoryTree(files), Store(tmp_path / "a.sqlite"))
    told: list[int] = []
    found = survey(_Deadly(files), Store(tmp_path / "b.sqlite"), lambda _what, done, _total: told.append(done))
    assert [found.of(n) for n in range(16)] == [calm.of(n) for n in range(16)]
    assert max(told, default=0) < 16  # the rest was read here


def test_a_graph_outlives_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    tree = MemoryTree({f"m{n}.py": f"def f{n}(): f{n}()\n" for n in range(whole.SMALL + 30)})
    store = Store(tmp_path / "c.sqlite")
    survey(tree, store)
    calm = list(whole.batches([(tree, TARGET)], store))
    home, packed = os.getpid(), whole._packed

    def deadly(edges: object, files: range) -> bytes:
        if os.getpid() != home and files[0] == 2 * whole.BATCH:
            os.kill(os.getpid(), signal.SIGKILL)
        return packed(edges, files)

    monkeypatch.setattr(whole, "_packed", deadly)
    assert list(whole.batches([(tree, TARGET)], store)) == calm


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_they_end_with_who_asked(method: str) -> None:
    code = (
        "import time\nfrom tracer.workers import pool\n"
        "if __name__ == '__main__':\n"
        f"    with pool(3, {method!r}) as executor:\n"
        "        tasks = [executor.submit(time.sleep, 600) for _ in range(3)]\n"
        "        while len(executor._processes) < 3: time.sleep(0.01)\n"
        "        print(*executor._processes, flush=True)\n"
        "        tasks[0].result()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(_HERE)}
    asked = subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
    assert asked.stdout is not None
    workers = [int(pid) for pid in asked.stdout.readline().split()]
    assert len(workers) == 3
    asked.kill()
    asked.communicate()
    eventually(lambda: not any(map(_runs, workers)))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_work_is_done_by_another_process_and_has_ended_after_the_body(tmp_path: Path) -> None:
    with beside(lambda: (tmp_path / "who").write_text(str(os.getpid()))):
        pass
    assert (tmp_path / "who").read_text() != str(os.getpid())


def test_what_fails_in_the_other_process_is_said_by_whoever_asks_next(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        raise CacheError("no room")

    with beside(work):
        pass
    assert capfd.readouterr() == ("", "")


def test_a_body_that_is_interrupted_ends_the_work(tmp_path: Path) -> None:
    def work() -> None:
        (tmp_path / "begun").touch()
        time.sleep(60)

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), beside(work):
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert time.monotonic() - started < 30
