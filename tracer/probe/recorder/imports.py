"""Does something with a module once it is imported; costs nothing where it never is."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any


class _Watch:
    def __init__(self, name: str, then: Callable[[Any], None]) -> None:
        self.name, self.then = name, then

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            run, then = spec.loader.exec_module, self.then

            def execute(module: Any) -> None:
                run(module)
                with contextlib.suppress(Exception):
                    then(module)

            spec.loader.exec_module = execute  # type: ignore[method-assign]
        return spec


def on_import(name: str, then: Callable[[Any], None]) -> None:
    """Call `then` with the module `name`: now if it is there, else when it has been imported."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Watch(name, then))
