from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tests.unit.checkout.sources import FILES, Server
from tracer import checkout, targets
from tracer.checkout import add_pin, offered
from tracer.checkout.index import Link
from tracer.errors import FetchError, SourceUnavailableError, UsageError
from tracer.rules import in_range
from tracer.targets import Target


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """The engine `toy` among the shipped ones, with a repository on this machine."""
    shipped = tmp_path / "targets"
    shipped.mkdir()
    real = targets.shipped("targets")
    (shipped / "schema.json").write_bytes((real / "schema.json").read_bytes())
    (shipped / "toy.yaml").write_text(
        f"name: toy\ntitle: Toy\nurl: file://{tmp_path}/r\nproject: toy-kv\nroots: [toy, csrc]\n"
        "suffixes: {python: [.py, .pyi], cpp: [.cpp, .h, .cu]}\npackages: {'': ''}\n"
        "versions: [{name: '1.0', tag: v1.0, package: '1.0', released: 2025-01-01, sources: [{kind: git}]}]\n"
    )
    monkeypatch.setattr(targets, "shipped", lambda kind: shipped)
    return targets.target("toy")


def archive(tmp_path: Path, version: str) -> Path:
    return sources.sdist(tmp_path / f"toy_kv-{version}.tar.gz")


def test_a_release_is_found_on_the_index_and_pinned(server: Server, tmp_path: Path) -> None:
    file = archive(tmp_path, "2.0.post1")
    server.index("toy-kv", file)
    said: list[str] = []
    version = add_pin("toy", "2.0.post1", note=said.append)
    assert (version.name, version.tag, version.package, version.released) == (
        "2.0.post1", "v2.0.post1", "2.0.post1", "2026-01-02",
    )  # fmt: skip
    assert [(s.kind, s.file, s.sha256) for s in version.sources] == [
        ("git", "", ""),
        ("archive", file.name, sources.sha256(file)),
    ]
    assert len(said) == 1
    assert "its commit is not known" in said[0]
    assert targets.parse_spec("toy")[1] == version
    assert targets.parse_spec("toy@v2.0.post1")[1] == version


def test_what_is_pinned_can_be_fetched(server: Server, tmp_path: Path) -> None:
    server.index("toy-kv", archive(tmp_path, "2.0"))
    add_pin("toy", "v2.0")
    tree = checkout.fetch(*targets.parse_spec("toy@2.0"), source="archive")
    assert {f.path: tree.read(f.path).decode() for f in tree.files()} == FILES


def test_the_full_commit_is_taken_from_the_repository(server: Server, tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r.git", tag="v2.0")
    server.index("toy-kv", archive(tmp_path, "2.0"))
    assert add_pin("toy", "2.0").commit == commit


def test_a_tag_that_is_on_no_index_is_pinned_by_git_alone(server: Server, tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r.git", tag="nightly/7")
    version = add_pin("toy", "nightly/7")
    assert (version.name, version.tag, version.commit, version.released) == (
        "nightly-7",
        "nightly/7",
        commit,
        "2026-01-02",
    )
    assert [s.kind for s in version.sources] == ["git"]
    tree = checkout.fetch(*targets.parse_spec("toy@nightly-7"))
    assert tree.revision.commit == commit


def test_a_full_commit_is_pinned(server: Server, tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r.git")
    version = add_pin("toy", commit)
    assert (version.name, version.tag, version.commit) == (commit, "", commit)


def test_a_clone_may_be_asked_instead_of_the_repository(server: Server, tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "clone", tag="v3.0")
    version = add_pin("toy", "3.0", origin=tmp_path / "clone")
    assert (version.name, version.tag, version.commit) == ("3.0", "v3.0", commit)
    assert version.sources[0].url == f"file://{tmp_path}/r.git"  # the pin still names the engine's own repository


def test_a_version_that_is_pinned_already_is_said_so(server: Server) -> None:
    said: list[str] = []
    assert add_pin("toy", "v1.0", note=said.append).name == "1.0"
    assert said == ["toy@1.0 is pinned already"]
    assert server.asked == []
    assert not targets.user_file("toy").exists()


def test_a_version_that_exists_nowhere_is_a_usage_error_with_the_nearest(server: Server, tmp_path: Path) -> None:
    sources.repository(tmp_path / "r.git")
    server.index("toy-kv", archive(tmp_path, "0.5.5"), archive(tmp_path, "0.5.6"))
    with pytest.raises(UsageError, match=r"Toy has no version '0\.5\.51' .* did you mean 0\.5\.5 or 0\.5\.6"):
        add_pin("toy", "0.5.51")
    assert not targets.user_file("toy").exists()


def test_text_is_not_taken_for_a_number(server: Server, tmp_path: Path) -> None:
    server.index("toy-kv", archive(tmp_path, "0.1"))
    with pytest.raises(UsageError):
        add_pin("toy", "0.10")


def test_when_nothing_can_be_asked_it_is_not_called_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(SourceUnavailableError, match=r"toy@2\.0: cannot be resolved .* name a clone with --from"):
        add_pin("toy", "2.0")


@pytest.mark.parametrize("wanted", ["", "-x", "a b", "x\ny", "$(id)"])
def test_what_is_no_version_is_a_usage_error(wanted: str, server: Server) -> None:
    with pytest.raises(UsageError, match="is no version, tag or commit"):
        add_pin("toy", wanted)
    assert server.asked == []


def test_an_unknown_engine_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="did you mean toy"):
        add_pin("toyy", "1.0")


def link(file: str, sha256: str = "a" * 64) -> Link:
    return Link(file, f"https://example.org/{file}", sha256)


def test_the_archive_with_the_most_source_is_chosen() -> None:
    arm, x86 = link("t-1-cp312-cp312-manylinux_2_28_aarch64.whl"), link("t-1-cp312-cp312-manylinux_2_28_x86_64.whl")
    old, pure, sdist = (
        link("t-1-cp310-cp310-manylinux_2_28_x86_64.whl"),
        link("t-1-py3-none-any.whl"),
        link("t-1.tar.gz"),
    )
    assert offered.best_of([old, arm, x86, pure, sdist]) == sdist
    assert offered.best_of([old, arm, x86, pure]) == pure
    assert offered.best_of([old, arm, x86]) == x86
    assert offered.best_of([arm]) == arm
    assert offered.best_of([link("t-1.tar.gz", ""), x86]) == x86  # without a digest it cannot be pinned
    assert offered.best_of([]) is None


def test_a_cut_commit_of_a_given_clone_is_pinned_and_found_again(tmp_path: Path) -> None:
    commit = sources.repository(tmp_path / "r")
    cut = commit[:9]
    with pytest.raises(UsageError, match="no pinned version"):
        checkout.pin_of(f"toy@{cut}")
    engine, version = checkout.pin_of(f"toy@{cut}", origin=str(tmp_path / "r"))
    assert (engine.name, version.name, version.commit, version.tag) == ("toy", cut, commit, "")
    assert targets.parse_spec(f"toy@{cut}")[1] == version
    tree = checkout.fetch(engine, version, origin=tmp_path / "r")
    assert tree.revision.commit == commit


def test_a_commit_that_the_clone_lacks_or_that_is_cut_for_a_server_is_refused(tmp_path: Path) -> None:
    sources.repository(tmp_path / "r")
    with pytest.raises(FetchError, match="has no commit 1234567"):
        checkout.pin_of("toy@1234567", origin=str(tmp_path / "r"))
    with pytest.raises(UsageError, match="whole commits only"):
        checkout.pin_of("toy@1234567", origin=f"file://{tmp_path}/r")
    with pytest.raises(UsageError, match="no pinned version"):
        checkout.pin_of("toy@main", origin=str(tmp_path / "r"))
    assert not targets.user_file("toy").exists()


def test_a_commit_is_placed_behind_the_newest_release_in_its_history(tmp_path: Path) -> None:
    place = tmp_path / "r"
    sources.repository(place)
    commits = {}
    for step in ("v1.1", "between", "v1.2", "v1.3-rc1", "v1.10", "after"):
        (place / "toy" / "pool.py").write_text(f"STEP = {step!r}\n")
        sources.git(place, "commit", "-q", "-a", "-m", step)
        commits[step] = sources.git(place, "rev-parse", "HEAD")
        if step[0] == "v":
            sources.git(place, "tag", step)
    placed = {step: checkout.pin_of(f"toy@{commits[step]}", origin=str(place))[1] for step in ("between", "after")}
    assert (placed["between"].release, placed["after"].release) == ("1.1", "")
    between, after = placed["between"].name, placed["after"].name
    told = {wanted: (in_range(wanted, between), in_range(wanted, after)) for wanted in (">=1.1", ">=1.2", "<1.2", ">2")}
    assert told == {">=1.1": (True, True), ">=1.2": (False, True), "<1.2": (True, False), ">2": (False, True)}


def test_without_history_a_commit_is_placed_by_its_date(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = targets.target("toy")
    pins = [
        targets.Version("c" * 40, commit="c" * 40, released="2026-03-01"),
        targets.Version("2.0", tag="v2.0", released="2026-02-01"),
        targets.Version("b" * 40, commit="b" * 40, released="2026-01-15"),
        targets.Version("1.0", tag="v1.0", released="2026-01-01"),
        targets.Version("a" * 40, commit="a" * 40, released="2025-12-01"),
    ]
    monkeypatch.setattr(targets, "load_targets", lambda: (replace(toy, versions=tuple(pins)),))
    targets.number_of.cache_clear()
    found = [[in_range(wanted, letter * 40) for letter in "abc"] for wanted in ("<1.0", ">=1.0,<2.0", ">=2.0")]
    assert found == [[True, False, False], [False, True, False], [False, False, True]]
    assert in_range(">=5", "d" * 40)
    targets.number_of.cache_clear()
