"""Where LibCST's nodes stand: as its own provider says, for code of every kind."""

from __future__ import annotations

import dataclasses
import sys
import textwrap
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from tracer.reading.python_places import places

SMALL = {
    "nothing": "",
    "blank lines only": "\n\n",
    "no line end": "x = 1",
    "strings over lines": 'def f():\n    """a\n  b"""\n    return """\n""", (1,\n  2)\n',
    "a line of several": "if a: b(); c()  # d\nelse: e()\n",
    "decorators, comments": "@d\n# why\n@e(1)\nasync def f(\n    a,  # b\n) -> c:\n    return\n",
    "a continued line": "x = 1 + \\\n    2\n",
    "parentheses that are not a tuple's": "with (a() as b, (c)):\n\tpass\nx = ((1), (2))\n",
    "match": "match x:\n    # c\n    case [a, *b] if (a):\n        pass\n    case _: pass\n",
    "letters of several bytes": "é = 'ü€𝄞'; b = 1\n",
}


def _agree(text: str) -> int:
    module = cst.parse_module(text)
    told = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    found = places(module)
    for node, where in told.items():
        if node is not module:  # a module's end is behind its last line end or before it
            start, end = found[node]
            assert (start, end) == (
                (where.start.line, where.start.column), (where.end.line, where.end.column)
            ), f"{type(node).__name__} at {where.start}"
    return len(told)


@pytest.mark.parametrize("name", SMALL)
def test_every_node_stands_where_the_provider_says(name: str) -> None:
    assert _agree(SMALL[name]) >= 1


def test_in_modules_of_the_standard_library_too() -> None:
    assert sum(_agree(Path(sys.modules[m.__name__].__file__ or "").read_text()) for m in (textwrap, dataclasses)) > 5000
