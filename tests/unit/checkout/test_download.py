from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import urllib3

from tests.unit.checkout.sources import Reply, Server
from tracer.checkout import download as module
from tracer.checkout import web
from tracer.checkout.download import download
from tracer.checkout.listener import Listener
from tracer.checkout.web import UnreachableError
from tracer.errors import CacheError, FetchError

BODY = bytes(i * 31 % 251 for i in range(300_000))
SHA = hashlib.sha256(BODY).hexdigest()
PART = f"{SHA[:32]}.part"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "READ", 1.0)


def bring(server: Server, folder: Path, listener: Listener | None = None) -> bytes:
    return download(f"{server.url}/f", SHA, folder, folder / "f.whl", listener or Listener()).read_bytes()


def test_a_file_is_downloaded_and_verified(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY)
    steps: list[tuple[str, int, int]] = []
    assert bring(server, tmp_path / "d", Listener(lambda *step: steps.append(step))) == BODY
    assert [p.name for p in (tmp_path / "d").iterdir()] == ["f.whl"]
    assert steps[-1] == ("downloading f.whl", len(BODY), len(BODY))
    assert [done for _, done, _ in steps] == sorted(done for _, done, _ in steps)


def test_a_part_of_an_earlier_run_is_gone_on_with(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY)
    (tmp_path / PART).write_bytes(BODY[:100_000])
    steps: list[int] = []
    assert bring(server, tmp_path, Listener(lambda what, done, total: steps.append(done))) == BODY
    assert server.asked == [("/f", "bytes=100000-", "")]
    assert min(steps) > 100_000


def test_a_server_without_ranges_sends_all_of_it_again(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY, ranges=False)
    (tmp_path / PART).write_bytes(BODY[:100_000])
    assert bring(server, tmp_path) == BODY


def test_a_transfer_that_breaks_off_is_resumed_where_it_was(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY, cuts=[50_000, 60_000])
    assert bring(server, tmp_path) == BODY
    assert [r for _, r, _ in server.asked] == ["", "bytes=50000-", "bytes=110000-"]


@pytest.mark.usefixtures("impatient")
def test_a_transfer_that_stalls_is_resumed(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY, stalls=[50_000])
    assert bring(server, tmp_path) == BODY
    assert [r for _, r, _ in server.asked] == ["", "bytes=32768-"]


@pytest.mark.usefixtures("impatient")
def test_a_transfer_that_always_stalls_ends_with_what_to_do_and_keeps_the_part(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY, stalls=[40_000] * 9)
    with pytest.raises(
        UnreachableError, match=r"the transfer broke off .* run the command again: it goes on after 131,072"
    ):
        bring(server, tmp_path)
    assert (tmp_path / PART).read_bytes() == BODY[:131_072]
    server.replies["/f"] = Reply(BODY)
    assert bring(server, tmp_path) == BODY
    assert server.asked[-1][1] == "bytes=131072-"


def test_wrong_content_is_refused_and_nothing_is_kept(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY[:-1] + b"!")
    with pytest.raises(FetchError, match=rf"f\.whl: has sha256 [0-9a-f]{{16}}…, the pin says {SHA[:16]}… — ") as e:
        bring(server, tmp_path)
    assert not isinstance(e.value, UnreachableError)
    assert list(tmp_path.iterdir()) == []
    assert len(server.asked) == 1


def test_a_damaged_part_is_thrown_away_and_the_file_fetched_anew(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY)
    for part in (b"damaged", b"?" * len(BODY), b"?" * (len(BODY) + 5)):
        (tmp_path / PART).write_bytes(part)
        assert bring(server, tmp_path) == BODY
        (tmp_path / "f.whl").unlink()


def test_a_part_that_is_already_whole_needs_no_more_bytes(server: Server, tmp_path: Path) -> None:
    server.replies["/f"] = Reply(BODY)
    (tmp_path / PART).write_bytes(BODY)
    assert bring(server, tmp_path) == BODY


def test_a_file_that_is_not_there_is_one_line(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"downloading f\.whl: 127\.0\.0\.1 answers 404 — try another index"):
        bring(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_end_is_given_up(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DOWNLOAD", 200_000)
    monkeypatch.setattr(module, "_CHUNK", 1000)
    server.replies["/f"] = Reply(BODY)
    with pytest.raises(FetchError, match="is larger than"):
        bring(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_is_not_there_is_not_waited_for_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.time, "sleep", lambda s: pytest.fail("it slept"))
    with pytest.raises(UnreachableError, match="cannot be reached"):
        download("http://127.0.0.1:9/f", SHA, tmp_path, tmp_path / "f.whl", Listener())


def test_a_full_disk_is_one_line(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.replies["/f"] = Reply(BODY)

    def full(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(urllib3.HTTPResponse, "stream", full)
    with pytest.raises(CacheError, match="No space left on device"):
        bring(server, tmp_path)
