"""What the tests of the C++ survey share: facts of a piece of text, and the parts of them that tests compare."""

from __future__ import annotations

from textwrap import dedent

from tracer.survey.cpp import survey_cpp
from tracer.survey.facts import FileFacts


def facts(text: str) -> FileFacts:
    return survey_cpp(dedent(text).encode())


def defined(found: FileFacts) -> list[tuple[str, str, int, int]]:
    return [(d.name, d.kind, d.line, d.parent) for d in found.definitions]


def states(found: FileFacts) -> list[tuple[int, str, str, str]]:
    return [(a.line, a.op, a.target, a.value) for a in found.accesses]


def body(text: str) -> FileFacts:
    """Facts of statements in a function `f` that starts in line 1 (the statements start in line 2)."""
    return survey_cpp(("void f() {\n" + dedent(text).strip("\n") + "\n}\n").encode())
