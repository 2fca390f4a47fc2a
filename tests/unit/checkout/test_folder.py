from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tests.unit.checkout.sources import FILES, OTHERS
from tracer.checkout import folder as module
from tracer.checkout import folder_tree
from tracer.errors import SourceUnavailableError
from tracer.model import Gap, digest_of


def test_a_folder_is_read_where_it_lies(tmp_path: Path, cache: Path) -> None:
    tree = folder_tree(sources.folder(tmp_path / "w", {**FILES, **OTHERS}), sources.target())
    assert [f.path for f in tree.files()] == sorted(FILES)
    assert [(f.size, f.digest) for f in tree.files()] == [(len(FILES[p]), digest_of(FILES[p])) for p in sorted(FILES)]
    assert tree.read("toy/pool.py").decode() == FILES["toy/pool.py"]
    assert (tree.engine, tree.revision.kind, tree.revision.commit, tree.gaps) == ("toy", "folder", "", ())
    assert tree.version == f"folder-{tree.revision.digest[:8]}"
    assert not cache.exists()


def test_the_revision_is_the_content_and_nothing_else(tmp_path: Path) -> None:
    first = folder_tree(sources.folder(tmp_path / "a"), sources.target())
    again = folder_tree(sources.folder(tmp_path / "b", {**FILES, **OTHERS}), sources.target())
    assert first.revision == again.revision
    for change in ({"toy/pool.py": "other"}, {"toy/new.py": ""}):
        changed = folder_tree(
            sources.folder(tmp_path / f"c{len(change)}{next(iter(change))}", {**FILES, **change}), sources.target()
        )
        assert changed.revision != first.revision


def test_a_file_that_is_not_listed_cannot_be_read(tmp_path: Path) -> None:
    tree = folder_tree(sources.folder(tmp_path / "w", {**FILES, **OTHERS}), sources.target())
    for path in ("README.md", "toy/../README.md", "/etc/passwd", "toy/none.py"):
        with pytest.raises(SourceUnavailableError, match="not a file of this tree"):
            tree.read(path)


@pytest.mark.parametrize("change", ["other", None])
def test_a_file_changed_after_listing_is_refused(change: str | None, tmp_path: Path) -> None:
    tree = folder_tree(sources.folder(tmp_path / "w"), sources.target())
    file = tmp_path / "w" / "toy" / "pool.py"
    file.write_text(change) if change else file.unlink()
    with pytest.raises(SourceUnavailableError, match="changed while it was being read — run the command again"):
        tree.read("toy/pool.py")


def test_links_are_noted_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("secret")
    place = sources.folder(tmp_path / "w")
    (place / "toy" / "file.py").symlink_to(tmp_path / "outside" / "secret.py")
    (place / "toy" / "dir").symlink_to(tmp_path / "outside")
    (place / "toy" / "gone.py").symlink_to(tmp_path / "nowhere")
    tree = folder_tree(place, sources.target())
    assert [f.path for f in tree.files()] == sorted(FILES)
    assert tree.gaps == tuple(Gap(f"toy/{n}", "left out: a link") for n in ("dir", "file.py", "gone.py"))


def test_a_root_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    sources.folder(tmp_path / "outside", {"x.py": "1"})
    place = sources.folder(tmp_path / "w", {"toy/a.py": ""})
    (place / "csrc").symlink_to(tmp_path / "outside")
    assert [f.path for f in folder_tree(place, sources.target()).files()] == ["toy/a.py"]


def test_large_files_and_names_that_cannot_be_shown_are_gaps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILE", 100)
    tree = folder_tree(
        sources.folder(tmp_path / "w", {**FILES, "toy/big.py": "#" * 101, "toy/a\nb.py": ""}), sources.target()
    )
    assert [f.path for f in tree.files()] == sorted(FILES)
    assert [g.why for g in tree.gaps] == [
        "left out: its name holds a control character",
        "left out: 101 bytes, more than 8 MiB",
    ]


def test_an_unpacked_package_has_the_repositorys_paths(tmp_path: Path) -> None:
    target = sources.target(roots=("python/toy",), layout={"toy/": "python/toy/"})
    tree = folder_tree(sources.folder(tmp_path / "w", {**FILES, **OTHERS}), target)
    assert [f.path for f in tree.files()] == sorted(f"python/{p}" for p in FILES if p.startswith("toy/"))
    assert tree.read("python/toy/pool.py").decode() == FILES["toy/pool.py"]


def test_hidden_folders_and_environments_are_not_entered(tmp_path: Path) -> None:
    extra = {f"toy/{n}/x.py": "" for n in (".git", ".venv", "__pycache__", "node_modules")}
    tree = folder_tree(sources.folder(tmp_path / "w", {**FILES, **extra}), sources.target())
    assert [f.path for f in tree.files()] == sorted(FILES)


def test_a_folder_of_no_engine_is_read_whole(tmp_path: Path) -> None:
    tree = folder_tree(sources.folder(tmp_path / "snippet", {"main.py": "", "sub/x.cpp": "", "note.txt": ""}))
    assert [f.path for f in tree.files()] == ["main.py", "sub/x.cpp"]
    assert tree.engine == "snippet"


def test_a_known_engine_can_be_named(tmp_path: Path) -> None:
    tree = folder_tree(sources.folder(tmp_path / "w", {"vllm/a.py": "", "docs/b.py": ""}), "vllm", version="mine")
    assert ([f.path for f in tree.files()], tree.engine, tree.version) == (["vllm/a.py"], "vllm", "mine")


@pytest.mark.parametrize(
    ("files", "says"), [({}, "is not a folder"), ({"docs/x.py": ""}, "no source file under toy, csrc")]
)
def test_a_folder_without_source_is_one_line(files: dict[str, str], says: str, tmp_path: Path) -> None:
    place = sources.folder(tmp_path / "w", files)
    with pytest.raises(SourceUnavailableError, match=says) as e:
        folder_tree(place, sources.target())
    assert str(place) in str(e.value)
    assert "\n" not in str(e.value)
