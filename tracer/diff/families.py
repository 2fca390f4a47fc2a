"""Methods that went up into a base class or down into subclasses: one place becomes several, or several one.

Takes the places that have no partner; gives pairs of places that hold the same method of one family of classes.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracer.diff.places import Place, Side, tail

MOST = 8  # classes deep


def bases(side: Side, name: str) -> set[str]:
    """The names of all base classes of the class `name`, as far as the tree defines them."""
    found: set[str] = set()
    todo = [name]
    for _ in range(MOST):
        todo = [b for n in todo for b in side.bases(n) if b not in found]
        found.update(todo)
    return found - {name}


def pulled_up(gone: Iterable[Place], after: Iterable[Place], b: Side) -> list[tuple[Place, Place]]:
    """Places whose class no longer has the method while a base class plays the same by a method of that name."""
    homes: dict[tuple[str, ...], list[Place]] = {}
    for y in after:
        homes.setdefault((*y.key[:3], *y.tail(1)), []).append(y)
    out = []
    for x in gone:
        owner = _owner(x)
        if not owner or b.defines(x):
            continue
        above = bases(b, owner)
        out += [(x, y) for y in homes.get((*x.key[:3], *x.tail(1)), []) if _owner(y) in above][:1]
    return out


def pushed_down(before: Iterable[Place], come: Iterable[Place], b: Side) -> list[tuple[Place, Place]]:
    """Places whose method a base class had before, and now a subclass plays it by a method of that name."""
    homes: dict[tuple[str, ...], list[Place]] = {}
    for x in before:
        homes.setdefault((*x.key[:3], *x.tail(1)), []).append(x)
    out = []
    for y in come:
        owner = _owner(y)
        candidates = homes.get((*y.key[:3], *y.tail(1)), [])
        if owner and candidates:
            above = bases(b, owner)
            out += [(x, y) for x in candidates if _owner(x) in above and not b.defines(x)][:1]
    return out


def related(x: Place, y: Place) -> tuple[bool, bool]:
    """Whether, in the newer version, the class of `y` is a base of that of `x`, and whether it is a subclass."""
    old, new = _owner(x), _owner(y)
    if not old or not new or old == new:
        return False, False
    return new in bases(y.side, old), old in bases(y.side, new)


def _owner(place: Place) -> str:
    """The class that holds the function of `place`, "" for a function of a module."""
    name = tail(place.function.name, 2) if place.function and place.function.kind != "class" else ()
    return name[0] if len(name) == 2 else ""
