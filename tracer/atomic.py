"""Files that are there whole or not at all, whatever ends the process that writes them: `kill -9`, a full disk.

Takes a place and bytes; makes the file in one step. What is being written has a name of its own and is held by a lock
that ends with its process, so that whoever comes next tells what was left over from what is being written.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

HALF = ".tracer-half"  # how the name of a file ends that is being written
_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK)  # of a file system that has none: nobody is kept out


def write(file: Path, data: str | bytes) -> None:
    """Write `file` in one step. `OSError` if it cannot be, and then an earlier one is as it was.

    A killed process leaves a file of a known name, which the next `write` of the same file, or `clear` of its folder,
    takes away. What is no regular file (a pipe, a terminal) is written as it comes.
    """
    body = data.encode() if isinstance(data, str) else data
    file = Path(os.path.realpath(file))  # a link stays one
    before = file.stat() if file.exists() else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        file.write_bytes(body)
        return
    half = file.with_name(f".{file.name}{HALF}")
    with alone(half) as handle:
        try:
            os.ftruncate(handle, 0)
            with os.fdopen(handle, "wb", closefd=False) as opened:
                opened.write(body)
            if before is not None:
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            half.replace(file)
        except BaseException:
            half.unlink(missing_ok=True)
            raise


def clear(folder: Path) -> None:
    """Take away what killed processes left half written in `folder` (not below it); what is being written stays."""
    for half in sorted(folder.glob(f".*{HALF}")):
        with contextlib.suppress(OSError), alone(half, wait=False):
            half.unlink()


@contextlib.contextmanager
def alone(lock: Path, *, wait: bool = True, waiting: Callable[[], None] | None = None) -> Iterator[int]:
    """Hold the file `lock` (made if need be), or a folder, against every other process; gives its handle.

    Without `wait`, `BlockingIOError` if another holds it; `waiting` is told before a wait. The system lets go when the
    process has ended, and each child to which the handle was left.
    """
    handle = _held(lock, _FOLDER if lock.is_dir() else _FILE, wait, waiting)
    try:
        yield handle
    finally:
        os.close(handle)


def _held(lock: Path, flags: int, wait: bool, waiting: Callable[[], None] | None) -> int:
    while True:
        handle = os.open(lock, flags | os.O_CLOEXEC, 0o666)
        try:
            if not _locked(handle):
                if not wait:
                    raise BlockingIOError(errno.EWOULDBLOCK, "another process holds it", str(lock))
                if waiting is not None:
                    waiting()
                fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_still(handle, lock):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # who held it before us has moved or removed it: there is another by now, or none


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True


def _is_still(handle: int, place: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), place.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """A fresh folder among the system's temporary ones, gone afterwards; those that killed processes left go first."""
    import tempfile  # it brings `random`, and few need it

    place = Path(tempfile.gettempdir())
    for left in sorted(place.glob(f"tracer-{kind}-*")):
        with contextlib.suppress(OSError):
            if not left.is_symlink() and left.is_dir() and left.stat().st_uid == os.getuid():
                with alone(left, wait=False):
                    shutil.rmtree(left)
    while True:
        made = Path(tempfile.mkdtemp(prefix=f"tracer-{kind}-", dir=place))
        try:
            handle = _held(made, _FOLDER, False, None)
        except OSError:
            continue  # another process took it for one that was left
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)
            os.close(handle)
        return


def is_room(error: OSError) -> bool:
    """Whether the place lacks room, or takes no larger file; neither its name nor its rights are to blame."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
