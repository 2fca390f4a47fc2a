"""Text and Markdown → claims: `file:line`, the symbol beside it, and lines of code that are printed.

Which engine and version a line speaks of is said above it (`lmcache 0.5.6 …`), by its column or its sign where two
versions are compared, or by the source that has such a file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import unquote

from tracer.cited import Claim
from tracer.errors import UsageError
from tracer.files import Files, ReadFile
from tracer.targets import names

SOURCE = r"(?:pyi?|cpp|cc|cxx|c|hpp|hh|h|cuh?|rs)"
_NAME = r"[^\s:|`\"'<>()\[\]{},;→\\]+"
_CITED = re.compile(rf"(?P<file>{_NAME}\.{SOURCE}):L?(?P<first>\d+)(?:-L?(?P<last>\d+))?(?![\w-])")
_OTHER = re.compile(rf"{_NAME}/{_NAME}\.{SOURCE}\b")
_LINK = re.compile(r"https://\S+?/blob/[^/\s]+/([^#\s]+)#L(\d+)(?:-L(\d+))?")
_WHOLE = re.compile(r"^(?P<file>[^|]+?\.\w+):(?P<first>\d+):\d+: (?:note|warning|error): ")  # for editors
_WAS = re.compile(r"; was `[^`]*`")  # there, what the earlier version had
WORD = re.compile(r"~?[A-Za-z_][\w$~]*(?:(?:\.|::)~?[\w$~]+)*")
_CODE = re.compile(r"^\s*[ >→»!]\s+(?P<line>\d+) [|│](?: (?P<text>.*))?$")
_NO_SYMBOL = re.compile(r"[\w.]+(?:-[\w.]+)+")  # of a rule, or a word of ours
_EXIT = re.compile(r"^\s+(\d+)  [\w ]+  (?:released|handed over|missing)\b")
_BY = re.compile(r"(?:released|handed over)\b.*  ?by $")
_NEAR = re.compile(
    r"\b(?:since|line|at(?= \d+ since)|gives back in|back twice:) (\d+(?:(?:, |, then )\d+)*)"
    r"|(?:\bby|without it:|\|) (\d+(?: → (?:\d+|…))+)(?= \||  |$)|(?<=: )(\d+(?:, \d+)*)(?=  |$)"
)
_CROSSING = re.compile(r"^\s*[─═]{2} \w+ \[")  # how a step was reached; what comes below is the step's
_OF = re.compile(r"lines of (\S+), which|: note: in (\S+) \[")
_GUARDS = ("under ", "via ", "set by ", "gap ", "reached when")
_MAX_LINE = 20_000  # characters of one line that are looked at


@dataclass(frozen=True, slots=True)
class Row:
    """A line of code as a page shows it; `file` where the page says of which file it is."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Side:
    """Here a page turns to the earlier or the later of two versions."""

    later: bool


@dataclass
class Spoken:
    """What the text above a line has said: engines with their versions, the two that are compared, the last place."""

    specs: list[tuple[str, str]] = field(default_factory=list)
    now: tuple[str, str] | None = None
    compared: tuple[str, ...] = ()  # versions, oldest first
    columns: tuple[str, ...] = ()  # of a table: the version of each column
    side: str = ""  # the version that a heading names
    last: Claim | None = None
    before: Claim | None = None  # the place before the last
    reached: str = ""  # what the last crossing leads to


def claims(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """Every citation in `text`; `specs` is what is read where the text names no engine."""
    lines = [html.unescape(line[:_MAX_LINE]) for line in text.split("\n")]
    if any(line.startswith("digraph ") for line in lines[:3]):
        lines = [line.replace("\\n", " ") for line in lines]
    return claims_of_items(lines, files, specs)


def claims_of_items(items: Sequence[str | Row | Side], files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """The same of lines that a page shows, among rows of code and turns from one version to the other."""
    said = Spoken([*specs.items()])
    for item in items:
        for spec in mentioned(item) if isinstance(item, str) else ():
            if spec not in said.specs:
                said.specs.append(spec)
    printed: list[tuple[int, str]] = []
    for item in items:
        row = _row(item)
        if printed and (row is None or row.line != printed[-1][0] + 1 or (row.file and said.last is None)):
            yield from quoted(printed, said)
            printed = []
        if row is not None:
            if row.file and not (said.last and said.last.file.endswith(row.file)):
                said.last = place(row.file, row.line, row.line, (), said.side, said, files)
            if said.last:
                printed.append((row.line, row.text))
        elif isinstance(item, Side):
            said.side = said.compared[item.later] if len(said.compared) == 2 else ""
        elif isinstance(item, str):
            yield from _of_line(item, said, files)
    yield from quoted(printed, said)


def _row(item: str | Row | Side) -> Row | None:
    """A line of code that is printed with its number."""
    if isinstance(item, str):
        code = _CODE.match(item)
        return Row("", int(code["line"]), code["text"] or "") if code else None
    return item if isinstance(item, Row) else None


def unnamed() -> UsageError:
    """What is to be said where neither the text nor a user names an engine."""
    return UsageError("names no engine and version", todo="say what it is about with --in ENGINE@VERSION")


def quoted(printed: Sequence[tuple[int, str]], said: Spoken) -> Iterator[Claim]:
    """Lines of code that are printed below a place."""
    if printed and said.last:
        first, last = printed[0][0], printed[-1][0]
        yield replace(said.last, first=first, last=last, symbol="", quoted=tuple(text for _, text in printed))


def _of_line(line: str, said: Spoken, files: Files) -> Iterator[Claim]:
    _listen(line, said)
    cells = line.split(" | ") if line.startswith("| ") else [line]
    sides = len(cells) == 3 and len(said.compared) == 2  # what is before and after, each with lines of its own
    for number, cell in enumerate(cells):
        version = said.columns[number] if number < len(said.columns) else _side(line, said)
        if sides and number:
            version = said.compared[number - 1]
        for part in cell.split("<br>"):
            for file, first, last in places(part):
                beside = line if len(cells) > 3 and "<br>" not in line else part
                yield _cited(beside, (file, first, last), version, said, files)
        if sides and said.last and _CITED.search(cell):
            yield from _near(cell, said.last, True)
    other = _OTHER.search(line) and not _CITED.search(line)  # a gap speaks of a file that is not the last one
    if said.last and not other and not sides and not line.strip().startswith(_GUARDS):
        yield from _near(_WAS.sub("", line) if _WHOLE.match(line) else line, said.last, bool(_CITED.search(line)))


def _cited(beside: str, lines: tuple[str, int, int], version: str, said: Spoken, files: Files) -> Claim:
    """One citation; it becomes what is spoken of, unless it only says from where something is reached."""
    file, first, last = lines
    before, _, after = beside.partition(f"{file}:{first}")
    crossing = _CROSSING.match(beside) or re.search(r"\w \[\w+\] at $", before)
    if crossing or before.endswith("started at "):
        claim = place(file, first, last, _owners(said) if crossing else (), version, said, files, inside=True)
        if reached := re.search(r"→ (\S+)$", after):
            said.reached = reached[1]
        return claim
    if "[label=" in before and " -> " in before:  # an edge of DOT lies in the function that it starts from
        before = before.partition(" -> ")[0]
    if before.endswith("("):  # `called from Class.method (file:line)`
        return place(file, first, last, WORD.findall(before)[-1:], version, said, files)
    if _BY.search(before):  # who releases or takes over what an exit leaves held
        return place(file, first, last, _words(before, after), version, said, files, inside=True)
    if _WHOLE.match(beside) and "; " in after:  # a change for editors: what it is, whose, and the code of either side
        before, after = "", after.split("; ")[1]
    columns = bool(said.columns)  # of versions: the symbol is that of the last one
    linked = f"{file}:{first}" not in beside  # its address only; what it is a link to is said elsewhere
    claim = place(file, first, last, _words(before, after), version, said, files, inside=columns or linked)
    said.before, said.last, said.reached = said.last, claim, ""
    return claim


def places(cell: str) -> Iterator[tuple[str, int, int]]:
    """The places that a line names: file, first and last line."""
    if whole := _WHOLE.match(cell):
        yield whole["file"], int(whole["first"]), int(whole["first"])
        return
    cited = (m for m in _CITED.finditer(cell) if "…" not in m["file"])  # cut to fit into a drawing
    found = [(m["file"], int(m["first"]), int(m["last"] or m["first"])) for m in cited]
    found += [(unquote(m[1]), int(m[2]), int(m[3] or m[2])) for m in _LINK.finditer(cell)]
    yield from dict.fromkeys(found)


def _words(before: str, after: str) -> list[str]:
    """What may be a place's symbol, likeliest first: words with parts after it, then before it, then plain ones."""
    after = re.split(r"\bvia |\(by ", _LINK.sub(" ", after))[0]
    before, after = (_NO_SYMBOL.sub(" ", part) for part in (_LINK.sub(" ", before), after))
    words = [*WORD.findall(after), *reversed(WORD.findall(before))]
    return [*(w for w in words if "." in w or "::" in w), *(w for w in words if not ("." in w or "::" in w))]


def _owners(said: Spoken) -> list[str]:
    """What a crossing may start from: what the one before it reached, the step before it, or the one before that."""
    steps = [c.symbol for c in (said.last, said.before) if c and c.symbol]
    return [said.reached, *steps] if said.reached else steps


def _near(line: str, at: Claim, cited: bool) -> Iterator[Claim]:
    """Lines that are named by their number alone: they are of the file named last."""
    found = _EXIT.findall(line)
    for groups in _NEAR.findall(line):
        if groups[2] and (cited or not line.startswith("      ")):
            continue
        found += re.findall(r"\d+", "".join(groups))
    for number in dict.fromkeys(map(int, found)):
        if number:
            yield replace(at, first=number, last=number, definition=False, quoted=())


def place(
    file: str, first: int, last: int, words: Sequence[str], version: str, said: Spoken, files: Files,
    inside: bool = False,
) -> Claim:  # fmt: skip
    """The claim of one citation: which engine's file it is, and which of the words beside it is its symbol.

    With `inside` only a word counts in whose span the lines are.
    """
    specs = [s for s in (said.now, *reversed(said.specs)) if s]
    if not specs:
        raise unnamed()
    if version:
        specs = [(name, version) for name, _ in specs[:1]] + [s for s in specs if s[1] == version]
    for engine, of in dict.fromkeys(specs):
        best: Claim | None = None
        for path in files.paths(engine, of, file):
            read = files.read(engine, of, path)
            if not isinstance(read, ReadFile) or last > len(read.lines):
                continue
            for word in words:
                symbol = read.named(word, first)
                spans = read.definitions_of(symbol) if symbol else []
                if any(a <= first <= b for _, a, b in spans):
                    return Claim(engine, of, symbol, path, first, last, "")
                if symbol and not inside:
                    best = best or Claim(engine, of, symbol, path, first, last, "")
                    break
            best = best or Claim(engine, of, "", path, first, last, "")
        if best:
            return best
    engine, of = specs[0]
    return Claim(engine, of, "", next(iter(files.paths(engine, of, file)), file), first, last, "")


# -- which engine, which version ---------------------------------------------------------------
_VERSION = r"(?:v?\d[\w.+-]*|[0-9a-f]{7,40}|folder-[0-9a-f]+)"


@lru_cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    known = "|".join(map(re.escape, names()))
    return (
        re.compile(rf"(?<![\w./@-])({known})[ @]({_VERSION})(?![\w/])"),
        re.compile(rf"({known})(?: · [^→]*:)? ({_VERSION})(?: \([^)]*\))?$"),
        re.compile(rf"(?:({known}) )?({_VERSION})(?: \([^)]*\))?(?=$|\s)"),
        re.compile(rf"^\s*· ({known}) ·\s*$"),
    )


def mentioned(line: str) -> list[tuple[str, str]]:
    """The engines that a line names with their versions."""
    return _compared(line) or [(name, version.rstrip(".-")) for name, version in _patterns()[0].findall(line)]


def _compared(line: str) -> list[tuple[str, str]]:
    """The versions of one engine in `lmcache 0.4.7 (archive v0.4.7) → 0.5.6 (archive v0.5.6)`, else none."""
    _, opening, going_on, _ = _patterns()
    first, *others = line.strip().split(" → ")
    head = opening.search(first) if others else None
    if not head:
        return []
    found = [(head[1], head[2])]
    for part in others:
        more = going_on.match(part)
        if not more or more[1] not in (None, head[1]):
            return []
        found.append((head[1], more[2]))
    return found


def _listen(line: str, said: Spoken) -> None:
    if several := _compared(line):
        said.now, said.side, said.compared = several[-1], "", tuple(v for _, v in several)
    elif found := mentioned(line):
        said.now, said.side = found[-1], ""
    elif entered := _patterns()[3].match(line):
        said.now = next((s for s in said.specs if s[0] == entered[1]), said.now)
    cells = [c.strip(" |") for c in line.split(" | ")]
    if line.startswith("| ") and any(c in said.compared for c in cells):
        said.columns = tuple(c if c in said.compared else "" for c in cells)
    elif not line.startswith("|"):
        said.columns = ()
    if len(said.compared) == 2 and (side := re.match(r"(before|after): ", line)):
        said.side = said.compared[side[1] == "after"]


def _side(line: str, said: Spoken) -> str:
    """The version that a line is about, where several are compared: it says so, its sign, or its first word."""
    if of := _OF.search(line):
        return of[1] or of[2]
    if len(said.compared) < 2:
        return ""
    head = line.split(maxsplit=1)[0].rstrip(",") if line.strip() else ""
    if len(said.compared) == 2 and head in ("-", "+"):
        return said.compared[head == "+"]
    return head if head in said.compared else said.side
