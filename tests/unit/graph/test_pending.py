"""What a cycle gives must not depend on where it was entered."""

from __future__ import annotations

from tracer.graph.pending import Pending


def _walk(pending: Pending, links: dict[str, list[str]], at: str, kept: set[str]) -> set[str]:
    if pending.beyond(6) or not pending.enter(at):
        return set()
    seen = {at}.union(*(_walk(pending, links, to, kept) for to in links[at]))
    if pending.leave(at):
        kept.add(at)
    return seen


def test_a_value_that_met_no_cycle_is_kept() -> None:
    kept: set[str] = set()
    _walk(Pending(), {"a": ["b", "c"], "b": ["c"], "c": []}, "a", kept)
    assert kept == {"a", "b", "c"}


def test_no_member_of_a_cycle_is_kept_and_what_hangs_below_it_is() -> None:
    kept: set[str] = set()
    seen = _walk(Pending(), {"top": ["a"], "a": ["b"], "b": ["a", "leaf"], "leaf": []}, "top", kept)
    assert seen == {"top", "a", "b", "leaf"}
    assert kept == {"leaf", "top"}


def test_a_chain_that_was_ended_by_the_limit_is_not_kept() -> None:
    links = {str(n): [str(n + 1)] for n in range(9)} | {"9": []}
    kept: set[str] = set()
    pending = Pending()
    assert len(_walk(pending, links, "0", kept)) == 7
    assert kept == set()
    _walk(pending, links, "5", kept)
    assert "5" in kept
