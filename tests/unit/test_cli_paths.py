"""`path`, `paths`, `drives` and `relay` from their arguments to their exit status, over two invented engines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tracer import answers
from tracer.cli import main
from tracer.paths import routes

BASE = """\
import threading

class Connector:
    def save(self): ...

class Worker:
    def __init__(self, connector: Connector):
        self.connector = connector
        self.done: set[str] = set()
        threading.Thread(target=self.loop).start()

    def loop(self):
        while True:
            if self.connector:
                self.connector.save()
                self.done.add("x")

    def finished(self):
        return self.done.pop()
"""
NEAR = """\
from vllm.base import Connector

class Near(Connector):
    def __init__(self):
        self.map = {}

    def save(self):
        self.map["k"] = 1
"""
ROUTE = """\
- id: vllm.toy.near
  name: toy
  engines: [vllm, lmcache]
  title: {en: Saved far away, zh: 存到远处}
  way:
    - what: {en: asked, zh: 请求}
      caller: Connector.save
    - what: {en: kept, zh: 保存}
      state: Near.map
      op: insert
"""
VLLM, LMCACHE = "vllm@0.33.0", "lmcache@0.5.6"
Run = Callable[..., SimpleNamespace]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Two engines in folders, fetched into a cache of their own; gives status, out and err of a command."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))

    def _run(*arguments: object) -> SimpleNamespace:
        status = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    for spec, name, text in ((VLLM, "vllm/base.py", BASE), (LMCACHE, "lmcache/near.py", NEAR)):
        file = tmp_path / spec / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
        assert _run("fetch", spec, "--from", tmp_path / spec).status == 0
    return _run


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own" / "paths").mkdir(parents=True)
    (tmp_path / "own" / "paths" / "toy.yaml").write_text(ROUTE, encoding="utf-8")
    return tmp_path / "own"


def test_a_named_path_over_two_engines_in_every_form_and_the_same_when_asked_again(run: Run, own: Path) -> None:
    question = ("path", "toy", VLLM, "--with", LMCACHE, "--rules", own)
    first = run(*question)
    assert first.status == 0, first.err
    assert "Saved far away  (vllm.toy.near)" in first.out
    assert "  1. vllm.base.Worker.loop  vllm/base.py:12\n       ▸ asked" in first.out
    assert "  2. lmcache.near.Near.save  lmcache/near.py:7\n       ▸ kept" in first.out
    assert run(*question).out == first.out
    (path,) = json.loads(run(*question, "--format", "json").out)["paths"]
    assert [(s["engine"], s["edge"], s["from_line"]) for s in path["steps"]] == [
        ("vllm", "", 0),
        ("lmcache", "dynamic", 15),
    ]
    assert path["end"] == "complete"
    assert run(*question, "--format", "mermaid").out.startswith("flowchart TD\n")


def test_a_changed_route_is_asked_anew(run: Run, own: Path) -> None:
    question = ("path", "toy", VLLM, "--with", LMCACHE, "--rules", own)
    assert run(*question).status == 0
    file = own / "paths" / "toy.yaml"
    file.write_text(ROUTE.replace("Near.map", "Near.gone"), encoding="utf-8")
    for remembered in (answers.rules_digest, routes._routes):  # another process would not know them
        remembered.cache_clear()
    found = run(*question)
    assert found.status == 3
    assert "nothing here is the next way-point (kept)" in found.out


def test_a_and_b_over_two_engines_and_what_cannot_be_reached(run: Run) -> None:
    found = run("path", "Worker.loop", "Near.save", "--with", VLLM, "--with", LMCACHE)
    assert found.status == 0 and "end: complete" in found.out
    back = run("path", "Near.save", "Worker.loop", VLLM, LMCACHE)
    assert back.status == 3 and "end: stops: Worker.loop was not reached" in back.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("path", "toy", VLLM), "vllm has no path 'toy'"),
        (("path", "Worker.loop", "Near.save"), "no engine is named"),
        (("path", "a", "b", "c", VLLM), "'c' is no engine"),
        (("path", "store", VLLM, "--through", "x"), "--through is for a path from A to B"),
        (("path", "a", "b", VLLM, "--choose", "stack=mp"), "a stack is chosen for a named path only"),
        (("path", "store", "--stack", "vllm+moon"), "there is no stack"),
        (("drives", "a", "b", VLLM), "'b' is no engine"),
        (("relay", "Nobody.here", VLLM), "no function 'Nobody.here'"),
    ],
)
def test_wrong_words_are_one_line_and_status_two(run: Run, words: tuple[str, ...], says: str) -> None:
    found = run(*words)
    assert found.status == 2
    assert says in found.err and found.err.count("\n") == 1


def test_paths_lists_names_and_stacks(run: Run, own: Path) -> None:
    found = run("paths", "vllm", "--rules", own)
    assert found.status == 0
    assert "toy" in found.out and "vllm+lmcache+mooncake" in found.out and "sglang.store" not in found.out


def test_drives_and_relay_answer_in_text_and_json(run: Run) -> None:
    found = run("drives", "Near.save", VLLM, "--with", LMCACHE)
    assert found.status == 0
    assert "thread loop: vllm.base.Worker.loop" in found.out and "under if self.connector" in found.out
    document = json.loads(run("drives", "Near.save", VLLM, LMCACHE, "--format", "json").out)
    assert document["sites"][0]["entries"][0]["kind"] == "thread loop"
    chain = run("relay", "Worker.loop", VLLM)
    assert chain.status == 0 and "takes   vllm/base.py:19  remove  Worker.finished" in chain.out
    (carrier,) = json.loads(run("relay", "Worker.loop", VLLM, "--format", "json").out)["carriers"]
    assert carrier["name"] == "vllm.base.Worker.done"
    assert run("relay", "Near.save", LMCACHE).status == 3
