"""The cache: what it holds can always be made again, and a damaged file is thrown away and said."""

from __future__ import annotations

import contextlib
import logging
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from tracer.errors import CacheError
from tracer.survey import survey_file
from tracer.survey.store import Store, encode

SOURCE = b"class A:\n    def f(self):\n        self.x = 1\n"


def test_facts_come_back_as_they_were_put(tmp_path):
    store = Store(tmp_path / "c.sqlite")
    facts = survey_file("a.py", SOURCE)
    store.put_facts([("k", *encode(facts))])
    assert store.facts("k") == facts
    assert store.missing(["k", "other"]) == {"other"}


def test_a_file_that_is_no_database_is_rebuilt_and_said(tmp_path, caplog):
    path = tmp_path / "c.sqlite"
    path.write_bytes(b"no database at all" * 300)
    with caplog.at_level(logging.WARNING, "tracer"):
        assert Store(path).answer("k") is None
    assert "damaged" in caplog.text
    assert "rebuilt" in caplog.text


def test_damage_in_the_middle_is_one_line_and_the_next_question_works(tmp_path):
    path = tmp_path / "c.sqlite"
    store = Store(path)
    for n in range(200):
        store.put_answer(f"k{n}", random.Random(n).randbytes(9000))
    store.close()
    data = bytearray(path.read_bytes())
    half = len(data) // 2
    data[half:] = b"\xff" * (len(data) - half)
    path.write_bytes(data)
    hurt = Store(path)
    with pytest.raises(CacheError, match="damaged"):
        for n in range(200):
            hurt.answer(f"k{n}")
    assert Store(path).answer("k1") is None


def test_a_name_that_was_never_put_is_a_cache_error(tmp_path):
    with pytest.raises(CacheError, match="no facts"):
        Store(tmp_path / "c.sqlite").facts("k")


def test_the_name_index_says_the_same_for_one_name_for_a_kind_and_as_a_whole(tmp_path):
    store = Store(tmp_path / "c.sqlite")
    names = [*map(str, range(40)), "é", "z"]
    said = {f"{kind}:{name}": [at, at + 3] for kind in "cdu" for at, name in enumerate(names)}
    store.put_tree("t", said, [])
    store.put_tree("s", {"d:0": [7]}, [])
    assert store.postings("t") == said
    assert {name: store.files_with("t", name) for name in said} == said
    assert [store.files_with("t", name) for name in ("a:x", "d:17x", "d:", "x:x")] == [[]] * 4
    for kind in "bcdux":
        assert store.names_like("t", kind) == [name[2:] for name in sorted(said) if name[0] == kind]
    assert store.names_like("s", "d") == ["0"] and store.names_like("r", "d") == []


HARMS = ("delete from blocks where first=?", "update blocks set tree='x' where first=?",
         "update blocks set first=first||'!' where first=?")  # fmt: skip


@pytest.mark.parametrize("harm", HARMS)
def test_a_row_of_the_name_index_that_is_lost_is_never_taken_for_a_no(harm: str, tmp_path: Path) -> None:
    said = {f"{kind}:{n:02}": [n] for kind in "cdu" for n in range(30)}
    whole = tmp_path / "whole.sqlite"
    with contextlib.closing(Store(whole)) as store:
        store.put_tree("t", said, [])
    with contextlib.closing(sqlite3.connect(whole)) as db:
        firsts = [first for (first,) in db.execute("select first from blocks")]
    assert len(firsts) == 6
    for number, first in enumerate(firsts):
        seen = set()
        for ask in [*said, "c:", "d:", "u:", "all"]:
            place = tmp_path / str(number)
            shutil.copytree(tmp_path, place, ignore=shutil.ignore_patterns("[0-9]*"), dirs_exist_ok=True)
            with contextlib.closing(sqlite3.connect(place / whole.name)) as db, db:
                db.execute(harm, (first,))
            with contextlib.closing(Store(place / whole.name)) as store:
                seen.add(_asked(store, ask, said))
        assert seen == {"right", "damaged"}  # never wrong, and not refused where the answer is there


def _asked(store: Store, ask: str, said: dict[str, list[int]]) -> str:
    try:
        if ask == "all":
            return "right" if store.postings("t") == said else "wrong"
        if ask.endswith(":"):
            return "right" if store.names_like("t", ask[0]) == [n[2:] for n in said if n[:2] == ask] else "wrong"
        return "right" if store.files_with("t", ask) == said[ask] else "wrong"
    except CacheError as error:
        assert "damaged" in str(error) and not store.path.exists()
        return "damaged"


def test_facts_that_are_lost_are_no_empty_answer(tmp_path: Path) -> None:
    store = Store(tmp_path / "c.sqlite")
    store.put_facts([("k", *encode(survey_file("a.py", SOURCE)))])
    with pytest.raises(CacheError, match="facts are missing"):
        dict(store.outlines(["j", "k"]))


def test_a_damaged_cache_that_another_process_has_made_anew_is_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    hurt, other = Store(path), Store(path)
    hurt.put_tree("t", {"c:a": [1]}, [])
    other._db.execute("delete from blocks")
    for store in (hurt, other):
        with pytest.raises(CacheError, match="ask again"):
            store.files_with("t", "c:a")
        if store is hurt:
            anew = Store(path)
            anew.put_answer("k", b"kept")
    assert anew.answer("k") == Store(path).answer("k") == b"kept"
