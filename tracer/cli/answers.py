"""`answer`, `faults` and `claims`: what is said of an engine, each claim with its verdict and the lines behind it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracer.cli.console import Bars, Format, folders, note, one_of, write, write_document, write_lines, write_styled
from tracer.cli.questions import Form, Rules, Specs

if TYPE_CHECKING:
    from tracer.model import Gap
    from tracer.questions import Content, Verdicts


class PageFormat(enum.StrEnum):
    """How an answer is written."""

    text = "text"
    md = "md"
    html = "html"
    json = "json"


class Language(enum.StrEnum):
    """The language of the answers."""

    en = "en"
    zh = "zh"


PageForm = Annotated[PageFormat, typer.Option("--format", help="How to write the answer.")]
Lang = Annotated[Language, typer.Option("--lang", help="The language of the sentences.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(answer)
    app.command()(faults)
    app.command()(claims)


def answer(
    question: Annotated[str, typer.Argument(help="Q1 … Q18, or 'all'.")],
    specs: Specs = None,
    lang: Lang = Language.en,
    rules: Rules = None,
    form: PageForm = PageFormat.text,
) -> None:
    """Answer an implementation question per engine, with every claim checked on the version."""
    from tracer.questions import bank, behind
    from tracer.render import answers as render

    known = list(bank().questions)
    wanted = known if question == "all" else [one_of(question.upper(), known, "question")]
    found, gaps = _verdicts(specs, rules, lambda said: behind(said, wanted))
    document = render.answers(found, wanted, gaps)
    _print(document, "answer", form, lang)
    raise typer.Exit(_status(document, document["answers"]))


def faults(
    specs: Specs = None, lang: Lang = Language.en, rules: Rules = None, form: PageForm = PageFormat.text
) -> None:
    """The failure matrix: per fault and engine what detects it, what happens to the memory, what the request does."""
    from tracer.questions import behind_faults
    from tracer.render import answers as render

    found, gaps = _verdicts(specs, rules, behind_faults)
    document = render.faults(found, gaps)
    _print(document, "faults", form, lang)
    raise typer.Exit(_status(document, [c for row in document["faults"] for c in row["cells"] if c["kind"]]))


def claims(
    specs: Specs = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only the claim of this id, or all whose id begins so.", show_default=False)
    ] = None,
    rules: Rules = None,
    form: Form = Format.text,
) -> None:
    """Every claim with its verdict and the lines that decide it."""
    from tracer.questions import named
    from tracer.render import answers as render

    found, gaps = _verdicts(specs, rules, lambda said: named(said, only or ()))
    document = render.claims(found, gaps)
    if form is Format.json:
        _print(document, "claims", PageFormat.json, Language.en)
    elif form is Format.md:
        from tracer.render.text import plain

        write_lines(plain(line) for line in render.claims_text(document))
    else:
        write_styled(render.claims_text(document))
    raise typer.Exit(_status(document, document["claims"]))


def _verdicts(
    specs: Sequence[str] | None, rules: list[Path] | None, wanted: Callable[[Content], Iterable[str]]
) -> tuple[list[Verdicts], list[Gap]]:
    """The verdicts per engine. With several, one that cannot be had is a gap; a single one ends the command."""
    from tracer.checkout import open_tree
    from tracer.errors import TracerError, UsageError
    from tracer.model import Gap
    from tracer.questions import check
    from tracer.targets import defaults

    more = folders(rules or [])
    every = list(dict.fromkeys(specs or [])) or list(defaults())
    found, gaps = [], []
    with Bars() as bars:
        for spec in every:
            try:
                open_tree(spec, progress=bars, note=bars.note)
                found.append(check(spec, wanted, rules=more, progress=bars))
            except UsageError:
                raise
            except TracerError as error:
                if len(every) == 1 or error.exit_code == UsageError.exit_code:
                    raise
                gaps.append(Gap(spec, str(error)))
    return found, gaps


def _print(document: dict[str, Any], page: str, form: PageFormat, lang: Language) -> None:
    from tracer.render import answers as render

    if form is PageFormat.json:
        write_document(document)
    elif form is PageFormat.text:
        write_styled(render.text(document, lang.value))
    else:
        write(render.page(document, page, form.value, lang.value))


def _status(document: dict[str, Any], answered: Sequence[Any]) -> int:
    """0 answered, 1 with a claim that fails or an answer that is missing, 3 nothing answered."""
    from tracer.render.answers import verdicts_in

    if not answered:
        note("nothing is written about this — see the gaps")
        return 3
    return 1 if document["gaps"] or "fails" in verdicts_in(document) else 0
