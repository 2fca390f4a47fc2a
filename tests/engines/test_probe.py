"""The scenarios on real engines: each says itself what must have happened. Skipped where no environment is set up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracer.errors import TracerError
from tracer.probe import doctor, environment, run
from tracer.targets import target

pytestmark = pytest.mark.engine


def _all() -> list[tuple[str, str]]:
    """(ENGINE@VERSION, scenario) for every pinned version that a scenario is for."""
    found = []
    for engine in environment.engines():
        for version in target(engine).versions:
            found += [(f"{engine}@{version.name}", s.name) for s in run.scenarios(engine, version.name)]
    return found


@pytest.mark.parametrize(("spec", "name"), _all(), ids=lambda v: v)
def test_a_scenario_does_what_it_says(spec: str, name: str, tmp_path: Path) -> None:
    try:
        python = environment.python()
        env = environment.environment(spec)
        env.code_folders()
    except TracerError as error:
        pytest.skip(str(error))
    scenario = run.chosen(env, [name])[0]
    lacking = doctor.lacking(env, scenario)
    if lacking:
        pytest.skip(f"this machine lacks {', '.join(lacking)}")
    done = run.run_scenario(env, scenario, tmp_path, python, {})
    if done.outcome == "skipped":
        pytest.skip(done.why)
    assert done.outcome == "passed", f"{done.why}\n{(done.folder / 'output.txt').read_text()[-2000:]}"
    assert all(check["held"] for check in done.result["checks"])
