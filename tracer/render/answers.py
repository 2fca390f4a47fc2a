"""Answers, the failure matrix and claims: as documents of the contract, and from these as text, Markdown and HTML.

Takes verdicts; makes one document (plain data) per command. Text and pages show the document and nothing else, so that
they cannot say more than it does. A sentence whose claims fail is shown as refuted, never as an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tracer.claims.model import Checked, Evidence, Search
from tracer.model import Gap
from tracer.questions import Bank, Cell, Sentence, Verdicts, bank
from tracer.render.grouping import lines_text, local_symbol, version_text
from tracer.render.json import head
from tracer.render.text import Line
from tracer.rules import Text

SHOWN = 8  # lines of evidence of one claim in a text; documents have them all
STYLES = {"holds": "green", "fails": "bold red", "unknown": "yellow", "not_applicable": "dim"}
WORDS = {
    "en": {
        "holds": "holds", "fails": "fails", "unknown": "unknown", "not_applicable": "not applicable",
        "handled": "handled", "not_handled": "not handled", "": "not answered",
        "detects": "detected by", "memory": "memory", "request": "request",
        "unless": "Unless", "has_not": "Does not have", "claims": "Claims", "gaps": "Gaps", "more": "more",
        "looked": "looked for", "in": "in", "files": "files", "unread": "not read whole",
        "refuted": "Does not hold in this version", "unchecked": "Could not be checked in this version",
    },
    "zh": {
        "holds": "成立", "fails": "不成立", "unknown": "未知", "not_applicable": "不适用",
        "handled": "已处理", "not_handled": "未处理", "": "尚无回答",
        "detects": "由谁发现", "memory": "内存", "request": "请求",
        "unless": "不成立的情形", "has_not": "该引擎没有", "claims": "论断", "gaps": "缺口", "more": "更多",
        "looked": "搜索", "in": "范围", "files": "个文件", "unread": "未能完整读取",
        "refuted": "在此版本不成立", "unchecked": "在此版本无法核对",
    },
}  # fmt: skip


# -- documents ----------------------------------------------------------------------------
def answers(found: Sequence[Verdicts], questions: Sequence[str], gaps: Sequence[Gap]) -> dict[str, Any]:
    """One answer per question and engine; a question that nothing is written about is a gap."""
    asked = bank()
    out, missing = [], list(gaps)
    for question in questions:
        for v in found:
            answer = v.answer(question)
            if answer is None:
                missing.append(Gap(f"{question} {v.engine.name}@{v.engine.version}", "no answer is written for this"))
                continue
            held = [s for s in answer.says if v.status(s) == "holds"]
            groups = (("says", answer.says), ("unless", answer.unless), ("has_not", answer.has_not))
            ids = dict.fromkeys(c for _, sentences in groups for s in sentences for c in s.claims)
            out.append(
                {"question": question, "title": _both(asked.questions[question])}
                | _engine(v)
                | {"text": {"en": " ".join(s.text.en for s in held), "zh": "".join(s.text.zh for s in held)}}
                | {key: [_sentence(s, v) for s in sentences] for key, sentences in groups}
                | {"claims": [_claim(v.checked[c]) for c in ids]}
            )
    return head("answer", (v.engine for v in found)) | {"answers": out, "gaps": _gaps(missing)}


def faults(found: Sequence[Verdicts], gaps: Sequence[Gap]) -> dict[str, Any]:
    """The whole matrix: one row per fault, one cell per engine; a cell that is not written is a gap and says so."""
    asked: Bank = bank()
    rows, missing = [], list(gaps)
    for fault, title in asked.faults.items():
        cells = []
        for v in found:
            cell = v.cell(fault)
            if cell is None:
                missing.append(Gap(f"{fault} {v.engine.name}@{v.engine.version}", "no cell is written for this"))
            cells.append(_cell(cell, v))
        rows.append({"fault": fault, "title": _both(title), "cells": cells})
    return head("faults", (v.engine for v in found)) | {"faults": rows, "gaps": _gaps(missing)}


def claims(found: Sequence[Verdicts], gaps: Sequence[Gap]) -> dict[str, Any]:
    """Every checked claim."""
    rows = [_engine(v) | _claim(v.checked[c]) for v in found for c in v.checked]
    return head("claims", (v.engine for v in found)) | {"claims": rows, "gaps": _gaps(gaps)}


def verdicts_in(document: Mapping[str, Any]) -> list[str]:
    """The verdict of every claim in a document."""
    cells = [c for row in document.get("faults", ()) for c in row["cells"]]
    held = [c for item in (*document.get("answers", ()), *cells) for c in item["claims"]]
    return [c["verdict"] for c in (*held, *document.get("claims", ()))]


def _cell(cell: Cell | None, v: Verdicts) -> dict[str, Any]:
    parts = cell.parts if cell else ()
    ids = dict.fromkeys(c for _, s in parts for c in s.claims)
    return _engine(v) | {
        "kind": cell.kind if cell else "",
        "parts": [{"part": name} | _sentence(s, v) for name, s in parts],
        "claims": [_claim(v.checked[c]) for c in ids],
    }


def _engine(v: Verdicts) -> dict[str, Any]:
    return {"engine": v.engine.name, "version": v.engine.version}


def _sentence(s: Sentence, v: Verdicts) -> dict[str, Any]:
    return {"text": _both(s.text), "verdict": v.status(s), "claims": list(s.claims)}


def _claim(c: Checked) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": c.id,
        "claim": c.text.en,
        "claim_zh": c.text.zh,
        "verdict": c.verdict,
        "evidence": [_evidence(e) for e in c.evidence],
    }
    more = {"searches": [_search(s) for s in c.searches], "why": c.why}
    return found | {key: value for key, value in more.items() if value}


def _evidence(e: Evidence) -> dict[str, Any]:
    return {
        "part": e.part,
        "symbol": e.symbol,
        "file": e.file,
        "first": e.first,
        "last": e.last,
        "digest": e.digest,
        "basis": e.basis,
        "permalink": e.permalink,
    }


def _search(s: Search) -> dict[str, Any]:
    return {"looked_for": s.looked_for, "where": s.where, "files": s.files, "unread": s.unread}


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _gaps(gaps: Iterable[Gap]) -> list[dict[str, str]]:
    return [{"what": gap.what, "why": gap.why} for gap in gaps]


# -- text ------------------------------------------------------------------------------------
def text(document: Mapping[str, Any], lang: str) -> Iterator[Line]:
    """Answers or the matrix for a terminal: what is said, then each claim with its lines."""
    words = WORDS[lang]
    for answer in document.get("answers", ()):
        name = f"{answer['engine']} {version_text(answer['version'])}"
        yield ((f"{answer['question']} · {name} · ", "bold"), (answer["title"][lang], "bold cyan"))
        for sentence in answer["says"]:
            yield _spoken("  ", sentence, lang)
        for key in ("unless", "has_not"):
            for sentence in answer[key]:
                yield _spoken(f"  {words[key]}: ", sentence, lang)
        yield from _claims_text(answer["claims"], lang)
        yield ()
    for row in document.get("faults", ()):
        yield ((f"{row['fault']} · ", "bold"), (row["title"][lang], "bold cyan"))
        for cell in row["cells"]:
            name = f"  {cell['engine']} {version_text(cell['version'])}: "
            yield ((name, "bold"), (words[cell["kind"]], "green" if cell["kind"] == "handled" else "yellow"))
            for part in cell["parts"]:
                label = f"    {words[part['part']]}: " if cell["kind"] == "handled" else "    "
                yield _spoken(label, part, lang)
            yield from _claims_text(cell["claims"], lang)
    yield from _gaps_text(document)


def claims_text(document: Mapping[str, Any]) -> Iterator[Line]:
    """Every claim with its lines, then how many came out how."""
    yield from _claims_text(document["claims"], "en", engine=len(document["engines"]) > 1)
    verdicts = verdicts_in(document)
    tally = ", ".join(f"{verdicts.count(v)} {w}" for v, w in WORDS["en"].items() if v in STYLES and v in verdicts)
    yield ((f"{len(verdicts)} claims: {tally or 'none'}", "bold"),)
    yield from _gaps_text(document)


def _spoken(label: str, sentence: Mapping[str, Any], lang: str) -> Line:
    """A sentence; one that is not borne out says so first."""
    said, verdict = sentence["text"][lang], sentence["verdict"]
    if verdict == "holds":
        return ((label, ""), (said, ""))
    mark = {"fails": "refuted", "unknown": "unchecked"}.get(verdict, "not_applicable")
    return ((label, ""), (f"[{WORDS[lang][mark]}] ", STYLES[verdict]), (said, "dim"))


def _claims_text(found: Sequence[Mapping[str, Any]], lang: str, *, engine: bool = False) -> Iterator[Line]:
    words = WORDS[lang]
    for c in found:
        of = f"{c['engine']}@{version_text(c['version'])} " if engine else ""
        said = c["claim_zh"] if lang == "zh" else c["claim"]
        yield ((f"    {words[c['verdict']]}  ", STYLES[c["verdict"]]), (f"{of}{said}", ""), (f"  ({c['id']})", "dim"))
        if c.get("why"):
            yield ((f"        {c['why']}", "yellow"),)
        for e in c["evidence"][:SHOWN]:
            place = f"        {e['file']}:{lines_text(e['first'], e['last'])}"
            yield ((place, "green"), (f"  {local_symbol(e['symbol'], e['file'])}  [{e['part']}, {e['basis']}]", "dim"))
        if len(c["evidence"]) > SHOWN:
            yield ((f"        +{len(c['evidence']) - SHOWN} {words['more']}", "dim"),)
        if c["verdict"] != "holds" or not c["evidence"]:
            yield from (((f"        {searched(s, lang)}", "dim"),) for s in c.get("searches", ()))


def searched(s: Mapping[str, Any], lang: str) -> str:
    """A search in words."""
    words = WORDS[lang]
    unread = f", {s['unread']} {words['unread']}" if s["unread"] else ""
    return f"{words['looked']}: {s['looked_for']}; {words['in']}: {s['where']} ({s['files']} {words['files']}{unread})"


def _gaps_text(document: Mapping[str, Any]) -> Iterator[Line]:
    if document["gaps"]:
        yield (("gaps", "bold red"),)
    for gap in document["gaps"]:
        yield ((f"  {gap['what']}", "red"), (f": {gap['why']}", ""))


# -- pages -----------------------------------------------------------------------------------
def page(document: Mapping[str, Any], name: str, kind: str, lang: str) -> str:
    """The document as a Markdown (`md`) or HTML page; what comes from an engine is escaped in both."""
    import jinja2

    from tracer import catalog
    from tracer.render.markdown import cell, code, link, prose

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(catalog.shipped("reports")),
        undefined=jinja2.StrictUndefined,
        autoescape=kind == "html",  # noqa: S701 - in Markdown `code`, `cell` and `link` keep it inside
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"code": code, "cell": cell, "prose": prose}
    environment.globals |= {
        "link": link, "lines_text": lines_text, "version_text": version_text, "searched": searched, "shown": SHOWN,
        "marks": {"fails": "refuted", "unknown": "unchecked", "not_applicable": "not_applicable"},
    }  # fmt: skip
    return environment.get_template(f"{name}.{kind}.j2").render(d=document, lang=lang, w=WORDS[lang])
