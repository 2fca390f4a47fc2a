"""A conversation with `tracer mcp`, by the SDK's own client.

Written by `python -m tests.report_pages mcp > reports/mcp-transcript.md`.

The same sources and rules give the same bytes. The lines of code that the server quotes are left out of the page, which
holds nothing of an engine; what stays are the places, and digests with which `verify` reads them again.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import mcp

from tests.report_pages import evidence

SPEC = "lmcache@0.5.6"
Call = tuple[str, dict[str, Any], str]
CALLS: tuple[Call, ...] = (
    ("targets", {}, "Which engines and versions are there?"),
    ("where", {"role": "publish", "spec": SPEC, "layer": "host", "action": "commit", "limit": 3},
     "Where does LMCache publish into host memory? Three places a page."),
    ("where", {"role": "publish", "spec": SPEC, "layer": "host", "action": "commit", "limit": 3, "offset": 3},
     "The next page."),
    ("path", {"a": "store", "spec": SPEC}, "How does a chunk get there?"),
    ("uses", {"pattern": "LocalCPUBackend.hot_cache", "spec": SPEC, "op": "insert"}, "Who else fills that index?"),
    ("pairs", {"spec": SPEC, "what": "protection", "limit": 3}, "Which exits miss a release of what protects memory?"),
    ("answer", {"question": "Q8", "spec": SPEC}, "Is a reader protected while it copies?"),
    ("diff", {"before": "lmcache@0.4.7", "after": "0.5.6", "role": "publish", "only": ["sites"], "limit": 3},
     "What did the last upgrade change?"),
    ("where", {"role": "publsh", "spec": SPEC}, "A mistake is one line that says what to do."),
    ("where", {"role": "publish", "spec": SPEC, "limit": 9000}, "So is one against the schema."),
    ("diff", {"before": SPEC, "after": "/etc"}, "Folders are never opened for an assistant."),
)  # fmt: skip


async def converse() -> list[str]:
    """The page, line by line."""
    code = "import sys; from tracer.cli import main; sys.exit(main(['mcp']))"
    server = mcp.StdioServerParameters(command=sys.executable, args=["-c", code], env=dict(os.environ))
    async with mcp.Client(server, read_timeout_seconds=600) as client:
        page = [*_opening(), *await _listed(client)]
        documents = []
        for number, (tool, arguments, about) in enumerate(CALLS, 1):
            result = await client.call_tool(tool, arguments)
            page += _told(number, tool, arguments, about, result)
            if (result.structured_content or {}).get("schema") in ("tracer.where/1", "tracer.path/1", "tracer.diff/1"):
                documents.append(result.structured_content)
        for document in documents[:4]:
            result = await client.call_tool("verify", {"document": document})
            number += 1
            page += _told(number, "verify", {"document": f"what {document['schema']} said above"},
                          "Are these lines still what was read?", result)  # fmt: skip
    return [*page, *evidence(documents)]


def _opening() -> Iterator[str]:
    yield "# A conversation with `tracer mcp`\n"
    yield "Made by `python -m tests.report_pages mcp > reports/mcp-transcript.md`: the official SDK's client"
    yield "over standard input and output. The lines of code that it quotes are left out here; a test reads every"
    yield "place again.\n"


async def _listed(client: Any) -> list[str]:
    tools = (await client.list_tools()).tools
    resources = (await client.list_resources()).resources
    templates = (await client.list_resource_templates()).resource_templates
    prompts = (await client.list_prompts()).prompts
    rows = [f"| `{t.name}` | {t.description} |" for t in tools]
    hints = {json.dumps(t.annotations.model_dump(by_alias=True, exclude_none=True), sort_keys=True) for t in tools}
    return [
        "## What there is\n", "| tool | what it answers |", "|---|---|", *rows, "",
        f"Hints of every tool: `{' '.join(sorted(hints))}`\n",
        f"Resources: {', '.join(f'`{r.uri}`' for r in resources)}; "
        f"by address: {', '.join(f'`{t.uri_template}`' for t in templates)}\n",
        f"Prompts: {', '.join(f'`{p.name}` ({p.description})' for p in prompts)}\n",
    ]  # fmt: skip


def _told(number: int, tool: str, arguments: dict[str, Any], about: str, result: Any) -> Iterator[str]:
    yield f"## {number}. {about}\n"
    yield f"→ `{tool}` `{json.dumps(arguments, ensure_ascii=False)}`\n"
    yield "```text"
    said = result.content[0].text.splitlines()
    yield from (f"error: {line}" if result.is_error else line for line in said if not line.startswith("    | "))
    yield "```\n"
    found = result.structured_content or {}
    if "page" in found:
        quoted = list(_checked(found))
        told = f"{sum(quoted)} of {len(quoted)} places re-read and compared (`checked`)" if quoted else "no digests"
        yield f"Page: `{json.dumps(found['page'])}`; {told}.\n"


def _checked(value: Any) -> Iterator[bool]:
    if isinstance(value, dict):
        yield from ([value["checked"]] if "checked" in value else [])
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from _checked(item)
