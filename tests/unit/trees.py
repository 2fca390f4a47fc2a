"""A source tree held in memory, for tests that need lines but no engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tracer.errors import SourceUnavailableError
from tracer.model import Revision, SourceFile, digest_of


class MemoryTree:
    """Files by path; their text is what a test says."""

    def __init__(self, files: Mapping[str, str | bytes], engine: str = "toy", version: str = "1.0") -> None:
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self.engine, self.version = engine, version
        self.revision = Revision("archive", digest_of(repr(sorted(self._files.items()))), tag=f"v{version}")

    def files(self) -> Sequence[SourceFile]:
        return [SourceFile(path, len(data), digest_of(data)) for path, data in sorted(self._files.items())]

    def read(self, path: str) -> bytes:
        if path not in self._files:
            raise SourceUnavailableError("is not a file of this tree", where=path)
        return self._files[path]
