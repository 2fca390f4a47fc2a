"""Fields of several objects that hold the same thing, because it was given from one to the other.

`Worker(queue=self.queue)` and, there, `self.inbox = queue`: what is put into the one is taken from the other. Takes a
field, gives the fields that share its object: one step up to who gave it, and down to whom it was given.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracer.graph.aliases import Aliases, Key
from tracer.graph.calls import Calls
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Arg, Call
from tracer.survey.paths import parts

PASSED_ON = 2  # functions that hand a parameter on
MANY = 8  # a thing given to more objects is a service of the process, not the two ends of something


class Sharing:
    """Finds fields that share an object, in one world."""

    def __init__(self, calls: Calls, aliases: Aliases) -> None:
        self.calls, self.world, self.aliases = calls, calls.world, aliases

    @kept
    def same(self, key: Key) -> tuple[Key, ...]:
        """The field itself and those that share its object; only itself where too many do."""
        origins = self._given_by(key)
        down = [k for o in (key, *origins) for k in self._given_to(o)]
        found = tuple(dict.fromkeys((key, *origins, *down)))
        return found if len(found) <= MANY else (key,)

    @kept
    def _given_to(self, key: Key) -> tuple[Key, ...]:
        """The fields of objects that are made with, or given, what the field holds."""
        out: dict[Key, None] = {}
        for number in self.world.files_with("u", key[1]):
            view = self.world.view(number)
            for call, k, arg in view.given.get(key[1], ()) if view.python and not self.world.context(number) else ():
                if arg.path.endswith("." + key[1]) and key in self.aliases.keys(number, call.scope, arg.path):
                    out |= dict.fromkeys(self._kept(number, call, k, arg))
        return tuple(k for k in out if k != key)

    def _kept(self, number: int, call: Call, position: int, arg: Arg, depth: int = PASSED_ON) -> Iterator[Key]:
        """The fields in which the function called, or one that it passes it on to, keeps its argument."""
        for t in self.calls.targets(number, call)[:MANY]:
            d = self.world.definition(t.to) if isinstance(t.to, Sym) else None
            if d is None or not isinstance(t.to, Sym):
                continue
            if d.kind == "class":  # a record, made from its fields
                yield from self._field_of(t.to, position, arg)
            if d.kind != "function":
                continue
            names = [p.name for p in d.params]
            at = position + (self.world.owner(t.to) is not None and "static" not in d.flags)
            name = arg.keyword or (names[at] if at < len(names) else "")
            if name not in names:
                continue
            view = self.world.view(t.to.file)
            for a in view.accesses.get(t.to.index, ()):
                if a.op == "write" and a.value == name:
                    yield from self.aliases.keys(t.to.file, t.to.index, a.target)
            for inner in view.calls.get(t.to.index, ()) if depth else ():
                for k, given in enumerate(inner.args):
                    if given.path == name:
                        yield from self._kept(t.to.file, inner, k, given, depth - 1)

    def _field_of(self, cls: Sym, position: int, arg: Arg) -> Iterator[Key]:
        own = [f.name for f in self.world.view(cls.file).facts.fields if f.owner == cls.index]
        name = arg.keyword or (own[position] if position < len(own) else "")
        if name in own:
            yield self.aliases.declarer(cls, name), name

    def _given_by(self, key: Key) -> tuple[Key, ...]:
        """The fields that hold what the field's own constructor was given."""
        cls, field = key
        view = self.world.view(cls.file)
        out: dict[Key, None] = {}
        for f in view.fields.get((cls.index, field), ()) if view.python else ():
            if f.where != "init" or not f.value.isidentifier():
                continue
            maker = Sym(cls.file, view.scope_at(f.line))
            d = view.definition(maker.index)
            at = next((i for i, p in enumerate(d.params) if p.name == f.value), -1) if d else -1
            if at <= 0:
                continue
            for site in self.calls.callers(maker):
                for k, arg in enumerate(site.call.args):
                    if (arg.keyword == f.value or (not arg.keyword and k == at - 1)) and len(parts(arg.path)) > 1:
                        out |= dict.fromkeys(self.aliases.keys(site.file, site.call.scope, arg.path))
        return tuple(k for k in out if k != key)
