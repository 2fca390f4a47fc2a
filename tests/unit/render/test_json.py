from __future__ import annotations

import json

from tests.unit.render.traces import GAP, HOLD, PUT, trace
from tests.unit.trees import MemoryTree
from tracer.evidence import verify
from tracer.model import EngineRevision, Gap, Revision, Trace, Use
from tracer.render import json as documents

SITE_KEYS = {
    "rule",
    "role",
    "action",
    "layer",
    "symbol",
    "file",
    "def_line",
    "first",
    "last",
    "guards",
    "basis",
    "digest",
    "permalink",
}


def test_a_site_has_every_field_of_the_contract() -> None:
    document = documents.where([trace(HOLD, gaps=(GAP,))])
    assert document["schema"] == "tracer.where/1"
    (site,) = document["sites"]
    assert set(site) >= SITE_KEYS
    assert (site["first"], site["guards"]) == (4, ["if b.live", "not (a | b)"])
    assert document["gaps"][0]["rule"] == GAP.what
    assert document["gaps"][0]["why"] == GAP.why


def test_the_head_names_each_engine_and_its_revision() -> None:
    revision = Revision("git", "dd", commit="ab12", tag="v2")
    head = documents.head("uses", [EngineRevision("toy", "2", revision)])
    assert head["engines"][0]["revision"] == {"kind": "git", "commit": "ab12", "digest": "dd", "tag": "v2"}


def test_several_engines_share_a_document_and_each_site_says_whose_it_is() -> None:
    other = MemoryTree({"a.py": ""}, "other", "9")
    document = documents.where([trace(HOLD), trace(PUT, tree=other), Trace((), gaps=(Gap("away", "no network"),))])
    assert [e["name"] for e in document["engines"]] == ["toy", "other"]
    assert [(s["engine"], s["version"]) for s in document["sites"]] == [("toy", "1.0"), ("other", "9")]
    assert document["gaps"] == [{"rule": "away", "why": "no network"}]


def test_the_same_sites_in_any_order_give_the_same_bytes() -> None:
    one, two = (documents.dumps(documents.where([trace(*sites)])) for sites in ((HOLD, PUT), (PUT, HOLD)))
    assert one == two
    assert one.endswith("}\n")


def test_uses_follow_the_contract() -> None:
    use = Use("toy.pool.Pool.hold", "toy/pool.py", 4, "read", "dd", "typed")
    document = documents.uses(trace().engines[0], [use], [])
    assert set(document["sites"][0]) == {"symbol", "file", "line", "op", "text_digest", "basis"}


def test_what_is_written_can_be_verified_again() -> None:
    from tests.unit.render.traces import TREE

    document = json.loads(documents.dumps(documents.where([trace(HOLD, PUT)])))
    verdicts = verify(document, lambda _engine, _version: TREE)
    written = documents.verify(document["engines"], verdicts)
    assert written["counts"] == {"ok": 2, "moved": 0, "stale": 0, "unread": 0}
    assert {e["verdict"] for e in written["evidence"]} == {"ok"}
