"""A package index: which files a project has, with address and sha256 (PEP 691, else PEP 503).

Takes a project's name; makes links. Knows nothing of engines; refuses to download.
"""

from __future__ import annotations

import html.parser
import json
import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from urllib3.exceptions import HTTPError

from tracer.checkout.web import UnreachableError, get, host_of, reason, settings, split_credentials
from tracer.errors import FetchError

_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_MAX_PAGE = 64 << 20


@dataclass(frozen=True, slots=True)
class Link:
    """A file on an index; `sha256` and `uploaded` may be unknown."""

    file: str
    url: str
    sha256: str = ""
    size: int = 0
    uploaded: str = ""
    yanked: bool = False


def listing(project: str) -> tuple[Link, ...]:
    """Every file of `project` on the indexes that pip is configured with; the first index that has a file wins."""
    links: dict[str, Link] = {}
    silent: UnreachableError | None = None
    answered = False
    for index in settings().indexes:
        try:
            page = _page(f"{index}/{re.sub(r'[-_.]+', '-', project).lower()}/")
        except UnreachableError as e:
            silent = silent or e
            continue
        answered = True
        for link in page:
            links.setdefault(link.file, link)
    if not answered:
        raise silent or UnreachableError("pip is configured without any web index", todo="set PIP_INDEX_URL")
    return tuple(links.values())


def find(project: str, file: str) -> Link:
    """The link of one file; `FetchError` if no index has it."""
    for link in listing(project):
        if link.file == file:
            return link
    todo = "set PIP_INDEX_URL to an index that has it, or give the file with --from"
    raise FetchError(f"{file} is not on {_indexes()}", todo=todo)


def _indexes() -> str:
    return " or ".join(host_of(i) for i in settings().indexes)


def _page(url: str) -> list[Link]:
    response = get(url, {"Accept": _ACCEPT})
    try:
        if response.status == 404:
            return []
        if response.status != 200:
            raise UnreachableError(f"answers {response.status}", where=host_of(url), todo="try again later")
        body = response.read(_MAX_PAGE + 1)
    except HTTPError as e:
        raise UnreachableError(f"the answer broke off ({reason(e)})", where=host_of(url)) from e
    finally:
        response.close()
    if len(body) > _MAX_PAGE:
        raise FetchError("the listing is too long", where=host_of(url), todo="set PIP_INDEX_URL to another index")
    base = urljoin(split_credentials(url)[0], response.url or "")
    try:
        text = body.decode("utf-8")
        if "json" in response.headers.get("Content-Type", ""):
            return [_signed(_of_json(f, base), url) for f in json.loads(text)["files"]]
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        todo = "set PIP_INDEX_URL to a package index"
        raise FetchError("the listing is not that of a package index", where=host_of(url), todo=todo) from e
    reader = _Anchors(base)
    reader.feed(text)
    return [_signed(link, url) for link in reader.links]


def _signed(link: Link, index: str) -> Link:
    """The link with the index's credentials, if it is on the same host."""
    bare, user = split_credentials(index)
    here, there = urlsplit(bare), urlsplit(link.url)
    if not user or (here.scheme, here.netloc) != (there.scheme, there.netloc):
        return link
    return replace(link, url=urlunsplit(there._replace(netloc=urlsplit(index).netloc)))


def _of_json(file: dict[str, Any], base: str) -> Link:
    sha256 = str(file.get("hashes", {}).get("sha256", "")).lower()
    size, uploaded = file.get("size"), file.get("upload-time")
    return Link(
        str(file["filename"]),
        urljoin(base, str(file["url"])),
        sha256,
        size if isinstance(size, int) else 0,
        str(uploaded or "")[:10],
        bool(file.get("yanked")),
    )


class _Anchors(html.parser.HTMLParser):
    """The anchors of a PEP 503 page."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base, self.links = base, list[Link]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        href = given.get("href")
        if tag == "base" and href:
            self.base = urljoin(self.base, href)
        if tag != "a" or not href:
            return
        url, _, fragment = urljoin(self.base, href).partition("#")
        file = unquote(urlsplit(url).path.rsplit("/", 1)[-1])
        sha256 = fragment.removeprefix("sha256=").lower() if fragment.startswith("sha256=") else ""
        self.links.append(Link(file, url, sha256, yanked="data-yanked" in given))
