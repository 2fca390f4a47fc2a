"""Which note is for which step, and how the five minutes are shared out."""

from __future__ import annotations

from tracer.model import Path, Site, Step
from tracer.paths.routes import Route, Station
from tracer.rules import Text
from tracer.walks.match import fits, notes_for, part, places, timing
from tracer.walks.model import Beat, Note, Selector

WAY = (
    Station(Text("asked", "请求"), interface=("Base.save",)),
    Station(Text("kept", "保存"), role="publish", action=("commit",), layer=("host",), on=("Cache",)),
)
ROUTE = Route("toy.store", "store", ("a", "b"), Text("Store", "存"), WAY)
STEPS = (
    Step("m.save", "m.py", 1, engine="a", mark="asked"),
    Step("m.pass_on", "m.py", 9, "call", "m.py", 3, engine="a"),
    Step("n.keep", "n.py", 4, "rpc", "m.py", 11, engine="b", mark="kept"),
)


def _site(role: str = "publish", action: str = "commit", rule: str = "b.publish.x") -> Site:
    return Site(rule, role, action, "host", "n.keep", "n.py", 4, 6, 6, "", "exact")


def _places(route: Route | None = ROUTE):
    return places(Path("toy.store", "Store", STEPS, "complete"), [[], [], [_site()]], route)


def _note(name: str, *at: Selector, parts: tuple[str, ...] = ("happens",), versions=()) -> Note:
    return Note(name, at, {p: Text(f"{name} {p}", "中") for p in parts}, versions=versions)


def test_a_step_is_its_way_points_its_sites_and_its_crossing() -> None:
    asked, passed, kept = _places()
    assert [s.what.en for s in kept.stations] == ["kept"] and passed.stations == ()
    assert fits(Selector(waypoint=(("interface", ("Other.x", "Base.save")),)), asked)
    assert not fits(Selector(waypoint=(("interface", ("Other.x",)),)), asked)
    assert fits(Selector(waypoint=(("role", ("publish",)), ("on", ("Cache",)))), kept)
    assert not fits(Selector(waypoint=(("role", ("publish",)), ("on", ("Store",)))), kept)
    assert fits(Selector(site=(("role", ("publish",)),), engine=("b",)), kept)
    assert not fits(Selector(site=(("role", ("publish",)),), engine=("a",)), kept)
    assert fits(Selector(edge=("rpc",)), kept) and not fits(Selector(edge=("rpc",)), passed)
    assert fits(Selector(paths=("store",)), passed) and fits(Selector(paths=("toy.store",)), passed)
    assert not fits(Selector(paths=("load",)), passed)


def test_fields_of_one_site_must_fit_together() -> None:
    (spot,) = places(
        Path("p", "P", STEPS[:1], "complete"), [[_site("publish", "reserve"), _site("lookup", "commit")]], None
    )
    assert not fits(Selector(site=(("role", ("publish",)), ("action", ("commit",)))), spot)


def test_the_narrowest_note_wins_part_by_part() -> None:
    kept = _places()[2]
    wide = _note("wide", Selector(site=(("role", ("publish",)),)), parts=("happens", "owner"))
    narrow = _note("narrow", Selector(waypoint=(("role", ("publish",)), ("layer", ("host",)))))
    by_rule = _note("rule", Selector(site=(("rule", ("b.publish.x",)),)), parts=("wrong",))
    found = notes_for(kept, [wide, narrow, by_rule], {"b": "1.0"})
    assert part(found, "happens")[1] == "narrow" and part(found, "owner")[1] == "wide"
    assert part(found, "wrong")[1] == "rule" and part(found, "protects") == (Text(), "")
    twin = _note("twin", Selector(waypoint=(("role", ("publish",)), ("layer", ("host",)))))
    assert part(notes_for(kept, [narrow, twin], {}), "happens")[1] == "narrow"  # alike: the first in the files


def test_a_note_for_other_versions_is_left_out() -> None:
    kept = _places()[2]
    note = _note("new", Selector(engine=("b",)), versions=(("b", ">=2"),))
    assert notes_for(kept, [note], {"b": "1.0"}) == [] and notes_for(kept, [note], {"b": "2.1"}) == [note]


def _beat(name: str, seconds: int, *at: Selector) -> Beat:
    return Beat(name, seconds, Text(name), Text(name), at)


def test_the_story_goes_forwards_and_spends_all_its_time() -> None:
    beats = [
        _beat("first", 60, Selector(engine=("a",))),
        _beat("second", 30, Selector(engine=("b",))),
        _beat("back", 10, Selector(engine=("a",))),  # no step of a is left: it begins where the story stands
    ]
    seconds, begins = timing(beats, _places())
    assert begins == [("first",), (), ("second", "back")]
    assert sum(seconds) == 100 and seconds[2] == 40
    assert seconds[0] > seconds[1] > 0  # a way-point gets more than a plain call


def test_a_story_that_begins_late_starts_with_the_first_step() -> None:
    seconds, begins = timing([_beat("only", 30, Selector(engine=("b",)))], _places())
    assert begins == [(), (), ("only",)] and sum(seconds) == 30 and all(seconds)
    assert timing([_beat("only", 30, Selector())], []) == ([], [])
