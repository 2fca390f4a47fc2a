"""Findings as editors' lines and as SARIF: valid by the public schema, in the shape and within the limits of hosts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.unit.trees import MemoryTree
from tracer.diff.model import Change, Difference, End
from tracer.model import EngineRevision, Revision
from tracer.pairs.balance import Holder, Leaving
from tracer.render import findings, sarif

SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0.schema.json").read_text())
OLD = EngineRevision("lmcache", "0.4.7", Revision("archive", "a" * 32, tag="v0.4.7"))
NEW = EngineRevision("lmcache", "0.5.6", Revision("git", "b" * 32, commit="c" * 40, tag="v0.5.6"))
HOLDER = Holder(
    "toy.pairs.pins",
    "toy.pool.Pool.copy",
    "toy/my pool.py",
    3,
    "acquire",
    ("toy.pool.Pool.pin",),
    (
        Leaving(9, "return", "released", 4, by=("toy/my pool.py", 8)),
        Leaving(7, "raise", "missing", 4, path=(4, 5, 5, 7)),
        Leaving(11, "raise", "missing", 4, path=(4, 5, 11)),
    ),
)
THERE = End("toy.pool.Pool.put", "toy/pool.py", 1, 4, 5, text=("entry.ready",))
DIFFERENCE = Difference(
    OLD,
    NEW,
    (
        Change("site", "toy.index", "removed", "breaking", THERE, None, role="publish", action="commit", layer="host"),
        Change("site", "toy.index", "guard", "behaviour", THERE, replace(THERE, first=40, last=41, text=("a\n  b",))),
        Change("claim", "toy.claim", "claim", "breaking", End(text=("holds",)), End(text=("fails",))),
    ),
)


def checked(log: dict[str, Any]) -> dict[str, Any]:
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_missing_releases_are_results_with_their_way_and_their_rule() -> None:
    found = findings.of_pairs([HOLDER])
    texts = {"toy.pairs.pins": sarif.RuleText("what is pinned is unpinned", "A pinned block stays.", tags=("pairs",))}
    run = checked(sarif.log("pairs", [NEW], texts, found, ["x.py: parsed in part"]))
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["name"]) == ("toy.pairs.pins", "ToyPairsPins")
    assert rule["fullDescription"]["text"] == "A pinned block stays."
    first, second = run["results"]
    assert first["ruleIndex"] == 0
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "toy/my%20pool.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 7, "endLine": 7}
    assert first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "toy.pool.Pool.copy"
    assert "Pool.copy leaves by raise" in first["message"]["text"]
    assert first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 4
    way = first["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [s["location"]["physicalLocation"]["region"]["startLine"] for s in way] == [4, 5, 7]
    assert first["partialFingerprints"] != second["partialFingerprints"]
    (origin,) = run["versionControlProvenance"]
    assert (origin["revisionId"], origin["revisionTag"]) == ("c" * 40, "v0.5.6")
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "x.py: parsed in part"


def test_a_fingerprint_stays_when_lines_move_and_goes_with_the_function() -> None:
    moved = replace(HOLDER, exits=tuple(replace(e, line=e.line + 30, since=e.since + 30) for e in HOLDER.exits))
    other = replace(HOLDER, symbol="toy.pool.Pool.other")

    def marks(holder: Holder) -> list[str]:
        run = checked(sarif.log("pairs", [NEW], {}, findings.of_pairs([holder])))
        return [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]

    assert marks(moved) == marks(HOLDER)
    assert not set(marks(other)) & set(marks(HOLDER))


def test_changes_have_levels_and_a_place_on_one_side() -> None:
    run = checked(sarif.log("diff", [OLD, NEW], sarif.DIFF_RULES, findings.of_diff(DIFFERENCE)))
    gone, guard = run["results"]
    assert (gone["ruleId"], gone["level"]) == ("diff.removed", "error")
    assert "lines of 0.4.7, which 0.5.6 has no more" in gone["message"]["text"]
    assert guard["level"] == "warning"
    assert guard["locations"][0]["physicalLocation"]["region"] == {"startLine": 40, "endLine": 41}
    assert guard["relatedLocations"][0]["message"]["text"] == "in 0.4.7"
    assert "was `entry.ready`; is `a b`" in guard["message"]["text"]
    (claim,) = run["invocations"][0]["toolExecutionNotifications"]  # it has no place, which hosts refuse in results
    assert claim == {"level": "error", "message": {"text": "diff.claim: claim: claim; was `holds`; is `fails`"}}
    assert {r["id"] for r in run["tool"]["driver"]["rules"]} == set(sarif.DIFF_RULES)


def test_a_folder_has_no_origin_and_a_run_no_more_than_hosts_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST", 1)
    folder = EngineRevision("lmcache", "folder-1", Revision("folder", "d" * 32))
    run = checked(sarif.log("pairs", [folder], {}, findings.of_pairs([HOLDER])))
    assert "versionControlProvenance" not in run
    assert len(run["results"]) == 1
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1 of 2 results are left out"


def test_the_schema_refuses_what_is_wrong() -> None:
    log = sarif.log("pairs", [NEW], {}, findings.of_pairs([HOLDER]))
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        checked(log)


def test_lines_for_editors_name_the_column_where_the_text_begins() -> None:
    tree = MemoryTree({"toy/my pool.py": "class Pool:\n" * 3 + "        self.pin()\n" * 9})
    told = list(findings.lines(findings.of_pairs([HOLDER]), [tree], more=True))
    places = [re.fullmatch(r"(.+?):(\d+):(\d+): (\w+): .* \[toy\.pairs\.pins\]", line) for line in told]
    (told_of_claim,) = findings.lines(findings.of_diff(DIFFERENCE)[2:], [tree])
    assert told_of_claim == "error: claim: claim; was `holds`; is `fails` [diff.claim]"
    assert [p.groups() if p else None for p in places] == [
        ("toy/my pool.py", "7", "9", "warning"),
        ("toy/my pool.py", "4", "9", "note"),
        ("toy/my pool.py", "11", "9", "warning"),
        ("toy/my pool.py", "4", "9", "note"),
    ]
