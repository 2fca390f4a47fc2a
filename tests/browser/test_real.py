"""The atlas of a real engine: the way from the matrix to the code that the page shows, and every kind of page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.axe import violations
from tracer.checkout import open_tree
from tracer.errors import TracerError
from tracer.model import lines_of
from tracer.render.atlas import Atlas, build, subject_of
from tracer.render.atlas.gather import Subject
from tracer.targets import parse_spec

if TYPE_CHECKING:
    from playwright.sync_api import Page

ENGINE = "lmcache"


@pytest.fixture(scope="module")
def engine() -> Subject:
    target, version = parse_spec(ENGINE)
    try:
        tree = open_tree((target, version))
    except TracerError as error:
        pytest.skip(str(error))
    return subject_of(target, version, tree)


@pytest.fixture(scope="module")
def real(engine: Subject, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("real") / "site"
    build(Atlas([engine]), out)
    return out


@pytest.mark.engine
def test_the_code_on_the_page_is_the_code_of_the_source(
    watched: Callable[..., Page], real: Path, engine: Subject
) -> None:
    page = watched(viewport={"width": 1280, "height": 900})
    page.goto((real / "index.html").as_uri())
    row = page.locator(".matrix tbody tr", has_text="Publish")
    row.locator("td a").first.click()
    place = page.locator(".sites li a").first
    said = place.locator(".place").inner_text()
    place.click()
    page.wait_for_selector(".row.aim .src")
    file, _, lines = said.rpartition(":")
    first, last = int(lines.split("-")[0]), int(lines.split("-")[-1])
    source = lines_of(engine.tree.read(file))
    shown = [row.inner_text().rstrip() for row in page.locator(".row.aim .src").all()]
    assert shown == [line.rstrip() for line in source[first - 1 : last]]


@pytest.mark.engine
def test_pages_of_a_real_engine_are_accessible_and_fit(watched: Callable[..., Page], real: Path) -> None:
    found = []
    largest = max((real / "sites").rglob("*.html"), key=lambda f: f.stat().st_size)
    pages = [real / "index.html", largest, real / "faults.html", real / "questions/Q9.html", real / "gaps.html",
             real / "roles/publish.html"]
    for width in (360, 1280):
        page = watched(viewport={"width": width, "height": 900})
        for file in pages:
            page.goto(file.as_uri())
            found += [f"{width} {file.name}: {v}" for v in violations(page)]
            if (over := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
                found.append(f"{width} {file.name}: {over} px wider than the window")
    assert found == []


@pytest.mark.engine
def test_the_first_page_of_a_real_engine_answers_within_a_second(watched: Callable[..., Page], real: Path) -> None:
    page = watched()
    page.goto((real / "index.html").as_uri())
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    took = page.evaluate("""() => {
      const box = document.getElementById("q");
      const start = performance.now();
      box.value = "cache store";
      box.dispatchEvent(new Event("input"));
      return performance.now() - start;
    }""")
    assert ready + took < 1000
    assert page.locator("#found li").count() > 0
