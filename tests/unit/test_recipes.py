"""The recipes in `reports/recipes/` do what they say: their commands run, editors read the lines."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.unit.diff.sides import CACHE
from tests.unit.test_cli_versions import OLD, RULE, checkout
from tracer.cli import main
from tracer.model import digest_of

RECIPES = Path(__file__).parents[2] / "reports" / "recipes"
SARIF = json.loads((Path(__file__).parent / "render" / "sarif-2.1.0.schema.json").read_text())
LEAKS = """\
class Pool:
    def __init__(self):
        self.pins = 0

    def pin(self):
        self.pins += 1

    def unpin(self):
        self.pins -= 1

    def copy(self, far):
        self.pin()
        if far is None:
            raise ValueError
        self.unpin()
"""
PAIR = """\
- id: lmcache.pairs.toy
  role: protection
  layer: host
  why: w
  acquire: {op: augment+, state: Pool.pins}
  release: {op: augment-, state: Pool.pins}
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A working folder of an engine in which a place of a role is gone; the release before it is in the cache."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "rules" / "lmcache").mkdir(parents=True)
    (tmp_path / "rules" / "lmcache" / "toy.yaml").write_text(RULE)
    (tmp_path / "rules" / "pairs").mkdir()
    (tmp_path / "rules" / "pairs" / "lmcache.yaml").write_text(PAIR)
    assert main(["fetch", OLD, "--from", str(checkout(tmp_path / "old", {"cache.py": CACHE, "pool.py": LEAKS}))]) == 0
    capsys.readouterr()
    return checkout(tmp_path / "new", {"cache.py": CACHE.replace("self.rows[key] = entry", "pass"), "pool.py": LEAKS})


def run_steps(steps: list[str], where: Path, rules: Path) -> int:
    """Run a recipe's commands as its host does, up to the first that fails; `pip install` is done already."""
    tool = where.parent / "bin" / "tracer"
    tool.parent.mkdir(exist_ok=True)
    program = f"{shlex.quote(sys.executable)} -c 'import sys; from tracer.cli import main; sys.exit(main())'"
    # The release is in the cache already; what is compared is asked with the rules of this test.
    tool.write_text(
        "#!/bin/sh\n[ \"$1\" = fetch ] && exit 0\n"
        f'[ "$1" = diff ] && set -- "$@" --rules {shlex.quote(str(rules))} --only sites\nexec {program} "$@"\n'
    )
    tool.chmod(0o755)
    root = str(RECIPES.parents[1])
    env = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}", "ENGINE": OLD, "PYTHONPATH": root}
    script = "\n".join(s for s in steps if not s.startswith("pip install"))
    return subprocess.run(["bash", "-e", "-c", script], cwd=where, env=env, capture_output=True).returncode


def test_the_github_recipe_finds_what_broke_and_leaves_sarif_that_its_last_step_uploads(repository: Path) -> None:
    recipe = yaml.safe_load((RECIPES / "github.yml").read_text())
    assert recipe["permissions"]["security-events"] == "write"
    steps = recipe["jobs"]["tracer"]["steps"]
    assert run_steps([s["run"] for s in steps if "run" in s], repository, repository.parent / "rules") == 1
    upload = steps[-1]
    assert upload["uses"].startswith("github/codeql-action/upload-sarif@")
    assert upload["if"] == "success() || failure()"
    log = json.loads((repository / upload["with"]["sarif_file"]).read_text())
    jsonschema.Draft4Validator(SARIF).validate(log)
    accepted(log["runs"][0])
    assert {r["level"] for r in log["runs"][0]["results"]} >= {"error"} or log["runs"][0]["invocations"]


def accepted(run: dict[str, Any]) -> None:
    """What GitHub asks beyond the schema (docs.github.com, "SARIF support for code scanning")."""
    assert len(run["results"]) <= 25_000
    rules = run["tool"]["driver"]["rules"]
    assert len(rules) <= 25_000
    for rule in rules:
        assert rule["shortDescription"]["text"] and len(rule["shortDescription"]["text"]) <= 1024
        assert rule["fullDescription"]["text"] and len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"] and len(rule["properties"]["tags"]) <= 20
    for result in run["results"]:
        assert result["partialFingerprints"]["primaryLocationLineHash"]
        assert 1 <= len(result["locations"]) <= 1000
        for location in result["locations"]:
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            assert not uri.startswith(("/", "file:", "..")) and " " not in uri
            assert location["physicalLocation"]["region"]["startLine"] >= 1
        flows = result.get("codeFlows", [])
        assert sum(len(t["locations"]) for f in flows for t in f["threadFlows"]) <= 10_000


def test_the_gitlab_recipe_leaves_a_report_of_its_form(repository: Path) -> None:
    job = yaml.safe_load((RECIPES / "gitlab.yml").read_text())["kv-cache"]
    assert run_steps(job["script"], repository, repository.parent / "rules") == 1
    issues = json.loads((repository / job["artifacts"]["reports"]["codequality"]).read_text())
    assert len(issues) == len({i["fingerprint"] for i in issues}) >= 1
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith(("/", "."))
    assert "major" in {i["severity"] for i in issues} or "minor" in {i["severity"] for i in issues}


def pairs(form: str, folder: Path, *more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from tracer.cli import main; sys.exit(main())", "pairs",
         "lmcache.pairs.toy", OLD, "--rules", str(folder / "rules"), "--format", form, *more],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_pairs_as_sarif_is_accepted_and_as_code_quality_too(repository: Path) -> None:
    log = json.loads(pairs("sarif", repository.parent))
    jsonschema.Draft4Validator(SARIF).validate(log)
    accepted(log["runs"][0])
    (issue,) = json.loads(pairs("codequality", repository.parent))
    assert issue["location"] == {"path": "lmcache/pool.py", "lines": {"begin": 14, "end": 14}}
    assert issue["severity"] == "minor"


def test_vs_code_reads_the_lines_with_the_matcher_of_the_recipe(repository: Path) -> None:
    (task,) = json.loads((RECIPES / "tasks.json").read_text())["tasks"]
    words = shlex.split(task["command"])
    assert words[:2] == ["tracer", "pairs"]
    assert words[-3:] == ["--format", "lines", "--absolute"]
    matcher = task["problemMatcher"]
    found = [re.fullmatch(matcher["pattern"]["regexp"], line)
             for line in pairs("lines", repository.parent, "--absolute").splitlines()]  # fmt: skip
    named = [{k: m[n] for k, n in matcher["pattern"].items() if k != "regexp"} for m in found if m]
    assert len(named) == len(found) == 2
    assert [(n["severity"], n["line"], n["column"]) for n in named] == [("warning", "14", "13"), ("note", "12", "9")]
    for n in named:
        assert Path(n["file"]).is_absolute()
        assert digest_of(Path(n["file"]).read_bytes()) == digest_of(LEAKS.encode())


@pytest.mark.skipif(not shutil.which("vim"), reason="no vim here")
def test_vim_jumps_to_the_lines(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(pairs("lines", repository.parent))
    at = tmp_path / "at.txt"
    jump = [f"cc {n} | call writefile([expand('%') . ':' . line('.') . ':' . col('.')], '{at}', 'a')" for n in (1, 2)]
    words = [f"cgetfile {tmp_path / 'out.txt'}", *jump, "qa!"]
    subprocess.run(
        ["vim", "-es", "-N", "-u", "NONE", *(w for word in words for w in ("-c", word))],
        cwd=repository, timeout=300, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert at.read_text().splitlines() == ["lmcache/pool.py:14:13", "lmcache/pool.py:12:9"]
