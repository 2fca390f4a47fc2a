"""What is shown of a step's code, and its ways out beside the happy path."""

from __future__ import annotations

from tests.unit.trees import MemoryTree
from tracer.model import Site, Step
from tracer.pairs.balance import Holder, Leaving
from tracer.walks.code import MOST, Trees, code_of

SAVE = """\
class Cache:
    def save(self, request, deadline):
        \"\"\"Save.\"\"\"
        if request.aborted:
            return
        if self.clock() > deadline:
            raise TimeoutError(request)
        self.ref += 1
        try:
            self.copy(request)
        except OSError:
            self.log(request)
        if not request.blocks:
            return None
        self.index[request.key] = request
        return self.send(request)
"""
CPP = """\
int Client::Put(const Key& key) {
    auto start = master_.PutStart(key);
    if (!start) {
        return start.error();
    }
    Write(key);
    return master_.PutEnd(key);
}
"""


def _trees(text: str, path: str = "m.py") -> Trees:
    return Trees({"toy": MemoryTree({path: text})})


def _step(symbol: str, path: str, line: int, **more: object) -> Step:
    return Step(symbol, path, line, engine="toy", **more)  # type: ignore[arg-type]


STEP = _step("m.Cache.save", "m.py", 2)
AFTER = _step("m.send", "m.py", 99, edge="call", from_file="m.py", from_line=16)


def _marks(code) -> dict[int, str]:
    return dict(code.marks)


def test_ways_out_are_told_by_why_they_are_taken() -> None:
    found = code_of(_trees(SAVE), STEP, AFTER, [])
    assert [(w.line, w.kind, w.sort) for w in found.ways_out] == [
        (5, "return", "abort"), (7, "raise", "timeout"), (11, "except", "failure"), (14, "return", "early"),
    ]  # fmt: skip
    assert found.ways_out[0].when == "request.aborted" and found.ways_out[2].when == "except OSError"


def test_the_happy_path_is_no_way_out_and_its_lines_are_marked() -> None:
    site = Site("r", "publish", "commit", "host", "m.Cache.save", "m.py", 2, 15, 15, "", "exact")
    found = code_of(_trees(SAVE), STEP, AFTER, [site])
    marks = _marks(found)
    assert (found.first, found.last) == (2, 16)
    assert marks[2] == "def" and marks[15] == "site" and marks[16] == "on" and marks[5] == "out"
    shown = {n for p in found.pieces for n in range(p.start, p.start + len(p.lines))}
    assert {2, 15, 16} <= shown and shown <= set(range(2, 17))
    assert found.pieces[0].lines[0] == "    def save(self, request, deadline):"


def test_what_pairs_say_of_an_exit_is_told_and_a_missing_release_is_never_left_out() -> None:
    exits = (
        Leaving(7, "raise", "missing", 8), Leaving(14, "return", "released", 8, by=("m.py", 13)),
        Leaving(16, "return", "missing", 8),
    )  # fmt: skip
    holder = Holder("toy.pairs.ref", "m.Cache.save", "m.py", 2, "acquire", (), exits)
    found = {w.line: w for w in code_of(_trees(SAVE), STEP, None, [], [holder]).ways_out}
    assert (found[7].verdict, found[7].rule) == ("missing", "toy.pairs.ref")
    assert found[14].by == ("m.py", 13) and found[5].verdict == ""
    assert found[16].verdict == "missing"


def test_cpp_returns_that_report_an_error_are_failures() -> None:
    found = code_of(_trees(CPP, "c.cpp"), _step("Client::Put", "c.cpp", 1), None, [])
    assert [(w.line, w.sort) for w in found.ways_out] == [(4, "failure")]


def test_a_long_function_is_cut_to_what_counts() -> None:
    body = "".join(f"    if e{n}.error:\n        raise E{n}\n" + "    a()\n" * 20 for n in range(40))
    found = code_of(_trees("def f():\n" + body + "    return g()\n"), _step("m.f", "m.py", 1),
                    _step("g", "m.py", 1, edge="call", from_file="m.py", from_line=2 + 40 * 22), [])
    assert sum(len(p.lines) for p in found.pieces) <= MOST
    assert any(p.start <= 2 + 40 * 22 < p.start + len(p.lines) for p in found.pieces)  # the line that leads on is there


def test_a_file_or_a_function_that_is_not_there_is_an_empty_excerpt() -> None:
    assert code_of(_trees(SAVE), _step("m.gone", "m.py", 3), None, []).pieces == ()
    assert code_of(_trees(SAVE), _step("m.f", "gone.py", 3), None, []).pieces == ()
    assert code_of(_trees("def f(:\n"), _step("m.f", "m.py", 1), None, []).pieces == ()
