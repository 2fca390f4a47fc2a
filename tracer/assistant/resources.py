"""What an assistant can read before it asks: engines, roles, words, questions; rules and named paths per engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from tracer.errors import UsageError
from tracer.model import ACTIONS, BASES, EDGE_KINDS, LAYERS, ROLES
from tracer.render import json as documents
from tracer.targets import load_targets, target

WORDS = {
    "request_state": "the status of a request (or replica, slice, load operation), and every statement that changes it",
    "publish": "content becomes discoverable to other readers: it enters the index that a lookup reads",
    "protection": "reference counts, locks, pins, leases, delayed frees that keep memory from eviction or reuse",
    "completion": "an asynchronous save, load or transfer ends: recorded, put, set, replied, counted",
    "lookup": "asks what is cached",
    "key": "derives the name under which content is found",
    "load": "brings cached content back",
    "reclaim": "finds, evicts and frees memory",
    "failure": "detects a fault, falls back or retries",
    "gpu": "the in-engine prefix cache",
    "host": "the CPU tier",
    "remote": "the distributed store",
    "transfer": "the wire between prefill and decode",
    "engine": "scheduler and requests",
    "exact": "the name means this one definition",
    "typed": "the receiver's type is known",
    "inherited": "through a base class or an abstract method",
    "declared": "a declared crossing joins both ends",
    "by_name": "only the name fits; look before you rely on it",
    "observed": "seen at run time",
    "unresolved": "the target is not known, kept as text",
}


def targets() -> dict[str, Any]:
    """The engines with their pins."""
    engines = [
        {"name": t.name, "title": t.title, "url": t.url, "versions": [asdict(v) for v in t.versions]}
        for t in load_targets()
    ]
    return {"schema": "tracer.targets/1", "engines": engines}


def _targets() -> str:
    return documents.dumps(targets())


def _roles() -> str:
    roles = [{"role": r, "means": WORDS[r], "actions": list(ACTIONS[r])} for r in ROLES]
    layers = [{"layer": name, "means": WORDS[name]} for name in LAYERS]
    return documents.dumps({"roles": roles, "layers": layers, "edges": list(EDGE_KINDS), "bases": list(BASES)})


def _glossary() -> str:
    return "# Words of Tracer\n\n" + "".join(f"- **{word}**: {means}.\n" for word, means in WORDS.items())


def _questions() -> str:
    from tracer.questions import bank

    asked = bank()
    rows = [{"question": name, "title": asdict(title)} for name, title in asked.questions.items()]
    return documents.dumps({"questions": rows})


def _rules(engine: str) -> str:
    from tracer.rules import rules_for

    known = target(engine)
    return documents.dumps(documents.rules(rules_for(known.name, known.versions[0].name)))


def _paths(engine: str) -> str:
    from tracer.paths import routes

    name = target(engine).name
    found = [r for r in routes.routes(()) if r.engines[0] == name]
    rows = [{"name": r.name, "engines": list(r.engines), "stack": r.stack, "title": r.title.en} for r in found]
    return documents.dumps({"paths": rows})


def _rules_of(engine: str, role: str) -> str:
    from tracer.rules import rules_for

    if role not in ROLES:
        raise UsageError(f"there is no role {role!r}", todo=f"roles: {', '.join(ROLES)}")
    known = target(engine)
    return documents.dumps(documents.rules(r for r in rules_for(known.name, known.versions[0].name) if r.role == role))


@dataclass(frozen=True, slots=True)
class Resource:
    """What can be read at an address; one with a blank is a template."""

    uri: str
    name: str
    about: str
    kind: str
    ask: Callable[..., str]


_JSON, _TEXT = "application/json", "text/markdown"
_PLAIN = (
    Resource("tracer://targets", "targets", "The engines and their pinned versions.", _JSON, _targets),
    Resource(
        "tracer://roles", "roles", "Roles, actions, layers, kinds of edges, and how sure a place is.", _JSON, _roles
    ),
    Resource("tracer://glossary", "glossary", "What the words mean.", _TEXT, _glossary),
    Resource(
        "tracer://questions", "questions", "The implementation questions that `answer` knows.", _JSON, _questions
    ),
)
_TEMPLATES = (
    Resource("tracer://rules/{engine}", "rules", "What state carries each role of an engine, and why.", _JSON, _rules),
    Resource("tracer://rules/{engine}/{role}", "rules of a role", "The same of one role.", _JSON, _rules_of),
    Resource("tracer://paths/{engine}", "paths", "The named paths that begin in an engine.", _JSON, _paths),
)


def all_of_them() -> Iterator[Resource]:
    """Every resource: plain ones, those of each engine (so that a list shows them), and the templates."""
    yield from _PLAIN
    for engine in (t.name for t in load_targets()):
        for kind, ask, about in (("rules", _rules, "State that carries roles"), ("paths", _paths, "Named paths")):
            address = f"tracer://{kind}/{engine}"
            yield Resource(address, f"{kind} of {engine}", f"{about}: {engine}.", _JSON, partial(ask, engine))
    yield from _TEMPLATES
