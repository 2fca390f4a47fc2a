"""Help, the manual and completion: what they show is what the program takes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest
from typer.main import get_command

from tracer.cli import app, main, manual

ROOT: Any = get_command(app)
LINES = [(name, line) for name, examples in manual.EXAMPLES.items() for line, _ in examples]


def test_every_example_is_of_a_command_and_every_plain_command_has_one() -> None:
    assert set(manual.EXAMPLES) <= set(ROOT.commands)
    without = {name for name, c in ROOT.commands.items() if not hasattr(c, "commands")} - set(manual.EXAMPLES)
    assert without <= {"walk"}


@pytest.mark.parametrize(("name", "line"), LINES)
def test_an_example_is_a_line_that_the_command_takes(name: str, line: str) -> None:
    words = shlex.split(line.partition(" > ")[0].partition(" | ")[0])
    assert words[:2] == ["tracer", name]
    command, rest = ROOT.commands[name], words[2:]
    if hasattr(command, "commands"):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(name, rest)  # raises where an option or an argument is not one of its own


def test_help_shows_the_examples_and_the_brackets_of_a_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["where", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "tracer where publish lmcache" in shown
    assert "ENGINE[@VERSION]" in shown


def test_the_manual_has_every_command_status_and_variable(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual"]) == 0
    page = capsys.readouterr().out
    for name in ROOT.commands:
        assert f"\n## {name}\n" in page
    assert "- `3`: could not answer" in page
    assert "- `TRACER_CACHE_DIR`" in page
    assert "`tracer where ROLE [SPECS]`" in page


@pytest.mark.skipif(not shutil.which("man"), reason="no man here")
def test_man_reads_the_manual(capsys: pytest.CaptureFixture[str]) -> None:
    main(["manual", "--format", "man"])
    page = capsys.readouterr().out
    env = {**os.environ, "MANPAGER": "cat"}
    done = subprocess.run(["man", "-l", "-"], input=page, capture_output=True, text=True, env=env)
    assert "EXIT STATUS" in done.stdout


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("tracer where pro", ["protection"]),
        ("tracer where publish lmcache@0.5", ["lmcache@0.5.6"]),
        ("tracer uses X moon", ["mooncake"]),
        ("tracer pa", ["pairs", "path", "paths"]),
    ],
)
def test_a_shell_completes_commands_roles_engines_and_pins(words: str, wanted: list[str]) -> None:
    env = {**os.environ, "_TRACER_COMPLETE": "complete_bash", "COMP_WORDS": words}
    env["COMP_CWORD"] = str(words.count(" "))
    code = "import sys; from tracer.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert sorted(done.stdout.split()) == wanted
