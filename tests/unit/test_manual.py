"""Help, the manual and completion: what they show is what the program takes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tracer.cli import app, main, manual

ROOT: Any = get_command(app)
LINES = [(name, line) for name, examples in manual.EXAMPLES.items() for line, _ in examples]


def test_every_example_is_of_a_command_and_every_plain_command_has_one() -> None:
    assert set(manual.EXAMPLES) <= set(ROOT.commands)
    without = {name for name, c in ROOT.commands.items() if not hasattr(c, "commands")} - set(manual.EXAMPLES)
    assert without == set()
    assert set(manual.EXAMPLES) == set(ROOT.commands)


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
def test_a_shell_completes_commands_roles_engines_and_pins(words: str, wanted: list[str], tmp_path: Path) -> None:
    env = {**os.environ, "TRACER_CONFIG_DIR": str(tmp_path), "_TRACER_COMPLETE": "complete_bash", "COMP_WORDS": words}
    env["COMP_CWORD"] = str(words.count(" "))
    code = "import sys; from tracer.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert sorted(done.stdout.split()) == wanted


SHELLS = {  # what a user's file of the shell does, then a word half typed, asked of the real shell
    "bash": (
        'eval "$(_TRACER_COMPLETE=source_bash tracer)"; COMP_WORDS=(tracer where pro); COMP_CWORD=2; '
        '_tracer_completion tracer; echo "${COMPREPLY[@]}"'
    ),
    "zsh": (
        "autoload -Uz compinit; compinit -D -u; eval \"$(_TRACER_COMPLETE=source_zsh tracer)\"; "
        'functions _tracer_completion >/dev/null && _arguments() { print -r -- "$@"; }; '
        "words=(tracer where pro); CURRENT=3; _tracer_completion"
    ),
    "fish": '_TRACER_COMPLETE=source_fish tracer | source; complete -C "tracer where pro"',
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_completion_of_a_real_shell(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    tool = tmp_path / "tracer"
    code = "import sys; from tracer.cli import main; sys.exit(main())"
    tool.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c '{code}' \"$@\"\n")
    tool.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    env["PYTHONPATH"] = str(Path(__file__).parents[2])
    done = subprocess.run([shell, "-c", SHELLS[shell]], capture_output=True, text=True, env=env, timeout=300)
    assert "protection" in done.stdout, done.stderr
    assert "completion" not in done.stdout
