"""Whom the functions of a program call, and what became of a value: what tests/cases has no small program for."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tracer.cli import main
from tracer.errors import SourceParseError, UsageError
from tracer.graph.values.flow import adjacency
from tracer.graph.values.store import Store


def program(folder: Path, **files: str) -> dict[str, list[str]]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return adjacency(folder, folder / "main.py")[0]


def test_functions_that_nothing_calls_are_followed_too(tmp_path: Path) -> None:
    text = (
        "class Store:\n    def put(self):\n        pass\n\n"
        "class Engine:\n    def __init__(self):\n        self.store = Store()\n\n"
        "    def save(self):\n        self.store.put()\n\n"
        "def use(engine: Engine):\n    engine.save()\n"
    )
    found = program(tmp_path, main=text)
    assert found["main.Engine.save"] == ["main.Store.put"]
    assert found["main.use"] == ["main.Engine.save"]
    assert found["main"] == []


def test_calls_that_multiply_are_joined_in_time(tmp_path: Path) -> None:
    lines = ["def f0(a):", "    a()", "def leaf():", "    pass"]
    for n in range(1, 40):
        lines += [f"def f{n}(a):", *[f"    f{n - 1}(a)"] * 3]
    begun = time.process_time()
    found = program(tmp_path, main="\n".join([*lines, "f39(leaf)"]) + "\n")
    assert time.process_time() - begun < 20
    assert found["main.f0"] == ["main.leaf"]
    assert found["main.f39"] == ["main.f38"]


def test_recursion_that_never_ends_is_left(tmp_path: Path) -> None:
    text = "def leaf():\n    pass\n\ndef f(a, n):\n    g = lambda: a()\n    f(g, n + 1)\n    return a\n\nf(leaf, 0)()\n"
    found = program(tmp_path, main=text)
    assert "main.leaf" in found["main"]
    assert found["main.f"] == ["main.f"]


def test_same_text_each_time(tmp_path: Path) -> None:
    text = "def a():\n    pass\n\ndef b():\n    pass\n\nfor f in {a, b}:\n    f()\n"
    assert program(tmp_path, main=text) == program(tmp_path, main=text)


def test_names_are_relative_to_the_root(tmp_path: Path) -> None:
    package = tmp_path / "tool"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "core.py").write_text("def run():\n    pass\n")
    (package / "start.py").write_text("from . import core\nfrom .missing import gone\ncore.run()\ngone()\n")
    found, unread = adjacency(tmp_path, package / "start.py")
    assert found["tool.start"] == ["tool.core.run", "tool.missing.gone"]
    assert unread == {}


def test_a_module_that_does_not_parse_is_named_and_left(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (:\n")
    (tmp_path / "main.py").write_text("import broken\n\ndef f():\n    pass\n\nf()\nbroken.g()\n")
    found, unread = adjacency(tmp_path, tmp_path / "main.py")
    assert found["main"] == ["main.f"]
    assert list(unread) == ["broken"]
    assert "broken.py" in unread["broken"]


def test_entry_that_does_not_parse(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("def (:\n")
    with pytest.raises(SourceParseError, match=r"main\.py: cannot be parsed .* line 1"):
        adjacency(tmp_path, tmp_path / "main.py")


def test_entry_that_nests_too_deep(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("x = " + " + ".join(["1"] * 20_000) + "\n")
    with pytest.raises(SourceParseError, match=r"nests too deep|cannot be parsed"):
        adjacency(tmp_path, tmp_path / "main.py")


@pytest.mark.parametrize(
    ("root", "entry", "why"),
    [("absent", "main.py", "is no folder"), (".", "absent.py", "is no file"), (".", "notes.txt", "no Python file")],
)
def test_bad_places(tmp_path: Path, root: str, entry: str, why: str) -> None:
    (tmp_path / "main.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(UsageError, match=why):
        adjacency(tmp_path / root, tmp_path / entry)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "main.py").write_text("def f():\n    pass\n\nf()\n")
    arguments = ["graph", "--root", str(tmp_path), "--entry", str(tmp_path / "main.py"), "--format"]
    assert main([*arguments, "adjacency"]) == 0
    assert json.loads(capsys.readouterr().out) == {"main": ["main.f"], "main.f": []}
    for wrong in (
        [*arguments, "dot"],
        ["graph", "--root", str(tmp_path)],
        ["graph"],
        ["graph", "lmcache", *arguments[1:], "adjacency"],
    ):
        assert main(wrong) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1


def test_store_takes_back_and_joins() -> None:
    from tracer.graph.values.domain import Const, Frame, one

    store, frame = Store(), Frame("module", "m", "m", None)
    a, b = one(Const(1)), one(Const(2))
    store.write(frame, "x", a)
    mark = store.mark()
    store.write(frame, "x", b)
    store.write(frame, "y", b)
    delta = store.undo(mark)
    assert (frame.fields["x"], frame.fields["y"]) == (a, None)
    store.merge([(delta, False), ({}, False)], frame)
    assert (frame.fields["x"], frame.fields["y"]) == (a | b, b)
    store.write(frame, "x", a)
    store.merge([(delta, True), ({}, False)], frame)
    assert frame.fields["x"] == a
