"""Exact numbers and explicit units for the budget: read `200 Gb/s`, `100 ms`, `70%`; show `≈ 23.28 GiB/s`.

Takes what a user typed and gives int or Fraction; takes those and gives text. Sizes are binary (KiB, MiB, GiB),
link speeds are decimal bits (Gb/s) beside binary bytes (GiB/s), and `≈` marks every figure that was rounded.
It knows nothing of models or caches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from rapidfuzz import fuzz, process

from tracer.errors import UsageError

Exact = int | Fraction

_SIZES = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1))
_BITS = (("Gb/s", 10**9), ("Mb/s", 10**6), ("kb/s", 10**3), ("b/s", 1))
_TIMES = (("s", Fraction(1)), ("ms", Fraction(1, 10**3)), ("µs", Fraction(1, 10**6)), ("ns", Fraction(1, 10**9)))
_PREFIXES = {
    "": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
    "ki": 1 << 10, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
}
_SECONDS = {"s": _TIMES[0][1], "ms": _TIMES[1][1], "us": _TIMES[2][1], "µs": _TIMES[2][1], "ns": _TIMES[3][1]}
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?")
_LARGEST = 10**18  # beyond any machine; keeps a hostile number from growing the arithmetic


def clip(value: object) -> str:
    """What a user or a file gave, short and on one line whatever it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) <= _LARGEST else "a huge number"
    if isinstance(value, Fraction):
        return str(float(value)) if abs(value) <= _LARGEST else "a huge number"
    return repr(value) if value is None or isinstance(value, bool | float) else f"a {type(value).__name__}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The up to three members of `known` that look most like `word`, for the end of an error; else all of them."""
    names = sorted(set(known))
    near = [match[0] for match in process.extract(word, names, scorer=fuzz.ratio, limit=3, score_cutoff=60)]
    return f"nearest: {', '.join(near)}" if near else f"known: {', '.join(names)}"


def simple(value: Exact) -> Exact:
    """`value` as int where it is whole."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def read_number(value: object, where: str, *, todo: str = "give a number") -> Exact:
    """An int, float, Fraction or decimal text (`1_000`, `1,000`, `0.7`) as an exact number; never negative."""
    if isinstance(value, float) and math.isfinite(value):
        value = repr(value)  # the decimal that was meant: 0.7 is 7/10
    number: Exact
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and _NUMBER.fullmatch(text := value.strip().replace("_", "").replace(",", "")):
        number = Fraction(text)
    else:
        raise UsageError(f"{clip(value)} is not a number", where=where, todo=todo)
    if number < 0:
        raise UsageError(f"{clip(value)} is negative", where=where, todo=todo)
    if number > _LARGEST:
        raise UsageError(f"{clip(value)} is too large", where=where, todo=todo)
    return simple(number)


def read_rate(value: object, where: str) -> Exact:
    """`200 Gb/s`, `25 GB/s`, `23.28 GiB/s` as bytes per second; a bare number is refused, its unit would be a guess."""
    todo = "write a unit: Gb/s (decimal bits), GB/s (decimal bytes) or GiB/s (binary bytes)"
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return read_number(value, where, todo=todo)  # from code: already bytes per second
    match = re.fullmatch(r"\s*([\d.,_]+(?:[eE][+-]?\d+)?)\s*([kKMGT]i?|)([bB])(?:/s|ps)\s*", str(value))
    if not match:
        raise UsageError(f"{clip(value)} is not a bandwidth", where=where, todo=todo)
    per_unit = Fraction(_PREFIXES[match[2]], 8 if match[3] == "b" else 1)
    return simple(read_number(match[1], where, todo=todo) * per_unit)


def read_time(value: object, where: str) -> Exact:
    """`100 ms`, `1.5s`, `20us` as seconds; a bare number is refused."""
    todo = "write a unit: s, ms, us or ns"
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return read_number(value, where, todo=todo)  # from code: already seconds
    match = re.fullmatch(r"\s*([\d.,_]+(?:[eE][+-]?\d+)?)\s*(s|ms|us|µs|ns)\s*", str(value))
    if not match:
        raise UsageError(f"{clip(value)} is not a time", where=where, todo=todo)
    return simple(read_number(match[1], where, todo=todo) * _SECONDS[match[2]])


def read_share(value: object, where: str) -> Exact:
    """`70%`, `0.7` as a part of one."""
    todo = "give a share such as 0.7 or 70%"
    if isinstance(value, str) and value.strip().endswith("%"):
        return simple(Fraction(read_number(value.strip()[:-1], where, todo=todo)) / 100)
    return read_number(value, where, todo=todo)


def figure(value: Exact) -> tuple[str, bool]:
    """`value` to at most two decimals (none from 1,000 on), and whether that is the exact value."""
    if isinstance(value, int) or value.denominator == 1:
        return f"{int(value):,}", True
    if 0 < abs(value) < Fraction(1, 100):
        text = f"{float(value):.2g}"
        return text, Fraction(text) == value
    scale = 1 if abs(value) >= 1000 else 100
    rounded = Fraction((2 * value.numerator * scale + value.denominator) // (2 * value.denominator), scale)
    if rounded != value:  # keep the zeros: they say how far the rounding went
        return f"{float(rounded):,.2f}" if scale == 100 else f"{int(rounded):,}", False
    return f"{float(rounded):,.2f}".rstrip("0").rstrip("."), True


def _scaled(value: Exact, units: Sequence[tuple[str, Exact]], first: Exact = Fraction(1, 2)) -> tuple[str, bool]:
    """`value` in the largest unit of which there is one; of the very largest, `first` of one is enough (0.75 GiB)."""
    unit, per_unit = next(
        (pair for rank, pair in enumerate(units) if value >= pair[1] * (1 if rank else first)), units[-1])
    text, exact = figure(simple(Fraction(value) / per_unit))
    return f"{text} {unit}", exact


def show_size(value: Exact) -> str:
    """`128 KiB`; a rounded figure keeps its bytes beside it: `≈ 68.62 KiB (70,272 B)`."""
    text, exact = _scaled(value, _SIZES)
    if exact:
        return text
    return f"≈ {text} ({value:,} B)" if isinstance(value, int) else f"≈ {text}"


def term_size(value: Exact) -> str:
    """A size inside a formula: scaled where that is exact, else in bytes."""
    text, exact = _scaled(value, _SIZES)
    return f"{value:,} B" if not exact and isinstance(value, int) else text


def show_rate(value: Exact) -> str:
    """Bytes per second in both worlds, the exact one first: `15 GiB/s ≈ 128.85 Gb/s`."""
    size, exact_size = _scaled(value, _SIZES)
    bits, exact_bits = _scaled(value * 8, _BITS)
    if exact_bits and not exact_size:
        return f"{bits} ≈ {size}/s"
    return f"{'' if exact_size else '≈ '}{size}/s {'=' if exact_bits else '≈'} {bits}"


def term_rate(value: Exact) -> str:
    """A bandwidth inside a formula: the exact one of GiB/s and Gb/s."""
    size, exact_size = _scaled(value, _SIZES)
    bits, exact_bits = _scaled(value * 8, _BITS)
    return bits if exact_bits and not exact_size else f"{size}/s"


def show_time(value: Exact) -> str:
    """Seconds as `1.5 s`, `100 ms`, `20 µs`; a loss has a minus."""
    size = -value if value < 0 else value
    text, exact = _scaled(size, _TIMES, 1) if size else ("0 s", True)
    return f"{'' if exact else '≈ '}{'-' if value < 0 else ''}{text}"


def show_share(value: Exact) -> str:
    """A part of one in per cent."""
    text, exact = figure(simple(Fraction(value) * 100))
    return f"{'' if exact else '≈ '}{text} %"


def show_count(value: Exact, unit: str) -> str:
    """A plain number with its unit."""
    text, exact = figure(value)
    return f"{'' if exact else '≈ '}{text} {unit}".rstrip()
