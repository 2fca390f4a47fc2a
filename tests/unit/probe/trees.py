"""What the probe's tests share."""

import importlib.util
import sys
from types import ModuleType

from tracer.probe.environment import SCENARIOS


def scenario_module(engine: str, name: str) -> ModuleType:
    """A module that the scenarios of an engine share, loaded by its file."""
    folder = str(SCENARIOS / engine)
    spec = importlib.util.spec_from_file_location(name, SCENARIOS / engine / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module
