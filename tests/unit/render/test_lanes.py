"""The drawing of a path: bands, boxes that do not overlap, arrows by kind, exits, and the widths of Chinese text."""

from __future__ import annotations

import pytest

from tests.browser import walkway
from tracer.render import walks
from tracer.render.atlas.lanes import CHIPS, HALF, STARTS, WIDTH, columns, drawing, fitted


@pytest.fixture(scope="module")
def stops() -> list[dict]:
    return walks.document(walkway.tour_of()[0])["stops"]


def test_every_step_is_a_box_and_boxes_lie_below_each_other_inside_the_drawing(stops: list[dict]) -> None:
    found = drawing(stops)
    assert [n["number"] for n in found["nodes"]] == list(range(1, 18))
    for above, below in zip(found["nodes"], found["nodes"][1:], strict=False):
        assert above["y"] + above["h"] + 20 <= below["y"]
    for node in found["nodes"]:
        assert node["x"] + node["w"] <= WIDTH and all(o["x"] + o["w"] < WIDTH - 20 for o in node["outs"])
    assert found["nodes"][-1]["y"] + found["nodes"][-1]["h"] < found["h"]


def test_a_band_begins_where_another_line_of_control_or_engine_begins(stops: list[dict]) -> None:
    found = drawing(stops)
    begins = [s for k, s in enumerate(stops) if not k or s["edge"] in STARTS or s["engine"] != stops[k - 1]["engine"]]
    assert [b["engine"] for b in found["bands"]] == [s["engine"] for s in begins]
    assert [b["edge"] for b in found["bands"]] == ["", "thread", "rpc", "", "async", "device", "process", "rpc"]
    for band, following in zip(found["bands"], found["bands"][1:], strict=False):
        assert band["y"] + band["h"] < following["y"]
    xs = [n["x"] for n in found["nodes"]]
    assert xs == sorted(xs) and xs[0] < xs[-1]


def test_crossings_are_marked_and_calls_are_not(stops: list[dict]) -> None:
    arrows = drawing(stops)["arrows"]
    assert [a["kind"] for a in arrows] == list(walkway.EDGES)
    assert {a["kind"] for a in arrows if not a["crossing"]} == {"call", "dynamic"}
    assert any(a["label"].endswith("+3") for a in arrows)


def test_exits_that_miss_a_release_are_drawn_first_and_the_rest_is_counted(stops: list[dict]) -> None:
    def way(line: int, sort: str, verdict: str = "") -> dict:
        return {"line": line, "sort": sort, "verdict": verdict, "when": "", "kind": "return"}

    many = [way(1, "early"), way(2, "failure"), way(3, "failure", "missing"), way(4, "abort")]
    stop = {**stops[0], "code": {**stops[0]["code"], "ways_out": many}}
    (node,) = drawing([stop])["nodes"]
    assert [o["line"] for o in node["outs"]] == [3, 4] and len(node["outs"]) == CHIPS
    assert node["more"]["count"] == 2


def test_a_chinese_character_is_as_wide_as_two_others() -> None:
    assert columns("ab") == 2 and columns("副本") == 4 and columns("e\u0301") == 1


@pytest.mark.parametrize("text", ["副本被标记为完成" * 9, "Thing.store_something" * 6, "短", "mixed 副本 " * 9])
def test_text_is_cut_in_its_middle_to_the_room_that_there_is(text: str) -> None:
    for size in HALF:
        shown = fitted(text, 200, size)
        assert columns(shown) * HALF[size] <= 200
        if shown != text:
            head, _, tail = shown.partition("…")
            assert text.startswith(head) and text.endswith(tail) and head and tail


def test_an_empty_path_is_an_empty_drawing() -> None:
    found = drawing([])
    assert found["nodes"] == [] and found["bands"] == [] and found["h"] > 0
