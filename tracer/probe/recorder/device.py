"""Records events and streams of PyTorch: what is enqueued, recorded, waited for and seen complete, in order.

Runs in the engine's own interpreter beside the recorder; standard library only, and the `torch` that is there already.
`install(torch, write)` replaces the methods of torch's event and stream classes by ones that do the same and write:

    {"device": WHAT, "on": "cuda:0", "stream": S, "event": N, "times": G, "thread": T, "t": NS, "after": NS, …}

WHAT: copy · op (a compiled operator of the engine) · record · query (with `result`) · synchronize · wait_event ·
wait_stream · elapsed. `event` counts events, `times` how often it was recorded so far, since pools use events again.
`t` is before the call and `after` behind it, CLOCK_MONOTONIC. `on` is where the event lives: of one that lives on
`cpu` nothing is proven about a device, and readers must say so.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

MOST = 100_000  # rows of one process
_QUERIES = 1_000  # rows of queries that said no, of one event
_QUIET = ("aten", "prims", "prim", "profiler", "inductor")  # namespaces of torch's own operators

Write = Callable[[dict[str, Any]], None]


class Device:
    """The wrapped classes of one process; `undo` puts everything back."""

    def __init__(self, torch: Any, write: Write) -> None:
        self.torch, self._write = torch, write
        self._numbers, self._left = itertools.count(1), MOST
        self._undo: list[Callable[[], None]] = []
        self._inside = threading.local()  # a method that calls another one of ours is one thing that happened
        self._known: dict[int, tuple[Any, int, int]] = {}  # of events that take no attributes

    # -- life -------------------------------------------------------------------------
    def install(self) -> None:
        """Wrap what this build of torch has."""
        for name in ("cuda", "cpu", "xpu", "npu"):
            module = getattr(self.torch, name, None)
            self._events(getattr(module, "Event", None), name)
            self._streams(getattr(module, "Stream", None))
            for function in ("synchronize",):
                if hasattr(module, function):
                    self._replace(module, function, self._whole(getattr(module, function), name))
        self._subclass("Event")
        self._copies()

    def undo(self) -> None:
        """Put back what was replaced, last first."""
        while self._undo:
            self._undo.pop()()

    def _replace(self, holder: Any, name: str, new: Any) -> None:
        had = name in vars(holder)
        old = getattr(holder, name)
        try:
            setattr(holder, name, new)
        except (TypeError, AttributeError):  # a class written in C
            return
        self._undo.append(lambda: setattr(holder, name, old) if had else delattr(holder, name))

    def _subclass(self, name: str) -> None:
        """A class written in C is replaced by a subclass whose methods write."""
        base = getattr(self.torch, name, None)
        if not isinstance(base, type):
            return
        try:
            kind = type(name, (base,), {"__module__": base.__module__})
        except TypeError:
            return
        self._events(kind, "")
        self._replace(self.torch, name, kind)

    # -- events -----------------------------------------------------------------------
    def _events(self, kind: Any, where: str) -> None:
        if not isinstance(kind, type):
            return
        record = getattr(kind, "record", None)
        if record is not None:

            def recorded(event: Any, stream: Any = None) -> Any:
                number, times = self._count(event)
                given = () if stream is None else (stream,)
                on = self._place(event, where)
                return self._done(
                    {"device": "record", "on": on, "stream": self._stream(stream, on), "event": number, "times": times},
                    lambda: record(event, *given),
                )

            self._replace(kind, "record", recorded)
        for name, key in (("query", "query"), ("synchronize", "synchronize")):
            if hasattr(kind, name):
                self._replace(kind, name, self._observing(getattr(kind, name), key, where))
        wait = getattr(kind, "wait", None)
        if wait is not None:

            def waits(event: Any, stream: Any = None) -> Any:
                number, times = self._number(event)
                on = self._place(event, where)
                row = {"device": "wait_event", "on": on, "stream": self._stream(stream, on), "event": number}
                return self._done(
                    {**row, "times": times}, lambda: wait(event) if stream is None else wait(event, stream)
                )

            self._replace(kind, "wait", waits)
        elapsed = getattr(kind, "elapsed_time", None)
        if elapsed is not None:

            def took(event: Any, end: Any) -> Any:
                (number, times), (other, _) = self._number(event), self._number(end)
                row = {"device": "elapsed", "on": self._place(event, where), "event": number, "times": times}
                return self._done({**row, "until": other}, lambda: elapsed(event, end), result="milliseconds")

            self._replace(kind, "elapsed_time", took)

    def _observing(self, method: Any, key: str, where: str) -> Any:
        def observed(event: Any, *args: Any, **kwargs: Any) -> Any:
            number, times = self._number(event)
            row = {"device": key, "on": self._place(event, where), "event": number, "times": times}
            return self._done(row, lambda: method(event, *args, **kwargs), result="result" if key == "query" else "")

        return observed

    # -- streams ----------------------------------------------------------------------
    def _streams(self, kind: Any) -> None:
        if not isinstance(kind, type):
            return
        for name in ("wait_stream", "wait_event", "synchronize"):
            if name in vars(kind):
                self._replace(kind, name, self._on_stream(getattr(kind, name), name))

    def _on_stream(self, method: Any, name: str) -> Any:
        def wrapped(stream: Any, *args: Any, **kwargs: Any) -> Any:
            on = self._place(stream, "cpu")
            row: dict[str, Any] = {"device": name, "on": on, "stream": self._stream(stream, on)}
            other = args[0] if args else None
            if name == "wait_stream" and other is not None:
                row["other"] = self._stream(other, self._place(other, "cpu"))
            if name == "wait_event" and other is not None:
                row["event"], row["times"] = self._number(other)
            if name == "synchronize":
                row["device"] = "synchronize_stream"
            return self._done(row, lambda: method(stream, *args, **kwargs))

        return wrapped

    def _whole(self, function: Any, where: str) -> Any:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return self._done({"device": "synchronize_all", "on": where}, lambda: function(*args, **kwargs))

        return wrapped

    # -- copies -----------------------------------------------------------------------
    def _copies(self) -> None:
        """Copies between places, and operators that are not torch's own."""
        tensor = getattr(self.torch, "Tensor", None)
        copy = getattr(tensor, "copy_", None)
        if copy is not None:

            def copied(target: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
                if not hasattr(source, "device") or getattr(self._inside, "deep", False):
                    return copy(target, source, *args, **kwargs)
                here, there = str(source.device), str(target.device)
                on = there if there != "cpu" else here
                row = {"device": "copy", "from": here, "to": there, "on": on, "stream": self._stream(None, on)}
                row["bytes"] = target.numel() * target.element_size()
                return self._done(row, lambda: copy(target, source, *args, **kwargs))

            self._replace(tensor, "copy_", copied)
        packet = getattr(getattr(self.torch, "_ops", None), "OpOverloadPacket", None)
        call = vars(packet).get("__call__") if packet is not None else None
        if call is not None:

            def called(operator: Any, *args: Any, **kwargs: Any) -> Any:
                name = str(getattr(operator, "_qualified_op_name", ""))
                if not name or name.split("::", 1)[0] in _QUIET:
                    return call(operator, *args, **kwargs)
                on = next((str(a.device) for a in args if getattr(a, "is_cuda", False)), self._current())
                row = {"device": "op", "name": name, "on": on, "stream": self._stream(None, on)}
                return self._done(row, lambda: call(operator, *args, **kwargs))

            self._replace(packet, "__call__", called)

    # -- rows -------------------------------------------------------------------------
    def _done(self, row: dict[str, Any], do: Callable[[], Any], *, result: str = "") -> Any:
        """Do it and write that it was done, also if it raises; what it calls of ours is part of it."""
        if getattr(self._inside, "deep", False) or self._left <= 0:
            return do()
        self._inside.deep = True
        row["t"] = time.monotonic_ns()
        try:
            found = do()
        except BaseException as error:
            row["raised"] = type(error).__name__
            raise
        else:
            if result:
                row[result] = found
            return found
        finally:
            self._inside.deep = False
            row["after"] = time.monotonic_ns()
            row["thread"] = threading.current_thread().name
            self._left -= 1
            self._write(row if self._left else {"gap": f"more than {MOST} events and streams"})

    def _number(self, event: Any) -> tuple[int, int]:
        """(number, how often recorded) of an event."""
        found = getattr(event, "_tracer_event", None) or self._known.get(id(event), (None, 0, 0))[1:]
        if found[0]:
            return int(found[0]), int(found[1])
        return self._keep(event, next(self._numbers), 0)

    def _count(self, event: Any) -> tuple[int, int]:
        number, times = self._number(event)
        return self._keep(event, number, times + 1)

    def _keep(self, event: Any, number: int, times: int) -> tuple[int, int]:
        try:
            event._tracer_event = (number, times)
        except AttributeError:
            self._known[id(event)] = (event, number, times)  # kept alive, so that its id stays its own
        return number, times

    def _place(self, thing: Any, otherwise: str) -> str:
        device = getattr(thing, "device", None)
        return str(device) if device is not None else otherwise or "cpu"

    def _current(self) -> str:
        cuda = getattr(self.torch, "cuda", None)
        return f"cuda:{cuda.current_device()}" if cuda is not None and cuda.is_initialized() else "cpu"

    def _stream(self, stream: Any, on: str) -> str:
        """A stream by its number; the current one of a device where none is given."""
        if stream is None:
            module = getattr(self.torch, on.split(":", 1)[0], None)
            try:
                stream = module.current_stream() if module is not None else None
            except (RuntimeError, AssertionError):
                stream = None
        number = getattr(stream, "stream_id", None)
        if number is None:
            number = 0
        handle = getattr(stream, "cuda_stream", None)
        return f"{on}/{handle or number}"


def install(torch: Any, write: Write) -> Device:
    """Record what happens on the devices of this process from now on; `write` takes a row."""
    device = Device(torch, write)
    device.install()
    return device
