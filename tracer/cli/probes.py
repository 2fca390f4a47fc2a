"""`probe`: run an engine's own code with the recorder on, and set what was seen against what was traced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tracer.cli import console
from tracer.cli.console import Bars, Format, note, read_json, write, write_document, write_lines, write_table
from tracer.errors import UsageError

Form = Annotated[Format, typer.Option("--format", help="How to write the answer.")]
Python = Annotated[
    str | None,
    typer.Option("--python", help="An interpreter that has the engines' packages.", show_default=False),
]

MOST = 256 << 20  # bytes of a saved trace

_probe = typer.Typer(help="Run engines with a recorder on, and confirm what was traced.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_probe, name="probe")


@_probe.command("setup")
def setup(
    specs: Annotated[list[str], typer.Argument(help="ENGINE\\[@VERSION] …")],
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
    engine: Annotated[str | None, typer.Argument(help="Only of ENGINE\\[@VERSION].", show_default=False)] = None,
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
    device: Annotated[bool, typer.Option("--device", help="Record events, streams and copies of torch.")] = False,
    traces: Annotated[
        list[Path] | None,
        typer.Option("--trace", help="Watch only what this saved `path` or `where` names.", show_default=False),
    ] = None,
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
    if traces:
        from tracer.probe import plan

        documents = [read_json(file, MOST, "save `tracer path … --format json`") for file in traces]
        settings["TRACER_PROBE_PLAN"] = str(plan.write(plan.plan(documents), out))
    if edges:
        settings["TRACER_PROBE_EDGES"] = "1"
    if device:
        settings["TRACER_PROBE_DEVICE"] = "1"
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


@_probe.command("confirm")
def confirm(
    trace: Annotated[
        list[Path], typer.Argument(metavar="TRACE.json… RECORDING", help="Saved paths or sites, then a recording.")
    ],
    misses: Annotated[
        bool, typer.Option("--misses", help="Also the edges that were seen and the graph lacks.")
    ] = False,
    observed: Annotated[
        Path | None,
        typer.Option("--observed", help="Write those edges, basis observed, to this file.", show_default=False),
    ] = None,
    form: Form = Format.text,
) -> None:
    """Each step and site of a trace: seen, not seen in this run, or contradicted (another order or thread)."""
    from tracer.probe import confirm, recording

    if len(trace) < 2:
        raise UsageError("a trace and a recording are needed", todo="tracer probe confirm path.json recording")
    documents = [read_json(file, MOST, "save `tracer path … --format json`") for file in trace[:-1]]
    seen = recording.load(trace[-1])
    found = confirm.confirm(documents, seen)
    lacking = _missed(trace[-1], seen.versions, observed) if misses or observed else []
    if form is Format.json:

        engines = list({(e["name"], e["version"]): e for d in documents for e in d.get("engines", ())}.values())
        document = {"schema": "tracer.probe-confirm/1", "engines": engines, **confirm.as_json(found, seen)}
        write_document(document | ({"misses": lacking} if misses or observed else {}))
    else:
        from tracer.render.probes import confirmed

        write_lines(confirmed(found, seen))
        if misses or observed:
            write_lines([f"{len(lacking)} edges were seen that the graph lacks"])
            write_lines(
                f"  {m['source']} → {m['target']}  {m['file']}:{m['line']} [{m['kind']}] {m['why']}" for m in lacking
            )
    if any(s.verdict == "contradicted" for s in found.steps):
        raise typer.Exit(1)


def _missed(folder: Path, versions: dict[str, str], keep: Path | None) -> list[dict[str, Any]]:
    """The edges of a recording that the graph of its engines lacks, with the reason of each; kept in file `keep`."""
    import tracer.trace as pipeline
    from tracer.probe import feed, observed

    if not versions:
        raise UsageError("does not say which engine ran", where=str(folder), todo="record it with `tracer probe run`")
    seen = observed.read(folder)
    specs = [f"{n}@{v}" for n, v in versions.items()]
    with Bars() as bars:
        found = observed.recall(seen, pipeline.graph_of(observed.files(seen, specs), specs, progress=bars))
    if keep:
        feed.write(feed.edges((o for o, _ in found.missed), specs), keep)
    return [
        {"source": o.caller, "target": o.callee, "kind": o.kind, "file": o.file, "line": o.line, "why": why}
        for o, why in found.missed
    ]


@_probe.command("recall")
def recall(
    spec: Annotated[str, typer.Argument(help="ENGINE\\[@VERSION]")],
    folder: Annotated[Path, typer.Argument(metavar="RECORDING", help="What `probe run --edges` left.")],
    more: Annotated[
        list[str] | None, typer.Option("--with", help="Another engine that ran.", show_default=False)
    ] = None,
    form: Form = Format.text,
) -> None:
    """How many of the recorded edges the static graph has, per kind, and why it lacks the others."""
    import tracer.trace as pipeline
    from tracer.probe import observed
    from tracer.targets import specs_of

    seen = observed.read(folder)
    if not seen:
        raise UsageError("has no edges", where=str(folder), todo="record with `tracer probe run --edges`")
    specs = [spec, *(more or [])]
    with Bars() as bars:
        found = observed.recall(seen, pipeline.graph_of(observed.files(seen, specs), specs, progress=bars))
    if form is Format.json:
        from tracer.render.json import dumps

        missed = [
            {"caller": o.caller, "callee": o.callee, "file": o.file, "line": o.line, "kind": o.kind, "why": w}
            for o, w in found.missed
        ]
        engines = [{"name": t.name, "version": v.name} for t, v in specs_of(specs)]
        document = {"schema": "tracer.probe-recall/1", "engines": engines, "seen": found.seen, "found": found.found}
        kinds = {k: {"found": a, "seen": b} for k, (a, b) in found.by_kind.items()}
        document |= {"by_kind": kinds, "candidates_per_caller": round(found.fan_out, 2), "missed": missed}
        write(dumps(document | {"reasons": [{"why": w, "count": n} for w, n in found.reasons[:10]]}))
    else:
        from tracer.render.probes import recalled

        write_lines(recalled(found))


@_probe.command("device")
def device(
    folder: Annotated[Path, typer.Argument(metavar="RECORDING", help="What `probe run --device` left.")],
    reported: Annotated[
        list[str] | None, typer.Option(help="A function that reports completion.", show_default=False)
    ] = None,
    published: Annotated[
        list[str] | None, typer.Option(help="A function that publishes or uses again.", show_default=False)
    ] = None,
    form: Form = Format.text,
) -> None:
    """Whether each transfer was seen complete before it was reported, and before its blocks were used again."""
    from tracer.probe import transfers

    stages = {**dict.fromkeys(reported or [], "reported"), **dict.fromkeys(published or [], "published")}
    found = transfers.read(folder, stages)
    if not found:
        raise UsageError("has no transfers", where=str(folder), todo="record with `tracer probe run --device`")
    if form is Format.json:
        from tracer.render.json import dumps

        write(dumps({"schema": "tracer.probe-device/1", **transfers.as_json(found)}))
    else:
        write_lines(transfers.as_text(found))
    if any(t.verdict == transfers.AGAINST for t in found):
        raise typer.Exit(1)


@_probe.command("carry")
def carry(
    spec: Annotated[str, typer.Argument(help="ENGINE[@VERSION]")],
    out: Annotated[Path, typer.Option(help="An empty folder.")],
    names: Annotated[list[str] | None, typer.Argument(help="Scenarios.", show_default=False)] = None,
    base: Annotated[str, typer.Option("--python-version", help="Of the other machine's interpreter.")] = "3.12",
    index: Annotated[str | None, typer.Option("--index-url", help="Another package index.", show_default=False)] = None,
) -> None:
    """Gather what a CUDA machine without a network needs: the engine, small packages, recorder, scenarios, run.sh."""
    from tracer.probe import carry, environment

    found = carry.carry(environment.environment(spec), out, note, names=names or (), python=base, index=index or "")
    write_lines(f"{name:12} {size / 1e6:8.1f} MB" for name, size in found.sizes.items())
    write_lines([f"{'in all':12} {found.total / 1e6:8.1f} MB → {found.folder}"])
    if found.lacking:
        write_lines([f"no wheel for: {', '.join(found.lacking)} (the other machine must have them)"])
    write_lines([f"there: PYTHON=python3 OUT=out sh run.sh   (runs {', '.join(found.names)})"])


@_probe.command("doctor")
def doctor(form: Form = Format.text) -> None:
    """What this machine can run, and why not the rest."""
    from tracer.probe import doctor

    found, able = doctor.examine()
    if form is Format.json:
        from dataclasses import asdict

        from tracer.render.json import dumps

        document = {"schema": "tracer.probe-doctor/1", "machine": [asdict(f) for f in found]}
        write(dumps(document | {"scenarios": [asdict(a) for a in able]}))
        return
    for f in found:
        write_lines(
            [f"{'✓' if f.there else '✗'} {f.what}: {f.said}" + ("" if f.there or not f.without else f" — {f.without}")]
        )
    for a in able:
        write_lines(
            [
                f"{'✗' if a.why_not else '✓'} {a.engine}@{a.version} {a.scenario}"
                + (f": {a.why_not}" if a.why_not else "")
            ]
        )


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What is before and after `--`; the parser passes the words on without it."""
    after = console.given[console.given.index("--") + 1 :] if "--" in console.given else []
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
