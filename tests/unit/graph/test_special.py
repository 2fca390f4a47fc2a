"""Special methods that no statement names."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

WORLD = world(
    a_py="""
    class Queue:
        def __len__(self):
            return 0

        def __bool__(self):
            return len(self) > 0

        def __iter__(self):
            return iter([])

        def __getitem__(self, k):
            return k

        def __contains__(self, k):
            return False

    class Sized:
        def __len__(self):
            return 1

    class Owner:
        def __init__(self):
            self.queue = Queue()
            self.sized = Sized()
            self.plain = []

        def counts(self):
            return len(self.queue)

        def truth(self):
            while self.queue:
                pass

        def size_is_truth(self):
            return 1 if self.sized else 0

        def each(self):
            for item in self.queue:
                print(item)

        def comprehension(self):
            return [x for x in self.queue]

        def copies(self):
            return list(self.queue)

        def takes(self):
            return print(self.queue[0])

        def has(self):
            if 3 in self.queue:
                return True

        def none_of_ours(self):
            if self.plain:
                return len(self.plain)
    """
)


def _edges() -> set[tuple[str, str]]:
    return {
        (e.source.removeprefix("a.Owner."), e.target.removeprefix("a."))
        for e in edges_of(WORLD)
        if "__" in e.target and e.basis != "unresolved" and e.source.startswith("a.Owner.")
    }


def test_what_builtins_and_statements_run_is_in_the_graph() -> None:
    assert {
        ("counts", "Queue.__len__"),
        ("truth", "Queue.__bool__"),
        ("size_is_truth", "Sized.__len__"),
        ("each", "Queue.__iter__"),
        ("comprehension", "Queue.__iter__"),
        ("copies", "Queue.__iter__"),
        ("takes", "Queue.__getitem__"),
        ("has", "Queue.__contains__"),
    } <= _edges()


def test_the_first_method_that_there_is_is_run_and_no_other() -> None:
    assert ("truth", "Queue.__len__") not in _edges()
    assert not {target for source, target in _edges() if source == "none_of_ours"}


def test_the_special_method_of_the_object_itself() -> None:
    assert ("a.Queue.__bool__", "a.Queue.__len__") in {(e.source, e.target) for e in edges_of(WORLD)}


CHANGED = """
    class Row:
        def wide(self):
            return 1

    class Table:
        def __init__(self):
            self.rows = {}

        def __getitem__(self, key) -> Row:
            return self.rows[key]

        def __setitem__(self, key, value):
            self.rows[key] = value

        def __delitem__(self, key):
            del self.rows[key]

        def append(self, value):
            return value

    class Holder:
        def __init__(self):
            self.table = Table()

        def put(self):
            self.table[1] = 2

        def take(self):
            return self.table[1].wide()

        def drop(self):
            del self.table[1]

        def added(self):
            self.table.append(1)
    """


def test_items_that_are_set_taken_and_deleted() -> None:
    found = {
        (e.source, e.target) for e in edges_of(world(a_py=CHANGED)) if e.basis != "unresolved" and e.kind == "call"
    }
    assert {
        ("a.Holder.put", "a.Table.__setitem__"),
        ("a.Holder.take", "a.Table.__getitem__"),
        ("a.Holder.take", "a.Row.wide"),
        ("a.Holder.drop", "a.Table.__delitem__"),
    } <= found
    assert {t for s, t in found if s == "a.Holder.added"} == {"a.Table.append"}
