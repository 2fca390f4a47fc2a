"""SourceTree → Facts: read every file once, fast, in parallel, and keep only facts (see `facts.py`).

`survey(tree)` makes sure that every file's facts are in the store and that the tree's name index is complete; the
returned `Facts` opens single files on demand. It resolves nothing: that is `graph/`.
"""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from tracer.model import SourceFile, SourceTree, line_ends
from tracer.survey.facts import FileFacts, Outline
from tracer.survey.store import Store, encode, key_of

Progress = Callable[[str, int, int], None]
PYTHON = (".py", ".pyi")
CPP = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".cuh", ".cu", ".inl", ".ipp")
_limit = 0  # processes for one survey; 0 is one for each core
MAX_FILE_BYTES = 4 << 20  # a larger source file is generated; it becomes a gap


def language_of(path: str) -> str:
    """python, cpp, or "" for a file that is not surveyed."""
    if path.endswith(PYTHON):
        return "python"
    return "cpp" if path.endswith(CPP) else ""


class Facts:
    """The facts of one tree, file by file. Files are numbered by their place in the sorted list."""

    def __init__(self, tree: SourceTree, store: Store) -> None:
        self.tree, self.store = tree, store
        self.files: tuple[SourceFile, ...] = tuple(f for f in tree.files() if language_of(f.path))
        self.digest = tree.revision.digest
        self.surveyed = 0  # files whose content nobody had surveyed before
        self._open: dict[int, FileFacts] = {}
        self._with: dict[str, list[int]] = {}
        self._postings: dict[str, list[int]] | None = None

    def of(self, number: int) -> FileFacts:
        """The facts of file `number`."""
        found = self._open.get(number)
        if found is None:
            f = self.files[number]
            found = self._open[number] = self.store.facts(key_of(language_of(f.path), f.digest))
        return found

    def files_with(self, kind: str, name: str) -> list[int]:
        """Numbers of the files that mention `name` as `kind` (see `store.names_of`)."""
        key = f"{kind}:{name}"
        found = self._with.get(key)
        if found is None:
            if self._postings is None:
                found = self.store.files_with(self._tree_key, key)
            else:
                found = self._postings.get(key, [])
            self._with[key] = found
        return found

    def open_names(self) -> None:
        """Read the whole name index at once: for who is going to ask for most of it."""
        self._postings = self.store.postings(self._tree_key)

    def names(self, kind: str) -> list[str]:
        """All names of one kind."""
        return self.store.names_like(self._tree_key, kind)

    def outlines(self) -> Iterator[tuple[str, Outline]]:
        """Path, definitions and fields of every file; nothing of it stays open."""
        keys = {f.path: key_of(language_of(f.path), f.digest) for f in self.files}
        found = dict(self.store.outlines(sorted({*keys.values()})))
        return ((path, found[key]) for path, key in keys.items() if key in found)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """(path, why) of files that did not parse."""
        return self.store.problems(self._tree_key)

    @property
    def _tree_key(self) -> str:
        return key_of("names", self.digest)

    def complete(self, progress: Progress | None = None) -> None:
        """Survey what is missing and make the tree's name index."""
        if self.store.has_tree(self._tree_key):
            return
        keys = [key_of(language_of(f.path), f.digest) for f in self.files]
        missing = self.store.missing(keys)
        wanted: dict[str, SourceFile] = {}
        for key, f in zip(keys, self.files, strict=True):
            if key in missing:
                wanted.setdefault(key, f)
        self.surveyed = len(wanted)
        _survey_all(self.tree, list(wanted.values()), self.store, progress)
        by_key: dict[str, list[int]] = {}
        for number, key in enumerate(keys):
            by_key.setdefault(key, []).append(number)
        postings: defaultdict[str, list[int]] = defaultdict(list)
        problems: list[tuple[str, str]] = []
        for key, names in self.store.names(sorted(by_key)):
            if names and names[0].startswith("!"):
                problems.extend((self.files[n].path, names[0][1:]) for n in by_key[key])
                names = names[1:]
            numbers = by_key[key]
            for name in names:
                postings[name] += numbers
        for numbers in postings.values():
            numbers.sort()
        self.store.put_tree(self._tree_key, postings, sorted(problems))


def limit_processes(most: int) -> None:
    """Let this process and its surveys use at most `most` processes; for one that is itself one of several."""
    global _limit
    _limit = most


def processes() -> int:
    """How many processes may work at once."""
    return _limit or os.cpu_count() or 1


def survey(tree: SourceTree, store: Store, progress: Progress | None = None) -> Facts:
    """All facts of `tree`, surveyed where the store lacks them."""
    facts = Facts(tree, store)
    facts.complete(progress)
    return facts


def survey_file(path: str, source: bytes) -> FileFacts:
    """The facts of one file; what cannot be read gives facts with a `problem`, never an exception."""
    language, source = language_of(path), line_ends(source)
    if len(source) > MAX_FILE_BYTES:
        return FileFacts(language, source.count(b"\n"), f"larger than {MAX_FILE_BYTES >> 20} MiB, not read")
    if language == "python":
        from tracer.survey.python import survey_python

        return survey_python(source)
    from tracer.survey.cpp import survey_cpp

    return survey_cpp(source)


def _survey_all(tree: SourceTree, files: Sequence[SourceFile], store: Store, progress: Progress | None) -> None:
    """Survey `files` on all cores; the store is written batch by batch, so an interrupted run loses little."""
    if not files:
        return
    jobs = _balanced(files)
    done = 0
    workers = min(len(jobs), processes())
    what = f"survey {tree.engine} {tree.version}"
    if workers <= 1 or len(files) < 16:
        for job in jobs:
            store.put_facts(_work(tree, job))
            done += len(job)
            if progress:
                progress(what, done, len(files))
        return
    from tracer.workers import each, pool  # what is surveyed already needs no other process

    left = dict(enumerate(jobs))
    with pool(workers, "fork", _start_worker, (tree,)) as executor:
        for number, rows in each(executor, _work_here, jobs):
            store.put_facts(rows)
            done += len(left.pop(number))
            if progress:
                progress(what, done, len(files))
    for job in left.values():  # of a process that was killed, for want of memory say: here, one by one
        store.put_facts(_work(tree, job))


def _balanced(files: Sequence[SourceFile], size: int = 1 << 19) -> list[list[SourceFile]]:
    """Batches of about `size` bytes, the largest files first, so that the cores end together."""
    jobs: list[list[SourceFile]] = []
    room = 0
    for f in sorted(files, key=lambda f: (-f.size, f.path)):
        if room <= 0:
            jobs.append([])
            room = size
        jobs[-1].append(f)
        room -= f.size + 2000
    return jobs


_tree: SourceTree | None = None


def _start_worker(tree: SourceTree) -> None:
    global _tree
    gc.disable()  # trees and facts hold no cycles; looking for some costs a tenth of the time
    _tree = tree


def _work_here(job: list[SourceFile]) -> list[tuple[str, bytes, bytes]]:
    assert _tree is not None
    return _work(_tree, job)


def _work(tree: SourceTree, job: list[SourceFile]) -> list[tuple[str, bytes, bytes]]:
    rows = []
    for f in job:
        facts = survey_file(f.path, tree.read(f.path))
        rows.append((key_of(language_of(f.path), f.digest), *encode(facts)))
    return rows
