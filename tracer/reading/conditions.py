"""What the preprocessor does to a C or C++ file, by lines.

Takes a file's bytes. Makes the code that a parser can read, and the `#if` groups, nested, with the text of each
condition. Refuses to evaluate them and to know syntax trees.
The guard of an include (`#ifndef X_H` followed by `#define X_H`) and `#ifdef __cplusplus` are no condition that a
reader cares for, so they make no group; what is in them does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tracer.reading.statements import Block, Region, Statement, collapse
from tracer.survey.cpp_prepare import prepare

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(ifdef|ifndef|if|elifdef|elifndef|elif|else|endif|define)\b((?:[^\n\\]|\\\r?\n|\\.)*)", re.M)
_COMMENT = re.compile(r"//.*|/\*.*?(?:\*/|$)", re.S)


@lru_cache(maxsize=24)
def prepared(source: bytes) -> tuple[bytes, list[int], tuple[Group, ...], frozenset[int]]:
    """The blanked code, where each line starts (and the end), the `#if` groups, the lines that blanking left out."""
    ready = prepare(source)
    offsets = [0]
    at = source.find(b"\n")
    while at >= 0:
        offsets.append(at + 1)
        at = source.find(b"\n", at + 1)
    if offsets[-1] != len(source):
        offsets.append(len(source))
    lost = frozenset(
        line for start, end in ready.dropped for line in range(bisect_right(offsets, start), bisect_right(offsets, end))
        if source[max(start, offsets[line - 1]):min(end, offsets[line])].strip()
    )
    return ready.code, offsets, groups_of(source), lost


@dataclass(slots=True)
class Branch:
    """The lines under one directive: `line` is the directive's, `last` the last one before the next directive."""

    text: str   # "#ifdef X", "#elif Y", "#else"
    line: int
    last: int = 0
    groups: list[Group] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """An `#if` up to its `#endif` (line `last`)."""

    branches: list[Branch]
    last: int = 0

    @property
    def first(self) -> int:
        """The line of the `#if`."""
        return self.branches[0].line


def groups_of(source: bytes) -> tuple[Group, ...]:
    """The outermost groups of a file, in order; groups that never end are left out."""
    top: list[Group] = []
    open_groups: list[Group | None] = []
    line, counted = 1, 0
    directives = list(_DIRECTIVE.finditer(source))
    for at, found in enumerate(directives):
        line += source.count(b"\n", counted, found.start())
        counted = found.start()
        word = found[1].decode()
        rest = re.sub(rb"\\\r?\n", b" ", found[2]).decode("utf-8", "replace")
        rest = collapse(_COMMENT.sub("", rest))
        if word in ("if", "ifdef", "ifndef"):
            after = directives[at + 1] if at + 1 < len(directives) else None
            guard = word == "ifndef" and after is not None and after[1] == b"define" \
                and after[2].split()[:1] == [rest.encode()] and not source[found.end():after.start()].strip()
            if guard or rest == "__cplusplus":
                open_groups.append(None)
            else:
                open_groups.append(Group([Branch(f"#{word} {rest}", line)]))
        elif word == "endif" and open_groups:
            group = open_groups.pop()
            if group is not None:
                group.branches[-1].last, group.last = line - 1, line
                holder = next((g for g in reversed(open_groups) if g is not None), None)
                (top if holder is None else holder.branches[-1].groups).append(group)
        elif word != "define" and word != "endif" and open_groups:
            group = open_groups[-1]
            if group is not None:
                group.branches[-1].last = line - 1
                group.branches.append(Branch(collapse(f"#{word} {rest}"), line))
    return tuple(top)


def regions_of(groups: Sequence[Group]) -> Iterator[Region]:
    """Every branch of every group with what must hold for it, outer ones first."""
    todo = list(reversed(groups))
    while todo:
        group = todo.pop()
        failed: list[str] = []
        for branch in group.branches:
            own = [] if branch.text == "#else" else [branch.text]
            yield Region(branch.line + 1, branch.last, (*failed, *own))
            failed.append(f"#else of {branch.text}")
        todo += reversed([inner for branch in group.branches for inner in branch.groups])


def under(statements: Sequence[Statement], groups: Sequence[Group], first: int, last: int) -> tuple[Statement, ...]:
    """`statements` of a block on lines `first`..`last`, those inside a group put under a `macro-condition`.

    A group that a statement or the block straddles leaves them as they are.
    """
    out = list(statements)
    for group in groups:
        inside = [s for s in out if group.first < s.first and s.last < group.last]
        touched = [s for s in out if s.first <= group.last and group.first <= s.last]
        parts = [[s for s in inside if b.line < s.first and s.last <= b.last] for b in group.branches]
        whole = first < group.first and group.last < last and inside
        if whole and sum(map(len, parts)) == len(inside) == len(touched):
            at = out.index(inside[0])
            out[at:at + len(inside)] = [_condition(group, parts)]
        else:
            inner = [g for branch in group.branches for g in branch.groups]
            out = list(under(out, inner, first, last))
    return tuple(out)


def _condition(group: Group, parts: Sequence[Sequence[Statement]]) -> Statement:
    """The `macro-condition` of a group; its later branches are `else` blocks, an `#elif` one with a condition in it."""
    other: list[Block] = []
    last = group.last
    for branch, part in zip(reversed(group.branches), reversed(parts), strict=True):
        inner = under(part, branch.groups, branch.line, branch.last + 1)
        if branch.text == "#else":
            other = [Block("else", "", inner)]
            continue
        made = Statement("macro-condition", branch.line, last, branch.text,
                         (Block("body", branch.text, inner), *other), head=branch.line)
        other = [Block("else", "", (made,))]
    return made
