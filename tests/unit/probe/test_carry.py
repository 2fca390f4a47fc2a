"""What is carried to a machine with a device and no network."""

import json
import os
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from tracer import atomic
from tracer.errors import UsageError
from tracer.probe import carry, environment
from tracer.probe.environment import Environment, ProbeError
from tracer.targets import Target, Version

SCENARIO = '''"""Adds."""
NEEDS = ("cuda",)

def run(probe):
    from shop import till
    import small
    probe.begin()
    probe.check(till.total([1, 2]) == 3, "adds")
    probe.note("small", small.__name__)
'''


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """An engine of one file with one scenario, and one small package."""
    code = tmp_path / "code"
    (code / "shop").mkdir(parents=True)
    (code / "shop" / "__init__.py").write_text("")
    (code / "shop" / "till.py").write_text(
        "def total(coins):\n    return add(coins)\n\n\ndef add(coins):\n    return sum(coins)\n"
    )
    here = tmp_path / "probe"
    (here / "scenarios" / "shop").mkdir(parents=True)
    (here / "scenarios" / "shop" / "add.py").write_text(SCENARIO)
    for part in carry.PARTS:
        (here / part).symlink_to(environment.HERE / part)
    monkeypatch.setattr(carry, "HERE", here)
    monkeypatch.setattr(carry, "scenarios", lambda *_: [_scenario(here)])

    def wheels(folder: Path, *_: str) -> tuple[str, ...]:
        folder.mkdir()
        _wheel(folder)
        return ("rare==1",)

    monkeypatch.setattr(carry, "_wheels", wheels)
    monkeypatch.setattr(Environment, "code_folders", lambda self: [code])
    return Environment(
        Target("shop", "Shop", "https://example.org/s", ("",)), Version("1.0"), "tree", (), ("shop",), {"A": "1"}
    )


def _scenario(here):
    from tracer.probe.run import Scenario

    return Scenario("add", here / "scenarios" / "shop" / "add.py", "Adds.", needs=("cuda",))


def _wheel(folder: Path) -> None:
    import zipfile

    with zipfile.ZipFile(folder / "small-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("small.py", "")
        wheel.writestr("small-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1.0\n")
        wheel.writestr("small-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("small-1.0.dist-info/RECORD", "")


def test_what_is_carried_runs_by_itself_and_leaves_a_recording(shop, tmp_path):
    found = carry.carry(shop, tmp_path / "out", lambda _: None)
    assert (found.names, found.lacking) == (("add",), ("rare==1",))
    assert set(found.sizes) == {"code.tar.xz", "wheels", "probe", "run.sh"} and found.total > 0
    with tarfile.open(tmp_path / "out" / "code.tar.xz") as tar:
        assert {m.name for m in tar} == {"0/shop", "0/shop/__init__.py", "0/shop/till.py"}
    python = environment.python() if os.environ.get(environment.PYTHON) else Path(os.sys.executable)
    env = {"PATH": os.environ["PATH"], "PYTHON": str(python), "OUT": str(tmp_path / "rec")}
    (tmp_path / "elsewhere").mkdir()
    done = subprocess.run(
        ["sh", str(tmp_path / "out" / "run.sh")], env=env, cwd=tmp_path / "elsewhere", capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "add: passed"), done.stderr
    run = json.loads((tmp_path / "rec" / "add" / "run.json").read_text())
    assert (run["scenario"], run["engines"]) == ("add", [{"name": "shop", "version": "1.0"}])
    from tracer.probe import recording

    assert "shop.till.add" in recording.load(tmp_path / "rec").entered


def test_what_ended_in_the_middle_leaves_nothing_and_what_was_killed_is_made_again(shop, tmp_path, monkeypatch):
    parts = carry._parts

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "out").mkdir()
    before = sorted(p.name for p in tmp_path.iterdir())
    monkeypatch.setattr(carry, "_parts", full)
    with pytest.raises(ProbeError, match="No space left on device"):
        carry.carry(shop, tmp_path / "out", lambda _: None)
    assert sorted(p.name for p in tmp_path.iterdir()) == before and not any((tmp_path / "out").iterdir())
    monkeypatch.setattr(carry, "_parts", parts)
    half = tmp_path / f".out{atomic.HALF}"
    half.mkdir()
    (half / "run.sh").write_text("of one that was killed")
    with atomic.alone(half), pytest.raises(UsageError, match="another process gathers"):
        carry.carry(shop, tmp_path / "out", lambda _: None)
    found = carry.carry(shop, tmp_path / "out", lambda _: None)
    assert set(found.sizes) == {p.name for p in (tmp_path / "out").iterdir()}
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_a_folder_that_is_in_use_is_left_alone(shop, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    with pytest.raises(UsageError, match="is not empty"):
        carry.carry(shop, tmp_path / "out", lambda _: None)
    with pytest.raises(UsageError, match="no scenario 'sub'"):
        carry.carry(replace(shop), tmp_path / "new", lambda _: None, names=["sub"])
