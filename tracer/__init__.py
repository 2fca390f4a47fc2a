"""Tracer: a source tracer for KV-cache engines. Start reading at `tracer/trace.py`.

From Python: `tracer.trace("lmcache@0.5.6").where("publish")`; see `tracer.api`, which type checkers also know.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracer.api import Engine as Engine
    from tracer.api import Result as Result
    from tracer.api import TracerError as TracerError
    from tracer.api import trace as trace
    from tracer.api import verify as verify

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`trace`, `verify`, `Engine`, `Result` and `TracerError` of `tracer.api`, loaded when they are first asked for."""
    from importlib import import_module

    if name == "trace":  # the module of the questions, which can be called: then it is `tracer.api.trace`
        return import_module("tracer.trace")
    if name in ("Engine", "Result", "TracerError", "verify"):
        return getattr(import_module("tracer.api"), name)
    raise AttributeError(f"module 'tracer' has no attribute {name!r}")
