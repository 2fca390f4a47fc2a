"""Which paths an atlas shows, that each is asked for once, and the pages that are made of a tour."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path as Folder

import pytest

from tests.browser import walkway
from tracer.errors import UsageError
from tracer.model import Path, Step
from tracer.paths.routes import Route, Station
from tracer.render.atlas import Atlas, Subject, frame, tours
from tracer.render.atlas.page import Page
from tracer.render.atlas.pages import paths, walkthroughs
from tracer.rules import Text
from tracer.walks.model import Tour

STATION = Station(Text("a", "甲"), role="publish")


def _route(name: str, *engines: str) -> Route:
    return Route(name, name.rpartition(".")[2], engines, Text(name, name), (STATION, STATION))


@pytest.fixture
def found(tmp_path: Folder, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path))
    _, subjects = walkway.tour_of()
    return Atlas(subjects, stacks=["both"])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Routes that a path was looked for, in order; the sets of engines that were joined stand between them."""
    out: list[str] = []

    class Finder:
        def __init__(self, *_: object) -> None: ...

        def along(self, route: Route) -> list[Path]:
            out.append(route.id)
            steps = () if route.name == "nowhere" else (Step("near.一步.step_1", "near/一步.py", 1, engine="near"),)
            return [Path(route.id, route.title.en, steps, "complete")]

    @contextmanager
    def linked(specs: list[str], *_: object):
        out.append("+".join(specs))
        yield None, (), None

    found = (_route("near.store", "near"), _route("near.nowhere", "near"), _route("x.store", "near", "far"))
    monkeypatch.setattr(tours.routes, "routes", lambda *_: found)
    stacks = {"both": ("near", "far@1.0"), "more": ("near", "vllm")}
    monkeypatch.setattr(tours.routes, "stack", stacks.__getitem__)
    monkeypatch.setattr(tours.stages, "linked", linked)
    monkeypatch.setattr(tours, "Paths", Finder)
    return out


def _source(atlas: Atlas, subject: Subject) -> tours.Source:
    return tours.Source(subject.engine, subject.target, subject.tree, subject.sites)


def test_paths_of_stacks_then_of_engines_each_set_joined_once_and_kept(
    found: Atlas, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tours, "source_of", _source)
    assert [t.path.name for t in tours.tours_of(found)] == ["x.store", "near.store"]  # one without steps is left out
    assert asked == ["near@1.0+far@1.0", "x.store", "near@1.0", "near.store", "near.nowhere"]
    again = Atlas(found.subjects, stacks=["both"])
    assert [t.path.name for t in tours.tours_of(again)] == ["x.store", "near.store"]
    assert len(asked) == 5  # from the cache, also that one has no steps


def test_a_stack_whose_engines_are_not_all_there_is_told(found: Atlas, asked: list[str]) -> None:
    with pytest.raises(UsageError, match="the stack more needs vllm"):
        tours.tours_of(Atlas(found.subjects, stacks=["more"]))


# -- pages ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def made() -> tuple[Tour, list[Page]]:
    tour, subjects = walkway.tour_of()
    atlas = Atlas(subjects, tours=[tour])
    return tour, [*paths.pages(atlas), *walkthroughs.pages(atlas)]


def test_a_list_a_drawing_and_a_walkthrough(made: tuple[Tour, list[Page]]) -> None:
    tour, pages = made
    assert [p.path for p in pages] == ["paths/index.html", paths.path_page(tour), paths.walk_page(tour)]
    assert paths.stem(tour) in pages[1].path and len(pages[1].path) < 120


def test_an_atlas_without_paths_has_no_pages_and_no_entry_of_them() -> None:
    atlas = Atlas(walkway.tour_of()[1], tours=())
    assert [*paths.pages(atlas), *walkthroughs.pages(atlas), *paths.nav(atlas), *paths.entries(atlas)] == []


def test_pages_hold_no_style_and_no_script_of_their_own_and_names_as_text(made: tuple[Tour, list[Page]]) -> None:
    common = frame.common("zh", [], [], "0")
    for page in made[1]:
        text = frame.render(page, common)
        assert " style=" not in text and "<img" not in text and "<script>" not in text
        assert "&lt;img src=x onerror=window.hurt=1&gt;" in text
    steps = frame.render(made[1][2], common)
    assert steps.count('class="stop"') == 17 and steps.count('id="step-17"') == 1


def test_code_is_shown_without_the_blanks_that_all_its_lines_begin_with() -> None:
    assert paths._indent(["    def f():", "", "        x"]) == 4
    assert paths._indent(["x", "    y"]) == 0 and paths._indent([]) == 0
