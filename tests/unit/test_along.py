"""Order along the steps of a path, on invented code: before, on some ways, too late, in the same body."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world_of
from tracer.along import Passed, check_names, passed
from tracer.errors import UsageError
from tracer.model import EngineRevision, Path, Revision, Step
from tracer.pairs.order import Orders
from tracer.render import pairs as render
from tracer.render.text import plain

CODE = """
class Server:
    def __init__(self):
        self.copied = False
        self.index = {}
        self.other = {}
    def start(self, key, quick):
        FIRST
        self.middle(key)
    def middle(self, key):
        SECOND
        self.publish(key)
    def publish(self, key):
        THIRD
        self.index[key] = True
    def copy(self):
        self.copied = True
"""
WAY = ("start", "middle", "publish")


def ask(first: str = "pass", second: str = "pass", third: str = "pass") -> list[Passed]:
    code = CODE.lstrip().replace("FIRST", first).replace("SECOND", second).replace("THIRD", third)
    lines = code.splitlines()
    heads = [next(n for n, text in enumerate(lines, 1) if f"def {name}(" in text) for name in WAY]
    calls = [0, *(next(n for n, t in enumerate(lines, 1) if t.strip().startswith(f"self.{name}(")) for name in WAY[1:])]
    steps = [Step(f"a.Server.{n}", "a.py", h, "call" if c else "", "a.py" if c else "", c)
             for n, h, c in zip(WAY, heads, calls, strict=True)]
    orders = Orders(world_of({"a.py": code}), "example", "1")
    return list(passed(orders, "Server.copied:write", "Server.index:insert", steps))


def verdict(found: list[Passed]) -> str:
    assert [s.step for s in found if s.b] == [3]
    return found[-1].verdict


@pytest.mark.parametrize(("place", "expected"), [("first", 1), ("second", 2)])
def test_an_earlier_step_that_always_does_it(place: str, expected: int) -> None:
    found = ask(**{place: "self.copy()"})
    assert verdict(found) == "always"
    assert [(s.step, s.so_far) for s in found] == [(expected, "always"), (3, "always")]


def test_an_earlier_step_that_does_it_on_some_ways() -> None:
    found = ask(first="if not quick:\n            self.copy()")
    assert verdict(found) == "sometimes"


def test_what_is_done_after_the_path_went_on_is_too_late() -> None:
    assert verdict(ask(third="self.other[key] = 1")) == "never"
    late = ask(second="self.publish(key)\n        self.copy()")  # then published again, off the path
    assert [(s.step, s.verdict) for s in late] == [(2, "always"), (3, "never")]


def test_the_same_body() -> None:
    assert verdict(ask(third="self.copy()")) == "always"
    assert verdict(ask(third="if key:\n            self.copy()")) == "sometimes"


def test_a_later_step_mends_what_an_earlier_did_on_some_ways() -> None:
    found = ask(first="if not quick:\n            self.copy()", second="self.copy()")
    assert verdict(found) == "always"
    assert [s.so_far for s in found] == ["sometimes", "always", "always"]


def test_text_and_document() -> None:
    found = ask(first="self.copy()")
    way = Path("example.store", "Store", (), "complete")
    text = "\n".join(plain(line) for line in render.along_text("A", "B", way, found))
    assert "A came before it: always" in text
    engine = EngineRevision("example", "1", Revision("folder", digest="d" * 64))
    document = render.along_document([engine], "A", "B", way, found)
    assert [s.get("verdict") for s in document["steps"]] == [None, "always"]
    assert (document["along"], document["end"]) == ("example.store", "complete")


def test_one_function_and_a_path_are_not_asked_at_once() -> None:
    with pytest.raises(UsageError, match="--in and --along"):
        check_names("store", "Server.publish")
