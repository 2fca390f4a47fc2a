"""A real notebook: a kernel runs the cells, and what it would show is read as a browser reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_api import Tags, fetched
from tests.unit.test_cli import RULES, SPEC

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def test_a_notebook_shows_answers_as_tables_and_lists_and_never_as_markup_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    why = next(line for line in RULES.splitlines() if "why:" in line)
    indent = why[: len(why) - len(why.lstrip())]
    evil = RULES.replace(why, f"{indent}why: {{en: '{EVIL}', zh: '{EVIL}'}}")
    rules = fetched(tmp_path, monkeypatch, evil)
    cells = [
        f"import tracer\nengine = tracer.trace({SPEC!r}, rules=[{str(rules)!r}])",
        "engine.where('publish', action='commit')",
        "engine.path('Worker.start', 'Index.put')",
        "engine.where('publsh')",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", allow_errors=True).execute()
    assert not book.cells[0].outputs
    shown = [_html(cell) for cell in book.cells[1:3]]
    assert "lmcache/store.py:7" in shown[0]
    assert "&lt;img" in shown[0]
    assert "thread [" in shown[1]
    assert "<ol>" in shown[1]
    for text in shown:
        tags = Tags(text).found
        assert not {t for t, _ in tags} & {"img", "script"}
        assert not any(k.startswith("on") for _, attrs in tags for k in attrs)
    (error,) = book.cells[3].outputs
    assert (error.output_type, error.ename) == ("error", "UsageError")
    assert "did you mean publish" in error.evalue


def _html(cell: Any) -> str:
    (output,) = cell.outputs
    return str(output.data["text/html"])
