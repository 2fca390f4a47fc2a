from __future__ import annotations

from tests.fuzz import at_hand


def test_a_sample_of_the_code_at_hand_is_read_without_a_crash() -> None:
    """All of it by `python -m tests.fuzz.at_hand`."""
    number, without, functions = at_hand.main(share=200)
    assert number > 12
    assert without < number / 4, "the standard library's own tests hold files that must not parse"
    assert functions > number / 2
