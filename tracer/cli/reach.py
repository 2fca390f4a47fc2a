"""`drives` and `relay`: who reaches a site, and along which chain a completion travels."""

from __future__ import annotations

from typing import Annotated

import typer

from tracer.cli.console import Bars, Format, document_text, folders, note, write_document, write_lines
from tracer.cli.paths import Out, Stack, With, asked, deliver, fetch
from tracer.cli.questions import Form, Rules


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("drives")(drives)
    app.command("relay")(relay)


def drives(
    words: Annotated[
        list[str], typer.Argument(metavar="SITE ENGINE…", help="A symbol, FILE:LINE or a rule's id, and the engine.")
    ],
    more: With = None,
    stack: Stack = None,
    most: Annotated[int, typer.Option("-n", min=1, help="Show so many entries of each function.")] = 40,
    guards: Annotated[bool, typer.Option(help="Show the conditions on the way.")] = True,
    rules: Rules = None,
    form: Form = Format.text,
    out: Out = None,
) -> None:
    """Which loops, threads, handlers and public functions reach this site, under which conditions?"""
    import tracer.trace as pipeline
    from tracer.render import reach

    names, specs = asked(words, [*(more or [])], stack, most=1)
    with Bars() as bars:
        fetch(specs, bars)
        engines, found = pipeline.drives(names[0], specs, most=most, rules=folders(rules or []), progress=bars)
    if form is Format.json:
        deliver(document_text(reach.drives_json(engines, found)), out)
    else:
        deliver("\n".join(reach.drives(found, engines, guards=guards)) + "\n", out)
    if not any(d.entries for d in found):
        note("no entry was found — nothing here calls it; ask `tracer uses`")
        raise typer.Exit(3)


def relay(
    words: Annotated[
        list[str], typer.Argument(metavar="ROLE|SITE ENGINE…", help="A role, or a symbol, FILE:LINE or a rule's id.")
    ],
    more: With = None,
    stack: Stack = None,
    rules: Rules = None,
    form: Form = Format.text,
) -> None:
    """Along which chain does a completion travel; who can fail to send it, and how many can arrive?"""
    import tracer.trace as pipeline
    from tracer.render import reach

    names, specs = asked(words, [*(more or [])], stack, most=1)
    with Bars() as bars:
        fetch(specs, bars)
        engines, found = pipeline.relay(names[0], specs, rules=folders(rules or []), progress=bars)
    if form is Format.json:
        write_document(reach.relay_json(engines, found))
    else:
        write_lines(reach.relay(found, engines))
    if not found:
        note("nothing here is filled by one function and taken from by another — name a role or a line of a hand-over")
        raise typer.Exit(3)
