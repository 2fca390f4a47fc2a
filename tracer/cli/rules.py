"""`rules list|check|test|explain`: what the rules say, and whether they still match."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.console import Bars, Format, folders, note, one_of, write, write_lines, write_table
from tracer.cli.questions import Form, Rules, Specs

if TYPE_CHECKING:
    from tracer.rules import Rule

_rules = typer.Typer(help="What state carries a role, as data.", rich_markup_mode="rich", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_rules, name="rules")


@_rules.command("list")
def rules_list(
    role: Annotated[str | None, typer.Option(help="Only this role.", show_default=False)] = None,
    engine: Annotated[str | None, typer.Option(help="Only this engine.", show_default=False)] = None,
    rules: Rules = None,
    form: Form = Format.text,
) -> None:
    """Every rule: id, role, layer, actions and why."""
    from tracer.model import ROLES
    from tracer.render.text import Table
    from tracer.targets import names

    if role is not None:
        one_of(role, ROLES, "role")
    if engine is not None:
        one_of(engine, (*names(), "any"), "engine")
    found = [r for r in _all(rules) if role in (None, r.role) and engine in (None, r.engine)]
    if form is Format.json:
        from tracer.render import json as documents

        write(documents.dumps(documents.rules(found)))
        return
    rows = tuple(
        (r.id, r.role, r.layer, ", ".join(a for a, _ in r.actions), r.why.en or r.guards_what.en) for r in found
    )
    write_table(Table(("rule", "role", "layer", "actions", "why"), rows), form)


@_rules.command("explain")
def rules_explain(rule: Annotated[str, typer.Argument(help="A rule's id.")], rules: Rules = None) -> None:
    """One rule in words."""
    every = {r.id: r for r in _all(rules)}
    write_lines(_explanation(every[one_of(rule, tuple(every), "rule")]))


@_rules.command("check")
def rules_check(
    specs: Specs = None,
    everything: Annotated[bool, typer.Option("--all", help="Every pinned version.")] = False,
    rules: Rules = None,
    form: Form = Format.text,
) -> None:
    """How many sites each rule finds per action and version; a rule that finds too few is a gap."""
    import tracer.trace as pipeline
    from tracer.errors import TracerError, UsageError
    from tracer.render.text import Table
    from tracer.targets import names, parse_spec, target

    wanted = [parse_spec(spec) for spec in dict.fromkeys(specs or names())]
    if everything:
        wanted = [(t, v) for t in dict.fromkeys(t for t, _ in wanted) for v in target(t.name).versions]
    more = folders(rules or [])
    every = _all(rules)
    rows: list[tuple[str, ...]] = []
    failed = missing = 0
    with Bars() as bars:
        for engine, version in wanted:
            spec = f"{engine.name}@{version.name}"
            try:
                found = pipeline.where("all", [spec], rules=more, progress=bars)
            except UsageError:
                raise
            except TracerError as error:
                missing += 1
                rows.append((spec, "", "not read", str(error)))
                continue
            gaps = {gap.what: gap.why for gap in found.gaps}
            for rule in every:
                if rule.engine != engine.name or not rule.applies_to(version.name):
                    continue
                count = {a: sum(s.rule == rule.id and s.action == a for s in found.sites) for a, _ in rule.actions}
                failed += rule.id in gaps
                rows.append((spec, rule.id, " ".join(f"{a} {n}" for a, n in count.items()), gaps.get(rule.id, "")))
    columns = ("version", "rule", "sites", "gap")
    if form is Format.json:
        from tracer.render.json import dumps

        write(dumps({"schema": "tracer.rules-check/1", "rows": [dict(zip(columns, row, strict=True)) for row in rows]}))
    else:
        write_table(Table(columns, tuple(rows)), form)
    note(f"{len(rows) - missing} checks of a rule on a version, {failed} with a gap, {missing} versions not read")
    if failed or missing:
        raise typer.Exit(1 if len(wanted) > missing else 3)


@_rules.command("test")
def rules_test(rules: Rules = None) -> None:
    """Run each rule on the annotated example beside its file."""
    from tracer import examples

    outcomes = examples.run(folders(rules or []))
    bad = [o for o in outcomes if o.problems]
    for outcome in bad:
        for problem in outcome.problems:
            write_lines([f"{outcome.rules}: {problem}"])
    write_lines([f"{len(outcomes)} rule files tested, {len(bad)} wrong"])
    if bad or not outcomes:
        raise typer.Exit(1)


def _all(rules: list[Path] | None) -> tuple[Rule, ...]:
    from tracer.rules import all_rules

    return all_rules(tuple(folders(rules or [])))


def _explanation(rule: Rule) -> list[str]:
    from tracer.rules import describe

    lines = [f"{rule.id}: {rule.role} on the {rule.layer} layer of {rule.engine} ({rule.file})"]
    for name, text in (("why", rule.why), ("guards", rule.guards_what), ("live when", rule.live)):
        lines += [f"  {name}: {t}" for t in (text.en, text.zh) if t]
    if rule.versions:
        lines.append(f"  versions: {rule.versions}")
    if rule.files or rule.not_files:
        lines.append(f"  files: {', '.join([*rule.files, *(f'not {f}' for f in rule.not_files)])}")
    expected = dict(rule.expect)
    for action, cues in rule.actions:
        lines.append(f"  {action}, expected {expected.get(action, 'any number')}:")
        lines += [f"    - {describe(cue)}" for cue in cues]
    return lines
