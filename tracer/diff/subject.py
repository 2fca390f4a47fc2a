"""One side as it was asked for, and what is kept of it: its places, who runs them, its named paths.

Takes a target, the version whose rules apply, and a tree. What took long is kept in the cache under a key that names
every input; the world behind it is linked once for all parts that ask for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from tracer import answers, stages
from tracer.checkout import FolderTree
from tracer.diff.places import Side, side_of
from tracer.model import EngineRevision, SourceTree, Trace
from tracer.survey import Facts, Progress, survey
from tracer.survey.store import Store
from tracer.targets import Target, Version

if TYPE_CHECKING:
    from tracer.graph.hops import Hops
    from tracer.graph.world import World

Answer = TypeVar("Answer")


class Subject:
    """One version of an engine, or a working folder that is read as one."""

    def __init__(self, target: Target, version: Version, tree: SourceTree, progress: Progress | None = None) -> None:
        self.target, self.version, self.tree = target, version, tree
        read = tree.revision
        named = f"folder-{read.digest[:8]}" if isinstance(tree, FolderTree) else tree.version
        self.revision = EngineRevision(tree.engine, named, read)
        self.progress = progress

    @cached_property
    def store(self) -> Store:
        """The cache."""
        return Store()

    @cached_property
    def facts(self) -> Facts:
        """What the survey keeps of the tree."""
        return survey(self.tree, self.store, self.progress)

    @cached_property
    def world(self) -> World:
        """The engine, linked."""
        from tracer.graph.world import World

        return World([(self.facts, self.target)])

    @cached_property
    def hops(self) -> Hops:
        """Its links, with those that earlier questions found."""
        from tracer.graph.edges import Edges
        from tracer.graph.hops import Hops
        from tracer.graph.uses import Uses

        return Hops(self.world.once(Uses).once(Edges), self.store.answer(self._links_key))

    def keep_links(self) -> None:
        """Keep the links that were found since."""
        packed = self.hops.pack() if "hops" in self.__dict__ else None
        if packed is not None:
            self.store.put_answer(self._links_key, packed)

    @property
    def _links_key(self) -> str:
        return answers.links_key([self.revision])

    def where(self, role: str, rules: tuple[Path, ...]) -> Trace:
        """The sites of a role ("all") by the rules for its version."""
        return stages.where_tree(
            role, self.target, self.version, self.tree, rules, self.store, self.progress, lambda: self.world
        )

    def side(self, role: str, rules: tuple[Path, ...], found: Trace) -> Side:
        """Its places, for the sites that were found."""
        return self.kept("side", role, rules, Side, lambda: side_of(self.tree, self.facts, found.sites))

    def kept(
        self, what: str, role: str, rules: tuple[Path, ...], kind: type[Answer], make: Callable[[], Answer]
    ) -> Answer:
        """The kept outcome of `what`, or what `make` makes, which is kept."""
        read = self.revision.revision
        names = (self.target.name, "pairs", "paths", "crossings", f"questions/{self.target.name}")
        digests = ":".join(answers.rules_digest(k, rules) for k in names)
        source = f"{self.target.name}:{self.version.name}:{read.digest}:{read.commit}"
        key = f"{what}:{role}:{source}:{digests}:{answers.code_digest()}"
        body = self.store.answer(key)
        if body is None:
            body = msgspec.msgpack.encode(make())
            self.store.put_answer(key, body)
        return msgspec.msgpack.decode(body, type=kind)
