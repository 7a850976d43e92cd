"""One person, and changed points that are checked before a text names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skresp._actions._encoding import column_positions, values_of
from skresp._dataframe import as_table, column, take_rows, with_values
from skresp._text import decimals, rounded_down, rounded_up
from skresp._typing import BoolArray, FloatArray
from skresp.reach._part import parts_of

if TYPE_CHECKING:
    from ._explanation import Explanation


# Effects are sums of products: further digits are rounding errors.
_DIGITS = 12
_RESIDUE = 1e-9


class Move(NamedTuple):
    """One feature of a changed point.

    Attributes
    ----------
    feature : str
    old, new : object
    follows : bool
        Whether the feature only follows from changes of others.
    """

    feature: str
    old: Any
    new: Any
    follows: bool


class Person:
    """One row of an explanation.

    Attributes
    ----------
    context : ResponsivenessContext
    actions : ActionSet
    table : frame or array
        The row, as a table.
    before : array of shape (n_features,)
        The row as codes, in the order of the action set.
    """

    def __init__(self, explanation: Explanation, row: int) -> None:
        self.context = explanation._with_points("describe")
        self.actions = self.context.actions
        self.table = as_table(explanation._row(row))
        self.before: FloatArray = self.context.all_codes(self.table)[0]
        self._columns = column_positions(self.actions, self.table)

    def position(self, name: str) -> int:
        """Return the position of a feature in the action set."""
        return self.actions.names.index(name)

    def value(self, name: str, table: Any = None, row: int = 0) -> Any:
        """Return the value of a feature, of the person or of a row of a table."""
        table = self.table if table is None else table
        found = column(table, self._columns[self.position(name)]).tolist()[row]
        return float(found) if self.actions.features[name].kind == "real" else found

    def reach(self, name: str) -> tuple[float, float]:
        """Return the least and the greatest value that an own change leads to."""
        value = float(self.before[self.position(name)])
        low, high = self.actions.features[name].own_limits(value)
        return value + low, value + high

    def points(self, after: FloatArray) -> Any:
        """Return points as a table, with exactly these numbers where they differ."""
        changes = {}
        for k, name in enumerate(self.actions.names):
            moved = (after[:, k] != self.before[k]) & ~np.isnan(after[:, k])
            if moved.any():
                new = values_of(self.actions.features[name], after[moved, k])
                changes[self._columns[k]] = moved, new
        return with_values(
            take_rows(self.table, np.zeros(len(after), dtype=np.intp)), changes
        )

    def reached(self, after: FloatArray) -> BoolArray:
        """Return whether the model gives each point the target."""
        return self.context.batch(self.points(after)).reaches_target(
            np.arange(len(after))
        )

    def after(self, own: FloatArray) -> FloatArray | None:
        """Return the point that own changes lead to; None if it is not feasible."""
        change = np.zeros_like(self.before)
        for part in parts_of(self.actions):
            positions = [self.position(name) for name in part.names]
            if own[positions].any():
                if not part.feasible(
                    self.before[None, positions], own[None, positions]
                )[0]:
                    return None
                change[positions] = part.total(own[None, positions])[0]
        return np.where(np.isnan(self.before), self.before, self.before + change)

    def own(self, after: FloatArray) -> FloatArray:
        """Return the own changes that lead to a point, without rounding residues."""
        change = np.nan_to_num(after - self.before)
        own = np.zeros_like(change)
        for part in parts_of(self.actions):
            positions = [self.position(name) for name in part.names]
            mine = part.own(change[None, positions])[0]
            size = np.abs(change[positions])
            for source, target, scale in part.links:
                size[target] += abs(scale * change[positions[source]])
            own[positions] = np.where(np.abs(mine) <= _RESIDUE * size, 0.0, mine)
        return own

    def at_value(self, name: str, value: float) -> FloatArray | None:
        """Return the point at exactly this value of a feature, with its effects.

        None if it is not feasible.
        """
        k = self.position(name)
        own = np.zeros_like(self.before)
        own[k] = value - self.before[k]
        after = self.after(own)
        if after is None:
            return None
        after[k] = value
        return after

    def tidy(self, after: FloatArray, keep: list[int]) -> FloatArray:
        """Return the point without rounding residues, if it still works."""
        short = after.copy()
        for k in np.flatnonzero((after != self.before) & ~np.isnan(after)):
            if k not in keep and self._kind(k) == "real":
                short[k] = float(f"{after[k]:.{_DIGITS}g}")
        if np.array_equal(short, after, equal_nan=True):
            return after
        return short if self.reached(short[None])[0] else after

    def readable(self, after: FloatArray) -> FloatArray:
        """Return a point nearby with shorter real values that works too.

        Values are rounded away from the current ones. The point itself is returned if
        no rounded one is feasible and reaches the target.
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
            rounded = {k: self._rounded(k, after[k], more) for k in real}
            for k, value in rounded.items():
                mine[k] = value - self.before[k]
            point = self.after(mine)
            if point is None or not all(mine[k] for k in real):
                continue
            point[real] = list(rounded.values())
            point = self.tidy(point, real)
            if self.reached(point[None])[0]:
                return point
        return self.tidy(after, real)

    def moves(self, after: FloatArray, first: str | None = None) -> list[Move]:
        """Return the moves of a point: `first`, then what people do, what follows."""
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
        """Return a value with few decimals, rounded away from the current one."""
        low, high = self.reach(self.actions.names[k])
        digits = decimals(high - low) + more
        up = value > self.before[k]
        return rounded_up(value, digits) if up else rounded_down(value, digits)
