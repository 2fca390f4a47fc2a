"""One order for every list of sites: engine, role, layer, action, rule, place. Takes traces, gives groups; no text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tracer.model import ACTIONS, LAYERS, ROLES, EngineRevision, Gap, Site, Trace

_SETTING = re.compile(
    r"(?:\b\w+\.)*\b_?(?:\w*config|\w*args|envs|extra_config|options)\.[A-Za-z_]\w*(?!\w*\()"
    r"|\bFLAGS_\w+|\b(?:VLLM|SGLANG|LMCACHE|MOONCAKE|MC|NIXL)_[A-Z0-9_]+|\b(?:USE|ENABLE|WITH)_[A-Z0-9_]+"
    r"|\b_?(?:enable|disable|use)_\w+\b(?!\s*\()"
)
FEW_FILES = 3  # that are named one by one


@dataclass(frozen=True, slots=True)
class Answer:
    """What one engine's trace says about one role, ready to be laid out."""

    engine: EngineRevision
    role: str
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Sites that share layer, action, rule and reason."""

    layer: str
    action: str
    rule: str
    why: str
    sites: tuple[Site, ...]


def answers_of(trace: Trace) -> list[Answer]:
    """One answer per role that the trace has sites of, in the order of the closed lists."""
    roles = [role for role in ROLES if any(s.role == role for s in trace.sites)]
    return [
        Answer(trace.engines[0], role, tuple(groups_of(s for s in trace.sites if s.role == role))) for role in roles
    ]


def groups_of(sites: Iterable[Site]) -> list[Group]:
    """Sites of one role, grouped and sorted."""
    groups: dict[tuple[str, str, str, str], list[Site]] = {}
    for site in sorted(sites, key=site_key):
        groups.setdefault((site.layer, site.action, site.rule, site.why), []).append(site)
    return [Group(*key, tuple(found)) for key, found in groups.items()]


def site_key(site: Site) -> tuple[int, int, int, str, str, str, int, int, str]:
    """The order in which sites are printed."""
    return (
        _place(ROLES, site.role),
        _place(LAYERS, site.layer),
        _place(ACTIONS.get(site.role, ()), site.action),
        site.rule,
        site.why,
        site.file,
        site.first,
        site.last,
        site.symbol,
    )


def layers_and_actions(answer: Answer) -> tuple[list[str], list[str], dict[tuple[str, str], list[Site]]]:
    """The table layer × action → sites: the layers and actions that occur, in order, and the cells."""
    cells: dict[tuple[str, str], list[Site]] = {}
    for group in answer.groups:
        cells.setdefault((group.layer, group.action), []).extend(group.sites)
    layers = [layer for layer in LAYERS if any(key[0] == layer for key in cells)]
    actions = [action for action in ACTIONS[answer.role] if any(key[1] == action for key in cells)]
    return layers, actions, cells


def _place(known: Sequence[str], name: str) -> int:
    return known.index(name) if name in known else len(known)


def about_a_file(gap: Gap) -> bool:
    """Whether a gap is a file that could be read in part only; the others are rules and engines."""
    return "/" in gap.what


def folded(gaps: Sequence[Gap]) -> list[Gap]:
    """The gaps with many half-read files told as one; a document has them all."""
    files = [gap for gap in gaps if about_a_file(gap)]
    if len(files) <= FEW_FILES:
        return list(gaps)
    names = ", ".join(gap.what for gap in files[:FEW_FILES])
    why = f"read in part only: {names} and {len(files) - FEW_FILES} more; --format json lists them with their reasons"
    return [*(gap for gap in gaps if not about_a_file(gap)), Gap(f"{len(files)} files", why)]


def settings(guards: Sequence[str]) -> tuple[str, ...]:
    """The names of configuration in guards: options, environment variables, flags and macros, in order."""
    return tuple(dict.fromkeys(name.removeprefix("self.") for guard in guards for name in _SETTING.findall(guard)))


def lines_text(first: int, last: int) -> str:
    """`12` or `12-15`."""
    return str(first) if first == last else f"{first}-{last}"


def short_symbol(symbol: str) -> str:
    """`Class.method` of a dotted symbol, `Class::method` of a C++ one: what fits into a cell."""
    separator = "::" if "::" in symbol else "."
    return separator.join(symbol.split(separator)[-2:])


def local_symbol(symbol: str, file: str) -> str:
    """A symbol beside its file: the module, which the path says already, is left out (`Class.method`)."""
    parts = file.rsplit(".", 1)[0].removesuffix("/__init__").split("/")
    for i in range(len(parts)):
        module = ".".join(parts[i:]) + "."
        if symbol.startswith(module):
            return symbol.removeprefix(module)
    return symbol


def version_text(version: str) -> str:
    """A version to read: a full commit is cut to twelve digits, everything else stays."""
    return version[:12] if re.fullmatch("[0-9a-f]{40}", version) else version


def revision_text(engine: EngineRevision) -> str:
    """`git 3b5a594133`, `archive v0.5.6` …: what was read, short."""
    revision = engine.revision
    name = revision.tag or revision.commit[:12] or revision.digest[:12]
    return f"{revision.kind} {name}".strip()
