"""Whatever is written is whole or not there, at whichever moment it is ended or starved (see `moments`).

And what several processes write at once, and what fills while an answer is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import moments
from tests.unit.checkout import sources
from tracer import checkout
from tracer.checkout.store import stored
from tracer.errors import TracerError
from tracer.probe import environment, run, setup
from tracer.targets import Version, target

_HERE = Path(__file__).resolve().parents[2]
# Moments that there are at least; of the others four.
LEAST = {"report": 17, "atlas": 40, "fetch": 15, "fetch-again": 15, "recording": 6, "setup": 20, "kept": 8}


@pytest.mark.parametrize("harm", ["kill", "full"])
@pytest.mark.parametrize("what", moments.SCENARIOS)
def test_ended_or_starved_at_each_moment(what: str, harm: str, tmp_path: Path) -> None:
    """What lies there is the old or the new, never a half; asked again, it is what an undisturbed run leaves."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.moments", what, harm, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(_HERE)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    *wrong, number = done.stdout.splitlines() or [""]
    assert done.returncode == 0 and wrong == [], done.stdout + done.stderr
    assert int(number) >= LEAST.get(what, 4)


def _together(act: str, folder: Path, words: list[str]) -> list[subprocess.CompletedProcess[str]]:
    """`act` of `moments` by so many processes at once, each with a word of its own."""
    code = (
        "import sys; from pathlib import Path; from tests.faults import moments; "
        "sys.stdin.read(1); moments.{}(Path(sys.argv[1]), sys.argv[2])"
    )
    env = {**os.environ, "PYTHONPATH": str(_HERE)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code.format(act), str(folder), word],
            env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for word in words
    ]  # fmt: skip
    for process in started:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.flush()
    said = [p.communicate(timeout=300) for p in started]
    return [subprocess.CompletedProcess(p.args, p.returncode, *s) for p, s in zip(started, said, strict=True)]


def test_pins_added_at_once_are_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"0.{n}.0" for n in range(40, 46)]
    done = _together("_pin", tmp_path, names)
    assert [p.returncode for p in done] == [0] * len(names), done
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path))
    assert {*names} <= {v.name for v in target("vllm").versions}
    assert [f.name for f in (tmp_path / "targets").iterdir()] == ["vllm.yaml"]


def test_reports_written_at_once_are_each_whole(tmp_path: Path) -> None:
    done = _together("_report", tmp_path, ["a", "b", "c", "d"])
    assert [p.returncode for p in done] == [0] * 4, done
    found = {f.name: f.read_text().split()[0] for f in tmp_path.iterdir()}
    assert len(found) == 4 and len({*found.values()}) == 1, found  # of one of them all, nothing beside


def test_recordings_do_not_mix(tmp_path: Path) -> None:
    """A run that outlives the one who started it, and one that is at work, keep their folder."""
    (tmp_path / "root").mkdir()
    out = tmp_path / "rec"
    code = (
        "import sys; from pathlib import Path; from tracer.probe import run; "
        "run.run_program(None, [sys.executable, '-c', 'import sys, time; print(1, flush=True); time.sleep(600)'], "
        f"[Path({str(tmp_path / 'root')!r})], Path({str(out)!r}), {{}})"
    )
    env = {**os.environ, "PYTHONPATH": str(_HERE)}
    first = subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert first.stdout is not None and first.stdout.readline() == "1\n"
        os.kill(first.pid, 9)  # and not what it started
        first.wait()
        with pytest.raises(TracerError, match="another run records into it"):
            run.run_program(None, [sys.executable, "-c", ""], [tmp_path / "root"], out, {}, quiet=True)
    finally:
        os.killpg(first.pid, 9)
        first.communicate()
    sources.eventually(lambda: _free(out))
    done = run.run_program(None, [sys.executable, "-c", ""], [tmp_path / "root"], out, {}, quiet=True)
    assert done.outcome == "passed" and json.loads((out / "run.json").read_text())["status"] == 0


def _free(folder: Path) -> bool:
    from tracer import atomic

    try:
        with atomic.alone(folder, wait=False):
            return True
    except BlockingIOError:
        return False


def test_an_environment_that_was_made_in_half_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter of a virtual environment is there before its pip is."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(setup, "PACKAGES_MIB", 0)
    base = tmp_path / "fake-python"
    once = tmp_path / "once"
    half = f"&& if [ ! -e {once} ]; then : > {once}; exit 9; fi; mkdir -p"
    base.write_text(moments.FAKE.replace("&& mkdir -p", half))
    base.chmod(0o755)
    engine = environment.Environment(sources.target(), sources.version(), "wheel", (), ("toy",), {}, ("one==1.0",))
    with pytest.raises(environment.ProbeError, match="the virtual environment failed"):
        setup.build(engine, lambda _: None, base=str(base))
    interpreter = setup.build(engine, lambda _: None, base=str(base))
    assert (interpreter.parent.parent / "pip").is_dir() and (interpreter.parent.parent / "done").is_file()


def test_set_ups_at_once_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_TAKES", "1")  # and a second one meanwhile fails
    done = _together("_setup_at_once", tmp_path / "cache", ["a", "b", "c"])
    assert [p.returncode for p in done] == [0] * 3, done


def test_a_tree_that_was_to_be_replaced_is_there_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the two moves: the old tree has been moved away, the new one is not yet in its place."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path))
    version = Version("1.0", "v1.0")
    moments._fetch(tmp_path, "old")
    place = checkout.store.folder_of(sources.target(), version)
    work = place.with_name(f".{place.name}.tmp-1")
    work.mkdir()
    place.rename(work / "old")
    assert stored(sources.target(), version) is None
    tree = checkout.fetch(sources.target(), version)  # has no source to take it from
    assert tree.read("toy/m1.py") == b"old = 1\n" and not work.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", ["budget", "manual", "targets list", "cache info", "rules list", "--help"])
def test_no_room_for_what_is_printed(words: str, tmp_path: Path) -> None:
    code = "import sys; from tracer.cli import main; sys.exit(main())"
    env = {**os.environ, "PYTHONPATH": str(_HERE), "TRACER_CACHE_DIR": str(tmp_path)}
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, *words.split()], env=env, stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 3, done
    assert done.stderr.startswith("tracer: No space left on device") and done.stderr.count("\n") == 1
