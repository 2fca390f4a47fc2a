"""Statements that look things up, derive keys, load, or put into a store, told by their shape."""

from __future__ import annotations

import re
from functools import cached_property

from tracer.derived.statements import Shape, Statements, words_of
from tracer.derived.table import Key
from tracer.graph.annotations import DICTS, LISTS, TUPLES
from tracer.graph.containers import last_name
from tracer.graph.places import Match
from tracer.survey.facts import Call
from tracer.survey.store import last_part

_HASHES = frozenset({
    "hash", "hasher", "sha256", "sha1", "md5", "xxhash", "xxh64", "xxh3", "blake2b", "blake3", "digest",
})
_HASHED = frozenset({
    "token", "tokens", "block", "blocks", "chunk", "chunks", "key", "keys", "prefix", "parent", "page", "ids", "hash",
})
COPIES = frozenset({
    "copy_", "index_copy_", "memcpy", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyBatchAsync", "hipMemcpyAsync",
    "readinto", "pread", "preadv", "recv_into",
})
_STORE = {
    "put": {"put", "set", "write", "upload", "store"},
    "get": {"get", "read", "download", "retrieve", "fetch"},
    "ask": {"exists", "exist", "contains", "stat", "head"},
}


class Shapes(Statements):
    """Finds lookups, keys, loads and stores."""

    @cached_property
    def query_of_index(self) -> Shape:
        """Where a function asks an index and answers by what it finds."""
        return {
            m: f"asks {self.table.name(key)}, which others fill and remove from"
            for key, asks in self.indexes.queries.items()
            for m in asks
        }

    @cached_property
    def chained_call(self) -> Shape:
        """`x = f(x, …)` in a loop over something: each result enters the next, as a prefix's hash does."""
        out: Shape = {}
        for number in self.live():
            view = self.world.view(number)
            for scope, calls in view.calls.items():
                for c in calls:
                    if not c.args or c.callee.startswith(("#", "super")):
                        continue
                    for name in {a.path for a in c.args if a.path.isidentifier()} | self._in_tuples(c):
                        binds = view.binds.get((scope, name), ())
                        again = any(b.value == c.callee + "()" and b.line == c.line for b in binds)
                        if len(binds) > 1 and again and self.in_loop(number, scope, c.line):
                            out[self.call_at(number, c)] = f"{name} enters the call that gives the next {name}"
        return out

    def _in_tuples(self, c: Call) -> set[str]:
        return {n for a in c.args if a.path == "#tuple" for n in re.findall(r"\b[A-Za-z_]\w*\b", a.text)}

    @cached_property
    def hash_call(self) -> Shape:
        """Calls of something called a hash on tokens, blocks, keys or a parent's hash."""
        out: Shape = {}
        for number in self.live():
            for c in self.world.view(number).facts.calls:
                said = set(words_of(last_part(c.callee.rpartition(".")[2].split("<", 1)[0])))
                if said & _HASHES and any(set(words_of(a.text or a.path)) & _HASHED for a in c.args):
                    out[self.call_at(number, c)] = "a hash is taken"
        return out

    @cached_property
    def copy_in(self) -> Shape:
        """Copies into memory that the function was given or allocated."""
        out: Shape = {}
        for number in self.live():
            for c in self.world.view(number).facts.calls:
                if last_part(c.callee.rpartition(".")[2].split("<", 1)[0]) in COPIES:
                    out[self.call_at(number, c)] = "copies into a buffer"
        return out

    @cached_property
    def put_into_store(self) -> Shape:
        """Puts into something that other functions get from by the same field, and that is no container."""
        return {m: why for m, (kind, why) in self._on_stores.items() if kind == "put"}

    @cached_property
    def got_from_store(self) -> Shape:
        """Gets from something that other functions put into by the same field, and that is no container."""
        return {m: why for m, (kind, why) in self._on_stores.items() if kind == "get"}

    @cached_property
    def asked_of_store(self) -> Shape:
        """Questions whether a store has a key."""
        return {m: why for m, (kind, why) in self._on_stores.items() if kind == "ask"}

    @cached_property
    def _on_stores(self) -> dict[Match, tuple[str, str]]:
        fields: dict[Key, list[tuple[str, Match]]] = {}
        for number in self.live():
            for c in self.world.view(number).facts.calls:
                owner, _, method = c.callee.rpartition(".")
                kind = _store_kind(method)
                if not kind or not owner or len(c.args) < (2 if kind == "put" else 1):
                    continue
                key = self.table.key_of(number, c.scope, owner)
                if key is not None and not self._container(key):
                    fields.setdefault(key, []).append((kind, self.call_at(number, c)))
        return {
            m: (kind, f"{self.table.name(key)} is put into and got from by key")
            for key, found in fields.items()
            if {"put", "get"} <= {k for k, _ in found}
            for kind, m in found
        }

    def _container(self, key: Key) -> bool:
        """Whether the field is a container of the language, or a queue."""
        types = self.table.types.attribute_of(*key)
        return (
            any(t.kind == "ext" and last_name(t) in LISTS | DICTS | TUPLES for t in types)
            or self.table.is_queue(key)
            or bool(key in self.table.states and self.table.states[key].of("remove"))
        )


def _store_kind(method: str) -> str:
    """Whether a method's name is of the protocol of stores: put, get or ask; "" if not."""
    return next((kind for w in words_of(method) for kind, names in _STORE.items() if w in names), "")
