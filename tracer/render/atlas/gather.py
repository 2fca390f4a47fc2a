"""What an atlas is made of, asked once: sites, answers, faults, pairs, callers and differences of the engines.

Takes engines (target, version, tree); makes an `Atlas`, whose parts are found when they are first asked for and kept.
Everything comes from the stages before; nothing is judged here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tracer import answers, diff, questions, stages
from tracer.cited import Claim
from tracer.errors import TracerError, UsageError
from tracer.evidence import Verdict, judge, permalink
from tracer.files import ReadFile
from tracer.model import EngineRevision, Gap, Site, SourceTree, Trace, lines_of
from tracer.pairs.balance import Holder
from tracer.render import answers as documents
from tracer.render.grouping import version_text
from tracer.rules import Rule, rules_for
from tracer.survey import Progress, survey
from tracer.survey.store import Store
from tracer.targets import Target, Version
from tracer.walks.load import notes
from tracer.walks.model import Tour

if TYPE_CHECKING:
    from tracer.graph.world import World

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Caller:
    """One function that reaches another, and where it does."""

    symbol: str
    file: str
    line: int
    kind: str
    basis: str


@dataclass(eq=False)
class Subject:
    """One engine in one version: what is asked about, and what was found in it."""

    target: Target
    version: Version
    tree: SourceTree
    trace: Trace
    lines: dict[str, list[str]] = field(default_factory=dict)

    @property
    def engine(self) -> EngineRevision:
        """Which engine, version and revision."""
        return stages.revision(self.tree)

    @property
    def name(self) -> str:
        """`vllm 0.33.0`, to read."""
        return f"{self.target.name} {version_text(self.tree.version)}"

    @functools.cached_property
    def slug(self) -> str:
        """Its part of a page's path."""
        return slug(f"{self.target.name}-{version_text(self.tree.version)}")

    @functools.cached_property
    def sites(self) -> tuple[Site, ...]:
        """The sites in live code."""
        return tuple(s for s in self.trace.sites if not s.context)

    @functools.cached_property
    def by_file(self) -> Mapping[str, tuple[Site, ...]]:
        """The sites of each file that has any."""
        found: dict[str, list[Site]] = {}
        for s in self.sites:
            found.setdefault(s.file, []).append(s)
        return {file: tuple(sites) for file, sites in found.items()}

    @functools.cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rules that found the sites, by id."""
        return {r.id: r for r in rules_for(self.target.name, self.version.name, self.folders)}

    folders: tuple[Path, ...] = ()

    def source(self, file: str) -> list[str]:
        """The lines of a file as the tree has it; none if it cannot be read."""
        if file not in self.lines:
            try:
                self.lines[file] = lines_of(self.tree.read(file))
            except TracerError:
                self.lines[file] = []
        return self.lines[file]

    def permalink(self, file: str, first: int, last: int) -> str:
        """The web address of lines at this revision."""
        return permalink(self.target, self.tree.revision, file, first, last)


class Atlas:
    """The engines of one site and everything that its pages may show."""

    def __init__(
        self,
        subjects: Sequence[Subject],
        *,
        missing: Sequence[Gap] = (),
        older: Sequence[tuple[Subject, Subject]] = (),
        stacks: Sequence[str] = (),
        rules: Sequence[Path] = (),
        language: str = "en",
        confirmed: Sequence[Mapping[str, Any]] = (),
        tours: Sequence[Tour] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`older` are the pairs of versions to compare, (before, after); `confirmed` documents of `probe confirm`.

        `tours` are the tours to show; without them, those along the named paths.
        """
        self.subjects, self.missing, self.older = tuple(subjects), tuple(missing), tuple(older)
        self.stacks, self.rules, self.language, self.progress = tuple(stacks), tuple(rules), language, progress
        self.confirmed, self.observed, self.tours = tuple(confirmed), marks(confirmed), tours
        self.store = Store()
        self._linked: tuple[Subject, World] | None = None

    # -- answers ------------------------------------------------------------------------
    @functools.cached_property
    def _verdicts(self) -> list[questions.Verdicts]:
        def wanted(said: questions.Content) -> Iterable[str]:
            noted = {c for n in notes(self.rules) for c in n.claims} & {c.id for c in said.claims}
            return {*questions.behind(said, list(questions.bank().questions)), *questions.behind_faults(said), *noted}

        return [
            questions.check_tree(
                s.target, s.version, s.tree, wanted, self.rules, self.progress, functools.partial(self._world, s)
            )
            for s in self.subjects
        ]

    def checked(self, subject: Subject) -> questions.Verdicts:
        """The claims about one engine, with their verdicts."""
        return self._verdicts[self.subjects.index(subject)]

    @functools.cached_property
    def answers(self) -> dict[str, Any]:
        """The document of `answer all`."""
        return documents.answers(self._verdicts, list(questions.bank().questions), ())

    @functools.cached_property
    def faults(self) -> dict[str, Any]:
        """The document of `faults`."""
        return documents.faults(self._verdicts, ())

    # -- what surrounds a site --------------------------------------------------------------
    def holders(self, subject: Subject) -> list[Holder]:
        """Who holds what the pairs of this engine acquire, and how each leaves."""

        def ask() -> list[Holder]:
            from tracer.pairs.rules import pair_rules

            try:
                asked = pair_rules("all", subject.target.name, subject.version.name, self.rules)
            except UsageError:  # this engine has no pairs
                return []
            world = functools.partial(self._world, subject)
            return stages.judged(subject.engine, subject.version.name, asked, world, rules=self.rules)[0]

        return self.keep(subject, "pairs", ask, list[Holder])

    def callers(self, subject: Subject) -> dict[str, list[Caller]]:
        """By symbol of a site, the functions that reach it in one step, in file order."""

        def ask() -> dict[str, list[Caller]]:
            from tracer.graph.edges import Edges
            from tracer.graph.hops import Hops
            from tracer.graph.uses import Uses
            from tracer.paths.stations import Stations

            key = answers.links_key([subject.engine])
            hops = Hops(self._world(subject).once(Uses).once(Edges), self.store.answer(key))
            stations = Stations(hops, lambda _role: ())
            world, found = hops.world, {}
            for symbol, site in {s.symbol: s for s in subject.sites}.items():
                at = stations.at(site.file, site.first, subject.target.name)
                links = hops.into(at) if at is not None else ()
                found[symbol] = [
                    Caller(world.symbol(k.source), world.path(k.file), k.line, k.kind, k.basis) for k in links
                ]
            if (packed := hops.pack()) is not None:  # paths ask for the same links
                self.store.put_answer(key, packed)
            return found

        return self.keep(subject, "callers", ask, dict[str, list[Caller]])

    def _world(self, subject: Subject) -> World:
        """An engine, linked; the last one stays, because what is asked of an engine is asked in a row."""
        from tracer.graph.world import World

        if self._linked is None or self._linked[0] is not subject:
            self._linked = None  # two at once would need twice the memory
            self._linked = (subject, World([(survey(subject.tree, self.store, self.progress), subject.target)]))
        return self._linked[1]

    def keep(self, subject: Subject, what: str, ask: Callable[[], Kept], kind: type[Kept]) -> Kept:
        """The kept outcome of `ask` about one subject, or a fresh one, which is kept."""
        digests = tuple(answers.rules_digest(k, self.rules) for k in ("pairs", subject.target.name))
        key = answers.question_key([subject.engine], ("atlas", what, digests), self.rules)
        body = self.store.answer(key)
        if body is None:
            if self.progress:
                self.progress(f"{what} {subject.name}", 0, 1)
            body = msgspec.msgpack.encode(ask())
            self.store.put_answer(key, body)
            if self.progress:
                self.progress(f"{what} {subject.name}", 1, 1)
        return msgspec.msgpack.decode(body, type=kind)

    # -- evidence, read again ---------------------------------------------------------------
    @functools.cached_property
    def verdicts(self) -> Mapping[tuple[str, Site], Verdict]:
        """What re-reading each site showed, by (slug of its engine, site)."""
        found: dict[tuple[str, Site], Verdict] = {}
        files: dict[tuple[str, str], ReadFile | str] = {}
        for subject in self.subjects:
            for s in subject.sites:
                key = (subject.slug, s.file)
                if key not in files:
                    try:
                        files[key] = ReadFile(s.file, subject.tree.read(s.file))
                    except TracerError as error:
                        files[key] = str(error)
                file = files[key]
                claim = Claim(subject.target.name, subject.tree.version, s.symbol, s.file, s.first, s.last, s.digest)
                found[subject.slug, s] = (
                    Verdict(claim, "unread", why=file) if isinstance(file, str) else judge(claim, file)
                )
        return found

    # -- versions ----------------------------------------------------------------------------
    @functools.cached_property
    def differences(self) -> list[tuple[Subject, Subject, dict[str, Any]]]:
        """The documents of `diff` of the versions to compare."""
        from tracer.render import changes

        out = []
        for before, after in self.older:

            def ask(before: Subject = before, after: Subject = after) -> dict[str, Any]:
                sides = (_side(before), _side(after))
                return changes.document(diff.diff(*sides, rules=self.rules, progress=self.progress))

            what = f"diff:{before.engine}:{answers.rules_digest(f'questions/{after.target.name}', self.rules)}"
            out.append((before, after, self.keep(after, what, ask, dict[str, Any])))
        return out

    # -- run-time marks -------------------------------------------------------------------------
    def seen(self, subject: Subject, site: Site) -> str:
        """What recordings say of a site: confirmed · not_seen · contradicted, "" where none speaks of it."""
        return self.observed.get((subject.target.name, subject.tree.version, site.file, site.first), "")


_MARKS = {"not seen": "not_seen", "seen": "confirmed", "contradicted": "contradicted"}  # weakest first


def marks(documents: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, str, int], str]:
    """The strongest mark of each site in documents of `probe confirm`, by (engine, version, file, line)."""
    rank = list(_MARKS.values())
    found: dict[tuple[str, str, str, int], str] = {}
    for document in documents:
        try:
            versions = {e["name"]: e["version"] for e in document["engines"]}
            for s in document["sites"]:
                engine = s.get("engine") or s["rule"].partition(".")[0]
                key, mark = (engine, versions.get(engine, ""), s["file"], s["first"]), _MARKS[s["verdict"]]
                found[key] = max(found.get(key, mark), mark, key=rank.index)
        except (KeyError, TypeError, AttributeError) as error:
            todo = "save one with `tracer probe confirm … --format json`"
            raise UsageError(f"is no confirmation of a recording ({error!r})", todo=todo) from error
    return found


def _side(subject: Subject) -> diff.Subject:
    return diff.Subject(subject.target, subject.version, subject.tree)


def subject_of(
    target: Target, version: Version, tree: SourceTree, *, rules: Sequence[Path] = (), progress: Progress | None = None
) -> Subject:
    """One engine with all its sites."""
    found = stages.where_tree("all", target, version, tree, tuple(rules), Store(), progress)
    return Subject(target, version, tree, found, folders=tuple(rules))


def slug(text: str, most: int = 90) -> str:
    """A text as one part of a path: letters, digits, dots, dashes and underscores only."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:most] or "x"
