"""Who runs a function that is handed over: a thread, a task, another process, or whoever was given it.

Takes the calls that carry functions and lambdas. A lambda belongs to the function that holds it, so what it calls is
reached from there, in the way that its taker runs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracer.graph.calls import Calls
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Arg, Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

# Library calls that run what they are given, and what is crossed by that.
STARTERS = {
    "Thread": "thread",
    "Timer": "thread",
    "Process": "process",
    "submit": "thread",
    "run_in_executor": "thread",
    "to_thread": "thread",
    "create_task": "async",
    "ensure_future": "async",
    "run_coroutine_threadsafe": "async",
    "gather": "async",
    "call_soon_threadsafe": "thread",
    "call_soon": "async",
    "call_later": "async",
    "add_done_callback": "callback",
    "thread": "thread",
    "jthread": "thread",
    "async": "thread",
    "post": "async",
    "spawn": "async",
    "start_soon": "async",
    "apply_async": "thread",
    "enqueue": "thread",
    "register_forward_hook": "callback",
}
_CPP = {"post": "thread", "dispatch": "thread", "schedule": "thread", "execute": "thread", "co_spawn": "async"}
_STORES = ("emplace_back", "push_back", "emplace", "make_unique", "make_shared")  # of threads, made in place
_ON_STREAM = re.compile(r"launch_?host_?func|stream_?add_?callback", re.IGNORECASE)  # of device runtimes, macros too
_PARTIAL = frozenset({"bind", "bind_front", "partial", "partialmethod"})
_ON_THREAD = ("thread", "process", "async")
BELOW = 2  # lines that a lambda may start below the name it is bound to
NEAR = 3  # calls within one class from a thread's entry to what runs on it


class Threads:
    """Tells how functions handed over are run in one world."""

    def __init__(self, calls: Calls) -> None:
        self.calls, self.world, self.types = calls, calls.world, calls.types

    # -- what a call does with a function it is given ---------------------------------
    def kind(self, number: int, call: Call) -> str:
        """How `call` runs the functions among its arguments; "callback" where it is only known to keep or call them."""
        name = last_part(call.callee.split("<", 1)[0])
        if _ON_STREAM.search(name):
            return "device"
        if not self.world.view(number).python:
            if name in _STORES and self._of_threads(number, call, name):
                return "thread"
            found = _CPP.get(name) or STARTERS.get(name)
            return found or self._around(number, call, name) or "callback"
        return STARTERS.get(name) or self._around(number, call, name) or "callback"

    def _around(self, number: int, call: Call, name: str) -> str:
        """`bind` and `partial` make a function; what is done with it says how it runs."""
        if name not in _PARTIAL:
            return ""
        made = [
            c
            for c in self.world.view(number).calls.get(call.scope, ())
            if c is not call
            and c.line <= call.line <= call.last <= c.last
            and any(name + "(" in a.text for a in c.args)
        ]
        return self.kind(number, min(made, key=lambda c: c.last - c.line)) if made else ""

    def _of_threads(self, number: int, call: Call, name: str) -> bool:
        if name.startswith("make_"):
            return "thread" in call.callee.partition("<")[2]
        made = self.types.element_of(self.types.of(number, call.scope, join(parts(call.callee)[:-1])))
        return any(t.kind == "ext" and str(t.ref).rsplit(".", 1)[-1] in ("thread", "jthread", "future") for t in made)

    # -- lambdas ----------------------------------------------------------------------
    def of_lambda(self, number: int, call: Call) -> tuple[str, ...]:
        """How the lambdas around `call` are run, strong crossings alone if any; () if the function runs them itself."""
        kinds: list[str] = []
        line, seen = call.inside, set()
        while line and line not in seen:
            seen.add(line)
            name = self._name(number, call.scope, line)
            taker = self._taker(number, call.scope, line, name)
            if taker is None:
                kinds += self._kept(number, call.scope, line)
                break
            if taker.callee != name and self._takes(number, taker):
                kinds.append(self.kind(number, taker))
            line = taker.inside
        strong = [k for k in kinds if k in _ON_THREAD]
        return tuple(dict.fromkeys(strong or kinds))

    def _takes(self, number: int, taker: Call) -> bool:
        """Whether the taker is more than an algorithm of the library that calls its argument at once."""
        name = last_part(taker.callee.split("<", 1)[0])
        if name in STARTERS:
            return True
        if self.world.view(number).python:
            return any(isinstance(t.to, Sym) for t in self.calls.targets(number, taker))
        return not taker.callee.startswith(("std::", "absl::")) or name in _CPP or name in _STORES

    def _name(self, number: int, scope: int, line: int) -> str:
        """The local that the lambda which starts in `line` is bound to; "" if none."""
        bound = [b for b in self.world.view(number).facts.binds if b.scope == scope and b.value == "#lambda"]
        above = [b for b in bound if 0 <= line - b.line <= BELOW]
        return max(above, key=lambda b: b.line).name if above else ""

    def _taker(self, number: int, scope: int, line: int, name: str) -> Call | None:
        """The call that is given the lambda which starts in `line`, directly or by `name`, or that calls it."""
        calls = [c for c in self.world.view(number).calls.get(scope, ()) if c.inside != line]
        direct = [c for c in calls if c.line <= line <= c.last and any(a.path == "#lambda" for a in c.args)]
        if direct:
            return min(direct, key=lambda c: (c.last - c.line, -c.line))
        below = [c for c in calls if c.line >= line] if name else []
        given = [c for c in below if any(a.path == name for a in c.args)] or [c for c in below if c.callee == name]
        return min(given, key=lambda c: c.line, default=None)

    def _kept(self, number: int, scope: int, line: int) -> list[str]:
        """A lambda that is stored in a field is called back later."""
        stored = self.world.view(number).accesses.get(scope, ())
        return ["callback"] if any(a.value == "#lambda" and a.line <= line <= a.last for a in stored) else []

    # -- where a function runs ------------------------------------------------------------
    @kept
    def on_thread(self, sym: Sym) -> bool:
        """Whether `sym` is the body of a thread, task or process, or is called by one within its own class."""
        seen, level = {sym}, [sym]
        for nearer in range(NEAR, -1, -1):
            if any(self._starts(s) for s in level):
                return True
            if not nearer:
                break
            if any(self._called_in_lambda(s) for s in level):
                return True
            level = list(dict.fromkeys(c for s in level for c in self._own_callers(s) if c not in seen))
            seen.update(level)
        return False

    @kept
    def _called_in_lambda(self, sym: Sym) -> bool:
        """Whether a thread, task or process runs a lambda that calls `sym`."""
        inside = (site for site in self.calls.callers(sym) if site.call.inside)
        return any(k in _ON_THREAD for site in inside for k in self.of_lambda(site.file, site.call))

    @kept
    def _own_callers(self, sym: Sym) -> tuple[Sym, ...]:
        """The functions of its own class that call `sym`."""
        owner = self.world.owner(sym)
        sites = self.calls.callers(sym) if owner is not None else ()
        callers = dict.fromkeys(Sym(s.file, self.world.function_of(s.file, s.call.scope)) for s in sites)
        return tuple(c for c in callers if c.index >= 0 and self.world.owner(c) == owner)

    @kept
    def _starts(self, sym: Sym) -> bool:
        """Whether a thread, task or process is started with `sym`, or it is the `run` of a thread class."""
        owner = self.world.owner(sym)
        if owner is not None and self.world.name(sym) == "run" and self.world.view(sym.file).python:
            bases = [b for c in self.world.mro(owner) if (d := self.world.definition(c)) for b in d.bases]
            if any(last_part(b) in ("Thread", "Process") for b in bases):
                return True
        return any(self.kind(n, c) in _ON_THREAD for n, c, _ in self.handed(sym))

    @kept
    def handed(self, sym: Sym) -> tuple[tuple[int, Call, Arg], ...]:
        """The calls that are given `sym` as an argument."""
        name = self.world.name(sym)
        out = []
        for number in self.world.files_with("u", name) if name else ():
            for call, _, arg in self.world.view(number).given.get(name, ()):
                if sym in self.meant(number, call, arg):
                    out.append((number, call, arg))
        return tuple(out)

    def started(self, number: int, call: Call) -> Iterator[Sym]:
        """What runs when `call` starts a thread or process that was made before: `self.worker.start()`."""
        items = parts(call.callee)
        if items[-1:] != (".start",) or not 2 <= len(items) <= 3 or not self.world.view(number).python:
            return
        for file, made in self._made(number, call.scope, items[:-1]):
            for arg in made.args:
                for to in self.meant(file, made, arg):
                    yield to
                    owner = self.world.owner(to)
                    for sub in self.world.subclasses(owner) if owner is not None else ():
                        yield from self.world.methods(sub, self.world.name(to))[:1]

    def _made(self, number: int, scope: int, items: tuple[str, ...]) -> Iterator[tuple[int, Call]]:
        """The calls that make the thread which a local or a field of the class holds."""
        bound: list[tuple[int, int, int, str]] = []
        if len(items) == 1:
            own = self.world.view(number).binds
            binds = (b for s in self.world.chain(number, scope) for b in own.get((s, items[0]), ()))
            bound = [(number, b.scope, b.line, b.value) for b in binds]
        elif items[0] == "self":
            function = Sym(number, self.world.function_of(number, scope))
            owner = self.world.owner(function) if function.index >= 0 else None
            for cls in self.world.mro(owner) if owner is not None else ():
                view = self.world.view(cls.file)
                fields = view.fields.get((cls.index, items[1].removeprefix(".")), ())
                bound += [(cls.file, view.scope_at(f.line), f.line, f.value) for f in fields]
        for file, where, line, value in bound:
            if STARTERS.get(last_part(value.removesuffix("()"))) in ("thread", "process"):
                calls = self.world.view(file).calls.get(where, ())
                near = [c for c in calls if c.callee == value.removesuffix("()") and c.line >= line]
                yield from ((file, c) for c in sorted(near, key=lambda c: c.line)[:1])

    def meant(self, number: int, call: Call, arg: Arg) -> Iterator[Sym]:
        """The functions that an argument names."""
        path = self._named(number, call, arg)
        for t in self.types.of(number, call.scope, path) if path else ():
            if t.kind == "fn" and isinstance(t.ref, Sym):
                yield t.ref

    def overriding(self, number: int, call: Call, arg: Arg) -> Iterator[Sym]:
        """The methods that may run in place of the one an argument names: `create_task(self.tier.put(key))`."""
        path = self._named(number, call, arg)
        if "." not in path:
            return
        named = set(self.meant(number, call, arg))
        for t in self.calls.callees(number, call.scope, path) if named else ():
            if isinstance(t.to, Sym) and t.basis == "inherited" and t.to not in named:
                yield t.to

    def _named(self, number: int, call: Call, arg: Arg) -> str:
        """The path by which an argument may name a function; a coroutine is named by what makes it. "" if none."""
        path = arg.path
        if path.endswith("()") and self.kind(number, call) in _ON_THREAD:
            path = path.removesuffix("()")
        return "" if not path or path[0] in "#?<" or path.endswith("()") else path

