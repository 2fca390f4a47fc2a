"""Each kind of change between two versions of a small cache, and what is none."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diff.sides import CACHE, FILES, compare, edited
from tracer.diff.compare import DOWN, ELSEWHERE, FEWER, LAYOUT, LOCALS, MORE, SAME, UP
from tracer.diff.model import Change


def told(changes: list[Change]) -> list[tuple[str, str, str]]:
    return [(c.kind, c.detail, c.action) for c in changes]


def ends(change: Change) -> tuple[str, str]:
    assert change.before
    assert change.after
    return change.before.symbol, change.after.symbol


def test_a_version_against_itself(tmp_path: Path) -> None:
    changes, found = compare(tmp_path, FILES, FILES)
    assert changes == []
    assert found.compared() == {"before": 3, "after": 3, "paired": 3}
    assert found.ignored == {SAME: 3}


def test_layout_comments_docstrings_quotes_and_order_are_no_change(tmp_path: Path) -> None:
    head, put, pin, drop = CACHE.partition("    def put")[0], *("    def " + p for p in CACHE.split("    def ")[3:])
    put = put.replace("key, entry: Entry):", 'key,\n            entry: Entry,\n    ):\n        """Docs."""  # why')
    put = put.replace("entry.ready and", "(entry.ready\n            and").replace("self.limit:", "self.limit):")
    changes, found = compare(tmp_path, FILES, {"kv/cache.py": head + drop + "\n" + pin + put})
    assert changes == []
    assert found.ignored == {SAME: 2, LAYOUT: 1}


def test_an_early_return_that_becomes_a_block_and_renamed_locals_are_no_change(tmp_path: Path) -> None:
    inverted = (
        "        if key not in self.rows:\n            return None\n        entry.pins += 1\n        return entry\n",
        "        if key in self.rows:\n            entry.pins += 1\n            return entry\n        return None\n",
    )
    changes, found = compare(tmp_path, FILES, edited(inverted, ("total", "held")))
    assert changes == []
    assert found.ignored == {SAME: 1, ELSEWHERE: 1, LOCALS: 1}


def test_a_moved_file_is_a_move_and_nothing_else(tmp_path: Path) -> None:
    changes, _ = compare(
        tmp_path, FILES, {"kv/tiers/host.py": CACHE.replace("    def put", "    # moved\n    def put")}
    )
    assert {c.kind for c in changes} == {"moved"}
    assert {c.severity for c in changes} == {"place"}
    assert ends(changes[0]) == ("kv.cache.Index.pin", "kv.tiers.host.Index.pin")


def test_a_renamed_function_is_found_by_its_code(tmp_path: Path) -> None:
    (change,), _ = compare(tmp_path, FILES, edited(("def pin", "def hold_for_reading")))
    assert (change.kind, change.severity) == ("renamed", "place")
    assert ends(change) == ("kv.cache.Index.pin", "kv.cache.Index.hold_for_reading")


def test_another_condition_is_a_changed_guard(tmp_path: Path) -> None:
    (change,), _ = compare(tmp_path, FILES, edited(("entry.ready and ", "")))
    assert told([change]) == [("guard", "conditions", "commit")]
    assert change.before
    assert change.after
    assert (change.before.text, change.after.text) == (("entry.ready",), ())
    assert (change.before.file, change.before.first) == ("kv/cache.py", 14)


def test_an_operator_in_a_condition_is_a_changed_guard(tmp_path: Path) -> None:
    (change,), _ = compare(tmp_path, FILES, edited(("< self.limit:", "<= self.limit:")))
    assert told([change]) == [("guard", "conditions", "commit")]


def test_a_removed_and_an_added_place(tmp_path: Path) -> None:
    start = CACHE.index("    def drop")
    whole, cut = FILES, {"kv/cache.py": CACHE[:start]}
    (gone,), _ = compare(tmp_path, whole, cut)
    assert (*told([gone])[0], gone.severity) == ("removed", "the function is gone", "unpublish", "breaking")
    (come,), _ = compare(tmp_path, cut, whole)
    assert (*told([come])[0], come.severity) == ("added", "a new function", "unpublish", "behaviour")
    assert come.before is None
    (stays,), _ = compare(tmp_path, whole, edited(("            del self.rows[key]", "            pass")))
    assert (*told([stays])[0], stays.severity) == ("removed", "the function is still there", "unpublish", "behaviour")


def test_a_step_that_goes_on_in_a_helper_has_moved(tmp_path: Path) -> None:
    helper = "    def _index(self, key, entry: Entry):\n        self.rows[key] = entry\n\n    def pin"
    after = edited(
        ("            self.rows[key] = entry\n", "            self._index(key, entry)\n"), ("    def pin", helper)
    )
    changes, _ = compare(tmp_path, FILES, after)
    assert told(changes) == [("moved", "function", "commit")]
    assert ends(changes[0]) == ("kv.cache.Index.put", "kv.cache.Index._index")


def test_another_operation_or_another_rule_for_the_same_step(tmp_path: Path) -> None:
    (change,), _ = compare(tmp_path, FILES, edited(("entry.pins += 1", "entry.pins = 1")))
    assert (*told([change])[0], change.id) == ("path", "rule", "acquire", "toy.pins.write")
    (change,), _ = compare(tmp_path, FILES, edited(("self.rows[key] = entry", "self.rows.setdefault(key, entry)")))
    assert told([change]) == [("path", "statement", "commit")]
    (change,), _ = compare(tmp_path, FILES, edited(("entry.pins += 1", "entry.pins -= 1")))
    assert (*told([change])[0], change.before and change.before.text) == ("path", "action", "release", ("acquire",))


def test_one_more_statement_in_the_same_function(tmp_path: Path) -> None:
    more = "            self.rows[key] = entry\n            self.rows[f'{key}/alias'] = entry\n"
    (change,), _ = compare(tmp_path, FILES, edited(("            self.rows[key] = entry\n", more)))
    assert told([change]) == [("added", MORE, "commit")]
    assert change.after
    assert change.after.first == 15
    (change,), _ = compare(tmp_path, edited(("            self.rows[key] = entry\n", more)), FILES)
    assert (*told([change])[0], change.severity) == ("removed", FEWER, "commit", "behaviour")


def test_parameters(tmp_path: Path) -> None:
    (change,), _ = compare(tmp_path, FILES, edited(("def drop(self, key)", "def drop(self, key, force)")))
    assert (*told([change])[0], change.severity) == ("path", "signature", "unpublish", "breaking")
    (change,), _ = compare(tmp_path, FILES, edited(("def drop(self, key)", "def drop(self, key, force=False)")))
    assert change.severity == "behaviour"


def test_a_local_made_from_something_else(tmp_path: Path) -> None:
    before = edited(("        entry.pins += 1", "        count = self.limit\n        entry.pins += count"))
    after = edited(("        entry.pins += 1", "        count = key.holders\n        entry.pins += count"))
    (change,), _ = compare(tmp_path, before, after)
    assert told([change]) == [("path", "inputs", "acquire")]
    assert change.before
    assert change.before.text == ("count = self.limit",)


def test_another_status_is_no_moved_step(tmp_path: Path) -> None:
    def with_helper(value: str) -> dict[str, str]:
        helper = f"    def _index(self, key):\n        self.rows[key] = {value}\n\n    def pin"
        return edited(
            ("            self.rows[key] = entry\n", "            self._index(key)\n"), ("    def pin", helper)
        )

    plain = edited(("self.rows[key] = entry", "self.rows[key] = READY"))
    changes, _ = compare(tmp_path, plain, with_helper("READY"))
    assert [c.kind for c in changes] == ["moved"]
    changes, _ = compare(tmp_path, plain, with_helper("GONE"))
    assert [c.kind for c in changes] == ["added", "removed"]


PAIR = """
class Reader(Index):
    {}
class Writer(Index):
    {}
"""
METHOD = "def drop(self, key):\n        del self.rows[key]\n"


def test_methods_that_go_up_into_a_base_class_and_down_again(tmp_path: Path) -> None:
    base = CACHE[: CACHE.index("    def drop")]
    low = {"kv/cache.py": base + PAIR.format(METHOD, METHOD)}
    high = {"kv/cache.py": base + "    " + METHOD + PAIR.format("pass", "pass")}
    changes, _ = compare(tmp_path, low, high)
    assert {(c.kind, c.detail) for c in changes} == {("moved", UP)}
    assert sorted(map(ends, changes)) == [
        ("kv.cache.Reader.drop", "kv.cache.Index.drop"),
        ("kv.cache.Writer.drop", "kv.cache.Index.drop"),
    ]
    changes, _ = compare(tmp_path, high, low)
    assert {(c.kind, c.detail) for c in changes} == {("moved", DOWN)}
    assert len(changes) == 2


def test_what_its_function_still_does_has_not_left_for_another_class(tmp_path: Path) -> None:
    put = "            self.rows[key] = entry\n"
    twice = edited((put, f"{put}            self.rows[key, 1] = entry\n"))
    other = "class Other(dict):\n    def fill(self, index: Index, key, entry):\n        index.rows[key, 1] = entry\n"
    after = {"kv/cache.py": CACHE, "kv/other.py": f"from kv.cache import Index\n\n\n{other}"}
    changes, _ = compare(tmp_path, twice, after)
    assert {(c.kind, c.detail) for c in changes} == {("removed", FEWER), ("added", "a new function")}


def test_the_rest_of_a_function_that_went_elsewhere_whole(tmp_path: Path) -> None:
    def with_method(name: str, last: str) -> dict[str, str]:
        head = f"    def {name}(self, key, entry: Entry):\n        self.rows[key] = entry\n"
        return edited(
            ("            self.rows[key] = entry\n", ""),
            ("    def pin", f"{head}        self.rows.{last}\n\n    def pin"),
        )

    old, new = with_method("take", "setdefault(key, entry)"), with_method("_take_in", "update({key: entry})")
    changes, _ = compare(tmp_path, old, new)
    assert "removed" not in {c.kind for c in changes}
    assert {ends(c) for c in changes} == {("kv.cache.Index.take", "kv.cache.Index._take_in")}
