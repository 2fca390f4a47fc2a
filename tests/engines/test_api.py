"""The Python interface: its documentation runs, and its documents are what the command line prints."""

from __future__ import annotations

import doctest

import pytest

import tracer
from tracer import api, checkout
from tracer.cli import main
from tracer.errors import TracerError

pytestmark = [pytest.mark.engine, pytest.mark.network]
SPEC = "lmcache@0.3.15"


@pytest.fixture(autouse=True)
def source() -> None:
    try:
        checkout.open_tree(SPEC)
    except TracerError as error:
        pytest.skip(str(error))


def test_the_documentation_of_the_interface_is_true() -> None:
    done = doctest.testmod(api)
    assert (done.failed, done.attempted > 7) == (0, True)


def test_the_documents_are_the_bytes_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    main(["where", "publish", SPEC, "--format", "json"])
    assert tracer.trace(SPEC).where("publish").to_json() == capsys.readouterr().out
    main(["where", "publish", SPEC, "--format", "md"])
    assert tracer.trace(SPEC).where("publish").to_markdown() == capsys.readouterr().out
