from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.unit.checkout.sources import Reply, Server
from tracer.checkout import web
from tracer.checkout.web import Settings, UnreachableError, get, settings, split_credentials
from tracer.errors import FetchError


def configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str = "", **environment: str) -> Settings:
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    (tmp_path / "pip.conf").write_text(text)
    real = web._pip_files
    monkeypatch.setenv("PIP_CONFIG_FILE", "")
    # none of this machine's own files but the one that is named, which comes last
    monkeypatch.setattr(web, "_pip_files", lambda: [tmp_path / "pip.conf", *(p for p in real() if p.name == "named")])
    for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return settings()


def test_without_any_setting_the_public_index_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configured(monkeypatch, tmp_path) == Settings(("https://pypi.org/simple",))


def test_pips_file_is_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "[global]\nindex-url = https://a.example/simple/\ncert = /a/ca.pem\nproxy = http://p:1\n"
        "[install]\nextra-index-url =\n  https://b.example/s\n  file:///srv/simple\n  https://a.example/simple\n"
    )
    found = configured(monkeypatch, tmp_path, text)
    assert found == Settings(("https://a.example/simple", "https://b.example/s"), "/a/ca.pem", "http://p:1")


def test_the_environment_overrules_pips_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[global]\nindex-url = https://a.example/simple\ncert = /a/ca.pem\n"
    env = {"PIP_INDEX_URL": "https://c.example/simple", "PIP_CERT": "/c/ca.pem", "SSL_CERT_FILE": "/d/ca.pem"}
    assert configured(monkeypatch, tmp_path, text, **env) == Settings(("https://c.example/simple",), "/c/ca.pem")


def test_a_file_that_is_named_overrules_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named").write_text("[global]\nindex-url = https://n.example/simple\n")
    text = "[global]\nindex-url = https://a.example/simple\n"
    assert configured(monkeypatch, tmp_path, text, PIP_CONFIG_FILE=str(tmp_path / "named")).indexes == (
        "https://n.example/simple",
    )


@pytest.mark.parametrize("text", ["no section\n", "[global]\nindex-url", "[global]\n\udcff"])
def test_a_spoilt_file_of_pip_counts_as_empty(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named").write_bytes(text.encode("utf-8", "surrogateescape"))
    found = configured(monkeypatch, tmp_path, PIP_CONFIG_FILE=str(tmp_path / "named"))
    assert found.indexes == ("https://pypi.org/simple",)


def test_pip_may_be_told_to_use_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configured(monkeypatch, tmp_path, PIP_NO_INDEX="1").indexes == ()


def test_certificates_that_do_not_exist_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CERT", str(tmp_path / "none.pem"))
    with pytest.raises(FetchError, match=r"none\.pem: the certificates' file does not exist — mend PIP_CERT"):
        get("https://example.org/")


def test_credentials_are_sent_and_taken_out_of_the_address(server: Server) -> None:
    server.replies["/x"] = Reply(b"ok")
    url = server.url.replace("http://", "http://user:p%40ss@") + "/x"
    assert split_credentials(url) == (f"{server.url}/x", "user:p@ss")
    assert get(url).read() == b"ok"
    assert server.asked == [("/x", "", "Basic " + base64.b64encode(b"user:p@ss").decode())]


def test_a_proxy_of_the_environment_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.replies["http://away.example/x"] = Reply(b"by proxy")
    monkeypatch.setenv("http_proxy", server.url)
    assert get("http://away.example/x").read() == b"by proxy"
    assert web.proxy_of("http://away.example/x") == server.url
    monkeypatch.setenv("no_proxy", "away.example")
    assert web.proxy_of("http://away.example/x") == ""


def test_a_host_that_is_not_there_is_one_line() -> None:
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1: cannot be reached \(.*refused") as e:
        get("http://user:secret@127.0.0.1:9/x")
    assert str(e.value).isprintable()
    assert "secret" not in str(e.value)
