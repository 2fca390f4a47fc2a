"""One engine at one version, and every question that can be asked of it; see `tracer.api`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from tracer import checkout, evidence
from tracer.api.result import Answered, Handling, Result
from tracer.errors import UsageError
from tracer.model import ACTIONS, LAYERS, ROLES, Edge, Site, SourceTree, Use
from tracer.model import Path as Way
from tracer.targets import nearest, parse_spec

if TYPE_CHECKING:
    from tracer.along import Passed
    from tracer.api.written import Written
    from tracer.claims.model import Checked
    from tracer.diff.model import Change
    from tracer.pairs.balance import Holder
    from tracer.pairs.order import Order
    from tracer.paths.drives import Driven
    from tracer.paths.relay import Carrier
    from tracer.paths.routes import Route
    from tracer.rules import Rule
    from tracer.survey import Progress
    from tracer.timeline import Line
    from tracer.walks.model import Stop

Rules = Sequence[str | Path]
Op = Literal["read", "write", "augment+", "augment-", "augment", "insert", "remove", "clear", "call", "define", "all"]
OPS: tuple[str, ...] = get_args(Op)


class Engine:
    """One engine at one version, to be asked. Each method is one question and gives a `Result`."""

    def __init__(self, spec: str, *joined: str, rules: Rules = (), progress: Progress | None = None) -> None:
        self.spec, self.joined, self.progress = spec, joined, progress
        self.target, self.version = parse_spec(spec)
        self.rules = tuple(Path(r).resolve() for r in rules)
        for folder in self.rules:
            if not folder.is_dir():
                raise UsageError("is no folder", where=str(folder), todo="name a folder of <engine>/<rules>.yaml")

    def __repr__(self) -> str:
        return f"tracer.trace({', '.join(map(repr, (self.spec, *self.joined)))})"

    @property
    def tree(self) -> SourceTree:
        """The source, fetched if it is not on this machine."""
        return checkout.open_tree(self.spec, progress=self.progress)

    def fetch(self, *, source: str | None = None, origin: str | None = None) -> SourceTree:
        """Bring the source onto this machine, from `source` ("git", "archive") or from `origin`.

        `origin` is a clone, a bare mirror, an archive, a folder or a URL.
        """
        from tracer.checkout import fetch

        return fetch(self.target, self.version, source=source, origin=origin, progress=self.progress)

    def known_rules(self) -> tuple[Rule, ...]:
        """The rules that apply to this version: what state carries each role, and why."""
        from tracer.rules import rules_for

        return rules_for(self.target.name, self.version.name, self.rules)

    def paths(self) -> tuple[Route, ...]:
        """The named paths that begin in this engine."""
        from tracer.paths.routes import routes

        return tuple(r for r in routes(self.rules) if r.engines[0] == self.target.name)

    # -- one engine ----------------------------------------------------------------------
    def where(
        self, role: str, *, layer: str | None = None, action: str | None = None, contexts: bool = False
    ) -> Result[Site]:
        """Every place where a role ("all" for every one) is played."""
        from tracer.render import json as documents
        from tracer.render import text
        from tracer.trace import where

        _known(role, ("all", *ROLES), "role")
        _known(layer, LAYERS, "layer")
        _known(action, ACTIONS.get(role) or sorted({a for some in ACTIONS.values() for a in some}), "action")
        found = where(role, [self.spec], layer=layer, action=action, contexts=contexts, **self._with)
        return Result(
            found.sites,
            found.engines,
            found.gaps,
            lambda: documents.where([found]),
            lambda: text.where_markdown([found]),
        )

    def uses(self, pattern: str, *, op: Op = "all", glob: str | None = None) -> Result[Use]:
        """Every place that uses the state `Class.field`, or calls or defines a function; by type."""
        from tracer.render import json as documents
        from tracer.render import text
        from tracer.trace import uses

        _known(op, OPS, "op")
        engine, found, gaps = uses(pattern, self.spec, op=op, glob=glob, progress=self.progress)
        return Result(
            found,
            [engine],
            gaps,
            lambda: documents.uses(engine, found, gaps),
            lambda: text.uses_markdown(engine, found, gaps),
        )

    def pairs(self, what: str = "all", *, glob: str | None = None, depth: int | None = None) -> Result[Holder]:
        """Who holds what is acquired, with a verdict on each way out; `holder.missing` counts what is not released."""
        from tracer.render import pairs as render
        from tracer.trace import givers, pairs

        engine, found, gaps = pairs(what, self.spec, glob=glob, depth=depth, **self._with)
        return Result(
            found,
            [engine],
            gaps,
            lambda: render.document(engine, found, gaps, givers(what, self.spec, glob=glob, **self._with)),
            lambda: render.markdown(engine, found, gaps, every=False),
        )

    def order(self, a: str, b: str, *, inside: str = "", depth: int | None = None) -> Result[Order]:
        """Whether A comes before B on every way, in each function that does both."""
        from tracer.render import pairs as render
        from tracer.trace import order

        engine, found = order(a, b, self.spec, inside=inside, depth=depth, **self._with)
        return Result(
            found,
            [engine],
            (),
            lambda: render.order_document(engine, a, b, found),
            lambda: render.order_markdown(engine, a, b, found),
        )

    # -- what is written about it ----------------------------------------------------------
    def answer(self, question: str, *, lang: str = "en") -> Result[Answered]:
        """What is written about a question (Q1 … Q18, "all"), each claim with its verdict on this version."""
        from tracer.questions import bank

        known = list(bank().questions)
        wanted = known if question == "all" else [_known(question.upper(), known, "question")]
        return self._written.answers(wanted, lang)

    def claims(self, *only: str) -> Result[Checked]:
        """Every claim (of these ids, or whose id begins so) with its verdict and the lines that decide it."""
        return self._written.claims(only)

    def faults(self, *, lang: str = "en") -> Result[Handling]:
        """Per fault: what detects it, what happens to the memory, what the request does next."""
        return self._written.faults(lang)

    @property
    def _written(self) -> Written:
        from tracer.api.written import Written

        return Written(self.spec, self.rules, self.progress)

    # -- its versions ----------------------------------------------------------------------
    def diff(self, other: str, *, role: str = "all", only: Sequence[str] = ()) -> Result[Change]:
        """What changed from this version to `other`: another one (`0.5.6` or `lmcache@0.5.6`), or a folder of it."""
        from tracer.diff import PARTS, diff, subjects
        from tracer.render import changes as render

        _known(role, ("all", *ROLES), "role")
        for part in only:
            _known(part, PARTS, "part")
        named = other if "@" in other or "/" in other else f"{self.target.name}@{other}"
        sides = subjects(self.spec, named, progress=self.progress)
        found = diff(*sides, role=role, only=only, rules=self.rules, progress=self.progress)
        return Result(
            found.changes,
            [found.before, found.after],
            [g for _, g in found.gaps],
            lambda: render.document(found),
            lambda: render.markdown(found),
        )

    def timeline(
        self, what: str, *, since: str = "", until: str = "", every: bool = False, clone: str = "", workers: int = 0
    ) -> Result[Line]:
        """A role, a claim or `pairs:WHAT` through the versions in the cache, oldest first; the version asked is not
        looked at. With `every`, through all releases on the index, or all tags of `clone`.
        """
        from tracer.render import timelines as render
        from tracer.timeline import timeline

        found = timeline(
            what, self.target.name, since=since, until=until, every=every, clone=clone, workers=workers, **self._with
        )
        return Result(
            found.lines,
            found.engines,
            found.gaps,
            lambda: render.document(found),
            lambda: render.markdown(found),
        )

    # -- it and those it is joined with --------------------------------------------------
    def path(
        self, a: str, b: str = "", *, count: int = 1, through: Sequence[str] = (), choose: Sequence[str] = ()
    ) -> Result[Way]:
        """The named path `a`, or how `a` reaches `b` (symbols, FILE:LINE or rule ids), every crossing named."""
        from tracer.render import steps
        from tracer.render.json import head
        from tracer.trace import path

        names = (a, b) if b else (a,)
        found = path(names, self._specs, count=count, through=through, choose=choose, **self._with)

        def document() -> dict[str, Any]:
            return head("path", found.engines) | {"paths": [steps.as_json(p) for p in found.paths]}

        def markdown() -> list[str]:
            return _fenced(steps.text(found.paths, found.engines))

        return Result(found.paths, found.engines, found.gaps, document, markdown)

    def walk(self, name: str, *, choose: Sequence[str] = (), fast: bool = False, lang: str = "en") -> Result[Stop]:
        """The named path as a guided tour: a stop for each step, with code, owner, protection and what may go wrong.

        `fast`: without pairs and claims, which take their time when first asked.
        """
        from tracer.render import walks as render
        from tracer.render.text import plain
        from tracer.walks.gather import tour_of

        tour = tour_of(name, self._specs, choose=choose, fast=fast, **self._with)

        def told() -> Iterator[str]:
            lines = [*render.opening(tour, lang)]
            for stop in tour.stops:
                lines += [(("", ""),), *render.stop(tour, stop, lang)]
            return iter(_fenced("\n".join(map(plain, (*lines, *render.closing(tour, lang))))))

        return Result(tour.stops, tour.engines, (), lambda: render.document(tour), told)

    def along(
        self, a: str, b: str, name: str, *, choose: Sequence[str] = (), depth: int | None = None
    ) -> Result[Passed]:
        """Whether A comes before B along the named path `name`: its steps that do one of them."""
        from tracer.along import order_along
        from tracer.render import pairs as render
        from tracer.render.text import plain

        engines, way, found = order_along(a, b, name, self._specs, choose=choose, depth=depth, **self._with)
        return Result(
            found,
            engines,
            (),
            lambda: render.along_document(engines, a, b, way, found),
            lambda: _fenced("\n".join(map(plain, render.along_text(a, b, way, found)))),
        )

    def relay(self, what: str) -> Result[Carrier]:
        """The fields, queues and sets along which a completion (a role, or a site) travels: who fills, who takes."""
        from tracer.render import reach
        from tracer.trace import relay

        engines, found = relay(what, self._specs, **self._with)
        return Result(
            found,
            engines,
            (),
            lambda: reach.relay_json(engines, found),
            lambda: _fenced("\n".join(reach.relay(found, engines))),
        )

    def drives(self, site: str, *, most: int = 40) -> Result[Driven]:
        """The loops, threads, handlers and public functions that reach a site, with the conditions on the way."""
        from tracer.render import reach
        from tracer.trace import drives

        engines, found = drives(site, self._specs, most=most, **self._with)
        return Result(
            found,
            engines,
            (),
            lambda: reach.drives_json(engines, found),
            lambda: _fenced("\n".join(reach.drives(found, engines))),
        )

    def graph(self) -> Iterator[Edge]:
        """Every edge, calls and crossings, unresolved ones too, in file and line order; one at a time, for there are
        hundreds of thousands.
        """
        from tracer.trace import graph

        return graph(self._specs, progress=self.progress)

    @property
    def _specs(self) -> list[str]:
        return [self.spec, *self.joined]

    @property
    def _with(self) -> dict[str, Any]:
        return {"rules": self.rules, "progress": self.progress}

    # -- the evidence ----------------------------------------------------------------------
    def excerpt(self, file: str, first: int, last: int | None = None, *, context: int = 3) -> evidence.Excerpt:
        """Lines `first`..`last` of `file` as they are in this version, with `context` lines around them."""
        return evidence.excerpt(self.tree, file, first, last or first, context)


def _known(name: str | None, known: Sequence[str], what: str) -> str:
    if name is not None and name not in known:
        near = nearest(name, list(known))
        todo = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        raise UsageError(f"there is no {what} {name!r}", todo=todo)
    return name or ""


def _fenced(text: str) -> list[str]:
    from tracer.render.markdown import fence

    return fence(text, "text").splitlines()


__all__ = ["Engine", "Rules"]
