"""Starts the recorder in this interpreter and in every Python child of it; then runs the sitecustomize that it hides.

Python imports it at start-up because `tracer probe run` puts this folder first on PYTHONPATH. Standard library only.
"""

import importlib.machinery
import importlib.util
import os
import sys


def _start() -> None:
    place = os.environ.get("TRACER_PROBE_RECORDER")
    if not place:
        return
    spec = importlib.util.spec_from_file_location("_tracer_recorder", place)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["_tracer_recorder"] = module
        spec.loader.exec_module(module)
        module.start_from_environment()


def _hidden() -> None:
    """The environment's own sitecustomize, further down the path."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (pathlib costs every child 10 ms)
    rest = [p for p in sys.path if os.path.abspath(p or ".") != here]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


try:
    _start()
except Exception as error:
    sys.stderr.write(f"tracer: nothing is recorded in process {os.getpid()}: {error!r}\n")
_hidden()
