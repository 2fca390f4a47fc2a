from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tests.unit.checkout.sources import FILES
from tracer.checkout import git
from tracer.checkout.git import from_clone, from_url, resolve, resolve_in
from tracer.checkout.listener import Listener
from tracer.checkout.selection import Found
from tracer.checkout.web import UnreachableError
from tracer.errors import FetchError, UsageError
from tracer.model import Gap
from tracer.targets import Version

TARGET, VERSION = sources.target(), sources.version()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def contents(found: Found) -> dict[str, str]:
    return {p: data.decode() for p, data in found.entries}


def by_url(place: Path, work: Path, version: Version = VERSION) -> Found:
    return from_url(f"file://{place}", TARGET, version, work, Listener())


# A repository on the web (here: served from a file address, as any git server would)


def test_the_files_of_the_tagged_commit_are_fetched(tmp_path: Path, work: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    sources.folder(tmp_path / "r", {"toy/later.py": "later"})
    sources.git(tmp_path / "r", "add", "-A")
    sources.git(tmp_path / "r", "commit", "-q", "-m", "later")
    found = by_url(tmp_path / "r", work)
    assert (found.kind, found.commit, found.tag, found.gaps) == ("git", commit, "v1.0", [])
    assert contents(found) == FILES


def test_only_the_blobs_that_count_are_brought(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    by_url(tmp_path / "r", work)
    own = ("--git-dir", str(work / "git"), "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)")
    assert sources.git(work, *own).split().count("blob") == len(set(FILES.values()))


def test_a_full_commit_is_fetched_without_its_tag(tmp_path: Path, work: Path) -> None:
    commit = sources.repository(tmp_path / "r", tag="other")
    found = by_url(tmp_path / "r", work, sources.version(commit=commit, tag=""))
    assert (found.commit, contents(found)) == (commit, FILES)


def test_a_server_that_knows_no_partial_clones_serves_too(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    sources.git(tmp_path / "r", "config", "uploadpack.allowFilter", "false")
    assert contents(by_url(tmp_path / "r", work)) == FILES


def test_a_moved_tag_is_an_error_and_not_silence(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    with pytest.raises(FetchError, match=r"v1\.0 is commit .*, the pin says 1234567") as e:
        by_url(tmp_path / "r", work, sources.version(commit="1234567"))
    assert not isinstance(e.value, UnreachableError)


def test_an_abbreviated_commit_is_checked_against_the_tag(tmp_path: Path, work: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    assert by_url(tmp_path / "r", work, sources.version(commit=commit[:9])).commit == commit


@pytest.mark.parametrize("place", ["none", "empty"])
def test_a_repository_that_does_not_answer_is_one_line(place: str, tmp_path: Path, work: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreachableError, match=r"says .fatal: ") as e:
        by_url(tmp_path / place, work)
    assert str(e.value).isprintable()


def test_a_tag_that_is_not_there_is_one_line(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r", tag="v2.0")
    with pytest.raises(UnreachableError, match=r"refs/tags/v1\.0"):
        by_url(tmp_path / "r", work)


def test_a_silent_server_is_given_up(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "_TRANSFER", 0.5)
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(slow))
    monkeypatch.setattr(git, "reachable", lambda url: None)
    with pytest.raises(UnreachableError, match="no answer within") as e:
        from_url("ssh://host/r", TARGET, VERSION, work, Listener())
    assert e.value.where == "host"


def test_without_git_the_next_source_may_serve(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnreachableError, match="git is not installed — install git"):
        from_url("https://example.org/r", TARGET, VERSION, work, Listener())


def test_an_address_that_runs_a_program_is_never_given_to_git(tmp_path: Path, work: Path) -> None:
    with pytest.raises(UsageError):
        from_url(f"ext::touch {tmp_path}/x", TARGET, VERSION, work, Listener())
    assert not (tmp_path / "x").exists()


def test_the_users_rewriting_of_addresses_cannot_lead_to_a_program(
    tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = tmp_path / "config"
    evil.write_text(
        f'[url "ext::touch {tmp_path}/x %S "]\n  insteadOf = file:///\n[protocol "ext"]\n  allow = always\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(evil))
    with pytest.raises(UnreachableError, match="ext"):
        by_url(tmp_path / "r", work)
    assert not (tmp_path / "x").exists()


def test_no_password_is_shown(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "reachable", lambda url: None)
    with pytest.raises(UnreachableError) as e:
        from_url("http://user:secret@127.0.0.1:9/r", TARGET, VERSION, work, Listener())
    assert "secret" not in str(e.value)


# A clone or mirror on this machine


def test_a_clone_a_bare_mirror_and_a_linked_work_tree_serve_alike(tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    sources.git(tmp_path, "clone", "-q", "--mirror", str(tmp_path / "r"), "bare.git")
    sources.git(tmp_path / "r", "worktree", "add", "-q", "../linked")
    for name in ("r", "bare.git", "linked"):
        work = tmp_path / f"work-{name}"
        work.mkdir()
        found = from_clone(tmp_path / name, TARGET, VERSION, work)
        assert (found.commit, found.origin, contents(found), found.gaps) == (commit, name, FILES, [])


def test_the_work_tree_does_not_matter(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    (tmp_path / "r" / "toy" / "pool.py").write_text("changed, not committed")
    assert contents(from_clone(tmp_path / "r", TARGET, VERSION, work)) == FILES


def test_a_lightweight_tag_and_an_abbreviated_commit_serve(tmp_path: Path, work: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    sources.git(tmp_path / "r", "tag", "light")
    assert from_clone(tmp_path / "r", TARGET, sources.version(tag="light"), work).commit == commit
    (tmp_path / "w2").mkdir()
    pin = sources.version(tag="", commit=commit[:8])
    assert from_clone(tmp_path / "r", TARGET, pin, tmp_path / "w2").commit == commit


def test_a_missing_blob_is_a_gap(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    blob = sources.git(tmp_path / "r", "rev-parse", "HEAD:toy/pool.py")
    (tmp_path / "r" / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = from_clone(tmp_path / "r", TARGET, VERSION, work)
    files = contents(found)
    assert files == {p: t for p, t in FILES.items() if p != "toy/pool.py"}
    why = "left out: its blob is missing from the repository; a full clone has it"
    assert found.gaps == [Gap("toy/pool.py", why)]


def test_a_missing_tree_is_one_line(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    tree = sources.git(tmp_path / "r", "rev-parse", "HEAD:toy")
    (tmp_path / "r" / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(FetchError, match=r"git: says 'error: .*git fsck"):
        contents(from_clone(tmp_path / "r", TARGET, VERSION, work))


def test_a_partial_clone_is_not_completed_behind_the_users_back(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    address = f"file://{tmp_path / 'r'}"
    sources.git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", address, "partial")
    found = from_clone(tmp_path / "partial", TARGET, VERSION, work)
    assert contents(found) == {}
    assert [g.what for g in found.gaps] == sorted(FILES)


def test_links_and_submodules_are_gaps(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    (tmp_path / "r" / "toy" / "link.py").symlink_to("/etc/passwd")
    sources.git(tmp_path / "r", "add", "-A")
    commit = sources.git(tmp_path / "r", "rev-parse", "HEAD")
    sources.git(tmp_path / "r", "update-index", "--add", "--cacheinfo", f"160000,{commit},csrc/third")
    sources.git(tmp_path / "r", "commit", "-q", "-m", "more")
    sources.git(tmp_path / "r", "tag", "v2")
    found = from_clone(tmp_path / "r", TARGET, sources.version(tag="v2"), work)
    assert contents(found) == FILES
    assert found.gaps == [
        Gap("csrc/third", "left out: a submodule"),
        Gap("toy/link.py", "left out: a link in r"),
    ]


def test_a_large_blob_is_a_gap_and_the_next_is_read(
    tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MAX_FILE", 100)
    sources.repository(tmp_path / "r", {**FILES, "toy/big.py": "#" * 3000})
    found = from_clone(tmp_path / "r", TARGET, VERSION, work)
    assert contents(found) == FILES
    assert [g.what for g in found.gaps] == ["toy/big.py"]


def test_names_that_cannot_be_shown_are_gaps(tmp_path: Path, work: Path) -> None:
    odd = {"toy/new\nline.py": "1", "toy/back\\slash.py": "2"}
    sources.repository(tmp_path / "r", {**FILES, **odd})
    (tmp_path / "r" / os.fsdecode(b"toy/\xff.py")).write_text("3")
    sources.git(tmp_path / "r", "add", "-A")
    sources.git(tmp_path / "r", "commit", "-q", "-m", "more")
    sources.git(tmp_path / "r", "tag", "v2")
    found = from_clone(tmp_path / "r", TARGET, sources.version(tag="v2"), work)
    assert contents(found) == FILES
    assert sorted(g.why for g in found.gaps) == [
        "left out: its name holds a backslash",
        "left out: its name holds a control character",
        "left out: its name is not UTF-8",
    ]


def test_a_tree_that_climbs_out_is_refused(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    blob = sources.git(tmp_path / "r", "rev-parse", "HEAD:toy/pool.py")
    (tmp_path / "entry").write_bytes(b"100644 evil.py\0" + bytes.fromhex(blob))
    inner = sources.git(tmp_path / "r", "hash-object", "-t", "tree", "-w", "--literally", str(tmp_path / "entry"))
    for name in (b"..", b"toy"):
        (tmp_path / "entry").write_bytes(b"40000 " + name + b"\0" + bytes.fromhex(inner))
        inner = sources.git(tmp_path / "r", "hash-object", "-t", "tree", "-w", "--literally", str(tmp_path / "entry"))
    commit = sources.git(tmp_path / "r", "commit-tree", "-m", "evil", inner)
    with pytest.raises(FetchError, match=r"unsafe path 'toy/\.\./evil\.py'"):
        contents(from_clone(tmp_path / "r", TARGET, sources.version(tag="", commit=commit), work))


def test_nothing_of_a_clones_configuration_is_used(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    hooks = sources.folder(tmp_path / "r" / ".git" / "hooks", {"post-checkout": f"#!/bin/sh\ntouch {tmp_path}/ran\n"})
    (hooks / "post-checkout").chmod(0o755)
    with (tmp_path / "r" / ".git" / "config").open("a") as config:
        config.write(f'[core]\n  fsmonitor = "touch {tmp_path}/ran"\n  sshCommand = "touch {tmp_path}/ran"\n')
        config.write("[broken\n")  # git itself would stop here
    assert contents(from_clone(tmp_path / "r", TARGET, VERSION, work)) == FILES
    assert not (tmp_path / "ran").exists()


def test_replaced_objects_are_not_believed(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    (tmp_path / "other").write_text("replaced")
    other = sources.git(tmp_path / "r", "hash-object", "-w", str(tmp_path / "other"))
    sources.git(tmp_path / "r", "replace", sources.git(tmp_path / "r", "rev-parse", "HEAD:toy/pool.py"), other)
    assert contents(from_clone(tmp_path / "r", TARGET, VERSION, work)) == FILES


def test_a_clone_without_the_pin_says_what_may_bring_it(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r", tag="v9")
    with pytest.raises(FetchError, match=r"has no 1234567 nor v1.0 of Toy — `git -C .* fetch --tags` may bring it"):
        from_clone(tmp_path / "r", TARGET, sources.version(commit="1234567"), work)


def test_a_clone_whose_tag_is_elsewhere_is_refused(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    with pytest.raises(FetchError, match=r"v1\.0 is commit .*, the pin says 1234567"):
        from_clone(tmp_path / "r", TARGET, sources.version(commit="1234567"), work)


# Resolving a tag


def test_a_tag_or_commit_is_resolved_with_its_date(tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    for number, ref in enumerate(("v1.0", commit)):
        for ask in ("url", "clone"):
            work = tmp_path / f"w{number}{ask}"
            work.mkdir()
            place = tmp_path / "r"
            got = resolve(f"file://{place}", ref, work) if ask == "url" else resolve_in(place, ref, work)
            assert got == (commit, "2026-01-02")


def test_a_tag_that_is_nowhere_is_not_resolved(tmp_path: Path, work: Path) -> None:
    sources.repository(tmp_path / "r")
    with pytest.raises(FetchError, match="has no tag v9"):
        resolve_in(tmp_path / "r", "v9", work)
    with pytest.raises(FetchError, match=r"has no tag v1\.0"):
        resolve_in(tmp_path, "v1.0", work)
    with pytest.raises(FetchError, match="v9"):
        resolve(f"file://{tmp_path / 'r'}", "v9", work)
