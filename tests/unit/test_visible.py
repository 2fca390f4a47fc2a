from __future__ import annotations

import pytest

from tracer.render.markdown import prose
from tracer.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("if access\u202e\u2066", "if access⟨U+202E⟩⟨U+2066⟩"),
        ("a\x1b[31mb\x9b", "a␛[31mb⟨U+009B⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("\ud800", "⟨U+D800⟩"),
        ("two\u2028lines", "two⟨U+2028⟩lines"),
        ("put\x00\x7f", "put␀␡"),
    ],
)
def test_what_is_hidden_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["p\u0430ge", "self.\u0441\u0430\u0441h\u0435", "\u0441\u043e\u0440\u0435 = 1"])
def test_letters_that_only_look_latin_are_named(text: str) -> None:
    assert "⟨U+04" in visible(text)


@pytest.mark.parametrize(
    "text", ["  x = 1", "# 缓存块 publish", "# \u043f\u0440\u0438\u0432\u0435\u0442 \u0430", "Δt = 2·σ", "naïve", ""]
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_nothing_in_running_markdown_is_markup() -> None:
    shown = prose("<img src=x onerror=alert(1)> [a](javascript:b) `c` *d* |")
    assert "<" not in shown and "](" not in shown.replace("\\](", "") and "\\`c\\`" in shown and "\\|" in shown
