"""The commands from their arguments to their exit status, over a small invented engine in a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tracer.cli import console, main, reports
from tracer.errors import SourceUnavailableError
from tracer.model import Gap

STORE = """\
class Index:
    def __init__(self):
        self.map: dict[str, bytes] = {}

    def put(self, key: str, value: bytes) -> None:
        if value:
            self.map[key] = value

    def drop(self, key: str) -> None:
        self.map.pop(key, None)
"""
RULES = """\
- id: lmcache.publish.toy
  role: publish
  layer: host
  state: Index.map
  actions: {commit: {op: insert}, unpublish: {op: remove}}
  why: {en: the key becomes visible, zh: 键变为可见}
  expect: {commit: ">=1", unpublish: ">=1"}
"""
SPEC = "lmcache@0.5.6"

Run = Callable[..., SimpleNamespace]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with a cache and a configuration of its own; gives status, out and err."""
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def _run(*arguments: object) -> SimpleNamespace:
        status = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    return _run


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    (folder / "lmcache").mkdir(parents=True)
    (folder / "lmcache" / "store.py").write_text(STORE)
    return folder


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "rules"
    (folder / "lmcache").mkdir(parents=True)
    (folder / "lmcache" / "toy.yaml").write_text(RULES)
    return folder


@pytest.fixture
def fetched(run: Run, source: Path) -> Run:
    found = run("fetch", SPEC, "--from", source)
    assert found.status == 0, found.err
    assert "1 files" in found.out
    return run


def one_line(text: str) -> bool:
    return text.startswith("tracer: ") and text.count("\n") == 1 and "Traceback" not in text


# -- where -------------------------------------------------------------------------
def test_where_answers_in_all_three_formats_with_the_same_sites(fetched: Run, rules: Path) -> None:
    question = ("where", "publish", SPEC, "--rules", rules)
    document = json.loads(fetched(*question, "--format", "json").out)
    sites = [s for s in document["sites"] if s["rule"] == "lmcache.publish.toy"]
    assert [(s["action"], s["first"], s["symbol"]) for s in sites] == [
        ("commit", 7, "lmcache.store.Index.put"),
        ("unpublish", 10, "lmcache.store.Index.drop"),
    ]
    text = fetched(*question).out
    assert "lmcache/store.py:7  Index.put  [typed]" in text
    assert "the key becomes visible" in text
    assert "`lmcache/store.py:7`" in fetched(*question, "--format", "md").out


def test_places_are_lines_that_editors_read(fetched: Run, rules: Path) -> None:
    done = fetched("where", "publish", SPEC, "--rules", rules, "--action", "commit", "--format", "lines")
    told = "lmcache/store.py:7:13: note: publish commit (host) in Index.put [typed] [lmcache.publish.toy]\n"
    assert told in done.out
    done = fetched("uses", "Index.map", SPEC, "--op", "remove", "--format", "lines")
    assert done.out == "lmcache/store.py:10:9: note: remove in Index.drop [typed] [remove]\n"


def test_where_shows_guards_on_demand_and_filters_by_action(fetched: Run, rules: Path) -> None:
    found = fetched("where", "publish", SPEC, "--rules", rules, "--guards", "--action", "commit")
    assert "under if value" in found.out
    assert "Index.drop" not in found.out


def test_rules_that_match_nothing_are_gaps_and_status_one(fetched: Run, rules: Path) -> None:
    found = fetched("where", "publish", SPEC, "--rules", rules)  # the shipped rules find nothing in the toy
    assert found.status == 1
    assert "\ngaps\n" in found.out


def test_no_site_at_all_is_no_answer(fetched: Run) -> None:
    found = fetched("where", "publish", SPEC)
    assert found.status == 3
    assert one_line(found.err)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("where", "pubish", SPEC), "did you mean publish"),
        (("where", "publish", "vlm"), "did you mean vllm"),
        (("where", "publish", "lmcache@0.5"), "0.5.6"),
        (("where", "publish", SPEC, "--layer", "hots"), "did you mean host"),
        (("where", "publish", SPEC, "--action", "comit"), "did you mean commit"),
        (("where", "publish", SPEC, "--format", "yaml"), "where --help"),
        (("where", "publish", SPEC, "--rules", "/nowhere"), "/nowhere"),
        (("where",), "where --help"),
        (("wher",), "tracer --help"),
        (("uses", "Index.map", SPEC, "--op", "inset"), "did you mean insert"),
        (("uses", "Index.map"), "uses --help"),
        (("verify", "/nowhere.json"), "/nowhere.json"),
        (("fetch", "--from", "/tmp"), "exactly one"),
        (("fetch", SPEC, "--source", "gti"), "known: git, archive"),
        (("rules", "explain", "lmcache.publish.nothing"), "lmcache.publish"),
        (("rules", "list", "--engine", "mooncak"), "did you mean mooncake"),
        (("budget", "--config", "/nowhere.json"), "/nowhere.json"),
        (("budget", "--set", "chunk"), "NAME=VALUE"),
        (("budget", "--layers", "x"), "budget --help"),
        (("budget", "--lang", "fr"), "known: en, zh"),
    ],
)
def test_a_mistake_is_one_line_with_a_way_out_and_status_two(
    fetched: Run, arguments: tuple[str, ...], hint: str
) -> None:
    found = fetched(*arguments)
    assert found.status == 2
    assert found.out == ""
    assert one_line(found.err), found.err
    assert hint in found.err


def test_of_several_engines_one_that_cannot_be_had_is_a_gap(
    fetched: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _unreachable(monkeypatch)
    found = fetched("where", "publish", SPEC, "vllm@0.33.0", "--rules", rules)
    assert found.status == 1
    assert "Index.put" in found.out
    assert "vllm@0.33.0: no host answers" in found.out


def test_a_single_engine_that_cannot_be_had_is_status_three(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _unreachable(monkeypatch)
    found = run("where", "publish", "vllm@0.33.0")
    assert (found.status, found.out) == (3, "")
    assert found.err == "tracer: vllm@0.33.0: no host answers — use --from\n"


def _unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    from tracer import checkout

    def bring(engine, version, *_more: object) -> None:
        raise SourceUnavailableError("no host answers", where=f"{engine.name}@{version.name}", todo="use --from")

    monkeypatch.setattr(checkout, "_fetch", bring)


# -- uses --------------------------------------------------------------------------
def test_uses_finds_an_operation_by_type(fetched: Run) -> None:
    found = fetched("uses", "Index.map", SPEC, "--op", "insert", "--format", "json")
    assert found.status == 0
    document = json.loads(found.out)
    assert document["schema"] == "tracer.uses/1"
    assert [(s["line"], s["op"]) for s in document["sites"]] == [(7, "insert")]
    assert "lmcache/store.py:7  insert" in fetched("uses", "Index.map", SPEC, "--op", "insert").out


def test_uses_without_a_match_is_status_three_and_says_so(fetched: Run) -> None:
    found = fetched("uses", "Index.map", SPEC, "--in", "other/**")
    assert found.status == 3
    assert one_line(found.err)


# -- verify ------------------------------------------------------------------------
@pytest.fixture
def saved(fetched: Run, rules: Path, tmp_path: Path) -> Path:
    file = tmp_path / "saved.json"
    file.write_text(fetched("where", "publish", SPEC, "--rules", rules, "--format", "json").out)
    return file


def test_verify_is_content_with_what_was_just_written(fetched: Run, saved: Path) -> None:
    found = fetched("verify", saved)
    assert (found.status, found.out) == (0, "2 pieces of evidence: 2 ok\n")


def test_verify_finds_moved_lines_and_reports_stale_ones(fetched: Run, saved: Path, source: Path) -> None:
    (source / "lmcache" / "store.py").write_text("# one line more\n" + STORE)
    assert fetched("fetch", SPEC, "--from", source).status == 0
    moved = fetched("verify", saved)
    assert moved.status == 0
    assert "now 8" in moved.out
    (source / "lmcache" / "store.py").write_text(STORE.replace("self.map[key] = value", "self.map[key] = value + b''"))
    assert fetched("fetch", SPEC, "--from", source).status == 0
    stale = fetched("verify", saved, "--format", "json")
    assert stale.status == 1
    assert json.loads(stale.out)["counts"] == {"ok": 1, "moved": 0, "stale": 1, "unread": 0}


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"schema": "other/1"}', '{"schema": "tracer.where/1"}', "\x00"])
def test_verify_refuses_what_is_no_document(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    found = run("verify", file)
    assert found.status == 2
    assert one_line(found.err)


# -- report ------------------------------------------------------------------------
def test_report_writes_pages_that_verify(fetched: Run, rules: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = fetched("report", "publish", SPEC, "--out", out, "--rules", rules)
    assert found.status == 1  # the shipped rules are gaps in the toy
    assert sorted(f.name for f in out.iterdir()) == [
        "index.md",
        "publish-lmcache-0.5.6.json",
        "publish-lmcache-0.5.6.md",
    ]
    assert ">  7 |             self.map[key] = value" in (out / "publish-lmcache-0.5.6.md").read_text()
    assert "2 pieces of evidence: 2 ok" in found.out
    assert fetched("verify", out / "publish-lmcache-0.5.6.json").out == "2 pieces of evidence: 2 ok\n"


def test_report_names_an_engine_that_cannot_be_had_and_writes_the_rest(
    fetched: Run, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _unreachable(monkeypatch)
    found = fetched("report", "publish", "--out", tmp_path / "out", "--rules", rules)
    index = (tmp_path / "out" / "index.md").read_text()
    for engine in ("mooncake", "sglang", "vllm"):
        assert f"- **{engine}**: {engine}@" in index
        assert engine in found.err
    assert "Index.put" in index


# -- rules, targets, cache, budget --------------------------------------------------
def test_rules_can_be_listed_explained_and_checked(fetched: Run, rules: Path) -> None:
    assert "lmcache.publish.toy" in fetched("rules", "list", "--rules", rules, "--role", "publish").out
    told = fetched("rules", "explain", "lmcache.publish.toy", "--rules", rules).out
    assert "op insert of Index.map" in told
    assert "键变为可见" in told
    found = fetched("rules", "check", SPEC, "--rules", rules, "--format", "json")
    assert found.status == 1
    rows = {row["rule"]: row for row in json.loads(found.out)["rows"]}
    assert rows["lmcache.publish.toy"] == {
        "version": SPEC,
        "rule": "lmcache.publish.toy",
        "sites": "commit 1 unpublish 1",
        "gap": "",
    }


def test_a_bad_rule_is_one_line_that_names_its_file(fetched: Run, rules: Path) -> None:
    (rules / "lmcache" / "bad.yaml").write_text("- id: x\n  role: nonsense\n")
    found = fetched("where", "publish", SPEC, "--rules", rules)
    assert found.status == 2
    assert one_line(found.err)
    assert "bad.yaml" in found.err


def test_targets_lists_every_engine_and_is_the_default(run: Run) -> None:
    assert run("targets").out == run("targets", "list").out
    document = json.loads(run("targets", "list", "--format", "json").out)
    assert {e["name"] for e in document["engines"]} >= {"vllm", "sglang", "lmcache", "mooncake"}


def test_clearing_the_cache_keeps_sources_unless_told_and_strangers_always(
    fetched: Run, saved: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    (cache / "mine.txt").write_text("not Tracer's")
    assert "trees" in fetched("cache", "info").out
    assert fetched("cache", "clear").status == 0
    assert sorted(f.name for f in cache.iterdir()) == ["mine.txt", "trees"]
    assert fetched("verify", saved).status == 0
    assert fetched("cache", "clear", "--sources").status == 0
    assert [f.name for f in cache.iterdir()] == ["mine.txt"]


def test_the_budget_speaks_both_languages_and_json(run: Run) -> None:
    assert "128 KiB" in run("budget").out
    assert "每 token 的 KV" in run("budget", "--lang", "zh").out
    document = json.loads(run("budget", "--tp", 8, "--set", "objects=2", "--format", "json").out)
    assert document["load"]["tp"] == 8
    assert document["load"]["objects"] == 2


# -- as a process --------------------------------------------------------------------
def process(*arguments: str, **options) -> subprocess.Popen:
    code = "import sys; from tracer.cli import main; sys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True, **options)


def test_a_reader_that_goes_away_ends_the_output_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    started = process("rules", "list", "--format", "json", stdout=write)
    os.close(write)
    _, err = started.communicate(timeout=300)
    assert err == ""


def test_ctrl_c_is_one_line_and_status_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tracer.targets.load_targets", interrupted)
    found = run("targets")
    assert (found.status, found.err) == (130, "tracer: interrupted\n")


def test_help_and_version_are_status_zero(run: Run) -> None:
    assert run("--version").out.startswith("tracer ")
    for arguments in (("--help",), ("where", "--help"), ("rules", "--help"), ("cache", "clear", "--help")):
        assert run(*arguments).status == 0


def test_a_terminal_gets_colours_and_a_pipe_plain_text(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("targets").out
    assert "\x1b[" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    drawn = run("targets").out
    assert drawn != plain
    assert "vllm" in drawn


def test_escapes_in_engine_text_never_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.write_styled([(("a\x1b]0;title\x07b", ""),)])
    assert capsys.readouterr().out == "a␛]0;title␇b\n"


def test_warm_questions_load_no_heavy_library(fetched: Run, rules: Path) -> None:
    fetched("where", "publish", SPEC, "--rules", rules)
    heavy = ("jinja2", "graphviz", "git", "tree_sitter", "rich", "pydantic", "urllib3")
    code = (
        "import sys; from tracer.cli import main; main(sys.argv[1:]); "
        f"print(','.join(m for m in {heavy!r} if m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "where", "publish", SPEC, "--rules", str(rules)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr == "\n", done.stderr


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], "no gaps"),
        (["a.rule"], "1 gap"),
        (["a.rule", "b.rule", "src/x.cu"], "2 gaps, 1 file read in part"),
        (["src/x.cu", "src/y.cu"], "no gaps, 2 files read in part"),
    ],
)
def test_a_report_counts_rules_and_half_read_files_apart(names: list[str], text: str) -> None:
    assert reports._gaps([Gap(name, "why") for name in names]) == text


def test_a_source_that_is_fetched_on_the_way_says_where_it_came_from(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tracer import checkout
    from tracer.checkout import Listener

    def bring(engine, version, _source: object, _origin: object, listener: Listener) -> None:
        listener.note("git does not answer; took the archive")
        raise SourceUnavailableError("nor does the index")

    monkeypatch.setattr(checkout, "_fetch", bring)
    found = run("where", "publish", SPEC, "--rules", rules)
    assert found.err.splitlines() == ["tracer: git does not answer; took the archive", "tracer: nor does the index"]
