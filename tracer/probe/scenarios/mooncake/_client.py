"""One client process of a scenario: takes calls over a Unix socket, a JSON object a line.

`python _client.py SOCKET [engine]`: the store, or the transfer engine alone. Each call is
{"call": METHOD, "args": [...]}; the answer {"value": ...} or {"error": ...}.
Bytes travel as {"size": N, "fill": B}: N bytes of value B, or {"mixed": [B, ...]} where they are not all the same.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

BLOCK = 65536


def outgoing(value: Any) -> Any:
    """What is sent for a value that the store returned."""
    if isinstance(value, bytes):
        kinds = sorted(set(value[::BLOCK]) | set(value[-1:]))
        if len(kinds) > 1 or (value and value.count(kinds[0]) != len(value)):
            return {"size": len(value), "mixed": sorted(set(value))[:8]}
        return {"size": len(value), "fill": kinds[0] if kinds else 0}
    if isinstance(value, (list, tuple)):
        return [outgoing(v) for v in value]
    return value if isinstance(value, (int, float, str, bool, type(None), dict)) else repr(value)


def incoming(value: Any) -> Any:
    """What is handed to the store for an argument that was sent."""
    if isinstance(value, dict) and "fill" in value:
        return bytes([value["fill"]]) * int(value["size"])
    return [incoming(v) for v in value] if isinstance(value, list) else value


def client() -> Any:
    """A client of the store."""
    from mooncake import store

    return store.MooncakeDistributedStore()


def engine() -> Any:
    """A transfer engine, with memory of its own to transfer."""
    import ctypes

    from mooncake import engine

    class Engine(engine.TransferEngine):  # type: ignore[misc,name-defined,unused-ignore]
        kept: list[Any] = []  # noqa: RUF012

        def memory(self, size: int, fill: int) -> int:
            """Registered memory; its address."""
            part = ctypes.create_string_buffer(bytes([fill]) * size, size)
            self.kept.append(part)
            if self.register_memory(ctypes.addressof(part), size) != 0:
                raise RuntimeError("the memory is not registered")
            return ctypes.addressof(part)

        def look(self, address: int, size: int) -> bytes:
            """What lies there now."""
            return ctypes.string_at(address, size)

    return Engine()


def main() -> None:
    """Serve calls until the socket is closed."""
    recorder = sys.modules.get("_tracer_recorder")
    if recorder is not None:
        recorder.phase("run")
    here = socket.socket(socket.AF_UNIX)
    here.connect(sys.argv[1])
    stream = here.makefile("rw", encoding="utf-8")

    def say(row: dict[str, Any]) -> None:
        stream.write(json.dumps(row) + "\n")
        stream.flush()

    say({"pid": os.getpid()})
    store = engine() if sys.argv[2:] == ["engine"] else client()
    for line in stream:
        asked = json.loads(line)
        try:
            found = getattr(store, asked["call"])(*[incoming(a) for a in asked["args"]])
            say({"value": outgoing(found)})
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
