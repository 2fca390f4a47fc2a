"""What one model keeps per token and per sequence: the bytes of attention, latent, index and state layers.

Takes shapes (layers, heads, dimensions, element types) and gives bytes and the formula they come from, whole or for one
tensor-parallel rank. It knows nothing of configuration files (`budget_config.py`), of load or of time (`budget.py`).

Published sizes that these shapes reproduce (each is a test):
- "Insights into DeepSeek-V3" (arXiv 2505.09343), table 1, BF16, per token: DeepSeek-V3 70.272 KB (MLA), Qwen-2.5 72B
  327.680 KB and LLaMA-3.1 405B 516.096 KB (GQA).
- Jamba (arXiv 2403.19887), table 1, 16 bit, 256K tokens: Jamba 4 GB (4 of 32 layers attend), Mixtral and Mistral 32 GB
  (GQA), LLAMA-2 128 GB (MHA).
- Mistral 7B (arXiv 2310.06825), rolling buffer: at 32k tokens a window of 4,096 needs 8 times less than all tokens.
- qualcomm/GenieX pull request 1346, buffers that llama.cpp allocated for Gemma 4 E4B at 4,096 tokens, 16 bit: full
  layers 64 MiB, sliding layers 160 MiB whole and 60 MiB at 1,536 tokens (5:1 pattern, the last 18 layers share KV).
- FlashMLA's FP8 layout (vLLM documentation, v1/attention/backends/mla/flashmla_sparse): 656 bytes per token and layer.
- vllm-project/vllm-ascend issue 7393, page sizes printed for Qwen3.5 35B at TP=8: recurrent state 262,144 bytes per
  layer and rank; keys 512 bytes per token, layer and rank (2 KV heads on 8 ranks: replicated).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tracer.budget.units import clip, figure, nearest, term_size
from tracer.errors import UsageError

MAX_LAYERS = 10_000
MAX_FIGURE = 10**9  # no head count, dimension or window is larger; more is a mistake or an attack


@dataclass(frozen=True, slots=True)
class Element:
    """How one number of the cache is stored: its bits, and the scales stored beside them.

    `group` is how many neighbours share a scale: 0 none is stored (one per tensor is not per token), -1 one per head
    and token. `rope_bits` keeps the rotary part of a latent apart (0: stored like the rest).
    """

    name: str
    bits: int
    group: int = 0
    scale_bits: int = 0
    rope_bits: int = 0

    def row_bytes(self, dim: int) -> int:
        """Bytes of one vector of `dim` numbers with its scales."""
        return -(-dim * self.bits // 8) + -(-self._groups(dim) * self.scale_bits // 8)

    def _groups(self, dim: int) -> int:
        return 0 if self.group == 0 or dim == 0 else 1 if self.group < 0 else -(-dim // self.group)

    def row_text(self, dim: int) -> str:
        """The formula of `row_bytes`."""
        each = figure(Fraction(self.bits, 8))[0]
        numbers = f"⌈{dim:,} × {each}⌉ B" if dim * self.bits % 8 else f"{dim:,} × {each} B"
        if self.group == 0:
            return numbers
        return f"{numbers} + {self._groups(dim)} × {figure(Fraction(self.scale_bits, 8))[0]} B"


_PLAIN = {
    "float64": 64, "float32": 32, "float16": 16, "bfloat16": 16, "fp8": 8, "int8": 8, "int4": 4, "fp4": 4,
}
_ALIASES = {
    "fp32": "float32", "float": "float32", "fp16": "float16", "half": "float16", "bf16": "bfloat16",
    "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "fp8_e4m3fn": "fp8", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8",
    "uint8": "int8",
}
_SCALED = {
    "fp8_per_token_head": Element("fp8_per_token_head", 8, -1, 32),
    "int8_per_token_head": Element("int8_per_token_head", 8, -1, 32),
    "int4_per_token_head": Element("int4_per_token_head", 4, -1, 32),
    "nvfp4": Element("nvfp4", 4, 16, 8),
    "mxfp4": Element("mxfp4", 4, 32, 8),
    "mxfp8": Element("mxfp8", 8, 32, 8),
    "q8_0": Element("q8_0", 8, 32, 16),
    "q4_0": Element("q4_0", 4, 32, 16),
    "fp8_ds_mla": Element("fp8_ds_mla", 8, 128, 32, rope_bits=16),
}


def element(name: object, *, scale_group: object = 0, scale_dtype: str = "", zero_dtype: str = "",
            where: str = "kv_dtype") -> Element:
    """The element type `name`; `scale_group` (`head`, or how many numbers share one) adds scales, `zero_dtype` offsets.

    `fp8`, `int8`, `int4` and `fp4` alone carry no stored scales (one per tensor); the names with a layout of their own
    (`int8_per_token_head`, `nvfp4`, `q8_0`, `fp8_ds_mla`, …) carry theirs.
    """
    text = name.removeprefix("torch.").lower() if isinstance(name, str) else ""
    text = _ALIASES.get(text, text)
    if text in _SCALED:
        if scale_group or zero_dtype or scale_dtype:
            raise UsageError(f"{text} has its own scales", where=where,
                             todo="leave out scale_group, scale_dtype and zero_dtype")
        return _SCALED[text]
    if text not in _PLAIN:
        raise UsageError(f"{clip(name)} is not a known type", where=where,
                         todo=nearest(text[:40], [*_PLAIN, *_SCALED, *_ALIASES]))
    if not scale_group:
        if scale_dtype or zero_dtype:
            raise UsageError("scales need a group", where="scale_group", todo="give `head` or a number such as 64")
        return Element(text, _PLAIN[text])
    if scale_group != "head" and (isinstance(scale_group, bool) or not isinstance(scale_group, int) or scale_group < 1):
        raise UsageError(f"{clip(scale_group)} is not a group", where="scale_group",
                         todo="give `head` or a number such as 64")
    group = scale_group if isinstance(scale_group, int) else -1
    scales = element(scale_dtype or "float16", where="scale_dtype").bits
    zeros = element(zero_dtype, where="zero_dtype").bits if zero_dtype else 0
    return Element(f"{text}/{scale_group}", _PLAIN[text], group, scales + zeros)


def shard(units: int, tp: int, what: str) -> int:
    """Units that one of `tp` ranks holds: split evenly, or one each and replicated where there are more ranks."""
    if units % tp == 0:
        return units // tp
    if tp % units == 0:
        return 1
    multiple = units * max(1, tp // units)
    raise UsageError(f"{tp} ranks neither divide nor are a multiple of {units} {what}", where="tp",
                     todo=f"nearest: {_around(tp, {*divisors(units), multiple, multiple + units})}")


def divisors(number: int) -> list[int]:
    """All divisors of `number`."""
    return sorted({d for low in range(1, math.isqrt(number) + 1) if number % low == 0 for d in (low, number // low)})


@dataclass(frozen=True, slots=True)
class Attention:
    """`count` layers that keep K and V of `heads` heads per token, of the last `window` tokens (0: of all)."""

    count: int
    heads: int
    key_dim: int
    value_dim: int
    window: int = 0
    replicated: ClassVar[bool] = False

    def token_bytes(self, kind: Element, tp: int = 1) -> int:
        """Bytes per kept token of all these layers, on one of `tp` ranks."""
        if kind.rope_bits:
            raise UsageError(f"{kind.name} is a layout for latent (MLA) layers", where="kv_dtype", todo="use fp8")
        rows = kind.row_bytes(self.key_dim) + kind.row_bytes(self.value_dim)
        return self.count * shard(self.heads, tp, "KV heads") * rows

    def formula(self, kind: Element) -> str:
        """`2 × 32 × 8 × 128 × 2 B`."""
        if self.key_dim != self.value_dim:
            return f"{self.count} × {self.heads} × ({kind.row_text(self.key_dim)} + {kind.row_text(self.value_dim)})"
        row = kind.row_text(self.key_dim)
        return f"2 × {self.count} × {self.heads} × " + (f"({row})" if "+" in row else row)

    def units(self) -> int:
        """Into how many distinct shards the layers can be split."""
        return self.heads


@dataclass(frozen=True, slots=True)
class Latent:
    """`count` MLA layers: one latent of `rank` and one rotary key of `rope` per token; every rank keeps a copy."""

    count: int
    rank: int
    rope: int
    window: int = 0
    replicated: ClassVar[bool] = True

    def token_bytes(self, kind: Element, tp: int = 1) -> int:  # noqa: ARG002 - not sharded, whatever tp is
        """Bytes per token of all these layers; the same on every rank."""
        if kind.rope_bits:
            return self.count * (kind.row_bytes(self.rank) + -(-self.rope * kind.rope_bits // 8))
        return self.count * kind.row_bytes(self.rank + self.rope)

    def formula(self, kind: Element) -> str:
        """`61 × (512 + 64) × 2 B`."""
        if kind.rope_bits:
            rope = f"{self.rope} × {figure(Fraction(kind.rope_bits, 8))[0]} B"
            return f"{self.count} × ({kind.row_text(self.rank)} + {rope})"
        if kind.group or (self.rank + self.rope) * kind.bits % 8:
            return f"{self.count} × ({kind.row_text(self.rank + self.rope)})"
        return f"{self.count} × ({self.rank} + {self.rope}) × {figure(Fraction(kind.bits, 8))[0]} B"

    def units(self) -> int:
        """One: a latent is never split."""
        return 1


@dataclass(frozen=True, slots=True)
class IndexKeys:
    """`count` sparse-attention indexers: one FP8 key of `dim` with an FP32 scale per 128, whatever the KV type is."""

    count: int
    dim: int
    window: int = 0
    replicated: ClassVar[bool] = True
    kind: ClassVar[Element] = Element("fp8", 8, 128, 32)

    def token_bytes(self, kind: Element, tp: int = 1) -> int:  # noqa: ARG002 - own type, not sharded
        """Bytes per token of all indexers; the same on every rank."""
        return self.count * self.kind.row_bytes(self.dim)

    def formula(self, kind: Element) -> str:  # noqa: ARG002 - own type
        """`61 × (128 × 1 B + 1 × 4 B)`."""
        return f"{self.count} × ({self.kind.row_text(self.dim)})"

    def units(self) -> int:
        """One: an index key is never split."""
        return 1


@dataclass(frozen=True, slots=True)
class Part:
    """One tensor of a recurrent state: `units` (heads, groups or channels, split over ranks) of `size` numbers."""

    name: str
    units: int
    size: int
    dtype: str


@dataclass(frozen=True, slots=True)
class State:
    """`count` layers (Mamba, linear attention, short convolution) with a state per sequence, none per token."""

    count: int
    parts: tuple[Part, ...]

    def kind(self, part: Part, override: Element | None) -> Element:
        """The stored type of `part`; an override is for the recurrent state, convolutions stay as they are."""
        return override if override and part.name == "recurrent" else element(part.dtype, where="state dtype")

    def sequence_bytes(self, override: Element | None, tp: int = 1) -> int:
        """Bytes per sequence of all these layers, on one of `tp` ranks."""
        return self.count * sum(
            shard(p.units, tp, f"units of {p.name} state") * self.kind(p, override).row_bytes(p.size)
            for p in self.parts)

    def formula(self, override: Element | None) -> str:
        """`36 × (32 × 16,384 × 4 B + …)`."""
        terms = (f"{p.units:,} × {self.kind(p, override).row_text(p.size)}" for p in self.parts)
        return f"{self.count} × ({' + '.join(terms)})"


TokenLayers = Attention | Latent | IndexKeys


@dataclass(frozen=True, slots=True)
class Model:
    """A model as far as its cache goes. `kv_dtype` is what the checkpoint asks for; empty: `dtype`."""

    name: str
    dtype: str
    layers: tuple[TokenLayers, ...]
    states: tuple[State, ...] = ()
    query_heads: int = 0
    kv_dtype: str = ""


def kept(layers: TokenLayers, tokens: int) -> int:
    """How many of `tokens` these layers still hold."""
    return min(layers.window, tokens) if layers.window else tokens


def held(layers: Iterable[tuple[int, int]]) -> dict[int, int]:
    """(tokens, bytes per token) pairs as bytes per token for each number of tokens, most tokens first."""
    sums: dict[int, int] = {}
    for tokens, per_token in layers:
        sums[tokens] = sums.get(tokens, 0) + per_token
    return dict(sorted(sums.items(), reverse=True))


def held_text(terms: dict[int, int]) -> str:
    """`6,144 × 128 KiB`, with one term for each number of tokens."""
    return " + ".join(f"{tokens:,} × {term_size(per_token)}" for tokens, per_token in terms.items()) or "0 B"


def plain_model(
    *, layers: int = 32, kv_heads: int = 8, head_dim: int = 128, dtype: str = "bfloat16", query_heads: int = 0,
    window: int = 0, window_layers: int | None = None, latent: int = 0, rope: int = 0,
    state_layers: int = 0, state_elements: int = 0, state_dtype: str = "float32",
) -> Model:
    """A model from flags; without any, the one of the worked example (32 layers, 8 KV heads of 128, BF16).

    `window` alone makes every layer a sliding one, with `window_layers` that many; `latent` and `rope` make them MLA
    layers; `state_layers` of the layers keep `state_elements` numbers per sequence instead.
    """
    given = {"layers": layers, "kv_heads": kv_heads, "head_dim": head_dim, "query_heads": query_heads, "window": window,
             "window_layers": window_layers or 0, "latent": latent, "rope": rope, "state_layers": state_layers,
             "state_elements": state_elements}
    for key, value in given.items():
        least = 1 if key in ("layers", "kv_heads", "head_dim") else 0
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_FIGURE:
            raise UsageError(f"{clip(value)} is not a whole number from {least}", where=key, todo="correct it")
    element(dtype, where="dtype")
    attending = layers - state_layers
    sliding = 0 if not window else attending if window_layers is None else window_layers
    if layers > MAX_LAYERS or attending < 0 or sliding > attending:
        raise UsageError(f"{layers:,} layers (at most {MAX_LAYERS:,}) cannot hold {sliding:,} sliding and "
                         f"{state_layers:,} state layers", where="layers",
                         todo="correct layers, window_layers or state_layers")
    if query_heads and query_heads % kv_heads:
        raise UsageError(f"{kv_heads} does not divide the {query_heads} query heads", where="kv_heads",
                         todo=f"nearest: {near_divisors(query_heads, kv_heads)}")
    if state_layers and not state_elements:
        raise UsageError("state layers need their size", where="state_elements",
                         todo="give the numbers per layer and sequence")

    def group(count: int, span: int) -> TokenLayers:
        return Latent(count, latent, rope, span) if latent else Attention(count, kv_heads, head_dim, head_dim, span)

    groups = tuple(group(count, span) for count, span in ((attending - sliding, 0), (sliding, window)) if count)
    state = (State(state_layers, (Part("recurrent", state_elements, 1, state_dtype),)),) if state_layers else ()
    return Model("flags", dtype, groups, state, query_heads)


def near_divisors(number: int, wanted: int) -> str:
    """The divisors of `number` next to `wanted` on either side, as text."""
    return _around(wanted, divisors(number))


def _around(wanted: int, numbers: Iterable[int]) -> str:
    below = [number for number in numbers if number < wanted]
    above = [number for number in numbers if number > wanted]
    return ", ".join(str(pick) for pick in (max(below, default=None), min(above, default=None)) if pick is not None)
