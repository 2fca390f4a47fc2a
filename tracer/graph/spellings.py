"""Access paths with local names written out: `per_tag[key]` is `self._staging[k][key]` where the local is bound so."""

from __future__ import annotations

from collections.abc import Iterator

from tracer.graph.world import World
from tracer.survey.facts import Access
from tracer.survey.paths import join, parts

ALIAS_DEPTH = 3


class Spellings:
    """Writes local aliases out."""

    def __init__(self, world: World) -> None:
        self.world = world

    def aliased(self, number: int, a: Access, aliases: set[tuple[int, str]], names: set[str]) -> bool:
        """Whether the access starts at one of `aliases`: (scope, local) bound to something that mentions the field."""
        root = next(iter(parts(a.target)), "")
        return root in names and any((s, root) in aliases for s in self.world.chain(number, a.scope))

    def spelt_out(self, number: int, scope: int, path: str) -> tuple[str, ...]:
        """`path`, and what it is when local names are written out (`x.done` → `self.api.poll().done`)."""
        out = [path]
        for _ in range(ALIAS_DEPTH):
            items = parts(out[-1])
            binds = self.world.view(number).binds.get((scope, items[0]), ()) if items else ()
            more = [b.value + join(items[1:]) for b in binds if b.value and b.value not in ("?", out[-1])]
            if not more or more[0] in out:
                break
            out += more
        return tuple(dict.fromkeys(out))

    def of(self, number: int, scope: int, path: str, field: str, depth: int = 0) -> Iterator[str]:
        """The path as written, then with local aliases written out."""
        yield path
        items = parts(path)
        if not items or depth >= ALIAS_DEPTH or items[0] in ("self", "this"):
            return
        for s in self.world.chain(number, scope):
            binds = self.world.view(number).binds.get((s, items[0]), ())
            for b in binds:
                if (b.value and b.value != path and field in b.value) or (
                    depth + 1 < ALIAS_DEPTH and b.value and "." in b.value
                ):
                    yield from self.of(number, s, b.value + join(items[1:]), field, depth + 1)
            if binds:
                return
