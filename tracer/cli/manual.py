"""Examples for every command's `--help`, completion of names, and `manual`: all of it as one page.

Takes the app; reads from typer what each command takes, so that the page cannot disagree with the program.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracer.cli.console import write_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

# command → what somebody would type, and what it is for
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "where": (
        ("tracer where publish lmcache", "where LMCache makes KV discoverable, per layer"),
        ("tracer where protection vllm@0.25.1 --layer gpu --guards", "an older version, one layer, with conditions"),
        ("tracer where all mooncake --format lines", "file:line:col for editors; --absolute: full names"),
    ),
    "uses": (
        ("tracer uses KVCacheBlock.ref_cnt vllm --op augment+", "who raises the count"),
        ("tracer uses 'MasterService::PutEnd' mooncake --op call", "who calls it"),
    ),
    "path": (
        ("tracer path store lmcache --with mooncake", "a named path over two repositories"),
        ("tracer path LMCacheEngine.store LocalCPUBackend.submit_put_task lmcache", "from one function to another"),
        ("tracer path store vllm --format svg --out store.svg", "the same as a drawing"),
    ),
    "paths": (("tracer paths sglang", "the named paths that begin there"),),
    "graph": (
        ("tracer graph lmcache > edges.jsonl", "every edge, one a line"),
        ("tracer graph --root . --entry main.py --format adjacency", "the call graph of a Python program"),
    ),
    "discover": (("tracer discover ./some/checkout", "candidates for roles in code without rules"),),
    "pairs": (
        ("tracer pairs protection mooncake", "is every acquire released on every way out?"),
        ("tracer pairs all lmcache --format sarif > pairs.sarif", "for a code host; status 1 where one is missing"),
        ("tracer pairs all lmcache --format codequality > gl-code-quality.json", "the same for GitLab"),
    ),
    "walk": (("tracer walk store lmcache --speaker", "a guided tour along a named path, five minutes to tell"),),
    "order": (
        ("tracer order MemoryObj.ref_count_up LocalCPUBackend.hot_cache:insert lmcache", "is A always before B?"),
    ),
    "drives": (("tracer drives lmcache.publish.hot-cache lmcache", "threads and handlers that reach these places"),),
    "relay": (("tracer relay completion vllm", "who sends a completion, and who may fail to"),),
    "answer": (("tracer answer Q8 lmcache", "one question, each claim checked"),),
    "faults": (("tracer faults mooncake --format html > faults.html", "the failure matrix as a page"),),
    "claims": (("tracer claims sglang --only sglang.q8", "verdicts and the lines that decide them"),),
    "diff": (
        ("tracer diff vllm@0.25.1 vllm@0.33.0 --role publish", "what changed between two versions"),
        ("tracer diff lmcache@0.5.6 . --fail-on breaking", "a working folder against a release, in CI"),
    ),
    "timeline": (("tracer timeline publish lmcache", "a role through the versions in the cache"),),
    "report": (("tracer report publish --out out", "pages and documents for every engine"),),
    "probe": (("tracer probe run lmcache engine --out rec", "the engine's own code, with a recorder on"),),
    "atlas": (("tracer atlas lmcache --out site", "a site to read, that opens from a folder"),),
    "verify": (("tracer verify answer.json", "re-reads every piece of evidence"),),
    "budget": (("tracer budget", "the arithmetic of a shared cache"),),
    "targets": (
        ("tracer targets add lmcache 0.5.5", "pins another version"),
        ("tracer targets new aither aither-kvcache", "drafts the target of an engine that is not known"),
    ),
    "fetch": (("tracer fetch mooncake --from ~/src/Mooncake", "from a clone of yours"),),
    "cache": (("tracer cache info", "what lies on this machine"),),
    "rules": (("tracer rules explain lmcache.publish.hot-cache", "one rule in words"),),
    "mcp": (("tracer mcp", "run by an assistant's configuration, not by hand"),),
    "manual": (("tracer manual --format man | man -l -", "this page"),),
}
STATUS = (
    ("0", "answered"),
    ("1", "answered with something wrong: a missing release, a failed claim, stale evidence, a rule or engine missing"),
    ("2", "usage: a name or option that does not exist; the nearest are named"),
    ("3", "could not answer: no source, or nothing found"),
    ("130", "interrupted"),
)
ENVIRONMENT = (
    ("TRACER_CACHE_DIR", "where sources and answers are kept"),
    ("TRACER_CONFIG_DIR", "where your own pins are kept"),
    ("NO_COLOR, FORCE_COLOR", "whether a terminal gets colours"),
    ("PIP_INDEX_URL", "the package index, as pip has it; its configuration files count too"),
)


class ManualForm(enum.StrEnum):
    """How the manual is written."""

    md = "md"
    man = "man"


def register(app: typer.Typer) -> None:
    """Add the command; the examples are put under every command that is there by then."""
    app.command("manual")(manual)
    infos: Iterable[Any] = (*app.registered_commands, *app.registered_groups)
    for info in infos:
        name = info.name or info.callback.__name__
        if name in EXAMPLES:
            info.epilog = "\n\n".join(f"[bold]{line}[/bold]  {what}" for line, what in _safe(EXAMPLES[name]))


def _safe(examples: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for line, what in examples:
        yield line.replace("[", "\\["), what.replace("[", "\\[")


def manual(
    form: Annotated[ManualForm, typer.Option("--format", help="md, or man for `man -l -`.")] = ManualForm.md,
) -> None:
    """Every command with its options and examples, exit statuses and environment, as one page."""
    from tracer.cli import app

    page = list(_page(app))
    write_lines(_roff(page) if form is ManualForm.man else _markdown(page))


Part = tuple[str, str, str]  # kind (title · section · text · term · code), text, what a term means


def _page(app: typer.Typer) -> Iterator[Part]:
    from typer.main import get_command

    root: Any = get_command(app)
    yield "title", "tracer", "a source tracer for KV-cache engines"
    yield "text", "tracer COMMAND …; ENGINE or ENGINE@VERSION (a pin, a tag, a package version or a commit).", ""
    for name, command in root.commands.items():
        subcommands = getattr(command, "commands", {})
        yield "section", name, ""
        yield from _command(f"tracer {name}", command)
        for inner, sub in subcommands.items():
            yield from _command(f"tracer {name} {inner}", sub)
        for line, what in EXAMPLES.get(name, ()):
            yield "code", line, what
    yield "section", "exit status", ""
    yield from (("term", code, what) for code, what in STATUS)
    yield "section", "environment", ""
    yield from (("term", name, what) for name, what in ENVIRONMENT)


def _command(path: str, command: Any) -> Iterator[Part]:
    given = [(p.metavar or p.name.upper(), p.required) for p in command.params if p.param_type_name == "argument"]
    shown = " ".join(name if required else f"[{name}]" for name, required in given)
    yield "code", f"{path} {shown}".rstrip(), " ".join((command.help or "").split())
    for p in command.params:
        if p.name in ("help", "install_completion", "show_completion"):
            continue
        names = ", ".join(p.opts) if p.param_type_name == "option" else (p.metavar or p.name.upper())
        choices = getattr(p.type, "choices", None)
        said = " ".join((getattr(p, "help", "") or "").replace("\\[", "[").split())
        of = f" ({', '.join(getattr(c, 'value', str(c)) for c in choices)})" if choices else ""
        yield "term", names, f"{said}{of}"


def _markdown(page: list[Part]) -> Iterator[str]:
    for kind, text, more in page:
        if kind == "title":
            yield f"# {text}: {more}"
        elif kind == "section":
            yield f"\n## {text}\n"
        elif kind == "term":
            yield f"- `{text}`: {more}"
        elif kind == "code":
            yield f"\n`{text}`  \n{more}\n"
        else:
            yield f"\n{text}"


def _roff(page: list[Part]) -> Iterator[str]:
    def plain(text: str) -> str:
        text = text.replace("\\", "\\e").replace("-", "\\-")
        return f"\\&{text}" if text[:1] in (".", "'") else text

    for kind, text, more in page:
        if kind == "title":
            yield f'.TH {text.upper()} 1 "" "" "{text}"'
            yield from (".SH NAME", f"{plain(text)} \\- {plain(more)}", ".SH SYNOPSIS")
        elif kind == "section":
            yield f".SH {plain(text.upper())}"
        elif kind == "term":
            yield from (".TP", f"\\fB{plain(text)}\\fR", plain(more))
        elif kind == "code":
            yield from (".PP", f"\\fB{plain(text)}\\fR", ".br", plain(more))
        else:
            yield plain(text)


# -- completion ----------------------------------------------------------------------------
def roles(incomplete: str) -> list[str]:
    """Roles that begin so."""
    from tracer.model import ROLES

    return [role for role in ("all", *ROLES) if role.startswith(incomplete)]


def specs(incomplete: str) -> list[str]:
    """Engines that begin so, and after the @ their pins."""
    from tracer.targets import names, target

    engine, at, _ = incomplete.partition("@")
    if not at:
        return [name for name in names() if name.startswith(incomplete)]
    pins = (f"{engine}@{v.name}" for v in target(engine).versions) if engine in names() else ()
    return [pin for pin in pins if pin.startswith(incomplete)]
