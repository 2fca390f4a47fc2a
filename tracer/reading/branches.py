"""Which branches of a function cannot be taken, given what is known: `if (!ok) return;` came before, there is something
to work on, the same test was passed already.

Takes tests as text, statements and a control-flow graph. Makes facts (an expression holds or not) and edges to leave
out of a walk. Refuses to know rules; it reads tests by their spelling and believes nothing that is assigned anew.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from tracer.reading.control import Graph
from tracer.reading.statements import Block, Reading, Statement

Facts = dict[str, bool]
Branch = tuple[Statement, str]  # a statement with branches, and which of them: "body" or "else"

_NOTHING = (
    r"(?:nullptr|NULL|None|std::nullopt|-1|SIZE_MAX|(?:\w+::)*INVALID_?\w*|(?:\w+::)*npos|[\w.>-]*(?:\.|->)c?end\(\))"
)
_PRESENT = re.compile(rf"(?P<what>.+?)\s*(?:!=\s*{_NOTHING}|is not None|(?:\.|->)(?:has_value|ok|is_ok|is_some)\(\))")
_ABSENT = re.compile(rf"(?P<what>.+?)\s*(?:==\s*{_NOTHING}|is None|(?:\.|->)(?:empty|is_err|is_none)\(\))")
_LENGTH = re.compile(r"(?:len\((?P<what>[^()]+)\)|(?P<that>[\w.]+)\.size\(\))\s*(?:>\s*0|>=\s*1|!=\s*0)")
_DECLARES = re.compile(r"(?:const\s+)?(?:auto|[\w:<>]+)\s*[*&\s]\s*(?P<what>\w+)\s*=(?!=).*")
_FILLS = re.compile(r"[\w:.>-]+\((?:[^()]*,\s*)?&?(?P<what>\w+)\)")
_MEMBER = re.compile(r"\S+ in (?P<of>[\w.]+)")
_MADE = re.compile(r"(?:(?:const\s+)?[\w:<>]+[\s*&]+)?(?P<name>[A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)")
_EQUALS = re.compile(r"(?P<what>[\w.>-]+) == (?P<of>[\w.:\"'-]+)")
_IN = re.compile(r"(?P<what>[\w.]+) in [(\[{](?P<of>[^()\[\]{}]+)[)\]}]")
_CONSTANT = re.compile(r"(?:\w+(?:\.|::))*[A-Z][A-Z0-9_]*|k[A-Z]\w*|-?\d+|\"[^\"]*\"|'[^']*'")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r"&&|\|\||\band\b|\bor\b|[()\[\]{}]|\"[^\"]*\"|'[^']*'")


def atom(test: str) -> tuple[str, bool]:
    """A test without connectives as an expression and whether it is asked to hold: `x is None` is (x, False)."""
    text, holds = test.rpartition(";")[2].strip(), True
    while True:
        if text.startswith("(") and _closes_at_end(text):
            text = text[1:-1].strip()
        elif text.startswith("!") and not text.startswith("!="):
            text, holds = text[1:].strip(), not holds
        elif text.startswith("not "):
            text, holds = text[4:].strip(), not holds
        elif found := _PRESENT.fullmatch(text):
            text = found["what"]
        elif found := _ABSENT.fullmatch(text):
            text, holds = found["what"], not holds
        elif found := _LENGTH.fullmatch(text):
            text = found["what"] or found["that"]
        elif (found := _DECLARES.fullmatch(text)) and not text.startswith("not "):
            text = found["what"]
        else:
            return _flipped(text, holds)


def _flipped(text: str, holds: bool) -> tuple[str, bool]:
    """`a != b` is that `a == b` fails, `a not in b` that `a in b` does."""
    for no, yes in ((" != ", " == "), (" not in ", " in ")):
        if text.count(no) == 1:
            return text.replace(no, yes), not holds
    return text, holds


def _closes_at_end(text: str) -> bool:
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def parts_of(test: str) -> tuple[str, tuple[str, ...]]:
    """The outermost connective ("and", "or" or "") and what it joins."""
    text = test.rpartition(";")[2].strip()  # C++: `if (auto* p = find(k); p != nullptr)`
    while text.startswith("(") and _closes_at_end(text):
        text = text[1:-1].strip()
    depth, cuts = 0, []
    for token in _TOKEN.finditer(text):
        word = token[0]
        depth += (word in "([{") - (word in ")]}") if len(word) == 1 else 0
        if depth == 0 and word in ("&&", "||", "and", "or"):
            cuts.append((token.start(), token.end(), "and" if word in ("&&", "and") else "or"))
    for kind in ("or", "and"):
        chosen = [c for c in cuts if c[2] == kind]
        if chosen:
            edges = [0, *(e for s, t, _ in chosen for e in (s, t)), len(text)]
            return kind, tuple(text[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True))
    return "", (text,)


def known(test: str, holds: bool) -> Facts:
    """What follows from `test` having held (or failed)."""
    kind, joined = parts_of(test)
    if not kind:
        what, positive = atom(joined[0])
        inner = joined[0].strip().removeprefix("!").removeprefix("not ").strip()
        if inner != joined[0].strip() and parts_of(inner)[0]:
            return known(inner, not holds)
        return {what: positive == holds}
    if (kind == "and") != holds:
        return {}  # one of several failed: none is known
    out: Facts = {}
    for part in joined:
        out |= known(part, holds)
    return out


def decides(test: str, facts: Facts) -> bool | None:
    """What `test` gives under `facts`; None where they do not tell."""
    kind, joined = parts_of(test)
    if not kind:
        inner = joined[0].strip().removeprefix("!").removeprefix("not ").strip()
        if inner != joined[0].strip() and parts_of(inner)[0]:
            answer = decides(inner, facts)
            return None if answer is None else not answer
        what, positive = atom(joined[0])
        holds = facts[what] if what in facts else _of_values(what, facts)
        return None if holds is None else holds == positive
    answers = [decides(part, facts) for part in joined]
    if (kind == "and" and False in answers) or (kind == "or" and True in answers):
        return kind == "or"
    return None if None in answers else kind == "and"


def _of_values(what: str, facts: Facts) -> bool | None:
    """What `x == A` or `x in (A, B)` gives where other tests of `x` against constants are known; else None."""
    asked = _against(what)
    if asked is None:
        return None
    name, wanted = asked
    denied: set[str] = set()
    for fact, holds in facts.items():
        told = _against(fact)
        if told is None or told[0] != name:
            continue
        if holds and (told[1] <= wanted or not told[1] & wanted):
            return told[1] <= wanted
        denied |= set() if holds else told[1]
    return False if wanted <= denied else None


def _against(test: str) -> tuple[str, frozenset[str]] | None:
    """The name and the constants that a test compares: `x == A`, `x in (A, B)`."""
    found = _EQUALS.fullmatch(test) or _IN.fullmatch(test)
    values = [v.strip() for v in found["of"].split(",") if v.strip()] if found is not None else []
    return (found["what"], frozenset(values)) if found and values and all(map(_CONSTANT.fullmatch, values)) else None


def facts_at(reading: Reading, line: int) -> Facts:
    """What holds at `line`, from the tests around it and the early exits before it."""
    out: Facts = {}
    for guard in reading.guards(line):
        if guard.endswith("…"):
            continue
        if guard.startswith("if "):
            out |= known(guard[3:], True)
        elif guard.startswith("not (") and guard.endswith(")"):
            out |= known(guard[5:-1], False)
    return out


def absent(reading: Reading, line: int, facts: Facts) -> bool:
    """Whether `facts` say of something that was looked up that it is not there (any more)."""
    missed = [what for what, holds in facts.items() if not holds and what.isidentifier()]
    looked = [rf"(?<![\w.]){what}\s*(?::[^=]+)?=(?!=).*(?:[Ff]ind|[Gg]et|[Ll]ookup|\bat)\w*\(" for what in missed]
    return any(s.first <= line and re.search(p, s.text) for p in looked for s in reading.statements())


def impossible(reading: Reading, line: int, facts: Facts) -> tuple[Branch, ...]:
    """The branches that flow from `line` on cannot take while `facts` hold: tests passed before, asked again."""
    if not facts:
        return ()
    around = {block.statements[at] for block, at in reading.holders(line)}
    here, line = line, abs(line)
    later = (s for s in reading.statements() if not s.compound and s.first > line)
    written = [(s.first, s.text) for s in later if not _apart(reading, here, s.first)]
    out: list[Branch] = []
    for statement in reading.statements():
        body = statement.block("body")
        if statement.kind != "if" or body is None or statement in around or statement.first <= line:
            continue
        valid = {
            what: holds for what, holds in facts.items()
            if not any(first < statement.first and _assigns(text, what) for first, text in written)
        }
        answer = decides(body.test, valid) if valid else None
        if answer is not None:
            out.append((statement, "else" if answer else "body"))
    return tuple(out)


def _apart(reading: Reading, line: int, other: int) -> bool:
    """Whether two lines stand in different branches of one `if`, so that no path has both (loops left aside)."""
    here, there = reading.holders(line), reading.holders(other)
    for (block, at), (mine, _), (theirs_block, theirs_at), (theirs, _) in zip(
        here, here[1:], there, there[1:], strict=False
    ):
        if block is not theirs_block or at != theirs_at:
            return False
        if mine is not theirs:
            around = block.statements[at]
            if around.kind != "try":
                return around.kind == "if"
            # What stands last in a `try` has not raised once it is done: no handler follows it.
            done = [b for b in (mine, theirs) if b.label == "body"]
            place = here if mine.label == "body" else there
            last = place[-1][0] is done[0] and place[-1][1] == len(done[0].statements) - 1 if done else False
            return last and "except" in (mine.label, theirs.label) and around.block("else") is None
    return False


def _assigns(text: str, what: str) -> bool:
    root = _WORD.search(what.removeprefix("self."))
    return root is not None and re.search(rf"(?<![\w.]){root[0]}\s*(?::[^=]+)?=(?!=)", text) is not None


def cut_edges(graph: Graph, branches: Iterable[Branch]) -> set[tuple[int, int]]:
    """The graph's edges into `branches`."""
    return {
        (node, ways[label])
        for statement, label in branches
        for node in graph.nodes.get(statement, ())
        if label in (ways := graph.branches.get(node, {}))
    }


def entered(
    reading: Reading, graph: Graph, lines: Collection[int], stops: set[int], known: Collection[tuple[int, int]] = (),
) -> set[tuple[int, int]]:
    """The edges that pass by a line because there is nothing to work on: past `if (p)`, past a loop.

    A loop's stays unless every round passes one of the `stops`. `known`: edges that are left out already.
    """
    cut: set[tuple[int, int]] = set(known)
    loops: list[Statement] = []
    for line in lines:
        done = reading.statement_at(line)
        if done is None:
            continue
        text, sure = done.text, True
        for head, inner in _outwards(reading, line):
            text = _with_sources(text, inner, line)
            if head not in graph.nodes:
                break
            past = _past(head, inner, text) or _filled(reading, head, inner, text) if head.kind == "if" and sure else ""
            if past:
                cut |= {(n, ways[past]) for n in graph.nodes[head] if past in (ways := graph.branches[n])}
            elif head.kind == "for":
                loops.append(head)
            elif head.kind == "if":
                sure = False  # a test of something else: only a loop around may still be done in every round
            elif head.kind not in ("with", "block", "try") or inner.label not in ("body", "finally"):
                break
    for head in dict.fromkeys(loops):
        for node, ways in ((n, graph.branches[n]) for n in graph.nodes[head] if "else" in graph.branches[n]):
            if graph.walk([ways["body"]], {node}, stops, cut=cut) is None:
                cut.add((node, ways["else"]))
    return cut


def _outwards(reading: Reading, line: int) -> Iterator[tuple[Statement, Block]]:
    """The statements around `line`, innermost first, each with the block of it that holds the line."""
    for (outer, at), (inner, _) in reversed([*pairwise(reading.holders(line))]):
        yield outer.statements[at], inner


def _with_sources(text: str, block: Block, line: int) -> str:
    """`text` with what the names in it are made from in `block`: `p = it->second.find(id)` before `p->unpin()`."""
    for s in reversed([s for s in block.statements if s.first < line and not s.compound]):
        made = _MADE.match(s.text)
        if made is not None and re.search(rf"\b{made['name']}\b", text):
            text = f"{text} {s.text}"
    return text


def _filled(reading: Reading, head: Statement, inner: Block, text: str) -> str:
    """The branch past a test that fills what `text` works on: `Id id; if (parse(name, id)) free(id);` (C++)."""
    found = _FILLS.fullmatch(inner.test) if inner.label == "body" and reading.language == "cpp" else None
    if found is None or not re.search(rf"\b{found['what']}\b", text):
        return ""
    declared = re.compile(rf"[\w:<>]+ {found['what']}(?:\{{\}})?;?")
    return "else" if any(s.last < head.first and declared.fullmatch(s.text) for s in reading.statements()) else ""


def _past(head: Statement, inner: Block, text: str) -> str:
    """The branch of `head` that is taken only where what `text` works on is absent; "" if there is none."""
    body = head.block("body")
    if body is None or inner.label not in ("body", "else"):
        return ""
    kind, joined = parts_of(body.test)
    if kind:
        return ""
    what, positive = atom(joined[0])
    member = _MEMBER.fullmatch(what)
    if member is not None and not positive and inner.label == "body" and member["of"] in text:
        return "else"  # `if k not in d: d[k] = v`: it is there already
    said = what.rsplit("->", 1)[-1].rsplit(".", 1)[-1]
    if positive != (inner.label == "body") or not said.isidentifier() or not re.search(rf"\b{said}\b", text):
        return ""
    return "else" if inner.label == "body" else "body"
