"""Methods that went up into a base class or down into subclasses: one place becomes several, or several one.

Takes the places that have no partner; gives pairs of places that hold the same method of one family of classes.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracer.diff.places import Place, Side

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
    homes = by_method(after)
    out = []
    for x in gone:
        if not x.owner or b.defines(x):
            continue
        above = bases(b, x.owner)
        out += [(x, y) for y in homes.get((*x.key[:3], *x.tail(1)), []) if y.owner in above][:1]
    return out


def pushed_down(before: Iterable[Place], come: Iterable[Place], b: Side) -> list[tuple[Place, Place]]:
    """Places whose method a base class had before, and now a subclass plays it by a method of that name."""
    homes = by_method(before)
    out = []
    for y in come:
        candidates = homes.get((*y.key[:3], *y.tail(1)), [])
        if y.owner and candidates:
            above = bases(b, y.owner)
            out += [(x, y) for x in candidates if x.owner in above and not b.defines(x)][:1]
    return out


def by_method(places: Iterable[Place]) -> dict[tuple[str, ...], list[Place]]:
    """Places by role, action, layer and the last part of their name."""
    out: dict[tuple[str, ...], list[Place]] = {}
    for place in places:
        out.setdefault((*place.key[:3], *place.tail(1)), []).append(place)
    return out


def related(x: Place, y: Place, b: Side) -> tuple[bool, bool]:
    """Whether, in the newer version, the class of `y` is a base of that of `x`, and whether it is a subclass."""
    if not x.owner or not y.owner or x.owner == y.owner:
        return False, False
    return y.owner in bases(b, x.owner), x.owner in bases(b, y.owner)
