"""A stand-in for a package that an engine imports and no scenario uses: any name in it is an empty class.

It is copied into the engine's folder as the package's `__init__`; `__version__` is appended there.
"""

import importlib.abc
import importlib.machinery
import sys
import types


class _Empty(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Empty(name, (), {})


class _Answers(types.ModuleType):
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Empty(name, (), {})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, *_):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.startswith(_BELOW) else None

    def create_module(self, spec):
        return _Answers(spec.name)

    def exec_module(self, module):
        pass


_BELOW = f"{__name__}."
sys.meta_path.append(_Finder())
