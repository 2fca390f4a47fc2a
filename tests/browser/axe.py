"""What axe-core finds on a page: its rules for WCAG 2.0 to 2.2, A and AA, and its best practices."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = """
async () => {
  const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, {runOnly, preload: false});  // the policy lets it fetch nothing
  return found.violations.flatMap(v => v.nodes.map(n => `${v.id} (${v.impact}): ${n.target} ${n.html.slice(0, 120)}`));
}
"""


@functools.lru_cache
def _source() -> str:
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Every violation, one line each. The page's own policy does not stop what a debugger runs."""
    page.evaluate(_source())
    found: list[str] = page.evaluate(RUN)
    return found
