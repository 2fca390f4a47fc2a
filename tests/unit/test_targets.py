from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tracer import catalog, targets
from tracer.errors import CacheError, UsageError
from tracer.targets import SourceSpec, Target, Version, context_of, module_of, parse_spec

PINS = {
    "vllm": ["0.33.0", "0.25.1", "0.11.0"],
    "sglang": ["0.5.23", "0.5.10.post1", "0.5.2"],
    "lmcache": ["0.5.6", "0.4.7", "0.3.15"],
    "aibrix": ["0.8.0", "0.7.0"],
    "mooncake": ["3b5a594133958449a1feaf1c9e0fc1b553e34a28", "v0.3.12.post1", "v0.3.10", "v0.3.6"],
}


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config"


def documents() -> dict[str, dict[str, Any]]:
    return {p.stem: targets._read(p) for p in sorted(catalog.shipped("targets").glob("*.yaml"))}


def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((catalog.shipped("targets") / "schema.json").read_text("utf-8"))
    return loaded


# The shipped files


def test_the_shipped_files_follow_their_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    for name, document in documents().items():
        jsonschema.validate(document, schema())
        assert document["name"] == name


@pytest.mark.parametrize(
    "change",
    [
        {"roots": ["/etc"]},
        {"roots": ["a/../../b"]},
        {"roots": []},
        {"colour": "red"},
        {"versions": [{"name": "../x", "sources": [{"kind": "git"}]}]},
        {"versions": [{"name": "1", "tag": "-rf", "sources": [{"kind": "git"}]}]},
        {"versions": [{"name": "1", "sources": [{"kind": "git", "url": "ext::sh -c x"}]}]},
        {"versions": [{"name": "1", "sources": [{"kind": "archive", "file": "a.whl", "sha256": "12"}]}]},
        {"versions": [{"name": "1", "sources": [{"kind": "archive", "file": "../a.whl", "sha256": "0" * 64}]}]},
        {"versions": [{"name": "1", "sources": []}]},
    ],
)
def test_the_schema_refuses(change: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**documents()["vllm"], **change}, schema())


def test_the_pins_are_shipped_newest_first() -> None:
    assert {t.name: [v.name for v in t.versions] for t in targets.load_targets()} == PINS
    for target in targets.load_targets():
        dates = [v.released for v in target.versions]
        assert dates == sorted(dates, reverse=True)
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", d) for d in dates)


def test_git_is_the_first_source_and_every_release_has_a_verified_archive() -> None:
    for target in targets.load_targets():
        for version in target.versions:
            assert version.sources[0] == SourceSpec("git", url=target.url + ".git")
            archives = [s for s in version.sources if s.kind == "archive"]
            assert len(archives) == (1 if version.package else 0)
            for archive in archives:
                assert re.fullmatch("[0-9a-f]{64}", archive.sha256)
                assert version.package in archive.file
                assert bool(archive.lacks) == (target.name in ("aibrix", "mooncake"))  # their archives hold no C++


def test_an_engine_that_is_asked_by_name_only_is_known_and_not_asked_otherwise() -> None:
    assert targets.defaults() == ("lmcache", "mooncake", "sglang", "vllm")
    assert set(targets.names()) - set(targets.defaults()) == {"aibrix"}
    assert parse_spec("aibrix")[0].by_name


def test_a_release_without_tag_is_pinned_by_its_full_commit() -> None:
    for target in targets.load_targets():
        assert all(v.tag or len(v.commit) == 40 for v in target.versions)


def test_a_version_that_looks_like_a_number_stays_text(own_configuration: Path) -> None:
    own = own_configuration / "targets" / "vllm.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("versions:\n- name: 0.10\n  commit: 1969587\n  released: 2020-01-01\n  sources: [{kind: git}]\n")
    added = targets.target("vllm").versions[-1]
    assert (added.name, added.commit, added.released) == ("0.10", "1969587", "2020-01-01")


# A spec names a pin


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("vllm", "0.33.0"),
        ("VLLM", "0.33.0"),
        ("vllm@0.25.1", "0.25.1"),
        ("vllm@v0.25.1", "0.25.1"),
        ("vllm@4ba787ec9", "0.33.0"),
        ("vllm@4ba787e", "0.33.0"),
        ("vllm@4BA787E", "0.33.0"),
        ("vllm@4ba787ec9" + "0" * 31, "0.33.0"),
        ("sglang@0.5.10.post1", "0.5.10.post1"),
        ("mooncake", "3b5a594133958449a1feaf1c9e0fc1b553e34a28"),
        ("mooncake@3b5a594", "3b5a594133958449a1feaf1c9e0fc1b553e34a28"),
        ("mooncake@HEAD-3b5a594", "3b5a594133958449a1feaf1c9e0fc1b553e34a28"),
        ("mooncake@v0.3.12-7-g3b5a594", "3b5a594133958449a1feaf1c9e0fc1b553e34a28"),
        ("mooncake@v0.3.10", "v0.3.10"),
        ("mooncake@0.3.10", "v0.3.10"),
        ("mooncake@59c9f90151018618c8613536246358a05fc714e0", "v0.3.10"),
    ],
)
def test_a_spec_names_a_pin_by_name_tag_package_version_or_commit(spec: str, name: str) -> None:
    engine, version = parse_spec(spec)
    assert engine.name == spec.partition("@")[0].lower()
    assert version.name == name


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("vlm", "unknown engine 'vlm' — did you mean vllm"),
        ("sglan@0.5.2", "did you mean sglang"),
        ("zzz", "engines: aibrix, lmcache, mooncake, sglang, vllm"),
        ("", "unknown engine ''"),
        ("../vllm", "unknown engine"),
        ("vllm@", "no version after the @"),
        ("vllm@0.33", "did you mean 0.33.0?"),
        ("vllm@0.33.0.0", "pins: 0.33.0, 0.25.1, 0.11.0; `tracer targets add vllm 0.33.0.0` pins another"),
        ("vllm@196958728", "has no pinned version '196958728'"),
        ("vllm@4ba787", "has no pinned version"),  # six digits are too few
        ("vllm@4ba787ec8", "has no pinned version"),
    ],
)
def test_what_names_no_pin_is_one_line_with_the_nearest(spec: str, says: str) -> None:
    with pytest.raises(UsageError) as e:
        parse_spec(spec)
    assert says in str(e.value)
    assert "\n" not in str(e.value)


def engine_with(*versions: Version) -> Target:
    return Target("toy", "Toy", "https://example.org/toy", ("toy",), versions=versions)


def test_equal_numbers_are_not_equal_text() -> None:
    with pytest.raises(UsageError):
        targets.version_of(engine_with(Version("0.10")), "0.1")
    with pytest.raises(UsageError):
        targets.version_of(engine_with(Version("0.10")), "0.10.0")


def test_a_name_of_digits_wins_over_a_commit_of_the_same_digits() -> None:
    named, other = Version("196958728"), Version("1.0", commit="196958728" + "a" * 31)
    assert targets.version_of(engine_with(other, named), "196958728") is named


def test_a_commit_that_fits_two_pins_asks_for_more_digits() -> None:
    engine = engine_with(Version("1", commit="abcdef12" + "0" * 32), Version("2", commit="abcdef13" + "0" * 32))
    assert targets.version_of(engine, "abcdef13").name == "2"
    with pytest.raises(UsageError, match="ambiguous — it fits 1, 2; give more digits"):
        targets.version_of(engine, "abcdef1")


@given(st.text(max_size=40))
def test_any_text_is_either_a_pin_or_a_usage_error(text: str) -> None:
    try:
        version = targets.version_of(engine_with(Version("1.0", tag="v1.0", commit="0123456789")), text)
    except UsageError as e:
        assert str(e).isprintable()
    else:
        assert version.name == "1.0"


# Modules and contexts


@pytest.mark.parametrize(
    ("engine", "path", "module"),
    [
        ("vllm", "vllm/v1/core/block_pool.py", "vllm.v1.core.block_pool"),
        ("vllm", "vllm/v1/core/__init__.py", "vllm.v1.core"),
        ("vllm", "vllm/_C.pyi", "vllm._C"),
        ("vllm", "csrc/cache_kernels.cu", ""),
        ("sglang", "python/sglang/srt/x.py", "sglang.srt.x"),
        ("sglang", "python/sglang/__init__.py", "sglang"),
        ("lmcache", "lmcache/v1/x.py", "lmcache.v1.x"),
        ("mooncake", "mooncake-wheel/mooncake/y.py", "mooncake.y"),
        ("mooncake", "mooncake-integration/allocator.py", "mooncake.allocator"),
        ("mooncake", "mooncake-integration/store/async_store.py", "mooncake.async_store"),
        ("mooncake", "mooncake-store/tests/e2e/run.py", "mooncake_store.tests.e2e.run"),
        ("mooncake", "mooncake-store/src/master.cpp", ""),
    ],
)
def test_a_path_becomes_a_module(engine: str, path: str, module: str) -> None:
    assert module_of(targets.target(engine), path) == module


@pytest.mark.parametrize(
    ("engine", "path", "context"),
    [
        ("vllm", "vllm/v1/core/block_pool.py", ""),
        ("vllm", "vllm/benchmarks/serve.py", "bench"),
        ("vllm", "vllm/entrypoints/cli/benchmark/serve.py", "bench"),
        ("vllm", "vllm/v1/fault_tolerance/utils.py", ""),
        ("vllm", "vllm/v1/sample/sampler.py", ""),
        ("sglang", "python/sglang/srt/disaggregation/fake/conn.py", "mock"),
        ("sglang", "python/sglang/srt/mem_cache/storage/hf3fs/test_hf3fs_utils.py", "test"),
        ("sglang", "python/sglang/srt/mem_cache/radix_cache.py", ""),
        ("lmcache", "lmcache/v1/distributed/l2_adapters/fault_inject_l2_adapter.py", "fault"),
        ("lmcache", "lmcache/v1/distributed/l2_adapters/mock_l2_adapter.py", "mock"),
        ("lmcache", "lmcache/v1/check/check_mode_test_remote.py", "test"),
        ("lmcache", "lmcache/cli/commands/bench/command.py", "bench"),
        ("lmcache", "lmcache/v1/cache_engine.py", ""),
        ("mooncake", "mooncake-store/tests/client_test.cpp", "test"),
        ("mooncake", "mooncake-transfer-engine/example/run.cpp", "example"),
        ("mooncake", "mooncake-store/benchmarks/allocator_bench.cpp", "bench"),
        ("mooncake", "mooncake-common/src/default_config.cpp", ""),
    ],
)
def test_files_that_are_not_live_code_get_a_label(engine: str, path: str, context: str) -> None:
    assert context_of(targets.target(engine), path) == context


def test_a_target_can_key_a_cache() -> None:
    assert hash(targets.target("vllm")) == hash(targets.target("vllm"))


# The user's own pins


def added(name: str = "0.40.0", released: str = "2027-01-01") -> Version:
    sources = (
        SourceSpec("git", url="https://github.com/vllm-project/vllm.git"),
        SourceSpec("archive", project="vllm", file=f"vllm-{name}.tar.gz", sha256="a" * 64),
    )
    return Version(name, f"v{name}", "", name, released, sources)


def test_a_saved_pin_is_read_back_as_it_was_and_the_newest_is_the_default(own_configuration: Path) -> None:
    place = targets.save_pin(targets.target("vllm"), added())
    assert place == own_configuration / "targets" / "vllm.yaml"
    assert parse_spec("vllm")[1] == added()
    assert [v.name for v in targets.target("vllm").versions] == ["0.40.0", *PINS["vllm"]]
    assert not list(place.parent.glob("*.part"))


def test_pins_are_kept_in_the_order_of_their_release() -> None:
    targets.save_pin(targets.target("vllm"), added("0.30.0", "2026-10-01"))
    targets.save_pin(targets.target("vllm"), added("0.20.0", ""))
    assert [v.name for v in targets.target("vllm").versions] == ["0.33.0", "0.30.0", "0.25.1", "0.11.0", "0.20.0"]


def test_a_pin_saved_again_replaces_the_first_and_never_a_shipped_one(own_configuration: Path) -> None:
    engine = targets.target("vllm")
    targets.save_pin(engine, added(released="2026-12-01"))
    targets.save_pin(engine, added(released="2027-01-01"))
    targets.save_pin(engine, added("0.33.0", "2027-01-02"))
    pins = {v.name: v.released for v in targets.target("vllm").versions}
    assert pins["0.40.0"] == "2027-01-01"
    assert pins["0.33.0"] == engine.versions[0].released
    assert len(yaml.safe_load((own_configuration / "targets" / "vllm.yaml").read_text())["versions"]) == 2


@pytest.mark.parametrize(
    "text",
    [
        "- a list\n",
        "versions: 3\n",
        "versions: [{name: ../../x, sources: [{kind: git}]}]\n",
        "versions: [{name: '1', sources: [{kind: git, url: 'ext::sh -c id'}]}]\n",
        "versions: [{name: '1'\n",
        "versions: !!python/object/apply:os.getcwd []\n",
        "other: 1\n",
    ],
)
def test_a_spoilt_file_of_own_pins_is_one_line_that_names_it(text: str, own_configuration: Path) -> None:
    own = own_configuration / "targets" / "vllm.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(text)
    with pytest.raises(UsageError, match="mend") as e:
        targets.load_targets()
    assert str(own) in str(e.value)
    assert "\n" not in str(e.value)


def test_own_pins_that_cannot_be_saved_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "file" / "x"))
    with pytest.raises(CacheError, match="TRACER_CONFIG_DIR"):
        targets.save_pin(targets.target("vllm"), added())
