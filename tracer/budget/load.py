"""What a cache is asked to hold and carry: one checked, frozen `Load`, from code or from what a user typed.

Takes numbers, or text with units (`200 Gb/s`, `100 ms`, `70%`), and refuses in one line what cannot be. It knows no
model and computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import Literal

from tracer.budget.units import Exact, clip, figure, nearest, read_number, read_rate, read_share, read_time
from tracer.errors import UsageError

_MOST = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the cache is asked to hold and carry. Rates are bytes per second, times seconds, shares parts of one.

    `prefix` None is 6,144 tokens, or all of a shorter input. `window_store` says whether a store keeps sliding layers
    whole (`all`: a hit may end at any chunk) or their window only. `replicated` says how often the ranks store what
    several of them hold: `each` its own, `once`, or `auto`: latents once (rank 0 writes and hands on), heads each.
    `states` is how many snapshots of a per-sequence state the store keeps per prefix; `objects` how many objects hold
    one rank's part of one chunk (groups, or layers); `concurrent` how many loads share the link; `latency` what a load
    costs apart from bytes (look-up, queue); `prefill_rate` tokens per second, None where break-even is not asked for.
    """

    tokens: int = 8192
    prefix: int | None = None
    prefixes: int = 1000
    replicas: int = 2
    payload_share: Exact = Fraction(7, 10)
    tp: int = 4
    page: int = 16
    chunk: int = 256
    partial_chunks: bool = False
    objects: int = 1
    states: int = 1
    window_store: Literal["all", "window"] = "all"
    replicated: Literal["auto", "each", "once"] = "auto"
    rate: Exact = 20
    write_share: Exact = Fraction(1, 10)
    link: Exact = 25 * 10**9
    link_share: Exact = Fraction(7, 10)
    residence: Exact = Fraction(1, 10)
    concurrent: Exact = 1
    latency: Exact = 0
    prefill_rate: Exact | None = None
    kv_dtype: str = "auto"
    scale_group: int | str = 0
    scale_dtype: str = ""
    zero_dtype: str = ""
    state_dtype: str = "auto"

    def __post_init__(self) -> None:
        for name, least in _WHOLE.items():
            value = getattr(self, name)
            if name == "prefix" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
                raise UsageError(f"{clip(value)} is not a whole number from {least} to {_MOST:,}", where=name,
                                 todo="correct it")
        if not isinstance(self.partial_chunks, bool):
            raise UsageError(f"{clip(self.partial_chunks)} is not true or false", where="partial_chunks",
                             todo="correct it")
        for name in _EXACT:
            value = getattr(self, name)
            if value is not None or name != "prefill_rate":
                object.__setattr__(self, name, read_number(value, name))
        for name in ("payload_share", "link_share", "link", "concurrent", "prefill_rate"):
            if getattr(self, name) == 0:
                raise UsageError("0 leaves nothing", where=name, todo="give more than 0")
        for name in ("payload_share", "link_share", "write_share"):
            if getattr(self, name) > 1:
                raise UsageError(f"{figure(getattr(self, name))[0]} is more than all", where=name,
                                 todo="give a share up to 1, or 70%")
        for name, known in (("window_store", ("all", "window")), ("replicated", ("auto", "each", "once"))):
            if getattr(self, name) not in known:
                raise UsageError(f"{clip(getattr(self, name))} is not known", where=name,
                                 todo=f"known: {', '.join(known)}")
        if self.prefix is not None and self.prefix > self.tokens:
            raise UsageError(f"{self.prefix:,} tokens are more than the input of {self.tokens:,}", where="prefix",
                             todo="lower it")

    @property
    def hit(self) -> int:
        """The tokens of the reusable prefix."""
        return min(6144, self.tokens) if self.prefix is None else self.prefix

    def whole(self, tokens: int) -> int:
        """The tokens of `tokens` that a store takes: whole chunks, unless it takes partial ones."""
        return tokens if self.partial_chunks else tokens // self.chunk * self.chunk

    def as_json(self) -> dict[str, object]:
        """The inputs in plain types, for the head of a report."""
        return {name: float(value) if isinstance(value, Fraction) else value for name, value in asdict(self).items()}


_WHOLE = {"tokens": 1, "prefix": 0, "prefixes": 0, "replicas": 1, "tp": 1, "page": 1, "chunk": 1, "objects": 1,
          "states": 0}
_EXACT = ("payload_share", "rate", "write_share", "link", "link_share", "residence", "concurrent", "latency",
          "prefill_rate")
_READ: dict[str, Callable[[object, str], Exact]] = {
    "link": read_rate, "residence": read_time, "latency": read_time,
    "payload_share": read_share, "write_share": read_share, "link_share": read_share,
}


def load_from(options: Mapping[str, object]) -> Load:
    """A Load from what a user typed (`link`: `200 Gb/s`, `residence`: `100 ms`, …); what is None is left out."""
    known = [one.name for one in fields(Load)]
    given: dict[str, object] = {}
    for name, value in options.items():
        if name not in known:
            raise UsageError(f"{clip(name)} is not an option of the budget", todo=nearest(str(name), known))
        if value is None:
            continue
        counted = name in _WHOLE or name in _EXACT or (name == "scale_group" and str(value).isdecimal())
        if name in _READ:
            given[name] = _READ[name](value, name)
        else:
            given[name] = read_number(value, name) if counted and isinstance(value, str) else value
    return Load(**given)  # type: ignore[arg-type]  # __post_init__ checks each
