"""Worlds made of invented files held in memory, for tests of the graph and of roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from tracer.graph.world import World
from tracer.model import Revision, SourceFile, digest_of
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import Target


class MemoryTree:
    """A source tree whose files are given as text."""

    engine, version = "example", "1"

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {path: dedent(text).lstrip("\n").encode() for path, text in files.items()}
        self.revision = Revision("folder", digest_of(repr(sorted(self._files.items()))))

    def files(self) -> Sequence[SourceFile]:
        return tuple(SourceFile(p, len(b), digest_of(b)) for p, b in sorted(self._files.items()))

    def read(self, path: str) -> bytes:
        return self._files[path]


def world(**files: str) -> World:
    """A world of files named by keyword: `a__b_py` is `a/b.py`, `x_cpp` is `x.cpp`."""
    named = {}
    for key, text in files.items():
        stem, _, suffix = key.rpartition("_")
        named[f"{stem.replace('__', '/')}.{suffix}"] = text
    return world_of(named)


def world_of(files: Mapping[str, str]) -> World:
    """A world of files by path."""
    return joined(example=files)


def joined(**engines: Mapping[str, str]) -> World:
    """A world of several repositories: engine name → its files by path."""
    store = Store(Path(":memory:"))
    return World(
        [
            (survey(MemoryTree(files), store), Target(name, name.title(), "https://example.org/e", ("",)))
            for name, files in engines.items()
        ]
    )
