"""Sites → places: the statements of one action of a role in one function, their conditions, the function's code.

Two versions are compared place by place, never line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tracer.diff.model import End
from tracer.diff.normal import code, conditions
from tracer.model import Site, SourceTree, lines_of
from tracer.survey import Facts, language_of
from tracer.survey.facts import Definition

_WORD = re.compile(r"[A-Za-z_]\w*")
Key = tuple[str, str, str, str]  # role, action, layer, symbol


@dataclass(frozen=True, slots=True)
class Statement:
    """One site with its normalised text and conditions."""

    site: Site
    text: str
    conditions: Mapping[str, str]  # normalised → as written


@dataclass(eq=False)
class Place:
    """The statements that play `action` of `role` in the function `symbol`."""

    side: Side
    key: Key
    sites: list[Site] = field(default_factory=list)

    @property
    def symbol(self) -> str:
        """The function's whole name."""
        return self.key[3]

    @property
    def file(self) -> str:
        """Where the function lies."""
        return self.sites[0].file

    @property
    def rules(self) -> frozenset[str]:
        """The rules that found it."""
        return frozenset(s.rule for s in self.sites)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Its statements in order."""
        return tuple(self.side.statement(s) for s in self.sites)

    @cached_property
    def function(self) -> Definition | None:
        """The definition that holds the first statement."""
        return self.side.function(self.sites[0])

    @cached_property
    def body(self) -> str:
        """The function's normalised code; without a function the statements'."""
        if self.function is None:
            return "\n".join(s.text for s in self.statements)
        return self.side.code(self.file, self.function.first, self.function.last)

    def tail(self, parts: int) -> tuple[str, ...]:
        """The last parts of its name."""
        return tail(self.symbol, parts)


class Side:
    """One version of an engine, as far as a comparison asks: its places, its functions, its code without layout."""

    def __init__(self, tree: SourceTree, facts: Facts, sites: Iterable[Site]) -> None:
        self.tree, self.facts = tree, facts
        self.sites = [s for s in sites if not s.context]
        self._numbers = {f.path: n for n, f in enumerate(facts.files)}
        self._lines: dict[str, list[str]] = {}
        self._bases: dict[str, set[str]] = {}
        self._code: dict[tuple[str, int, int], str] = {}

    @cached_property
    def places(self) -> dict[Key, Place]:
        """Every place, in the order of its key."""
        found: dict[Key, Place] = {}
        for site in self.sites:
            key = (site.role, site.action, site.layer, site.symbol)
            found.setdefault(key, Place(self, key)).sites.append(site)
        for place in found.values():
            place.sites.sort(key=lambda s: (s.file, s.first, s.last, s.rule))
        return {k: found[k] for k in sorted(found)}

    def lines(self, file: str) -> Sequence[str]:
        """The lines of a file."""
        if file not in self._lines:
            self._lines[file] = lines_of(self.tree.read(file))
        return self._lines[file]

    def code(self, file: str, first: int, last: int) -> str:
        """Lines of a file, normalised."""
        key = (file, first, last)
        if key not in self._code:
            self._code[key] = code(self.lines(file)[first - 1 : last], language_of(file) == "python")
        return self._code[key]

    def statement(self, site: Site) -> Statement:
        """A site, ready to be compared."""
        text = self.code(site.file, site.first, site.last)
        return Statement(site, text, conditions(site.guards, language_of(site.file) == "python"))

    def function(self, site: Site) -> Definition | None:
        """The definition of the function or class that holds a site: the innermost one of its name, else of any."""
        number = self._numbers.get(site.file)
        if number is None:
            return None
        around = [d for d in self.facts.of(number).definitions if d.first <= site.first <= d.last]
        named = [d for d in around if tail(d.name, 1) == tail(site.symbol, 1)]
        return min(named or around, key=lambda d: (d.last - d.first, d.line), default=None)

    def inputs(self, place: Place) -> dict[str, frozenset[str]]:
        """What the locals that its statements use are set to in the function, as access paths."""
        number, function = self._numbers.get(place.file), place.function
        if number is None or function is None:
            return {}
        facts = self.facts.of(number)
        scope = facts.definitions.index(function)
        used = {w for s in place.statements for w in _WORD.findall(s.text)}
        found: dict[str, set[str]] = {}
        for bind in facts.binds:
            if bind.scope == scope and bind.name in used and bind.value not in ("", "?"):
                found.setdefault(bind.name, set()).add(bind.value)
        return {name: frozenset(values) for name, values in found.items()}

    def bases(self, name: str) -> set[str]:
        """The names of the base classes that a class called `name` is written with, without modules and parameters."""
        if name not in self._bases:
            self._bases[name] = {
                tail(re.split(r"[\[<]", base)[0].strip(), 1)[0]
                for n in self.facts.files_with("d", name)
                for d in self.facts.of(n).definitions
                if d.kind == "class" and tail(d.name, 1) == (name,)
                for base in d.bases
            }
        return self._bases[name]

    def defines(self, place: Place) -> bool:
        """Whether some file defines the function or class of `place`: by its name, with the class that holds it."""
        wanted = tail(place.function.name if place.function else place.symbol, 2)
        return any(
            tail(d.name, 2) == wanted
            for n in self.facts.files_with("d", wanted[-1])
            for d in self.facts.of(n).definitions
        )


def tail(symbol: str, parts: int) -> tuple[str, ...]:
    """The last parts of a dotted or C++ name."""
    return tuple(symbol.replace("::", ".").split("."))[-parts:]


def end_of(site: Site, text: Sequence[str] = ()) -> End:
    """How a side shows a site."""
    return End(
        site.symbol,
        site.file,
        site.def_line,
        site.first,
        site.last,
        site.digest,
        site.permalink,
        site.rule,
        tuple(text),
    )
