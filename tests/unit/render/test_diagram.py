"""A path as text, JSON, Mermaid, DOT and SVG: every step with its line, lanes at crossings, crossings drawn apart."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tracer.errors import UsageError
from tracer.model import Path, Step
from tracer.render import diagram, steps

PATH = Path(
    "e.store",
    "Store → 存储 <b>",
    (
        Step("e.worker.Worker.step", "e/worker.py", 7, engine="e", mark="asked"),
        Step("e.base.save", "e/base.py", 2, "dynamic", "e/worker.py", 8, "inherited", engine="e", others=3),
        Step("c.loop.Loop.run", "c/loop.py", 20, "thread", "e/base.py", 3, "declared", engine="c"),
        Step("ns::Client::put<int>", "c/client.cpp", 5, "binding", "c/loop.py", 21, "declared", engine="c"),
        Step("ns::Master::end", "c/master.cpp", 9, "rpc", "c/client.cpp", 6, "declared", engine="c"),
        Step("ns::Master::mark", "c/master.cpp", 30, "state", "c/master.cpp", 12, "declared", engine="c"),
    ),
    "complete",
)
STOPPED = Path("path", "A → B", PATH.steps[:2], "stops: B was not reached from here; 5 functions looked at")


def test_text_numbers_the_steps_and_names_engines_crossings_and_rivals():
    text = steps.text([PATH])
    assert "  1. e.worker.Worker.step  e/worker.py:7\n       ▸ asked\n" in text
    assert "── dynamic [inherited] at e/worker.py:8, 3 other implementations" in text
    assert "══ thread [declared] at e/base.py:3\n   · c ·\n  3. c.loop.Loop.run" in text
    assert text.endswith("end: complete  (6 steps, 4 crossings)\n")


def test_json_has_the_contract_and_says_engine_and_way_point():
    found = steps.as_json(PATH)
    assert list(found) == ["name", "title", "steps", "end"]
    contract = ["symbol", "file", "def_line", "edge", "from_file", "from_line", "basis"]
    assert all(list(s)[:7] == contract for s in found["steps"])
    assert found["steps"][0] == dict.fromkeys(("edge", "from_file"), "") | {
        "symbol": "e.worker.Worker.step", "file": "e/worker.py", "def_line": 7, "from_line": 0, "basis": "exact",
        "engine": "e", "waypoint": "asked",
    }  # fmt: skip
    assert found["steps"][1]["others"] == 3


def test_a_lane_ends_where_a_thread_a_process_or_an_engine_is_entered():
    assert steps.lanes(PATH) == [("e", [0, 1]), ("c · thread", [2, 3]), ("c · rpc", [4, 5])]


def test_mermaid_has_a_lane_each_every_place_and_no_markup_of_others():
    text = diagram.render([PATH], "mermaid")
    assert len(re.findall(r"^  subgraph ", text, re.MULTILINE)) == len(re.findall(r"^  end$", text, re.MULTILINE)) == 3
    for s in PATH.steps:
        assert steps.place(s) in text
    assert "put&lt;int&gt;" in text and "put<int>" not in text
    assert 'n1 ==>|"thread base.py:3"| n2' in text and 'n4 -.->|"state master.cpp:12"| n5' in text
    assert 'n0 -->|"dynamic worker.py:8"| n1' in text


def test_a_stopped_path_is_drawn_with_its_reason():
    assert "B was not reached" in diagram.render([STOPPED], "mermaid")
    assert "B was not reached" in diagram.render([STOPPED], "dot")


def test_dot_draws_each_kind_of_crossing_in_its_own_way():
    text = diagram.render([PATH], "dot")
    drawn = {m[1]: m[0] for m in re.findall(r"n\d -> n\d \[(.*label=\"?(\w+).*)\]", text)}
    assert set(drawn) == {"dynamic", "thread", "binding", "rpc", "state"}
    assert len({re.sub(r"label=\S+ +\S+", "", attributes) for attributes in drawn.values()}) == 5
    assert text.count("subgraph cluster_") == 3


@pytest.mark.skipif(diagram.drawer() is None, reason="no Graphviz here")
def test_svg_is_well_formed_and_names_every_step_in_any_script():
    text = diagram.render([PATH], "svg")
    root = ET.fromstring(text)
    words = " ".join(t for t in root.itertext())
    for s in PATH.steps:
        assert steps.place(s) in words
    assert "存储" in words and 'font-family="Helvetica,Arial,Noto Sans CJK SC' in text
    assert text == diagram.render([PATH], "svg")


def test_without_any_graphviz_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(diagram, "drawer", lambda: None)
    with pytest.raises(UsageError, match="pip install graphviz-pure"):
        diagram.render([PATH], "svg")


HOSTILE = Path(
    "e.store",
    '从 worker 到副本 <img src=x onerror=a()> "]; click n0 "javascript:a()" %%{init: {}}%%',
    (
        Step('e.<img src=x onerror=a()>.f"] --> x', "e/一步.py", 7, engine='e"]\nend', mark="asked"),
        Step("e.`evil`;\nclick n0 a()", "e/a|b.py\n", 9, "rpc", "e/</title><script>a()</script>.py", 3, engine="副本"),
        Step(r"e.\N.\" URL=javascript:a()", "e/c.py", 2, "call", "e/b.py", 1, engine="副本"),
    ),
    'stops: "]\n  click n0 href "javascript:a()"',
)


def test_mermaid_keeps_hostile_names_inside_their_labels():
    text = diagram.render([HOSTILE], "mermaid")
    lines = text.splitlines()
    assert "<img" not in text and "<script" not in text and "%%{" not in text
    assert not [line for line in lines if line.strip().startswith("click")]
    forms = (
        r"flowchart TD", r'  subgraph lane\d+\["[^"]*"\]', r"  end", r'    n\d+\["[^"]*"\]',
        r'  n\d+ \S+\|"[^"]*"\| n\d+', r"  linkStyle \d+ stroke:#\w+", r'  stop\["[^"]*"\]', r"  n\d+ -\.-x stop",
    )  # fmt: skip
    assert [line for line in lines if not any(re.fullmatch(f, line) for f in forms)] == []
    assert "副本" in text and "一步.py" in text


def test_dot_and_svg_keep_hostile_names_as_text_and_chinese_whole():
    dot = diagram.render([HOSTILE], "dot")
    statements = [line for line in dot.splitlines() if re.match(r"\t+n\d", line)]
    assert len(statements) == 6 and "\nclick" not in dot  # three boxes, three arrows: no name has made another
    svg = diagram.render([HOSTILE], "svg")
    root = ET.fromstring(svg)
    tags = {e.tag.rpartition("}")[2] for e in root.iter()}
    assert not tags & {"script", "img", "image", "foreignObject"}
    assert not [v for e in root.iter() for k, v in e.attrib.items() if "href" in k or k.startswith("on")]
    shown = "".join(root.itertext())
    assert "副本" in shown and "一步.py" in shown and "<img src=x onerror=a()>" in shown
