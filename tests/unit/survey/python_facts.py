"""What the tests of the Python survey share: facts of a piece of code, or of one method's body."""

from __future__ import annotations

import textwrap

from tracer.survey.facts import FileFacts
from tracer.survey.python import survey_python


def survey(code: str) -> FileFacts:
    facts = survey_python(textwrap.dedent(code).lstrip("\n").encode())
    assert facts.problem == ""
    return facts


def in_method(body: str, name: str = "step", params: str = "self") -> FileFacts:
    """The facts of a method body (scope 1); its first line is line 3."""
    lines = textwrap.dedent(body).strip("\n")
    return survey(f"class C:\n    def {name}({params}):\n" + textwrap.indent(lines, " " * 8))
