"""Results live as long as the object whose method gave them."""

from __future__ import annotations

import gc
import weakref

from tracer.kept import Once, kept


class Box:
    def __init__(self, base: int) -> None:
        self.base, self.asked = base, 0

    @kept
    def plus(self, n: int) -> int:
        """The base and `n`."""
        self.asked += 1
        return self.base + n


def test_a_result_is_worked_out_once_for_each_object() -> None:
    a, b = Box(1), Box(10)
    assert [a.plus(1), a.plus(1), a.plus(2), b.plus(1)] == [2, 2, 3, 11]
    assert (a.asked, b.asked) == (2, 1)


def test_the_object_goes_with_its_results() -> None:
    box = Box(1)
    box.plus(1)
    gone = weakref.ref(box)
    del box
    gc.collect()
    assert gone() is None


def test_the_methods_text_is_kept() -> None:
    assert Box.plus.__doc__ == "The base and `n`."


def test_what_is_made_of_an_object_is_made_once_and_shared() -> None:
    class Root(Once):
        pass

    class Part:
        def __init__(self, root: Root) -> None:
            self.root = root

    a, b = Root(), Root()
    assert a.once(Part) is a.once(Part)
    assert a.once(Part).root is a
    assert b.once(Part) is not a.once(Part)
