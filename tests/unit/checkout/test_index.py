from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tests.unit.checkout.sources import Reply, Server
from tracer.checkout import index, web
from tracer.checkout.index import Link, find, listing
from tracer.checkout.web import UnreachableError
from tracer.errors import FetchError


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return sources.sdist(tmp_path / "toy_kv-1.0.tar.gz")


@pytest.mark.parametrize("html", [False, True])
def test_a_page_of_json_or_html_gives_the_same_link(html: bool, server: Server, archive: Path) -> None:
    server.index("toy-kv", archive, html=html)
    link = find("toy-kv", archive.name)
    assert (link.url, link.sha256) == (f"{server.url}/files/{archive.name}", sources.sha256(archive))
    if not html:
        assert (link.size, link.uploaded, link.yanked) == (archive.stat().st_size, "2026-01-02", False)


def test_a_projects_name_is_normalised(server: Server, archive: Path) -> None:
    server.index("toy-kv", archive)
    assert listing("Toy_._KV")[0].file == archive.name


def test_a_base_and_odd_anchors_are_understood(server: Server) -> None:
    page = (
        '<base href="/other/"><a>none</a><a href="a%2Bb-1.whl#md5=12">x</a>'
        '<a href="c-1.tar.gz#sha256=ABC" data-yanked="bad">y</a>'
    )
    server.replies["/simple/toy/"] = Reply(page.encode(), "text/html")
    assert listing("toy") == (
        Link("a+b-1.whl", f"{server.url}/other/a%2Bb-1.whl"),
        Link("c-1.tar.gz", f"{server.url}/other/c-1.tar.gz", "abc", yanked=True),
    )


def test_the_first_index_that_has_a_file_wins(server: Server, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.index("toy-kv", archive)
    extra = (
        '{"files": [{"filename": "toy_kv-1.0.tar.gz", "url": "bad"}, {"filename": "toy_kv-2.0.tar.gz", "url": "n"}]}'
    )
    server.replies["/extra/toy-kv/"] = Reply(extra.encode(), "application/json")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"http://127.0.0.1:9/gone {server.url}/extra")
    assert [(li.file, li.url) for li in listing("toy-kv")] == [
        ("toy_kv-1.0.tar.gz", f"{server.url}/files/toy_kv-1.0.tar.gz"),
        ("toy_kv-2.0.tar.gz", f"{server.url}/extra/toy-kv/n"),
    ]


def test_a_redirect_is_followed_and_links_are_relative_to_its_end(server: Server, archive: Path) -> None:
    server.index("toy-kv", archive)
    server.replies["/moved/simple/toy-kv/"] = server.replies.pop("/simple/toy-kv/")
    server.replies["/simple/toy-kv/"] = Reply(b"", location=f"{server.url}/moved/simple/toy-kv/")
    assert listing("toy-kv")[0].url == f"{server.url}/moved/files/{archive.name}"


def test_an_indexs_credentials_go_with_its_own_links_only(
    server: Server, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.index("toy-kv", archive)
    page = server.replies["/simple/toy-kv/"]
    page.body = page.body.replace(b"]}", b', {"filename": "b-1.whl", "url": "http://cdn.example/b-1.whl"}]}')
    monkeypatch.setenv("PIP_INDEX_URL", server.url.replace("http://", "http://me:pw@") + "/simple")
    own, other = (link.url for link in listing("toy-kv"))
    assert own == server.url.replace("http://", "http://me:pw@") + f"/files/{archive.name}"
    assert other == "http://cdn.example/b-1.whl"


def test_a_file_that_no_index_has_says_what_to_do(server: Server, archive: Path) -> None:
    server.index("toy-kv", archive)
    with pytest.raises(FetchError, match=r"other\.whl is not on 127\.0\.0\.1 — set PIP_INDEX_URL") as e:
        find("toy-kv", "other.whl")
    assert not isinstance(e.value, UnreachableError)
    with pytest.raises(FetchError, match="is not on"):
        find("no-such-project", "other.whl")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'{"files": [{}]}', "application/json"),
        (b"\xff", "text/html"),
    ],
)
def test_a_page_that_is_no_listing_is_one_line(body: bytes, kind: str, server: Server) -> None:
    server.replies["/simple/toy/"] = Reply(body, kind)
    with pytest.raises(FetchError, match="the listing is not that of a package index — set PIP_INDEX_URL"):
        listing("toy")


def test_an_index_out_of_order_or_out_of_reach_counts_as_unreachable(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.replies["/simple/toy/"] = Reply(b"", status=500)
    with pytest.raises(UnreachableError, match="answers 500"):
        listing("toy")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    web.settings.cache_clear()
    with pytest.raises(UnreachableError, match="cannot be reached"):
        listing("toy")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    web.settings.cache_clear()
    with pytest.raises(UnreachableError, match="without any web index"):
        listing("toy")


def test_a_listing_that_breaks_off_or_never_ends_is_one_line(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.replies["/simple/toy/"] = Reply(b'{"files": []}' + b" " * 1000, "application/json", cuts=[500])
    with pytest.raises(UnreachableError, match="the answer broke off"):
        listing("toy")
    monkeypatch.setattr(index, "_MAX_PAGE", 500)
    with pytest.raises(FetchError, match="the listing is too long"):
        listing("toy")
