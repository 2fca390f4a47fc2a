"""The command line: one subcommand per question.

Takes arguments, prints answers, returns an exit status (0 answered, 1 answered with something wrong, 2 usage, 3 could
not answer). Errors are one line on stderr. Each group of commands is a module here that registers on one app and
imports what it needs only when it runs, so that a warm question starts fast.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import typer

from tracer.cli import (
    answers,
    atlas,
    budgets,
    checks,
    console,
    manual,
    mcp,
    pairs,
    paths,
    probes,
    questions,
    reach,
    reports,
    rules,
    sources,
    versions,
    walks,
)
from tracer.errors import TracerError

INTERRUPTED = 130
_LONGEST_WORD = 300  # of an error: a name that is longer than this is no help

# ClickException, wherever it lives: newer versions of typer bring their own copy of click.
_ClickError: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

app = typer.Typer(
    name="tracer",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Where KV cache is published, protected and completed, with file:line evidence that is re-read.",
)
for group in (
    questions, paths, walks, pairs, reach, answers, checks, versions, reports, atlas, budgets, probes, sources, rules,
    mcp, manual,
):  # fmt: skip
    group.register(app)


@app.callback(invoke_without_command=True)
def _top(version: bool = typer.Option(False, "--version", help="Print the version and end.")) -> None:
    if version:
        from tracer import __version__

        typer.echo(f"tracer {__version__}")
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; nothing that a user can cause ends in a traceback."""
    gc.set_threshold(200_000, 20, 100)  # one question makes many lasting objects; hunting cycles among them is slow
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 shows an escape instead of ending the run.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    console.given[:] = sys.argv[1:] if arguments is None else arguments
    try:
        status = app(args=list(arguments) if arguments is not None else None, prog_name="tracer", standalone_mode=False)
        sys.stdout.flush()
    except TracerError as error:
        return _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return _close(sys.stdout)
    except OSError as error:  # what has no words of its own: most of all, that there is no room for what is printed
        try:
            sys.stdout.flush()
        except OSError:
            _close(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error} — free some room, or choose another place", 3)
    except _ClickError as error:
        text = _usage_text(error)
        return _complain(text, 2) if text else 2
    except SystemExit as error:  # typer ends this way on a pipe that its own code met broken
        return error.code if isinstance(error.code, int) else 1
    status = status if isinstance(status, int) else 0
    return _complain("interrupted", status) if status == INTERRUPTED else status


def _usage_text(error: Exception) -> str:
    format_message = getattr(error, "format_message", None)
    if type(error).__name__ == "NoArgsIsHelpError":  # the help text has said it all
        return ""
    command = getattr(getattr(error, "ctx", None), "command_path", "tracer")
    return f"{format_message() if format_message else error} — see `{command} --help`"


def _complain(message: str, status: int) -> int:
    from tracer.visible import visible

    words = (word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…" for word in message.split())
    try:
        print(visible("tracer: " + " ".join(words)), file=sys.stderr)
    except BrokenPipeError:
        return _close(sys.stderr)
    return status


def _close(stream: TextIO) -> int:
    """The reader of our output is gone (`| head`): say nothing, also not when Python flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return 0
