from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tests.unit.checkout.sources import FILES, OTHERS, Reply, Server
from tracer import checkout, targets
from tracer.errors import CacheError, FetchError, SourceUnavailableError, UsageError
from tracer.targets import SourceSpec, Version

TARGET = sources.target()
NOBODY = SourceSpec("git", url="http://127.0.0.1:9/toy.git")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return sources.sdist(tmp_path / "toy_kv-1.0.tar.gz", {**FILES, **OTHERS})


def served(server: Server, archive: Path, *before: SourceSpec, **changes: str) -> Version:
    server.index("toy-kv", archive)
    return sources.version(*before, sources.pinned(archive), **changes)


def texts(tree: checkout.StoredTree) -> dict[str, str]:
    return {f.path: tree.read(f.path).decode() for f in tree.files()}


def left_in(cache: Path) -> list[str]:
    """Everything in the cache but the trees themselves and the locks, which stay."""
    every = (p.relative_to(cache).as_posix() for p in cache.rglob("*") if p.is_file())
    return sorted(p for p in every if not p.startswith("trees/toy/1.0/") and not p.endswith(".lock"))


# The pinned sources in their order


def test_an_archive_is_fetched_through_the_index(server: Server, archive: Path, cache: Path) -> None:
    tree = checkout.fetch(TARGET, served(server, archive, commit="abcdef123"))
    assert texts(tree) == FILES
    assert (tree.revision.kind, tree.revision.commit, tree.revision.tag) == ("archive", "abcdef123", "v1.0")
    assert (tree.origin, tree.gaps, tree.notes) == (archive.name, (), ())
    assert left_in(cache) == []


def test_a_second_fetch_and_reading_need_no_network(server: Server, archive: Path) -> None:
    version = served(server, archive)
    first = checkout.fetch(TARGET, version)
    server.asked.clear()
    assert checkout.fetch(TARGET, version).revision == first.revision
    assert texts(checkout.open_tree((TARGET, version), fetch=False)) == FILES
    assert server.asked == []


def test_git_comes_first(server: Server, archive: Path, tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    version = served(server, archive, SourceSpec("git", url=f"file://{tmp_path / 'r'}"))
    tree = checkout.fetch(TARGET, version)
    assert (tree.revision.kind, tree.revision.commit, texts(tree)) == ("git", commit, FILES)
    assert server.asked == []


def test_git_and_archive_of_the_same_files_have_the_same_digest(server: Server, archive: Path, tmp_path: Path) -> None:
    sources.repository(tmp_path / "r")
    version = served(server, archive, SourceSpec("git", url=f"file://{tmp_path / 'r'}"))
    by_git = checkout.fetch(TARGET, version)
    by_archive = checkout.fetch(TARGET, version, source="archive")
    assert by_archive.revision.kind == "archive"
    assert by_archive.revision.digest == by_git.revision.digest


def test_when_the_git_host_is_silent_the_archive_is_taken_and_said_so(server: Server, archive: Path) -> None:
    said: list[str] = []
    tree = checkout.fetch(TARGET, served(server, archive, NOBODY), note=said.append)
    note = "toy@1.0: 127.0.0.1: cannot be reached (connection refused); taking the archive"
    assert texts(tree) == FILES
    assert said == [note]
    assert tree.notes == (note,)


def test_a_moved_tag_is_not_passed_over(server: Server, archive: Path, tmp_path: Path, cache: Path) -> None:
    sources.repository(tmp_path / "r")
    git = SourceSpec("git", url=f"file://{tmp_path / 'r'}")
    version = served(server, archive, git, commit="1234567")
    with pytest.raises(FetchError, match="the tag was moved: take `--source archive`"):
        checkout.fetch(TARGET, version)
    assert left_in(cache) == []
    assert checkout.fetch(TARGET, version, source="archive").revision.commit == "1234567"


def test_when_no_source_serves_one_line_says_why_and_what_to_do(
    archive: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    version = sources.version(NOBODY, sources.pinned(archive))
    with pytest.raises(SourceUnavailableError) as e:
        checkout.fetch(TARGET, version)
    assert str(e.value).isprintable()
    assert str(e.value).count("cannot be reached") == 2
    assert str(e.value).endswith(
        "`tracer fetch toy@1.0 --from PATH` takes a clone, a mirror, a folder or a pinned archive"
    )
    assert left_in(cache) == []


def test_an_index_without_the_file_says_so(server: Server, archive: Path) -> None:
    with pytest.raises(FetchError, match=r"toy_kv-1\.0\.tar\.gz is not on 127\.0\.0\.1"):
        checkout.fetch(TARGET, sources.version(sources.pinned(archive)))


def test_a_source_can_be_asked_for(server: Server, archive: Path) -> None:
    version = served(server, archive, NOBODY)
    assert checkout.fetch(TARGET, version, source="archive").notes == ()
    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        checkout.fetch(TARGET, version, source="git")
    with pytest.raises(SourceUnavailableError, match="toy@2: has no archive source — its sources: git"):
        checkout.fetch(TARGET, sources.version(NOBODY, name="2"), source="archive")
    with pytest.raises(UsageError, match="unknown source 'svn' — use git or archive"):
        checkout.fetch(TARGET, version, source="svn")


def test_what_a_source_lacks_is_a_gap_that_says_how_to_fill_it(server: Server, archive: Path) -> None:
    server.index("toy-kv", archive)
    tree = checkout.fetch(TARGET, sources.version(sources.pinned(archive, lacks="no C++ in it")))
    assert [(g.what, g.why) for g in tree.gaps] == [
        ("toy@1.0", "no C++ in it: `tracer fetch toy@1.0 --source git`, or `--from` with a clone, brings all of it")
    ]


# Bad archives leave nothing behind


def test_a_wrong_sha256_is_refused(server: Server, archive: Path, cache: Path) -> None:
    version = served(server, archive)
    server.replies[f"/files/{archive.name}"].body += b"!"
    with pytest.raises(FetchError, match=r"has sha256 .*, the pin says"):
        checkout.fetch(TARGET, version)
    assert left_in(cache) == []
    assert not (cache / "trees" / "toy" / "1.0").exists()


def test_an_unsafe_archive_is_refused_even_if_it_is_the_pinned_one(server: Server, tmp_path: Path, cache: Path) -> None:
    bad = sources.sdist(tmp_path / "toy_kv-1.0.tar.gz", FILES, sources.member("toy-1.0/../../../evil.py"))
    with pytest.raises(FetchError, match="unsafe path"):
        checkout.fetch(TARGET, served(server, bad))
    assert left_in(cache) == []
    assert not (cache / "trees" / "toy" / "1.0").exists()


def test_a_truncated_transfer_is_resumed_by_the_next_run(server: Server, archive: Path, cache: Path) -> None:
    version = served(server, archive)
    reply = server.replies[f"/files/{archive.name}"]
    reply.cuts = [50] * 4
    with pytest.raises(SourceUnavailableError, match="run the command again: it goes on after 200 bytes"):
        checkout.fetch(TARGET, version)
    assert [p for p in left_in(cache) if not p.endswith(".part")] == []
    assert texts(checkout.fetch(TARGET, version)) == FILES
    assert server.asked[-1][1] == "bytes=200-"
    assert left_in(cache) == []


def test_a_read_only_cache_is_one_line(server: Server, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = served(server, archive)
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with pytest.raises(CacheError, match="set TRACER_CACHE_DIR to a directory that you can write"):
        checkout.fetch(TARGET, version)


# A cached tree that is no longer whole


@pytest.mark.parametrize("harm", ["file", "manifest"])
def test_a_spoilt_tree_is_fetched_again_and_said_so(harm: str, server: Server, archive: Path, cache: Path) -> None:
    version = served(server, archive)
    checkout.fetch(TARGET, version)
    place = cache / "trees" / "toy" / "1.0"
    (place / ("toy/pool.py" if harm == "file" else "manifest.json")).write_text("spoilt")
    tree = checkout.fetch(TARGET, version)
    assert texts(tree) == FILES
    assert len(tree.notes) == 1
    assert tree.notes[0].startswith("toy@1.0: ")
    assert tree.notes[0].endswith("fetching again")
    assert left_in(cache) == []


def test_opening_fetches_what_is_not_there_only_if_allowed(server: Server, archive: Path) -> None:
    version = served(server, archive)
    with pytest.raises(SourceUnavailableError, match=r"not in the cache — run `tracer fetch toy@1\.0`"):
        checkout.open_tree((TARGET, version), fetch=False)
    assert server.asked == []
    assert texts(checkout.open_tree((TARGET, version))) == FILES


def test_a_spec_can_be_opened_by_name() -> None:
    with pytest.raises(SourceUnavailableError, match=r"run `tracer fetch vllm@0\.33\.0`"):
        checkout.open_tree("vllm", fetch=False)
    with pytest.raises(UsageError):
        checkout.open_tree("vllm@9.9", fetch=False)


# --from


def test_a_given_clone_mirror_folder_or_archive_serves(archive: Path, tmp_path: Path, cache: Path) -> None:
    version = sources.version(NOBODY, sources.pinned(archive))
    commit = sources.repository(tmp_path / "r")
    sources.git(tmp_path, "clone", "-q", "--mirror", str(tmp_path / "r"), "bare.git")
    sources.folder(tmp_path / "plain", {**FILES, **OTHERS})
    kinds = {"r": ("git", commit), "bare.git": ("git", commit), "plain": ("folder", ""), archive.name: ("archive", "")}
    for name, (kind, at) in kinds.items():
        tree = checkout.fetch(TARGET, version, origin=tmp_path / name)
        assert (tree.revision.kind, tree.revision.commit, tree.origin, texts(tree)) == (kind, at, name, FILES)
    tree = checkout.fetch(TARGET, version, origin=f"file://{tmp_path / 'r'}")
    assert (tree.revision.kind, tree.origin) == ("git", "r")
    assert left_in(cache) == []


def test_a_plain_folder_claims_no_commit_and_says_so(tmp_path: Path) -> None:
    sources.folder(tmp_path / "plain")
    tree = checkout.fetch(TARGET, sources.version(NOBODY, commit="abcdef1"), origin=tmp_path / "plain")
    assert (tree.revision.commit, tree.revision.tag) == ("", "")
    assert tree.notes == ("toy@1.0: taken from a plain folder; its commit is not known",)


def test_a_given_archive_is_known_by_its_content_not_its_name(archive: Path, tmp_path: Path) -> None:
    version = sources.version(sources.pinned(archive))
    renamed = archive.rename(tmp_path / "renamed.tar.gz")
    assert texts(checkout.fetch(TARGET, version, origin=renamed)) == FILES


def test_a_given_archive_that_is_not_the_pinned_one_is_refused(archive: Path, tmp_path: Path, cache: Path) -> None:
    version = sources.version(sources.pinned(archive))
    archive.write_bytes(archive.read_bytes()[:-10])
    with pytest.raises(FetchError, match=r"toy_kv-1\.0\.tar\.gz: has sha256 .* the file is damaged or another one"):
        checkout.fetch(TARGET, version, origin=archive)
    other = sources.sdist(tmp_path / "other.tar.gz", {"toy/x.py": ""})
    with pytest.raises(FetchError, match=r"no pinned archive of toy@1\.0 — give toy_kv-1\.0\.tar\.gz; unpacked"):
        checkout.fetch(TARGET, version, origin=other)
    assert left_in(cache) == []


def test_a_given_address_of_an_archive_is_downloaded_and_verified(server: Server, archive: Path) -> None:
    version = served(server, archive)
    tree = checkout.fetch(TARGET, version, origin=f"{server.url}/files/{archive.name}")
    assert (tree.revision.kind, texts(tree)) == ("archive", FILES)
    with pytest.raises(FetchError, match="no pinned archive"):
        checkout.fetch(TARGET, version, origin=f"{server.url}/files/other-1.0.tar.gz")


@pytest.mark.parametrize(
    ("origin", "says"),
    [
        ("/nowhere/at/all", "does not exist — give a clone"),
        ("-rf", "is no path and no address"),
        ("ext::sh -c x://", "no address that git may use"),
        ("https://[bad/x.tar.gz", "no address that git may use"),
        ("", "is no path and no address"),
    ],
)
def test_an_origin_that_is_nothing_is_a_usage_error(origin: str, says: str, cache: Path) -> None:
    with pytest.raises(UsageError, match=says) as e:
        checkout.fetch(TARGET, sources.version(NOBODY), origin=origin)
    assert "\n" not in str(e.value)
    assert left_in(cache) == []


def test_a_failed_origin_leaves_the_tree_that_was_there(server: Server, archive: Path, tmp_path: Path) -> None:
    version = served(server, archive)
    checkout.fetch(TARGET, version)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FetchError, match="holds no source file"):
        checkout.fetch(TARGET, version, origin=tmp_path / "empty")
    assert texts(checkout.open_tree((TARGET, version), fetch=False)) == FILES


def test_progress_is_heard(server: Server, archive: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    checkout.fetch(TARGET, served(server, archive), progress=lambda *step: steps.append(step))
    assert ("reading toy 1.0", len(FILES), 0) in steps
    size = archive.stat().st_size
    assert (f"downloading {archive.name}", size, size) in steps


# A process that is interrupted or killed


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_fetch_leaves_nothing_half_made(
    how: signal.Signals, server: Server, archive: Path, cache: Path
) -> None:
    version = served(server, archive)
    targets_of_child = textwrap.dedent(f"""
        from tests.unit.checkout import sources
        from tracer import checkout
        from tracer.targets import SourceSpec
        spec = SourceSpec("archive", project="toy-kv", file={archive.name!r}, sha256={sources.sha256(archive)!r})
        checkout.fetch(sources.target(), sources.version(spec))
    """)
    server.replies[f"/files/{archive.name}"].stalls = [100]
    root = Path(targets.__file__).parent.parent
    child = subprocess.Popen([sys.executable, "-c", targets_of_child], cwd=root, stderr=subprocess.DEVNULL)
    part = cache / "downloads" / f"{sources.sha256(archive)[:32]}.part"
    try:
        sources.eventually(lambda: any(path.startswith("/files/") for path, _, _ in server.asked))
        sources.eventually(part.is_file)
        child.send_signal(how)
        assert child.wait(120) != 0
    finally:
        child.kill()
        child.wait()
    assert not (cache / "trees" / "toy" / "1.0").exists()
    if how is signal.SIGINT:
        assert [p for p in left_in(cache) if not p.endswith(".part")] == []
    server.replies[f"/files/{archive.name}"] = Reply(archive.read_bytes())
    assert texts(checkout.fetch(TARGET, version)) == FILES
    assert left_in(cache) == []
    assert not list((cache / "trees" / "toy").glob(".1.0.tmp-*"))
