"""What is compared: per version its places, a place being the statements that play one action of a role in a function.

Takes a source tree, its facts and its sites; makes a `Side` that holds all that a comparison asks, so that it can be
kept, sent to another process and compared without the sources. Code is held without its layout and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tracer.diff.model import End
from tracer.diff.normal import code, conditions
from tracer.diff.settings import Setting, settings_of
from tracer.model import Site, SourceTree, digest_of, lines_of
from tracer.survey import Facts, language_of
from tracer.survey.facts import Definition
from tracer.survey.store import last_part

_WORD = re.compile(r"[A-Za-z_]\w*")
_ASKS = frozenset({"len", "str", "int", "list", "set", "dict", "tuple", "isinstance", "format", "move", "get", "find"})
Key = tuple[str, str, str, str]  # role, action, layer, symbol


class Statement(msgspec.Struct, frozen=True):
    """One site: its normalised text and conditions (normalised → as written), and what it does to which state."""

    site: Site
    text: str
    conditions: dict[str, str]
    deeds: frozenset[str]  # "augment+ pins", "insert rows", "call put"


class Function(msgspec.Struct, frozen=True):
    """The function or class that holds a place."""

    name: str
    kind: str
    params: tuple[tuple[str, str], ...]  # name with its stars → default


class Place(msgspec.Struct, eq=False):
    """The statements that play `action` of `role` in the function `symbol`."""

    key: Key
    sites: tuple[Site, ...]  # in order
    statements: tuple[Statement, ...]  # one for each site
    function: Function | None
    body: str  # the function's normalised code; without a function the statements'
    raw: str  # digest of its lines as they are
    inputs: dict[str, frozenset[str]]  # what the locals that its statements use are set to, as access paths

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

    @property
    def deeds(self) -> frozenset[str]:
        """All that its statements do."""
        return frozenset().union(*(s.deeds for s in self.statements))

    @property
    def owner(self) -> str:
        """The class that holds the function, "" for a function of a module."""
        name = tail(self.function.name, 2) if self.function and self.function.kind != "class" else ()
        return name[0] if len(name) == 2 else ""

    def tail(self, parts: int) -> tuple[str, ...]:
        """The last parts of its name."""
        return tail(self.symbol, parts)


class Names(msgspec.Struct, frozen=True):
    """The names of a whole tree: each class with its bases, each definition by the last two parts of its name."""

    classes: dict[str, frozenset[str]]
    defined: frozenset[str]


class Side(msgspec.Struct):
    """One version of an engine, as far as a comparison asks."""

    all: tuple[Place, ...]
    names: Names
    settings: dict[str, tuple[Setting, ...]]

    @property
    def places(self) -> dict[Key, Place]:
        """Every place, in the order of its key."""
        return {p.key: p for p in self.all}

    @property
    def sites(self) -> Iterator[Site]:
        """Every site."""
        return (s for p in self.all for s in p.sites)

    def bases(self, name: str) -> frozenset[str]:
        """The names of the base classes that a class called `name` is written with, without modules and parameters."""
        return self.names.classes.get(name, frozenset())

    def has_class(self, name: str) -> bool:
        """Whether some file defines a class of that name."""
        return name in self.names.classes

    def defines(self, place: Place) -> bool:
        """Whether some file defines the function or class of `place`: by its name, with the class that holds it."""
        return ".".join(tail(place.function.name if place.function else place.symbol, 2)) in self.names.defined


def side_of(tree: SourceTree, facts: Facts, sites: Iterable[Site]) -> Side:
    """The side of a comparison that `tree` is, with `sites` as its places."""
    builder = _Builder(tree, facts)
    places = builder.places(s for s in sites if not s.context)
    words: set[str] = set()
    for file in sorted({p.file for p in places}):
        words.update(_WORD.findall("\n".join(builder.lines(file))))
    return Side(places, names_of(facts), settings_of(tree, facts, words))


def names_of(facts: Facts) -> Names:
    """The names of a whole tree."""
    classes: dict[str, set[str]] = {}
    defined: set[str] = set()
    for _, file in facts.outlines():
        for d in file.definitions:
            defined.add(".".join(tail(d.name, 2)))
            if d.kind == "class":
                bases = classes.setdefault(tail(d.name, 1)[0], set())
                bases.update(tail(re.split(r"[\[<]", base)[0].strip(), 1)[0] for base in d.bases)
    return Names({name: frozenset(classes[name]) for name in sorted(classes)}, frozenset(defined))


class _Builder:
    """Reads what places need of one tree, each file once."""

    def __init__(self, tree: SourceTree, facts: Facts) -> None:
        self.tree, self.facts = tree, facts
        self._numbers = {f.path: n for n, f in enumerate(facts.files)}
        self._lines: dict[str, list[str]] = {}

    def places(self, sites: Iterable[Site]) -> tuple[Place, ...]:
        """The places of `sites`, by key."""
        found: dict[Key, list[Site]] = {}
        for site in sites:
            found.setdefault((site.role, site.action, site.layer, site.symbol), []).append(site)
        return tuple(self._place(k, found[k]) for k in sorted(found))

    def _place(self, key: Key, sites: list[Site]) -> Place:
        sites.sort(key=lambda s: (s.file, s.first, s.last, s.rule))
        statements = tuple(self._statement(s) for s in sites)
        d = self._definition(sites[0])
        if d is None:
            return Place(key, tuple(sites), statements, None, "\n".join(s.text for s in statements), "", {})
        file = sites[0].file
        params = tuple((p.kind + p.name, p.default) for p in d.params if p.name not in ("self", "cls", "this"))
        lines = self.lines(file)[d.first - 1 : d.last]
        return Place(
            key,
            tuple(sites),
            statements,
            Function(d.name, d.kind, params),
            code(lines, language_of(file) == "python"),
            digest_of("\n".join(lines)),
            self._inputs(file, d, statements),
        )

    def lines(self, file: str) -> Sequence[str]:
        """The lines of a file."""
        if file not in self._lines:
            self._lines[file] = lines_of(self.tree.read(file))
        return self._lines[file]

    def _statement(self, site: Site) -> Statement:
        python = language_of(site.file) == "python"
        text = code(self.lines(site.file)[site.first - 1 : site.last], python)
        return Statement(site, text, conditions(site.guards, python), self._deeds(site))

    def _deeds(self, site: Site) -> frozenset[str]:
        """What the lines of a site do: to which field, by which operation; where that is nothing, what they call."""
        number = self._numbers.get(site.file)
        if number is None:
            return frozenset()
        facts = self.facts.of(number)
        inside = range(site.first, site.last + 1)
        done = {f"{a.op} {_field(a.target)}" for a in facts.accesses if a.line in inside and a.op != "read"}
        if done:
            return frozenset(done)
        called = {last_part(c.callee) for c in facts.calls if c.line in inside} - _ASKS
        read = {f"read {_field(a.target)}" for a in facts.accesses if a.line in inside and a.test}
        return frozenset(
            read if site.action in ("observe", "query", "detect") and read else map("call {}".format, called)
        )

    def _definition(self, site: Site) -> Definition | None:
        """The function or class that holds a site: the innermost one of its name, else of any."""
        number = self._numbers.get(site.file)
        if number is None:
            return None
        around = [d for d in self.facts.of(number).definitions if d.first <= site.first <= d.last]
        named = [d for d in around if tail(d.name, 1) == tail(site.symbol, 1)]
        return min(named or around, key=lambda d: (d.last - d.first, d.line), default=None)

    def _inputs(self, file: str, d: Definition, statements: Sequence[Statement]) -> dict[str, frozenset[str]]:
        facts = self.facts.of(self._numbers[file])
        scope = facts.definitions.index(d)
        used = {w for s in statements for w in _WORD.findall(s.text)}
        found: dict[str, set[str]] = {}
        for bind in facts.binds:
            if bind.scope == scope and bind.name in used and bind.value not in ("", "?"):
                found.setdefault(bind.name, set()).add(bind.value)
        return {name: frozenset(found[name]) for name in sorted(found)}


def _field(path: str) -> str:
    """The last name of an access path, without subscripts."""
    return last_part(re.sub(r"\[[^\]]*\]|\(\)", "", path)) or path


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
