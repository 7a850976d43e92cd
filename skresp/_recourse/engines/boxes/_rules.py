"""What a person can do, as arrays for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray

#: Kinds of variables.
REAL, INTEGER, LABEL = range(3)
#: Operators of conditions.
AT_MOST, AT_LEAST, IN, NOT_IN = range(4)


class Rules(NamedTuple):
    """The variables of a person and the rules between them.

    A variable has an own change and a reached value. In arrays over both, the own
    changes come first.

    Attributes
    ----------
    kind : array of shape (n_variables,), int8
    before : array of shape (n_variables,)
        The current values; positions of labels.
    step : array of shape (n_variables,)
        Own changes of integers are multiples of it.
    own_low, own_high : array of shape (n_variables,)
        The range of own changes apart from 0; empty where low exceeds high.
    bound_low, bound_high : array of shape (n_variables,)
        The bounds of reals, for `snap_to`; NaN for others.
    link_start, link_source, link_scale : arrays
        Effects into each variable: those from `link_start[k]` to `link_start[k + 1]`.
    order : array of shape (n_free,), int64
        The variables with own changes or effects, sources first; those of lists are
        left out.
    row_start, row_column, row_weight : arrays
        Weighted sums of own changes and reached values.
    row_lower, row_upper : array of shape (n_rows,)
    row_slack, row_least : array of shape (n_rows,)
        A sum may be outside its limits by row_slack * max(row_least, size).
    view_variable : array of shape (n_views,), int64
    view_low, view_high : array of shape (n_views, n_positions)
        The values of the variable at each position; NaN for positions that are not
        used.
    label_view : array of shape (n_variables,), int64
        The view that lists the labels of a variable; -1 for numbers.
    condition_variable, condition_op, condition_start, condition_value : arrays
        Conditions on reached values.
    if_then : array of shape (n_implications, 2), int64
        Where the first condition holds, so does the second.
    switch : array of shape (n_pairs, 2), int64
        Where the condition holds, the variable keeps its value.
    list_start : array of shape (n_lists + 1,), int64
        Where the options of each list begin.
    list_variables : array of shape (n_lists, n), int64
        The variables of each list; -1 for none.
    list_values : array of shape (n_options, n)
        Their reached values.
    part, role : array of shape (n_variables,), int64
        The part of each variable. The role is 1 where it is actionable, 2 where it is
        mutable only, otherwise 0.
    part_start : array of shape (n_parts + 1, 6), int64
        Where the variables, the weighted sums, the views in `view_order`, the
        implications, the pairs of `switch` and the lists of each part begin.
    view_order : array of shape (n_views,), int64
        The views, part by part.
    """

    kind: NDArray[np.int8]
    before: FloatArray
    step: FloatArray
    own_low: FloatArray
    own_high: FloatArray
    bound_low: FloatArray
    bound_high: FloatArray
    link_start: NDArray[np.int64]
    link_source: NDArray[np.int64]
    link_scale: FloatArray
    order: NDArray[np.int64]
    row_start: NDArray[np.int64]
    row_column: NDArray[np.int64]
    row_weight: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    row_slack: FloatArray
    row_least: FloatArray
    view_variable: NDArray[np.int64]
    view_low: FloatArray
    view_high: FloatArray
    label_view: NDArray[np.int64]
    condition_variable: NDArray[np.int64]
    condition_op: NDArray[np.int64]
    condition_start: NDArray[np.int64]
    condition_value: FloatArray
    if_then: NDArray[np.int64]
    switch: NDArray[np.int64]
    list_start: NDArray[np.int64]
    list_variables: NDArray[np.int64]
    list_values: FloatArray
    part: NDArray[np.int64]
    role: NDArray[np.int64]
    part_start: NDArray[np.int64]
    view_order: NDArray[np.int64]
