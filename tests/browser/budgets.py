"""Inputs of the budget, at random but always the same, with what `tracer budget` makes of each."""

from __future__ import annotations

import random
from typing import Any

from tracer.budget.arithmetic import budget, load_from, plain_model
from tracer.errors import UsageError

MODEL = ("layers", "kv_heads", "head_dim", "query_heads", "window", "window_layers", "latent", "rope", "state_layers",
         "state_elements", "dtype")
COUNTS = {"layers", "kv_heads", "head_dim", "query_heads", "window", "window_layers", "latent", "rope", "state_layers",
          "state_elements"}
CHOICES: dict[str, list[str]] = {
    "layers": ["1", "30", "32", "61", "80"],
    "kv_heads": ["1", "2", "8", "16"],
    "head_dim": ["64", "80", "128", "129"],
    "query_heads": ["0", "16", "64"],
    "window": ["0", "0", "1024", "4097"],
    "window_layers": ["", "", "0", "5", "25"],
    "latent": ["0", "0", "512"],
    "rope": ["0", "64"],
    "state_layers": ["0", "0", "1", "4"],
    "state_elements": ["0", "262144", "1000"],
    "dtype": ["bfloat16", "float32", "fp8"],
    "kv_dtype": ["auto", "auto", "fp8", "int4", "fp8_per_token_head", "nvfp4", "q8_0", "fp8_ds_mla"],
    "tokens": ["1", "100", "8192", "131072"],
    "prefix": ["", "", "0", "1000", "6144"],
    "prefixes": ["0", "7", "1000", "123456"],
    "replicas": ["1", "2", "3"],
    "tp": ["1", "2", "4", "8", "3"],
    "page": ["1", "16", "64", "100"],
    "chunk": ["1", "256", "300"],
    "partial_chunks": ["false", "true"],
    "objects": ["1", "2", "40"],
    "states": ["0", "1", "3"],
    "window_store": ["all", "window"],
    "replicated": ["auto", "each", "once"],
    "rate": ["20", "0.3", "1,000", "0"],
    "write_share": ["10%", "0.1", "1", "0"],
    "payload_share": ["70%", "0.33", "1"],
    "link": ["200 Gb/s", "25 GB/s", "23.28 GiB/s", "3.7 Mb/s"],
    "link_share": ["70%", "0.9", "1"],
    "residence": ["100 ms", "1.5 s", "20 us", "333ns"],
    "latency": ["0 s", "2 ms", "1.25s"],
    "concurrent": ["1", "3", "2.5"],
    "prefill_rate": ["", "8000", "123.4", "1e6"],
}
SHOWN = ("quantity", "section", "name", "name_zh", "formula", "exact", "unit", "shown", "shown_zh")


def cases(count: int) -> list[dict[str, str]]:
    """`count` inputs as a form has them; the first is the worked example."""
    dice = random.Random(8)
    return [{}, *({name: dice.choice(texts) for name, texts in CHOICES.items()} for _ in range(count - 1))]


def expected(case: dict[str, str]) -> list[dict[str, Any]] | None:
    """The lines of `tracer budget`; None where it refuses the input."""
    given = {k: v for k, v in case.items() if v != ""}
    shape = {k: int(given[k]) if k in COUNTS else given[k] for k in MODEL if k in given}
    rest: dict[str, Any] = {k: v for k, v in given.items() if k not in MODEL}
    if "partial_chunks" in rest:
        rest["partial_chunks"] = rest["partial_chunks"] == "true"
    try:
        lines = budget(plain_model(**shape), load_from(rest))
    except UsageError:
        return None
    return [{k: v for k, v in line.as_json().items() if k in SHOWN} for line in lines]
