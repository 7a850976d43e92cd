"""Variants of a responsiveness score, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.scores import Monotone, Points, cost_weighted, intuitive, monotone, profile

if TYPE_CHECKING:
    from ._source import Source

Scores = NDArray[np.float64]


class Variants:
    """Other readings of the same points and answers.

    The answers to listed points are those that the scores were computed from. Where a
    score is exact along a line, each piece of it counts as one point in its middle,
    with its length; what was drawn is drawn again from the same stream.
    """

    values: Scores
    n_reachable: NDArray[np.int32]
    feature_names: list[str]
    data: Any
    source: Source
    book: Any
    method: str

    def _movable(self) -> list[tuple[int, str]]:
        """The features that somebody can move."""
        some = np.flatnonzero((self.n_reachable > 0).any(axis=0))
        return [(int(j), self.feature_names[j]) for j in some]

    def _needs_points(self, what: str) -> None:
        if self.method != "responsiveness":
            raise ValueError(
                f"{what} is about points that people can reach, and {self.method} "
                f"values know none. Explain with ResponsivenessExplainer."
            )

    def _points(self, feature: str) -> Points:
        return self.source.points(self.data, feature, self.book)

    def cost_weighted(
        self,
        cost: Mapping[str, Any] | Callable[[Any, Any], Any],
        weight: Callable[[Any], Any] | None = None,
    ) -> Scores:
        """The share of weight that reaches the target, cheap changes weighing more.

        Parameters
        ----------
        cost : mapping or callable
            From feature to the cost of a unit of change, one number or a pair (up,
            down); features that are not named cost nothing. Or a function of two
            frames of numbers, the rows and the points they reach.
        weight : callable, optional
            From costs to weights; 1 / (1 + cost) unless given.

        Returns
        -------
        array of the scores' shape
        """
        self._needs_points("cost_weighted")
        to_weight = weight or (lambda c: 1.0 / (1.0 + c))
        out = np.zeros_like(self.values)
        for j, name in self._movable():
            points = self._points(name)
            weights = np.asarray(to_weight(self._costs(points, cost)), dtype=float)
            out[:, j] = cost_weighted(points, weights, len(self.values))
        out[np.isnan(self.values)] = np.nan
        return out

    def _costs(self, points: Points, cost: Any) -> Scores:
        names = self.source.actions.names
        if callable(cost):
            rows = self.source.numbers(self.data)[points.owner]
            reached = rows.copy()
            reached[:, points.columns] += points.change
            frames = (pd.DataFrame(a, columns=list(names)) for a in (rows, reached))
            return np.asarray(cost(*frames), dtype=float)
        if not isinstance(cost, Mapping):
            raise TypeError(
                f"cost must be a mapping from feature to cost, or a function of rows "
                f"and reached points, got {cost!r}."
            )
        total = np.zeros(len(points.owner))
        for name, each in cost.items():
            if name not in names:
                raise ValueError(f"cost names {name!r}, which is no feature.")
            up, down = each if isinstance(each, (tuple, list)) else (each, each)
            place = np.flatnonzero(points.columns == names.index(name))
            if len(place):
                change = points.change[:, place[0]]
                total += np.where(change > 0, up * change, -down * change)
        return total

    def robust(self, radius: Mapping[str, float], n_shifts: int = 32) -> Scores:
        """Return the least share over shifts of the other features within a radius.

        Parameters
        ----------
        radius : mapping from feature to the size its value may be off by
            In the feature's own units. An integer is off by whole units; a binary
            flips where its radius is at least 1. Labels cannot be off.
        n_shifts : int, default=32
            Shifts that are tried: none, every feature at one of its ends, and random
            ones. The least share over all shifts is at most what is returned.
        """
        self._needs_points("robust")
        actions = self.source.actions
        size = self._sizes(radius)
        shifts = self._shifts(size, n_shifts)
        out = np.zeros_like(self.values)
        for j, name in self._movable():
            points = self._points(name)
            # The pieces of a line lie elsewhere once the other features have moved.
            on_lines = bool((points.weight != 1).any())
            least = np.ones(len(self.values))
            for shift in shifts:
                mine = shift.copy()
                mine[actions.names.index(name)] = 0.0
                reached = self.source.ask(self.data, points, mine)
                total = np.bincount(points.owner, points.weight, minlength=len(least))
                good = np.bincount(
                    points.owner, points.weight * reached, minlength=len(least)
                )
                share = good / np.where(total > 0, total, 1)
                if on_lines:
                    exact = self.source.shifted_shares(self.data, name, mine)
                    share = np.where(np.isnan(exact), share, exact)
                least = np.minimum(least, share)
            out[:, j] = least
        out[np.isnan(self.values) | (self.n_reachable == 0)] = 0.0
        out[np.isnan(self.values)] = np.nan
        return out

    def _sizes(self, radius: Any) -> Scores:
        """Return the radius of each feature of the action set."""
        actions = self.source.actions
        if not isinstance(radius, Mapping):
            example = next(iter(actions.names), "income")
            raise TypeError(
                f"radius must be a mapping from feature to the size its value may be "
                f"off by, got {radius!r}. Name the features, for instance "
                f"radius={{{example!r}: 1}}."
            )
        size = np.zeros(len(actions.names))
        for name, amount in radius.items():
            if name not in actions.features:
                raise ValueError(f"radius names {name!r}, which is no feature.")
            if actions.features[name].kind == "categorical":
                raise ValueError(
                    f"radius names {name!r}, which is categorical; only numbers and "
                    f"binaries can be off. Leave it out."
                )
            number = isinstance(amount, Real) and not isinstance(amount, bool)
            if not number or not 0 <= amount < np.inf:
                raise ValueError(
                    f"radius[{name!r}] must be a finite number of at least 0, got "
                    f"{amount!r}."
                )
            size[actions.names.index(name)] = amount
        return size

    def _shifts(self, size: Scores, n: int) -> list[Scores]:
        """Return shifts of all features; 1 and -1 flip a binary."""
        rng = np.random.default_rng(self.source.seed)
        kinds = np.array([f.kind for f in self.source.actions.features.values()])
        binary = kinds == "binary"
        size = np.where(binary, np.minimum(np.floor(size), 1.0), size)
        shifts = [np.zeros_like(size)]
        for k in np.flatnonzero(size):
            for sign in (1.0,) if binary[k] else (1.0, -1.0):
                shifts.append(np.where(np.arange(len(size)) == k, sign * size, 0.0))
        while len(shifts) < n:
            drawn = rng.uniform(-size, size)
            shifts.append(np.where(binary, np.ceil(drawn), drawn))
        whole = kinds == "integer"
        return [np.where(whole, np.trunc(shift), shift) for shift in shifts]

    def profile(
        self, row: int | None = None, feature: str = "", *, label: Any = None
    ) -> pd.DataFrame:
        """Return P(target | the feature changes by at least so much), up and down.

        `row` is the position of a row; `label` is its index label instead.

        A frame with columns `direction`, `change` and `probability`.
        """
        self._needs_points("profile")
        person = self._row(row, label)  # type: ignore[attr-defined]
        answers = self.source.answers(person, feature)
        points = self.source.as_points(person, feature, answers)
        parts = []
        for way, name in ((1, "up"), (-1, "down")):
            size, share = profile(points, way)
            parts.append(
                pd.DataFrame({"direction": name, "change": size, "probability": share})
            )
        return pd.concat(parts, ignore_index=True)

    def monotone(self) -> Monotone:
        """Return where moving far enough one way always works, and nothing else does.

        A feature whose every change works, up and down, is monotone too: its side is 2.
        `side` and `threshold` are arrays of the scores' shape; `side != 0` marks the
        monotone scores, for `top(where=...)`.
        """
        self._needs_points("monotone")
        side = np.zeros(self.values.shape, dtype=np.int8)
        threshold = np.full(self.values.shape, np.nan)
        for j, name in self._movable():
            feature = self.source.actions.features[name]
            if feature.kind != "categorical" or feature.direction is not None:
                found = monotone(self._points(name), len(self.values))
                scored = ~np.isnan(self.values[:, j])
                side[:, j] = np.where(scored, found.side, 0)
                threshold[:, j] = np.where(scored, found.threshold, np.nan)
        return Monotone(side, threshold)

    def intuitive(self, directions: Mapping[str, str]) -> NDArray[np.bool_]:
        """Where the expected direction has a hit.

        Parameters
        ----------
        directions : mapping from feature to "increase" or "decrease"
            Features that are not named are not expected to help.
        """
        self._needs_points("intuitive")
        out = np.zeros(self.values.shape, dtype=bool)
        for name, way in directions.items():
            if name not in self.feature_names:
                raise ValueError(f"directions names {name!r}, which is no feature.")
            if way not in ("increase", "decrease"):
                raise ValueError(
                    f"directions[{name!r}] must be 'increase' or 'decrease', got "
                    f"{way!r}."
                )
            j = self.feature_names.index(name)
            if (self.n_reachable[:, j] > 0).any():
                sign = 1 if way == "increase" else -1
                out[:, j] = intuitive(self._points(name), sign, len(self.values))
        return out
