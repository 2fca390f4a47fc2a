"""Where things lie: what the package ships, and the user's cache and configuration directories.

Takes a kind (`targets`, `rules`, `reports`) or nothing; makes a path that exists. Knows nothing of what the files say.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from tracer.errors import CacheError, TracerError

KINDS = ("targets", "rules", "reports")
_PACKAGE = Path(__file__).resolve().parent


def shipped(kind: str) -> Path:
    """The folder of shipped `kind` files: `tracer/shipped/<kind>` in a wheel, the repository's own in a checkout."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not one of {', '.join(KINDS)}")
    for base in (_PACKAGE / "shipped", _PACKAGE.parent):
        if (base / kind).is_dir():
            return base / kind
    raise TracerError(f"the installation lacks its {kind}/ folder", todo="install kv-tracer again")


def cache_dir(*, write: bool = True) -> Path:
    """The cache directory (`TRACER_CACHE_DIR`, else the system's place for it).

    With `write` it is created when absent, and `CacheError` says so in one line if nothing can be written there.
    A caller that only reads passes `write=False`, so that a prepared cache may be read-only.
    """
    place = Path(os.environ.get("TRACER_CACHE_DIR") or platformdirs.user_cache_dir("tracer")).expanduser().absolute()
    if write:
        ensure_writable(place, "TRACER_CACHE_DIR")
    return place


def config_dir(*, write: bool = False) -> Path:
    """The user's configuration directory (`TRACER_CONFIG_DIR`, else the system's place for it)."""
    place = Path(os.environ.get("TRACER_CONFIG_DIR") or platformdirs.user_config_dir("tracer")).expanduser().absolute()
    if write:
        ensure_writable(place, "TRACER_CONFIG_DIR")
    return place


def ensure_writable(place: Path, variable: str) -> None:
    """Create the folder `place` if needed; `CacheError` names `variable` as the way out when it cannot be written."""
    todo = f"set {variable} to a directory that you can write"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise CacheError(f"cannot be created ({e.strerror or e})", where=str(place), todo=todo) from e
    if not os.access(place, os.W_OK | os.X_OK):
        raise CacheError("cannot be written", where=str(place), todo=todo)
