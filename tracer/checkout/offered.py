"""What a package index offers of an engine: which file holds most of a release's source, and the version made of it.

Takes links; makes versions. Asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.tags import parse_tag
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_version,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version as PackageVersion

from tracer.checkout.index import Link
from tracer.targets import SourceSpec, Target, Version


def release_of(wanted: str) -> str:
    """The release that a version or a tag spells, as file names spell it."""
    bare = wanted[1:] if re.match(r"[vV]\d", wanted) else wanted
    return canonicalize_version(bare, strip_trailing_zero=False)


def links_by_version(links: Iterable[Link]) -> dict[str, list[Link]]:
    """The files of a project by the version in their name."""
    found: dict[str, list[Link]] = {}
    for link in links:
        try:
            parsed: PackageVersion
            if link.file.endswith(".whl"):
                parsed = parse_wheel_filename(link.file)[1]
            else:
                parsed = parse_sdist_filename(link.file)[1]
        except (InvalidSdistFilename, InvalidWheelFilename):
            continue
        found.setdefault(str(parsed), []).append(link)
    return found


def best_of(links: list[Link]) -> Link | None:
    """The archive with the most source: an sdist, else a wheel for any machine, else one for Linux; with a sha256."""

    def rank(link: Link) -> tuple[int, int, str]:
        if not link.file.endswith(".whl"):
            return (0, 0, link.file)
        platforms = {t.platform for t in parse_tag("-".join(link.file[:-4].split("-")[-3:]))}
        if "any" in platforms:
            return (1, 0, link.file)
        linux = any("linux" in p and "x86_64" in p for p in platforms)
        return (2 if linux else 3, -("cp312" in link.file), link.file)

    usable = [link for link in links if re.fullmatch(r"[0-9a-f]{64}", link.sha256)]
    return min(usable, key=rank, default=None)


def from_archive(found: Target, wanted: str, link: Link) -> Version:
    """A version out of the repository, and out of this file of the index."""
    package = release_of(wanted)
    git = SourceSpec("git", url=found.url + ".git")
    archive = SourceSpec("archive", project=found.project, file=link.file, sha256=link.sha256, lacks=found.lacks)
    tag = found.tags.format(version=package)
    return Version(package, tag, "", package, link.uploaded, (git, archive))
