"""One person and points they might move to, checked before a text names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp.actions import (
    as_table,
    column,
    column_positions,
    spread,
    values_of,
    with_values,
)
from skresp.reach import Part, parts_of

from ._numbers import decimals, rounded_down, rounded_up

if TYPE_CHECKING:
    from ._explanation import Explanation

Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

# Effects are sums of products: beyond so many digits there is only rounding.
_DIGITS = 12
_RESIDUE = 1e-9


class Move(NamedTuple):
    """One feature of a changed point: from what to what, and whether by itself."""

    feature: str
    old: Any
    new: Any
    follows: bool


class Person:
    """One row of an explanation, with the numbers of its features.

    Attributes
    ----------
    table : the row, as a table
    before : array of shape (n_features,)
        The row in numbers, in the order of the action set.
    """

    def __init__(self, explanation: Explanation, row: int) -> None:
        self.source = explanation.source
        self.actions = self.source.actions
        self.table = as_table(explanation._row(row))
        self.before: Numbers = self.source.numbers(self.table)[0]
        self._columns = column_positions(self.actions, self.table)

    def place(self, name: str) -> int:
        """Return the position of a feature in the action set."""
        return self.actions.names.index(name)

    def value(self, name: str, table: Any = None, row: int = 0) -> Any:
        """Return the value of a feature, of the person or of a row of a table."""
        table = self.table if table is None else table
        found = column(table, self._columns[self.place(name)]).tolist()[row]
        return float(found) if self.actions.features[name].kind == "real" else found

    def reach(self, name: str) -> tuple[float, float]:
        """Return the least and the greatest value that an own change leads to."""
        value = float(self.before[self.place(name)])
        low, high = self.actions.features[name].own_limits(value)
        return value + low, value + high

    def part(self, name: str) -> tuple[Part, list[int]]:
        """Return the part of a feature, and the positions of the part's features."""
        part = next(p for p in parts_of(self.actions) if name in p.names)
        return part, [self.place(n) for n in part.names]

    def points(self, after: Numbers) -> Any:
        """Return points as a table: exactly these numbers where they differ."""
        changes = {}
        for k, name in enumerate(self.actions.names):
            moved = (after[:, k] != self.before[k]) & ~np.isnan(after[:, k])
            if moved.any():
                new = values_of(self.actions.features[name], after[moved, k])
                changes[self._columns[k]] = moved, new
        return with_values(
            spread(self.table, np.zeros(len(after), dtype=np.intp)), changes
        )

    def reached(self, after: Numbers) -> Truth:
        """Return which points the model gives the target."""
        return self.source.door(self.points(after)).ask(np.arange(len(after)))

    def after(self, own: Numbers) -> Numbers | None:
        """Return the point that own changes lead to; None where it is not feasible."""
        change = np.zeros_like(self.before)
        for part in parts_of(self.actions):
            places = [self.place(name) for name in part.names]
            if own[places].any():
                if not part.feasible(self.before[None, places], own[None, places])[0]:
                    return None
                change[places] = part.total(own[None, places])[0]
        return np.where(np.isnan(self.before), self.before, self.before + change)

    def own(self, after: Numbers) -> Numbers:
        """Return the own changes that lead to a point, without rounding residues."""
        change = np.nan_to_num(after - self.before)
        own = np.zeros_like(change)
        for part in parts_of(self.actions):
            places = [self.place(name) for name in part.names]
            mine = part.own(change[None, places])[0]
            size = np.abs(change[places])
            for source, target, scale in part.links:
                size[target] += abs(scale * change[places[source]])
            own[places] = np.where(np.abs(mine) <= _RESIDUE * size, 0.0, mine)
        return own

    def at_value(self, name: str, value: float) -> Numbers | None:
        """Return the point at exactly this value of a feature, with its effects.

        None where it is not feasible.
        """
        k = self.place(name)
        own = np.zeros_like(self.before)
        own[k] = value - self.before[k]
        after = self.after(own)
        if after is None:
            return None
        after[k] = value
        return after

    def tidy(self, after: Numbers, keep: list[int]) -> Numbers:
        """Return the point with rounding residues removed, where it still works."""
        short = after.copy()
        for k in np.flatnonzero((after != self.before) & ~np.isnan(after)):
            if k not in keep and self._kind(k) == "real":
                short[k] = float(f"{after[k]:.{_DIGITS}g}")
        if np.array_equal(short, after, equal_nan=True):
            return after
        return short if self.reached(short[None])[0] else after

    def readable(self, after: Numbers) -> Numbers:
        """Return a point nearby with shorter real values that works too.

        Values are rounded away from where the person is. The point itself where no
        rounded one is feasible and reaches the target.
        """
        own = self.own(after)
        targets = {target for _, target in self.actions.effects}
        real = [
            int(k)
            for k in np.flatnonzero(own)
            if self._kind(k) == "real" and self.actions.names[k] not in targets
        ]
        for more in range(6) if real else ():
            mine = own.copy()
            landing = {k: self._rounded(k, after[k], more) for k in real}
            for k, value in landing.items():
                mine[k] = value - self.before[k]
            point = self.after(mine)
            if point is None or not all(mine[k] for k in real):
                continue
            point[real] = list(landing.values())
            point = self.tidy(point, real)
            if self.reached(point[None])[0]:
                return point
        return self.tidy(after, real)

    def moves(self, after: Numbers, first: str | None = None) -> list[Move]:
        """Return what changes at a point: `first`, what people do, what follows."""
        table = self.points(after[None])
        moves = []
        for k in np.flatnonzero((after != self.before) & ~np.isnan(after)):
            name = self.actions.names[k]
            feature = self.actions.features[name]
            real = feature.kind == "real"
            new = float(after[k]) if real else self.value(name, table)
            moves.append(Move(name, self.value(name), new, not feature.can_change))
        return sorted(moves, key=lambda move: (move.feature != first, move.follows))

    def _kind(self, k: Any) -> str:
        return str(self.actions.features[self.actions.names[k]].kind)

    def _rounded(self, k: int, value: float, more: int) -> float:
        low, high = self.reach(self.actions.names[k])
        digits = decimals(high - low) + more
        up = value > self.before[k]
        return rounded_up(value, digits) if up else rounded_down(value, digits)
