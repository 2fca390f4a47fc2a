"""Answers for a terminal, and the same as plain text and Markdown.

Takes traces, uses and verdicts; gives lines of styled pieces. Plain text joins the pieces, a terminal colours them, so
both always say the same. Nothing is cut to a width, and nothing here reads sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tracer.evidence import Verdict, counts
from tracer.model import EngineRevision, Gap, Site, Trace, Use
from tracer.render.grouping import (
    answers_of,
    folded,
    lines_text,
    local_symbol,
    revision_text,
    settings,
    short_symbol,
    version_text,
)
from tracer.render.markdown import cell, code, link, prose

Line = tuple[tuple[str, str], ...]  # pieces of (text, rich style)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column names; a terminal draws it, plain text aligns it with spaces."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def plain(self) -> Iterator[str]:
        """The rows as aligned text; the last column is never padded."""
        everything = (self.columns, *self.rows)
        widths = [max(len(row[i]) for row in everything) for i in range(len(self.columns))]
        for row in everything:
            yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()

    def markdown(self) -> Iterator[str]:
        """The rows as a Markdown table."""
        yield "| " + " | ".join(map(cell, self.columns)) + " |"
        yield "|" + "---|" * len(self.columns)
        for row in self.rows:
            yield "| " + " | ".join(map(cell, row)) + " |"


def plain(line: Line) -> str:
    """The text of a line without its styles."""
    return "".join(text for text, _ in line)


def where(traces: Sequence[Trace], *, guards: bool = False) -> Iterator[Line]:
    """Sites by engine, role, layer and action, each rule's reason above its sites; then the gaps."""
    for trace in traces:
        for answer in answers_of(trace):
            engine = answer.engine
            yield (
                (f"{engine.name} {version_text(engine.version)} · {answer.role}", "bold"),
                (f"  ({revision_text(engine)})", "dim"),
            )
            for (layer, action), groups in groupby(answer.groups, key=lambda g: (g.layer, g.action)):
                yield ((f"  {layer} · {action}", "bold cyan"),)
                for group in groups:
                    rule = f"  ({group.rule})" if group.why else ""
                    yield ((f"    {group.why or group.rule}", "italic"), (rule, "dim"))
                    for site in group.sites:
                        yield from _site(site, guards)
    yield from _gaps(_gaps_of(traces))


def _site(site: Site, guards: bool) -> Iterator[Line]:
    marks = " ".join(f"[{mark}]" for mark in (site.basis, site.stack, site.context) if mark)
    place = f"{site.file}:{lines_text(site.first, site.last)}"
    symbol = local_symbol(site.symbol, site.file)
    yield (("      ", ""), (place, "green"), (f"  {symbol}", ""), (f"  {marks}", "dim"))
    if site.via:
        yield ((f"          via {' → '.join(map(short_symbol, site.via))}", "dim"),)
    if guards:
        for guard in site.guards:
            yield ((f"          under {guard}", "yellow"),)
        if named := settings(site.guards):
            yield ((f"          set by {', '.join(named)}", "yellow"),)


def _gaps_of(traces: Sequence[Trace]) -> list[Gap]:
    """All gaps; with several engines each says which one it is of."""
    found = []
    for trace in traces:
        name = " ".join(f"{e.name}@{version_text(e.version)} " for e in trace.engines) if len(traces) > 1 else ""
        found += [Gap(name + gap.what, gap.why) for gap in folded(trace.gaps)]
    return found


def _gaps(gaps: Sequence[Gap]) -> Iterator[Line]:
    if gaps:
        yield (("gaps", "bold red"),)
    for gap in gaps:
        yield ((f"  {gap.what}", "red"), (f": {gap.why}", ""))


def where_markdown(traces: Sequence[Trace], *, guards: bool = False) -> Iterator[str]:
    """The same as Markdown: a heading per engine, role and layer, a table per action."""
    for trace in traces:
        for answer in answers_of(trace):
            engine = answer.engine
            yield f"## {engine.name} {version_text(engine.version)} · {answer.role} ({revision_text(engine)})"
            for (layer, action), groups in groupby(answer.groups, key=lambda g: (g.layer, g.action)):
                yield f"\n### {layer} · {action}\n"
                for group in groups:
                    yield f"{group.why or 'Rule'} (`{group.rule}`)\n"
                    for site in group.sites:
                        yield _site_markdown(site)
                        if guards:
                            yield from (f"  - under {code(guard)}" for guard in site.guards)
                    yield ""
    gaps = _gaps_of(traces)
    if gaps:
        yield "## Gaps\n"
        yield from (f"- {code(gap.what)}: {prose(gap.why)}" for gap in gaps)


def _site_markdown(site: Site) -> str:
    place = link(f"{site.file}:{lines_text(site.first, site.last)}", site.permalink)
    via = f", via {code(' → '.join(site.via))}" if site.via else ""
    marks = " ".join(f"[{mark}]" for mark in (site.basis, site.stack, site.context) if mark)
    return f"- {place} {code(site.symbol)} {marks}{via}"


def uses(engine: EngineRevision, found: Sequence[Use], gaps: Sequence[Gap]) -> Iterator[Line]:
    """One line a place."""
    yield ((f"{engine.name} {version_text(engine.version)}", "bold"), (f"  ({revision_text(engine)})", "dim"))
    for use in found:
        place = (f"  {use.file}:{use.line}", "green")
        symbol = local_symbol(use.symbol, use.file)
        yield (place, (f"  {use.op}", "cyan"), (f"  {symbol}", ""), (f"  [{use.basis}]", "dim"))
    yield from _gaps(folded(gaps))


def uses_markdown(engine: EngineRevision, found: Sequence[Use], gaps: Sequence[Gap]) -> Iterator[str]:
    """The same as a Markdown table."""
    yield f"## {engine.name} {version_text(engine.version)} ({revision_text(engine)})\n"
    rows = tuple((f"{use.file}:{use.line}", use.op, code(use.symbol), use.basis) for use in found)
    yield from Table(("place", "op", "symbol", "basis"), rows).markdown()
    if gaps:
        yield "\nGaps:\n"
        yield from (f"- {code(gap.what)}: {prose(gap.why)}" for gap in folded(gaps))


STYLES = {"ok": "green", "moved": "yellow", "stale": "bold red", "unread": "red"}


def verify(verdicts: Sequence[Verdict]) -> Iterator[Line]:
    """Everything that is not as recorded, then the count."""
    for verdict in verdicts:
        if verdict.status == "ok":
            continue
        claim = verdict.claim
        place = f"{claim.file}:{lines_text(claim.first, claim.last)}"
        moved = f"now {lines_text(*verdict.now)}" if verdict.status == "moved" else ""
        more = verdict.why or moved
        spec = f"{claim.engine}@{version_text(claim.version)}"
        yield (
            (f"{verdict.status:6}", STYLES[verdict.status]),
            (f"  {spec} ", "dim"),
            (f" {place}", ""),
            (f"  {claim.symbol}", ""),
            (f"  {more}", ""),
        )
    yield ((counts_text(counts(verdicts)), "bold"),)


def counts_text(tally: dict[str, int]) -> str:
    """`120 re-read: 119 ok, 1 moved`; kinds that did not occur are left out, `ok` never."""
    parts = [f"{n} {status}" for status, n in tally.items() if n or status == "ok"]
    return f"{sum(tally.values())} pieces of evidence: {', '.join(parts)}"
