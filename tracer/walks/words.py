"""What is said of a step that no note covers: sentences made of its sites and its ways out, in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tracer.model import Site, Step
from tracer.rules import Text
from tracer.walks.model import Sort, WayOut

MOST = 4
NOTHING_YET = Text(
    "No earlier step of this path says; look at the first way-point.", "这条路径此前的步骤没有说明；见第一个途经点。"
)
SORTS: dict[Sort, Text] = {
    "abort": Text("abort", "中止"),
    "timeout": Text("time-out", "超时"),
    "failure": Text("failure", "失败"),
    "early": Text("early exit", "提前返回"),
}
_ROLES = {
    "request_state": "请求状态", "publish": "发布", "protection": "保护", "completion": "完成", "lookup": "查找",
    "key": "键", "load": "加载", "reclaim": "回收", "failure": "失败",
}  # fmt: skip
_EDGES = {
    "call": Text("calls", "调用"),
    "dynamic": Text("calls, through an interface,", "经接口调用"),
    "callback": Text("hands over, as a callback,", "以回调交给"),
    "thread": Text("hands over to a thread:", "交给线程："),
    "async": Text("starts, as a task,", "以异步任务启动"),
    "process": Text("hands over to another process:", "交给另一进程："),
    "rpc": Text("calls, over RPC,", "经 RPC 调用"),
    "binding": Text("calls, across the language border,", "跨语言调用"),
    "device": Text("hands over to the device:", "交给设备："),
    "state": Text("leaves a state that is read by", "写下状态，由其读取："),
}


def happens(sites: Sequence[Site], after: Step | None) -> Text:
    """What the sites of a step say, and where it goes on."""
    en, zh = [], []
    roles = Counter((s.role, s.action, s.layer) for s in sites)
    for (role, action, layer), _ in roles.most_common(MOST):
        lines = ", ".join(str(s.first) for s in sites if (s.role, s.action, s.layer) == (role, action, layer))
        en.append(f"{role.replace('_', ' ')} · {action} ({layer}) at line {lines}")
        zh.append(f"{_ROLES[role]} · {action}（{layer}），第 {lines} 行")
    if not sites:
        en.append("Passes the work on; no rule finds a site in this function")
        zh.append("只转交工作；没有规则在此函数中找到要点")
    if after is not None:
        verb = _EDGES.get(after.edge, _EDGES["call"])
        name = _leaf(after.symbol)
        en.append(f"then {verb.en} `{name}`")
        zh.append(f"随后{verb.zh} `{name}`")
    return Text("; ".join(en) + ".", "；".join(zh) + "。")


def wrong(ways_out: Sequence[WayOut]) -> Text:
    """How many ways out lie beside the happy path, of which kind, and which miss a release."""
    if not ways_out:
        return Text(
            "No exit of this function reports an abort, a time-out or a failure.",
            "此函数没有报告中止、超时或失败的出口。",
        )
    counts = Counter(w.sort for w in ways_out)
    en = [f"{counts[k]} × {v.en}" for k, v in SORTS.items() if counts[k]]
    zh = [f"{v.zh} × {counts[k]}" for k, v in SORTS.items() if counts[k]]
    lines = ", ".join(str(w.line) for w in ways_out)
    missing = ", ".join(str(w.line) for w in ways_out if w.verdict == "missing")
    return Text(
        f"Ways out beside the happy path: {', '.join(en)} (line {lines})."
        + (f" At line {missing} no release is found for what is held." if missing else ""),
        f"正常路径之外的出口：{'，'.join(zh)}（第 {lines} 行）。"
        + (f"第 {missing} 行找不到对所持有之物的释放。" if missing else ""),
    )


def _leaf(symbol: str) -> str:
    return symbol.replace("::", ".").rsplit(".", 1)[-1]
