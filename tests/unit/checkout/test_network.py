from __future__ import annotations

import pytest

from tracer import checkout
from tracer.targets import parse_spec

pytestmark = pytest.mark.network


@pytest.fixture(autouse=True)
def real_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip's own configuration, which the other tests put aside."""
    monkeypatch.delenv("PIP_CONFIG_FILE")


def test_a_pinned_release_is_fetched_from_the_real_index() -> None:
    tree = checkout.fetch(*parse_spec("sglang@0.5.2"), source="archive")
    paths = [f.path for f in tree.files()]
    assert "python/sglang/srt/mem_cache/radix_cache.py" in paths
    assert all(p.startswith("python/sglang/") for p in paths)
    assert tree.gaps == ()


def test_the_python_half_of_mooncake_says_what_it_lacks() -> None:
    tree = checkout.fetch(*parse_spec("mooncake@0.3.10"), source="archive")
    assert "mooncake-wheel/mooncake/mooncake_connector_v1.py" in [f.path for f in tree.files()]
    assert [g.what for g in tree.gaps] == ["mooncake@v0.3.10"]


def test_another_release_is_resolved_on_the_real_index() -> None:
    version = checkout.add_pin("lmcache", "0.5.5")
    assert version.sources[-1].file == "lmcache-0.5.5.tar.gz"
    assert parse_spec("lmcache@0.5.5")[1] == version
