"""Variants of the responsiveness score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._recourse._cost import check_prices, non_negative, prices_of
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import (
    check_choice,
    check_feature_names,
    check_integer,
    check_mapping,
    is_number,
)
from skresp.scores._intervention_points import Points
from skresp.scores._variants import (
    Monotone,
    cost_weighted,
    intuitive,
    line_profile,
    monotone,
    profile,
)

from ._row_blocks import blocks_of, rows_of

if TYPE_CHECKING:
    from ._context import ResponsivenessContext


# Rows whose costs are computed together: a line takes a hundred points and more.
_COSTED_ROWS = 4_096


class Variants:
    """Other scores from the same points and answers.

    The answers to listed points are those that the scores were computed from. Where a
    score is exact along a line, each piece of it counts as one point in its middle,
    weighted by its length; costs are integrated along it. Sampled points are drawn
    again, with the same random numbers.
    """

    values: FloatArray
    exact: BoolArray
    n_reachable: NDArray[np.int32]
    feature_names: list[str]
    data: Any
    method: str

    if TYPE_CHECKING:

        def _attached(self, what: str) -> Any: ...

        def _row(self, row: Any, label: Any = None) -> Any: ...

        def _position(self, row: Any, label: Any = None) -> int: ...

    def _with_points(self, what: str) -> ResponsivenessContext:
        """Return the context; raise if there are no reachable points or no model."""
        if self.method != "responsiveness":
            raise ValueError(
                f"{what} requires responsiveness scores, got {self.method} values, "
                f"which have no reachable points. Explain with "
                f"ResponsivenessExplainer."
            )
        context: ResponsivenessContext = self._attached(what)
        return context

    def _movable(self) -> list[tuple[int, str]]:
        """Return the features that somebody can move."""
        some = np.flatnonzero((self.n_reachable > 0).any(axis=0))
        return [(int(j), self.feature_names[j]) for j in some]

    def cost_weighted(
        self,
        cost: Mapping[str, Any] | Callable[[Any, Any], Any],
        weight: Callable[[Any], Any] | None = None,
    ) -> FloatArray:
        """Return scores in which cheap changes weigh more.

        The score is the weight of the changes that reach the target, divided by the
        weight of all changes. Along a line both are integrals, to some eight digits
        where the weight is a smooth function of the change; the cost is then asked for
        values of an integer between whole numbers, too.

        Parameters
        ----------
        cost : mapping or callable
            A mapping from feature to the cost of a unit of change, one number or a
            pair (up, down); other features cost nothing. Or a function of two frames
            of numbers, the rows and the points they reach.
        weight : callable, optional
            Returns a weight for each of an array of costs, a finite number of at
            least 0; by default 1 / (1 + cost).

        Returns
        -------
        array of shape (n_rows, n_features)
        """
        context = self._with_points("cost_weighted")
        to_weight = weight or (lambda c: 1.0 / (1.0 + c))
        out = np.zeros_like(self.values)
        for j, name in self._movable():
            for block in blocks_of(len(out), _COSTED_ROWS):
                rows = rows_of(self.data, block)
                points = context.points(rows, name, nodes=True)
                costs = self._costs(context, rows, points, cost)
                weights = non_negative("weight", to_weight(costs), len(costs))
                out[block, j] = cost_weighted(points, weights, len(rows))
        out[np.isnan(self.values)] = np.nan
        return out

    def _costs(
        self, context: ResponsivenessContext, data: Any, points: Points, cost: Any
    ) -> FloatArray:
        """Return the cost of each point of some rows."""
        names = context.actions.names
        if callable(cost):
            rows = context.all_codes(data)[points.owner]
            reached = rows.copy()
            reached[:, points.columns] += points.change
            frames = (pd.DataFrame(a, columns=list(names)) for a in (rows, reached))
            return non_negative("cost", cost(*frames), len(rows))
        if not isinstance(cost, Mapping):
            raise TypeError(
                f"cost must be a mapping from feature to cost, or a function of rows "
                f"and reached points, got {quote(cost)}."
            )
        check_prices(cost, names)
        total = np.zeros(len(points.owner))
        for name in cost:
            up, down = prices_of(cost[name])
            position = np.flatnonzero(points.columns == names.index(name))
            if len(position):
                change = points.change[:, position[0]]
                # A missing value stays missing, whatever its effects.
                change = np.where(np.isnan(points.before[:, position[0]]), 0.0, change)
                total += np.where(change > 0, up * change, -down * change)
        return total

    def robust(self, radius: Mapping[str, float], n_shifts: int = 32) -> FloatArray:
        """Return the smallest score over shifts of the other features.

        Parameters
        ----------
        radius : mapping from feature to float
            By how much the value of a feature may be wrong, in its own units. An
            integer shifts by whole units; a binary flips if its radius is at least 1.
            Categorical features do not shift.
        n_shifts : int, default=32
            The number of shifts that are evaluated: no shift, each feature shifted by
            its radius, and random ones. The result is an upper bound of the smallest
            score over all shifts.

        Returns
        -------
        array of shape (n_rows, n_features)
        """
        context = self._with_points("robust")
        actions = context.actions
        shifts = _shifts(context, _radii(context, radius), n_shifts)
        out = np.zeros_like(self.values)
        for j, name in self._movable():
            points = context.points(self.data, name)
            least = np.ones(len(self.values))
            for shift in shifts:
                mine = shift.copy()
                mine[actions.names.index(name)] = 0.0
                reached = context.reaches_target(self.data, points, mine)
                total = np.bincount(points.owner, points.weight, minlength=len(least))
                good = np.bincount(
                    points.owner, points.weight * reached, minlength=len(least)
                )
                share = good / np.where(total > 0, total, 1)
                if points.on_lines:  # a shift of other features moves the pieces
                    exact = context.shifted_shares(self.data, name, mine)
                    share = np.where(np.isnan(exact), share, exact)
                least = np.minimum(least, share)
            out[:, j] = least
        out[np.isnan(self.values) | (self.n_reachable == 0)] = 0.0
        out[np.isnan(self.values)] = np.nan
        return out

    def profile(
        self, row: int | None = None, feature: str = "", *, label: Any = None
    ) -> pd.DataFrame:
        """Return the probability of the target for changes of at least a given size.

        Parameters
        ----------
        row : int
            The position of the row.
        feature : str
        label : optional
            The index label of the row, instead of `row`.

        Returns
        -------
        pandas.DataFrame
            With the columns `direction` ("up" or "down"), `change` (the smallest size)
            and `probability`. Along a line the sizes are where the answer changes and a
            hundred others, and the probabilities are exact; a size of 0 means any
            change in this direction.
        """
        context = self._with_points("profile")
        person = self._row(row, label)
        answers = context.answers(person, feature)
        points = context.as_points(person, feature, answers)
        j, i = self.feature_names.index(feature), self._position(row, label)
        if self.exact[i, j] and not answers.complete:
            pieces = context.points(person, feature)
            points = pieces if pieces.on_lines else points
        spec = context.actions.features[feature]
        step = float(spec.step or 1) if spec.kind == "integer" else 0.0
        parts = []
        for sign, direction in ((1, "up"), (-1, "down")):
            if points.on_lines:
                size, share = line_profile(points, sign, step)
            else:
                size, share = profile(points, sign)
            parts.append(
                pd.DataFrame(
                    {"direction": direction, "change": size, "probability": share}
                )
            )
        return pd.concat(parts, ignore_index=True)

    def monotone(self) -> Monotone:
        """Return where a change far enough in one direction works, and no other does.

        A feature whose every change works, up and down, is monotone too: its side is 2.

        Returns
        -------
        Monotone
            `side` and `threshold` are arrays of shape (n_rows, n_features);
            `side != 0` marks the monotone scores, for `top(where=...)`.
        """
        context = self._with_points("monotone")
        side = np.zeros(self.values.shape, dtype=np.int8)
        threshold = np.full(self.values.shape, np.nan)
        for j, name in self._movable():
            feature = context.actions.features[name]
            if feature.kind != "categorical" or feature.direction is not None:
                found = monotone(context.points(self.data, name), len(self.values))
                scored = ~np.isnan(self.values[:, j])
                side[:, j] = np.where(scored, found.side, 0)
                threshold[:, j] = np.where(scored, found.threshold, np.nan)
        return Monotone(side, threshold)

    def intuitive(self, directions: Mapping[str, str]) -> BoolArray:
        """Return where some change in the expected direction works.

        Parameters
        ----------
        directions : mapping from feature to {"increase", "decrease"}
            Other features are not expected to help.

        Returns
        -------
        array of bool of shape (n_rows, n_features)
        """
        context = self._with_points("intuitive")
        out = np.zeros(self.values.shape, dtype=bool)
        check_mapping("directions", directions, "from feature to direction")
        check_feature_names("directions", directions, self.feature_names)
        for name, direction in directions.items():
            check_choice(
                f"directions[{quote(name)}]", direction, ("increase", "decrease")
            )
            j = self.feature_names.index(name)
            if (self.n_reachable[:, j] > 0).any():
                sign = 1 if direction == "increase" else -1
                points = context.points(self.data, name)
                out[:, j] = intuitive(points, sign, len(self.values))
        return out


def _radii(context: ResponsivenessContext, radius: Any) -> FloatArray:
    """Return the radius of each feature of the action set."""
    actions = context.actions
    if not isinstance(radius, Mapping):
        example = next(iter(actions.names), "income")
        raise TypeError(
            f"radius must be a mapping from feature to the size of its shifts, got "
            f"{quote(radius)}. Name the features, for instance "
            f"radius={{{quote(example)}: 1}}."
        )
    check_feature_names("radius", radius, actions.names)
    size = np.zeros(len(actions.names))
    for name, amount in radius.items():
        if actions.features[name].kind == "categorical":
            raise ValueError(
                f"radius must name numeric or binary features, and {quote(name)} is "
                f"categorical. Leave it out."
            )
        if not is_number(amount) or not 0 <= amount < np.inf:
            raise ValueError(
                f"radius[{quote(name)}] must be a finite number of at least 0, got "
                f"{quote(amount)}."
            )
        size[actions.names.index(name)] = amount
    return size


def _shifts(
    context: ResponsivenessContext, size: FloatArray, n: int
) -> list[FloatArray]:
    """Return shifts of all features; 1 and -1 flip a binary."""
    check_integer("n_shifts", n, 1)
    rng = np.random.default_rng(context.seed)
    kinds = np.array([f.kind for f in context.actions.features.values()])
    binary = kinds == "binary"
    size = np.where(binary, np.minimum(np.floor(size), 1.0), size)
    shifts = [np.zeros_like(size)]
    for k in np.flatnonzero(size):
        for sign in (1.0,) if binary[k] else (1.0, -1.0):
            shifts.append(np.where(np.arange(len(size)) == k, sign * size, 0.0))
    while len(shifts) < n:
        drawn = rng.uniform(-size, size)
        shifts.append(np.where(binary, np.ceil(drawn), drawn))
    integer = kinds == "integer"
    return [np.where(integer, np.trunc(shift), shift) for shift in shifts]
