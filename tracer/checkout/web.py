"""HTTP as the user's pip does it: index, proxy, certificates; with time-outs that end.

Takes pip's configuration (environment, then its files); makes index addresses and answers to requests. Credentials in
an address are sent, never shown. Refuses to know what is asked for.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import sys
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import platformdirs
import urllib3
from urllib3.exceptions import HTTPError, MaxRetryError

from tracer.errors import FetchError

CONNECT = 5.0  # seconds until a host counts as unreachable
READ = 30.0  # seconds without a byte until a transfer counts as stalled
_DEFAULT = "https://pypi.org/simple"


class UnreachableError(FetchError):
    """The host does not answer: another source may still serve."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What pip is configured with, as far as a download needs it."""

    indexes: tuple[str, ...]
    certificates: str = ""
    proxy: str = ""


@lru_cache(maxsize=1)
def settings() -> Settings:
    """pip's settings: its configuration files, overruled by `PIP_…` in the environment."""
    values = _pip_values()
    for key in ("index-url", "extra-index-url", "cert", "proxy", "no-index"):
        if value := os.environ.get("PIP_" + key.upper().replace("-", "_")):
            values[key] = value
    indexes = [values.get("index-url") or _DEFAULT, *values.get("extra-index-url", "").split()]
    if values.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        indexes = []
    return Settings(
        tuple(dict.fromkeys(i.rstrip("/") for i in indexes if urlsplit(i).scheme in ("http", "https"))),
        values.get("cert") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE", ""),
        values.get("proxy", ""),
    )


def get(url: str, headers: Mapping[str, str] | None = None) -> urllib3.BaseHTTPResponse:
    """The answer to a GET, its body not yet read; `UnreachableError` when there is none, whatever the reason."""
    bare, user = split_credentials(url)
    sent = {"User-Agent": "kv-tracer", "Accept-Encoding": "identity", **(headers or {})}
    if user:
        sent |= urllib3.make_headers(basic_auth=user)
    try:
        return _pool(_proxy_for(bare)).request("GET", bare, headers=sent, preload_content=False)
    except HTTPError as e:
        raise UnreachableError(f"cannot be reached ({reason(e)})", where=host_of(bare)) from e


def reason(error: BaseException) -> str:
    """An HTTP error in few words."""
    cause = error.reason if isinstance(error, MaxRetryError) and error.reason else error
    text = " ".join(str(cause).split()).rsplit(": ", 1)[-1]
    return text[:160] or type(cause).__name__


def split_credentials(url: str) -> tuple[str, str]:
    """The address without its credentials, and those (`user:password`, or "")."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=host)), unquote(user) if at else ""


def host_of(url: str) -> str:
    """The host of an address, for messages."""
    return urlsplit(url).hostname or url


def proxy_of(url: str) -> str:
    """The proxy that a request to `url` goes through, or ""."""
    return _proxy_for(split_credentials(url)[0])


def _proxy_for(url: str) -> str:
    if settings().proxy:
        return settings().proxy
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all") or ""


@lru_cache(maxsize=8)
def _pool(proxy: str) -> urllib3.PoolManager:
    timeout = urllib3.Timeout(connect=CONNECT, read=READ)
    retries = urllib3.Retry(total=5, connect=1, read=1, redirect=5, status=2, status_forcelist=(502, 503, 504))
    certificates = settings().certificates or None
    if certificates and not Path(certificates).exists():
        todo = "mend PIP_CERT, SSL_CERT_FILE or pip's `cert` setting"
        raise FetchError("the certificates' file does not exist", where=certificates, todo=todo)
    folder = bool(certificates) and Path(certificates or "").is_dir()
    tls: dict[str, Any] = {"ca_cert_dir" if folder else "ca_certs": certificates} if certificates else {}
    if not proxy:
        return urllib3.PoolManager(timeout=timeout, retries=retries, **tls)
    bare, user = split_credentials(proxy if "://" in proxy else f"http://{proxy}")
    headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
    return urllib3.ProxyManager(bare, proxy_headers=headers, timeout=timeout, retries=retries, **tls)


def _pip_files() -> list[Path]:
    """Where pip looks for its configuration, the later overruling the earlier: system, user, environment, named."""
    named = os.environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return []
    name = "pip.ini" if os.name == "nt" else "pip.conf"
    system = [Path(p) / name for p in platformdirs.site_config_dir("pip", False, multipath=True).split(os.pathsep)]
    user = [Path("~/.pip", name).expanduser(), Path(platformdirs.user_config_dir("pip", False)) / name]
    return [*system[::-1], Path("/etc", name), *user, Path(sys.prefix, name), *([Path(named)] if named else [])]


def _pip_values() -> dict[str, str]:
    """The values that a download may need; what cannot be read counts as empty."""
    values: dict[str, str] = {}
    for file in _pip_files():
        parser = configparser.RawConfigParser()
        with contextlib.suppress(OSError, UnicodeDecodeError, configparser.Error):
            parser.read_string(file.read_text("utf-8"))
        for section in ("global", "install", "download"):
            if parser.has_section(section):
                values |= {k.replace("_", "-"): v for k, v in parser.items(section)}
    return values
