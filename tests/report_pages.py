"""The pages in `reports/` that a program writes, and the places that they cite, for `tracer verify` to read again.

`python -m tests.report_pages aibrix > reports/aibrix.md`;
`python -m tests.report_pages mcp > reports/mcp-transcript.md`.
A page holds places, names and digests, never a line of an engine's code.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import tracer
from tracer.render import steps
from tracer.render.grouping import short_symbol

AIBRIX = "aibrix@0.8.0"
PLACE = ("engine", "version", "symbol", "file", "first", "last", "digest")
# Ten of the publish sites, drawn with `random.Random(20261130).sample`, each read in the source by hand.
READ = {
    ("cache_manager.py", 1365): "right: blocks fetched from the store are copied into the host index",
    ("cache_manager.py", 1599): "right: the writer's regions go into the host index",
    ("aibrix_offloading_connector_type1.py", 1301): "right: the connector's put, from vLLM's worker",
    ("s3fifo.py", 342): "right: the main queue's victim leaves the map",
    ("l1_cache.py", 138): "right: a region that nobody else can reach",
    ("l1_cache.py", 144): "right: the same, tried again under the lock",
    ("priskv.py", 320): "right: a region inside the store, not yet sealed",
    ("rocksdb.py", 134): "right: readable once the client's put returns",
    ("shfs.py", 285): "right: the written file is renamed into place",
    ("l2_cache.py", 766): "right: a region that is released unsealed is dropped",
}


def evidence(documents: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What `tracer verify` takes: the places of the documents without their code, one a line."""
    found = list(documents)
    engines = {json.dumps(e): e for d in found for e in d["engines"]}
    sites = {json.dumps({k: s[k] for k in PLACE}): None for d in found for s in d.get("sites", ())}
    yield "## Evidence\n"
    yield "Saved as a file, `tracer verify` reads it again.\n"
    yield "```json"
    yield f'{{"schema": "tracer.where/1", "engines": [{", ".join(engines)}], "sites": ['
    yield ",\n".join(sites)
    yield "]}"
    yield "```"


def aibrix() -> Iterator[str]:
    """The fifth engine: what is found, and what a hand check of ten places says."""
    engine = tracer.trace(AIBRIX)
    publish, pairs = engine.where("publish"), engine.pairs("all")
    yield "# AIBrix's KV cache: the fifth engine\n"
    yield (
        "Made by `python -m tests.report_pages aibrix > reports/aibrix.md`. It was added as the README's \"How to "
        f"add\" says: {len(engine.known_rules())} rules for three roles, {len({h.rule for h in pairs})} pairs, "
        f"{len(engine.paths())} named paths with notes, on 0.8.0 and 0.7.0. It has no questions and no failure matrix, "
        "so it is asked only where it is named.\n"
    )
    yield f"## aibrix {publish.engines[0].version} · publish: {len(publish)} places\n"
    yield "`tracer where publish aibrix`; `tracer verify reports/aibrix.md --in aibrix@0.8.0` reads this page again.\n"
    yield "| layer · action | place | function | basis | rule |"
    yield "|---|---|---|---|---|"
    for s in sorted(publish, key=lambda s: (s.layer, s.action, s.file, s.first)):
        where = f"{s.layer} · {s.action} | {_at(s.file, s.first)}"
        yield f"| {where} | `{short_symbol(s.symbol)}` | {s.basis} | `{s.rule}` |"
    yield "\n## Ten of them, read by hand\n"
    yield "Drawn at random, read in the source of 0.8.0 on 2026-11-30: ten of ten are right. That none is missing among"
    yield "the changes of the host index is a test: `grep` finds eight insertions and removals, and each is told.\n"
    yield "| place | role of the line | verdict |"
    yield "|---|---|---|"
    for s in sorted(publish, key=lambda s: (s.file, s.first)):
        said = READ.get((s.file.rpartition("/")[2], s.first))
        if said:
            yield f"| {_at(s.file, s.first)} | {s.action} ({s.layer}) | {said} |"
    yield "\n## Pairs\n"
    yield "`tracer pairs all aibrix`\n"
    yield "| pair | functions | released | handed over | missing |"
    yield "|---|---|---|---|---|"
    for rule in sorted({h.rule for h in pairs}):
        exits = [e.verdict for h in pairs if h.rule == rule for e in h.exits]
        counts = " | ".join(str(exits.count(v)) for v in ("released", "handed_over", "missing"))
        yield f"| `{rule}` | {sum(h.rule == rule for h in pairs)} | {counts} |"
    missing = [(h, e) for h in pairs for e in h.exits if e.verdict == "missing"]
    yield (
        "\nMissing, all read by hand and all real: where the store's quota of writes under way is used up, the write "
        "is denied, and the references that the writer gave up are dropped by nobody; and a `get` into the caller's "
        "memory that hits the host index copies the blocks and hands on how many, but never drops their references.\n"
    )
    yield from (f"- {_at(h.file, e.line)} `{short_symbol(h.symbol)}` ({e.kind})" for h, e in missing)
    yield ""
    for route in engine.paths():
        (path,) = engine.path(route.name)
        yield f"## Path `{route.name}`\n"
        yield f"`tracer path {route.name} aibrix`\n"
        yield "```text"
        yield steps.text([path]).rstrip()
        yield "```\n"
    yield from evidence([publish.document()])


def _at(file: str, line: int) -> str:
    return f"`{file.removeprefix('python/aibrix_kvcache/aibrix_kvcache/')}:{line}`"


def page(name: str) -> str:
    """The text of a page."""
    if name == "aibrix":
        return "\n".join(aibrix()) + "\n"
    from tests import mcp_transcript

    return "\n".join(asyncio.run(mcp_transcript.converse())) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
