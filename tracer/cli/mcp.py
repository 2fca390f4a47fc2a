"""`mcp`: the questions as tools for assistants."""

from __future__ import annotations

import typer

from tracer.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(serve)


def serve() -> None:
    """Serve every question to an assistant, over the Model Context Protocol on standard input and output."""
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        todo = "install it with `pip install 'kv-tracer[mcp]'`"
        raise UsageError(f"the Model Context Protocol's SDK is not here ({error.name})", todo=todo) from error
    from tracer.assistant.server import server

    server().run("stdio")
