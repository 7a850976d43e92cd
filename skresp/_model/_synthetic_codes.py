"""Synthetic rows as codes, to compare a score function with its model."""

from __future__ import annotations

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._typing import FloatArray

from ._columns import Column, known_ranges
from ._input_format import ColumnSummary, InputFormat
from ._score_function import ScoreFunction

_N_ROWS = 128
# The share of missing values in columns that had some at fit.
_MISSING = 0.1


def synthetic_codes(
    score_function: ScoreFunction, input_format: InputFormat, features: ActionSet
) -> FloatArray:
    """Return rows of codes whose columns vary independently.

    Numbers are uniform between the smallest and the largest value at fit, widened to
    the bounds of the feature. In the second half of the rows they lie at cuts, or right
    after them.
    """
    rng = np.random.default_rng(0)
    codes = np.empty((2 * _N_ROWS, len(score_function.columns)))
    at_cuts = codes[_N_ROWS:]
    after = np.zeros(at_cuts.shape, dtype=bool)
    cut: list[int] = []
    columns = zip(score_function.columns, input_format.features(features), strict=True)
    for i, (column, feature) in enumerate(columns):
        summary = input_format.summaries[i]
        low, high = summary.low, summary.high
        if column.labels is None and feature.kind != "categorical":
            lower, upper = feature.lower, feature.upper
            low = low if lower is None else min(low, float(lower))
            high = high if upper is None else max(high, float(upper))
        codes[:, i] = _column(column, summary, low, high, rng)
        cuts = score_function.cuts(i)
        if len(cuts):
            at_cuts[:, i] = cuts[rng.integers(len(cuts), size=_N_ROWS)]
            after[:, i] = rng.random(_N_ROWS) < 0.5
            cut.append(i)
    np.nextafter(at_cuts, np.inf, out=at_cuts, where=after)
    lower, upper = known_ranges([score_function.columns[i] for i in cut])
    at_cuts[:, cut] = np.clip(at_cuts[:, cut], lower, upper)
    return codes


def _column(
    column: Column,
    summary: ColumnSummary,
    low: float,
    high: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the codes of one column."""
    n = 2 * _N_ROWS
    if column.labels is not None:
        if not column.labels:
            return np.full(n, np.nan)
        values = rng.integers(len(column.labels), size=n).astype(float)
    else:
        low, high = max(low, column.lower), min(high, column.upper)
        values = rng.uniform(low, high, size=n)
        values = np.rint(values) if summary.is_whole else values
    if summary.has_missing:
        values[rng.uniform(size=n) < _MISSING] = np.nan
    return values
