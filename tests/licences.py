"""What Tracer installs and under which licences: `python -m tests.licences > .ci/THIRD_PARTY.md` writes the table.

Reads the metadata of the installed packages, from our own requirements on; knows no network.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OURS = "kv-tracer"
EXTRAS = ("", "mcp", "probe", "dask", "scip")
PYTHONS = ("3.11", "3.12", "3.13")
ELSEWHERE = {"pyyaml-ft": "MIT"}  # needed on another Python than the one that makes the table
# What a program under Apache-2.0 may ask pip to install beside it; another one wants a look.
GOOD = re.compile(r"MIT|BSD|Apache|MPL-2\.0|EPL-2\.0|OFL-1\.1|ISC|PSF|Public Domain|Unlicense", re.IGNORECASE)


def closure(extra: str = "") -> dict[str, str]:
    """Every package that `kv-tracer[extra]` installs, by name → its licence; those that are not here are left out."""
    found: dict[str, str] = {}
    waiting = [(OURS, frozenset({extra} if extra else ()))]
    seen = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            metadata = distribution(name)
        except PackageNotFoundError:
            found |= {name: ELSEWHERE[name]} if name in ELSEWHERE else {}
            continue
        if name != OURS:
            found[name] = licence(name)
        for text in metadata.requires or ():
            need = Requirement(text)
            if _wanted(need, extras):
                waiting.append((canonicalize_name(need.name), frozenset(need.extras)))
    return dict(sorted(found.items()))


def _wanted(need: Requirement, extras: frozenset[str]) -> bool:
    """Whether some supported Python needs it."""
    return need.marker is None or any(
        need.marker.evaluate({"extra": extra, "python_version": version, "python_full_version": f"{version}.0"})
        for extra in (extras or {""})
        for version in PYTHONS
    )


def licence(name: str) -> str:
    """What a package says of its licence: the SPDX expression, else its classifiers, else its first line."""
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    metadata = distribution(name).metadata
    said = metadata.get("License-Expression")
    if said:
        return said
    classifiers = [c.rpartition(" :: ")[2] for c in metadata.get_all("Classifier") or () if c.startswith("License ::")]
    named = [c for c in classifiers if c != "OSI Approved"]
    return ", ".join(named) or (metadata.get("License") or "").strip().partition("\n")[0] or "unknown"


def good(said: str) -> bool:
    """Whether every licence that `said` demands is one of those; of alternatives one is enough."""
    return all(any(GOOD.search(one) for one in part.split(" OR ")) for part in re.split(r" AND |, ", said))


def table() -> Iterator[str]:
    """The Markdown page."""
    yield "# Packages that Tracer installs\n"
    yield "None of them is part of Tracer's packages; pip brings them."
    yield "Made by `python -m tests.licences > .ci/THIRD_PARTY.md`.\n"
    yield "| package | licence | needed by |"
    yield "|---|---|---|"
    needed = {extra: closure(extra) for extra in EXTRAS}
    for name in sorted(set().union(*needed.values())):
        by = [f"`{OURS}`" if not extra else f"`{OURS}[{extra}]`" for extra in EXTRAS if name in needed[extra]]
        yield f"| {name} | {licence(name)} | {by[0]} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")
