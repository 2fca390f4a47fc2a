"""Where the modules of a small program are: files below its root, named by their path from there."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from tracer.errors import SourceParseError, UsageError

LARGEST = 8 << 20  # bytes of one file


class Sources:
    """Finds and parses the modules below `root`; imports are looked up from `root`, then from the entry's folder."""

    def __init__(self, root: Path, entry: Path) -> None:
        if not root.is_dir():
            raise UsageError("is no folder", where=str(root), todo="name the folder of the program with --root")
        self.root = root.resolve()
        self.entry = (entry if entry.is_file() else root / entry).resolve()
        if not self.entry.is_file():
            raise UsageError("is no file", where=str(entry), todo="name the program's first file with --entry")
        if not self.entry.is_relative_to(self.root):
            raise UsageError(f"is not below {root}", where=str(entry), todo="choose a --root that holds the entry")
        if self.entry.suffix != ".py":
            raise UsageError("is no Python file", where=str(entry), todo="name a .py file with --entry")
        self.unread: dict[str, str] = {}  # files that do not parse, and why
        self._known: dict[str, Path | None] = {}

    def name_of(self, file: Path) -> str:
        """The dotted name of a file below the root; a package is named by its folder."""
        parts = list(file.relative_to(self.root).with_suffix("").parts)
        if len(parts) > 1 and parts[-1] == "__init__":
            parts.pop()
        return ".".join(parts)

    def find(self, name: str) -> Path | None:
        """The file of module `name`; a folder without `__init__.py` counts as a package."""
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def resolve(self, name: str) -> str | None:
        """The name from the root of what is imported as `name`; None if that lies outside the program."""
        if self.find(name) is not None:
            return name
        beside = self.entry.parent
        if beside != self.root:
            prefix = ".".join(beside.relative_to(self.root).parts)
            if self.find(f"{prefix}.{name}") is not None:
                return f"{prefix}.{name}"
        first, _, rest = name.partition(".")
        if first == self.root.name and rest and (self.root / "__init__.py").is_file() and self.find(rest) is not None:
            return rest  # the root is itself the package
        return None

    def parse(self, file: Path) -> ast.Module:
        """The syntax tree of a file; raises SourceParseError."""
        where = file.relative_to(self.root).as_posix()
        try:
            if file.stat().st_size > LARGEST:
                raise SourceParseError(f"is larger than {LARGEST >> 20} MiB", where=where, todo="split it")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(file.read_bytes(), filename=where)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            reason = getattr(error, "msg", None) or getattr(error, "strerror", None) or str(error)
            raise SourceParseError(f"cannot be parsed ({reason}{line})", where=where, todo="correct it") from error

    def _find(self, name: str) -> Path | None:
        parts = name.split(".")
        if not all(parts):
            return None
        base = self.root.joinpath(*parts)
        for file in (base / "__init__.py", base.with_name(base.name + ".py")):
            if file.is_file():
                return file
        return base if base.is_dir() and any(base.rglob("*.py")) else None
