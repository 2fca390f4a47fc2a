"""Invented sources for the tests of `checkout`: archives, repositories, and a package index on this machine."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tarfile
import threading
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tracer.targets import SourceSpec, Target, Version

FILES = {
    "toy/__init__.py": "",
    "toy/pool.py": "class Pool:\n    def put(self): ...\n",
    "toy/deep/er/x.pyi": "X: int\n",
    "toy/tests/test_pool.py": "def test(): ...\n",
    "csrc/pool.cu": "void put() {}\n",
}
OTHERS = {
    "README.md": "read me",
    "toy/data.json": "{}",
    "docs/conf.py": "x = 1",
    "tests/test_all.py": "",
    "toyish/y.py": "",
}
PYTHON_SUFFIXES = {"python": (".py", ".pyi"), "cpp": (".cpp", ".h", ".cu")}


def target(**changes: object) -> Target:
    given: dict[str, object] = {
        "name": "toy", "title": "Toy", "url": "https://example.org/toy", "roots": ("toy", "csrc"),
        "project": "toy-kv", "suffixes": PYTHON_SUFFIXES, "packages": {"": ""},
    }  # fmt: skip
    return Target(**{**given, **changes})  # type: ignore[arg-type]


def version(*sources: SourceSpec, **changes: str) -> Version:
    return Version(**{"name": "1.0", "tag": "v1.0", **changes}, sources=sources)  # type: ignore[arg-type]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pinned(path: Path, **changes: str) -> SourceSpec:
    return SourceSpec(**{"kind": "archive", "project": "toy-kv", "file": path.name, "sha256": sha256(path), **changes})


def sdist(
    path: Path, files: Mapping[str, str | bytes] = FILES, *members: tarfile.TarInfo, top: str = "toy-1.0/"
) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in {"PKG-INFO": "Name: toy", **files}.items():
            data = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(top + name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, size
    return info


def wheel(path: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**files, "toy-1.0.dist-info/METADATA": "Name: toy"}.items():
            archive.writestr(name, text)
    return path


def folder(path: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    for name, text in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def git(place: Path, *arguments: str) -> str:
    who = {f"GIT_{r}_{k}": v for r in ("AUTHOR", "COMMITTER") for k, v in (("NAME", "t"), ("EMAIL", "t@example.org"))}
    when = {"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}
    off = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", str(place), *arguments], env={**os.environ, **who, **when, **off}, check=True, capture_output=True
    )
    return done.stdout.decode().strip()


def repository(place: Path, files: Mapping[str, str | bytes] = FILES, tag: str = "v1.0") -> str:
    """A repository with one tagged commit, able to serve partial clones; returns the commit."""
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    git(place, "config", "uploadpack.allowFilter", "true")
    folder(place, {**OTHERS, **files})
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "all")
    git(place, "tag", "-a", "-m", "release", tag)
    return git(place, "rev-parse", "HEAD")


@dataclass
class Reply:
    """How the server answers for one path."""

    body: bytes
    kind: str = "application/octet-stream"
    status: int = 200
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)  # one answer each: the transfer breaks off after so many bytes
    stalls: list[int] = field(default_factory=list)  # the same, but the connection stays open in silence
    location: str = ""


class Server:
    """An HTTP server on 127.0.0.1 that remembers what it was asked."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.asked: list[tuple[str, str, str]] = []  # path, Range, Authorization
        self.over = threading.Event()
        world = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                world.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path, given = handler.path, handler.headers
        self.asked.append((path, given.get("Range", ""), given.get("Authorization", "")))
        reply = self.replies.get(path)
        if reply is None or reply.location or reply.status != 200:
            handler.send_response(302 if reply and reply.location else reply.status if reply else 404)
            if reply and reply.location:
                handler.send_header("Location", reply.location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        body, start, asked = reply.body, 0, given.get("Range", "")
        if asked and reply.ranges:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(body):
                handler.send_response(416)
                handler.send_header("Content-Length", "0")
                handler.end_headers()
                return
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            handler.send_response(200)
        rest = body[start:]
        handler.send_header("Content-Type", reply.kind)
        handler.send_header("Content-Length", str(len(rest)))
        handler.end_headers()
        end = reply.cuts.pop(0) if reply.cuts else reply.stalls[0] if reply.stalls else len(rest)
        handler.wfile.write(rest[:end])
        if end < len(rest):
            handler.wfile.flush()
            if reply.stalls:
                reply.stalls.pop(0)
                self.over.wait(120)
            handler.close_connection = True

    def index(self, project: str, *archives: Path, html: bool = False, **fields: object) -> None:
        """Offer `archives` as the files of `project`, on a page of PEP 691 or PEP 503."""
        files: list[dict[str, object]] = []
        for archive in archives:
            self.replies[f"/files/{archive.name}"] = Reply(archive.read_bytes())
            one = {
                "filename": archive.name,
                "url": f"../../files/{archive.name}",
                "hashes": {"sha256": sha256(archive)},
            }
            files.append({**one, "size": archive.stat().st_size, "upload-time": "2026-01-02T03:04:05Z", **fields})
        text = json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": files})
        kind = "application/vnd.pypi.simple.v1+json"
        if html:
            rows = "".join(f'<a href="../../files/{a.name}#sha256={sha256(a)}">{a.name}</a><br>' for a in archives)
            text, kind = f"<!DOCTYPE html><html><body>{rows}</body></html>", "text/html"
        self.replies[f"/simple/{project}/"] = Reply(text.encode(), kind)


def eventually(condition: object, seconds: float = 120) -> None:
    """Wait until `condition()` holds."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
