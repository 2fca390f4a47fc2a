"""A tour as lines for a terminal and as a document; the pages of the atlas show the same document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tracer.render.excerpt import printable
from tracer.render.grouping import short_symbol, version_text
from tracer.render.json import head
from tracer.render.steps import CROSSING
from tracer.render.text import Line
from tracer.rules import Text
from tracer.walks.model import PARTS, Beat, Code, Fault, Stop, Tour
from tracer.walks.words import SORTS

WORDS = {
    "en": {
        "happens": "What happens here", "owner": "Who owns the memory now", "protects": "What protects it",
        "wrong": "What can go wrong here", "crossing": "The crossing taken", "answers": "Answers", "code": "Code",
        "step": "step", "of": "of", "since": "as at step", "generated": "from the source, no note", "end": "end",
        "out": "Ways out beside the happy path", "claims": "Checked claims on these lines", "pairs": "Pairs",
        "faults": "Failure matrix", "handled": "handled", "not_handled": "not handled", "": "not checked",
        "not_applicable": "not applicable", "holds": "holds", "fails": "fails", "unknown": "unknown",
        "released": "released", "handed_over": "handed over", "missing": "no release found", "when": "when",
        "line": "line", "guards": "reached when", "others": "other implementations", "quiz": "Quiz",
        "quiz_rest": "Who owns the memory here, what protects it, what can go wrong?", "detects": "detected by",
        "memory": "memory", "request": "request", "say": "Say", "seconds": "s", "exits": "exits",
        "acquire": "acquires", "held": "is entered holding", "drop": "forgets the record of",
    },
    "zh": {
        "happens": "这里发生什么", "owner": "内存现在归谁", "protects": "靠什么保护", "wrong": "这里可能出什么错",
        "crossing": "所经的跨越", "answers": "回答", "code": "代码", "step": "第", "of": "/", "since": "同第 N 步",
        "generated": "由源码生成，无注释", "end": "终点", "out": "正常路径之外的出口", "claims": "这些行上经核对的论断",
        "pairs": "配对", "faults": "失败矩阵", "handled": "已处理", "not_handled": "未处理", "": "未核对",
        "not_applicable": "不适用", "holds": "成立", "fails": "不成立", "unknown": "未知", "released": "已释放",
        "handed_over": "已移交", "missing": "找不到释放", "when": "条件", "line": "行", "guards": "到达条件",
        "others": "个其他实现", "quiz": "测验", "quiz_rest": "这里内存归谁？靠什么保护？可能出什么错？",
        "detects": "由谁发现", "memory": "内存", "request": "请求", "say": "讲述", "seconds": "秒", "exits": "出口",
        "acquire": "取得", "held": "进入时已持有", "drop": "丢弃其记录",
    },
}  # fmt: skip
_STATUS = {"holds": "green", "fails": "bold red", "unknown": "yellow", "not_applicable": "dim"}
_MARKS = {"def": " ", "site": ">", "on": "→", "site on": "»", "out": "!"}


# -- documents --------------------------------------------------------------------------------
def document(tour: Tour) -> dict[str, Any]:
    """The machine-readable contract of `walk`."""
    return head("walk", tour.engines) | {
        "name": tour.name,
        "path": tour.path.name,
        "title": _both(tour.title),
        "end": tour.path.end,
        "questions": {q: _both(t) for q, t in tour.questions.items()},
        "story": [_beat(b) for b in tour.beats],
        "stops": [_stop(s) for s in tour.stops],
    }


def _stop(s: Stop) -> dict[str, Any]:
    step = s.step
    return {
        "number": s.number,
        "symbol": step.symbol,
        "file": step.file,
        "def_line": step.def_line,
        "engine": step.engine,
        "edge": step.edge,
        "from_file": step.from_file,
        "from_line": step.from_line,
        "basis": step.basis,
        "others": step.others,
        "waypoint": _both(s.waypoint),
        "crossing": _both(s.crossing),
        "parts": {
            name: _both(said.text) | {"basis": said.basis}
            | ({"note": said.note} if said.note else {}) | ({"since": said.since} if said.since else {})
            for name, said in s.parts.items()
        },
        "ask": _both(s.ask),
        "say": _both(spoken(s)),
        "questions": list(s.questions),
        "permalink": s.permalink,
        "sites": [
            {"rule": x.rule, "role": x.role, "action": x.action, "layer": x.layer, "first": x.first, "last": x.last,
             "why": x.why}
            for x in s.sites
        ],
        "code": _code(s.code),
        "faults": [_fault(f) for f in s.faults],
        "claims": [
            {"id": p.id, "text": _both(p.text), "verdict": p.verdict, "lines": list(p.lines)} for p in s.proofs
        ],
        "pairs": [
            {"rule": h.rule, "does": h.does, "released": h.released, "handed_over": h.handed_over,
             "missing": list(h.missing)}
            for h in s.held
        ],
        "seconds": s.seconds,
        "beats": list(s.beats),
    }


def _code(c: Code) -> dict[str, Any]:
    return {
        "first": c.first,
        "last": c.last,
        "pieces": [{"start": p.start, "lines": [printable(line) for line in p.lines]} for p in c.pieces],
        "marks": [{"line": line, "why": why} for line, why in c.marks],
        "ways_out": [
            {"line": w.line, "kind": w.kind, "sort": w.sort, "when": printable(w.when), "verdict": w.verdict,
             "rule": w.rule, "by": {"file": w.by[0], "line": w.by[1]} if w.by else None}
            for w in c.ways_out
        ],
        "guards": [printable(g) for g in c.guards],
    }


def _fault(f: Fault) -> dict[str, Any]:
    parts = [{"part": name, "text": _both(text), "verdict": verdict} for name, text, verdict in f.parts]
    return {"id": f.id, "title": _both(f.title), "engine": f.engine, "kind": f.kind, "parts": parts}


def _beat(b: Beat) -> dict[str, Any]:
    return {"id": b.id, "seconds": b.seconds, "title": _both(b.title), "say": _both(b.say)}


def spoken(s: Stop) -> Text:
    """What a speaker says at a step: the note's own line, else what happens there; nothing where no note is."""
    if s.say.en or s.parts["happens"].basis != "note":
        return s.say
    return s.parts["happens"].text


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh or text.en}


# -- text ---------------------------------------------------------------------------------------
def opening(tour: Tour, lang: str) -> Iterator[Line]:
    """The head of a tour: what it shows, of which revisions, and what it answers."""
    yield ((_both(tour.title)[lang], "bold"), (f"  ({tour.path.name})", "dim"))
    engines = " · ".join(f"{e.name} {version_text(e.version)}" for e in tour.engines)
    yield ((engines, "dim"),)
    for question, asks in tour.questions.items():
        yield ((f"{question}  ", "cyan"), (_both(asks)[lang], ""))


def stop(tour: Tour, s: Stop, lang: str, *, hide: bool = False, speaker: bool = False) -> Iterator[Line]:
    """One step. `hide`: only what the quiz asks, with the code; `speaker`: what to say, and for how long."""
    w = WORDS[lang]
    yield ((f"── {_count(s, tour, lang)} ", "bold"), (short_symbol(s.step.symbol), "bold cyan"),
           (f"  {s.step.engine} · {s.step.file}:{s.step.def_line}", "green"))
    if s.waypoint.en:
        yield ((f"   ▸ {_both(s.waypoint)[lang]}", "bold"),)
    yield from _crossing(s, lang)
    if speaker:
        yield from _speaker(tour, s, lang)
    yield from _excerpt(s)
    if hide:
        yield ((f"   {w['quiz']}: ", "bold magenta"), (_both(s.ask)[lang] or w["quiz_rest"], ""))
        return
    yield from answer(s, lang)
    if s.questions:
        yield ((f"   {w['answers']}: ", "bold"), (", ".join(s.questions), "cyan"))


def answer(s: Stop, lang: str) -> Iterator[Line]:
    """What is said of a step: its four parts, its ways out, and the checked facts behind it."""
    w = WORDS[lang]
    for name in PARTS:
        said = s.parts[name]
        mark = {"note": "", "sites": f"  [{w['generated']}]", "since": f"  [{_since(said.since, lang)}]"}[said.basis]
        yield ((f"   {w[name]}: ", "bold"), (_both(said.text)[lang], ""), (mark, "dim"))
    for out in s.code.ways_out if s.parts["wrong"].basis == "note" else ():
        verdict = f"  — {w[out.verdict]}" if out.verdict else ""
        yield ((f"     ! {out.line} ", "red"), (f"{out.kind} · {_both(SORTS[out.sort])[lang]}", ""),
               (f"  {w['when']} {printable(out.when)}" if out.when else "", "dim"),
               (verdict, "bold red" if out.verdict == "missing" else "dim"))
    for h in s.held:
        missing = f", {w['missing']} {', '.join(map(str, h.missing))}" if h.missing else ""
        ways = f"{h.released} {w['released']}, {h.handed_over} {w['handed_over']}{missing}"
        yield ((f"   {w['pairs']}: ", "bold"), (f"{h.rule} ", "cyan"), (f"{w[h.does]}; {w['exits']}: {ways}", ""))
    for f in s.faults:
        held = ((name, text) for name, text, verdict in f.parts if verdict == "holds")
        said_parts = "; ".join(f"{w.get(name, name)}: {_both(text)[lang]}" for name, text in held)
        yield ((f"   {w['faults']}: ", "bold"), (_both(f.title)[lang], ""), (f" — {w[f.kind]}", "dim"),
               (f"  {said_parts}" if said_parts else "", "dim"))
    for p in s.proofs:
        lines = ", ".join(map(str, p.lines))
        yield (("   ✓ " if p.verdict == "holds" else "   ✗ ", _STATUS.get(p.verdict, "")), (_both(p.text)[lang], ""),
               (f"  {p.id} · {w['line']} {lines}", "dim"))


def closing(tour: Tour, lang: str) -> Iterator[Line]:
    """The last line of a tour."""
    crossed = sum(1 for s in tour.path.steps if s.edge in CROSSING)
    yield ((f"{WORDS[lang]['end']}: {tour.path.end}  ({len(tour.stops)} steps, {crossed} crossings)", "bold"),)


def _count(s: Stop, tour: Tour, lang: str) -> str:
    return f"第 {s.number}/{len(tour.stops)} 步" if lang == "zh" else f"step {s.number} of {len(tour.stops)}"


def _since(number: int, lang: str) -> str:
    return f"同第 {number} 步" if lang == "zh" else f"as at step {number}"


def _crossing(s: Stop, lang: str) -> Iterator[Line]:
    step = s.step
    if not step.edge:
        return
    line = "══" if step.edge in CROSSING else "──"
    others = f"  ({step.others} {WORDS[lang]['others']})" if step.others else ""
    yield ((f"   {line} {step.edge} [{step.basis}] {step.from_file}:{step.from_line}{others}",
            "yellow" if step.edge in CROSSING else "dim"),)
    if s.crossing.en:
        yield ((f"      {_both(s.crossing)[lang]}", "italic"),)


def _speaker(tour: Tour, s: Stop, lang: str) -> Iterator[Line]:
    told = sum(x.seconds for x in tour.stops[: s.number - 1])
    yield ((f"   {WORDS[lang]['say']} ({told // 60}:{told % 60:02} + {s.seconds} {WORDS[lang]['seconds']}): ", "bold"),
           (_both(spoken(s))[lang], ""))
    by_id: Mapping[str, Beat] = {b.id: b for b in tour.beats}
    for beat in s.beats:
        yield ((f"     {_both(by_id[beat].title)[lang]}: ", "bold"), (_both(by_id[beat].say)[lang], "italic"))


def _excerpt(s: Stop) -> Iterator[Line]:
    """The code: `>` a site, `→` the line that leads on, `»` both, `!` a way out."""
    marks = dict(s.code.marks)
    width = len(str(s.code.last))
    for number, piece in enumerate(s.code.pieces):
        if number:
            yield ((f"     {'':{width}}  ⋮", "dim"),)
        for line, text in enumerate(piece.lines, piece.start):
            mark = _MARKS.get(marks.get(line, ""), " ")
            yield ((f"   {mark} {line:{width}} │ ", "dim"), (printable(text), "bold" if mark in ">→»" else ""))
