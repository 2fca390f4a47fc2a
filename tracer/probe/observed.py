"""What a recording saw, set against the static graph: which observed edges it has, and why it lacks the others.

An absent edge proves nothing about precision: only recall can come from a run, and only of what the run did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracer.model import Edge
from tracer.probe.recording import rows, symbol
from tracer.targets import specs_of

NATIVE = "native"  # edges of compiled code: no line of the caller, and inlined functions have no frame
INLINED = 3  # functions in a row that may have been inlined


@dataclass(frozen=True, slots=True)
class Observed:
    """One caller and callee seen in a run, by symbol; `line` is where the caller stood, `kind` how it got there."""

    caller: str
    callee: str
    file: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Recall:
    """How much of what was seen the graph has; `missed` with the reason of each, `fan_out` its mean candidates."""

    seen: int
    found: int
    by_kind: Mapping[str, tuple[int, int]]
    missed: tuple[tuple[Observed, str], ...]
    fan_out: float

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why edges were missed, most frequent first."""
        counts = Counter(why for _, why in self.missed)
        return sorted(counts.items(), key=lambda r: (-r[1], r[0]))


def read(folder: Path) -> list[Observed]:
    """Every edge in the recordings below `folder`, each caller and callee once a line; sorted.

    Where phases are told, only what was seen in "run" counts. A line that a crash cut off ends its file.
    Raises `UsageError` if there is no recording.
    """
    found: set[Observed] = set()
    for _, roots, row in rows(folder):
        if "edge" in row:
            (path, caller), (_, callee) = (symbol(name, roots) for name in row["edge"])
            found.add(Observed(caller, callee, path, int(row["line"]), str(row["kind"])))
        elif row.get("from") and str(row.get("kind", "")).startswith(NATIVE) and "seen" in row:
            found.add(Observed(str(row["from"][0]), str(row["seen"]), "", 0, str(row["kind"])))
    return sorted(found, key=lambda o: (o.caller, o.line, o.callee, o.kind))


def files(seen: Iterable[Observed], specs: Sequence[str]) -> set[str]:
    """The files that the callers stand in, as the repositories of the engines call them."""
    prefixes = {""} | {p for target, _ in specs_of(specs) for p in target.packages}
    return {prefix + o.file for o in seen for prefix in prefixes}


def recall(seen: Iterable[Observed], edges: Iterable[Edge]) -> Recall:
    """Compare what was seen with the resolved edges of the static graph."""
    targets: dict[str, set[str]] = {}
    lines: dict[tuple[str, int], list[Edge]] = {}
    for e in edges:
        if e.basis != "unresolved":
            targets.setdefault(e.source, set()).add(e.target)
        lines.setdefault((e.source, e.line), []).append(e)
    pairs: dict[tuple[str, str], Observed] = {}
    for o in seen:
        pairs.setdefault((o.caller, o.callee), o)
    by_kind: dict[str, list[int]] = {}
    missed = []
    for (caller, callee), o in pairs.items():
        hit = callee in targets.get(caller, ()) or (
            callee.endswith(".__init__") and callee.removesuffix(".__init__") in targets.get(caller, ())
        )
        kind = o.kind
        if not hit and kind.startswith(NATIVE):
            if _through_inlined(caller, callee, targets, pairs):
                hit, kind = True, f"{kind}, others inlined between"
            elif any(callee in targets.get(t, ()) for t in targets.get(caller, ()) if (caller, t) in pairs):
                hit, kind = True, f"{kind}, a tail call between"
        row = by_kind.setdefault(kind, [0, 0])
        row[0] += hit
        row[1] += 1
        if not hit:
            missed.append((o, _why(o, targets, lines.get((caller, o.line), []))))
    callers = {caller for caller, _ in pairs}
    out = sum(len(targets.get(c, ())) for c in callers)
    return Recall(
        len(pairs),
        len(pairs) - len(missed),
        {k: (a, b) for k, (a, b) in sorted(by_kind.items())},
        tuple(missed),
        out / len(callers) if callers else 0.0,
    )


def _through_inlined(
    caller: str, callee: str, targets: Mapping[str, set[str]], pairs: Mapping[tuple[str, str], Observed]
) -> bool:
    """Whether the graph leads there over functions that had no frame of their own below this caller in the run."""
    level, known = {caller}, {caller}
    for _ in range(INLINED):
        level = {
            t for f in level for t in targets.get(f, ()) if t not in known and (caller, t) not in pairs and "::" in t
        }
        known |= level
        if any(callee in targets.get(f, ()) for f in level):
            return True
    return False


def _why(o: Observed, targets: Mapping[str, set[str]], here: list[Edge]) -> str:
    name = o.callee.replace("::", ".").rsplit(".", 1)[-1]
    if o.kind.startswith(NATIVE):
        return _why_native(o, name, targets)
    if o.kind in ("thread", "task"):
        return "handed over to a thread or executor"
    if o.kind == "indirect":
        return "through code outside of the engine"
    if name.startswith("__") and name.endswith("__"):
        return f"special method {name}"
    if o.caller not in targets:
        return "the caller has no resolved edge"
    named = [e for e in here if e.target.replace("::", ".").rsplit(".", 1)[-1] == name]
    if any(e.basis == "unresolved" for e in named):
        return "the receiver's type is not known"
    if named:
        return "resolved to another definition of that name"
    if any(e.basis == "unresolved" for e in here):
        return "a call on the line does not resolve, by another name"
    return "the line does not name the callee (property, operator, wrapper)"


def _why_native(o: Observed, name: str, targets: Mapping[str, set[str]]) -> str:
    """Without a line of the caller: by what the callee is."""
    if name.startswith("~"):
        return "a destructor (end of scope, member, base)"
    if name == o.callee.replace("::", ".").rsplit(".", 2)[-2]:
        return "a constructor"
    if o.kind.endswith("indirect"):
        return "through code outside of the engine"
    if name.startswith("operator"):
        return "an operator"
    if o.caller not in targets:
        return "the caller has no resolved edge"
    return "a call that the caller's resolved edges do not lead to"
