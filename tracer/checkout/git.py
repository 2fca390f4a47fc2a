"""Git as a source: the blobs under the roots at one pinned commit; no work tree, no hooks, no code of anyone.

Takes a repository (an address, a clone, a bare mirror) and a pin; makes repository paths with their bytes. Everything
happens in a repository of our own: a clone on this machine is only borrowed from (alternates), so that nothing of its
configuration is used, and a blob that it lacks is a gap. The only module that uses GitPython.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

from tracer.checkout.clone import CUT, PROTOCOLS, SHA, check_url, common_folder, tag_in
from tracer.checkout.listener import Listener
from tracer.checkout.reach import reachable
from tracer.checkout.selection import MAX_FILE, MAX_MEMBERS, Found, keeps, printable, safe_parts, too_large, unusable
from tracer.checkout.web import UnreachableError, host_of, split_credentials
from tracer.errors import FetchError
from tracer.model import Gap
from tracer.targets import Target, Version

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # a machine without git is told so by us, not by an import
from git.cmd import Git

_ASK = 20.0  # seconds for a small question to a server
_TRANSFER = 900.0  # seconds for the blobs of one version
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GCM_INTERACTIVE": "never",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_PARAMETERS": "",
    "LC_ALL": "C",
}
_OPTIONS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.askPass": "true",
    "fetch.recurseSubmodules": "false",
    "fetch.fsckObjects": "true",
    "protocol.ext.allow": "never",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
}


def from_url(url: str, target: Target, version: Version, work: Path, listener: Listener) -> Found:
    """The pin's files out of a repository on the web: one commit, and of its blobs only those that count."""
    check_url(url)
    _reach(url)
    own = _Repository(work / "git")
    own.run("config", "remote.origin.url", url)
    own.run("config", "remote.origin.promisor", "true")  # the server may keep back what we do not ask for
    own.run("config", "remote.origin.partialCloneFilter", "blob:none")
    commit = _fetch_commit(own, url, version, listener)
    found = Found("git", iter(()), split_credentials(url)[0], commit, version.tag)
    blobs = _blobs(own, commit, target, found)
    listener.step(f"fetching {target.name} {version.name} from {host_of(url)}", 0)
    own.fetch(
        url,
        "--filter=blob:none",
        "--stdin",
        "origin",
        text="".join(f"{sha}\n" for sha in sorted(set(blobs.values()))),
        timeout=_TRANSFER,
    )
    own.run("config", "--unset", "remote.origin.promisor")  # from here on nothing is fetched by the way
    own.run("config", "--unset", "remote.origin.partialCloneFilter")
    found.entries = _contents(own, blobs, found)
    return found


def from_clone(place: Path, target: Target, version: Version, work: Path) -> Found:
    """The pin's files out of a clone or bare mirror on this machine, which is only read."""
    own = _Repository(work / "git")
    folder = common_folder(place) or place
    own.borrow(folder)
    commit = _local_commit(own, folder, place, target, version)
    found = Found("git", iter(()), place.name, commit, version.tag)
    found.entries = _contents(own, _blobs(own, commit, target, found), found)
    return found


def resolve(url: str, ref: str, work: Path) -> tuple[str, str]:
    """Full commit and date (ISO) of a tag or full commit at `url`; `FetchError` if the repository has no such thing."""
    check_url(url)
    _reach(url)
    own = _Repository(work / "git")
    own.run("config", "remote.origin.url", url)
    own.run("config", "remote.origin.promisor", "true")
    wanted = ref if SHA.fullmatch(ref) else f"refs/tags/{ref}"
    own.fetch(url, "--depth=1", "--filter=tree:0", "origin", wanted, timeout=_ASK * 3)
    return _commit_and_date(own, "FETCH_HEAD")


def resolve_in(place: Path, ref: str, work: Path) -> tuple[str, str]:
    """The same out of a clone or bare mirror on this machine, where a commit may be cut to seven digits or more."""
    own = _Repository(work / "git")
    folder = common_folder(place)
    if folder is None:
        raise FetchError(f"has no tag {ref}", where=str(place), todo="give a clone that has it")
    own.borrow(folder)
    name = tag_in(folder, ref) or (_whole(own, place, ref) if CUT.fullmatch(ref) else "")
    if not name:
        raise FetchError(f"has no tag {ref}", where=str(place), todo="give a clone that has it")
    return _commit_and_date(own, f"{name}^{{commit}}")


def latest_in_history(place: Path, tags: Sequence[str], commit: str, work: Path) -> str:
    """The first of `tags` in the history of `commit`, in a clone on this machine; "" where none is known to be."""
    own = _Repository(work / "history")
    folder = common_folder(place)
    if folder is None:
        return ""
    own.borrow(folder)
    for tag in tags:
        with contextlib.suppress(FetchError):  # no ancestor, or cut off: a clone need not hold all history
            if name := tag_in(folder, tag):
                own.run("merge-base", "--is-ancestor", f"{name}^{{commit}}", commit)
                return tag
    return ""


def _whole(own: _Repository, place: Path, commit: str) -> str:
    """All digits of a commit that is given by its first; `FetchError` where none or several begin so."""
    try:
        out = own.run("rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
    except FetchError as e:
        todo = "give a clone that has it, or more of its digits"
        raise FetchError(f"has no commit {commit}, or more than one", where=str(place), todo=todo) from e
    return out.decode("ascii").strip()


class _Repository:
    """A bare repository of our own, gone with its working folder."""

    def __init__(self, place: Path) -> None:
        self._place = place
        _git("init", "--quiet", "--bare", "--template=", "--end-of-options", str(place), timeout=_ASK)

    def run(self, *arguments: str, text: str = "", timeout: float = _ASK) -> bytes:
        """The output of a git command in here."""
        return _git(f"--git-dir={self._place}", *arguments, text=text, timeout=timeout)

    def fetch(self, url: str, *arguments: str, text: str = "", timeout: float) -> None:
        """Fetch from the remote; every failure counts as the host's."""
        common = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance")
        first = ("-c", "fetch.negotiationAlgorithm=noop", f"--git-dir={self._place}", "fetch", *common)
        _git(*first, *arguments, text=text, timeout=timeout, host=host_of(url))

    def borrow(self, other: Path) -> None:
        """Read the objects of `other` as if they were ours; its configuration is never looked at."""
        objects = (other / "objects").resolve()
        (self._place / "objects" / "info").mkdir(exist_ok=True)
        (self._place / "objects" / "info" / "alternates").write_text(f"{objects}\n", "utf-8")

    def open(self, *arguments: str, source: IO[bytes]) -> Any:
        """A running git command whose output is read while it comes."""
        return _start(f"--git-dir={self._place}", *arguments, source=source)


def _reach(url: str) -> None:
    if shutil.which("git") is None:
        raise UnreachableError("git is not installed", where=host_of(url), todo="install git")
    reachable(url)


def _start(*arguments: str, source: IO[bytes] | int) -> Any:
    for argument in arguments:
        if "\0" in argument:
            raise FetchError("an argument for git holds a NUL", todo="report this")
    command = ["git", *(part for key, value in _OPTIONS.items() for part in ("-c", f"{key}={value}")), *arguments]
    ssh = {"GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=5")}
    if shutil.which("git") is None:
        raise FetchError("git is not installed", todo="install git, or take `--source archive`")
    # GitPython passes any keyword on to Popen; its own type hints do not say so
    return cast(Any, Git).execute(
        Git(), command, istream=source, as_process=True, env={**_ENVIRONMENT, **ssh}, with_exceptions=False
    )


def _git(*arguments: str, text: str = "", timeout: float, host: str = "") -> bytes:
    """Run git to its end; a failure is one line with git's own last words, and `host`'s fault if one is named."""
    error, where = (UnreachableError, host) if host else (FetchError, "git")
    process = _start(*arguments, source=subprocess.PIPE)
    try:
        output, errors = process.communicate(text.encode("ascii"), timeout=timeout)
    except subprocess.TimeoutExpired as e:
        raise error(f"no answer within {timeout:.0f} s", where=where, todo="try again later") from e
    finally:
        if process.poll() is None:
            process.proc.kill()
            process.proc.communicate()
    if process.proc.returncode:
        lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
        said = [line for start in ("fatal:", "error:", "") for line in lines if line.startswith(start)] or ["nothing"]
        words = re.sub(r"//[^/@\s]*@", "//", said[0])  # no credentials in a message
        raise error(f"says {printable(words, 200)!r}", where=where, todo="" if host else "`git fsck` may tell why")
    return cast(bytes, output)


def _fetch_commit(own: _Repository, url: str, version: Version, listener: Listener) -> str:
    full = version.commit if SHA.fullmatch(version.commit) else ""
    wanted = full or (f"refs/tags/{version.tag}" if version.tag else "")
    if not wanted:
        raise FetchError("the pin has neither tag nor full commit", where=version.name, todo="take `--source archive`")
    listener.step(f"asking {host_of(url)} for {version.name}", 0)
    own.fetch(url, "--depth=1", "--filter=blob:none", "origin", wanted, timeout=_TRANSFER)
    commit = own.run("rev-parse", "--verify", "--end-of-options", "FETCH_HEAD^{commit}").decode("ascii").strip()
    _same(commit, version, host_of(url))
    return commit


def _local_commit(own: _Repository, folder: Path, place: Path, target: Target, version: Version) -> str:
    for name in (version.commit, tag_in(folder, version.tag) if version.tag else ""):
        if not name:
            continue
        try:
            commit = own.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except FetchError:
            continue
        found = commit.decode("ascii").strip()
        _same(found, version, place.name)
        return found
    wanted = " nor ".join(n for n in (version.commit, version.tag) if n)
    todo = f"`git -C {place} fetch --tags` may bring it"
    raise FetchError(f"has no {wanted} of {target.title}", where=str(place), todo=todo)


def _commit_and_date(own: _Repository, name: str) -> tuple[str, str]:
    text = own.run("log", "-1", "--no-show-signature", "--format=%H %cs", "--end-of-options", name)
    commit, date = text.decode("ascii").split()
    return commit, date


def _same(commit: str, version: Version, where: str) -> None:
    if not commit.startswith(version.commit):
        todo = "the tag was moved: take `--source archive`, or pin the version again"
        raise MovedTagError(
            f"{version.tag} is commit {commit[:12]}, the pin says {version.commit}", where=where, todo=todo
        )


class MovedTagError(FetchError):
    """A tag that is no longer at the pinned commit; never a reason to take another source in silence."""


def _blobs(own: _Repository, commit: str, target: Target, found: Found) -> dict[str, str]:
    """Path → blob of each file that counts; what is under the roots but no file is a gap."""
    roots = [r for r in target.roots if r]
    listed = own.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit, *roots, timeout=_ASK * 3)
    blobs: dict[str, str] = {}
    for number, entry in enumerate(listed.split(b"\0")[:-1]):
        if number >= MAX_MEMBERS:
            raise FetchError(f"holds more than {MAX_MEMBERS:,} files", where=found.origin, todo="take another source")
        head, _, raw = entry.partition(b"\t")
        mode, kind, sha = head.decode("ascii").split(" ")
        name = raw.decode("utf-8", "surrogateescape")
        safe_parts(name, found.origin)
        if kind == "commit":
            found.gaps.append(Gap(printable(name), "left out: a submodule"))
        elif mode == "120000":
            found.gaps.append(Gap(printable(name), f"left out: a link in {found.origin}"))
        elif keeps(target, name):
            if why := unusable(name):
                found.gaps.append(Gap(printable(name), f"left out: {why}"))
            else:
                blobs[name] = sha
    return blobs


def _contents(own: _Repository, blobs: dict[str, str], found: Found) -> Iterator[tuple[str, bytes]]:
    """The bytes of each blob; one that the repository lacks, or that is too large, becomes a gap."""
    paths = sorted(blobs)
    asked = own._place / "asked"
    asked.write_text("".join(f"{blobs[p]}\n" for p in paths), "ascii")
    with asked.open("rb") as source:
        process = own.open("cat-file", "--batch", source=source)
        try:
            for path in paths:
                head = process.stdout.readline().split()
                if head[1:] == [b"missing"]:
                    todo = "its blob is missing from the repository; a full clone has it"
                    found.gaps.append(Gap(path, f"left out: {todo}"))
                    continue
                if len(head) != 3 or head[1] != b"blob":
                    raise FetchError(
                        "a blob cannot be read", where=f"{found.origin} {path}", todo="`git fsck` tells why"
                    )
                size = int(head[2])
                if size > MAX_FILE:
                    found.gaps.append(Gap(path, too_large(size)))
                    _skip(process.stdout, size + 1)
                    continue
                data = process.stdout.read(size)
                if len(data) != size or process.stdout.read(1) != b"\n":
                    raise FetchError("a blob is cut short", where=f"{found.origin} {path}", todo="`git fsck` tells why")
                yield path, data
        finally:
            process.proc.kill()
            process.proc.communicate()


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0 and (got := len(stream.read(min(size, 1 << 20)))):
        size -= got
