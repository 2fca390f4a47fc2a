"""`budget`: the arithmetic of a shared KV cache, from flags or a model's `config.json`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracer.cli.console import Format, one_of, read_json, write, write_table
from tracer.errors import UsageError

if TYPE_CHECKING:
    from tracer.budget.arithmetic import Line

LANGUAGES = ("en", "zh")
MAX_CONFIG_BYTES = 8 << 20

# A flag that is not given stays None, so that the defaults stand in one place: tracer.budget.arithmetic and its parts.
Whole = Annotated[int | None, typer.Option(show_default=False, rich_help_panel="Load")]
Amount = Annotated[str | None, typer.Option(show_default=False, rich_help_panel="Load")]
ModelWhole = Annotated[int | None, typer.Option(show_default=False, rich_help_panel="Model")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(budget)


def budget(
    config: Annotated[
        Path | None,
        typer.Option(
            help="A Hugging Face config.json in place of the model flags.",
            show_default=False,
            rich_help_panel="Model",
        ),
    ] = None,
    layers: ModelWhole = None,
    kv_heads: ModelWhole = None,
    head_dim: ModelWhole = None,
    query_heads: ModelWhole = None,
    window: ModelWhole = None,
    window_layers: ModelWhole = None,
    latent: ModelWhole = None,
    rope: ModelWhole = None,
    state_layers: ModelWhole = None,
    state_elements: ModelWhole = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            help="The model's type; KV follows it.",
            show_default=False,
            rich_help_panel="Model",
        ),
    ] = None,
    kv_dtype: Amount = None,
    tokens: Whole = None,
    prefix: Whole = None,
    prefixes: Whole = None,
    replicas: Whole = None,
    tp: Whole = None,
    page: Whole = None,
    chunk: Whole = None,
    rate: Amount = None,
    write_share: Amount = None,
    payload_share: Amount = None,
    link: Amount = None,
    link_share: Amount = None,
    residence: Amount = None,
    latency: Amount = None,
    prefill_rate: Amount = None,
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="NAME=VALUE for the rarer ones, e.g. scale_group=128.",
            show_default=False,
            rich_help_panel="Load",
        ),
    ] = None,
    language: Annotated[str, typer.Option("--lang", help="en or zh.")] = "en",
    form: Annotated[Format, typer.Option("--format", help="How to write the answer.")] = Format.text,
) -> None:
    """Bytes of a request, a store and its traffic, each figure with its formula; the worked example without flags."""
    one_of(language, LANGUAGES, "language")
    from tracer.budget import arithmetic as sums

    shape = _given(
        layers=layers,
        kv_heads=kv_heads,
        head_dim=head_dim,
        query_heads=query_heads,
        window=window,
        window_layers=window_layers,
        latent=latent,
        rope=rope,
        state_layers=state_layers,
        state_elements=state_elements,
    )
    if config is None:
        model = sums.plain_model(**shape, **_given(dtype=dtype))
    elif shape:
        flag = next(iter(shape)).replace("_", "-")
        raise UsageError(f"--{flag} and --config both say what the model is", todo="give one of them")
    else:
        model = sums.model_from_config(read_json(config, MAX_CONFIG_BYTES), where=config.name, dtype=dtype or "")
    load = sums.load_from(
        _given(
            tokens=tokens,
            prefix=prefix,
            prefixes=prefixes,
            replicas=replicas,
            tp=tp,
            page=page,
            chunk=chunk,
            rate=rate,
            write_share=write_share,
            payload_share=payload_share,
            link=link,
            link_share=link_share,
            residence=residence,
            latency=latency,
            prefill_rate=prefill_rate,
            kv_dtype=kv_dtype,
            **_pairs(more or []),
        )
    )
    lines = sums.budget(model, load)
    if form is Format.json:
        from tracer.render.json import dumps

        figures = [line.as_json() for line in lines]
        write(dumps({"schema": "tracer.budget/1", "engines": [], "load": load.as_json(), "lines": figures}))
    else:
        _print(lines, form, language)


def _print(lines: Iterable[Line], form: Format, language: str) -> None:
    from tracer.render.text import Table

    chinese = language == "zh"
    rows = tuple(
        (
            line.section,
            line.name_zh if chinese else line.name,
            line.formula,
            (line.shown_zh or line.shown) if chinese else line.shown,
        )
        for line in lines
    )
    columns = ("部分", "数量", "算式", "结果") if chinese else ("part", "figure", "formula", "value")
    write_table(Table(columns, rows), form)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _pairs(texts: Iterable[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"{text!r} is not NAME=VALUE", where="--set", todo="write, say, --set objects=2")
        spoken: object = {"true": True, "false": False}.get(value, value)
        found[name.strip().replace("-", "_")] = spoken
    return found
