"""What a person could change, feature by feature: values that work, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import Feature, as_table, column, column_positions
from skresp.explain import Explanation, Move, Teller

_MOST_RANGES = 4
# Beyond so many changes a share says more than a count.
_FEW = 12


@dataclass(frozen=True)
class Change:
    """One feature that works for one person.

    Attributes
    ----------
    feature : str
    now : the current value
    ranges : list of pairs
        Numbers from which to which it works; empty for labels and where it is not
        known.
    values : list
        The labels, or the 0 or 1, that work.
    certain : bool
        Whether every change to these values works, or whether that hangs on what else
        moves along.
    moves : list of Move
        The smallest change that works, with what it takes along.
    score, lower, upper : float
    exact : bool
    n : how many changes were gone through or drawn; 0 along a line
    hits : how many of them work
    """

    feature: str
    kind: str
    now: Any
    ranges: list[tuple[float, float]]
    values: list[Any]
    certain: bool
    moves: list[Move]
    score: float
    lower: float
    upper: float
    exact: bool
    n: int
    hits: int


def change_of(explanation: Explanation, row: int, j: int) -> Change:
    """What works for one person by one feature whose score is above 0."""
    name = explanation.feature_names[j]
    person = explanation._row(row)
    feature: Feature = explanation.source.actions.features[name]
    teller = Teller(explanation, row)
    now = _values(explanation, person, name)[0]
    exact = bool(explanation.exact[row, j])
    line = explanation.source.line(person, name) if exact else None
    common: dict[str, Any] = {
        "feature": name,
        "kind": feature.kind,
        "now": now,
        "score": float(explanation.values[row, j]),
        "lower": float(explanation.lower[row, j]),
        "upper": float(explanation.upper[row, j]),
        "exact": exact,
    }
    if line:
        reach = teller.reach(name)
        whole = feature.kind == "integer"
        ranges = [_inward(low, high, reach, whole) for low, high in line]
        near = min((end for pair in ranges for end in pair), key=lambda v: abs(v - now))
        moves = [Move(name, now, near, False)]
        moves += _followers(explanation, person, name, near - now)
        return Change(
            ranges=ranges, values=[], certain=True, moves=moves, n=0, hits=0, **common
        )
    answers = explanation.reachable(row, name)
    hits = int(answers.reached.sum())
    moves = teller.nearest(answers, name) if hits else []
    landed = _values(explanation, answers.points, name)
    hit = {v for v, good in zip(landed, answers.reached, strict=True) if good}
    sure = hit - {
        v for v, good in zip(landed, answers.reached, strict=True) if not good
    }
    certain = bool(sure) and exact
    order = list(feature.categories or ()) or sorted(hit)
    works = [value for value in order if value in (sure or hit)]
    listed = feature.kind in ("categorical", "binary")
    ranges = []
    if not listed and exact:
        ranges = _runs([float(v) for v in works], feature.step or 1)
    return Change(
        ranges=ranges,
        values=works if listed else [],
        certain=certain,
        moves=moves,
        n=len(answers),
        hits=hits,
        **common,
    )


def _followers(
    explanation: Explanation, person: Any, name: str, change: float
) -> list[Move]:
    """What moves along a line by itself, the feature being moved by so much."""
    actions = explanation.source.actions
    total = dict.fromkeys(actions.names, 0.0) | {name: change}
    moves = []
    for target in actions.effect_order:
        for (source, end), scale in actions.effects.items():
            if end == target:
                total[target] += scale * total[source]
        if target != name and total[target]:
            old = _values(explanation, person, target)[0]
            moves.append(Move(target, old, old + total[target], True))
    return moves


def _values(explanation: Explanation, rows: Any, name: str) -> list[Any]:
    actions = explanation.source.actions
    table = as_table(rows)
    place = column_positions(actions, table)[actions.names.index(name)]
    found = column(table, place).tolist()
    kind = actions.features[name].kind
    return [float(v) if kind == "real" else v for v in found]


def _runs(values: list[float], step: int) -> list[tuple[float, float]]:
    runs: list[tuple[float, float]] = []
    for value in values:
        if runs and value <= runs[-1][1] + step:
            runs[-1] = runs[-1][0], value
        else:
            runs.append((value, value))
    return runs


def _inward(
    low: float, high: float, reach: tuple[float, float], whole: bool
) -> tuple[float, float]:
    """The ends rounded to few digits, never out of the interval."""
    span = max(reach[1] - reach[0], 1e-300)
    first = 0 if whole else max(0, 2 - math.floor(math.log10(span)))
    for digits in range(first, first + 8):
        unit = 10.0**-digits
        a = round(math.ceil(low / unit - 1e-12) * unit, digits)
        b = round(math.floor(high / unit + 1e-12) * unit, digits)
        if low <= a <= b <= high:
            return a, b
    return low, high


# -- in words -----------------------------------------------------------------------


def number(value: Any) -> str:
    """A value as a letter has it: 1,215 or 0.25, yes or no aside."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    if isinstance(value, (float, np.floating)):
        if value != value:
            return "not known"
        real = float(value)
        if abs(real) < 1e15 and real == int(real):
            return f"{int(real):,}"
        short = f"{real:,.6g}"
        return short if float(short.replace(",", "")) == real else repr(real)
    return str(value)


def state(value: Any, kind: str) -> str:
    """A value of a feature of this kind: a binary is yes or no."""
    if kind == "binary" and value in (0, 1):
        return "yes" if value else "no"
    return number(value)


def works(change: Change) -> str:
    """Which values work."""
    if change.values:
        return _or([state(v, change.kind) for v in change.values])
    parts = [
        number(low) if low == high else f"{number(low)} to {number(high)}"
        for low, high in change.ranges
    ]
    return _or(parts)


def share(change: Change) -> str:
    """How many of the changes open to the person work."""
    c = change
    if not c.exact:
        return (
            f"About {_percent(c.score)} of {c.n} changes that were tried work (between "
            f"{_percent(c.lower)} and {_percent(c.upper)} of all)."
        )
    if c.score == 1:
        return "Every change open to you works."
    if 0 < c.n <= _FEW:
        verb = "works" if c.hits == 1 else "work"
        return f"{c.hits} of the {c.n} changes open to you {verb}."
    return f"{_percent(c.score)} of the changes open to you work."


def _percent(value: float) -> str:
    if 0 < value < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < value < 1 else f"{value:.0%}"


def _or(parts: list[str]) -> str:
    if len(parts) > _MOST_RANGES:
        parts = [*parts[:_MOST_RANGES], f"{len(parts) - _MOST_RANGES} other ranges"]
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} or {parts[-1]}"
