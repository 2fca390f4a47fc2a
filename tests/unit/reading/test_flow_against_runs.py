"""What flow says of paths must hold on every run: small programs made at random are run, with random outcomes."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracer.reading import Reading, flow, read

RUNS = 20
_SIMPLE = st.sampled_from([
    ["m(#)"], ["m(#)"], ["m(#)"], ["return m(#)"], ["raise KeyError(m(#))"], ["raise OSError(m(#))"], ["break"],
    ["m(#)", "continue"], ["if c(): return m(#)"], ["if c(): raise ValueError(m(#))"], ["if c(): break"], ["pass"],
    ["done = True"], ["done = False"], ["done = None"], ["done = c()"], ["if done: m(#)"], ["if not done: return m(#)"],
    ["if done is not None and c(): m(#)"], ["with w(0) as done: m(#)"],
])


def _suite(body: list[list[str]]) -> list[str]:
    return ["    " + line for part in body for line in part]


def _compound(children: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    body = st.lists(children, min_size=1, max_size=3).map(_suite)
    two, three = st.tuples(body, body), st.tuples(body, body, body)
    handler = st.sampled_from(["except KeyError:", "except (KeyError, ValueError):", "except Exception:", "except:"])
    return st.one_of(
        body.map(lambda p: ["if c():", *p]),
        two.map(lambda p: ["if not done:", *p[0], "else:", *p[1]]),
        body.map(lambda p: ["while c() and not done:", *p]),
        two.map(lambda p: ["if c():", *p[0], "else:", *p[1]]),
        three.map(lambda p: ["if c():", *p[0], "elif c():", *p[1], "else:", *p[2]]),
        two.map(lambda p: ["for _ in n():", *p[0], "else:", *p[1]]),
        body.map(lambda p: ["while c():", *p]),
        two.map(lambda p: ["try:", *p[0], "finally:", *p[1]]),
        st.tuples(body, handler, body).map(lambda p: ["try:", *p[0], p[1], *p[2]]),
        st.tuples(body, handler, body, body, body).map(
            lambda p: ["try:", *p[0], p[1], *p[2], "else:", *p[3], "finally:", *p[4]]),
        body.map(lambda p: ["with w(m(#)):", *p]),
        two.map(lambda p: ["match v():", "    case 1:", *["    " + x for x in p[0]], "    case 2:",
                           *["    " + x for x in p[1]]]),
        body.map(lambda p: ["def inner():", "    return 7", *[line.removeprefix("    ") for line in p]]),
    )


_PROGRAM = st.lists(st.recursive(_SIMPLE, _compound, max_leaves=14), min_size=1, max_size=5)


class _Stop(BaseException):
    """The run took too long to be of interest."""


class _Manager:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def _number(program: list[list[str]]) -> list[str]:
    lines = ["def f(done=False):", "    while True:", *("    " + line for line in _suite(program)), "        break"]
    return [line.replace("#", str(at)) for at, line in enumerate(lines, 1)]


def _run(code: Any, seed: int, raising: bool) -> tuple[list[int], tuple[int, str, bool] | None]:
    """The markers passed (negative: it raised) and the exit (line, kind, whether a call raised); None: was stopped."""
    chance, trace = random.Random(seed), []

    def m(line: int) -> int:
        trace.append(line)
        if len(trace) > 200:
            raise _Stop
        if raising and chance.random() < 0.15:
            trace[-1] = -line
            raise ValueError(line, "implicit")
        return line

    steps = iter(range(400))

    def c() -> bool:
        if next(steps, None) is None:
            raise _Stop
        return chance.random() < 0.5

    names: dict[str, Any] = {
        "m": m, "c": c, "n": lambda: range(chance.randrange(3)), "v": lambda: chance.randrange(4),
        "w": lambda _: _Manager(),
    }
    exec(code, names)
    try:
        found = names["f"]()
    except _Stop:
        return trace, None
    except Exception as error:
        return trace, (error.args[0], "raise", "implicit" in error.args)
    return trace, (0, "fall", False) if found is None else (found, "return", False)


@given(_PROGRAM, st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_flow_holds_on_every_run(program: list[list[str]], raising: bool) -> None:
    lines = _number(program)
    text = "\n".join(lines) + "\n"
    code = compile(text, "case", "exec")
    reading: Reading = read("python", text.encode(), 1, len(lines), "f")
    exits = flow.exits(reading, exceptions=raising)
    known = {(0 if e.kind == "fall" else e.line, e.kind, e.implicit): e for e in exits}
    runs = [_run(code, seed, raising) for seed in range(RUNS)]
    marks = sorted({abs(mark) for trace, _ in runs for mark in trace})
    for a in marks:
        for b in marks:
            if a != b and flow.always_before(reading, [a], [b], exceptions=raising).holds:
                for passed in ([abs(mark) for mark in trace] for trace, _ in runs):
                    assert b not in passed or a in passed[:passed.index(b)], f"{a} before {b}\n{text}"
    for trace, end in runs:
        if end is None:
            continue
        line, kind, implicit = end
        if implicit and "raise" in lines[line - 1]:
            implicit = False  # the call is the raise statement's own
        assert (line, kind, implicit) in known, f"{end} is no exit of\n{text}"
        leaving = known[line, kind, implicit]
        for start in {mark for mark in trace if mark > 0}:
            behind = {abs(mark) for mark in trace[len(trace) - trace[::-1].index(start):]}
            assert leaving in flow.reachable_exits(reading, start, exceptions=raising), f"{start} to {end}\n{text}"
            for other in marks:
                if other not in (start, line) and flow.covered(reading, start, leaving, {other}, exceptions=raising):
                    assert other in behind, f"{start} to {end} without {other}\n{text}"
