"""Somebody else's program: it must pass `mypy --strict` and pyright against the installed package."""

import tracer
import tracer.api
from tracer.api import Answered, budget, discover, targets
from tracer.errors import SourceUnavailableError, TracerError


def places(spec: str) -> list[tuple[str, int]]:
    engine = tracer.trace(spec, "mooncake", progress=lambda what, done, total: None)
    kept: tracer.Engine = engine
    try:
        found = kept.where("publish", layer="host")
    except SourceUnavailableError:
        return []
    except tracer.TracerError as error:
        raise SystemExit(str(error)) from error
    return [(site.file, site.first) for site in found]


def everything(engine: tracer.Engine) -> None:
    steps: int = len(engine.path("store")[0].steps)
    answer: Answered = engine.answer("Q8")[0]
    verdict: str = answer.claims[0].verdict
    missing: int = sum(holder.missing for holder in engine.pairs("protection"))
    said: str = engine.walk("store")[0].waypoint.en
    lines: list[str] = [line.shown for line in budget(tokens=4)]
    gaps: list[str] = [gap.why for gap in engine.diff("0.5.6").gaps]
    kinds: set[str] = {edge.kind for edge in engine.graph()}
    names: list[str] = [target.name for target in targets()]
    first = discover("folder")[0]
    print(steps, verdict, missing, said, lines, gaps, kinds, names, first.symbol, TracerError)


trace = tracer.api.trace("lmcache")
print(trace.where("publish").document()["schema"])
