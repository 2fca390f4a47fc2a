"""What can be told of a repository without starting git: whether an address is safe, where a clone keeps its objects.

Takes an address or a folder; makes paths and object names out of plain files. Never reads a clone's configuration.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from urllib.parse import urlsplit

from tracer.checkout.selection import printable
from tracer.errors import UsageError

PROTOCOLS = ("https", "http", "ssh", "git", "file")
SHA = re.compile(r"[0-9a-f]{40}")
CUT = re.compile(r"[0-9a-f]{7,40}")


def check_url(url: str) -> None:
    """`UsageError` for an address that could run a program or be taken for an option."""
    scp = re.fullmatch(r"\w[\w.-]*@\w[\w.-]*:[^:-].*", url)
    try:
        parts = urlsplit(url)
        plain = parts.scheme in PROTOCOLS and "://" in url and not (parts.hostname or "").startswith("-")
    except ValueError:  # a host that is no host
        plain = False
    if "::" in url or not url.isprintable() or not (scp or plain):
        todo = f"use {', '.join(p + '://' for p in PROTOCOLS)}"
        raise UsageError(f"{printable(url)!r} is no address that git may use here", todo=todo)


def common_folder(place: Path) -> Path | None:
    """The folder with the objects of a clone, a work tree or a bare repository; None if `place` is none of them."""
    for folder in (place / ".git", place):
        if folder.is_file():  # a linked work tree, or a submodule
            with contextlib.suppress(OSError, UnicodeDecodeError):
                text = folder.read_text("utf-8").strip()
                if text.startswith("gitdir:"):
                    folder = (place / text.removeprefix("gitdir:").strip()).resolve()
        if (folder / "commondir").is_file():
            with contextlib.suppress(OSError, UnicodeDecodeError):
                folder = (folder / (folder / "commondir").read_text("utf-8").strip()).resolve()
        if (folder / "objects").is_dir() and (folder / "HEAD").exists():
            return folder
    return None


def tag_in(folder: Path, tag: str) -> str:
    """The object that a tag names, or "": read from the clone's files, as git would read its configuration too."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        loose = folder / "refs" / "tags" / tag
        if loose.is_file() and (m := SHA.fullmatch(loose.read_text("ascii").strip())):
            return m.group()
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (folder / "packed-refs").read_text("utf-8").splitlines():
            sha, _, name = line.partition(" ")
            if name == f"refs/tags/{tag}" and SHA.fullmatch(sha):
                return sha
    return ""
