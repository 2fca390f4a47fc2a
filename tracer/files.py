"""The files of engines as they are now: their lines, and where their definitions lie.

Takes source trees; `evidence.py` judges by it what was said of them, `reread/` what a printed line means.
"""

from __future__ import annotations

from functools import cached_property

from tracer.cited import Claim, Trees
from tracer.errors import TracerError
from tracer.model import SourceTree, digest_lines, lines_of
from tracer.survey import survey_file
from tracer.survey.facts import Definition, FileFacts


class ReadFile:
    """One file as it is now: its lines, and where its definitions lie."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self._data = path, data
        self.lines = lines_of(data)
        self._digests: dict[int, dict[str, list[int]]] = {}

    @cached_property
    def _facts(self) -> FileFacts:
        return survey_file(self.path, self._data)

    @property
    def parses(self) -> bool:
        """Whether its definitions are known at all."""
        return not self._facts.problem

    def named(self, name: str, line: int) -> str:
        """The symbol around `line` that a short `name` (`Class.method`) means, "" where it is none of this file."""
        separator = "::" if "::" in name else "."
        found = [
            (not d.first <= line <= d.last, -len(d.name), d.name)
            for d in self._facts.definitions
            if name == d.name or name.endswith(separator + d.name) or d.name.endswith(separator + name)
        ]
        return min(found)[2] if found else ""

    def definitions_of(self, symbol: str) -> list[tuple[int, int, int]]:
        """(line, first, last) of the definitions that `symbol` may mean: the longest names that end it, or the file."""
        separator = "::" if "::" in symbol else "."
        ends = self._by_end.get(symbol.rpartition(separator)[2], ())
        found = [d for d in ends if symbol == d.name or symbol.endswith(separator + d.name)]
        longest = max((len(d.name) for d in found), default=0)
        if longest < len(symbol) and self._is_file(symbol):
            return [(1, 1, len(self.lines))]
        return [(d.line, d.first, d.last) for d in found if len(d.name) == longest]

    def has(self, symbol: str, line: int) -> bool:
        """Whether `line` lies in a definition of `symbol`."""
        return any(first <= line <= last for _, first, last in self.definitions_of(symbol))

    def places_of(self, digest: str, height: int) -> list[int]:
        """Every line where a piece of `height` more lines begins that has this digest."""
        if height not in self._digests:
            of: dict[str, list[int]] = {}
            for n in range(1, len(self.lines) - height + 1):
                of.setdefault(digest_lines(self.lines, n, n + height), []).append(n)
            self._digests[height] = of
        return self._digests[height].get(digest, [])

    @cached_property
    def _by_end(self) -> dict[str, list[Definition]]:
        found: dict[str, list[Definition]] = {}
        for d in self._facts.definitions:
            found.setdefault(d.name.rpartition("::" if "::" in d.name else ".")[2], []).append(d)
        return found

    def _is_file(self, symbol: str) -> bool:
        """Whether code outside of any function is called so: by its module, in C++ by its path."""
        stem, _, suffix = self.path.rpartition(".")
        if suffix not in ("py", "pyi"):
            return symbol == self.path
        module = stem.removesuffix("/__init__").replace("-", "_").replace("/", ".")
        return symbol == module or ("." in symbol and module.endswith("." + symbol))


class Files:
    """The files of some trees, each read once."""

    def __init__(self, trees: Trees) -> None:
        self._open = trees
        self._trees: dict[tuple[str, str], SourceTree | str] = {}
        self._files: dict[tuple[str, str, str], ReadFile | str] = {}
        self._names: dict[tuple[str, str], dict[str, list[str]]] = {}

    def closed(self, claim: Claim) -> bool:
        """Whether the source of `claim` cannot be had at all."""
        return isinstance(self.tree(claim.engine, claim.version), str)

    def get(self, claim: Claim) -> ReadFile | str:
        """The file that `claim` is about, or why there is none."""
        return self.read(claim.engine, claim.version, claim.file)

    def read(self, engine: str, version: str, file: str) -> ReadFile | str:
        """A file of an engine, or why there is none."""
        tree, key = self.tree(engine, version), (engine, version, file)
        if isinstance(tree, str):
            return tree
        if key not in self._files:
            try:
                self._files[key] = ReadFile(file, tree.read(file))
            except TracerError as error:
                self._files[key] = str(error)
        return self._files[key]

    def paths(self, engine: str, version: str, file: str) -> list[str]:
        """The files of an engine that a path, or only its end (`scheduler.py`), may mean."""
        spec = (engine, version)
        if spec not in self._names:
            tree, found = self.tree(engine, version), {}  # type: tuple[SourceTree | str, dict[str, list[str]]]
            for f in () if isinstance(tree, str) else tree.files():
                found.setdefault(f.path.rsplit("/", 1)[-1], []).append(f.path)
            self._names[spec] = found
        ends = self._names[spec].get(file.rsplit("/", 1)[-1], ())
        return [p for p in ends if p == file or p.endswith("/" + file) or file.endswith("/" + p)]

    def tree(self, engine: str, version: str) -> SourceTree | str:
        """The source of an engine's version, or why there is none."""
        spec = (engine, version)
        if spec not in self._trees:
            try:
                self._trees[spec] = self._open(*spec)
            except TracerError as error:
                self._trees[spec] = str(error)
        return self._trees[spec]
