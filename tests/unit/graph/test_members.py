"""Members of C++ enumerations: named by enumeration or alone; comments, strings and other enumerations left out."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.answers import uses
from tracer.graph.members import member_uses
from tracer.pairs.order import Orders

CODE = """
    enum class Code { OK = 0, TOO_LATE = -7 };
    enum class Other { TOO_LATE };
    struct Copy { bool late(); };
    struct Reader {
        bool copy();
        Code get() {
            // Code::TOO_LATE is for those who come late
            if (!copy()) {
                return Code::OK; }
            log("Code::TOO_LATE"); /* Code::TOO_LATE
               Code::TOO_LATE */ if (late()) return Code::TOO_LATE;
            return Other::TOO_LATE == kind() ? Code::OK : Code::OK;
        }
    };
"""


def lines(pattern: str) -> list[tuple[str, int]]:
    return [(m.op, m.line) for m in member_uses(world(a_cpp=CODE), pattern)]


@pytest.mark.parametrize("pattern", ["Code::TOO_LATE", "Code.TOO_LATE"])
def test_where_a_member_is_given(pattern: str) -> None:
    assert lines(pattern) == [("define", 1), ("read", 11)]


def test_by_its_name_alone() -> None:
    assert lines("TOO_LATE") == [("define", 1), ("define", 2), ("read", 11), ("read", 12)]


def test_what_is_no_member_has_none() -> None:
    assert lines("Code::GONE") == lines("Reader.copy") == []


def test_uses_tells_the_member_s_own_line_and_function() -> None:
    found = uses(world(a_cpp=CODE), "Code::TOO_LATE", "all")
    assert [(u.symbol, u.op, u.line) for u in found] == [("Code", "define", 1), ("Reader::get", "read", 11)]
    assert [u.line for u in uses(world(a_cpp=CODE), "Code::TOO_LATE", "read")] == [11]


def test_order_takes_a_member() -> None:
    found = Orders(world(a_cpp=CODE), "example", "1").between("Reader::copy", "Code::TOO_LATE")
    assert [(o.verdict, o.b) for o in found] == [("always", (11,))]
