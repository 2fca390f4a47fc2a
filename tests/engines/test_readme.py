"""The README shows what Tracer prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tracer import checkout
from tracer.cli import main
from tracer.errors import TracerError

pytestmark = [pytest.mark.engine, pytest.mark.network]
README = Path(__file__).parents[2] / "README.md"
EXAMPLES = re.findall(r"^```console\n\$ (tracer [^\n]+)\n(.*?)^```", README.read_text(encoding="utf-8"), re.S | re.M)


def test_the_readme_has_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_an_example_prints_what_the_readme_shows(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = shlex.split(command)[1:]
    try:
        checkout.open_tree(arguments[2])
    except TracerError as error:
        pytest.skip(str(error))
    main(arguments)
    assert _any_source(capsys.readouterr().out) == _any_source(shown)


def _any_source(text: str) -> str:
    """The text without the kind of source: the same lines come from git and from the package."""
    return re.sub(r"\((?:git|archive|folder) \S+\)", "(source)", text)
