"""The tools that `tracer mcp` offers: each answers with a page of the command's document, and in short text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult, TextContent
from pydantic import Field

from tracer import api
from tracer.assistant import asking, pages, resources
from tracer.checkout import open_tree
from tracer.errors import UsageError
from tracer.targets import load_targets

MOST_LINES = 200  # of one excerpt

Op = Literal["read", "write", "augment+", "augment-", "augment", "insert", "remove", "clear", "call", "define", "all"]
Spec = Annotated[str, Field(description="ENGINE or ENGINE@VERSION, such as lmcache@0.5.6; see tracer://targets")]
Role = Annotated[str, Field(description="A role, or 'all'; see tracer://roles")]
Joined = Annotated[list[str], Field(description="Engines that the path may cross to, as ENGINE[@VERSION]")]
Offset = Annotated[int, Field(ge=0, description="Where the page begins")]
Limit = Annotated[int, Field(ge=1, le=pages.MOST_ITEMS, description="Items of a page")]
Glob = Annotated[str | None, Field(description="Only in paths that this glob, or a tail of it, matches")]


def failed(why: str) -> CallToolResult:
    """An error, in one line."""
    return CallToolResult(content=[TextContent(type="text", text=" ".join(why.split()))], is_error=True)


def _told(document: dict[str, Any], text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=document)


def _page(result: api.Result[Any], offset: int, limit: int) -> CallToolResult:
    found = pages.page(result.document(), _tree, offset=offset, limit=limit)
    return _told(found, pages.text(found))


def _tree(engine: str, version: str) -> Any:
    return open_tree(f"{engine}@{version}")


def _engine(spec: str, joined: list[str] | None = None) -> api.Engine:
    for name in (spec, *(joined or ())):
        _no_folder(name)
    return api.trace(spec, *(joined or ()), progress=asking.progress)


def _no_folder(spec: str) -> None:
    """The command line compares with folders too; an assistant gets at pinned sources only."""
    if "/" in spec or spec in (".", ".."):
        raise UsageError(f"{spec!r} is no ENGINE@VERSION", todo="see the resource tracer://targets")


# -- the tools --------------------------------------------------------------------------
def targets() -> CallToolResult:
    """The engines and their pinned versions, newest first."""
    document = resources.targets()
    lines = [f"{t.name}: {', '.join(v.name for v in t.versions)}" for t in load_targets()]
    return _told(document, "\n".join(lines))


def where(
    role: Role,
    spec: Spec,
    layer: Annotated[str | None, Field(description="gpu, host, remote, transfer or engine")] = None,
    action: Annotated[str | None, Field(description="Only this action of the role")] = None,
    contexts: Annotated[bool, Field(description="Also tests, mocks and benchmarks")] = False,
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """Where an engine plays a role (publish, protection, completion, request_state …), per layer, with the lines."""
    return _page(_engine(spec).where(role, layer=layer, action=action, contexts=contexts), offset, limit)


def uses(
    pattern: Annotated[str, Field(description="Class.field, Class.method, a function, @decorator, or C++ Class::x")],
    spec: Spec,
    op: Annotated[Op, Field(description="Only this operation")] = "all",
    glob: Glob = None,
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """Every place that reads or changes a state, or calls or defines a function, by type."""
    return _page(_engine(spec).uses(pattern, op=op, glob=glob), offset, limit)


def path(
    a: Annotated[str, Field(description="A named path (tracer://paths/ENGINE), or a symbol, FILE:LINE or rule id")],
    spec: Spec,
    b: Annotated[str, Field(description="Where the path should end; empty for a named path")] = "",
    joined: Joined = [],  # noqa: B006 - a schema's default, never changed
    choose: Annotated[list[str], Field(description="stack=NAME, or INTERFACE=CLASS at a fan-out")] = [],  # noqa: B006
    through: Annotated[list[str], Field(description="Symbols that it must pass, in order")] = [],  # noqa: B006
    count: Annotated[int, Field(ge=1, le=5, description="So many paths")] = 1,
    offset: Offset = 0,
) -> CallToolResult:
    """How A reaches B, or a named path, step by step, every crossing (thread, queue, RPC, binding) named."""
    return _page(_engine(spec, joined).path(a, b, count=count, through=through, choose=choose), offset, 5)


def pairs(
    spec: Spec,
    what: Annotated[str, Field(description="A role, a pair's rule (or the start of its name), or 'all'")] = "all",
    glob: Glob = None,
    missing_only: Annotated[bool, Field(description="Only functions with an exit that misses a release")] = True,
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """Whether every acquire meets its release on every way out (return, raise), per function and exit."""
    result = _engine(spec).pairs(what, glob=glob)
    document = result.document()
    if missing_only:
        wanted = [f for f in document["functions"] if any(e["verdict"] == "missing" for e in f["exits"])]
        document |= {"functions": wanted, "judged": len(document["functions"])}
    found = pages.page(document, _tree, offset=offset, limit=limit)
    return _told(found, pages.text(found))


def order(
    a: Annotated[str, Field(description="Class.field:op, a call such as Class.method, or RULE#action")],
    b: Annotated[str, Field(description="What should come after it")],
    spec: Spec,
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """Whether A comes before B on every way, in each function that does both."""
    return _page(_engine(spec).order(a, b), offset, limit)


def relay(
    what: Annotated[str, Field(description="A role such as completion, or a symbol, FILE:LINE or rule id")],
    spec: Spec,
    joined: Joined = [],  # noqa: B006
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """Along which fields, queues and sets a completion travels: who sends, who takes, which exits send nothing."""
    return _page(_engine(spec, joined).relay(what), offset, limit)


def drives(
    site: Annotated[str, Field(description="A symbol, FILE:LINE or a rule's id")],
    spec: Spec,
    joined: Joined = [],  # noqa: B006
    most: Annotated[int, Field(ge=1, le=40, description="Entries of each function")] = 10,
    offset: Offset = 0,
) -> CallToolResult:
    """The loops, threads, handlers and public functions that reach a site, with the conditions on the way."""
    return _page(_engine(spec, joined).drives(site, most=most), offset, 5)


def answer(
    question: Annotated[str, Field(description="Q1 … Q18; see tracer://questions")], spec: Spec
) -> CallToolResult:
    """An implementation question answered for one engine, each claim with its verdict on that very version."""
    return _page(_engine(spec).answer(question), 0, pages.LIMIT)


def claims(
    spec: Spec,
    only: Annotated[list[str], Field(description="Ids, or beginnings of ids; empty for every claim")] = [],  # noqa: B006
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """Statements about an engine, each with its verdict on that very version and the lines that decide it."""
    return _page(_engine(spec).claims(*only), offset, limit)


def faults(spec: Spec, offset: Offset = 0, limit: Limit = pages.LIMIT) -> CallToolResult:
    """The failure matrix: per fault what detects it, what happens to the memory, what the request does next."""
    return _page(_engine(spec).faults(), offset, limit)


def walk(
    name: Annotated[str, Field(description="A named path; see tracer://paths/ENGINE")],
    spec: Spec,
    joined: Joined = [],  # noqa: B006
    choose: Annotated[list[str], Field(description="stack=NAME, or INTERFACE=CLASS at a fan-out")] = [],  # noqa: B006
    offset: Offset = 0,
    limit: Limit = 5,
) -> CallToolResult:
    """A guided tour along a named path: what happens, who owns the memory, what protects it, what may fail."""
    return _page(_engine(spec, joined).walk(name, choose=choose), offset, limit)


def timeline(
    what: Annotated[str, Field(description="A role, a claim's id, or pairs:WHAT such as pairs:protection")],
    engine: Annotated[str, Field(description="ENGINE")],
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """A role, claim or pair through the versions that lie on this machine: where it is in each, and when it changed."""
    return _page(_engine(engine.partition("@")[0]).timeline(what, workers=1), offset, limit)


def diff(
    before: Spec,
    after: Annotated[str, Field(description="Another version of the same engine, such as 0.5.6")],
    role: Role = "all",
    only: Annotated[
        list[Literal["sites", "claims", "pairs", "defaults"]], Field(description="Compare only these")
    ] = [],  # noqa: B006
    offset: Offset = 0,
    limit: Limit = pages.LIMIT,
) -> CallToolResult:
    """What changed between two versions: removed, gated otherwise, done another way, added, claims that flipped."""
    _no_folder(after)
    return _page(_engine(before).diff(after, role=role, only=only), offset, limit)


def excerpt(
    spec: Spec,
    file: Annotated[str, Field(description="A path as a tool gave it")],
    first: Annotated[int, Field(ge=1, description="First line")],
    last: Annotated[int | None, Field(ge=1, description="Last line; the first without")] = None,
    context: Annotated[int, Field(ge=0, le=40, description="Lines around them")] = 3,
) -> CallToolResult:
    """The lines of a file of an engine, as they are in that version."""
    end = last or first
    if end - first >= MOST_LINES:
        raise UsageError(f"{end - first + 1} lines are too many", todo=f"ask for {MOST_LINES} at most")
    found = _engine(spec).excerpt(file, first, end, context=context)
    numbered = {str(found.start + i): pages.cut(line) for i, line in enumerate(found.lines)}
    text = "\n".join(f"{n:>6} | {line}" for n, line in numbered.items())
    return _told(
        {"schema": "tracer.excerpt/1", "spec": spec, "file": file, "first": first, "last": end, "lines": numbered},
        f"{file}:{first}\n{text}",
    )


def verify(
    document: Annotated[dict[str, Any], Field(description="A document that a tool or `--format json` gave")],
) -> CallToolResult:
    """Re-read every piece of evidence of a document: ok, moved, stale or unread."""
    from tracer.render.json import verify as verdicts

    found = pages.page(verdicts(document.get("engines"), api.verify(document)), _tree, limit=pages.MOST_ITEMS)
    return _told(found, ", ".join(f"{n} {what}" for what, n in found["counts"].items()))


TOOLS: tuple[Callable[..., CallToolResult], ...] = (
    targets, where, uses, path, walk, pairs, order, relay, drives, answer, claims, faults, diff, timeline, excerpt,
    verify,
)  # fmt: skip
