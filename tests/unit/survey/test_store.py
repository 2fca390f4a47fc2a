"""The cache: what it holds can always be made again, and a damaged file is thrown away and said."""

from __future__ import annotations

import logging
import random

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
