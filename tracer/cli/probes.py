"""`probe`: run an engine's own code with the recorder on, and set what was seen against what was traced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tracer.cli.console import Format, note, write, write_lines, write_table
from tracer.errors import UsageError

Form = Annotated[Format, typer.Option("--format", help="How to write the answer.")]
Python = Annotated[
    str | None,
    typer.Option("--python", help="An interpreter that has the engines' packages.", show_default=False),
]

_probe = typer.Typer(help="Run engines with a recorder on, and confirm what was traced.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_probe, name="probe")


@_probe.command("setup")
def setup(
    specs: Annotated[list[str], typer.Argument(help="ENGINE[@VERSION] …")],
    base: Annotated[
        str | None, typer.Option("--python", help="The Python to build the environment with.", show_default=False)
    ] = None,
    shared: Annotated[
        Path | None,
        typer.Option(
            "--into", help="An interpreter that has the packages: only the code is added.", show_default=False
        ),
    ] = None,
    index: Annotated[str | None, typer.Option("--index-url", help="Another package index.", show_default=False)] = None,
    cuda: Annotated[bool, typer.Option("--cuda", help="The CUDA build of torch.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Make the environment that an engine runs in: pinned packages and the engine's code, in the cache directory."""
    import os

    from tracer.probe import environment, setup

    given = shared or (Path(os.environ[environment.PYTHON]) if environment.PYTHON in os.environ and not base else None)
    for spec in specs:
        env = environment.environment(spec)
        todo = setup.plan(env, base or "", given)
        if not todo.steps:
            note(f"{env.spec} is set up already")
            continue
        note(f"{env.spec}: {', '.join(todo.steps)}; about {todo.needs} MiB of {todo.free} MiB that are free")
        if not yes and not typer.confirm("Go on?", err=True):
            raise typer.Exit(2)
        interpreter = setup.build(env, note, base=base or "", index=index or "", cuda=cuda, shared=given)
        note(f"{env.spec} runs with {interpreter}")


@_probe.command("list")
def listing(
    engine: Annotated[str | None, typer.Argument(help="Only of ENGINE[@VERSION].", show_default=False)] = None,
) -> None:
    """The scenarios that there are, and the named paths that each is meant for."""
    from tracer.probe import environment, run
    from tracer.render.text import Table

    names = [environment.environment(engine).target.name] if engine else environment.engines()
    rows = [
        (n, s.name, s.versions, ", ".join(s.needs), ", ".join(s.paths), s.title)
        for n in names
        for s in run.scenarios(n)
    ]
    write_table(Table(("engine", "scenario", "versions", "needs", "paths", "does"), tuple(rows)))


@_probe.command("run", context_settings={"allow_extra_args": True})
def run(
    words: Annotated[list[str], typer.Argument(metavar="ENGINE [SCENARIO…|all] [-- COMMAND…]", help="What to run.")],
    edges: Annotated[bool, typer.Option("--edges", help="Record every caller and callee.")] = False,
    roots: Annotated[
        list[Path] | None, typer.Option("--root", help="A folder of code to record.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for the recordings.")] = Path("recording"),
    python: Python = None,
    patience: Annotated[int, typer.Option("--timeout", min=1, help="Seconds that a run may take.")] = 600,
    form: Form = Format.text,
) -> None:
    """Run scenarios, or after -- any program of your own, with the recorder on."""
    from tracer.probe import environment
    from tracer.probe import run as runs

    names, command = _split(words)
    env = environment.environment(names[0]) if names else None
    settings: dict[str, str] = {}
    if edges:
        settings["TRACER_PROBE_EDGES"] = "1"
    if command:
        if names[1:]:
            raise UsageError(
                "a program of your own goes without scenarios", todo="leave out the scenario or the program"
            )
        done = [runs.run_program(env, command, roots or [], out, settings, patience=patience)]
    else:
        if env is None or not names[1:]:
            raise UsageError("no scenario is named", todo="`tracer probe list` has them; or give -- COMMAND")
        interpreter = environment.python(python or "")
        done = []
        for scenario in runs.chosen(env, names[1:]):
            done.append(runs.run_scenario(env, scenario, out, interpreter, settings, patience=patience))
            if form is Format.text:
                _say(done[-1])
    if form is Format.json:
        from tracer.render.json import dumps

        write(dumps({"schema": "tracer.probe/1", "runs": [_run_json(r) for r in done]}))
    elif command:
        _say(done[0])
    if any(r.outcome in ("failed", "timed out") for r in done):
        raise typer.Exit(1)


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What is before and after `--`; typer passes the words on without it, so it is looked up in the arguments."""
    import sys

    arguments = sys.argv[1:]
    after = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    return (words[: len(words) - len(after)], after) if after else (words, [])


def _say(done: Any) -> None:
    checks = done.result.get("checks", [])
    held = sum(c["held"] for c in checks)
    lines = [
        f"{done.name}: {done.outcome} in {done.seconds:.1f} s  ({held} of {len(checks)} checks held) → {done.folder}"
    ]
    lines += [f"  {'✓' if c['held'] else '✗'} {c['claim']}" for c in checks]
    lines += [f"  · {key}: {value}" for key, value in done.result.get("notes", {}).items()]
    if done.why:
        lines.append(f"  {done.why}")
    write_lines(lines)


def _run_json(done: Any) -> dict[str, Any]:
    return {
        "name": done.name,
        "outcome": done.outcome,
        "why": done.why,
        "status": done.status,
        "seconds": round(done.seconds, 3),
        "folder": str(done.folder),
        "result": dict(done.result),
    }
