"""Whether a host answers at all, found out within seconds.

Takes an address; returns, or raises `UnreachableError`. A verdict holds for the life of the process, so that four
engines on one silent host cost one wait.
"""

from __future__ import annotations

import socket
import threading
import time
from functools import lru_cache
from urllib.parse import urlsplit

from tracer.checkout.web import CONNECT, UnreachableError, proxy_of

_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


def reachable(url: str) -> None:
    """Return if a connection to the host of `url` can be made; a proxy or a local file is left to its own user."""
    parts = urlsplit(url)
    if parts.scheme == "file" or (parts.scheme in ("http", "https") and proxy_of(url)):
        return
    host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme, 22)
    if not parts.scheme or not host:  # user@host:path
        host, port = url.partition(":")[0].rpartition("@")[2], 22
    if why := _connects(host, port):
        raise UnreachableError(f"cannot be reached ({why})", where=host)


@lru_cache(maxsize=64)
def _connects(host: str, port: int) -> str:
    """Why no connection can be made, or "". Name look-up has no time-out of its own, so it runs beside."""
    verdict = [f"no connection within {CONNECT:.0f} s"]
    done = threading.Event()

    def attempt() -> None:
        end = time.monotonic() + CONNECT
        try:
            for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                left = end - time.monotonic()
                if left <= 0:
                    return
                with socket.socket(family, kind, protocol) as s:
                    s.settimeout(max(left / 2, 0.5))
                    try:
                        s.connect(address)
                    except OSError as e:
                        verdict[0] = (e.strerror or str(e) or type(e).__name__).lower()
                        continue
                verdict[0] = ""
                return
        except OSError as e:
            verdict[0] = (e.strerror or str(e)).lower()
        finally:
            done.set()

    threading.Thread(target=attempt, daemon=True).start()
    done.wait(CONNECT)
    return verdict[0]
