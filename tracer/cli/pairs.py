"""`pairs` and `order`: is everything given back on every way out, and does this come before that?"""

from __future__ import annotations

from typing import Annotated

import typer

from tracer.cli.console import Bars, Format, folders, note, write, write_lines, write_styled
from tracer.cli.questions import Form, Rules

Spec = Annotated[str, typer.Argument(help="ENGINE[@VERSION].")]
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
    form: Form = Format.text,
) -> None:
    """Is every acquire matched by a release on every way out? Status 1 where one is missing."""
    from tracer import checkout, trace

    with Bars() as bars:
        checkout.open_tree(spec, progress=bars, note=bars.note)
        engine, holders, gaps = trace.pairs(
            what, spec, glob=within, depth=depth, rules=folders(rules or []), progress=bars
        )
    from tracer.render import pairs as render

    if form is Format.json:
        from tracer.render.json import dumps

        write(dumps(render.document(engine, holders, gaps)))
    elif form is Format.md:
        write_lines(render.markdown(engine, holders, gaps, every=every))
    else:
        write_styled(render.text(engine, holders, gaps, every=every))
    if not holders:
        note(f"nothing in {engine.name} {engine.version} holds {what!r} — ask `tracer pairs all {engine.name}`")
        raise typer.Exit(3)
    if any(h.missing for h in holders):
        raise typer.Exit(1)


def order(
    a: Annotated[str, typer.Argument(metavar="A", help=f"What should come first: {_OPERAND}")],
    b: Annotated[str, typer.Argument(metavar="B", help="What should come after it, written in the same ways.")],
    spec: Spec,
    inside: Annotated[str, typer.Option("--in", help="Only this function: a symbol or a tail of one.")] = "",
    depth: Depth = None,
    rules: Rules = None,
    form: Form = Format.text,
) -> None:
    """Does A come before B on every way, in each function that does both? Status 1 where it does not always."""
    from tracer import checkout, trace

    with Bars() as bars:
        checkout.open_tree(spec, progress=bars, note=bars.note)
        engine, orders = trace.order(a, b, spec, inside=inside, depth=depth, rules=folders(rules or []), progress=bars)
    from tracer.render import pairs as render

    if form is Format.json:
        from tracer.render.json import dumps

        write(dumps(render.order_document(engine, a, b, orders)))
    elif form is Format.md:
        write_lines(render.order_markdown(engine, a, b, orders))
    else:
        write_styled(render.order_text(engine, a, b, orders))
    if not orders:
        note("no function does both — raise --depth, or ask `tracer path` how one reaches the other")
        raise typer.Exit(3)
    if any(o.verdict != "always" for o in orders):
        raise typer.Exit(1)
