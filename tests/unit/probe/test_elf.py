"""Names of functions in shipped binaries: exported ones, and those of a stripped program by the same code."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tracer.errors import UsageError
from tracer.probe import elf, mangled


def binary(code: bytes, functions, exported=()):
    frames = tuple(elf.Function("", a, s) for a, s in functions)
    return elf.Binary(Path("x"), tuple(elf.Function(n, a, s) for n, a, s in exported), frames, code, 0x1000)


BODY = bytes(range(1, 97))  # 96 different bytes
OTHER = bytes((b * 7 + 3) % 256 for b in BODY)


def with_operand(code: bytes, at: int, value: bytes) -> bytes:
    return code[:at] + value + code[at + len(value) :]


def test_a_function_is_found_again_where_only_operands_differ():
    named = binary(BODY + OTHER, [(0x1000, 96), (0x1060, 96)], [("f", 0x1000, 96), ("g", 0x1060, 96)])
    moved = with_operand(with_operand(BODY, 10, b"\xaa\xbb\xcc\xdd"), 40, b"\xee\xff\xee\xff")
    stripped = binary(OTHER + moved, [(0x1000, 96), (0x1060, 96)])
    assert [(f.name, f.address) for f in elf.carried_over(named, stripped)] == [("g", 0x1000), ("f", 0x1060)]


def test_other_code_of_the_same_length_is_not_that_function():
    named = binary(BODY, [(0x1000, 96)], [("f", 0x1000, 96)])
    longer_change = with_operand(BODY, 10, b"\xaa\xbb\xcc\xdd\xee")  # five bytes are no operand
    assert elf.carried_over(named, binary(longer_change, [(0x1000, 96)])) == []
    assert elf.carried_over(named, binary(OTHER, [(0x1000, 96)])) == []


def test_two_candidates_or_two_names_prove_nothing():
    twins = binary(BODY + BODY, [(0x1000, 96), (0x1060, 96)])
    named = binary(BODY, [(0x1000, 96)], [("f", 0x1000, 96)])
    assert elf.carried_over(named, twins) == []
    both = binary(BODY + BODY, [(0x1000, 96), (0x1060, 96)], [("f", 0x1000, 96), ("g", 0x1060, 96)])
    assert elf.carried_over(both, binary(BODY, [(0x1000, 96)])) == []


def test_short_functions_are_left_out():
    named = binary(BODY[:40], [(0x1000, 40)], [("f", 0x1000, 40)])
    assert elf.carried_over(named, binary(BODY[:40], [(0x1000, 40)])) == []


SOURCE = """
#include <string>
#include <vector>
namespace shop {
struct Till {
  std::vector<int> coins;
  long total(int extra) const;
  template <class T> T change(T from);
};
long Till::total(int extra) const { long n = extra; for (int c : coins) n = n * 31 + c % 7; return n ^ (n >> 3); }
template <class T> T Till::change(T from) { for (int c : coins) from -= c * 3 + 1; return from * from; }
template long Till::change<long>(long);
namespace { int hidden(int a) { return a * 3; } }
std::string label(const Till& t) { return std::to_string(t.total(hidden(4))) + " in all, and not one coin more"; }
}
int main(int, char** v) { shop::Till t; t.coins = {1, 2, 3}; return shop::label(t).size() + t.change(5l) + v[0][0]; }
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    if shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    folder = tmp_path_factory.mktemp("elf")
    (folder / "till.cpp").write_text(SOURCE)

    def run(*command: str) -> None:
        subprocess.run(command, cwd=folder, check=True, timeout=300)

    run("g++", "-O1", "-fno-inline", "-fPIC", "-c", "till.cpp")
    run("g++", "-shared", "-o", "libtill.so", "till.o")
    run("g++", "-o", "till", "till.o")
    run("strip", "till")
    return folder


def test_a_stripped_program_takes_names_from_the_library_with_the_same_objects(built):
    library, program = elf.read(built / "libtill.so"), elf.read(built / "till")
    assert not [f for f in program.exported if "Till" in f.name]
    found = elf.carried_over(library, program)
    names = mangled.symbols(f.name for f in found)
    symbols = {names[f.name] for f in found if f.name in names}
    assert {"shop::Till::total", "shop::Till::change", "shop::label"} <= symbols


def test_what_is_no_binary_is_said(tmp_path):
    (tmp_path / "x.so").write_text("no binary")
    with pytest.raises(UsageError, match=r"x\.so is no ELF file"):
        elf.read(tmp_path / "x.so")


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("a::B::put(std::vector<int, std::allocator<int> > const&, int)", "a::B::put"),
        ("std::vector<int> a::B::get[abi:cxx11](int (*)(int)) const", "a::B::get"),
        ("auto a::f<int>(int)::{lambda(int)#1}::operator()(int) const", "a::f"),
        ("(anonymous namespace)::help(int)", "help"),
        ("a::operator<<(std::ostream&, a::B const&)", "a::operator<<"),
        ("a::B<int>::operator()(int)", "a::B::operator()"),
        ("a::B::operator bool() const", "a::B::operator bool"),
        ("a::B::operator->() const", "a::B::operator->"),
        ("a::M::call<&a::W::Ping, void>(int)", "a::M::call"),
        ("vtable for a::B", ""),
        ("non-virtual thunk to a::B::put()", ""),
    ],
)
def test_symbols_are_written_as_in_the_graph(text, symbol):
    assert mangled.symbol(text) == symbol


def test_demangling_without_the_library_takes_the_tool(monkeypatch):
    if shutil.which("c++filt") is None:
        pytest.skip("no c++filt on this machine")
    monkeypatch.setattr(mangled, "_library", lambda: None)
    assert mangled.symbols(["_ZN1a1B3putEi", "main"]) == {"_ZN1a1B3putEi": "a::B::put"}
    monkeypatch.setenv("PATH", os.devnull)
    assert mangled.symbols(["_ZN1a1B3putEi"]) == {"_ZN1a1B3putEi": "_ZN1a1B3putEi"}
