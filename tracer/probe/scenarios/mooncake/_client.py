"""One client process of a scenario: takes calls over a Unix socket, a JSON object a line.

`python _client.py SOCKET`. Each call is {"call": METHOD, "args": [...]}; the answer {"value": ...} or {"error": ...}.
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
    from mooncake import store as module

    store = module.MooncakeDistributedStore()
    for line in stream:
        asked = json.loads(line)
        try:
            found = getattr(store, asked["call"])(*[incoming(a) for a in asked["args"]])
            say({"value": outgoing(found)})
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
