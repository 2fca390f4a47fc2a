from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.checkout import sources
from tests.unit.checkout.sources import FILES
from tracer.checkout import store as module
from tracer.checkout.listener import Listener
from tracer.checkout.selection import Found
from tracer.checkout.store import StoredTree, locked, store, stored
from tracer.errors import CacheError, FetchError, SourceUnavailableError
from tracer.model import Gap, digest_of
from tracer.targets import Target

TARGET, VERSION = sources.target(), sources.version()


def found(files: dict[str, str], gaps: tuple[Gap, ...] = ()) -> Found:
    return Found("archive", iter([(p, t.encode()) for p, t in files.items()]), "toy.whl", "abc", "v1.0", list(gaps))


def put(files: dict[str, str] = FILES, target: Target = TARGET) -> StoredTree:
    with locked(target, VERSION, Listener()) as work:
        return store(target, VERSION, found(files), work, Listener())


def left_in(cache: Path) -> list[str]:
    return sorted(p.name for p in (cache / "trees" / "toy").iterdir() if p.name != ".1.0.lock")


def test_a_stored_tree_is_read_back_by_another_process_as_it_was(cache: Path) -> None:
    first, again = put(), stored(TARGET, VERSION)
    assert again is not None
    assert again.files() == first.files()
    assert [(f.path, f.size, f.digest) for f in again.files()] == [
        (p, len(FILES[p]), digest_of(FILES[p])) for p in sorted(FILES)
    ]
    assert {p: again.read(p).decode() for p in FILES} == FILES
    assert again.revision == first.revision
    assert (again.revision.kind, again.revision.commit, again.revision.tag) == ("archive", "abc", "v1.0")
    assert again.revision.url == TARGET.url
    assert again.origin == "toy.whl"
    assert left_in(cache) == ["1.0"]


def test_the_manifest_says_nothing_of_this_machine(cache: Path) -> None:
    put()
    text = (cache / "trees" / "toy" / "1.0" / "manifest.json").read_text()
    assert str(cache) not in text
    first = json.loads(text)
    put()
    assert json.loads((cache / "trees" / "toy" / "1.0" / "manifest.json").read_text()) == first


def test_gaps_are_kept_in_one_order(cache: Path) -> None:
    gaps = (Gap("toy/z.py", "b"), Gap("toy/a.py", "a"))
    with locked(TARGET, VERSION, Listener()) as work:
        store(TARGET, VERSION, found(FILES, gaps), work, Listener())
    tree = stored(TARGET, VERSION)
    assert tree is not None
    assert tree.gaps == gaps[::-1]


def test_nothing_stored_is_none_and_makes_nothing(cache: Path) -> None:
    assert stored(TARGET, VERSION) is None
    assert not cache.exists()


@pytest.mark.parametrize("manifest", ["", "{", "[]", '{"format": 1}', "\0\0"])
def test_a_tree_with_a_spoilt_manifest_does_not_exist(manifest: str, cache: Path) -> None:
    put()
    (cache / "trees" / "toy" / "1.0" / "manifest.json").write_text(manifest)
    assert stored(TARGET, VERSION) is None


@pytest.mark.parametrize(
    "changes",
    [{"roots": ("toy",)}, {"suffixes": {"python": (".py",)}}, {"layout": {"x/": "toy/"}}],
)
def test_a_tree_kept_by_other_rules_does_not_exist(changes: dict[str, object]) -> None:
    put()
    assert stored(TARGET, VERSION) is not None
    assert stored(sources.target(**changes), VERSION) is None
    assert stored(sources.target(context={"test": ("**/tests/**",)}), VERSION) is not None  # only a label


def test_a_file_that_is_not_listed_cannot_be_read() -> None:
    tree = put()
    for path in ("manifest.json", "../1.0/toy/pool.py", "/etc/passwd", "toy/none.py"):
        with pytest.raises(SourceUnavailableError, match="not a file of this tree"):
            tree.read(path)


@pytest.mark.parametrize("change", ["other", None])
def test_a_file_changed_in_the_cache_is_refused_with_what_to_do(change: str | None, cache: Path) -> None:
    tree = put()
    assert tree.broken() == ""
    file = cache / "trees" / "toy" / "1.0" / "toy" / "pool.py"
    file.write_text(change) if change else file.unlink()
    with pytest.raises(CacheError, match=r"was changed in the cache — `tracer fetch toy@1\.0` fetches it again"):
        tree.read("toy/pool.py")
    assert tree.broken() == "toy/pool.py"


def test_a_source_that_breaks_off_leaves_the_tree_that_was_there(cache: Path) -> None:
    put({"toy/old.py": "old"})

    def breaks() -> Iterator[tuple[str, bytes]]:
        yield "toy/new.py", b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), locked(TARGET, VERSION, Listener()) as work:
        store(TARGET, VERSION, Found("archive", breaks()), work, Listener())
    tree = stored(TARGET, VERSION)
    assert tree is not None
    assert [f.path for f in tree.files()] == ["toy/old.py"]
    assert left_in(cache) == ["1.0"]


def test_a_new_tree_replaces_the_old_one_whole(cache: Path) -> None:
    put({"toy/old.py": "old"})
    put({"toy/new.py": "new"})
    place = cache / "trees" / "toy" / "1.0"
    assert sorted(p.name for p in place.rglob("*.py")) == ["new.py"]
    assert left_in(cache) == ["1.0"]


def test_what_a_killed_process_left_is_removed_by_the_next(cache: Path) -> None:
    stale = cache / "trees" / "toy" / ".1.0.tmp-99999"
    other = cache / "trees" / "toy" / ".2.0.tmp-99999"
    for place in (stale, other):
        sources.folder(place / "tree", FILES)
    put()
    assert left_in(cache) == [".2.0.tmp-99999", "1.0"]  # another version's may be at work


@pytest.mark.parametrize("twice", ["toy/pool.py", "toy/pool.py/x.py"])
def test_a_path_given_twice_is_refused_and_nothing_kept(twice: str, cache: Path) -> None:
    two = Found("archive", iter([("toy/pool.py", b"1"), (twice, b"2")]), "toy.whl")
    with pytest.raises(FetchError, match="more than once"), locked(TARGET, VERSION, Listener()) as work:
        store(TARGET, VERSION, two, work, Listener())
    assert left_in(cache) == []


def test_a_source_without_a_file_that_counts_is_refused(cache: Path) -> None:
    with pytest.raises(FetchError, match=r"toy.whl: holds no source file under toy, csrc — is it Toy 1.0\?"):
        put({})
    assert left_in(cache) == []


def test_too_much_source_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TOTAL", 10)
    with pytest.raises(FetchError, match="of source"):
        put({"toy/a.py": "#" * 6, "toy/b.py": "#" * 6})
    assert left_in(cache) == []


@pytest.mark.parametrize("path", ["toy/../../x.py", "docs/x.py", "/etc/x.py"])
def test_the_last_gate_lets_nothing_through_that_a_source_should_have_stopped(path: str, cache: Path) -> None:
    with pytest.raises(AssertionError):
        put({path: "x"})
    assert left_in(cache) == []


def test_a_full_disk_is_one_line_and_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put({"toy/old.py": "old"})

    def full(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.msgspec.json, "format", full)
    with pytest.raises(CacheError, match="No space left on device") as e:
        put()
    assert "TRACER_CACHE_DIR" in str(e.value)
    assert left_in(cache) == ["1.0"]


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with pytest.raises(CacheError, match="TRACER_CACHE_DIR") as e:
        put()
    assert "\n" not in str(e.value)


def test_a_read_only_cache_can_still_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    put()
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    tree = stored(TARGET, VERSION)
    assert tree is not None
    assert tree.broken() == ""


def hold(entered: object, leave: object) -> None:
    with locked(TARGET, VERSION, Listener()):
        entered.set()  # type: ignore[attr-defined]
        leave.wait(120)  # type: ignore[attr-defined]


def test_a_second_process_waits_for_the_first_and_says_so(cache: Path) -> None:
    spawn = multiprocessing.get_context("fork")
    entered, leave = spawn.Event(), spawn.Event()
    other = spawn.Process(target=hold, args=(entered, leave))
    other.start()
    assert entered.wait(120)
    (cache / "trees" / "toy" / f".1.0.tmp-{other.pid}" / "mark").touch()

    def on_note(text: str) -> None:
        assert (cache / "trees" / "toy" / f".1.0.tmp-{other.pid}" / "mark").exists()  # not taken for a stale one
        said.append(text)
        leave.set()

    said: list[str] = []
    with locked(TARGET, VERSION, Listener(None, on_note)):
        other.join(120)
        assert other.exitcode == 0
    assert said == ["waiting: another process is fetching toy@1.0"]
