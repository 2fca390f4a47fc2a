"""Repository path patterns: a pattern matches a whole path or any tail of it (`sglang/srt/**` also in `python/`)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable


def path_matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether any of `patterns` matches `path` or a tail of it that starts at a folder border."""
    return any(_compiled(p).search(path) for p in patterns)


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    out = ["(?:^|/)"]
    i = 0
    pattern = pattern.removeprefix("./").lstrip("/")
    while i < len(pattern):
        if pattern.startswith("**/", i):
            out.append("(?:.*/)?")
            i += 3
        elif pattern.startswith("**", i):
            out.append(".*")
            i += 2
        else:
            ch = pattern[i]
            out.append("[^/]*" if ch == "*" else "[^/]" if ch == "?" else re.escape(ch))
            i += 1
    return re.compile("".join(out) + r"\Z")
