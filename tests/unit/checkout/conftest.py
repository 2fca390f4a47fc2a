from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.checkout.sources import Server
from tracer.checkout import download, reach, web


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache and a configuration of the test's own, and pip configured with nothing."""
    for name in list(os.environ):
        if name.startswith(("PIP_", "GIT_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(download, "_PAUSE", 0.0)
    for remembered in (web.settings, web._pool, reach._connects):
        remembered.cache_clear()
    yield tmp_path / "cache"
    for remembered in (web.settings, web._pool, reach._connects):
        remembered.cache_clear()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A package index on this machine, which pip is configured with."""
    running = Server()
    monkeypatch.setenv("PIP_INDEX_URL", f"{running.url}/simple")
    yield running
    running.close()
