from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tracer.checkout.clone import check_url, common_folder, tag_in
from tracer.errors import UsageError


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/o/r.git",
        "https://user:secret@host/r",
        "http://host/r",
        "ssh://git@host:22/r",
        "git://host/r",
        "git@github.com:o/r.git",
        "file:///srv/r",
    ],
)
def test_plain_addresses_are_allowed(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch x'",
        "https::ext::sh",
        "fd::17",
        "-u",
        "--upload-pack=touch x",
        "ssh://-oProxyCommand=x/r",
        "git@-oProxyCommand=x:r",
        "-oX@host:r",
        "ftp://host/r",
        "javascript:alert(1)",
        "host:r",
        "https:host",
        "https://[bad/r",
        "https://host/r\nx",
        "",
    ],
)
def test_what_could_run_a_program_or_be_an_option_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no address that git may use here — use https://") as e:
        check_url(url)
    assert str(e.value).isprintable()


def test_objects_are_found_in_a_clone_a_bare_mirror_and_a_linked_work_tree(tmp_path: Path) -> None:
    sources.repository(tmp_path / "r")
    sources.git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "r"), "bare.git")
    sources.git(tmp_path / "r", "worktree", "add", "-q", "../linked")
    assert common_folder(tmp_path / "r") == tmp_path / "r" / ".git"
    assert common_folder(tmp_path / "bare.git") == tmp_path / "bare.git"
    assert common_folder(tmp_path / "linked") == tmp_path / "r" / ".git"
    assert common_folder(tmp_path) is None
    assert common_folder(tmp_path / "none") is None


@pytest.mark.parametrize("text", ["gitdir: /nowhere", "gitdir:", "nonsense", "\udcff"])
def test_a_git_file_that_leads_nowhere_is_no_repository(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert common_folder(tmp_path) is None


@pytest.mark.parametrize("packed", [False, True])
def test_a_tag_is_found_loose_or_packed(packed: bool, tmp_path: Path) -> None:
    sources.repository(tmp_path / "r")
    if packed:
        sources.git(tmp_path / "r", "pack-refs", "--all")
    assert tag_in(tmp_path / "r" / ".git", "v1.0") == sources.git(tmp_path / "r", "rev-parse", "v1.0")
    for other in ("v1", "v1.0.1", "", "../heads/main/..", "x"):
        assert tag_in(tmp_path / "r" / ".git", other) == ""
