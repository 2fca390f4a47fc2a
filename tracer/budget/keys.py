"""One level of a Hugging Face `config.json`, over its class's defaults; every look-up checks type and range.

Takes a parsed, untrusted mapping and gives whole numbers, lists and nested levels, or one line that names the
key and the nearest one. It knows which names mean the same and what a class leaves out of its file, not what the
figures are for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from tracer.budget.models import MAX_FIGURE, MAX_LAYERS
from tracer.budget.units import clip
from tracer.errors import UsageError

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "num_key_value_heads_per_layer",
            "multi_query_group_num", "num_attention_groups")
HIDDEN = ("hidden_size", "n_embd", "d_model")
HEAD_DIM = ("head_dim", "attention_head_dim", "kv_channels", "hidden_size_per_head")
NESTED = ("text_config", "language_config", "llm_config", "thinker_config")
# The absence of one of these changes the answer without a sound: a near miss of it is refused
_SILENT = ("num_key_value_heads", "head_dim", "kv_lora_rank", "qk_rope_head_dim", "sliding_window", "layer_types",
           "num_kv_shared_layers", "sliding_window_pattern", "torch_dtype")
_INNOCENT = {"q_lora_rank", "v_head_dim", "swa_head_dim"}

_GEMMA: dict[str, object] = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256}
_GATED: dict[str, object] = {
    "full_attention_interval": 4, "head_dim": 256, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
    "linear_value_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
}
_LATENT: dict[str, object] = {"kv_lora_rank": 512, "qk_rope_head_dim": 64}
# What these classes leave out of their files (transformers 5.24).
_DEFAULTS: dict[str, dict[str, object]] = {
    "gemma2": {**_GEMMA, "num_hidden_layers": 26, "sliding_window": 4096, "sliding_window_pattern": 2},
    "gemma3_text": {**_GEMMA, "num_hidden_layers": 26, "sliding_window": 4096, "sliding_window_pattern": 6},
    "gemma3n_text": {**_GEMMA, "num_key_value_heads": 2, "num_hidden_layers": 35, "sliding_window": 512,
                     "sliding_window_pattern": 5, "num_kv_shared_layers": 15},
    "gemma4_text": {**_GEMMA, "num_hidden_layers": 30, "sliding_window": 512, "sliding_window_pattern": 6,
                    "global_head_dim": 512},
    "cohere2": {"sliding_window": 4096, "sliding_window_pattern": 4},
    "gpt_oss": {"sliding_window": 128, "sliding_window_pattern": 2, "head_dim": 64},
    "llama4_text": {"num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
                    "attention_chunk_size": 8192, "no_rope_layer_interval": 4},
    "mistral": {"num_key_value_heads": 8, "sliding_window": 4096},
    "jamba": {"num_key_value_heads": 8, "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16,
              "mamba_d_conv": 4, "mamba_expand": 2},
    "qwen3_next": _GATED, "qwen3_5_text": _GATED, "qwen3_5_moe_text": _GATED,
    "deepseek_v2": _LATENT, "deepseek_v3": _LATENT, "deepseek_v32": {**_LATENT, "index_head_dim": 128},
}
_SAME_AS = {"gemma3": "gemma3_text", "gemma3n": "gemma3n_text", "gemma4": "gemma4_text", "llama4": "llama4_text"}


class Keys:
    """The keys of one config level, over the class's defaults; every look-up checks type and range."""

    def __init__(self, config: Mapping[str, object], kind: str, where: str) -> None:
        self.given, self.kind, self.where = config, kind, where
        self.values: dict[str, object] = {**_DEFAULTS.get(_SAME_AS.get(kind, kind), {}), **config}

    def find(self, *names: str) -> tuple[str, object]:
        """The first of `names` with a value, and the value."""
        return next(((n, self.values[n]) for n in names if self.values.get(n) is not None), (names[0], None))

    def has(self, *names: str) -> bool:
        """Whether one of `names` has a value."""
        return self.find(*names)[1] is not None

    def fail(self, what: str, todo: str) -> UsageError:
        """The error for this config."""
        return UsageError(what, where=self.where, todo=todo)

    def whole(self, *names: str, default: int | None = None, least: int = 1) -> int:
        """A whole number; without `default` it must be there."""
        name, value = self.find(*names)
        if value is None:
            if default is None:
                raise self.missing(names)
            return default
        return self.checked(name, value, least)

    def checked(self, name: str, value: object, least: int = 1) -> int:
        """`value` as a whole number from `least`."""
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_FIGURE:
            raise self.fail(f"{name} is {clip(value)}", f"it must be a whole number from {least} to {MAX_FIGURE:,}")
        return value

    def missing(self, names: Sequence[str]) -> UsageError:
        """The error for a key that is not there, with the nearest that is."""
        near = process.extractOne(names[0], sorted(map(str, self.given)), scorer=fuzz.ratio, score_cutoff=70)
        others = f" (or {', '.join(names[1:])})" if len(names) > 1 else ""
        return self.fail(f"{names[0]} is missing{others}",
                         f"nearest key in it: {clip(near[0])}" if near else "is this a language model's config.json?")

    def array(self, name: str) -> list[object]:
        """A list of at most MAX_LAYERS."""
        value = self.values.get(name)
        if not isinstance(value, list | tuple) or len(value) > MAX_LAYERS:
            raise self.fail(f"{name} is {clip(value)}", f"it must be a list of at most {MAX_LAYERS:,}")
        return list(value)

    def section(self, name: str) -> Keys:
        """A nested object as its own level."""
        value = self.values.get(name)
        if not isinstance(value, Mapping):
            raise self.fail(f"{name} is {clip(value)}", "it must be an object")
        return Keys(value, "", f"{self.where} {name}")


def refuse_near_misses(keys: Keys) -> None:
    """Refuse a key that is one slip away from a key whose absence would change the answer without a sound."""
    known = {*_SILENT, *_INNOCENT, *LAYERS, *HEADS, *KV_HEADS, *HIDDEN, *HEAD_DIM}
    for wanted in _SILENT:
        if wanted in keys.given:
            continue
        for name in sorted(map(str, keys.given)):
            slips = 2 if len(wanted) > 12 else 1
            if name not in known and Levenshtein.distance(name, wanted, score_cutoff=slips) <= slips:
                raise keys.fail(f"{clip(name)} is not a known key", f"nearest: {wanted}")
