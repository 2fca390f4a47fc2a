"""The first target file of an engine that nobody has described: drafted from its newest archive on the package index.

Takes a name and a project; makes a file among the user's own targets, to be read and corrected by a person. Looks only
at the names in the archive and at its metadata; nothing is unpacked.
"""

from __future__ import annotations

import email.parser
import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from packaging.version import Version as PackageVersion

from tracer import atomic
from tracer.checkout.download import download
from tracer.checkout.index import Link, listing
from tracer.checkout.listener import Listener
from tracer.checkout.offered import best_of, links_by_version
from tracer.checkout.selection import MAX_MEMBERS
from tracer.errors import UsageError
from tracer.targets import changing, check_user_file, names, user_file

_SUFFIXES = {"python": (".py", ".pyi"), "cpp": (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".cuh", ".cu")}
_ASIDE = re.compile(r"(tests?|docs?|examples?|bench\w*|scripts|tools|\.\w.*|.*\.(dist-info|egg-info|data))$")
_METADATA = 1 << 20
_CONTEXT = {"mock": ["**/mock_*", "**/mock.py"], "test": ["**/tests/**", "**/test_*"]}
_HEAD = """\
# Drafted from {file}; read it before you rely on it: url and tags lead to the permalinks, roots say what counts.
# by_name: asked only where it is named; take it out when there are rules for the roles that matter.
"""


def draft(name: str, project: str, url: str, listener: Listener) -> Path:
    """Write the target file of `name`; gives its path. `UsageError` where the name is taken or nothing can be read."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise UsageError(f"{name!r} is no engine's name", todo="take small letters, digits, - and _")
    if name in names():
        todo = f"`tracer targets add {name} VERSION` pins another version"
        raise UsageError(f"there is an engine {name!r} already", todo=todo)
    version, link = _newest(project)
    with atomic.scratch("draft") as work:
        archive = download(link.url, link.sha256, work, work / link.file, listener, link.size)
        members, metadata = _look_into(archive)
    document = _document(name, project, url or _repository(metadata), version, link, members)
    place = user_file(name)
    check_user_file(document, place)
    text = _HEAD.format(file=link.file) + yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    with changing(place):
        atomic.write(place, text)
    return place


def _newest(project: str) -> tuple[str, Link]:
    """The newest release (a pre-release if there is no other) that has an archive with a sha256."""
    found = {v: link for v, links in links_by_version(listing(project)).items() if (link := best_of(links))}
    if not found:
        raise UsageError(f"no archive of {project!r} on the package index", todo="check the project's name")
    newest = max(found, key=lambda v: (not PackageVersion(v).is_prerelease, PackageVersion(v)))
    return newest, found[newest]


def _look_into(archive: Path) -> tuple[list[str], str]:
    """The names of the source files, without an sdist's top folder, and the metadata."""
    if archive.name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(archive) as z:
            inside = z.namelist()[:MAX_MEMBERS]
            about = next((n for n in inside if n.endswith(".dist-info/METADATA")), "")
            metadata = z.open(about).read(_METADATA).decode("utf-8", "replace") if about else ""
        return inside, metadata
    inside, metadata = [], ""
    with tarfile.open(archive) as t:
        for member in t:
            name = member.name.partition("/")[2]
            if name == "PKG-INFO" and (stream := t.extractfile(member)):
                metadata = stream.read(_METADATA).decode("utf-8", "replace")
            inside.append(name)
            if len(inside) >= MAX_MEMBERS:
                break
    return inside, metadata


def _repository(metadata: str) -> str:
    """The repository's address as the metadata names it."""
    said = email.parser.HeaderParser().parsestr(metadata)
    addresses = [u.partition(",")[2].strip() for u in said.get_all("Project-URL") or ()] + [said.get("Home-page") or ""]
    for address in addresses:
        if m := re.match(r"https://(?:github|gitlab|gitee|bitbucket)\.\w+/[\w.-]+/[\w.-]+", address):
            return m.group().removesuffix(".git")
    raise UsageError("the archive does not say where the repository is", todo="name its web address with --url")


def _document(
    name: str, project: str, url: str, version: str, link: Link, members: Iterable[str]
) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    roots: Counter[str] = Counter()
    for member in members:
        kind = next((k for k, suffixes in _SUFFIXES.items() if member.endswith(suffixes)), "")
        folders = member.split("/")[:-1]
        if not kind or not folders or _ASIDE.match(folders[0]) or folders[0] in ("..", ""):
            continue
        depth = 2 if folders[0] == "src" and len(folders) > 1 else 1
        roots["/".join(folders[:depth])] += 1
        kinds[kind] += 1
    if not roots:
        raise UsageError(f"{link.file} holds no source under a folder", todo="write the target file by hand")
    packages = dict.fromkeys(sorted({"src/" if r.startswith("src/") else "" for r in roots}), "")
    pin = {"name": version, "tag": f"v{version}", "package": version, "released": link.uploaded}
    archive = {"kind": "archive", "file": link.file, "sha256": link.sha256}
    return {
        "name": name,
        "title": project,
        "url": url,
        "project": project,
        "by_name": "true",
        "roots": sorted(roots),
        "suffixes": {k: [*_SUFFIXES[k]] for k in _SUFFIXES if kinds[k]},
        "packages": packages,
        "context": _CONTEXT,
        "versions": [{k: v for k, v in pin.items() if v} | {"sources": [{"kind": "git"}, archive]}],
    }
