"""The atlas in a real browser: from the matrix to the code, search, languages, colours, figures, hostile names."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.axe import violations
from tests.browser.budgets import cases, expected
from tests.browser.depot import HOSTILE_FILE, HOSTILE_TEXT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "index.html",
    "roles/publish.html",
    "roles/depot-2.0/publish.html",
    "roles/depot-2.0/load.html",
    "sites/depot-2.0/depot-index.py-*.html",
    "sites/depot-2.0/depot--img-*.html",
    "questions/index.html",
    "questions/Q8.html",
    "faults.html",
    "changes/index.html",
    "changes/depot-1.0--depot-2.0.html",
    "budget.html",
    "gaps.html",
)


class _Attributes(HTMLParser):
    """The names of all attributes of a page, as a browser reads it."""

    @classmethod
    def of(cls, text: str) -> set[str]:
        reader = cls()
        reader.names: set[str] = set()
        reader.feed(text)
        return reader.names

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {name for name, _ in attrs}


def file_of(site: Path, pattern: str) -> Path:
    """The one page that a pattern of PAGES means."""
    (found,) = site.glob(pattern)
    return found


def test_from_the_matrix_over_a_role_and_a_place_to_the_code(page: Page) -> None:
    page.locator(".matrix td a", has_text="4").first.click()
    page.wait_for_url("**/roles/depot-2.0/publish.html")
    assert page.locator(".group").count() == 3
    page.get_by_role("link", name=re.compile(r"Index\.commit")).click()
    page.wait_for_url("**/sites/depot-2.0/depot-index.py-*.html#publish-commit-28")
    aimed = page.locator(".row.aim")
    assert aimed.count() == 1
    assert aimed.get_attribute("data-line") == "28"
    assert aimed.locator(".src").inner_text().strip() == "self._blocks[key] = block"
    assert aimed.bounding_box()["y"] > 60  # type: ignore[index]  # below the bar
    note = page.locator("#publish-commit-28")
    assert "not (block is None)" in note.inner_text()
    host = note.get_by_role("link", name="Open at the host").get_attribute("href")
    assert host == "https://example.org/depot/blob/c0ffee0000000000000000000000000000000000/depot/index.py#L28"


def test_a_place_tells_who_reaches_it_and_which_exits_release_nothing(page: Page, site: Path) -> None:
    page.goto(file_of(site, "sites/depot-2.0/depot-index.py-*.html").as_uri())
    reserve = page.locator("section.function", has=page.get_by_role("heading", name=re.compile("Index.reserve")))
    reserve.locator(".callers summary").click()
    assert "Engine.save" in reserve.locator(".callers li").inner_text()
    assert "depot/engine.py:10" in reserve.locator(".callers li").inner_text()
    pin = page.locator("section.function", has=page.get_by_role("heading", name=re.compile("Index.pin")))
    assert re.search(r"no release\s+return 19", pin.locator(".pairs").inner_text())
    assert re.search(r"released\s+return 21", pin.locator(".pairs").inner_text())


def test_search_finds_a_symbol_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("unpin")
    assert page.locator("#found li").first.inner_text().split("\n")[0].endswith("Index.unpin")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sites/depot-2.0/depot-index.py-*.html#at-*")


def test_words_that_stand_together_in_a_name_find_that_name_first(page: Page) -> None:
    page.locator("#q").fill("index commit")
    assert page.locator("#found li").first.inner_text().split("\n")[0].endswith("Index.commit")


@pytest.mark.parametrize(
    ("words", "kind"), [("index.py", "file"), ("two writers", "failure"), ("Q8", "question"), ("protection", "role")]
)
def test_search_finds_every_kind(page: Page, words: str, kind: str) -> None:
    page.locator("#q").fill(words)
    assert page.locator("#found li .kind").first.inner_text() == kind


def test_the_box_in_the_bar_searches_from_every_page(page: Page, site: Path) -> None:
    page.goto((site / "roles/publish.html").as_uri())
    page.locator(".find input").fill("Index.drop")
    page.keyboard.press("Enter")
    page.wait_for_url("**/index.html?q=*")
    assert "Index.drop" in page.locator("#found li").first.inner_text()


def test_search_says_when_there_is_nothing(page: Page) -> None:
    page.locator("#q").fill("nothing-like-this")
    assert page.locator("#found li").count() == 0
    assert "Nothing found" in page.locator("#found-count").inner_text()


def test_the_language_is_switched_and_remembered_on_the_next_page(page: Page) -> None:
    assert page.locator("h1").inner_text() == "Where KV cache moves"
    page.locator("#language").click()
    assert page.locator("h1").inner_text() == "KV 缓存在哪里流动"
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert page.title().startswith("KV 缓存")
    assert page.locator("#q").get_attribute("placeholder") == "符号、文件、角色、问题"
    page.locator(".matrix td a").nth(1).click()
    assert "4 处" in page.locator("main").inner_text()
    assert "块进入查询所读的索引" in page.locator("main").inner_text()
    assert "places" not in page.locator("main").inner_text()
    page.locator("#language").click()
    assert "4 places" in page.locator("main").inner_text()


def test_the_language_travels_in_the_address_where_nothing_can_be_stored(
    watched: Callable[..., Page], site: Path
) -> None:
    page = watched()
    page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('forbidden') }})")
    page.goto((site / "index.html").as_uri())
    page.locator("#language").click()
    page.locator(".bar nav a").first.click()
    page.wait_for_url("**/questions/index.html?lang=zh")
    assert page.locator("h1").inner_text() == "问题"


def test_dark_colours_follow_the_system_and_the_switch(watched: Callable[..., Page], site: Path) -> None:
    page = watched(color_scheme="dark")
    page.goto((site / "index.html").as_uri())

    def paper() -> int:
        text = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", text)[:3]))

    assert paper() < 150
    page.locator("#theme").click()
    assert paper() > 700
    page.reload()
    assert paper() > 700


def test_the_calculator_has_the_figures_of_the_command(page: Page, site: Path) -> None:
    page.goto((site / "budget.html").as_uri())
    asked = cases(400)
    found = page.evaluate(
        """cases => {
          const names = JSON.parse(document.getElementById("budget-names").textContent);
          return cases.map(c => {
            try { return tracerBudget(c, names) } catch (e) { if (!e.where) throw e; return null }
          });
        }""",
        asked,
    )
    wanted = [expected(case) for case in asked]
    assert sum(1 for lines in wanted if lines) > 100  # not all refused
    assert [c for c, a, b in zip(asked, found, wanted, strict=True) if a != b] == []


def test_the_form_shows_what_the_command_prints(page: Page, site: Path) -> None:
    page.goto((site / "budget.html").as_uri())
    page.get_by_role("textbox", name="layers", exact=True).fill("80")
    page.get_by_role("textbox", name="tensor-parallel ranks").fill("8")
    page.get_by_role("textbox", name="prefill tokens per second (for break-even)").fill("8000")
    lines = expected({"layers": "80", "tp": "8", "prefill_rate": "8000"})
    assert lines is not None
    for line in lines:
        row = page.locator(f'tr[data-quantity="{line["quantity"]}"]')
        assert row.locator("th").inner_text() == line["name"]
        assert row.locator("code").inner_text() == line["formula"]
        assert row.locator(".value").inner_text() == line["shown"]
    assert page.locator("#command").inner_text() == "tracer budget --layers 80 --tp 8 --prefill-rate 8000"
    page.get_by_role("textbox", name="tensor-parallel ranks").fill("3")
    assert "do not fit" not in page.locator("main").inner_text()
    assert "This does not fit" in page.locator("#wrong").inner_text()
    page.locator('[data-preset="latent"]').click()
    assert page.locator("#wrong").is_hidden()
    assert "61 × (512 + 64) × 2 B" in page.locator('tr[data-quantity="token_bytes"]').inner_text()


def test_two_versions_differ_by_one_statement_and_the_filter_hides_the_rest(page: Page, site: Path) -> None:
    page.goto(file_of(site, "changes/depot-1.0--depot-2.0.html").as_uri())
    change = page.locator(".change", has_text="Index.commit")
    change.locator("summary").click()
    assert "self._blocks.update({key: block})" in change.locator(".before .hit").inner_text()
    assert "self._blocks[key] = block" in change.locator(".after .hit").inner_text()
    every = page.locator(".change:visible").count()
    page.get_by_role("combobox", name="Kind").select_option("path")
    assert 0 < page.locator(".change:visible").count() <= every
    assert page.locator("output").inner_text() == f"{page.locator('.change:visible').count()} shown"


def test_a_claim_that_fails_is_shown_as_refuted_and_its_evidence_leads_to_code(page: Page, site: Path) -> None:
    page.goto((site / "questions/Q8.html").as_uri())
    refuted = page.locator(".answer p", has_text="Nobody pins.")
    assert "Does not hold in this version" in refuted.inner_text()
    page.locator(".claims summary").click()
    page.locator('.evidence a[href*="sites/"]').first.click()
    page.wait_for_url("**/sites/depot-2.0/depot-index.py-*.html#*")


def test_the_failure_matrix_names_what_is_not_answered(page: Page, site: Path) -> None:
    page.goto((site / "faults.html").as_uri())
    assert page.locator("tbody tr").count() == 16
    assert "The later replaces the earlier." in page.locator("#two-writers").inner_text()
    assert "not answered" in page.locator("#peer-dies").inner_text()


def test_the_evidence_page_names_the_revision_and_the_gaps(page: Page, site: Path) -> None:
    page.goto((site / "gaps.html").as_uri())
    text = page.locator("main").inner_text()
    assert "c0ffee0000000000000000000000000000000000" in text
    assert "found reserve 1 (expected >=5)" in text
    assert "6 unchanged" in text


def test_names_and_texts_of_a_hostile_source_stay_text(page: Page, site: Path) -> None:
    page.goto(file_of(site, "sites/depot-2.0/depot--img-*.html").as_uri())
    assert page.locator("h1").inner_text() == HOSTILE_FILE
    assert page.locator("img").count() == 0
    code = page.locator(".code").inner_text()
    assert HOSTILE_TEXT in code
    assert "⟨U+202E⟩⟨U+2028⟩" in code  # what turns or breaks a line is shown as what it is
    assert '"<b>{{ 7 * 7 }}</b>"' in code
    assert page.evaluate("window.hurt") is None
    page.goto((site / "index.html").as_uri() + "?q=" + "%3Cimg")
    assert HOSTILE_FILE in page.locator("#found").inner_text()
    assert page.locator("img").count() == 0
    page.goto((site / "index.html").as_uri() + "?q=" + html.escape("<img src=x onerror=window.hurt=1>"))
    assert page.evaluate("window.hurt") is None


def test_the_policy_lets_no_script_run_that_is_not_a_file_of_the_site(browser: Browser, site: Path) -> None:
    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
        assert policy, file
        assert "default-src &#39;none&#39;; script-src &#39;self&#39;;" in policy[1]
        assert "unsafe" not in policy[1]
        assert not re.search(r"<script(?![^>]*(src=|application/json))", text), file
        assert _Attributes.of(text).isdisjoint({"style"}), file
        assert not [name for name in _Attributes.of(text) if name.startswith("on")], file
        assert not re.search(r'(?:src|href)="(?!https://example\.org/)(?:https?:)?//', text), file
    page = browser.new_page()  # not a watched one: the console is to complain
    page.goto((site / "index.html").as_uri())
    ran = page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.hurt = 1";
      document.addEventListener("securitypolicyviolation", () => { window.stopped = true });
      document.body.append(script);
      return new Promise(done => setTimeout(() => done([window.hurt, window.stopped]), 100));
    }""")
    page.close()
    assert ran == [None, True]


@pytest.mark.parametrize("width", [360, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_page_is_accessible_and_fits(
    watched: Callable[..., Page], site: Path, width: int, scheme: str
) -> None:
    page = watched(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = []
    for pattern in PAGES:
        page.goto(file_of(site, pattern).as_uri() + ("?lang=zh" if width == 1280 and scheme == "dark" else ""))
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        found += [f"{pattern}: {v}" for v in violations(page)]
        if (over := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
            found.append(f"{pattern}: {over} px wider than the window")
    assert found == []


def test_the_first_page_can_be_used_within_a_second(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert ready < 1000
