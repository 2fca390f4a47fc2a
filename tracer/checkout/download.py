"""One file from the web into the cache: resumed where it broke off, and verified.

Takes an address and the sha256 that the pin names; makes a file of just that content, or nothing. A `.part` file is
what a later run resumes; it never counts as the file, and one process at a time adds to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import urllib3
from urllib3.exceptions import HTTPError

from tracer import atomic
from tracer.checkout.listener import Listener
from tracer.checkout.store import writing
from tracer.checkout.web import UnreachableError, get, host_of, reason
from tracer.errors import FetchError

MAX_DOWNLOAD = 1 << 30
_CHUNK = 1 << 15  # what a stall can lose
_TRIES = 4
_PAUSE = 0.5  # seconds before trying again; doubled each time


def download(url: str, sha256: str, folder: Path, file: Path, listener: Listener, size: int = 0) -> Path:
    """The file at `url`, put at `file`, which is given back; `folder` keeps the part between runs."""
    name = file.name
    with _alone_with(folder / f"{sha256[:32]}.part", name, listener) as part:
        for attempt in (1, 2):
            resumed = part.is_file()
            _complete(url, part, f"downloading {name}", listener, size)
            with part.open("rb") as f:
                actual = hashlib.file_digest(f, "sha256").hexdigest()
            if actual == sha256:
                with writing(file):
                    return part.rename(file)
            part.unlink(missing_ok=True)
            if not resumed or attempt == 2:  # a part from an earlier run may itself have been the damaged one
                break
    todo = "the file was replaced or damaged on the way; try another index (PIP_INDEX_URL) or source"
    raise FetchError(f"has sha256 {actual[:16]}…, the pin says {sha256[:16]}…", where=name, todo=todo)


@contextlib.contextmanager
def _alone_with(part: Path, name: str, listener: Listener) -> Iterator[Path]:
    """Hold a part, whichever versions it is fetched for: two processes that add to one file spoil it."""
    lock = part.with_suffix(".lock")
    with contextlib.ExitStack() as held:
        with writing(part.parent):
            part.parent.mkdir(parents=True, exist_ok=True)
            waiting = f"waiting: another process is downloading {name}"
            held.enter_context(atomic.alone(lock, waiting=lambda: listener.note(waiting)))
        held.callback(lock.unlink, missing_ok=True)
        yield part


def _complete(url: str, part: Path, what: str, listener: Listener, size: int) -> None:
    """Append to `part` until the server says that it is whole."""
    last = UnreachableError("no answer", where=host_of(url))
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE * 2 ** (attempt - 1))
        before = part.stat().st_size if part.is_file() else 0
        try:
            _append(url, part, what, listener, size)
            return
        except UnreachableError as e:
            last = e
            if not before and not part.is_file():
                raise  # nothing ever came: the host is not there, and waiting does not help
    held = part.stat().st_size if part.is_file() else 0
    todo = f"run the command again: it goes on after {held:,} bytes"
    raise UnreachableError(last.what, where=last.where, todo=todo) from last


def _append(url: str, part: Path, what: str, listener: Listener, size: int) -> None:
    have = part.stat().st_size if part.is_file() else 0
    response = get(url, {"Range": f"bytes={have}-"} if have else None)
    try:
        if response.status == 416:  # nothing after what we have: whole, or not of this file; the digest tells
            return
        if response.status not in (200, 206):
            todo = "try another index (PIP_INDEX_URL) or source"
            raise FetchError(f"{host_of(url)} answers {response.status}", where=what, todo=todo)
        if response.status == 206 and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            part.unlink(missing_ok=True)
            raise UnreachableError("answers with another part than asked for", where=host_of(url))
        start = have if response.status == 206 else 0
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdigit() else size
        _write(response, part, start, total, what, listener)
    except (HTTPError, OSError) as e:
        if isinstance(e, OSError) and not isinstance(e, TimeoutError | ConnectionError):
            with writing(part):
                raise
        raise UnreachableError(f"the transfer broke off ({reason(e)})", where=host_of(url)) from e
    finally:
        response.close()


def _write(
    response: urllib3.BaseHTTPResponse, part: Path, start: int, total: int, what: str, listener: Listener
) -> None:
    done = start
    with part.open("ab" if start else "wb") as f:
        for chunk in response.stream(_CHUNK, decode_content=False):
            f.write(chunk)
            done += len(chunk)
            if done > MAX_DOWNLOAD:
                part.unlink()  # there is nothing to go on with
                raise FetchError(f"is larger than {MAX_DOWNLOAD >> 30} GiB", where=what, todo="take another source")
            listener.step(what, done, total)
