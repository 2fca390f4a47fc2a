"""Whether a statement that a rule finds in one version only stands in the other one too, word for word.

Takes changes and the trees of both sides. A place that is said to be gone (or new) while its function has the same
statement in both versions is a matter of the rules, not of the engine: it is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracer.diff.model import Change, End
from tracer.diff.normal import code
from tracer.diff.subject import Subject
from tracer.model import lines_of
from tracer.survey import language_of
from tracer.survey.store import last_part

UNRULED = "in both versions, found by a rule in one only"


def changed(found: Iterable[Change], a: Subject, b: Subject) -> tuple[list[Change], int]:
    """The changes without those whose statements stand in the other version's function too; how many those are."""
    kept, same = [], 0
    for c in found:
        end, other = (c.before, b) if c.after is None else (c.after, a)
        one_sided = c.what == "site" and c.kind in ("removed", "added") and (c.before is None or c.after is None)
        if one_sided and end is not None and end.text and stands(end, other):
            same += 1
        else:
            kept.append(c)
    return kept, same


def stands(end: End, other: Subject) -> bool:
    """Whether the function of `end` has all statements of `end` in `other`."""
    symbol = end.symbol.replace("::", ".")
    for number in other.facts.files_with("d", last_part(end.symbol)):
        path = other.facts.files[number].path
        for d in other.facts.of(number).definitions:
            name = d.name.replace("::", ".")
            if (
                d.kind == "declaration"
                or not f".{symbol}".endswith(f".{name}")
                or ("." not in name and path != end.file)
            ):
                continue
            lines = lines_of(other.tree.read(path))[d.first - 1 : d.last]
            body = code(lines, language_of(path) == "python")
            if all(text in body for text in end.text):
                return True
    return False
