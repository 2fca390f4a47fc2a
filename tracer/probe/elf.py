"""The named functions of a shipped binary, also of a stripped one: names are carried over where the code is the same.

A wheel ships the same object files in several binaries; one exports its functions, another is stripped. Both keep their
tables of stack frames (`.eh_frame`), which tell where each function starts and how long it is. A function of the
stripped binary whose bytes equal an exported one, except for operands of four bytes (addresses relative to the place
they stand in), and that is the only such function, is that function.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracer.errors import UsageError

SHORTEST = 48  # bytes; below this many functions look the same
OPERAND = 4  # bytes of an address relative to the place it stands in
ALIKE = 0.6  # of the bytes must be equal: the rest are operands
APART = 0.08  # by which the best candidate must lead the next one


@dataclass(frozen=True, slots=True)
class Function:
    """A function in a binary: its mangled name ("" if unknown), virtual address and size in bytes."""

    name: str
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Binary:
    """What is needed of an ELF file: code, the functions it exports, every function it has by its frame table."""

    path: Path
    exported: tuple[Function, ...]
    frames: tuple[Function, ...]
    code: bytes
    code_at: int

    def bytes_of(self, function: Function) -> bytes:
        """The code of one of its functions; empty if it lies outside of the text section."""
        start = function.address - self.code_at
        return self.code[start : start + function.size] if start >= 0 else b""


def read(path: Path) -> Binary:
    """Read an ELF file of 64 bits, little-endian. Raises `UsageError` if it is none."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        try:
            elf = ELFFile(file)
            text: Any = elf.get_section_by_name(".text")
            symbols: Any = elf.get_section_by_name(".dynsym")
        except ELFError as e:
            raise UsageError(f"{path.name} is no ELF file: {e}", todo="give a shared object or a program") from e
        exported = tuple(_exported(symbols)) if symbols is not None else ()
        return Binary(path, exported, tuple(_frames(elf)), text.data(), int(text["sh_addr"]))


def _exported(symbols: Any) -> Iterator[Function]:
    seen: set[int] = set()
    for s in symbols.iter_symbols():
        address, size = int(s["st_value"]), int(s["st_size"])
        if s["st_info"]["type"] == "STT_FUNC" and address and size and address not in seen:
            seen.add(address)  # constructors and destructors have two names at one address
            yield Function(str(s.name), address, size)


def _frames(elf: Any) -> Iterator[Function]:
    """Start and size of every function, from the sorted table of `.eh_frame_hdr`."""
    header, frames = elf.get_section_by_name(".eh_frame_hdr"), elf.get_section_by_name(".eh_frame")
    if header is None or frames is None:
        return
    table, at = header.data(), int(header["sh_addr"])
    data, data_at = frames.data(), int(frames["sh_addr"])
    if tuple(table[:4]) != (1, 0x1B, 0x03, 0x3B):  # the one encoding that linkers write: signed, 4 bytes, relative
        return
    (count,) = struct.unpack_from("<I", table, 8)
    for i in range(count):
        start, entry = struct.unpack_from("<ii", table, 12 + 8 * i)
        (size,) = struct.unpack_from("<I", data, at + entry - data_at + 12)
        yield Function("", at + start, size)


def carried_over(named: Binary, stripped: Binary) -> list[Function]:
    """The functions of `stripped` that are exported by `named` under a name, by the same code; sorted by address."""
    by_size: dict[int, list[Function]] = {}
    for f in stripped.frames:
        by_size.setdefault(f.size, []).append(f)
    best: dict[int, list[tuple[float, str]]] = {}
    for f in named.exported:
        if f.size < SHORTEST:
            continue
        code = named.bytes_of(f)
        scores = sorted(((_alike(code, stripped.bytes_of(c)), c) for c in by_size.get(f.size, ())), key=lambda s: -s[0])
        if scores and scores[0][0] >= ALIKE and (len(scores) == 1 or scores[0][0] - scores[1][0] >= APART):
            best.setdefault(scores[0][1].address, []).append((scores[0][0], f.name))
    found = []
    for address, claims in best.items():
        claims.sort(reverse=True)
        if len(claims) == 1 or claims[0][0] - claims[1][0] >= APART:  # two names for one code: neither is proven
            size = next(f.size for f in stripped.frames if f.address == address)
            found.append(Function(claims[0][1], address, size))
    return sorted(found, key=lambda f: f.address)


def _alike(one: bytes, other: bytes) -> float:
    """The share of equal bytes, 0 if they differ in more than operands of four bytes."""
    if len(one) != len(other) or not one:
        return 0.0
    differ = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    run, last = 0, -2
    for i in differ:
        run = run + 1 if i == last + 1 else 1
        last = i
        if run > OPERAND:
            return 0.0
    return 1 - len(differ) / len(one)
