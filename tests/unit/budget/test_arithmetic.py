"""The budget: every figure of the worked example, published KV sizes, bad input in one line, and laws that must hold.

Sources of the published sizes are listed in `tracer/budget/models.py`.
"""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracer.budget.arithmetic import NAMES, Line, Load, Model, budget, load_from, model_from_config, plain_model
from tracer.budget.models import Attention, State, element, kept
from tracer.budget.units import figure, read_rate, read_time, show_rate, show_size
from tracer.errors import UsageError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
GIGABIT = Fraction(10**9, 8)  # in bytes


def lines_of(model: Model | None = None, **options: object) -> dict[str, Line]:
    return {line.quantity: line for line in budget(model, Load(**options))}  # type: ignore[arg-type]


def value_of(quantity: str, model: Model | None = None, **options: object) -> int | Fraction | None:
    return lines_of(model, **options)[quantity].value


def refusal(call: object, *args: object, **options: object) -> str:
    with pytest.raises(UsageError) as error:
        call(*args, **options)  # type: ignore[operator]
    text = str(error.value)
    assert "\n" not in text
    return text


LLAMA_405B = {"model_type": "llama", "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8,
              "hidden_size": 16384, "torch_dtype": "bfloat16"}
QWEN_72B = {"model_type": "qwen2", "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
            "hidden_size": 8192, "torch_dtype": "bfloat16", "sliding_window": 131072, "use_sliding_window": False,
            "max_window_layers": 80}
DEEPSEEK_V3 = {"model_type": "deepseek_v3", "num_hidden_layers": 61, "num_attention_heads": 128,
               "num_key_value_heads": 128, "hidden_size": 7168, "kv_lora_rank": 512, "q_lora_rank": 1536,
               "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "torch_dtype": "bfloat16",
               "num_nextn_predict_layers": 1}
MISTRAL_7B = {"model_type": "mistral", "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
              "hidden_size": 4096, "sliding_window": 4096, "torch_dtype": "bfloat16"}
JAMBA = {"model_type": "jamba", "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
         "hidden_size": 4096, "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4,
         "mamba_expand": 2, "torch_dtype": "bfloat16"}
GEMMA_4_E4B = {"model_type": "gemma4", "torch_dtype": "float16", "text_config": {
    "model_type": "gemma4_text", "num_hidden_layers": 42, "num_attention_heads": 8, "num_key_value_heads": 2,
    "head_dim": 256, "global_head_dim": 512, "hidden_size": 2560, "sliding_window": 512, "num_kv_shared_layers": 18,
    "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 7}}
QWEN_35_35B = {"model_type": "qwen3_5_moe", "torch_dtype": "bfloat16", "text_config": {
    "model_type": "qwen3_5_moe_text", "num_hidden_layers": 40, "num_attention_heads": 16, "num_key_value_heads": 2,
    "head_dim": 256, "hidden_size": 2048, "full_attention_interval": 4, "linear_num_value_heads": 32,
    "linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
    "mamba_ssm_dtype": "float32"}}


# ---- the worked example -------------------------------------------------------------------------------------------


def test_every_figure_of_the_worked_example_is_computed() -> None:
    layers, heads, dim, element_bytes, tp = 32, 8, 128, 2, 4
    tokens, prefix, prefixes, chunk, rate = 8192, 6144, 1000, 256, 20
    token = 2 * layers * heads * dim * element_bytes
    wanted = {
        "token_bytes": (token, 128 * KIB, "128 KiB"),
        "sequence_bytes": (tokens * token, GIB, "1 GiB"),
        "rank_bytes": (tokens * token // tp, 256 * MIB, "256 MiB"),
        "prefix_bytes": (prefix * token, Fraction(3, 4) * GIB, "0.75 GiB"),
        "logical_bytes": (prefixes * prefix * token, 750 * GIB, "750 GiB"),
        "replica_bytes": (2 * prefixes * prefix * token, 1500 * GIB, "1,500 GiB"),
        "pool_bytes": (2 * prefixes * prefix * token / Fraction(7, 10), Fraction(15000, 7) * GIB, "≈ 2,143 GiB"),
        "chunks": (prefix // chunk, 24, "24 chunks"),
        "objects": (prefixes * (prefix // chunk) * tp, 96_000, "96,000 objects"),
        "replica_records": (2 * prefixes * (prefix // chunk) * tp, 192_000, "192,000 records"),
        "object_bytes": (chunk * token // tp, 8 * MIB, "8 MiB"),
        "read_rate": (rate * prefix * token, 15 * GIB, "15 GiB/s ≈ 128.85 Gb/s"),
        "link_rate": (200 * GIGABIT, 25 * 10**9, "200 Gb/s ≈ 23.28 GiB/s"),
        "usable_rate": (200 * GIGABIT * Fraction(7, 10), 17_500_000_000, "140 Gb/s ≈ 16.30 GiB/s"),
        "write_rate": (rate * tokens * token * 2 * Fraction(1, 10), 4 * GIB, "4 GiB/s ≈ 34.36 Gb/s"),
        "in_flight_bytes": (rate * prefix * token * Fraction(1, 10), Fraction(3, 2) * GIB, "1.5 GiB"),
    }
    lines = lines_of()
    for quantity, (computed, stated, shown) in wanted.items():
        assert computed == stated, quantity
        assert (lines[quantity].value, lines[quantity].shown) == (stated, shown), quantity


@pytest.mark.parametrize(("quantity", "formula"), [
    ("token_bytes", "2 × 32 × 8 × 128 × 2 B"),
    ("sequence_bytes", "8,192 × 128 KiB"),
    ("rank_bytes", "1 GiB ÷ 4"),
    ("prefix_bytes", "6,144 × 128 KiB"),
    ("pool_bytes", "1,500 GiB ÷ 0.7"),
    ("chunks", "6,144 ÷ 256"),
    ("objects", "1,000 × 24 × 4"),
    ("object_bytes", "256 × 128 KiB ÷ 4"),
    ("read_rate", "20/s × 0.75 GiB"),
    ("usable_rate", "200 Gb/s × 0.7"),
    ("write_rate", "20/s × 0.1 × 1 GiB × 2"),
    ("in_flight_bytes", "15 GiB/s × 100 ms"),
])
def test_a_formula_has_the_figures_in_it(quantity: str, formula: str) -> None:
    assert lines_of()[quantity].formula == formula


def test_typed_units_give_the_same_lines_as_the_defaults() -> None:
    typed = load_from({"tokens": "8_192", "prefix": "6,144", "link": "200 Gb/s", "residence": "100ms", "rate": "20",
                       "payload_share": "70%", "link_share": "0.7", "write_share": "10 %", "tp": None})
    assert budget(None, typed) == budget()


def test_every_line_has_both_languages_a_unit_and_plain_json() -> None:
    model = model_from_config({**JAMBA, "sliding_window": None})
    for line in budget(model, load_from({"prefill_rate": 10_000})):
        as_json = line.as_json()
        assert json.loads(json.dumps(as_json)) == as_json
        assert line.name and line.name_zh and line.formula and line.shown and as_json["shown_zh"]
        assert {"{", "}"}.isdisjoint(line.name + line.name_zh)
        assert NAMES[line.quantity][:2] == (line.section, line.unit)
    assert json.loads(json.dumps(Load().as_json()))["link_share"] == 0.7
    assert any("\u4e00" <= character <= "\u9fff" for character in NAMES["token_bytes"][3])


# ---- published sizes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("config", "published_kilobytes"), [
    (DEEPSEEK_V3, "70.272"), (QWEN_72B, "327.680"), (LLAMA_405B, "516.096"),
])
def test_kv_per_token_is_what_the_deepseek_v3_paper_prints(config: dict[str, object], published_kilobytes: str) -> None:
    assert value_of("token_bytes", model_from_config(config)) == Fraction(published_kilobytes) * 1000


@pytest.mark.parametrize(("config", "published_gib"), [
    (JAMBA, 4),
    ({**MISTRAL_7B, "sliding_window": None}, 32),
    ({**MISTRAL_7B, "model_type": "mixtral", "sliding_window": None}, 32),
    ({"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32, "hidden_size": 4096,
      "torch_dtype": "float16"}, 128),
])
def test_kv_at_256k_tokens_is_what_the_jamba_paper_prints(config: dict[str, object], published_gib: int) -> None:
    model = model_from_config(config)
    lines = lines_of(model, tokens=256 * 1024, tp=1)
    state = lines["state_bytes"].value if "state_bytes" in lines else 0
    assert lines["sequence_bytes"].value - state == published_gib * GIB  # type: ignore[operator]


def test_a_window_of_4096_saves_mistral_eight_times_at_32k_tokens() -> None:
    windowed = value_of("sequence_bytes", model_from_config(MISTRAL_7B), tokens=32 * 1024)
    whole = value_of("sequence_bytes", model_from_config({**MISTRAL_7B, "sliding_window": None}), tokens=32 * 1024)
    assert whole == 8 * windowed == 4 * GIB  # type: ignore[operator]


def test_gemma_4_e4b_buffers_are_the_measured_ones() -> None:
    model = model_from_config(GEMMA_4_E4B)
    full = [one for one in model.layers if not one.window]
    sliding = [one for one in model.layers if one.window]
    half = element("float16")
    assert [one.count for one in full + sliding] == [4, 20]  # 24 of 42 layers keep KV of their own, 5:1
    assert sum(4096 * one.token_bytes(half) for one in full) == 64 * MIB
    assert sum(4096 * one.token_bytes(half) for one in sliding) == 160 * MIB
    assert sum(1536 * one.token_bytes(half) for one in sliding) == 60 * MIB
    assert value_of("sequence_bytes", model, tokens=4096, tp=1) == 64 * MIB + 512 * 40 * KIB


def test_flashmla_fp8_keeps_656_bytes_per_token_and_layer() -> None:
    model = model_from_config(DEEPSEEK_V3)
    assert value_of("token_bytes", model, kv_dtype="fp8_ds_mla") == 61 * 656
    assert lines_of(model, kv_dtype="fp8_ds_mla")["token_bytes"].formula == "61 × (512 × 1 B + 4 × 4 B + 64 × 2 B)"


def test_qwen_35_state_and_keys_are_the_printed_pages() -> None:
    model = model_from_config(QWEN_35_35B)
    (state,), (attention,) = model.states, model.layers
    recurrent = [part for part in state.parts if part.name == "recurrent"]
    assert State(1, tuple(recurrent)).sequence_bytes(None, tp=8) == 262_144
    assert (attention.count, state.count) == (10, 30)
    conv = (2 * 16 * 128 + 32 * 128) * 3 * 2
    assert value_of("state_bytes", model) == 30 * (conv + 8 * 262_144)
    # K and V; each of the 8 ranks has one of the 2 heads
    assert attention.token_bytes(element("bfloat16"), tp=8) == 10 * 2 * 512


def test_a_sparse_indexer_adds_its_fp8_keys() -> None:
    plain = value_of("token_bytes", model_from_config({**DEEPSEEK_V3, "model_type": "other"}))
    sparse = value_of("token_bytes", model_from_config({**DEEPSEEK_V3, "model_type": "deepseek_v32"}))
    assert sparse - plain == 61 * (128 + 4)  # type: ignore[operator]


# ---- kinds of cache -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kv_heads", "expected"), [(32, 512 * KIB), (8, 128 * KIB), (1, 16 * KIB)])
def test_mha_gqa_and_mqa_differ_by_their_heads_only(kv_heads: int, expected: int) -> None:
    config = {**MISTRAL_7B, "sliding_window": None, "num_key_value_heads": kv_heads}
    assert value_of("token_bytes", model_from_config(config), tp=1) == expected


def test_a_config_without_kv_heads_is_mha_and_multi_query_is_one_head() -> None:
    config = {"n_layer": 2, "n_head": 4, "n_embd": 64, "torch_dtype": "float32"}
    assert model_from_config(config).layers == (Attention(2, 4, 16, 16),)
    assert model_from_config({**config, "multi_query": True}).layers == (Attention(2, 1, 16, 16),)


def test_a_latent_is_replicated_on_every_rank_and_stored_once() -> None:
    model = model_from_config(DEEPSEEK_V3)
    lines = lines_of(model, tp=8)
    assert lines["rank_bytes"].value == lines["sequence_bytes"].value
    assert lines["replication"].value == 8
    assert lines["prefix_bytes"].value == 6144 * 70_272
    assert lines["objects"].value == 1000 * 24
    each = lines_of(model, tp=8, replicated="each")
    assert each["prefix_bytes"].value == 8 * 6144 * 70_272
    assert each["objects"].value == 1000 * 24 * 8
    assert each["object_bytes"].value == lines["object_bytes"].value == 256 * 70_272


def test_heads_are_replicated_where_there_are_more_ranks_than_heads() -> None:
    lines = lines_of(tp=16)
    assert lines["rank_bytes"].value == 128 * MIB
    assert (lines["ranks_bytes"].value, lines["replication"].value, lines["replication"].shown) == (2 * GIB, 2, "2×")
    assert lines["prefix_bytes"].value == 2 * 6144 * 128 * KIB
    once = lines_of(tp=16, replicated="once")
    assert (once["prefix_bytes"].value, once["objects"].value) == (6144 * 128 * KIB, 1000 * 24 * 8)


def test_sliding_layers_keep_their_window_only() -> None:
    model = plain_model(window=1024, window_layers=24)
    lines = lines_of(model, tp=1)
    per_layer = 2 * 8 * 128 * 2
    assert lines["window_tokens"].value == 1024
    assert lines["sequence_bytes"].value == per_layer * (8 * 8192 + 24 * 1024)
    assert lines["sequence_bytes"].formula == "8,192 × 32 KiB + 1,024 × 96 KiB"
    assert value_of("sequence_bytes", model, tokens=512, prefix=0, tp=1) == per_layer * 32 * 512
    assert lines["prefix_bytes"].value == 6144 * 32 * per_layer  # a hit may end at any chunk
    assert value_of("prefix_bytes", model, window_store="window", tp=1) == per_layer * (8 * 6144 + 24 * 1024)


def test_a_state_is_counted_per_sequence_and_not_per_token() -> None:
    model = model_from_config(JAMBA)
    conv, recurrent = 8192 * 3 * 2, 8192 * 16 * 2
    short, long = (lines_of(model, tokens=tokens, tp=1) for tokens in (1024, 8192))
    assert short["state_bytes"].value == long["state_bytes"].value == 28 * (conv + recurrent)
    assert long["sequence_bytes"].value - short["sequence_bytes"].value == (8192 - 1024) * 16 * KIB  # type: ignore[operator]
    assert value_of("state_bytes", model, state_dtype="float32") == 28 * (conv + 2 * recurrent)
    sharded = lines_of(model, tp=4)
    assert sharded["ranks_bytes"].value == sharded["sequence_bytes"].value
    assert sharded["prefix_bytes"].value == 6144 * 16 * KIB + 28 * (conv + recurrent)
    assert sharded["objects"].value == 1000 * (24 * 4 + 4)


def test_mamba_2_groups_are_replicated_and_heads_are_split() -> None:
    config = {"model_type": "mamba2", "num_hidden_layers": 2, "num_heads": 16, "head_dim": 64, "state_size": 128,
              "n_groups": 1, "conv_kernel": 4, "hidden_size": 512, "expand": 2, "torch_dtype": "bfloat16"}
    model = model_from_config(config)
    assert model.layers == ()
    heads, groups, recurrent = 16 * 64 * 3 * 2, 2 * 128 * 3 * 2, 16 * 64 * 128 * 2
    assert value_of("rank_bytes", model, tp=4) == 2 * (heads // 4 + groups + recurrent // 4)
    assert "pages" not in lines_of(model)


@pytest.mark.parametrize(("extra", "expected"), [
    ({"kv_dtype": "fp8"}, Fraction(1, 2)),
    ({"kv_dtype": "int8"}, Fraction(1, 2)),
    ({"kv_dtype": "int8_per_token_head"}, Fraction(128 + 4, 256)),
    ({"kv_dtype": "int4_per_token_head"}, Fraction(64 + 4, 256)),
    ({"kv_dtype": "int8", "scale_group": "head", "scale_dtype": "float16"}, Fraction(128 + 2, 256)),
    ({"kv_dtype": "int4", "scale_group": 64, "scale_dtype": "float16", "zero_dtype": "float16"}, Fraction(64 + 8, 256)),
    ({"kv_dtype": "nvfp4"}, Fraction(64 + 8, 256)),
    ({"kv_dtype": "q8_0"}, Fraction(34, 64)),
    ({"kv_dtype": "q4_0"}, Fraction(18, 64)),
    ({"kv_dtype": "fp32"}, Fraction(2)),
])
def test_quantised_kv_has_its_scales(extra: dict[str, object], expected: Fraction) -> None:
    assert value_of("token_bytes", **extra) == expected * 128 * KIB


def test_a_group_that_does_not_fill_has_a_scale_too() -> None:
    assert element("int8", scale_group=64, scale_dtype="float16").row_bytes(80) == 80 + 2 * 2


def test_a_checkpoint_may_ask_for_its_kv_type() -> None:
    scheme = {"quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float"}}}
    model = model_from_config({**LLAMA_405B, **scheme})
    assert value_of("token_bytes", model) == 516_096 // 2
    assert value_of("token_bytes", model, kv_dtype="bfloat16") == 516_096


@pytest.mark.parametrize(("extra", "kinds"), [
    ({"model_type": "gemma3_text", "num_hidden_layers": 12, "sliding_window": 1024}, "sssssfsssssf"),
    ({"model_type": "gemma2", "num_hidden_layers": 4}, "sfsf"),
    ({"model_type": "cohere2", "num_hidden_layers": 8, "num_key_value_heads": 4}, "sssfsssf"),
    ({"num_hidden_layers": 6, "sliding_window": 64, "sliding_window_pattern": 3}, "ssfssf"),
    ({"num_hidden_layers": 6, "sliding_window": 64, "sliding_window_pattern": "LLG"}, "ssfssf"),
    ({"num_hidden_layers": 4, "sliding_window": 64, "use_sliding_window": True, "max_window_layers": 3}, "fffs"),
    ({"num_hidden_layers": 4, "sliding_window": 64, "use_sliding_window": False}, "ffff"),
    ({"num_hidden_layers": 4, "sliding_window": 64, "max_window_layers": 2}, "ffff"),
    ({"num_hidden_layers": 4, "sliding_window": None}, "ffff"),
    ({"num_hidden_layers": 3, "sliding_window": 64}, "sss"),
    ({"num_hidden_layers": 3, "sliding_window": 64, "hybrid_layer_pattern": [0, 1, 1]}, "fss"),
    ({"num_hidden_layers": 2, "sliding_window": 64, "layer_types": ["full_attention", "sliding_attention"]}, "fs"),
    ({"num_hidden_layers": 4, "attention_chunk_size": 64, "no_rope_layers": [1, 1, 1, 0]}, "sssf"),
    ({"num_hidden_layers": 6, "num_kv_shared_layers": 2, "sliding_window": 64, "sliding_window_pattern": 2}, "sfsf"),
    ({"num_hidden_layers": 4, "num_kv_shared_layers": 1, "sliding_window": 64,
      "layer_types": ["sliding_attention"] * 2 + ["full_attention"] * 2}, "ssf"),
    ({"num_hidden_layers": 5, "sliding_window": 64, "sliding_window_pattern": 3}, "ssfss"),
    ({"num_hidden_layers": 6, "use_cla": True, "cla_share_factor": 2}, "fff"),
])
def test_which_layers_slide_follows_each_family_of_keys(extra: dict[str, object], kinds: str) -> None:
    model = model_from_config({"num_attention_heads": 8, "hidden_size": 2048, "torch_dtype": "bfloat16", **extra})
    counts = {bool(one.window): one.count for one in model.layers}
    assert counts == {slides: kinds.count(letter) for slides, letter in ((True, "s"), (False, "f")) if letter in kinds}


@pytest.mark.parametrize(("extra", "attending", "states"), [
    ({"layers_block_type": ["mamba", "attention", "mamba", "moe"]}, 1, 2),
    ({"hybrid_override_pattern": "M-M*"}, 1, 2),
    ({"attn_type_list": [0, 0, 0, 1]}, 1, 3),
    ({"attn_layer_indices": [2]}, 1, 3),
    ({"attn_layer_period": 2, "attn_layer_offset": 1}, 2, 2),
    ({"model_type": "falcon_h1"}, 4, 4),
    ({"layer_types": ["hybrid", "linear_attention", "linear_attention", "hybrid"]}, 2, 4),
])
def test_which_layers_keep_a_state_follows_each_family_of_keys(
    extra: dict[str, object], attending: int, states: int,
) -> None:
    base = {"num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512, "torch_dtype": "bfloat16",
            "mamba_n_heads": 16, "mamba_d_head": "auto", "mamba_d_state": 64, "mamba_d_conv": 4, "mamba_expand": 2}
    model = model_from_config({**base, **extra})
    assert (sum(one.count for one in model.layers), sum(one.count for one in model.states)) == (attending, states)


def test_kimi_linear_counts_its_layers_from_one_and_keeps_fp32_states() -> None:
    linear = {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 32, "head_dim": 128,
              "short_conv_kernel_size": 4}
    config = {**DEEPSEEK_V3, "model_type": "kimi_linear", "num_hidden_layers": 4, "linear_attn_config": linear}
    lines = lines_of(model_from_config(config))
    assert lines["token_bytes"].value == 576 * 2
    assert lines["state_bytes"].value == 3 * (32 * 128 * 3 * 3 * 2 + 32 * 128 * 128 * 4)


def test_layers_may_differ_in_their_heads() -> None:
    base = {"num_hidden_layers": 2, "num_attention_heads": 8, "head_dim": 64, "torch_dtype": "bfloat16"}
    listed = {"num_kv_heads": [2, 4]}
    assert model_from_config({**base, **listed}).layers == (Attention(1, 2, 64, 64), Attention(1, 4, 64, 64))
    searched = {"block_configs": [{"attention": {"no_op": True}}, {"attention": {"n_heads_in_group": 4}}]}
    assert model_from_config({**base, **searched}).layers == (Attention(1, 2, 64, 64),)
    single = {"per_layer_config": {"1": {"head_dim": 128, "num_key_value_heads": 1}}}
    assert model_from_config({**base, **single}).layers == (Attention(1, 8, 64, 64), Attention(1, 1, 128, 128))
    assert model_from_config({**base, "v_head_dim": 32}).layers == (Attention(2, 8, 64, 32),)


def test_a_nested_text_config_is_read_with_the_outer_dtype() -> None:
    nested = {"model_type": "wrapper", "torch_dtype": "bfloat16", "vision_config": {"num_hidden_layers": 99},
              "text_config": {key: value for key, value in LLAMA_405B.items() if key != "torch_dtype"}}
    assert model_from_config(nested) == model_from_config(LLAMA_405B)


# ---- pages, chunks, break-even ------------------------------------------------------------------------------------


def test_a_page_tail_is_the_waste_of_the_last_page() -> None:
    lines = lines_of(tokens=8193, page=16)
    assert lines["pages"].value == 513
    assert lines["tail_bytes"].value == 15 * 32 * KIB
    assert lines["page_bytes"].value == 16 * 32 * KIB


def test_only_whole_chunks_are_stored_unless_partial_ones_are_asked_for() -> None:
    whole, partial = lines_of(prefix=1000), lines_of(prefix=1000, partial_chunks=True)
    assert (whole["chunks"].value, whole["stored_tokens"].value) == (3, 768)
    assert (partial["chunks"].value, partial["stored_tokens"].value) == (4, 1000)
    assert whole["prefix_bytes"].value == 768 * 128 * KIB
    none = lines_of(prefix=255)
    assert (none["prefix_bytes"].value, none["objects"].value, none["read_rate"].value) == (0, 0, 0)


def test_more_objects_per_rank_chunk_mean_smaller_ones() -> None:
    lines = lines_of(objects=32)
    assert (lines["objects"].value, lines["object_bytes"].value) == (32 * 96_000, 256 * KIB)


def test_loading_wins_from_the_first_hit_whose_load_is_shorter_than_its_prefill() -> None:
    options = {"link": 10**9, "link_share": 1, "latency": Fraction(1, 100), "prefill_rate": 5000}
    lines = lines_of(**options)
    gain_per_token = Fraction(1, 5000) - Fraction(128 * KIB, 10**9)
    first = int(Fraction(1, 100) / gain_per_token) + 1
    assert value_of("break_even_tokens", partial_chunks=True, **options) == first == 146
    assert lines["break_even_tokens"].value == 256  # the first whole chunk
    assert value_of("break_even_tokens", chunk=64, **options) == 192
    assert lines["load_time"].value == Fraction(1, 100) + Fraction(6144 * 128 * KIB, 10**9)
    assert lines["saved_time"].value == Fraction(6144, 5000)
    assert lines["gain"].value == lines["saved_time"].value - lines["load_time"].value  # type: ignore[operator]


def test_loading_never_wins_on_a_link_slower_than_prefill() -> None:
    lines = lines_of(link=10**9, link_share=1, prefill_rate=8000)
    assert 10**9 / (128 * KIB) < 8000
    assert (lines["break_even_tokens"].value, lines["break_even_tokens"].shown) == (None, "never")
    assert lines["break_even_tokens"].as_json()["shown_zh"] == "永不"
    assert lines["gain"].value < 0 and lines["gain"].shown.startswith("≈ -")  # type: ignore[operator]
    assert lines["break_even_rate"].value == 8000 * 128 * KIB  # the link that would break even


def test_no_bandwidth_helps_where_the_latency_alone_is_longer_than_the_prefill() -> None:
    assert value_of("break_even_rate", latency=1, prefill_rate=10_000) is None
    assert value_of("break_even_tokens", latency=1, prefill_rate=10_000) > 10_000  # type: ignore[operator]


def test_break_even_is_left_out_without_a_prefill_rate() -> None:
    assert not any(line.section == "break_even" for line in budget())


def test_a_window_may_turn_a_loss_into_a_gain() -> None:
    options = {"link": 10**9, "link_share": 1, "prefill_rate": 8000, "partial_chunks": True}
    assert value_of("break_even_tokens", plain_model(window=1000), **options) is None
    won = value_of("break_even_tokens", plain_model(window=1000), window_store="window", **options)
    assert won == int(1000 * 128 * KIB * Fraction(8000, 10**9)) + 1


# ---- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "words"), [
    ({"num_hidden_layers": None}, ["num_hidden_layers is missing"]),
    ({"num_attention_heads": None}, ["num_attention_heads is missing", "n_head"]),
    ({"num_hidden_layers": -3}, ["num_hidden_layers is -3"]),
    ({"num_hidden_layers": 10**9}, ["10,000"]),
    ({"num_hidden_layers": "80"}, ["num_hidden_layers is '80'"]),
    ({"num_key_value_heads": True}, ["num_key_value_heads is True"]),
    ({"num_key_value_heads": 5}, ["num_key_value_heads 5 does not divide 64", "nearest: 4, 8"]),
    ({"num_attention_heads": 60, "num_key_value_heads": 4}, ["60 attention heads do not divide hidden_size 8192"]),
    ({"torch_dtype": "bfloat61"}, ["torch_dtype", "'bfloat61'", "nearest: bfloat16"]),
    ({"torch_dtype": None}, ["torch_dtype is missing"]),
    ({"layer_types": ["full_attention"]}, ["layer_types has 1 entries for 80 layers"]),
    ({"layer_types": ["full_atention"] * 80}, ["'full_atention'", "nearest: full_attention"]),
    ({"layer_types": "full"}, ["layer_types is 'full'", "list"]),
    ({"layer_types": ["sliding_attention"] * 80, "sliding_window": None}, ["sliding_window is missing"]),
    ({"layer_types": ["mamba"] * 80}, ["state layers is not stated"]),
    ({"num_kv_shared_layers": 80}, ["num_kv_shared_layers is 80 of 80"]),
    ({"kv_lora_rank": 512}, ["qk_rope_head_dim is missing"]),
    ({"compress_ratios": [4, 128]}, ["compress_ratios"]),
    ({"is_encoder_decoder": True}, ["encoder-decoder"]),
    ({"text_config": 7}, ["text_config is 7"]),
    ({"text_config": {}}, ["text_config", "num_hidden_layers is missing"]),
    ({"quantization_config": {"kv_cache_scheme": {"num_bits": 3, "type": "int"}}}, ["kv_cache_scheme", "'int3'"]),
    ({"num_hidden_layers": 10**5000}, ["a huge number"]),
])
def test_a_bad_config_is_refused_in_one_line_that_names_the_key(change: dict[str, object], words: list[str]) -> None:
    text = refusal(model_from_config, {**QWEN_72B, **change}, where="model/config.json")
    assert text.startswith("model/config.json")
    for word in words:
        assert word in text


def test_a_misspelt_key_is_refused_rather_than_ignored() -> None:
    config = {("num_key_value_head" if key == "num_key_value_heads" else key): value for key, value in QWEN_72B.items()}
    assert "nearest: num_key_value_heads" in refusal(model_from_config, config)
    layers = {("num_hidden_layer" if key == "num_hidden_layers" else key): value for key, value in QWEN_72B.items()}
    assert "'num_hidden_layer'" in refusal(model_from_config, layers)


@pytest.mark.parametrize("config", [None, [], "text", 7])
def test_what_is_not_an_object_is_refused(config: object) -> None:
    assert "not an object" in refusal(model_from_config, config)


@pytest.mark.parametrize(("options", "words"), [
    ({"tokens": "-1"}, ["tokens", "'-1' is negative"]),
    ({"tokens": "12.5"}, ["tokens", "12.5", "whole number"]),
    ({"tokens": "many"}, ["tokens", "'many' is not a number"]),
    ({"prefix": "9000"}, ["prefix", "9,000 tokens are more than the input of 8,192"]),
    ({"link": "200"}, ["link", "GiB/s"]),
    ({"link": "200 gb/s"}, ["link", "Gb/s"]),
    ({"residence": "100"}, ["residence", "ms"]),
    ({"payload_share": "170%"}, ["payload_share", "more than all"]),
    ({"payload_share": "0"}, ["payload_share"]),
    ({"prefill_rate": "0"}, ["prefill_rate"]),
    ({"window_store": "some"}, ["window_store", "all, window"]),
    ({"chunck": "256"}, ["'chunck'", "nearest: chunk"]),
    ({"rate": float("nan")}, ["rate", "not a number"]),
])
def test_a_bad_load_is_refused_in_one_line_that_names_the_option(options: dict[str, object], words: list[str]) -> None:
    text = refusal(load_from, options)
    for word in words:
        assert word in text


@pytest.mark.parametrize(("options", "words"), [
    ({"tp": 3}, ["tp", "3 ranks", "8 KV heads", "nearest: 2, 4"]),
    ({"tp": 12}, ["tp", "nearest: 8, 16"]),
    ({"kv_dtype": "fp9"}, ["kv_dtype", "'fp9'", "nearest:"]),
    ({"kv_dtype": "fp8_ds_mla"}, ["kv_dtype", "latent"]),
    ({"kv_dtype": "int8", "scale_group": "heads"}, ["scale_group", "'heads'"]),
    ({"kv_dtype": "int8", "scale_dtype": "float16"}, ["scale_group"]),
    ({"kv_dtype": "nvfp4", "scale_group": 16}, ["nvfp4 has its own scales"]),
])
def test_what_does_not_fit_the_model_is_refused(options: dict[str, object], words: list[str]) -> None:
    text = refusal(lines_of, **options)
    for word in words:
        assert word in text


def test_ranks_must_fit_the_attention_heads_too() -> None:
    model = model_from_config({**QWEN_72B, "num_attention_heads": 24, "head_dim": 128})
    assert "24 attention heads" in refusal(lines_of, model, tp=16)
    assert "at most 24" in refusal(lines_of, model, tp=48)
    assert value_of("replication", model, tp=24) == 3


@pytest.mark.parametrize("options", [
    {"layers": 0}, {"kv_heads": -1}, {"head_dim": True}, {"window": 8, "window_layers": 33}, {"state_layers": 33},
    {"state_layers": 1}, {"query_heads": 12}, {"dtype": "float17"}, {"layers": 10**6},
])
def test_bad_flags_are_refused(options: dict[str, object]) -> None:
    refusal(plain_model, **options)


# ---- units --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), [
    ("200 Gb/s", 25 * 10**9), ("200Gbps", 25 * 10**9), ("25 GB/s", 25 * 10**9), ("1 GiB/s", GIB), ("8 kb/s", 1000),
    ("1.5 MiB/s", 3 * MIB // 2), ("1 Gib/s", GIB // 8),
])
def test_a_bandwidth_is_read_with_its_unit(text: str, expected: int) -> None:
    assert read_rate(text, "link") == expected


def test_times_and_sizes_are_exact_or_marked_as_rounded() -> None:
    assert read_time("20us", "latency") == Fraction(1, 50_000)
    assert [show_size(size) for size in (0, 512, 3 * GIB // 4, 256 * MIB, 70_272)] == [
        "0 B", "512 B", "0.75 GiB", "256 MiB", "≈ 68.63 KiB (70,272 B)"]
    assert show_rate(Fraction(10**9, 3)) == "≈ 317.89 MiB/s ≈ 2.67 Gb/s"
    assert show_rate(GIB) == "1 GiB/s ≈ 8.59 Gb/s"


# ---- laws ---------------------------------------------------------------------------------------------------------

# the same examples each time; a loaded machine is not a failure
LAW = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
LAW_LONG = settings(LAW, max_examples=300)

shapes = st.builds(
    lambda layers, heads, dim, window, sliding: plain_model(
        layers=layers, kv_heads=heads, head_dim=dim, window=window, window_layers=min(sliding, layers)),
    st.integers(1, 12), st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 300), st.integers(0, 2000),
    st.integers(0, 12))
latents = st.builds(lambda layers, rank, rope: plain_model(layers=layers, latent=rank, rope=rope),
                    st.integers(1, 12), st.integers(1, 600), st.integers(0, 64))
hybrids = st.builds(lambda states, size: plain_model(layers=8, state_layers=states, state_elements=size * 64),
                    st.integers(1, 8), st.integers(1, 10_000))
models = st.one_of(shapes, latents, hybrids)
powers = st.sampled_from([1, 2, 4, 8, 16, 32, 64])
tokens = st.integers(1, 20_000)
kinds = st.sampled_from(["auto", "fp8", "int4_per_token_head", "nvfp4", "q8_0"])
stores = st.sampled_from(["all", "window"])


@LAW
@given(models, tokens, tokens, powers, kinds, stores)
def test_more_tokens_never_take_less(model: Model, one: int, other: int, tp: int, kind: str, store: str) -> None:
    low, high = sorted((one, other))
    less = lines_of(model, tokens=low, prefix=low, tp=tp, kv_dtype=kind, window_store=store)
    more = lines_of(model, tokens=high, prefix=high, tp=tp, kv_dtype=kind, window_store=store)
    for quantity in ("sequence_bytes", "rank_bytes", "prefix_bytes", "objects", "read_rate", "write_rate"):
        assert less[quantity].value <= more[quantity].value, quantity  # type: ignore[operator]


@LAW
@given(models, tokens, powers, kinds)
def test_ranks_together_hold_at_least_the_whole(model: Model, count: int, tp: int, kind: str) -> None:
    lines = lines_of(model, tokens=count, tp=tp, kv_dtype=kind)
    whole, together = lines["sequence_bytes"].value, lines["ranks_bytes"].value
    assert whole is not None and together is not None and whole <= together <= tp * whole
    assert lines["rank_bytes"].value <= whole  # type: ignore[operator]
    if tp == 1:
        assert whole == together


@LAW
@given(models, tokens, powers, st.integers(1, 300))
def test_whole_pages_hold_the_request_and_waste_less_than_one(model: Model, count: int, tp: int, page: int) -> None:
    lines = lines_of(model, tokens=count, tp=tp, page=page)
    if "pages" in lines:
        exact, paged = lines["rank_bytes"].value, lines["paged_rank_bytes"].value
        assert exact <= paged  # type: ignore[operator]
        assert 0 <= lines["tail_bytes"].value < max(1, lines["page_bytes"].value)  # type: ignore[operator,type-var]
        assert lines["pages"].value * page >= max(kept(one, count) for one in model.layers)  # type: ignore[operator]


@LAW
@given(models, tokens, powers, st.integers(1, 700), st.booleans(), st.integers(1, 4))
def test_chunks_objects_and_payload_agree(
    model: Model, count: int, tp: int, chunk: int, partial: bool, parts: int,
) -> None:
    lines = lines_of(model, tokens=count, prefix=count, tp=tp, chunk=chunk, partial_chunks=partial, objects=parts,
                     states=0)
    stored, chunks = lines["stored_tokens"].value, lines["chunks"].value
    assert count - chunk < stored <= count  # type: ignore[operator]
    assert (chunks - 1) * chunk < stored <= chunks * chunk or stored == chunks == 0  # type: ignore[operator]
    assert lines["replica_records"].value == 2 * lines["objects"].value  # type: ignore[operator]
    if not partial and model.layers:  # the objects of a prefix are exactly its payload
        each = Fraction(lines["objects"].value or 0, 1000)
        assert each * (lines["object_bytes"].value or 0) == lines["prefix_bytes"].value


@LAW
@given(shapes, tokens, st.integers(1, 2000))
def test_a_window_never_takes_more_than_all_tokens(model: Model, count: int, window: int) -> None:
    whole = dataclasses.replace(model, layers=tuple(dataclasses.replace(one, window=0) for one in model.layers))
    narrow = dataclasses.replace(model, layers=tuple(dataclasses.replace(one, window=window) for one in model.layers))
    for options in ({}, {"window_store": "window"}):
        small, large = (lines_of(one, tokens=count, tp=1, **options) for one in (narrow, whole))
        assert small["sequence_bytes"].value <= large["sequence_bytes"].value  # type: ignore[operator]
        assert small["prefix_bytes"].value <= large["prefix_bytes"].value  # type: ignore[operator]


@LAW_LONG
@given(models, st.integers(1, 10**6), st.integers(10**6, 10**11), st.integers(0, 2000), st.integers(1, 600), stores)
def test_break_even_is_the_first_hit_that_wins(
    model: Model, prefill: int, link: int, wait_ms: int, chunk: int, store: str,
) -> None:
    base = {"prefill_rate": prefill, "link": link, "latency": Fraction(wait_ms, 1000), "chunk": chunk,
            "window_store": store, "tp": 1}
    first = value_of("break_even_tokens", model, **base)

    def gain(hit: int) -> Fraction:
        lines = lines_of(model, tokens=max(hit, 1), prefix=hit, **base)
        return Fraction(lines["gain"].value or 0)

    if first is None:
        assert all(gain(hit * chunk) <= 0 for hit in (1, 2, 10, 10**6))
    elif first < 10**12:
        assert isinstance(first, int) and first % chunk == 0
        assert gain(first) > 0
        assert gain(first + chunk) > 0
        assert first == chunk or gain(first - chunk) <= 0


@LAW
@given(st.integers(1, 10**15), powers)
def test_a_bandwidth_shown_can_be_typed_again(bits: int, scale: int) -> None:
    assert read_rate(f"{bits} b/s", "link") * 8 == bits
    assert read_rate(f"{scale} GiB/s", "link") == scale * GIB


@LAW
@given(st.fractions(0, 10**6, max_denominator=2000))
def test_a_figure_without_a_mark_is_exact_and_one_with_it_is_near(value: Fraction) -> None:
    text, exact = figure(value)
    shown = Fraction(text.replace(",", ""))
    assert exact == (shown == value)
    assert abs(shown - value) <= max(Fraction(1, 200), value / 2000)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 300), st.floats(),
              st.sampled_from(["bfloat16", "LLG", "auto", "M*", "", "full_attention"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4),
                            st.dictionaries(st.sampled_from(["attention", "num_heads", "head_dim", "0"]), inner)),
    max_leaves=6)
keys = st.sampled_from([
    "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "hidden_size", "head_dim", "torch_dtype",
    "layer_types", "sliding_window", "sliding_window_pattern", "max_window_layers", "kv_lora_rank", "qk_rope_head_dim",
    "text_config", "linear_attn_config", "block_configs", "attn_layer_period", "attn_layer_offset", "attn_config",
    "full_attention_interval", "hybrid_override_pattern", "num_kv_shared_layers", "quantization_config",
    "attention_chunk_size", "no_rope_layers",
    "mamba_d_state", "conv_L_cache", "linear_num_value_heads", "per_layer_config", "attn_type_list", "use_cla",
    "cla_share_factor", "global_head_dim", "index_head_dim", "num_kv_heads", "mamba_n_heads", "compress_ratios"])
types = st.sampled_from(["llama", "gemma3", "jamba", "deepseek_v32", "qwen3_next", "falcon_h1", "mamba2", "minimax"])


@LAW_LONG
@given(types, st.dictionaries(keys, values, max_size=6), powers)
def test_any_config_gives_a_budget_or_one_line(kind: str, changes: dict[str, object], tp: int) -> None:
    base = {"model_type": kind, "num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 64,
            "torch_dtype": "bfloat16"}
    try:
        lines = budget(model_from_config({**base, **changes}), Load(tp=tp, prefill_rate=1000))
    except UsageError as error:
        assert "\n" not in str(error) and error.exit_code == 2
    else:
        assert all(line.value is None or line.value >= 0 for line in lines if line.quantity != "gain")


@LAW
@given(st.dictionaries(
    st.sampled_from([field.name for field in dataclasses.fields(Load)]),
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text("017 .,%-eGiMbBs/hd", max_size=8))))
def test_any_option_gives_a_budget_or_one_line(options: dict[str, object]) -> None:
    try:
        assert budget(None, load_from(options))
    except UsageError as error:
        assert "\n" not in str(error)
