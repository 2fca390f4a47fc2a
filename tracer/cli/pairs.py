"""`pairs` and `order`: is everything given back on every way out, and does this come before that?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracer.cli import manual
from tracer.cli.console import (
    Bars,
    FindingFormat,
    Format,
    folders,
    note,
    write_document,
    write_findings,
    write_lines,
    write_styled,
)
from tracer.cli.paths import Choose, With
from tracer.cli.questions import Absolute, FindingForm, Form, Rules

if TYPE_CHECKING:
    from tracer.model import EngineRevision, Gap
    from tracer.pairs.balance import Holder
    from tracer.render.findings import Finding

Spec = Annotated[str, typer.Argument(help="ENGINE\\[@VERSION].", autocompletion=manual.specs)]
Depth = Annotated[
    int | None,
    typer.Option(min=0, max=6, help="Follow so many calls (default 3, or what the rule says).", show_default=False),
]
_OPERAND = "Class.field:op, a call such as Class.method, or RULE#action."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("pairs")(pairs)
    app.command("order")(order)


def pairs(
    what: Annotated[str, typer.Argument(help="A role, a pair's rule (or the start of its name), or 'all'.")],
    spec: Spec,
    within: Annotated[str | None, typer.Option("--in", help="Only in paths that this glob matches (or tails).")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every exit, not only those that miss a release.")] = False,
    depth: Depth = None,
    rules: Rules = None,
    form: FindingForm = FindingFormat.text,
    absolute: Absolute = False,
) -> None:
    """Is every acquire matched by a release on every way out? Status 1 where one is missing."""
    import tracer.trace as pipeline
    from tracer import checkout, stages

    with Bars() as bars:
        tree = checkout.open_tree(spec, progress=bars, note=bars.note)
        extra = folders(rules or [])
        read = cache(partial(stages.read_engine, spec, bars))
        engine, holders, gaps = pipeline.pairs(
            what, spec, glob=within, depth=depth, rules=extra, progress=bars, read=read
        )
        told = form in (FindingFormat.text, FindingFormat.json)
        given = pipeline.givers(what, spec, glob=within, rules=extra, read=read) if told else ()
    from tracer.render import pairs as render

    if form is FindingFormat.json:
        write_document(render.document(engine, holders, gaps, given))
    elif form is FindingFormat.md:
        write_lines(render.markdown(engine, holders, gaps, every=every))
    elif form is not FindingFormat.text:
        from tracer.render.findings import of_pairs

        found = of_pairs(holders)
        log = partial(_sarif, engine, holders, found, gaps, folders(rules or []))
        write_findings(form, found, [tree], log, absolute=absolute)
    else:
        write_styled(render.text(engine, holders, gaps, every=every))
        write_styled(render.given_back(given, every=every))
    if not holders:
        note(f"nothing in {engine.name} {engine.version} holds {what!r} — ask `tracer pairs all {engine.name}`")
        raise typer.Exit(3)
    if any(h.missing for h in holders):
        raise typer.Exit(1)


def _sarif(
    engine: EngineRevision, holders: Sequence[Holder], found: Sequence[Finding], gaps: Sequence[Gap],
    rules: Sequence[Path],
) -> dict[str, Any]:  # fmt: skip
    """The missing releases as a SARIF log; each pair says why it must hold."""
    from tracer.pairs.rules import pair_rules
    from tracer.render import sarif

    texts = {
        r.id: sarif.RuleText(
            f"{r.rule.role}: what is acquired is released on every way out",
            r.rule.why.en,
            tags=("kv-cache", "pairs", r.rule.role, r.rule.layer),
        )
        for r in pair_rules("all", engine.name, engine.version, rules)
        if any(h.rule == r.id for h in holders)
    }
    return sarif.log("pairs", [engine], texts, found, [f"{g.what}: {g.why}" for g in gaps])


def order(
    a: Annotated[str, typer.Argument(metavar="A", help=f"What should come first: {_OPERAND}")],
    b: Annotated[str, typer.Argument(metavar="B", help="What should come after it, written in the same ways.")],
    spec: Spec,
    inside: Annotated[str, typer.Option("--in", help="Only this function: a symbol or a tail of one.")] = "",
    along: Annotated[str, typer.Option(help="Along this named path (`tracer paths` lists them).")] = "",
    more: With = None,
    choose: Choose = None,
    depth: Depth = None,
    rules: Rules = None,
    form: Form = Format.text,
) -> None:
    """Does A come before B on every way, in each function that does both? Status 1 where it does not always."""
    if along:
        _along(a, b, along, [spec, *(more or [])], choose or [], depth, rules, form, inside)
        return
    import tracer.trace as pipeline
    from tracer import checkout

    with Bars() as bars:
        checkout.open_tree(spec, progress=bars, note=bars.note)
        engine, orders = pipeline.order(
            a, b, spec, inside=inside, depth=depth, rules=folders(rules or []), progress=bars
        )
    from tracer.render import pairs as render

    if form is Format.json:
        write_document(render.order_document(engine, a, b, orders))
    elif form is Format.md:
        write_lines(render.order_markdown(engine, a, b, orders))
    else:
        write_styled(render.order_text(engine, a, b, orders))
    if not orders:
        note("no function does both — raise --depth, or ask `tracer path` how one reaches the other")
        raise typer.Exit(3)
    if any(o.verdict != "always" for o in orders):
        raise typer.Exit(1)


def _along(
    a: str, b: str, name: str, specs: list[str], choose: list[str], depth: int | None, rules: Rules, form: Form,
    inside: str,
) -> None:
    """The same along a named path; status 3 where no step does B."""
    from tracer import along, checkout
    from tracer.render import pairs as render

    along.check_names(name, inside)
    with Bars() as bars:
        for spec in specs:
            checkout.open_tree(spec, progress=bars, note=bars.note)
        engines, way, steps = along.order_along(
            a, b, name, specs, choose=choose, depth=depth, rules=folders(rules or []), progress=bars
        )
    if form is Format.json:
        write_document(render.along_document(engines, a, b, way, steps))
    else:
        write_styled(render.along_text(a, b, way, steps))
    verdicts = [s.verdict for s in steps if s.verdict]
    if not verdicts:
        note(f"no step of {name!r} does {b} — `tracer path {name}` shows its steps")
        raise typer.Exit(3)
    if any(v != "always" for v in verdicts):
        raise typer.Exit(1)
