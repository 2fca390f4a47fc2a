"""What the fuzzers feed: from bytes to a value or a `TracerError`; any other exception is a fault of ours.

Each target takes bytes and reads them as what its name says. `SEEDS` are inputs of our own making to begin from.
"""

from __future__ import annotations

import contextlib
import io
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.hostile import corpus
from tests.unit.trees import MemoryTree
from tracer.checkout.archive import read_archive
from tracer.checkout.folder import any_target
from tracer.errors import TracerError
from tracer.evidence import judged
from tracer.files import Files
from tracer.model import lines_of
from tracer.probe import recording
from tracer.reading.cpp import read_cpp
from tracer.reading.python import read_python
from tracer.reread import claims_in
from tracer.rules import load_file
from tracer.survey import survey_file
from tracer.survey.store import encode

_SOURCE = {"lmcache/a.py": "class Pool:\n    def commit(self, key):\n        self.blocks[key] = 1\n"}


def python(data: bytes) -> None:
    """A Python file: survey, cache encoding, and the reading of its first functions."""
    _survey("x.py", data)


def cpp(data: bytes) -> None:
    """The same of a C++ file."""
    _survey("x.cpp", data)


def _survey(path: str, data: bytes) -> None:
    facts = survey_file(path, data)
    encode(facts)
    lines = lines_of(data)
    for d in facts.definitions[:4]:
        assert 1 <= d.first <= d.line <= d.last
        with contextlib.suppress(TracerError):
            if path == "x.py":
                read_python(lines, d.first, d.last, d.name)
            else:
                read_cpp(data, d.first, d.last, d.name)


def archive(data: bytes) -> None:
    """A package archive: its first byte says which kind."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "a.tar.gz" if data[:1] < b"\x80" else "a.whl")
        file.write_bytes(data[1:])
        with contextlib.suppress(TracerError):
            for path, _ in read_archive(file, any_target("toy")).entries:
                assert ".." not in path.split("/") and not path.startswith("/")
        assert [p.name for p in Path(place).iterdir()] == [file.name]


def rules(data: bytes) -> None:
    """A file of rules."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "toy", "x.yaml")
        file.parent.mkdir()
        file.write_bytes(data)
        try:
            load_file(file, Path(place))
        except TracerError as error:
            assert "\n" not in str(error)


def printed(data: bytes) -> None:
    """Something that `verify` is asked to re-read."""
    tree = MemoryTree(_SOURCE, "lmcache", "1.0")
    files = Files(lambda _engine, _version: tree)
    try:
        judged(claims_in(data, files, {"lmcache": "1.0"}), files)
    except TracerError as error:
        assert "\n" not in str(error)


def recorded(data: bytes) -> None:
    """A recording: what is before the first NUL is its `run.json`, what is behind it the lines of a process."""
    run, _, lines = data.partition(b"\0")
    with tempfile.TemporaryDirectory() as place:
        process = Path(place, "run", "p1.jsonl")
        process.parent.mkdir()
        process.parent.joinpath("run.json").write_bytes(run)
        process.write_bytes(lines)
        try:
            found = recording.load(Path(place))
            assert all("\n" not in gap for gap in found.gaps)
        except TracerError as error:
            assert "\n" not in str(error)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    t.__name__: t for t in (python, cpp, archive, rules, printed, recorded)
}


def seeds(target: str) -> Iterator[bytes]:
    """Where the search begins: the hostile corpus, and what was once found to break."""
    for file in sorted((Path(__file__).parent / "found" / target).glob("*")):
        yield file.read_bytes()
    if target == "python":
        yield from (data for _, data in corpus.python_sources() if len(data) < 3_000)
    elif target == "cpp":
        yield from (data for _, data in corpus.cpp_sources() if len(data) < 3_000)
    elif target == "rules":
        yield from (text.encode("utf-8", "surrogatepass") for text in corpus.rule_files().values() if len(text) < 3_000)
    elif target == "archive":
        yield from _archives()
    elif target == "recorded":
        yield b'{"scenario": "x", "engines": [{"name": "lmcache", "version": "1"}]}\0' + b"\n".join(
            json.dumps(row).encode() for row in ({"call": "a"}, ["f", 1, "a.b", 2], {"seen": {"a.b": [1, 2]}})
        )
    else:
        yield from _answers()


def _archives() -> Iterator[bytes]:
    packed, wheel = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar, zipfile.ZipFile(wheel, "w") as archive_:
        for name, text in (("toy/a.py", "x = 1\n"), ("toy/../b.py", "y = 2\n")):
            info = tarfile.TarInfo(f"toy-1/{name}")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
            archive_.writestr(name, text)
    yield b"\0" + packed.getvalue()
    yield b"\xff" + wheel.getvalue()


def _answers() -> Iterator[bytes]:
    place = {"symbol": "lmcache.a.Pool.commit", "file": "lmcache/a.py", "def_line": 2, "first": 3, "last": 3}
    head = {"schema": "tracer.where/1", "engines": [{"name": "lmcache", "version": "1.0"}]}
    step = {"symbol": "Pool.commit", "file": "lmcache/a.py", "def_line": 2, "from_file": "lmcache/a.py", "from_line": 3}
    digests = [{"engine": "lmcache", "version": "1.0", "file": "lmcache/a.py", "lines": {"2": "0", "2-3": "1"}}]
    yield json.dumps(head | {"sites": [place], "paths": [{"steps": [step]}], "digests": digests}).encode()
    yield json.dumps({"runs": [{"properties": head, "results": []}]}).encode()
    yield b"lmcache 1.0  (archive v1.0)\n  lmcache/a.py:3-4  Pool.commit  [typed]\n      3  return  missing  since 2, by 2 \xe2\x86\x92 3\n"
    yield b"## lmcache 1.0 (x) \xe2\x86\x92 2.0 (y)\n\n| a | 1.0 | 2.0 |\n| `a.py:3` Pool | a.py:2 | a.py:1 |\n\n> 3 |         self\n"
    yield b'<!doctype html><h1>lmcache 1.0</h1><div class="code" data-file="lmcache/a.py"><pre><span class="row" data-line="2">x</span></pre></div>'
    yield b'{"source": "a", "target": "b", "file": "lmcache/a.py", "line": 2}\n{"source": "a", "file": "a.py", "line": 1}\n'
    yield b'<?xml version="1.0"?><graphml xmlns="g"><key id="d0" attr.name="file"/><graph><edge source="a"><data key="d0">a.py</data></edge></graph></graphml>'
