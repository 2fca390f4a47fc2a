"""Matches → printable answers, and their place in the cache. Keys name every input: none is stale."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tracer import catalog
from tracer.model import EngineRevision, Gap, Site, SourceTree, Use, digest_of, lines_of
from tracer.survey.store import Store

if TYPE_CHECKING:
    from tracer.graph.places import Match
    from tracer.graph.world import World


def uses(world: World, pattern: str, op: str) -> list[Use]:
    """Every use of `pattern` with this op ("all": every op), sorted by file, line and op."""
    from tracer.graph.members import member_uses
    from tracer.graph.uses import Uses
    from tracer.graph.world import Sym

    engine = world.once(Uses)
    found: dict[tuple[str, int, str], Use] = {}
    matches: list[Match] = []
    if op in ("all", "define"):
        matches += engine.defined(pattern)
    if op in ("all", "call") and not pattern.startswith("@"):
        matches += engine.called(pattern)
    if op != "call":
        matches += [
            m
            for m in engine.state(pattern)
            if op in ("all", m.op)
            or (op == "define" and m.op == "init")
            or (op == "augment" and m.op.startswith("augment"))
        ]
    members = [m for m in member_uses(world, pattern) if op in ("all", m.op)]
    matches = members + ([m for m in matches if m.op != "define"] if members else matches)
    texts: dict[int, list[str]] = {}
    for m in matches:
        file = engine.world.path(m.file)
        if m.file not in texts:
            texts[m.file] = lines_of(engine.world.part_of(m.file).facts.tree.read(file))
        lines = texts[m.file]
        symbol = engine.world.symbol(Sym(m.file, m.scope))
        shown = "define" if m.op == "init" else m.op
        found.setdefault(
            (file, m.line, shown),
            Use(symbol, file, m.line, shown, digest_of(lines[m.line - 1] if m.line <= len(lines) else ""), m.basis),
        )
    return [found[k] for k in sorted(found)]


def one_per_statement(sites: Iterable[Site]) -> list[Site]:
    """One site per role, action and statement: the first rule's by id, so that rules may overlap."""
    kept: dict[tuple[str, str, str, int], Site] = {}
    for s in sorted(sites, key=lambda s: (len(s.via), s.rule, s.last)):
        kept.setdefault((s.role, s.action, s.file, s.first), s)
    return list(kept.values())


# Folders of rules that are about no single engine; "." has the stacks.
_SHARED = (".", "any", "crossings", "pairs", "paths", "questions", "walks")


# -- cache -------------------------------------------------------------------------
def recall(store: Store, tree: SourceTree, role: str, rules: tuple[Path, ...]) -> tuple[list[Site], list[Gap]] | None:
    """The kept answer for a role, or None."""
    body = store.answer(_key(tree, role, rules))
    return msgspec.msgpack.decode(body, type=tuple[list[Site], list[Gap]]) if body else None


def keep(
    store: Store, tree: SourceTree, role: str, rules: tuple[Path, ...], sites: Sequence[Site], gaps: Sequence[Gap]
) -> None:
    """Keep a role's answer."""
    store.put_answer(_key(tree, role, rules), msgspec.msgpack.encode((list(sites), list(gaps))))


def _key(tree: SourceTree, role: str, rules: tuple[Path, ...]) -> str:
    source = f"{tree.engine}:{tree.version}:{tree.revision.digest}:{tree.revision.commit}"
    return f"where:{role}:{source}:{rules_digest(tree.engine, rules)}:{rules_digest('any', rules)}:{code_digest()}"


def links_key(engines: Sequence[EngineRevision], what: str = "links") -> str:
    """Where `what` of the functions of these engines, joined in this order, is kept."""
    return f"{what}:{_sources(engines)}:{rules_digest('crossings')}:{code_digest()}"


def question_key(engines: Sequence[EngineRevision], question: object, rules: tuple[Path, ...]) -> str:
    """Where the answer to a question about these engines together is kept."""
    named = (n for e in engines for n in (e.name, f"questions/{e.name}"))
    digests = ":".join(rules_digest(k, rules) for k in (*named, *_SHARED))
    return f"asked:{_sources(engines)}:{digest_of(repr(question))}:{digests}:{code_digest()}"


def _sources(engines: Sequence[EngineRevision]) -> str:
    return "+".join(f"{e.name}:{e.version}:{e.revision.digest}:{e.revision.commit}" for e in engines)


def recall_batches(store: Store, key: str) -> list[bytes] | None:
    """The kept batches of a whole graph, or None."""
    body = store.answer(key)
    return msgspec.msgpack.decode(body, type=list[bytes]) if body else None


def keep_batches(store: Store, key: str, batches: Sequence[bytes]) -> None:
    """Keep the batches of a whole graph."""
    store.put_answer(key, msgspec.msgpack.encode(list(batches)))


@functools.lru_cache
def rules_digest(engine: str, rules: tuple[Path, ...] = ()) -> str:
    """A digest over the bytes of an engine's rule files."""
    h = hashlib.blake2b(digest_size=16)
    for root in (catalog.shipped("rules"), *rules):
        for file in sorted((root / engine).glob("*.yaml")):
            h.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return h.hexdigest()


@functools.lru_cache
def code_digest() -> str:
    """A digest over this program's own files (names, sizes, times): another build does not read this one's answers."""
    h = hashlib.blake2b(digest_size=16)
    root = Path(__file__).parent
    for file in sorted(root.rglob("*.py")):
        stat = file.stat()
        h.update(f"{file.relative_to(root)}:{stat.st_size}:{stat.st_mtime_ns}\n".encode())
    return h.hexdigest()
