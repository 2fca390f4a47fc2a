"""A real browser on a small site. Every test ends with: no error in the console, and no request left the site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.depot import atlas_of
from tracer.render.atlas import build

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium (or `CHROMIUM`), headless."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    place = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not place:
        pytest.skip("no chromium here: apt-get install chromium, or name one in CHROMIUM")
    with playwright.sync_playwright() as p:
        found = p.chromium.launch(executable_path=place, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield found
        found.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the invented engine, as a folder."""
    folder = tmp_path_factory.mktemp("depot")
    old = os.environ.get("TRACER_CACHE_DIR")
    os.environ["TRACER_CACHE_DIR"] = str(folder / "cache")
    try:
        build(atlas_of(folder / "rules"), folder / "site")
    finally:
        if old is None:
            del os.environ["TRACER_CACHE_DIR"]
        else:
            os.environ["TRACER_CACHE_DIR"] = old
    return folder / "site"


@pytest.fixture
def watched(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages (`options` of a browser context); what they say and ask for is judged when the test ends."""
    contexts: list[Any] = []
    said: list[str] = []
    asked: list[str] = []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**options)
        context.set_default_timeout(8000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: said.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: said.append(f"error: {e}"))
        page.on("request", lambda r: asked.append(r.url))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture
def page(watched: Callable[..., Page], site: Path) -> Page:
    """The first page, at the width of a laptop, in light colours."""
    found = watched(viewport={"width": 1280, "height": 900}, color_scheme="light")
    found.goto((site / "index.html").as_uri())
    return found
