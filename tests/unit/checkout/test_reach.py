from __future__ import annotations

import socket
import threading
import time

import pytest

from tests.unit.checkout.sources import Server
from tracer.checkout import reach
from tracer.checkout.reach import reachable
from tracer.checkout.web import UnreachableError


def test_a_host_that_answers_is_reachable(server: Server) -> None:
    reachable(server.url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/r", "ssh://git@127.0.0.1:9/r", "git://127.0.0.1:9/r"])
def test_a_host_that_refuses_is_not(url: str) -> None:
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1: cannot be reached \(connection refused\)"):
        reachable(url)


def test_a_name_look_up_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: over.wait(120) and [])
    monkeypatch.setattr(reach, "CONNECT", 0.2)
    start = time.monotonic()
    with pytest.raises(UnreachableError, match="no connection within"):
        reachable("https://example.org/r")
    assert time.monotonic() - start < 60
    over.set()


def test_a_silent_host_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def getaddrinfo(host: str, port: int, **options: object) -> list[object]:
        asked.append((host, port))
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for _ in range(3):
        with pytest.raises(UnreachableError, match="name or service not known"):
            reachable("git@example.org:o/r.git")
    assert asked == [("example.org", 22)]


def test_the_second_address_of_a_host_is_tried(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(server.url.rpartition(":")[2])
    two = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", p)) for p in (9, port)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: two)
    reachable("https://example.org/r")


def test_files_and_proxies_are_left_to_those_who_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: pytest.fail("it asked"))
    reachable("file:///srv/r")
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    reachable("https://example.org/r")
