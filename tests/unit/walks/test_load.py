"""Notes and the story: every named path is covered in both languages, and files that are wrong say so in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from tracer import catalog
from tracer.errors import RuleError
from tracer.model import Step
from tracer.paths import routes
from tracer.walks.load import notes, story
from tracer.walks.match import Place, notes_for, part
from tracer.walks.model import PARTS

NOTE = """\
- id: toy.note
  at: {waypoint: {role: publish}}
  happens: {en: It is published., zh: 发布。}
"""


def _engines(route: routes.Route, station: routes.Station) -> list[str]:
    """The engines that a way-point can lie in: said, of one engine only, or by the folders that it names."""
    if station.engine:
        return list(station.engine)
    folders = " ".join(station.files)
    named = [e for e in route.engines if e in folders or (e == "sglang" and "managers" in folders)]
    return named or list(route.engines)


@pytest.mark.parametrize("route", routes.routes(), ids=lambda r: r.id)
def test_every_way_point_of_every_named_path_has_all_parts_in_both_languages(route: routes.Route) -> None:
    for station in route.way:
        for engine in _engines(route, station):
            place = Place(Step("x", "f", 1, engine=engine, mark=station.what.en), route.id, route.name, (station,), ())
            found = notes_for(place, notes(), {})
            for name in PARTS:
                text, _ = part(found, name)
                assert text.en and text.zh, f"{station.what.en} ({engine}): no {name}"
            assert any(n.questions for n in found), f"{station.what.en}: answers no question"
            assert any(n.ask.en and n.ask.zh for n in found), f"{station.what.en}: nothing for the quiz"


def test_every_kind_of_crossing_is_explained() -> None:
    kinds = {e for n in notes() if "crossing" in n.parts for s in n.at for e in s.edge}
    assert kinds == {"thread", "async", "process", "rpc", "binding", "device", "state", "callback", "dynamic"}


def test_texts_are_written_in_both_languages_and_chinese_is_chinese() -> None:
    for note in notes():
        for text in (*note.parts.values(), *(t for t in (note.ask, note.say) if t.en)):
            assert re.search(r"[\u4e00-\u9fff]", text.zh), note.id
            assert not re.search(r"[\u4e00-\u9fff]", text.en), note.id


def test_notes_name_no_line_no_file_and_no_function_of_an_engine() -> None:
    declared = {p for r in routes.routes() for s in r.way for p in (*s.interface, *s.caller, *s.api, *s.on)}
    for file in sorted((catalog.shipped("rules") / "walks").glob("*.yaml")):
        for item in yaml.safe_load(file.read_text(encoding="utf-8")):
            selectors = item["at"] if isinstance(item["at"], list) else [item["at"]]
            for s in selectors:
                for key in ("interface", "caller", "api", "on"):
                    said = s.get("waypoint", {}).get(key, [])
                    assert set([said] if isinstance(said, str) else said) <= declared, f"{file.name}: {item['id']}"
            texts = json.dumps(item, ensure_ascii=False)
            assert not re.search(r"\.(?:py|cpp|h)\b|\bline \d", texts), item["id"]


def test_the_story_takes_five_minutes() -> None:
    assert sum(b.seconds for b in story()) == 300
    assert all(b.say.en and b.say.zh and b.title.zh for b in story())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((", zh: 发布。}", "}"), "'zh' is a required property"),
        (("role: publish", "symbol: a.b"), "is not valid"),
        (("- id: toy.note", "- id: role.publish-commit"), "note role.publish-commit is written twice"),
        (("happens", "questions: [Q99]\n  happens"), "there is no question 'Q99'"),
        (("happens", "faults: [fire]\n  happens"), "there is no fault 'fire'"),
        (("happens", "claims: [vllm.no-such]\n  happens"), "there is no claim 'vllm.no-such'"),
        (("{waypoint: {role: publish}}", "{paths: nowhere}"), "there is no path 'nowhere'"),
        (("{waypoint: {role: publish}}", "{engine: steam}"), "there is no engine 'steam'"),
        (("happens", "versions: {vllm: new}\n  happens"), "versions 'new' is no range"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    (tmp_path / "walks").mkdir()
    (tmp_path / "walks" / "toy.yaml").write_text(NOTE.replace(*change), encoding="utf-8")
    with pytest.raises(RuleError) as error:
        notes([tmp_path])
    assert says in str(error.value) and "\n" not in str(error.value)


def test_a_users_note_is_added(tmp_path: Path) -> None:
    (tmp_path / "walks").mkdir()
    (tmp_path / "walks" / "toy.yaml").write_text(NOTE, encoding="utf-8")
    assert [n.id for n in notes([tmp_path])][-1] == "toy.note"
