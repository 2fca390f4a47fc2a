"""A Hugging Face `config.json` → Model: which layers keep KV per token, which a window of it, which only a state.

Takes the parsed dictionary (untrusted: every value is checked) and gives the shapes of `budget_models.py`; what it
cannot read it refuses in one line that names the key and the nearest one. It computes no bytes and reads no file.

Draft layers (`num_nextn_predict_layers`) are not counted: engines size them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tracer.budget.keys import HEAD_DIM, HEADS, HIDDEN, KV_HEADS, LAYERS, NESTED, Keys, refuse_near_misses
from tracer.budget.models import (
    MAX_LAYERS,
    Attention,
    IndexKeys,
    Latent,
    Model,
    Part,
    State,
    TokenLayers,
    element,
    near_divisors,
)
from tracer.budget.units import clip, nearest
from tracer.errors import UsageError

_STATE_ONLY = ("mamba", "mamba2", "falcon_mamba")
_PER_LAYER = {"longcat_flash": 2}  # two attentions in one numbered layer

_KINDS = {
    "full_attention": "full", "attention": "full", "full": "full", "global": "full", "global_attention": "full",
    "indexed_attention": "full", "deepseek_sparse_attention": "full",
    "sliding_attention": "sliding", "sliding_window_attention": "sliding", "local_attention": "sliding",
    "local": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "state", "mamba": "state", "mamba2": "state", "linear": "state", "recurrent": "state",
    "conv": "state",
    "hybrid": "both", "moe": "none", "mlp": "none", "dense": "none", "sparse": "none",
}
_ATTENDING = ("full", "sliding", "chunked", "both")
_LETTERS = {"hybrid_override_pattern": {"M": "state", "*": "full", "-": "none", "E": "none"},
            "sliding_window_pattern": {"L": "sliding", "G": "full"}}


def model_from_config(config: object, *, where: str = "config.json", dtype: str = "") -> Model:
    """The Model of a parsed `config.json`; `dtype` stands in for a missing `torch_dtype` (and goes before one)."""
    if not isinstance(config, Mapping):
        raise UsageError(f"it holds a {type(config).__name__}, not an object", where=where,
                         todo="give a Hugging Face config.json")
    outer = keys = Keys(config, _text(config.get("model_type")), where)
    while nested := next((name for name in NESTED if keys.values.get(name) is not None), ""):
        inner = keys.section(nested)
        keys = Keys(inner.given, _text(inner.given.get("model_type")) or keys.kind, inner.where)
        if keys.where.count(" ") > len(NESTED):
            raise keys.fail("the objects nest too deep", "give a Hugging Face config.json")
    if keys.values.get("is_encoder_decoder") is True:
        raise keys.fail("encoder-decoder models are not covered", "give a decoder-only model")
    refuse_near_misses(keys)
    found = dtype or keys.find("torch_dtype", "dtype")[1] or outer.find("torch_dtype", "dtype")[1]
    if not found:
        raise keys.missing(("torch_dtype", "dtype"))
    base = element(found, where="dtype" if dtype else f"{keys.where} torch_dtype").name
    kinds = _shared_out(keys, _kinds(keys))
    attends = any(kind in _ATTENDING for kind in kinds)
    return Model(
        name=keys.kind or "model",
        dtype=base,
        layers=_token_layers(keys, kinds) if attends else (),
        states=_states(keys, sum(kind in ("state", "both") for kind in kinds), base),
        query_heads=keys.whole(*HEADS) if attends else 0,
        kv_dtype=_asked_kv_dtype(keys, outer),
    )


def _text(value: object) -> str:
    return "".join(filter(str.isprintable, value[:60])) if isinstance(value, str) else ""


def _kinds(keys: Keys) -> list[str]:
    """What each layer is: full, sliding, chunked, state, both or none."""
    listed = next((name for name in ("layer_types", "layers_block_type") if keys.has(name)), "")
    pattern = keys.values.get("hybrid_override_pattern")
    implied = len(keys.array(listed)) if listed else len(pattern) if isinstance(pattern, str) else None
    count = keys.whole(*LAYERS, default=implied)
    if count > MAX_LAYERS:
        raise keys.fail(f"num_hidden_layers is {count}", f"at most {MAX_LAYERS:,} are read")
    if keys.kind in _STATE_ONLY:
        return ["state"] * count
    if keys.kind == "falcon_h1":
        return ["both"] * count
    if listed:
        return _exactly(keys, listed, count, [_kind_of(keys, listed, one) for one in keys.array(listed)])
    if isinstance(pattern, str):
        return _exactly(keys, "hybrid_override_pattern", count, _lettered(keys, "hybrid_override_pattern", pattern))
    for name, one, zero in (("attn_type_list", "full", "state"), ("hybrid_layer_pattern", "sliding", "full")):
        if keys.has(name):
            return _exactly(keys, name, count, [one if value == 1 else zero for value in keys.array(name)])
    if keys.has("block_configs"):
        return ["none" if heads == 0 else "full" for heads in _block_heads(keys, count)]
    full = _full_positions(keys, count)
    if full is not None:
        return ["full" if position in full else "state" for position in range(count)]
    return _windowed(keys, count) * _PER_LAYER.get(keys.kind, 1)


def _kind_of(keys: Keys, name: str, value: object) -> str:
    kind = _KINDS.get(_text(value))
    if kind is None:
        raise keys.fail(f"{name} holds {clip(value)}, which is not covered", nearest(_text(value), _KINDS))
    return kind


def _exactly(keys: Keys, name: str, count: int, kinds: list[str]) -> list[str]:
    if len(kinds) != count:
        raise keys.fail(f"{name} has {len(kinds)} entries for {count} layers", "correct one of them")
    return kinds


def _lettered(keys: Keys, name: str, pattern: str) -> list[str]:
    letters = _LETTERS[name]
    if not pattern or len(pattern) > MAX_LAYERS or not set(pattern) <= set(letters):
        raise keys.fail(f"{name} is {clip(pattern)}", f"known letters: {' '.join(letters)}")
    return [letters[letter] for letter in pattern]


def _full_positions(keys: Keys, count: int) -> set[int] | None:
    """Which layers attend fully where all others keep a state; None where the config has no such pattern."""
    if keys.has("linear_attn_config"):  # positions in the file count from 1
        inner = keys.section("linear_attn_config")
        return {inner.checked("full_attn_layers", one) - 1 for one in inner.array("full_attn_layers")}
    for name in ("attn_layer_indices", "full_attn_idxs"):
        if keys.has(name):
            return {keys.checked(name, one, 0) for one in keys.array(name)}
    if keys.has("attn_layer_period"):
        period, offset = keys.whole("attn_layer_period"), keys.whole("attn_layer_offset", least=0)
        return {position for position in range(count) if position % period == offset}
    if keys.has("full_attention_interval"):
        every = keys.whole("full_attention_interval")
        return {position for position in range(count) if (position + 1) % every == 0}
    return None


def _windowed(keys: Keys, count: int) -> list[str]:
    """Full, sliding and chunked layers by the older keys."""
    if keys.has("attention_chunk_size"):
        if keys.has("no_rope_layers") and keys.array("no_rope_layers"):
            rotary = keys.array("no_rope_layers")
            return _exactly(keys, "no_rope_layers", count, ["chunked" if value == 1 else "full" for value in rotary])
        every = keys.whole("no_rope_layer_interval", default=1)
        return ["full" if every > 1 and (position + 1) % every == 0 else "chunked" for position in range(count)]
    used = keys.values.get("use_sliding_window", "max_window_layers" not in keys.values)
    if not keys.has("sliding_window") or keys.values["sliding_window"] in (0, -1) or used is not True:
        return ["full"] * count
    name, pattern = keys.find("sliding_window_pattern", "_sliding_window_pattern")
    if isinstance(pattern, str):
        cycle = _lettered(keys, "sliding_window_pattern", pattern)
        return [cycle[position % len(cycle)] for position in range(count)]
    if pattern is not None:
        every = keys.checked(name, pattern, 0)
        return ["sliding" if every and (position + 1) % every else "full" for position in range(count)]
    first = keys.whole("max_window_layers", default=0, least=0)
    return ["sliding" if position >= first else "full" for position in range(count)]


def _shared_out(keys: Keys, kinds: list[str]) -> list[str]:
    """Only the layers with a cache of their own: the last `num_kv_shared_layers` read those before them."""
    shared = keys.whole("num_kv_shared_layers", default=0, least=0)
    if shared and shared >= len(kinds):
        raise keys.fail(f"num_kv_shared_layers is {shared} of {len(kinds)} layers",
                        "some layer must keep KV of its own")
    if keys.values.get("use_cla") is True:
        every = keys.whole("cla_share_factor")
        return [kind if position % every == 0 else "none" for position, kind in enumerate(kinds)]
    return kinds[:len(kinds) - shared] + ["none"] * shared


def _block_heads(keys: Keys, count: int) -> list[int]:
    """KV heads per layer of a searched architecture (`block_configs`); 0: it does not attend."""
    blocks, query, heads = keys.array("block_configs"), keys.whole(*HEADS), []
    for block in blocks:
        attention = block.get("attention") if isinstance(block, Mapping) else None
        if not isinstance(attention, Mapping):
            raise keys.fail("block_configs holds a block without attention", "give the file as published")
        silent = attention.get("no_op") is True or attention.get("replace_with_linear") is True
        per_group = 0 if silent else keys.checked("n_heads_in_group", attention.get("n_heads_in_group"))
        heads.append(max(1, query // per_group) if per_group else 0)
    if len(heads) != count:
        raise keys.fail(f"block_configs has {len(heads)} entries for {count} layers", "correct one of them")
    return heads


def _kv_heads(keys: Keys, count: int) -> list[int]:
    """KV heads of each layer; without any key for them, as many as query heads (MHA)."""
    query = keys.whole(*HEADS)
    if keys.has("block_configs"):
        return _block_heads(keys, count)
    name, value = keys.find(*KV_HEADS)
    if keys.values.get("multi_query") is True and keys.values.get("new_decoder_architecture") is not True:
        return [1] * count
    if keys.has("attn_config") and value is None:
        value = keys.section("attn_config").find("kv_n_heads")[1]
    if isinstance(value, list):
        heads = [keys.checked(name, one) for one in value[:MAX_LAYERS]]
        if len(heads) != count:
            raise keys.fail(f"{name} has {len(heads)} entries for {count} layers", "correct one of them")
    else:
        heads = [query if value is None else keys.checked(name, value)] * count
    for one in sorted(set(heads)):
        if query % one:
            raise keys.fail(f"{name} {one} does not divide {query} attention heads",
                            f"nearest: {near_divisors(query, one)}")
    return heads


def _head_dim(keys: Keys) -> int:
    if keys.has(*HEAD_DIM):
        return keys.whole(*HEAD_DIM)
    hidden, query = keys.whole(*HIDDEN), keys.whole(*HEADS)
    if hidden % query:
        raise keys.fail(f"{query} attention heads do not divide hidden_size {hidden}", "add head_dim")
    return hidden // query


def _token_layers(keys: Keys, kinds: list[str]) -> tuple[TokenLayers, ...]:
    if keys.has("compress_ratios", "compress_rates"):
        raise keys.fail("compress_ratios: compressed attention is not covered", "no size is better than a wrong one")
    attending = [(position, kind) for position, kind in enumerate(kinds) if kind in _ATTENDING]
    windows = {"full": 0, "both": 0}
    if any(kind == "sliding" for _, kind in attending):
        windows["sliding"] = keys.whole("sliding_window", "attention_window_size")
    if any(kind == "chunked" for _, kind in attending):
        windows["chunked"] = keys.whole("attention_chunk_size")
    if keys.has("kv_lora_rank"):
        shape = keys.whole("kv_lora_rank"), keys.whole("qk_rope_head_dim", least=0)
        spans = Counter(windows[kind] for _, kind in attending)
        groups: list[TokenLayers] = [Latent(count, *shape, span) for span, count in spans.items()]
        if keys.has("index_head_dim"):
            groups.append(IndexKeys(len(attending), keys.whole("index_head_dim")))
        return tuple(groups)
    heads, dim = _kv_heads(keys, len(kinds)), _head_dim(keys)
    value_dim = keys.whole("v_head_dim", default=dim)
    local = (keys.whole("swa_num_key_value_heads", default=0, least=0), keys.whole("swa_head_dim", default=dim),
             keys.whole("swa_v_head_dim", default=value_dim))
    wide = keys.whole("global_head_dim", default=0, least=0)
    # Gemma 4 states other head counts for its global layers only where K and V share a projection
    tied = keys.values.get("attention_k_eq_v") is True
    few = keys.whole("num_global_key_value_heads", default=0, least=0) if tied else 0
    single = keys.section("per_layer_config") if keys.has("per_layer_config") else Keys({}, "", keys.where)

    def shape_of(position: int, kind: str) -> tuple[int, int, int, int]:
        own = single.section(str(position)) if single.has(str(position)) else single
        if kind == "sliding":
            shape = (local[0] or heads[position], *local[1:])
        else:
            shape = (few or heads[position], wide or dim, wide or value_dim)
        own_dim = own.whole("head_dim", default=0)
        count = own.whole("num_key_value_heads", default=shape[0])
        return count, own_dim or shape[1], own_dim or shape[2], windows[kind]

    shapes = Counter(shape_of(position, kind) for position, kind in attending)
    return tuple(Attention(count, *shape) for shape, count in shapes.items())


def _states(keys: Keys, count: int, dtype: str) -> tuple[State, ...]:
    """The state layers, by whichever family's keys the config has."""
    if not count:
        return ()
    kept = keys.find("mamba_ssm_dtype", "mamba_ssm_cache_dtype", "ssm_dtype")[1]
    state = element(kept, where=f"{keys.where} mamba_ssm_dtype").name if kept and kept != "auto" else dtype
    if keys.has("linear_num_value_heads"):  # gated delta net
        key_heads, value_heads = keys.whole("linear_num_key_heads"), keys.whole("linear_num_value_heads")
        key_dim, value_dim = keys.whole("linear_key_head_dim"), keys.whole("linear_value_head_dim")
        taps = keys.whole("linear_conv_kernel_dim") - 1
        parts = [Part("conv", key_heads, 2 * key_dim * taps, dtype), Part("conv", value_heads, value_dim * taps, dtype),
                 Part("recurrent", value_heads, key_dim * value_dim, state)]
    elif keys.has("linear_attn_config"):  # Kimi delta attention; engines keep its state in FP32
        inner = keys.section("linear_attn_config")
        heads, dim = inner.whole("num_heads"), inner.whole("head_dim")
        taps = inner.whole("short_conv_kernel_size", default=4) - 1
        parts = [Part("conv", heads, 3 * dim * taps, dtype),
                 Part("recurrent", heads, dim * dim, state if kept else "float32")]
    elif keys.has("conv_L_cache"):  # short convolution
        parts = [Part("conv", keys.whole("conv_dim", *HIDDEN), keys.whole("conv_L_cache") - 1, dtype)]
    elif keys.has("mamba_d_state", "ssm_state_size", "state_size"):
        parts = _mamba(keys, dtype, state)
    elif keys.has("attn_type_list") or keys.kind == "minimax":  # lightning attention
        parts = [Part("recurrent", keys.whole(*HEADS), _head_dim(keys) ** 2, state)]
    else:
        raise keys.fail("the size of its state layers is not stated", "known: mamba_d_state, ssm_state_size, "
                        "linear_num_value_heads, linear_attn_config, conv_L_cache, attn_type_list")
    return (State(count, tuple(part for part in parts if part.size)),)


def _mamba(keys: Keys, dtype: str, state: str) -> list[Part]:
    size = keys.whole("mamba_d_state", "ssm_state_size", "state_size")
    taps = keys.whole("mamba_d_conv", "conv_kernel", "mamba_conv_kernel") - 1
    own = keys.kind == "mamba2"  # elsewhere num_heads and head_dim are the attention's
    head_names = ("mamba_n_heads", "mamba_num_heads", "n_mamba_heads", *(("num_heads",) if own else ()))
    if not keys.has(*head_names):  # Mamba 1: one state per channel
        # a pure Mamba states its width itself (its `expand` may be stale); elsewhere intermediate_size is the MLP's
        if keys.kind in _STATE_ONLY and keys.has("intermediate_size"):
            inner = keys.whole("intermediate_size")
        else:
            inner = keys.whole("mamba_expand", "expand") * keys.whole(*HIDDEN)
        return [Part("conv", inner, taps, dtype), Part("recurrent", inner, size, state)]
    heads = keys.whole(*head_names)
    dim_names = ("mamba_d_head", "mamba_head_dim", "mamba_headdim", *(("head_dim",) if own else ()))
    if keys.find(*dim_names)[1] in (None, "auto"):
        inner = keys.whole("mamba_d_ssm", default=keys.whole("mamba_expand", "expand", default=2) * keys.whole(*HIDDEN))
        if inner % heads:
            raise keys.fail(f"{head_names[0]} {heads} does not divide {inner}",
                            f"nearest: {near_divisors(inner, heads)}")
        dim = inner // heads
    else:
        dim = keys.whole(*dim_names)
    groups = keys.whole("mamba_n_groups", "n_groups", "mamba_ngroups", default=1)
    return [Part("conv", heads, dim * taps, dtype), Part("conv", groups, 2 * size * taps, dtype),
            Part("recurrent", heads, dim * size, state)]


def _asked_kv_dtype(keys: Keys, outer: Keys) -> str:
    """The KV type a quantised checkpoint asks for (`kv_cache_scheme`, `kv_cache_quant_algo`); empty without one."""
    for level in (keys, outer):
        quantised = level.values.get("quantization_config")
        if not isinstance(quantised, Mapping):
            continue
        scheme = quantised.get("kv_cache_scheme")
        if isinstance(scheme, Mapping):
            return element(f"{'fp' if scheme.get('type') == 'float' else 'int'}{scheme.get('num_bits')}",
                           where=f"{level.where} kv_cache_scheme").name
        if quantised.get("kv_cache_quant_algo"):
            return element(quantised["kv_cache_quant_algo"], where=f"{level.where} kv_cache_quant_algo").name
    return ""
