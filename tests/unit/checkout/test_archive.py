from __future__ import annotations

import gzip
import stat
import tarfile
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.checkout import sources
from tests.unit.checkout.sources import FILES, OTHERS, member
from tracer.checkout import archive, selection
from tracer.checkout.archive import read_archive
from tracer.errors import FetchError
from tracer.model import Gap
from tracer.targets import Target


def contents(path: Path, target: Target | None = None) -> tuple[dict[str, str], list[Gap]]:
    found = read_archive(path, target or sources.target())
    return {p: data.decode() for p, data in found.entries}, found.gaps


def refused(path: Path) -> str:
    with pytest.raises(FetchError) as e:
        contents(path)
    assert str(e.value).isprintable()
    assert path.name in str(e.value)
    return str(e.value)


@pytest.mark.parametrize("name", ["toy-1.0.tar.gz", "toy-1.0.whl", "toy-1.0.zip"])
def test_only_the_roots_and_suffixes_are_read(name: str, tmp_path: Path) -> None:
    if name.endswith(".tar.gz"):
        path = sources.sdist(tmp_path / name, {**FILES, **OTHERS})
    elif name.endswith(".whl"):
        path = sources.wheel(tmp_path / name, {**FILES, **OTHERS})
    else:
        path = sources.wheel(tmp_path / name, {f"toy-1.0/{n}": t for n, t in {**FILES, **OTHERS}.items()})
    assert contents(path) == (FILES, [])


def test_the_top_folder_may_be_spelt_with_a_dot(tmp_path: Path) -> None:
    assert contents(sources.sdist(tmp_path / "a.tar.gz", FILES, top="./toy-1.0/"))[0] == FILES


def test_a_packages_layout_becomes_the_repositorys(tmp_path: Path) -> None:
    files = {"toy/pool.py": "1", "toy/odd.py": "2", "toy_else/x.py": "3"}
    layout = {"toy/": "python/toy/", "toy/odd.py": "other/odd.py"}
    target = sources.target(roots=("python/toy", "other"), layout=layout)
    assert contents(sources.wheel(tmp_path / "a.whl", files), target)[0] == {
        "python/toy/pool.py": "1",
        "other/odd.py": "2",
    }


@pytest.mark.parametrize(
    "name",
    [
        "../evil.py",
        "toy-1.0/../../evil.py",
        "/etc/evil.py",
        "toy-1.0/toy/../../../e.py",
        "toy\\..\\..\\e.py",
        "C:/e.py",
    ],
)
def test_a_path_that_climbs_out_condemns_the_archive(name: str, tmp_path: Path) -> None:
    assert "unsafe path" in refused(sources.sdist(tmp_path / "a.tar.gz", FILES, member(name)))
    assert "unsafe path" in refused(sources.wheel(tmp_path / "a.whl", {**FILES, name: "x"}))


def test_links_are_never_followed_and_are_noted(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    links = [
        member("toy-1.0/toy/soft.py", tarfile.SYMTYPE, str(tmp_path / "secret.py")),
        member("toy-1.0/toy/hard.py", tarfile.LNKTYPE, "toy-1.0/toy/pool.py"),
        member("toy-1.0/toy/folder", tarfile.SYMTYPE, "/etc"),
        member("toy-1.0/docs/elsewhere.py", tarfile.SYMTYPE, "/etc/passwd"),
        member("toy-1.0/toy/pipe.py", tarfile.FIFOTYPE),
    ]
    files, gaps = contents(sources.sdist(tmp_path / "a.tar.gz", FILES, *links))
    assert files == FILES
    assert [(g.what, g.why) for g in gaps] == [
        (f"toy/{n}", "left out: a link in a.tar.gz") for n in ("soft.py", "hard.py", "folder")
    ]


def test_a_wheels_links_are_never_followed_either(tmp_path: Path) -> None:
    path = sources.wheel(tmp_path / "a.whl")
    info = zipfile.ZipInfo("toy/soft.py")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as z:
        z.writestr(info, "/etc/passwd")
    files, gaps = contents(path)
    assert files == FILES
    assert gaps == [Gap("toy/soft.py", "left out: a link in a.whl")]


def test_a_file_that_is_too_large_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILE", 1000)
    big = {**FILES, "toy/big.py": "#" * 1001, "toy/fits.py": "#" * 1000}
    for path in (sources.sdist(tmp_path / "a.tar.gz", big), sources.wheel(tmp_path / "a.whl", big)):
        files, gaps = contents(path)
        assert "toy/big.py" not in files
        assert "toy/fits.py" in files
        assert gaps == [Gap("toy/big.py", "left out: 1,001 bytes, more than 8 MiB")]


def test_a_bomb_is_given_up_after_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL", 1 << 20)
    bomb = sources.sdist(tmp_path / "a.tar.gz", {"zeros.bin": b"\0" * (2 << 20), **FILES})
    assert bomb.stat().st_size < 20_000
    assert "unpacks to more than 1 MiB" in refused(bomb)


def test_a_huge_extended_header_is_not_taken_into_memory(tmp_path: Path) -> None:
    path = sources.sdist(tmp_path / "a.tar.gz", FILES, member("x", tarfile.XHDTYPE, size=(1 << 20) + 1))
    assert "extended header" in refused(path)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 6)
    assert contents(sources.sdist(tmp_path / "a.tar.gz"))[0] == FILES  # five files and PKG-INFO
    monkeypatch.setattr(archive, "MAX_MEMBERS", 5)
    assert "more than 5 members" in refused(sources.sdist(tmp_path / "b.tar.gz"))
    assert "more than 5 members" in refused(sources.wheel(tmp_path / "b.whl"))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.999])
def test_a_truncated_archive_is_refused(share: float, tmp_path: Path) -> None:
    noise = "".join(f"x{i * 7919 % 10007} = {i}\n" for i in range(3000))
    for path in (
        sources.sdist(tmp_path / "a.tar.gz", {**FILES, "toy/noise.py": noise}),
        sources.wheel(tmp_path / "a.whl", {**FILES, "toy/noise.py": noise}),
    ):
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
        assert "truncated or damaged" in refused(path)


def test_a_changed_byte_is_found_without_any_pin(tmp_path: Path) -> None:
    path = sources.wheel(tmp_path / "a.whl", {"toy/a.py": "x = 1\n" * 1000})
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(data)
    assert "truncated or damaged" in refused(path)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.whl"])
def test_what_is_no_archive_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("<html>Sorry</html>")
    assert "truncated or damaged" in refused(tmp_path / name)


def test_a_tar_cut_inside_a_member_is_refused_even_if_its_gzip_is_whole(tmp_path: Path) -> None:
    path = sources.sdist(tmp_path / "a.tar.gz", {"toy/a.py": "x" * 5000})
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:2000]))
    assert "truncated or damaged" in refused(path)


def test_an_encrypted_wheel_is_one_line(tmp_path: Path) -> None:
    path = sources.wheel(tmp_path / "a.whl", {"toy/a.py": "x"})
    data = path.read_bytes()
    at = data.index(b"PK\x01\x02")
    path.write_bytes(data[: at + 8] + bytes([data[at + 8] | 1]) + data[at + 9 :])
    assert "cannot be read" in refused(path)


@pytest.mark.parametrize("name", ["toy/new\nline.py", "toy/back\\slash.py"])
def test_a_name_that_cannot_be_shown_or_stored_is_a_gap(name: str, tmp_path: Path) -> None:
    files, gaps = contents(sources.sdist(tmp_path / "a.tar.gz", {**FILES, name: "x"}))
    assert files == FILES
    assert len(gaps) == 1
    assert gaps[0].why.startswith("left out: its name holds a")


def test_a_name_that_is_not_utf8_is_a_gap(tmp_path: Path) -> None:
    info = tarfile.TarInfo("toy-1.0/toy/\udcff.py")
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as tar:
        tar.addfile(info)
    files, gaps = contents(path)
    assert files == {}
    assert gaps == [Gap("toy/?.py", "left out: its name is not UTF-8")]


def test_the_limits_are_those_promised() -> None:
    assert (selection.MAX_FILE, selection.MAX_TOTAL, selection.MAX_MEMBERS) == (8 << 20, 1 << 30, 200_000)


@lru_cache(maxsize=1)
def whole() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as place:
        made = (sources.sdist(Path(place, "a.tar.gz")), sources.wheel(Path(place, "a.whl")))
        return {path.name: path.read_bytes() for path in made} | {"a.tar": gzip.decompress(made[0].read_bytes())}


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_harmed_bytes_give_a_fetch_error_or_files_but_never_a_traceback(data: st.DataObject, tmp_path: Path) -> None:
    name = data.draw(st.sampled_from(sorted(whole())))
    harmed = bytearray(whole()[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(harmed) - 1))
        some = data.draw(st.binary(min_size=1, max_size=4))
        harmed[at : at + len(some)] = some
    path = tmp_path / ("a.tar.gz" if name == "a.tar" else name)
    path.write_bytes(gzip.compress(harmed) if name == "a.tar" else harmed)
    found = read_archive(path, sources.target())
    try:
        paths = [p for p, _ in found.entries]
    except FetchError as e:
        assert str(e).isprintable()
    else:
        assert all(selection.keeps(sources.target(), p) and ".." not in p for p in paths)
