"""Tracer from Python: `tracer.trace("lmcache@0.5.6").where("publish")`.

Everything here is stable: names, arguments, and the documents that a `Result` gives (DESIGN's JSON contract, the same
bytes as `--format json`). A source that is not on this machine is fetched on the way, as on the command line.

>>> import tracer
>>> lmcache = tracer.trace("lmcache@0.3.15")
>>> lmcache
tracer.trace('lmcache@0.3.15')
>>> found = lmcache.where("publish", layer="host", action="commit")
>>> {(site.role, site.layer, site.action) for site in found}
{('publish', 'host', 'commit')}
>>> found.document()["schema"]
'tracer.where/1'
>>> site = found[0]
>>> excerpt = lmcache.excerpt(site.file, site.first, site.last, context=0)
>>> len(excerpt.lines) == site.last - site.first + 1
True
>>> {verdict.status for verdict in tracer.verify(found.document())}
{'ok'}
>>> tracer.trace("lmcache").where("publishing")
Traceback (most recent call last):
tracer.errors.UsageError: there is no role 'publishing' — did you mean publish?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tracer import checkout, evidence
from tracer.errors import UsageError
from tracer.model import ACTIONS, LAYERS, ROLES, EngineRevision, Gap, Site, SourceTree, Use
from tracer.model import Path as Way
from tracer.targets import nearest, parse_spec

if TYPE_CHECKING:
    from tracer.diff.model import Change
    from tracer.pairs.balance import Holder
    from tracer.pairs.order import Order
    from tracer.paths.drives import Driven
    from tracer.paths.relay import Carrier

T = TypeVar("T")
Rules = Sequence[str | Path]


class Result(Sequence[T]):
    """An answer: a sequence of records (`tracer.model`), and the same as a document, as Markdown, or in a notebook."""

    def __init__(
        self,
        items: Iterable[T],
        engines: Iterable[EngineRevision],
        gaps: Iterable[Gap],
        document: Callable[[], dict[str, Any]],
        markdown: Callable[[], Iterable[str]],
    ) -> None:
        self.items, self.engines, self.gaps = tuple(items), tuple(engines), tuple(gaps)
        self._document, self._markdown = document, markdown

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def document(self) -> dict[str, Any]:
        """The machine-readable contract: what `--format json` prints, before it is text."""
        return self._document()

    def to_json(self) -> str:
        """The document as text; the same bytes as `--format json`."""
        from tracer.render.json import dumps

        return dumps(self.document())

    def to_markdown(self) -> str:
        """The answer as Markdown; the same as `--format md`."""
        return "\n".join(self._markdown()) + "\n"

    def __repr__(self) -> str:
        told = ", ".join(f"{e.name} {e.version}" for e in self.engines)
        return f"<{len(self)} results for {told}; {len(self.gaps)} gaps>"

    def _repr_html_(self) -> str:
        """What a notebook shows; whatever comes from an engine is escaped."""
        from tracer.render.notebook import html

        return html(self.document())


def trace(spec: str, *joined: str, rules: Rules = ()) -> Engine:
    """An engine to ask: `ENGINE` (its newest pin) or `ENGINE@VERSION`; `joined` are engines that paths may cross to.

    `rules` are folders of further rules. Raises `tracer.errors.UsageError` for a name that is not known.
    """
    return Engine(spec, *joined, rules=rules)


class Engine:
    """One engine at one version, to be asked. Each method is one question and gives a `Result`."""

    def __init__(self, spec: str, *joined: str, rules: Rules = ()) -> None:
        self.spec, self.joined = spec, joined
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
        return checkout.open_tree(self.spec)

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
        found = where(role, [self.spec], layer=layer, action=action, contexts=contexts, rules=self.rules)
        return Result(
            found.sites,
            found.engines,
            found.gaps,
            lambda: documents.where([found]),
            lambda: text.where_markdown([found]),
        )

    def uses(self, pattern: str, *, op: str = "all", glob: str | None = None) -> Result[Use]:
        """Every place that uses the state `Class.field`, or calls or defines a function; by type."""
        from tracer.render import json as documents
        from tracer.render import text
        from tracer.trace import uses

        engine, found, gaps = uses(pattern, self.spec, op=op, glob=glob)
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
        from tracer.trace import pairs

        engine, found, gaps = pairs(what, self.spec, glob=glob, depth=depth, rules=self.rules)
        return Result(
            found,
            [engine],
            gaps,
            lambda: render.document(engine, found, gaps),
            lambda: render.markdown(engine, found, gaps, every=False),
        )

    def order(self, a: str, b: str, *, inside: str = "") -> Result[Order]:
        """Whether A comes before B on every way, in each function that does both."""
        from tracer.render import pairs as render
        from tracer.trace import order

        engine, found = order(a, b, self.spec, inside=inside, rules=self.rules)
        return Result(
            found,
            [engine],
            (),
            lambda: render.order_document(engine, a, b, found),
            lambda: render.order_markdown(engine, a, b, found),
        )

    def answer(self, question: str, *, lang: str = "en") -> Result[Mapping[str, Any]]:
        """What is written about a question (Q1 … Q18, "all"), each claim with its verdict on this version."""
        from tracer.questions import bank, behind, check
        from tracer.render import answers as render

        known = list(bank().questions)
        wanted = known if question == "all" else [_known(question.upper(), known, "question")]
        checked = check(self.spec, lambda said: behind(said, wanted), rules=self.rules)
        document = render.answers([checked], wanted, ())
        gaps = [Gap(g["what"], g["why"]) for g in document["gaps"]]

        def page() -> list[str]:
            return render.page(document, "answer", "md", lang).splitlines()

        return Result(document["answers"], [checked.engine], gaps, lambda: document, page)

    def diff(self, other: str, *, role: str = "all", only: Sequence[str] = ()) -> Result[Change]:
        """What changed from this version to `other`: another one (`0.5.6` or `lmcache@0.5.6`), or a folder of it."""
        from tracer.diff import diff, subjects
        from tracer.render import changes as render

        _known(role, ("all", *ROLES), "role")
        named = other if "@" in other or "/" in other else f"{self.target.name}@{other}"
        found = diff(*subjects(self.spec, named), role=role, only=only, rules=self.rules)
        return Result(
            found.changes,
            [found.before, found.after],
            [g for _, g in found.gaps],
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
        found = path(names, self._specs, count=count, through=through, choose=choose, rules=self.rules)

        def document() -> dict[str, Any]:
            return head("path", found.engines) | {"paths": [steps.as_json(p) for p in found.paths]}

        return Result(found.paths, found.engines, found.gaps, document, lambda: _fenced(steps.text(found.paths)))

    def relay(self, what: str) -> Result[Carrier]:
        """The fields, queues and sets along which a completion (a role, or a site) travels: who fills, who takes."""
        from tracer.render import reach
        from tracer.trace import relay

        engines, found = relay(what, self._specs, rules=self.rules)
        return Result(
            found, engines, (), lambda: reach.relay_json(engines, found), lambda: _fenced("\n".join(reach.relay(found)))
        )

    def drives(self, site: str, *, most: int = 40) -> Result[Driven]:
        """The loops, threads, handlers and public functions that reach a site, with the conditions on the way."""
        from tracer.render import reach
        from tracer.trace import drives

        engines, found = drives(site, self._specs, most=most, rules=self.rules)
        return Result(
            found,
            engines,
            (),
            lambda: reach.drives_json(engines, found),
            lambda: _fenced("\n".join(reach.drives(found))),
        )

    @property
    def _specs(self) -> list[str]:
        return [self.spec, *self.joined]

    # -- the evidence ----------------------------------------------------------------------
    def excerpt(self, file: str, first: int, last: int | None = None, *, context: int = 3) -> evidence.Excerpt:
        """Lines `first`..`last` of `file` as they are in this version, with `context` lines around them."""
        return evidence.excerpt(self.tree, file, first, last or first, context)


def verify(document: Mapping[str, Any]) -> list[evidence.Verdict]:
    """Re-read every piece of evidence of a document: ok, moved, stale or unread."""
    return evidence.verify(document, lambda engine, version: checkout.open_tree(f"{engine}@{version}"))


def _known(name: str | None, known: Sequence[str], what: str) -> str:
    if name is not None and name not in known:
        near = nearest(name, list(known))
        todo = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        raise UsageError(f"there is no {what} {name!r}", todo=todo)
    return name or ""


def _fenced(text: str) -> list[str]:
    from tracer.render.markdown import fence

    return fence(text, "text").splitlines()


__all__ = ["Engine", "Result", "trace", "verify"]
