from __future__ import annotations

import pytest

from tracer.evidence import Excerpt
from tracer.render.excerpt import MAX_COLUMNS, MAX_LINES, fenced, gutter
from tracer.render.markdown import cell, code, fence, link


def test_decisive_lines_are_marked_and_numbers_aligned() -> None:
    shown = Excerpt("a.py", 9, ("one", "", "three"), 10, 10)
    assert gutter(shown).splitlines() == ["   9 | one", "> 10 |", "  11 | three"]


def test_a_fence_is_longer_than_any_inside() -> None:
    text = fenced(Excerpt("a.py", 1, ("```", "````x"), 1, 1))
    assert text.startswith("`````text\n")
    assert text.endswith("\n`````")
    assert fence("x", "text") == "```text\nx\n```"


def test_terminal_escapes_tabs_and_endless_lines_are_tamed() -> None:
    shown = gutter(Excerpt("a.py", 1, ("\x1b[31mred", "\tx", "y" * 5000), 1, 1)).splitlines()
    assert shown[0] == "> 1 | ␛[31mred"
    assert shown[1] == "  2 |     x"
    assert len(shown[2]) < MAX_COLUMNS + 12


def test_a_long_statement_shows_its_beginning_and_its_end() -> None:
    lines = tuple(f"line {n}" for n in range(1, 201))
    shown = gutter(Excerpt("a.py", 1, lines, 1, 200)).splitlines()
    assert len(shown) == MAX_LINES + 1
    assert shown[-1].endswith("line 200")
    assert "140 lines left out" in shown[MAX_LINES // 2]


@pytest.mark.parametrize(
    ("text", "span"),
    [("x", "`x`"), ("a`b", "``a`b``"), ("`x`", "`` `x` ``"), ("a\nb", "`a b`"), ("", "")],
)
def test_a_code_span_survives_backticks_and_line_breaks(text: str, span: str) -> None:
    assert code(text) == span


def test_a_cell_keeps_its_bars_and_a_link_needs_an_address() -> None:
    assert cell("a|b\nc") == "a\\|b c"
    assert link("x", "") == "`x`"
    assert link("x", "https://h") == "[`x`](https://h)"
