"""Paths and walkthroughs in a real browser: steps and lines, keys, deep links, languages, quiz, speaker, print."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import walkway
from tests.browser.axe import violations
from tracer.render.atlas import build

if TYPE_CHECKING:
    from playwright.sync_api import Page

LAPTOP = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}


@pytest.fixture(scope="session")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the invented path, as a folder."""
    folder = tmp_path_factory.mktemp("walkway")
    old = os.environ.get("TRACER_CACHE_DIR")
    os.environ["TRACER_CACHE_DIR"] = str(folder / "cache")
    try:
        build(walkway.atlas_of(folder / "rules"), folder / "site")
    finally:
        if old is None:
            del os.environ["TRACER_CACHE_DIR"]
        else:
            os.environ["TRACER_CACHE_DIR"] = old
    return folder / "site"


def _url(walks: Path, kind: str, rest: str = "") -> str:
    (found,) = walks.glob(f"{kind}/path-*.html")
    return found.as_uri() + rest


@pytest.fixture
def path(watched: Callable[..., Page], walks: Path) -> Page:
    page = watched(**LAPTOP)
    page.goto(_url(walks, "paths"))
    return page


@pytest.fixture
def walk(watched: Callable[..., Page], walks: Path) -> Page:
    page = watched(**LAPTOP)
    page.goto(_url(walks, "walks"))
    return page


def _shown(page: Page, what: str) -> list[str]:
    return [e.get_attribute("id") or "" for e in page.locator(f"{what}:visible").all()]


def _at(page: Page, number: int) -> None:
    page.locator(f"#step-{number}.current").wait_for()


# -- the drawing ------------------------------------------------------------------------------
def test_from_the_list_to_a_path_and_its_tour(watched: Callable[..., Page], walks: Path) -> None:
    page = watched(**LAPTOP)
    page.goto((walks / "index.html").as_uri())
    page.get_by_role("navigation").get_by_role("link", name="Paths").click()
    page.locator(".paths h2 a").click()
    page.wait_for_url("**/paths/path-*.html")
    assert page.locator(".node").count() == 17
    page.get_by_role("link", name="Guided tour").first.click()
    page.wait_for_url("**/walks/path-*.html")


def test_a_click_on_a_step_shows_its_own_lines(path: Page) -> None:
    assert _shown(path, ".step") == ["step-1"]
    path.locator('.node[data-step="7"]').click()
    assert _shown(path, ".step") == ["step-7"] and path.url.endswith("#step-7")
    code = path.locator("#step-7 .code")
    first, last = walkway.line_of(7), walkway.line_of(7, 8)
    numbers = [int(n.get_attribute("data-line") or 0) for n in code.locator(".row").all()]
    assert numbers == list(range(first, last + 1))
    assert code.locator(f'.row[data-line="{first}"] .src').inner_text().startswith("def step_7(self")
    assert all((s.bounding_box() or {"width": 0})["width"] > 300 for s in code.locator(".src").all())
    on = code.locator(".row.on")
    assert on.count() == 1 and on.inner_text().strip().endswith("step_8(self, deadline)")
    assert path.locator(".node.current").get_attribute("aria-current") == "step"


def test_an_exit_of_the_drawing_points_at_its_line(path: Page) -> None:
    out = path.locator('.out[data-step="2"]')
    assert [re.sub(r"\s+", " ", o.locator("text:visible").text_content() or "") for o in out.all()] == [
        f"abort {walkway.line_of(2, 4)}", f"timeout {walkway.line_of(2, 6)}",
    ]  # fmt: skip
    out.nth(1).click()
    aimed = path.locator(".row.aim")
    assert _shown(path, ".step") == ["step-2"] and aimed.count() == 1
    assert aimed.locator(".src").inner_text().strip().startswith("raise TimeoutError(")
    assert aimed.is_visible()


def test_steps_by_keys_alone(path: Page) -> None:
    path.keyboard.press("Tab")
    path.locator(".node").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        path.keyboard.press(key)
    assert _shown(path, ".step") == ["step-2"]
    assert path.evaluate("document.activeElement.dataset.step") == "2"
    path.keyboard.press("End")
    assert _shown(path, ".step") == ["step-17"]
    path.locator('.node[data-step="4"]').focus()
    path.keyboard.press("Enter")
    assert _shown(path, ".step") == ["step-4"]
    path.get_by_role("button", name="Next").click()
    assert _shown(path, ".step") == ["step-5"]
    path.go_back()
    path.locator("#step-4.current").wait_for()


def test_crossings_are_drawn_apart_and_named(path: Page) -> None:
    named = [p.text_content() for p in path.locator(".pill-text").all()]
    assert named == [e for e in walkway.EDGES if e not in ("call", "dynamic")]
    width = "e => parseFloat(getComputedStyle(e).strokeWidth)"
    plain = path.locator(".arrow.edge-call path").first.evaluate(width)
    assert path.locator(".arrow.edge-rpc path").first.evaluate(width) > 2 * plain
    assert path.locator(".band").count() == 8


def test_the_drawing_is_made_larger_and_dragged(path: Page) -> None:
    canvas, svg = path.locator(".canvas"), path.locator(".canvas svg")
    before = svg.bounding_box()
    path.get_by_role("button", name="Larger").click()
    path.get_by_role("button", name="Larger").click()
    after = svg.bounding_box()
    assert before and after and after["width"] > 1.5 * before["width"]
    box = canvas.bounding_box()
    assert box
    path.mouse.move(box["x"] + 300, box["y"] + 300)
    path.mouse.down()
    path.mouse.move(box["x"] + 200, box["y"] + 180, steps=4)
    path.mouse.up()
    assert canvas.evaluate("e => [e.scrollLeft > 50, e.scrollTop > 50]") == [True, True]
    assert _shown(path, ".step") == ["step-1"]  # a drag is no click
    path.get_by_role("button", name="Fit").click()
    fit = svg.bounding_box()
    assert fit and abs(fit["width"] - before["width"]) < 3


@pytest.mark.parametrize("width", [360, 1280, 1920])
def test_a_long_path_needs_no_scrolling_sideways(watched: Callable[..., Page], walks: Path, width: int) -> None:
    page = watched(viewport={"width": width, "height": 900})
    for kind in ("paths", "walks"):
        page.goto(_url(walks, kind, "#step-9"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(_url(walks, "paths"))
    if width > 1000:
        texts = "[...document.querySelectorAll('.canvas text')].every(t => t.getBBox().x + t.getBBox().width <= 642)"
        assert page.evaluate(texts)
        boxes = """[...document.querySelectorAll('.node')].every(n => {
            const box = n.querySelector('rect').getBBox();
            return [...n.querySelectorAll('text')].every(t => t.getBBox().width <= box.width - 10);
        })"""
        assert page.evaluate(boxes)
        page.locator("#language").click()
        assert page.evaluate(texts) and page.evaluate(boxes)


def test_on_a_phone_a_path_is_a_list(watched: Callable[..., Page], walks: Path) -> None:
    page = watched(**PHONE)
    page.goto(_url(walks, "paths"))
    assert not page.locator(".canvas").is_visible()
    assert len(_shown(page, ".step")) == 17
    step = page.locator("#step-3")
    assert not step.locator(".code").is_visible()
    step.locator("summary").click()
    assert step.locator(".code").is_visible()


# -- the walkthrough -----------------------------------------------------------------------------
def test_by_keys_to_the_end_and_back_by_a_deep_link(walk: Page, walks: Path) -> None:
    _at(walk, 1)
    for number in range(2, 18):
        walk.keyboard.press(["ArrowRight", " ", "n"][number % 3])
        _at(walk, number)
        assert _shown(walk, ".stop") == [f"step-{number}"]
    walk.keyboard.press("ArrowRight")
    _at(walk, 17)
    assert walk.locator(".count").inner_text() == "17 / 17"
    assert walk.locator("progress").evaluate("e => e.value") == 17
    walk.goto(_url(walks, "walks", "#step-7"))
    _at(walk, 7)
    walk.keyboard.press("ArrowLeft")
    _at(walk, 6)
    assert walk.url.endswith("#step-6")
    walk.go_back()
    _at(walk, 7)
    walk.keyboard.press("Home")
    _at(walk, 1)


def test_every_step_says_all_four_things(walk: Page) -> None:
    for heading in ("What happens here", "Who owns the memory now", "What protects it", "What can go wrong here"):
        assert walk.locator("#step-6").get_by_role("heading", name=heading, include_hidden=True).count() == 1
    walk.keyboard.press("End")
    stop = walk.locator("#step-17")
    assert "Publish: from this statement on other readers can find" in stop.inner_text()
    assert stop.get_by_role("link", name=re.compile("Q8")).get_attribute("href") == "../questions/Q8.html"


def test_the_language_is_switched_and_remembered(walk: Page, walks: Path) -> None:
    assert walk.locator("#step-1").get_by_role("heading", name="内存现在归谁").count() == 0
    walk.locator("#language").click()
    assert walk.locator("#step-1").get_by_role("heading", name="内存现在归谁").is_visible()
    assert "Who owns the memory" not in walk.locator("main").inner_text()
    walk.goto(_url(walks, "paths"))
    assert walk.locator("html").get_attribute("lang") == "zh-Hans"
    assert (walk.locator(".out text:visible").first.text_content() or "").startswith("中止")


def test_the_quiz_hides_the_answer_until_it_is_asked_for(walk: Page) -> None:
    answer, ask = walk.locator("#step-1 .answer"), walk.locator("#step-1 .ask")
    assert answer.is_visible() and not ask.is_visible()
    walk.get_by_role("button", name="Quiz me").click()
    assert not answer.is_visible() and "Who owns the memory here" in ask.inner_text()
    assert walk.locator("#step-1 .code").is_visible()
    ask.get_by_role("button", name="Show the answer").click()
    assert answer.is_visible()
    walk.keyboard.press("ArrowRight")
    _at(walk, 2)
    walk.locator("main").focus()
    assert not walk.locator("#step-2 .answer").is_visible()
    walk.keyboard.press(" ")
    assert walk.locator("#step-2 .answer").is_visible()
    walk.keyboard.press(" ")
    _at(walk, 3)
    walk.keyboard.press("q")
    assert walk.locator("#step-3 .answer").is_visible()


def test_the_speaker_sees_what_to_say_and_when(walk: Page) -> None:
    assert not walk.locator("#timing").is_visible() and not walk.locator("#step-1 .say").is_visible()
    walk.keyboard.press("s")
    assert walk.locator("#plan").inner_text().startswith("0:00–")
    seconds = [int(s.get_attribute("data-seconds") or 0) for s in walk.locator(".stop").all()]
    told = [int(s.get_attribute("data-told") or 0) for s in walk.locator(".stop").all()]
    assert sum(seconds) == 300 and told == [sum(seconds[:k]) for k in range(17)]
    walk.keyboard.press("t")
    walk.locator("#clock", has_text=re.compile("0:0[1-9]")).wait_for()
    walk.keyboard.press("End")
    _at(walk, 17)
    assert walk.locator("#drift").inner_text().startswith("−")
    walk.keyboard.press("t")
    walk.get_by_role("button", name="Reset").click()
    assert walk.locator("#clock").inner_text() == "0:00"
    assert walk.locator("#step-17 .say").is_visible()
    walk.keyboard.press("s")
    assert not walk.locator("#step-17 .say").is_visible()


def test_help_opens_and_closes_by_keys(walk: Page) -> None:
    walk.keyboard.press("?")
    assert walk.get_by_role("dialog").is_visible()
    walk.keyboard.press("ArrowRight")
    _at(walk, 1)  # keys of the tour rest while help is open
    walk.keyboard.press("Escape")
    assert not walk.locator("#help").is_visible()


def test_on_paper_every_step_has_a_page_of_its_own_with_its_answer(walk: Page) -> None:
    walk.keyboard.press("q")
    walk.emulate_media(media="print")
    assert len(_shown(walk, ".stop")) == 17
    assert walk.locator("#step-5").evaluate("e => getComputedStyle(e).breakAfter") == "page"
    assert walk.locator("#step-5 .answer").is_visible() and not walk.locator(".controls").is_visible()


# -- both -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["paths", "walks"])
@pytest.mark.parametrize("how", ["light", "dark", "phone"])
def test_axe_finds_nothing(watched: Callable[..., Page], walks: Path, kind: str, how: str) -> None:
    page = watched(**(PHONE if how == "phone" else LAPTOP | {"color_scheme": how}))
    page.goto(_url(walks, kind, "#step-6"))
    assert violations(page) == []
    if kind == "walks":
        page.keyboard.press("q")
        page.keyboard.press("s")
        assert violations(page) == []
        page.keyboard.press("?")
        assert violations(page) == []


def test_the_list_of_paths_is_clean(watched: Callable[..., Page], walks: Path) -> None:
    page = watched(**LAPTOP)
    page.goto((walks / "paths" / "index.html").as_uri())
    assert violations(page) == []


def test_names_of_the_source_stay_text(path: Page, walks: Path) -> None:
    for kind in ("paths", "walks"):
        path.goto(_url(walks, kind, "#step-7"))
        assert path.evaluate("window.hurt") is None
        assert path.locator("main img").count() == 0
        assert walkway.HOSTILE in path.locator("#step-7 .code").inner_text()
    assert walkway.HOSTILE in path.locator("h1").inner_text()


@pytest.mark.parametrize("kind", ["paths", "walks"])
def test_nothing_moves_where_motion_is_not_wanted(watched: Callable[..., Page], walks: Path, kind: str) -> None:
    page = watched(**LAPTOP, reduced_motion="reduce")
    page.goto(_url(walks, kind))
    still = """[...document.querySelectorAll('*')].every(e => {
        const s = getComputedStyle(e);
        return s.scrollBehavior !== 'smooth' && s.animationName === 'none' && parseFloat(s.transitionDuration) === 0;
    })"""
    assert page.evaluate(still)


@pytest.mark.parametrize("kind", ["paths", "walks"])
def test_without_scripts_all_steps_stand_below_each_other(
    watched: Callable[..., Page], walks: Path, kind: str
) -> None:
    page = watched(**LAPTOP, java_script_enabled=False)
    page.goto(_url(walks, kind))
    assert len(_shown(page, ".step" if kind == "paths" else ".stop")) == 17
