"""Hand-offs: A puts into a container that B takes from, joined by the field that holds it.

Takes what is done to fields, directly, through a local, or through a function that is given the field. A queue joins
threads (or tasks, or processes, by its type); another container is shared state, and a thread's if a thread drains it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracer.graph.aliases import Aliases, Key, whole
from tracer.graph.annotations import Types_
from tracer.graph.sharing import Sharing
from tracer.graph.threads import Threads
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Arg, Call, Definition
from tracer.survey.paths import join, parts

FILL = frozenset({"insert", "augment+"})
DRAIN = frozenset({"remove", "clear"})
MANY = 24  # a state filled or drained in more functions than this joins nobody in particular
_QUEUES = ("Queue", "SimpleQueue", "PriorityQueue", "LifoQueue", "JoinableQueue")
_TAKES = frozenset({"get", "get_nowait", "async_get"})
_WAITING = frozenset({"block", "timeout"})  # what a queue's `get` takes, and a map's does not


class Hand(NamedTuple):
    """A function fills or drains a field, in `line` of `file`."""

    key: Key
    function: Sym
    file: int
    line: int


class Given(NamedTuple):
    """A call gives `path` to `function`, which a thread runs (`far`) or the call itself, and which does `ops` to it."""

    function: Sym
    path: str
    far: bool
    ops: tuple[frozenset[str], ...]


class Handoffs:
    """Joins fillers and drainers in one world."""

    def __init__(self, uses: Uses, threads: Threads) -> None:
        self.uses, self.world, self.types, self.threads = uses, uses.world, uses.types, threads
        self.aliases = Aliases(uses.types)
        self.sharing = Sharing(uses.calls, self.aliases)

    def from_function(self, sym: Sym) -> Iterator[tuple[Sym, Sym, str, int, int]]:
        """(source, target, kind, file, line) of every hand-off whose filler is `sym`."""
        if self.world.context(sym.file):
            return
        scopes = self._scopes(sym.file, sym.index)
        for hand in dict.fromkeys(h for s in scopes for h in self._hands(sym.file, s, FILL) if h.function == sym):
            for key in self.aliases.carried((hand.key,)):
                drainers = self.drainers(key)
                for to in drainers if len(drainers) <= MANY else ():
                    if to != sym:
                        yield from ((sym, to, kind, hand.file, hand.line) for kind in self.kinds(key, to))

    def _scopes(self, number: int, index: int) -> list[int]:
        """The scopes whose code belongs to function `index`: itself and classes in it (-1: the module's)."""
        return [index, *self._classes_in(number).get(index, ())]

    @kept
    def _classes_in(self, number: int) -> dict[int, list[int]]:
        out: dict[int, list[int]] = {}
        for i, d in enumerate(self.world.view(number).facts.definitions):
            if d.kind in ("class", "enum"):
                out.setdefault(self.world.function_of(number, i), []).append(i)
        return out

    @kept
    def drainers(self, key: Key) -> tuple[Sym, ...]:
        """The functions of live code that take from the field."""
        found = (f for k in self.sharing.same(key) for f in self._who(k, DRAIN))
        return tuple(dict.fromkeys(found))

    def into(self, sym: Sym) -> Iterator[Sym]:
        """The functions that fill what `sym` drains."""
        for scope in self._scopes(sym.file, sym.index):
            for hand in self._hands(sym.file, scope, DRAIN):
                yield from self._who(hand.key, FILL)

    def _who(self, key: Key, ops: frozenset[str]) -> tuple[Sym, ...]:
        return self._by_field(key[1], ops).get(key, ())

    @kept
    def _by_field(self, name: str, ops: frozenset[str]) -> dict[Key, tuple[Sym, ...]]:
        """The fields of this name, each with the functions of live code that fill (or drain) it."""
        out: dict[Key, dict[Sym, None]] = {}
        for number in self.world.files_with("u", name):
            if self.world.context(number):
                continue
            for scope in self.world.view(number).spelling.get(name, ()):
                for hand in self._hands(number, scope, ops):
                    if hand.key[1] == name:
                        out.setdefault(hand.key, {})[hand.function] = None
        return {key: tuple(functions) for key, functions in out.items()}

    # -- what a function does to fields ------------------------------------------------
    @kept
    def _hands(self, number: int, scope: int, ops: frozenset[str]) -> tuple[Hand, ...]:
        """Every field that the code of `scope` fills (or drains), by itself or through what it calls."""
        view = self.world.view(number)
        function = Sym(number, self.world.function_of(number, scope))
        out: list[Hand] = []
        for a in view.accesses.get(scope, ()):
            if a.op in ops:
                out += [Hand(k, function, number, a.line) for k in self.aliases.keys(number, scope, a.target)]
        through = self._through(number, scope)
        for at, call in enumerate(view.calls.get(scope, ())):
            if ops is DRAIN and self._takes(number, call):
                path = join(parts(call.callee)[:-1])
                out += [Hand(k, function, number, call.line) for k in self.aliases.keys(number, scope, path)]
            for to, path, far, does in through.get(at, ()):
                if ops in does:
                    keys = self.aliases.keys(number, scope, path)
                    out += [Hand(k, to if far else function, number, call.line) for k in keys]
                    if ops is DRAIN and not far:  # whoever takes from what it is given
                        out += [Hand(k, to, number, call.line) for k in keys]
            if ops is DRAIN and parts(call.callee)[-1:] == (".swap",):  # a buffer swapped for an empty one
                out += [
                    Hand(k, function, number, call.line)
                    for a in call.args
                    if a.path and a.path[0] not in "#?<" and not a.path.endswith("()")
                    for k in self.aliases.keys(number, scope, a.path)
                ]
        return tuple(dict.fromkeys(out))

    def _takes(self, number: int, call: Call) -> bool:
        """`q.get(timeout=1)`: told from a map's `get` by its arguments, and by the queue's type."""
        items = parts(call.callee)
        if len(items) < 2 or items[-1][1:] not in _TAKES or not self.world.view(number).python:
            return False
        if any(
            (not a.keyword and a.path not in ("#bool", "#float")) or a.keyword not in ("", *_WAITING) for a in call.args
        ):
            return False
        return self._is_queue(self.types.of(number, call.scope, join(items[:-1]))) is not None

    @kept
    def _through(self, number: int, scope: int) -> dict[int, list[Given]]:
        """The calls of `scope`, by their place, that give something away to a function that fills or drains it."""
        out: dict[int, list[Given]] = {}
        for at, call in enumerate(self.world.view(number).calls.get(scope, ())):
            found = list(self._passed(number, call)) if call.args else []
            if found:
                out[at] = found
        return out

    def _passed(self, number: int, call: Call) -> Iterator[Given]:
        """What a call gives to functions that fill or drain it, run by a thread or at once."""
        started = next((a.text for a in call.args if a.keyword == "args" and a.path == "#tuple"), "")
        if started:
            given = [Arg("", t, t) for t in _elements(started)]
            for arg in call.args:
                for to in self.threads.meant(number, call, arg):
                    yield from self._placed(to, given, far=True)
        elif any(a.path and a.path[0] not in "#?<" and not a.path.endswith("()") for a in call.args):
            for target in self.uses.calls.targets(number, call)[:8]:
                if isinstance(target.to, Sym):
                    yield from self._placed(target.to, call.args, far=False)

    def _placed(self, to: Sym, args: Sequence[Arg], *, far: bool) -> Iterator[Given]:
        """Each argument that `to` fills or drains."""
        does = self._does(to)
        d = self.world.definition(to) if does else None
        if d is None:
            return
        shift = 1 if self._bound(to, d) else 0
        for k, arg in enumerate(args):
            at = next((i for i, p in enumerate(d.params) if p.name == arg.keyword), -1) if arg.keyword else k + shift
            if at in does and not d.params[at].kind:
                yield Given(to, arg.path, far, does[at])

    def _bound(self, to: Sym, d: Definition) -> bool:
        return self.world.view(to.file).python and self.world.owner(to) is not None and "static" not in d.flags

    @kept
    def _does(self, function: Sym) -> dict[int, tuple[frozenset[str], ...]]:
        """Which of its parameters, by position, `function` fills or drains, and which of both."""
        d = self.world.definition(function)
        if d is None or d.kind != "function" or not d.params:
            return {}
        view = self.world.view(function.file)
        own = {p.name for p in d.params}
        changed: dict[str, set[str]] = {}
        for a in view.accesses.get(function.index, ()):
            items = whole(a.target) if a.op in FILL or a.op in DRAIN else ()
            if len(items) == 1 and items[0] in own:
                changed.setdefault(items[0], set()).add(a.op)
        taken = set()
        for c in view.calls.get(function.index, ()):
            items = parts(c.callee)
            if items[0] in own and items[-1][1:] in _TAKES:
                taken.add(items[0])
        out: dict[int, tuple[frozenset[str], ...]] = {}
        for at, p in enumerate(d.params):
            if p.name not in changed and p.name not in taken:
                continue
            if any(b.value for b in view.binds.get((function.index, p.name), ())):
                continue
            ops = changed.get(p.name, set())
            drains = bool(ops & DRAIN) or (
                p.name in taken and self._is_queue(self.types.of(function.file, function.index, p.name)) is not None
            )
            does = (*((FILL,) if ops & FILL else ()), *((DRAIN,) if drains else ()))
            if does:
                out[at] = does
        return out

    # -- kinds ------------------------------------------------------------------------------
    def kinds(self, key: Key, drainer: Sym) -> tuple[str, ...]:
        """What is crossed through the field: by its type if it is a queue, else by who drains it."""
        queue = self._is_queue(self.types.attribute_of(key[0], key[1]))
        if queue is not None:
            return (queue,) if self._blocks(drainer) else (queue, "state")
        return ("state", "thread") if self.threads.on_thread(drainer) else ("state",)

    def _blocks(self, drainer: Sym) -> bool:
        """Whether the function waits for what it takes, and does not only look whether there is something."""
        called = {parts(c.callee)[-1] for c in self.world.view(drainer.file).calls.get(drainer.index, ()) if c.callee}
        return ".get_nowait" not in called or bool(called & {".get", ".wait", ".poll"})

    def _is_queue(self, types: Types_) -> str | None:
        """Which border a queue of this type crosses; None if it is none. A container of queues is one."""
        for t in types:
            if t.kind == "ext":
                ref = str(t.ref)
                if ref.rsplit(".", 1)[-1] in _QUEUES:
                    return (
                        "async"
                        if "asyncio" in ref
                        else "process"
                        if ref.startswith(("multiprocessing", "mp"))
                        else "thread"
                    )
                for union in t.args:
                    found = self._is_queue(union)
                    if found:
                        return found
            elif t.kind == "obj" and isinstance(t.ref, Sym) and "Queue" in self.world.name(t.ref):
                return "thread"
        return None


def _elements(text: str) -> list[str]:
    """The elements of a tuple's text, up to the first that is no plain path (the text may be cut off)."""
    out = []
    for part in text.strip("()").split(","):
        part = part.strip()
        if not part or not all(bit.isidentifier() for bit in part.replace("[", ".").replace("]", "").split(".")):
            break
        out.append(part)
    return out
