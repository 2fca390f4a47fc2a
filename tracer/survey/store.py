"""The cache: one SQLite file under the user cache directory, addressed by content.

`facts` holds one file's facts by content digest and survey version, so equal files of two versions are surveyed once.
`blocks` holds, for one tree, which files mention a name and how (see `names_of`), so a question opens only the
files it needs: sorted names, a few in each row, and where the next row begins, so that one that is lost leaves a hole
that is seen. `answers` holds finished results by a key that names all their inputs.
Everything in it can be made again: a damaged file is thrown away and that is said.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import zstandard

from tracer import atomic, catalog
from tracer.errors import CacheError
from tracer.survey.facts import VERSION, FileFacts, Outline
from tracer.survey.paths import names_in

SCHEMA_VERSION = 2
MEMORY = ":memory:"  # the path of a cache that is this process's own
_SEAL = 4  # bytes of a record's checksum
_BLOCK = 16  # names in a row of the name index: writing one row for each name takes four times as long
Item = TypeVar("Item")
log = logging.getLogger("tracer")
_TABLES = """
create table if not exists facts(key text primary key, names blob not null, body blob not null) without rowid;
create table if not exists blocks(tree text, first text, names blob not null, primary key(tree, first)) without rowid;
create table if not exists trees(tree text primary key, problems blob not null) without rowid;
create table if not exists answers(key text primary key, body blob not null) without rowid;
"""


class Store:
    """Reads and writes the cache file. A damaged one is thrown away, and a warning says so."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or catalog.cache_dir() / f"facts-{SCHEMA_VERSION}.sqlite"
        self._decode = msgspec.msgpack.Decoder(FileFacts).decode
        self._zip = zstandard.ZstdCompressor(level=3, write_checksum=True)
        self._unzip = zstandard.ZstdDecompressor()
        self._shared = str(self.path) != MEMORY
        with self._alone():
            self._db = self._open()
            self._file = self.path.stat() if self._shared else None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from opening the cache or throwing it away: its three files belong together."""
        try:
            with atomic.alone(self.path.parent) if self._shared else contextlib.nullcontext():
                yield
        except OSError as error:
            todo = "set TRACER_CACHE_DIR to a folder that can be written"
            raise CacheError(f"cannot be used ({error.strerror})", where=str(self.path), todo=todo) from error

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if (outside := self._outside(error)) is not None:
                raise outside from error
            self._throw_away()
            log.warning("tracer: the cache %s was damaged (%s) and is rebuilt", self.path.name, error)
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            raise self._outside(error) or CacheError(
                f"the cache cannot be made ({error})", where=str(self.path), todo="set TRACER_CACHE_DIR"
            ) from error

    def _outside(self, error: sqlite3.Error) -> CacheError | None:
        """The error to raise where not the file is to blame but what is around it: rights, room, another process."""
        said = str(error)
        if "locked" in said or "busy" in said:
            return CacheError("another process holds the cache", where=self.path.name, todo="try again")
        if any(word in said for word in ("readonly", "unable to open", "disk I/O", "full")):
            todo = "free some room, or set TRACER_CACHE_DIR to a folder that can be written"
            return CacheError(f"the cache cannot be written ({said})", where=str(self.path), todo=todo)
        return None

    def _throw_away(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        try:
            db.execute("pragma journal_mode=wal")
            db.execute("pragma synchronous=normal")
            db.executescript(_TABLES)
            db.execute("select count(*) from trees").fetchone()
        except UnicodeDecodeError as error:  # the message itself quotes bytes of a damaged file
            db.close()
            raise sqlite3.DatabaseError("it holds no text") from error
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it or nothing reaches the file."""
        try:
            self._db.execute("begin immediate")
            yield self._db
            self._db.execute("commit")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("rollback")
            raise self._outside(error) or self._damaged(str(error)) from error

    def _rows(self, query: str, values: Sequence[str] | Mapping[str, str]) -> list[tuple[Any, ...]]:
        """All rows of a query; a file damaged in the middle is thrown away, which is one line to the user."""
        try:
            return self._db.execute(query, values).fetchall()
        except UnicodeDecodeError as error:
            raise self._damaged("it holds no text") from error
        except sqlite3.DatabaseError as error:
            raise self._outside(error) or self._damaged(str(error)) from error

    def _damaged(self, why: str) -> CacheError:
        """The error to raise for a file that is not what was written; it is gone when the user asks again."""
        self.close()
        with self._alone(), contextlib.suppress(FileNotFoundError):
            if self._file and os.path.samestat(self.path.stat(), self._file):  # else another process has done it
                self._throw_away()
        return CacheError(f"the cache was damaged ({why}) and is thrown away", where=self.path.name, todo="ask again")

    def _unsealed(self, blob: Any) -> bytes:
        """The bytes that were sealed; a cache in which they changed is thrown away."""
        body = blob[:-_SEAL] if isinstance(blob, bytes) else b""
        if not body or zlib.crc32(body).to_bytes(_SEAL) != blob[-_SEAL:]:
            raise self._damaged("a record has changed")
        return body

    def _whole(self, blob: Any) -> bytes:
        """What was compressed; the frame holds a checksum of it."""
        try:
            return self._unzip.decompress(blob)
        except (zstandard.ZstdError, TypeError) as error:
            raise self._damaged("a record has changed") from error

    # -- facts ---------------------------------------------------------------
    def missing(self, keys: Iterable[str]) -> set[str]:
        """Those of `keys` without facts."""
        wanted = set(keys)
        known: set[str] = set()
        for batch in _batches(sorted(wanted), 500):
            marks = ",".join("?" * len(batch))
            known.update(k for (k,) in self._rows(f"select key from facts where key in ({marks})", batch))  # noqa: S608
        return wanted - known

    def put_facts(self, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        """Store encoded facts: key, encoded names, compressed body (see `encode`)."""
        with self._writing() as db:
            db.executemany("insert or replace into facts values(?,?,?)", rows)

    def facts(self, key: str) -> FileFacts:
        """The facts stored under `key`; CacheError if they are not there."""
        row = next(iter(self._rows("select body from facts where key=?", (key,))), None)
        if row is None:
            raise CacheError(f"no facts for {key}", where=self.path.name, todo="run `tracer cache clear`")
        return self._decode(self._whole(row[0]))

    def names(self, keys: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
        """(key, names) for each of `keys`, in the store's order."""
        for batch in _batches(keys, 500):
            marks = ",".join("?" * len(batch))
            rows = self._rows(f"select key, names from facts where key in ({marks})", batch)  # noqa: S608
            self._all_of(batch, rows)
            for key, blob in rows:
                yield key, msgspec.msgpack.decode(self._unsealed(blob))

    def outlines(self, keys: Sequence[str]) -> Iterator[tuple[str, Outline]]:
        """(key, outline) for each of `keys`, in the store's order."""
        decode = msgspec.msgpack.Decoder(Outline).decode
        for batch in _batches(keys, 500):
            marks = ",".join("?" * len(batch))
            rows = self._rows(f"select key, body from facts where key in ({marks})", batch)  # noqa: S608
            self._all_of(batch, rows)
            for key, blob in rows:
                yield key, decode(self._whole(blob))

    def _all_of(self, keys: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        if len(rows) != len(set(keys)):
            raise self._damaged("facts are missing")

    # -- trees ---------------------------------------------------------------
    def has_tree(self, tree: str) -> bool:
        """Whether the postings of this tree are complete."""
        return bool(self._rows("select 1 from trees where tree=?", (tree,)))

    def put_tree(self, tree: str, postings: dict[str, list[int]], problems: list[tuple[str, str]]) -> None:
        """Store a tree's postings (name → sorted file numbers) and its files' problems (path, why)."""
        with self._writing() as db:
            db.execute("delete from blocks where tree=?", (tree,))
            blocks = list(_batches(sorted(postings.items()), _BLOCK)) or [[]]
            firsts = ["", *(b[0][0] for b in blocks[1:])]
            rows = zip(firsts, blocks, [*firsts[1:], None], strict=True)
            sealed = ((tree, first, _sealed((first, names, after))) for first, names, after in rows)
            db.executemany("insert into blocks values(?,?,?)", sealed)
            db.execute("insert or replace into trees values(?,?)", (tree, _sealed(problems)))

    def files_with(self, tree: str, name: str) -> list[int]:
        """Numbers of the files that mention `name` (with its kind letter, see `names_of`)."""
        query = "select first, names from blocks where tree=:tree and first<=:since order by first desc limit 1"
        return next((files for n, files in self._blocks(query, tree, name, name + "\0") if n == name), [])

    def postings(self, tree: str) -> dict[str, list[int]]:
        """The whole name index of a tree: name → numbers of the files that mention it."""
        return dict(self._blocks("select first, names from blocks where tree=:tree order by first", tree))

    def names_like(self, tree: str, kind: str) -> list[str]:
        """All names of one kind, for near-miss hints."""
        first = "(select max(first) from blocks where tree=:tree and first<=:since)"
        query = f"select first, names from blocks where tree=:tree and first>={first} and first<:until order by first"  # noqa: S608
        return [n[2:] for n, _ in self._blocks(query, tree, kind + ":", kind + ";") if n[0] == kind]

    def _blocks(self, query: str, tree: str, since: str = "", until: str = "") -> Iterator[tuple[str, list[int]]]:
        """The names in the rows of a query, which hold all from `since` to `until` (to the end); a hole is damage."""
        values = {"tree": tree, "since": since, "until": until}
        rows = self._rows(query, values)
        after: str | None = rows[0][0] if rows else None
        if (not rows and self.has_tree(tree)) or (after or "") > since:
            raise self._damaged("names are missing")
        for first, block in rows:
            said, names, then = msgspec.msgpack.decode(self._unsealed(block))
            if not said == first == after:
                raise self._damaged("names are missing")
            yield from names
            after = then
        if after is not None and (not until or after < until):
            raise self._damaged("names are missing")

    def problems(self, tree: str) -> list[tuple[str, str]]:
        """(path, why) of the tree's files that did not parse."""
        row = next(iter(self._rows("select problems from trees where tree=?", (tree,))), None)
        return msgspec.msgpack.decode(self._unsealed(row[0]), type=list[tuple[str, str]]) if row else []

    # -- answers -------------------------------------------------------------
    def answer(self, key: str) -> bytes | None:
        """A finished result by its key, or None."""
        row = next(iter(self._rows("select body from answers where key=?", (key,))), None)
        return self._whole(row[0]) if row else None

    def put_answer(self, key: str, body: bytes) -> None:
        """Store a finished result."""
        with self._writing() as db:
            db.execute("insert or replace into answers values(?,?)", (key, self._zip.compress(body)))

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def key_of(language: str, digest: str) -> str:
    """The cache key of a file's facts: survey version, language and content digest."""
    return f"{VERSION}:{language}:{digest}"


def encode(facts: FileFacts) -> tuple[bytes, bytes]:
    """(names, body) as stored."""
    body = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(msgspec.msgpack.encode(facts))
    return _sealed(names_of(facts)), body


def _sealed(value: object) -> bytes:
    """A record with its checksum behind it: SQLite keeps none of its own."""
    body = msgspec.msgpack.encode(value)
    return body + zlib.crc32(body).to_bytes(_SEAL)


def names_of(facts: FileFacts) -> list[str]:
    """What a file mentions, as `kind:name`, sorted.

    d defines a class or function (last part of its name) · b has a class with this base (by the name it was
    imported under another) · f declares this field ·
    u uses this attribute (in any access path) · c calls this name · g has this decorator · i imports this name.
    A first entry `!why` is the file's problem.
    """
    renamed = {i.alias: i.name for i in facts.imports if i.name and i.alias not in ("", i.name)}
    bases = {last_part(b.split("[")[0].split("<")[0]) for d in facts.definitions for b in d.bases}
    callees = {names_in(path) for path in {c.callee for c in facts.calls}}
    # Each path once: a file spells the same few over and over.
    paths = {a.path for c in facts.calls for a in c.args}
    paths.update([a.target for a in facts.accesses])
    paths.update([a.value for a in facts.accesses])
    paths.update([b.value for b in facts.binds])
    paths.update([f.value for f in facts.fields])
    named = {
        "d": {last_part(d.name) for d in facts.definitions},
        "b": {renamed.get(base, base) for base in bases},
        "g": {last_part(g.split("(")[0]) for d in facts.definitions for g in d.decorators},
        "f": {f.name for f in facts.fields},
        "u": {*chain.from_iterable(callees), *chain.from_iterable(map(names_in, paths))},
        "c": {names[-1] for names in callees if names},
        "i": {i.name or last_part(i.module) for i in facts.imports},
    }
    ordered = [f"{kind}:{name}" for kind in sorted(named) for name in sorted(named[kind])]
    return [f"!{facts.problem}", *ordered] if facts.problem else ordered


@functools.lru_cache(maxsize=1 << 18)
def last_part(name: str) -> str:
    """The last component of a dotted or `::` name."""
    return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1].strip()


def _batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """The items, at most `size` at a time."""
    for i in range(0, len(items), size):
        yield items[i : i + size]
