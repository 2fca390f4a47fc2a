"""Prompts: what somebody would ask of an assistant that has Tracer's tools, and what its blanks may be filled with."""

from __future__ import annotations

from collections.abc import Mapping

from tracer.model import ROLES
from tracer.targets import names, target


def where_is(role: str, engine: str) -> str:
    """Where an engine plays a role, explained from checked lines."""
    return (
        f"Explain where {engine} plays the role `{role}`. Read tracer://roles for what the role means, call the tool "
        f"`where` with role={role!r} and spec={engine!r}, and go through all pages. Group what you find by layer. For "
        "each group say in one sentence what becomes true there and quote the decisive line with file:line. Quote only "
        "lines that came back with `checked: true`; say how sure each is (`basis`), and name every gap as a gap."
    )


def follow(path: str, engine: str) -> str:
    """Tell a named path step by step."""
    return (
        f"Tell how {engine} does `{path}`: call the tool `walk` with name={path!r} and spec={engine!r}, page by page. "
        "One short paragraph a step: what happens, by which crossing it was reached (thread, queue, RPC, binding), who "
        "owns the memory now, what protects it, what can go wrong. Cite file:line for every sentence. If the path does "
        "not end with `complete`, say where it stops and why."
    )


def upgrade(engine: str, before: str, after: str) -> str:
    """What an upgrade changes for whoever relies on an engine's KV cache."""
    return (
        f"Somebody upgrades {engine} from {before} to {after}. Call the tool `diff` with before='{engine}@{before}' "
        f"and after={after!r}, all pages. First what is breaking, then what behaves otherwise, then what only moved. "
        "For each: what it was, what it is, both with file:line. Then call `pairs` on both versions and say which "
        "exits miss a release in one of them only."
    )


def leaks(engine: str, what: str = "all") -> str:
    """Which ways out miss a release."""
    return (
        f"Call the tool `pairs` with spec={engine!r} and what={what!r}. For each exit that misses a release, call "
        "`excerpt` on the function, read the way from the acquire to that exit, and judge whether the miss is real: "
        "say which lines decide it. Then call `drives` on the real ones to say what reaches them."
    )


PROMPTS = (where_is, follow, upgrade, leaks)


def values(name: str, begun: str, given: Mapping[str, str]) -> list[str]:
    """What the blank called `name` may be filled with, of that which begins with `begun`."""
    engine = given.get("engine", "").partition("@")[0]
    known: list[str] = []
    if name == "role":
        known = [*ROLES, "all"]
    elif name == "what":
        known = ["all", *ROLES]
    elif name == "engine":
        known = [*names()] if "@" not in begun else [f"{e}@{v.name}" for e in names() for v in target(e).versions]
    elif name in ("before", "after") and engine in names():
        known = [v.name for v in target(engine).versions]
    elif name == "path" and engine in names():
        from tracer.paths.routes import routes

        known = sorted({r.name for r in routes(()) if r.engines[0] == engine})
    return [value for value in known if value.startswith(begun)]
