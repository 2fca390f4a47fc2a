from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.render.traces import GAP, HOLD, PUT, on, trace
from tracer.cited import Claim
from tracer.evidence import Verdict
from tracer.model import EngineRevision, Revision, Use
from tracer.render import text
from tracer.render.grouping import local_symbol, settings

ENGINE = EngineRevision("toy", "1.0", Revision("git", "d", commit="0123456789abcdef"))


def shown(*traces, **options) -> str:
    return "\n".join(text.plain(line) for line in text.where(traces, **options))


def test_a_site_is_one_line_under_its_layer_action_and_reason() -> None:
    assert shown(trace(HOLD)).splitlines() == [
        "toy 1.0 · protection  (archive v1.0)",
        "  gpu · acquire",
        "    a block is held  (toy.protection.pins)",
        "      toy/pool.py:4  Pool.hold  [typed]",
    ]


def test_guards_are_shown_only_when_asked_for_and_the_way_up_always() -> None:
    assert "under" not in shown(trace(HOLD))
    assert "under not (a | b)" in shown(trace(HOLD), guards=True)
    assert "via Index.set" in shown(trace(PUT))
    assert "[exact] [v1]" in shown(trace(PUT))


def test_layers_and_actions_keep_the_order_of_the_closed_lists() -> None:
    sites = [on("remote", "commit"), on("gpu", "unpublish"), on("gpu", "reserve"), on("host", "commit")]
    headings = [line for line in shown(trace(*sites)).splitlines() if line.startswith("  ") and line[2] != " "]
    assert headings == ["  gpu · reserve", "  gpu · unpublish", "  host · commit", "  remote · commit"]


def test_the_order_in_which_sites_were_found_does_not_show() -> None:
    sites = [HOLD, PUT, replace(HOLD, first=2, last=2), replace(PUT, file="a.py")]
    assert shown(trace(*sites)) == shown(trace(*reversed(sites)))
    assert list(text.where_markdown([trace(*sites)])) == list(text.where_markdown([trace(*reversed(sites))]))


def test_a_reason_is_said_once_for_all_its_sites() -> None:
    both = shown(trace(HOLD, replace(HOLD, first=3, last=5)))
    assert both.count("a block is held") == 1
    assert "toy/pool.py:3-5" in both


def test_gaps_end_the_answer_and_name_their_rule() -> None:
    assert shown(trace(HOLD, gaps=(GAP,))).splitlines()[-2:] == [
        "gaps",
        "  toy.publish.other: found commit 0 (expected >=1)",
    ]


def test_an_engine_that_could_not_be_had_is_a_gap_beside_the_others() -> None:
    from tracer.model import Gap, Trace

    lines = shown(Trace((), gaps=(Gap("away", "no network"),)), trace(HOLD)).splitlines()
    assert lines[0].startswith("toy 1.0")
    assert lines[-1] == "  away: no network"


def test_markdown_links_the_place_and_survives_what_an_engine_says() -> None:
    lines = list(text.where_markdown([trace(replace(HOLD, guards=("x == `y`",)))], guards=True))
    assert "- [`toy/pool.py:4`](https://host/o/r/blob/v1.0/toy/pool.py#L4) `toy.pool.Pool.hold` [typed]" in lines
    assert "  - under `` x == `y` ``" in lines


def test_uses_are_one_line_each() -> None:
    use = Use("toy.pool.Pool.hold", "toy/pool.py", 4, "augment+", "d", "typed")
    lines = [text.plain(line) for line in text.uses(ENGINE, [use], [GAP])]
    assert lines[:2] == ["toy 1.0  (git 0123456789ab)", "  toy/pool.py:4  augment+  Pool.hold  [typed]"]
    assert lines[-1].startswith("  toy.publish.other")
    assert "| toy/pool.py:4 | augment+ | `toy.pool.Pool.hold` | typed |" in list(text.uses_markdown(ENGINE, [use], []))


def test_verify_says_only_what_is_not_as_recorded_and_counts_all() -> None:
    claim = Claim("toy", "1.0", "toy.pool.Pool.hold", "toy/pool.py", 4, 4, "d")
    verdicts = [Verdict(claim, "ok", (4, 4)), Verdict(claim, "moved", (6, 6)), Verdict(claim, "stale", why="gone")]
    lines = [text.plain(line) for line in text.verify(verdicts)]
    assert lines == [
        "moved   toy@1.0  toy/pool.py:4  toy.pool.Pool.hold  now 6",
        "stale   toy@1.0  toy/pool.py:4  toy.pool.Pool.hold  gone",
        "3 pieces of evidence: 1 ok, 1 moved, 1 stale",
    ]


def test_a_plain_table_is_aligned_and_never_cut() -> None:
    table = text.Table(("a", "name"), (("long cell", "x" * 300), ("s", "y")))
    lines = list(table.plain())
    assert lines[1] == "long cell  " + "x" * 300
    assert lines[2] == "s          y"
    assert list(text.Table(("a",), (("x|y",),)).markdown()) == ["| a |", "|---|", "| x\\|y |"]


def test_many_files_read_in_part_are_told_as_one_gap_after_the_rules() -> None:
    from tracer.model import Gap

    files = tuple(Gap(f"src/{n}.cu", "parsed with errors") for n in range(9))
    lines = shown(trace(HOLD, gaps=(*files, GAP))).splitlines()
    assert lines[-2] == "  toy.publish.other: found commit 0 (expected >=1)"
    assert lines[-1].startswith("  9 files: read in part only: src/0.cu, src/1.cu, src/2.cu and 6 more")
    assert shown(trace(HOLD, gaps=files[:3])).splitlines()[-1] == "  src/2.cu: parsed with errors"


@pytest.mark.parametrize(
    ("symbol", "file", "shown"),
    [
        ("lmcache.v1.engine.Engine.store", "lmcache/v1/engine.py", "Engine.store"),
        ("sglang.srt.cache.Tree.insert", "python/sglang/srt/cache.py", "Tree.insert"),
        ("pkg.Thing.run", "pkg/__init__.py", "Thing.run"),
        ("pkg.mod", "pkg/mod.py", "pkg.mod"),
        ("mooncake::MasterService::PutEnd", "mooncake-store/src/master_service.cpp", "mooncake::MasterService::PutEnd"),
    ],
)
def test_beside_its_file_a_symbol_is_shown_without_its_module(symbol: str, file: str, shown: str) -> None:
    assert local_symbol(symbol, file) == shown


def test_markdown_says_which_stack_and_that_a_place_is_no_live_code() -> None:
    lines = list(text.where_markdown([trace(replace(HOLD, stack="compiled core, no source", context="mock"))]))
    assert any("[compiled core, no source] [mock]" in line for line in lines)


def test_the_names_of_configuration_in_guards() -> None:
    guards = (
        "if self.vllm_config.cache_config.enable_prefix_caching", "not (envs.VLLM_USE_V2)", "#ifdef USE_CUDA",
        "if FLAGS_retries > 0", "if use_gpu(x)", "for x in items", "if server_args.disable_radix_cache and enable_ha_",
    )
    assert settings(guards) == (
        "vllm_config.cache_config.enable_prefix_caching", "envs.VLLM_USE_V2", "USE_CUDA", "FLAGS_retries",
        "server_args.disable_radix_cache", "enable_ha_",
    )
