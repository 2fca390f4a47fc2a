"""What is installed with Tracer is listed, and under licences that go with ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import licences

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci"
LISTED = dict(re.findall(r"^\| ([a-z0-9._-]+) \| ([^|]+) \| `kv-tracer", (CI / "THIRD_PARTY.md").read_text(), re.M))


@pytest.mark.parametrize("extra", licences.EXTRAS)
def test_every_package_that_is_installed_is_listed(extra: str) -> None:
    needed = licences.closure(extra)
    assert len(needed) > 15
    assert set(needed) - set(LISTED) == set()


def test_every_licence_goes_with_ours() -> None:
    assert [(name, said) for name, said in LISTED.items() if not licences.good(said)] == []
    assert not licences.good("MIT AND GPL-3.0-only")
    assert licences.good("GPL-3.0-only OR MIT")


def test_every_direct_requirement_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    block = text[text.index("\ndependencies = [") : text.index("[project.scripts]")]
    lines = [line for line in block.splitlines() if line.startswith('  "') or re.match(r'\w+ = \["', line)]
    assert len(lines) > 35
    assert [line for line in lines if "#" not in line] == []


def test_the_locked_versions_satisfy_our_requirements() -> None:
    from importlib.metadata import requires

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    locked = dict(line.split("==") for line in (CI / "constraints.txt").read_text().splitlines() if "==" in line)
    versions = {canonicalize_name(name): version for name, version in locked.items()}
    wanted = [Requirement(r) for r in requires("kv-tracer") or ()]
    assert len(wanted) > 20
    missing = [str(r) for r in wanted if not r.specifier.contains(versions.get(canonicalize_name(r.name), "0"))]
    assert missing == []
