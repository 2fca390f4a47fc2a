"""The fields of all objects, with a trail of what was written: branches are run one after the other and joined.

A branch is run, what it wrote is taken back and kept as a `Delta`; once all branches have run, each written field
holds what any of them left there. The cost is that of the writes, not of the heap.
"""

from __future__ import annotations

from collections.abc import Hashable

from tracer.graph.values.domain import MAYBE, NOTHING, OPAQUE, Const, Frame, Instance, Object, Values

Cell = tuple[Object, Hashable]
Delta = dict[Cell, Values | None]
MOST = 48  # values of one field; more are followed no further than their functions
MOST_LITERALS = 12


class Store:
    """Writes to fields, remembered."""

    def __init__(self) -> None:
        self._trail: list[tuple[Object, Hashable, Values | None]] = []

    def write(self, target: Object, key: Hashable, values: Values | None) -> None:
        """The field holds `values` and nothing else (None: it is not set)."""
        old = target.fields.get(key)
        if values is not None and len(values) > MOST_LITERALS:
            values = _narrow(values)
        if old != values:
            self._trail.append((target, key, old))
            target.fields[key] = values

    def add(self, target: Object, key: Hashable, values: Values) -> None:
        """The field may hold `values` too."""
        self.write(target, key, (target.fields.get(key) or NOTHING) | values)

    def mark(self) -> int:
        """A place on the trail to go back to."""
        return len(self._trail)

    def undo(self, mark: int) -> Delta:
        """Take back what was written since `mark`; returns what it was."""
        delta: Delta = {}
        for target, key, old in reversed(self._trail[mark:]):
            delta.setdefault((target, key), target.fields.get(key))
            target.fields[key] = old
        del self._trail[mark:]
        return delta

    def keep(self, mark: int) -> None:
        """What was written since `mark` stays, also when the branch around it is taken back."""
        del self._trail[mark:]

    def redo(self, delta: Delta, *, weakly: bool = False, widen: bool = False) -> bool:
        """Write what a branch wrote; `weakly`: beside what is there. Returns whether anything is new."""
        changed = False
        for (target, key), new in delta.items():
            old = target.fields.get(key)
            values = _either(target, old, new) if weakly else new
            if values == old:
                continue
            if widen and old and values and all(isinstance(v, Const) for v in values - old):
                values = _narrow(values, 0)  # a counter: no number of turns would name all its values
            changed = changed or values != old
            self.write(target, key, values)
        return changed

    def merge(self, branches: list[tuple[Delta, bool]], frame: Frame) -> None:
        """Each field that a branch wrote holds what any of them left there.

        A branch that has left the function (the second of the pair) says nothing about the variables of `frame`.
        """
        cells = dict.fromkeys(cell for delta, _ in branches for cell in delta)
        for cell in cells:
            target, key = cell
            now = target.fields.get(key)
            sides = [delta.get(cell, now) for delta, left in branches if not (left and target is frame)]
            if sides:
                joined = sides[0]
                for side in sides[1:]:
                    joined = _either(target, joined, side)
                self.write(target, key, joined)


def _either(target: Object, left: Values | None, right: Values | None) -> Values | None:
    if left is None or right is None:
        values = right if left is None else left
        # An attribute that one branch sets hides that of the class on this branch only.
        return values | {MAYBE} if values is not None and isinstance(target, Instance) else values
    return left if left == right else left | right


def _narrow(values: Values, most: int = MOST_LITERALS) -> Values:
    literals = [v for v in values if isinstance(v, Const)]
    if len(literals) > most:
        values = values.difference(literals) | {OPAQUE}
    if len(values) > MOST:
        values = frozenset(sorted(values, key=lambda v: v.order)[:MOST]) | {OPAQUE}
    return values
