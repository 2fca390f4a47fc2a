"""The Python interface over a small invented engine: every question, its documents, and how it is shown."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.main import get_command

import tracer
from tests.unit.test_cli import RULES, SPEC, STORE
from tracer import api
from tracer.cli import app, main
from tracer.errors import UsageError
from tracer.render import notebook

WORKER = """\
import threading
from lmcache.store import Index


class Worker:
    def __init__(self):
        self.index = Index()

    def start(self):
        threading.Thread(target=self.run).start()

    def run(self):
        self.index.put("a", b"<script>")
"""


def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str = RULES) -> Path:
    """The invented engine in a cache of its own; gives the folder of its rules."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    source = tmp_path / "source" / "lmcache"
    source.mkdir(parents=True)
    (source / "store.py").write_text(STORE)
    (source / "worker.py").write_text(WORKER)
    rules = tmp_path / "rules" / "lmcache"
    rules.mkdir(parents=True)
    (rules / "toy.yaml").write_text(text)
    assert main(["fetch", SPEC, "--from", str(tmp_path / "source")]) == 0
    return rules.parent


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> api.Engine:
    made = tracer.trace(SPEC, rules=[fetched(tmp_path, monkeypatch)])
    assert isinstance(made, api.Engine)
    return made


def test_the_module_of_the_questions_can_be_called_however_it_was_imported() -> None:
    code = "import {0}; e = tracer.trace('lmcache'); print(e, tracer.trace.where.__name__)"
    for first in ("tracer", "tracer.trace", "tracer.api, tracer.trace"):
        told = subprocess.run([sys.executable, "-c", code.format(first)], capture_output=True, text=True, check=True)
        assert told.stdout == "tracer.trace('lmcache') where\n"
    with pytest.raises(AttributeError, match="no attribute 'tarce'"):
        _ = tracer.tarce


def test_importing_the_package_loads_no_module_of_it() -> None:
    code = "import sys, tracer; print([m for m in sys.modules if m.startswith('tracer.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_package_says_that_it_has_types() -> None:
    assert (Path(importlib.import_module("tracer").__file__ or "").parent / "py.typed").is_file()


def test_places_are_a_sequence_with_the_document_of_the_command_line(
    engine: api.Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    found = engine.where("publish")
    assert [(s.action, s.first) for s in found if s.rule == "lmcache.publish.toy"] == [("commit", 7), ("unpublish", 10)]
    assert found[0] in found
    assert found[:1] == (found[0],)
    main(["where", "publish", SPEC, "--rules", str(engine.rules[0]), "--format", "json"])
    assert found.to_json() == capsys.readouterr().out
    assert "Index.put" in found.to_markdown()
    assert {v.status for v in tracer.verify(found.document())} == {"ok"}
    assert engine.excerpt("lmcache/store.py", 7, context=1).lines == tuple(STORE.splitlines()[5:8])


QUESTIONS: dict[str, Callable[[api.Engine], api.Result[object]]] = {
    "uses": lambda e: e.uses("Index.map", op="insert"),
    "path": lambda e: e.path("Worker.start", "Index.put"),
    "drives": lambda e: e.drives("Index.put"),
    "order": lambda e: e.order("Index.map:insert", "Index.map:insert"),
    "relay": lambda e: e.relay("Worker.run"),
    "diff": lambda e: e.diff("0.5.6", only=["sites"]),
    "answer": lambda e: e.answer("q1"),
    "claims": lambda e: e.claims(),
    "faults": lambda e: e.faults(),
    "timeline": lambda e: e.timeline("publish", since="0.5.6"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_a_document_and_a_view(engine: api.Engine, name: str) -> None:
    found = QUESTIONS[name](engine)
    document = found.document()
    assert document["schema"] == f"tracer.{name}/1"
    assert repr(found).startswith(f"<{len(found)} results for lmcache 0.5.6")
    assert found.to_markdown().strip()
    shown = found._repr_html_()
    assert name in shown
    if name in ("answer", "claims", "faults"):  # what is written about the engine does not hold of the invented one
        assert {c.verdict for item in found for c in getattr(item, "claims", [item])} & {"fails", "unknown"}
    if name in ("uses", "path", "drives"):
        assert len(found)
        assert "store.py" in shown


def test_a_name_that_does_not_exist_is_a_usage_error_with_the_nearest(engine: api.Engine) -> None:
    with pytest.raises(UsageError, match="did you mean publish"):
        engine.where("publsh")
    with pytest.raises(UsageError, match="did you mean host"):
        engine.where("publish", layer="hots")
    with pytest.raises(UsageError, match="is no folder"):
        tracer.trace(SPEC, rules=["/nowhere"])
    with pytest.raises(UsageError, match="unknown engine"):
        tracer.trace("lmcash")


def test_the_rest_of_the_interface(engine: api.Engine, tmp_path: Path) -> None:
    assert "lmcache.publish.toy" in {r.id for r in engine.known_rules()}
    assert {r.engines[0] for r in engine.paths()} == {"lmcache"}
    edges = list(engine.graph())
    assert ("thread", "lmcache/worker.py") in {(e.kind, e.file) for e in edges}
    assert engine.fetch().revision == engine.tree.revision
    found = api.discover(tmp_path / "source", limit=2)
    assert found.document()["schema"] == "tracer.discover/1"
    assert "lmcache" in {t.name for t in api.targets()}
    figures = api.budget(model={"layers": 2, "kv_heads": 1, "head_dim": 8}, tokens=10)
    assert next(line.value for line in figures if line.quantity == "token_bytes") == 2 * 2 * 8 * 2
    assert "<table>" in figures._repr_html_()
    assert figures.to_markdown().startswith("| part |")
    for wrong in ({"model": {"layrs": 2}}, {"tokns": 1}, {"config": {}, "model": {"layers": 1}}):
        with pytest.raises(UsageError):
            api.budget(**wrong)


def test_every_question_of_the_command_line_can_be_asked_from_python() -> None:
    pages = {"report", "atlas"}  # made of several answers, for readers
    around = {"mcp", "manual", "probe", "cache"}  # servers, pages, runs, the machine
    elsewhere = {"verify": tracer.verify, "discover": api.discover, "targets": api.targets, "budget": api.budget}
    method = {"rules": "known_rules"}
    for name in set(get_command(app).commands) - pages - around - set(elsewhere):  # type: ignore[attr-defined]
        assert callable(getattr(api.Engine, method.get(name, name))), name
    assert all(map(callable, elsewhere.values()))


def test_what_help_shows_of_the_call_is_the_functions() -> None:
    assert list(inspect.signature(tracer.trace).parameters) == ["spec", "joined", "rules", "progress"]


def test_the_call_graph_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("def g():\n    pass\n\ndef f(h):\n    h()\n\nf(g)\n")
    assert api.call_graph(tmp_path, tmp_path / "main.py")["main.f"] == ["main.g"]


def test_progress_is_told_and_may_end_a_question(engine: api.Engine) -> None:
    class Enough(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        raise Enough(what)

    with pytest.raises(Enough, match="lmcache"):
        tracer.trace(SPEC, progress=stop).uses("Index.map")
    assert len(tracer.trace(SPEC).uses("Index.map"))


class Tags(HTMLParser):
    """What a browser would make of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_what_a_notebook_shows_is_never_markup_of_an_engine() -> None:
    evil = "<img src=x onerror=alert(1)>\"'"
    head = {"engines": [{"name": evil, "version": evil}], "gaps": [{"rule": evil, "why": evil}]}
    site = dict.fromkeys(("role", "action", "layer", "symbol", "file", "basis", "why"), evil)
    site |= {"first": 1, "last": 2, "permalink": "javascript:alert(1)"}
    step = dict.fromkeys(("symbol", "file", "edge", "from_file", "basis", "engine", "waypoint"), evil)
    step |= {"def_line": 1, "from_line": 1}
    path = {"title": evil, "end": evil, "steps": [step]}
    claim = {"id": evil, "verdict": evil, "evidence": [site]}
    answer = {"question": evil, "title": {"en": evil}, "text": {"en": evil}, "claims": [claim]}
    for more in (
        {"schema": "tracer.where/1", "sites": [site]},
        {"schema": "tracer.path/1", "paths": [path]},
        {"schema": "tracer.answer/1", "answers": [answer]},
    ):
        tags = Tags(notebook.html(head | more)).found
        assert not {t for t, _ in tags} & {"img", "script", "a"}
        assert not any(k.startswith("on") for _, attrs in tags for k in attrs)
    good = site | {"permalink": "https://host/x?a=1&b=2"}
    shown = Tags(notebook.html(head | {"schema": "tracer.where/1", "sites": [good]}))
    (link,) = (attrs for tag, attrs in shown.found if tag == "a")
    assert link == {"href": "https://host/x?a=1&b=2"}
