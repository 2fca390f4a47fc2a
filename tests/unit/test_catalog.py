from __future__ import annotations

import os
from pathlib import Path

import pytest

from tracer import catalog
from tracer.errors import CacheError, TracerError


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_a_checkout_ships_its_top_level_folders(kind: str) -> None:
    assert catalog.shipped(kind) == Path(catalog.__file__).resolve().parent.parent / kind


def test_the_wheels_copy_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "tracer"
    (package / "shipped" / "rules").mkdir(parents=True)
    (tmp_path / "site" / "rules").mkdir()
    (tmp_path / "site" / "targets").mkdir()
    monkeypatch.setattr(catalog, "_PACKAGE", package)
    assert catalog.shipped("rules") == package / "shipped" / "rules"
    assert catalog.shipped("targets") == tmp_path / "site" / "targets"
    with pytest.raises(TracerError, match="lacks its reports/ folder — install"):
        catalog.shipped("reports")


def test_an_unknown_kind_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="secrets"):
        catalog.shipped("secrets")


def test_the_cache_is_made_on_the_first_use_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "a" / "b"))
    assert catalog.cache_dir(write=False) == tmp_path / "a" / "b"
    assert not (tmp_path / "a").exists()
    assert catalog.cache_dir().is_dir()


def test_without_the_variable_the_systems_place_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRACER_CACHE_DIR", raising=False)
    monkeypatch.setattr(catalog.platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))
    assert catalog.cache_dir(write=False) == tmp_path / "tracer"


def test_a_cache_that_cannot_be_created_is_one_line_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(CacheError, match="cannot be created") as e:
        catalog.cache_dir()
    assert "TRACER_CACHE_DIR" in str(e.value)
    assert "\n" not in str(e.value)


def test_a_read_only_cache_can_be_read_but_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    assert catalog.cache_dir(write=False) == tmp_path
    with pytest.raises(CacheError, match="cannot be written — set TRACER_CACHE_DIR"):
        catalog.cache_dir()


def test_the_configuration_directory_follows_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "c"))
    assert catalog.config_dir() == tmp_path / "c"
    assert not (tmp_path / "c").exists()
    assert catalog.config_dir(write=True).is_dir()
