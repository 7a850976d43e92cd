"""The values of one feature that work for one person, each checked with `predict`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skresp._actions._feature import Feature
from skresp._text import shortened
from skresp._typing import BoolArray, FloatArray

from ._person import Move, Person

if TYPE_CHECKING:
    from ._explanation import Explanation

Ranges = list[tuple[float, float]]

# Decimals to try beyond those that resolve a hundredth of a range.
_MORE_DECIMALS = 10


@dataclass(frozen=True, kw_only=True)
class WorkingChange:
    """One feature that works for one person.

    Every value here is feasible, and `predict` gives it the target.

    Attributes
    ----------
    feature, kind : str
    now : object
        The current value.
    step : int
        The distance between values of an integer feature that this person can reach;
        1 if effects of other features lead to values between its own steps.
    ranges : list of pairs
        Closed intervals of numbers that work; empty for labels and for a sampled
        score. The ends of a real feature have few decimals.
    values : list
        The labels, or the 0 or 1, that work.
    always : list
        Those of `ranges` or `values` that work whatever else changes; all of them
        if nothing else can vary.
    moves : list of Move
        An example: the feature itself, then what changes with it. Empty with random
        effects, where no change is certain to work.
    least : bool
        Whether the example is the smallest change of all, not just of those drawn.
    ends : list of pairs of bool, or None
        For each interval on a line, whether it extends as far as the feature can go,
        down and up; None if points were listed or drawn.
    score, lower, upper : float
    exact : bool
    share_known : bool
        Whether the share of changes that work is known, exactly or from a sample.
    n, hits : int
        How many changes were listed or drawn, and how many of them work; 0 on a line.
    """

    feature: str
    kind: str
    now: Any
    step: int
    ranges: Ranges
    values: list[Any]
    always: list[Any]
    moves: list[Move]
    least: bool
    ends: list[tuple[bool, bool]] | None
    score: float
    lower: float
    upper: float
    exact: bool
    share_known: bool
    n: int
    hits: int

    @property
    def certain(self) -> bool:
        """Whether every change to one of these values works."""
        return self.exact and bool(self.always) and self.always == self._all

    @property
    def _all(self) -> list[Any]:
        return self.ranges or self.values


def share_known(explanation: Any) -> BoolArray:
    """Return where the share of changes that work is known, exactly or from a sample.

    The explanation is anything with arrays `exact`, `lower` and `upper`.

    It is not known if no feasible change was found although there may be some, if
    those found are only some of the possible ones, or if the time limit was reached.
    """
    e = explanation
    known: BoolArray = e.exact | (e.lower > 0) | (e.upper < 1)
    return known


def working_changes(explanation: Explanation, row: int) -> list[int]:
    """Return the positions of the features that work, by score.

    Features that work at isolated values only, with a score of 0, come last.
    """
    values = explanation.values[row]
    order = [int(j) for j in np.argsort(-values, kind="stable") if values[j] > 0]
    return order + isolated_changes(explanation, row)


def isolated_changes(explanation: Explanation, row: int) -> list[int]:
    """Return the positions of the features that work at isolated values only.

    Their score is 0. A detached explanation does not know them.
    """
    if explanation._context is None:
        return []
    exact = explanation.exact[row] & (explanation.n_reachable[row] > 0)
    return [
        int(j)
        for j in np.flatnonzero(exact & (explanation.values[row] == 0))
        if _line(explanation, row, int(j))
    ]


def working_change(explanation: Explanation, row: int, j: int) -> WorkingChange:
    """Return the values of one of the `working_changes` that work for one person."""
    name = explanation.feature_names[j]
    person = Person(explanation, row)
    feature: Feature = person.actions.features[name]
    common: dict[str, Any] = {
        "feature": name,
        "kind": feature.kind,
        "now": person.value(name),
        "score": float(explanation.values[row, j]),
        "lower": float(explanation.lower[row, j]),
        "upper": float(explanation.upper[row, j]),
        "exact": bool(explanation.exact[row, j]),
        "share_known": bool(share_known(explanation)[row, j]),
    }
    line = _line(explanation, row, j) if common["exact"] else None
    if line:
        found = _along_line(person, name, line)
        if found["ranges"]:
            return WorkingChange(**common, **found)
    return WorkingChange(**common, **_by_points(explanation, person, row, j))


def _line(explanation: Explanation, row: int, j: int) -> Ranges | None:
    context = explanation._with_points("describe")
    return context.line(explanation._row(row), explanation.feature_names[j])


# -- along a line ------------------------------------------------------------------


def _along_line(person: Person, name: str, line: Ranges) -> dict[str, Any]:
    """Return intervals with short ends that were checked, and the example."""
    now = float(person.before[person.position(name)])
    pairs = _short_ends(person, name, line)
    ranges = [pair for pair in pairs if pair is not None]
    moves: list[Move] = []
    others = sorted({end for pair in ranges for end in pair} - {now})
    if others:
        near = min(others, key=lambda v: abs(v - now))
        after = person.at_value(name, near)
        assert after is not None
        moves = person.moves(person.tidy(after, [person.position(name)]), name)
    return {
        "step": person.actions.features[name].step or 1,
        "ranges": ranges,
        "values": [],
        "always": ranges,
        "moves": moves,
        "least": True,
        "ends": [
            _at_ends(person, name, interval)
            for interval, pair in zip(line, pairs, strict=True)
            if pair is not None
        ],
        "n": 0,
        "hits": 0,
    }


def _short_ends(
    person: Person, name: str, line: Ranges
) -> list[tuple[float, float] | None]:
    """Return for each interval one inside it with short ends that work, or None.

    The ends of a real feature have as few decimals as possible such that they differ
    and `predict` accepts both.
    """
    low, high = person.reach(name)
    real = person.actions.features[name].kind == "real"
    found: dict[int, tuple[float, float]] = {}
    for more in [*range(_MORE_DECIMALS if real else 0), None]:
        tried = {
            i: (start, stop)
            if more is None
            else shortened(start, stop, high - low, more)
            for i, (start, stop) in enumerate(line)
            if i not in found
        }
        ends = [end for pair in tried.values() for end in pair]
        points = [person.at_value(name, end) for end in ends]
        fine = np.array([point is not None for point in points], dtype=bool)
        if fine.any():
            fine[fine] = person.reached(np.array([p for p in points if p is not None]))
        for (i, pair), ok in zip(tried.items(), fine.reshape(-1, 2), strict=True):
            if ok.all():
                found[i] = pair
    return [found.get(i) for i in range(len(line))]


def _at_ends(
    person: Person, name: str, interval: tuple[float, float]
) -> tuple[bool, bool]:
    """Return whether an interval extends as far as the feature can go, down and up."""
    now = float(person.before[person.position(name)])
    lowest, highest = person.reach(name)
    feature = person.actions.features[name]
    low, high = interval
    if feature.kind == "integer":
        step = feature.step or 1
        down = low - step < lowest or low - step == now == lowest
        return down, high + step > highest or high + step == now == highest
    down = low <= lowest or (now == lowest and low <= np.nextafter(now, np.inf))
    up = high >= highest or (now == highest and high >= np.nextafter(now, -np.inf))
    return bool(down), bool(up)


# -- by points ---------------------------------------------------------------------


def _by_points(
    explanation: Explanation, person: Person, row: int, j: int
) -> dict[str, Any]:
    """Return the values that work among listed or drawn points, and the example."""
    name = explanation.feature_names[j]
    feature: Feature = person.actions.features[name]
    answers = explanation.reachable(row, name)
    n, hits = len(answers), int(answers.reached.sum())
    found: dict[str, Any] = {
        "step": 1,
        "ranges": [],
        "values": [],
        "always": [],
        "moves": [],
        "least": answers.complete,
        "ends": None,
        "n": n,
        "hits": hits,
    }
    # With random effects a point differs by more than what the person changes.
    if not hits or person.context.has_random_effects:
        return found
    after = person.context.all_codes(answers.points)
    k = person.position(name)
    reached, good = after[:, k], answers.reached
    hit, missed = set(reached[good].tolist()), set(reached[~good].tolist())
    best = after[_least(person, after, good, k)]
    best = person.tidy(best, []) if answers.complete else person.readable(best)
    found["moves"] = person.moves(best, name)
    if feature.kind in ("categorical", "binary"):
        where = {float(v): i for i, v in enumerate(reached.tolist())}
        for code in sorted(hit):
            value = person.value(name, answers.points, where[code])
            found["values"].append(value)
            if answers.complete and code not in missed:
                found["always"].append(value)
    elif answers.complete:
        now = float(person.before[k])
        step = 0 if feature.kind == "real" else 1
        if feature.step and not ((reached - now) % feature.step).any():
            found["step"] = step = feature.step
        blocked = missed - hit | {now}
        found["ranges"] = runs_of(hit, blocked, step)
        found["always"] = runs_of(hit - missed, blocked | missed, step)
    return found


def runs_of(values: Iterable[float], blocked: Iterable[float], step: int) -> Ranges:
    """Return closed intervals that contain these values and none of the blocked ones.

    Values further apart than `step` are in different intervals.
    """
    runs: Ranges = []
    stops = np.array(sorted(blocked))
    for value in sorted(values):
        if runs and value <= runs[-1][1] + step:
            last = runs[-1][1]
            if not ((stops > last) & (stops < value)).any():
                runs[-1] = runs[-1][0], value
                continue
        runs.append((value, value))
    return runs


def _least(person: Person, after: FloatArray, good: BoolArray, k: int) -> int:
    """Return the position of the point that works with the smallest change.

    Changes are compared by the feature itself, then by the sum over all others, each
    as a share of its range.
    """
    change = np.abs(np.nan_to_num(after - person.before))
    for i, feature in enumerate(person.actions.features.values()):
        change[:, i] = _share(feature, change[:, i])
    others = np.delete(change, k, axis=1).sum(axis=1)
    # Sums that differ only by rounding are equal.
    return int(np.lexsort((np.round(others, 9), change[:, k], ~good))[0])


def _share(feature: Feature, change: FloatArray) -> FloatArray:
    """Return the size of changes of a feature as shares of its range."""
    if feature.kind == "categorical":
        if feature.direction is None:  # the order of labels has no meaning
            return (change != 0).astype(float)
        return change / max(len(feature.categories or ()) - 1, 1)
    low, high = feature.bounds
    span = high - low
    return change / span if 0 < span < np.inf else change
