"""Many releases asked at once: order, broken ones, a worker that dies; the tags of a clone; what a release is."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.unit.diff.sides import CACHE
from tracer.checkout import fetch
from tracer.checkout.releases import releases
from tracer.errors import SourceUnavailableError, UsageError
from tracer.sweep import Job, Outcome, Question, _apart, run, sweep
from tracer.targets import Version, target

RULE = """\
- id: lmcache.toy.index
  role: publish
  layer: host
  why: w
  actions: {commit: {op: insert, state: Index.rows}, unpublish: {op: remove, state: Index.rows}}
"""
PUBLISH = Question("role", ("publish",), "publish")


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[Job]]:
    """Jobs for so many releases that are in the cache, each with one statement more than the one before."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "rules" / "lmcache").mkdir(parents=True)
    (tmp_path / "rules" / "lmcache" / "toy.yaml").write_text(RULE)

    def made(count: int) -> list[Job]:
        out = []
        for n in range(count):
            version = Version(f"0.1.{n}", f"v0.1.{n}")
            folder = tmp_path / version.name / "lmcache"
            folder.mkdir(parents=True)
            more = "".join(f"            self.rows[f'{{key}}/{k}'] = entry\n" for k in range(n))
            text = CACHE.replace("            return True\n", f"{more}            return True\n")
            (folder / "cache.py").write_text(text)
            fetch(target("lmcache"), version, origin=folder.parent)
            out.append(Job("lmcache", version, PUBLISH, "", (str(tmp_path / "rules"),), False))
        return out

    return made


def told(outcomes: list[Outcome]) -> list[tuple[str, int]]:
    return [(o.version, sum(len(p.sites) for p in o.side.all) if o.side else -1) for o in outcomes]


def plain(o: Outcome) -> list[object]:
    return [(p.key, p.sites, p.statements, p.body, p.inputs) for p in o.side.all] if o.side else []


def test_in_this_process_and_in_several_the_same_in_the_same_order(jobs: Callable[[int], list[Job]]) -> None:
    given = jobs(4)
    alone = sweep(given, workers=1)
    assert told(alone) == [("0.1.0", 2), ("0.1.1", 3), ("0.1.2", 4), ("0.1.3", 5)]
    many = sweep(given, workers=2)
    assert list(map(plain, many)) == list(map(plain, alone))
    assert [o.surveyed for o in alone] == [1, 1, 1, 1]
    assert [o.surveyed for o in many] == [0, 0, 0, 0]  # by content they were known


def test_one_broken_release_is_a_gap(jobs: Callable[[int], list[Job]]) -> None:
    given = jobs(3)
    given[1] = msgspec.structs.replace(given[1], version=Version("0.1.9"))
    found = sweep(given, workers=2)
    assert [bool(o.problem) for o in found] == [False, True, False]
    assert "not in the cache" in found[1].problem
    assert told(found)[2] == ("0.1.2", 4)


def test_what_is_no_error_of_ours_is_said_too(
    jobs: Callable[[int], list[Job]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("odd\nsource")

    (job,) = jobs(1)
    monkeypatch.setattr("tracer.checkout.open_tree", broken)
    found = msgspec.msgpack.decode(run(job), type=Outcome)
    assert (found.version, found.problem) == ("0.1.0", "ValueError: odd source")


def test_a_process_that_is_killed_loses_only_its_release(
    jobs: Callable[[int], list[Job]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = jobs(3)
    # A module that every process imports at its start ends the process that reads this release.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "def hook(event, args):\n"
        "    if event == 'open' and '0.1.1/lmcache/cache.py' in str(args[0]):\n"
        "        os._exit(9)\n"
        "sys.addaudithook(hook)\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    found = sweep(given, workers=2)
    assert [o.version for o in found] == ["0.1.0", "0.1.1", "0.1.2"]
    assert [o.problem[:17] for o in found] == ["", "its process ended", ""]


def test_a_cluster_that_loses_a_worker_loses_nothing(jobs: Callable[[int], list[Job]]) -> None:
    distributed = pytest.importorskip("distributed")
    given = jobs(12)
    expected = sweep(given, workers=1)
    killed: list[int] = []
    with contextlib.ExitStack() as stack:
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        )
        # On a busy machine its processes may take longer to end than it waits for them; that is not what is tested.
        stack.enter_context(contextlib.suppress(TimeoutError))
        stack.callback(cluster.close, timeout=60)
        pids = [w.process.process.pid for w in cluster.workers.values()]

        def progress(_: str, done: int, total: int) -> None:
            if done == 2 and not killed:
                assert total - done == 10
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        found = sweep(given, dask=cluster.scheduler_address, progress=progress)
    assert killed
    assert [o.version for o in found] == [j.version.name for j in given]
    assert not any(o.problem for o in found)
    assert list(map(plain, found)) == list(map(plain, expected))


def test_no_cluster_there() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="no Dask cluster answers"):
        sweep([Job("lmcache", Version("0.1.0"), PUBLISH)], dask="tcp://127.0.0.1:1")


def test_each_worker_has_a_stretch_of_its_own() -> None:
    assert _apart(7, 2) == [0, 4, 1, 5, 2, 6, 3]
    assert sorted(_apart(34, 4)) == list(range(34))
    assert _apart(1, 8) == [0]


# -- releases --------------------------------------------------------------------------------
def clone(place: Path, *tags: str) -> Path:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *who, *arguments], cwd=place, check=True, capture_output=True)

    place.mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    for tag in tags:
        git("tag", tag)
    return place


def test_the_tags_of_a_clone_by_version(tmp_path: Path) -> None:
    place = clone(tmp_path / "c", "v0.3.10", "v0.3.9", "v0.3.9.post1", "v0.3.11-rc1", "docs-1", "nightly")
    home = target("mooncake")
    assert [v.name for v in releases(home, str(place))] == ["v0.3.9", "v0.3.9.post1", "v0.3.10"]
    assert [v.name for v in releases(home, str(place), pre=True)][-1] == "v0.3.11-rc1"
    pin = next(v for v in releases(home, str(place)) if v.name == "v0.3.10")
    assert pin == next(v for v in home.versions if v.name == "v0.3.10")
    subprocess.run(["git", "pack-refs", "--all"], cwd=place, check=True)
    assert [v.tag for v in releases(home, str(place))] == ["v0.3.9", "v0.3.9.post1", "v0.3.10"]


def test_releases_of_an_engine_whose_pins_are_package_versions(tmp_path: Path) -> None:
    place = clone(tmp_path / "c", "v0.4.7", "v0.4.8")
    assert [v.name for v in releases(target("lmcache"), str(place))] == ["0.4.7", "0.4.8"]


def test_no_clone_and_a_clone_without_releases(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no clone"):
        releases(target("lmcache"), str(tmp_path))
    with pytest.raises(SourceUnavailableError, match="no release"):
        releases(target("lmcache"), str(clone(tmp_path / "c", "docs")))
