"""Tracer from Python: `tracer.trace("lmcache@0.5.6").where("publish")`.

Everything here is stable: names, arguments, records, and the documents that a `Result` gives (DESIGN's JSON contract,
the same bytes as `--format json`). A source that is not on this machine is fetched on the way, as on the command line.
Whatever a user can cause is a `tracer.errors.TracerError` of one line: `UsageError` for a name that does not exist,
`SourceUnavailableError` where a source cannot be had.

>>> import tracer
>>> lmcache = tracer.trace("lmcache@0.3.15")
>>> lmcache
tracer.trace('lmcache@0.3.15')
>>> found = lmcache.where("publish", layer="host", action="commit")
>>> {(site.role, site.layer, site.action) for site in found}
{('publish', 'host', 'commit')}
>>> found.document()["schema"]
'tracer.where/1'
>>> site = found[0]
>>> excerpt = lmcache.excerpt(site.file, site.first, site.last, context=0)
>>> len(excerpt.lines) == site.last - site.first + 1
True
>>> {verdict.status for verdict in tracer.verify(found.document())}
{'ok'}
>>> tracer.trace("lmcache").where("publishing")
Traceback (most recent call last):
tracer.errors.UsageError: there is no role 'publishing' — did you mean publish?

State, exits and order:

>>> uses = lmcache.uses("LocalCPUBackend.hot_cache", op="insert")
>>> {(use.op, use.basis) for use in uses} <= {("insert", "exact"), ("insert", "typed"), ("insert", "inherited")}
True
>>> holders = lmcache.pairs("protection", glob="**/local_cpu_backend.py")
>>> {leaving.verdict for holder in holders for leaving in holder.exits} <= {"released", "handed_over", "missing"}
True
>>> "always" in {order.verdict for order in lmcache.order("MemoryObj.ref_count_up", "LocalCPUBackend.hot_cache:insert")}
True

Ways: the named paths, a path, who drives a place, along what a completion travels, a guided tour, every edge:

>>> "store" in {route.name for route in lmcache.paths()}
True
>>> way = lmcache.path("store")[0]
>>> (way.end, way.steps[0].engine)
('complete', 'lmcache')
>>> {entry.end for driven in lmcache.drives(way.steps[-1].symbol) for entry in driven.entries} == {"complete"}
True
>>> all(carrier.producers and carrier.consumers for carrier in lmcache.relay("completion"))
True
>>> len(lmcache.walk("store", fast=True)) == len(way.steps)
True
>>> edge = next(lmcache.graph())
>>> (edge.kind in tracer.model.EDGE_KINDS, edge.line > 0)
(True, True)

What is written about an engine, each sentence on claims that are checked on this very version:

>>> answer = lmcache.answer("Q1")[0]
>>> (answer.question, {claim.verdict for claim in answer.claims} <= {"holds", "fails", "unknown", "not_applicable"})
('Q1', True)
>>> {claim.id for claim in answer.claims} <= {claim.id for claim in lmcache.claims()}
True
>>> {handling.engine.name for handling in lmcache.faults()}
{'lmcache'}

Versions (the other one is fetched if need be), candidates in code without rules, the pins, and the arithmetic:

>>> lmcache.diff("0.3.15", only=["sites"])
<0 results for lmcache 0.3.15, lmcache 0.3.15; 0 gaps>
>>> [engine.version for engine in lmcache.timeline("publish", since="0.3.15", until="0.3.15").engines]
['0.3.15']
>>> from tracer.api import budget, discover, targets
>>> len(discover("lmcache@0.3.15", limit=1)) > 0
True
>>> [pin.name for target in targets() for pin in target.versions if target.name == "lmcache"][0]
'0.5.6'
>>> [line.shown for line in budget(tokens=6144) if line.quantity == "sequence_bytes"]
['0.75 GiB']
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracer import checkout, evidence
from tracer.api.engine import Engine, Rules
from tracer.api.result import Answered, Handling, Result
from tracer.errors import TracerError, UsageError
from tracer.model import Site
from tracer.survey import Progress

if TYPE_CHECKING:
    from tracer.budget.arithmetic import Line
    from tracer.targets import Target


def trace(spec: str, *joined: str, rules: Rules = (), progress: Progress | None = None) -> Engine:
    """An engine to ask: `ENGINE` (its newest pin) or `ENGINE@VERSION`; `joined` are engines that paths may cross to.

    `rules` are folders of further rules; `progress` is told (what, done, total) on the way, and may raise to end a
    question. Raises `tracer.errors.UsageError` for a name that is not known.
    """
    return Engine(spec, *joined, rules=rules, progress=progress)


def verify(document: Mapping[str, Any]) -> list[evidence.Verdict]:
    """Re-read every piece of evidence of a document: ok, moved, stale or unread."""
    return evidence.verify(document, lambda engine, version: checkout.open_tree(f"{engine}@{version}"))


def discover(code: str | Path, *, limit: int = 100, progress: Progress | None = None) -> Result[Site]:
    """Candidates for roles in a folder of any code (or `ENGINE[@VERSION]`), best first per role, each with its reason.

    At most `limit` functions a role.
    """
    from tracer.render import json as documents
    from tracer.render import text
    from tracer.trace import discover as ask

    found = ask(str(code), limit=limit, progress=progress)
    return Result(
        found.sites,
        found.engines,
        found.gaps,
        lambda: documents.where([found], command="discover"),
        lambda: text.where_markdown([found]),
    )


def call_graph(root: str | Path, entry: str | Path) -> dict[str, list[str]]:
    """Whom each function of a Python program calls, function values followed: its folder and its first file.

    Names are dotted from `root`; what lies outside keeps the name it is imported by.
    """
    from tracer.graph.values.flow import adjacency

    return adjacency(Path(root), Path(entry))[0]


def targets() -> tuple[Target, ...]:
    """Every engine that is known, with its pinned versions, newest first."""
    from tracer.targets import load_targets

    return tuple(load_targets())


def budget(
    config: Mapping[str, Any] | None = None, *, model: Mapping[str, Any] | None = None, **load: Any
) -> Result[Line]:
    """The arithmetic of a shared cache, each figure exact and with its formula; the worked example without arguments.

    `config` is the content of a Hugging Face `config.json`, or `model` says what the command's model flags say
    (`layers`, `kv_heads`, `head_dim`, …); `load` are its load flags (`tokens=6144`, `link="200 Gb/s"`, …).
    """
    from tracer.budget import arithmetic as sums
    from tracer.render.text import Table

    if config is not None and model:
        raise UsageError("config and model both say what the model is", todo="give one of them")
    try:
        shape = sums.plain_model(**(model or {})) if config is None else sums.model_from_config(config)
    except TypeError as error:
        raise UsageError(str(error).rpartition("() ")[2], where="model", todo="see `tracer budget --help`") from None
    asked = sums.load_from(load)
    lines = sums.budget(shape, asked)
    rows = tuple((line.section, line.name, line.formula, line.shown) for line in lines)

    def document() -> dict[str, Any]:
        figures = [line.as_json() for line in lines]
        return {"schema": "tracer.budget/1", "engines": [], "load": asked.as_json(), "lines": figures}

    return Result(lines, (), (), document, lambda: Table(("part", "figure", "formula", "value"), rows).markdown())


__all__ = [
    "Answered", "Engine", "Handling", "Progress", "Result", "TracerError", "budget", "call_graph", "discover",
    "targets", "trace", "verify",
]  # fmt: skip
