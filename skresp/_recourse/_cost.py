"""Costs of changes, to find cheap witnesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._text import one_line, quote
from skresp._typing import FloatArray
from skresp._validation import check_feature_names, is_number
from skresp.reach._option_table import OptionTable
from skresp.reach._part import Part

from ._budget import SearchBudget

FEWEST = "fewest"
# Weight of a change by a whole range against one more feature, for "fewest". It is
# small, since a row outside its bounds may change by several ranges.
SHARE_WEIGHT = 1e-3


def check_cost(cost: Any, actions: ActionSet) -> None:
    """Raise TypeError or ValueError for an invalid cost."""
    if cost is None or callable(cost) or (isinstance(cost, str) and cost == FEWEST):
        return
    if not isinstance(cost, Mapping):
        raise TypeError(
            f"cost must be None, 'fewest', a mapping from feature to cost, or a "
            f"function of two frames (before and after), got {quote(cost)}."
        )
    check_prices(cost, actions.names)


def check_prices(cost: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise ValueError if a mapping is not one from feature to cost."""
    check_feature_names("cost", cost, names)
    for name, each in cost.items():
        pair = prices_of(each)
        if len(pair) != 2 or not all(_is_price(price) for price in pair):
            raise ValueError(
                f"cost of {quote(name)} must be a finite non-negative number or a pair "
                f"(up, down) of such numbers, got {quote(each)}. To forbid a change, "
                f"set the feature's limits in the action set."
            )


def _is_price(price: Any) -> bool:
    return is_number(price) and bool(0 <= price < np.inf)


def costs_of(
    budget: SearchBudget, part: Part, before: FloatArray, change: FloatArray
) -> FloatArray:
    """Return the costs of total changes on a part; staying put costs nothing.

    Parameters
    ----------
    budget : SearchBudget
    part : Part
    before, change : arrays of shape (n_changes, n_part_features)
    """
    if not len(change):
        return np.zeros(0)
    if callable(budget.cost):
        return _cost_by_function(budget.cost, part, before, change)
    own = part.own(change)
    if isinstance(budget.cost, Mapping):
        return _cost_by_unit(budget.cost, part, own)
    # The sum of shares must weigh less than one more feature.
    weight = SHARE_WEIGHT / (budget.n_features + 1.0)
    return (own != 0).sum(axis=1) + weight * _shares_of_ranges(part, own)


def table_costs(budget: SearchBudget, table: OptionTable) -> FloatArray:
    """Return the default costs of all options of a table, computed once."""
    known = table.costs.get(budget.n_features)
    if known is None:
        options = table.options
        known = costs_of(budget, options.part, options.before, options.changes)
        table.costs[budget.n_features] = known
    return known


def _cost_by_function(
    cost: Callable[..., Any], part: Part, before: FloatArray, change: FloatArray
) -> FloatArray:
    """Return the costs that a function of the user gives for changes."""
    names = list(part.names)
    frames = (pd.DataFrame(a, columns=names) for a in (before, before + change))
    out = non_negative("cost", cost(*frames), len(change))
    return np.where((change != 0).any(axis=1), out, 0.0)


def non_negative(parameter: str, returned: Any, n_rows: int) -> FloatArray:
    """Return what a function of the user has returned; raise if it cannot be used."""
    try:
        out = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        out = np.asarray(np.nan)
    if out.shape != (n_rows,) or not (np.isfinite(out) & (out >= 0)).all():
        got = np.atleast_1d(np.asarray(returned, dtype=object))
        raise ValueError(
            f"{parameter} must return one finite non-negative number for each of the "
            f"{n_rows} rows, got {one_line(np.array2string(got, threshold=5))}."
        )
    return out


def _cost_by_unit(cost: Mapping[str, Any], part: Part, own: FloatArray) -> FloatArray:
    """Return the costs of own changes, each at a price per unit."""
    out = np.zeros(len(own))
    for k, name in enumerate(part.names):
        if name in cost:
            up, down = prices_of(cost[name])
            out += np.where(own[:, k] > 0, up * own[:, k], -down * own[:, k])
    return out


def prices_of(cost: Any) -> Any:
    """Return the prices of a unit up and down."""
    return cost if isinstance(cost, (tuple, list)) else (cost, cost)


def _shares_of_ranges(part: Part, own: FloatArray) -> FloatArray:
    """Return the sums of own changes as shares of the ranges of their features."""
    out = np.zeros(len(own))
    for k, feature in enumerate(part.features):
        if feature.kind == "categorical":
            out += own[:, k] != 0
            continue
        span = 1.0
        if feature.can_change:
            span = max(feature.bounds[1] - feature.bounds[0], 1e-300)
        out += np.abs(own[:, k]) / span
    return out
