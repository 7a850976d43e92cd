"""Encoding of tables as codes, and decoding.

A code is a float: the number itself, the position of a label in the categories of its
feature (-1 for a label that is not listed), or NaN for a missing value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._column_names import check_not_numbered, column_names
from skresp._dataframe import (
    as_table,
    can_hold_numbers,
    column,
    number_dtype,
    number_matrix,
    real_numbers,
    row_labels,
    with_values,
)
from skresp._text import one_line, quote, quote_names
from skresp._typing import BoolArray, FloatArray
from skresp._validation import did_you_mean, to_python

from ._feature import MAX_INTEGER, Feature, snap_to_bounds

if TYPE_CHECKING:
    from ._action_set import ActionSet

MISSING = ("raise", "hold")
# Rows that are checked at once, to bound memory.
_ROWS_AT_ONCE = 16_384


class ColumnMasks(NamedTuple):
    """Masks over the columns of an action set, each of shape (n_features,).

    `read` marks the columns whose values matter: the feature can change or is in a
    constraint. The other masks are subsets of it.
    """

    read: BoolArray
    binary: BoolArray
    integer: BoolArray
    changeable: BoolArray
    categorical: BoolArray


def column_positions(actions: ActionSet, table: Any) -> list[int]:
    """Return the position in the table of each feature of the action set."""
    names = column_names(table)
    width = table.shape[1]
    if names is None:
        check_not_numbered(table, actions.names, "the action set")
        if width != len(actions.names):
            raise ValueError(
                f"X must have {len(actions.names)} columns, one for each feature of "
                f"the action set, got {width}. Pass as many columns, or a frame with "
                f"column names."
            )
        return list(range(width))
    positions = {name: i for i, name in enumerate(names)}
    missing = [name for name in actions.names if name not in positions]
    if missing:
        raise ValueError(
            f"X must have a column for each feature of the action set, but has no "
            f"column {quote_names(missing)}. {did_you_mean(missing[0], names)}Its "
            f"columns are {quote_names(names)}."
        )
    extra = [name for name in names if name not in actions.features]
    if extra:
        raise ValueError(
            f"X must have no columns besides the features of the action set, got "
            f"{quote_names(extra)}. Drop {'it' if len(extra) == 1 else 'them'}, or add "
            f"{'it' if len(extra) == 1 else 'them'} to the action set (with "
            f"actionable=False if nobody can change the value)."
        )
    return [positions[name] for name in actions.names]


def check_columns(actions: ActionSet, table: Any) -> None:
    """Raise if the columns of a table do not fit the features of the action set.

    This checks names and dtypes, and the first value of a column of objects.
    """
    positions = column_positions(actions, table)
    if number_dtype(table) is not None:
        return
    for name, position in zip(actions.names, positions, strict=True):
        if _is_read(actions, name):
            check_dtype(name, actions.features[name], column(table, position))


def check_dtype(name: str, feature: Feature, values: pd.Series) -> None:
    """Raise TypeError if a numeric feature has a column that is not numeric."""
    if feature.kind == "categorical":
        return
    if not can_hold_numbers(values.dtype):
        problem = f"its column has dtype {values.dtype}, which is not numeric"
    else:
        first = values[values.notna()][:1]
        if not np.isnan(real_numbers(first)).any():
            return
        value = quote(to_python(first.iloc[0]))
        problem = f"its column contains {value}, which is not a number"
    raise TypeError(
        f"Feature {quote(name)} is {feature.kind}, but {problem}. {_CONVERT}"
    )


_CONVERT = (
    "Convert the column to numbers before the model is fitted (for example a date to "
    "the days since a fixed date), or make the feature actionable=False and leave it "
    "out of constraints."
)


def _is_read(actions: ActionSet, name: str) -> bool:
    return actions.features[name].can_change or name in actions.constrained


def encode(
    actions: ActionSet, X: Any, *, missing: str = "raise", everything: bool = False
) -> FloatArray:
    """Return the codes of rows.

    Parameters
    ----------
    actions : ActionSet
    X : frame or array
    missing : {"raise", "hold"}, default="raise"
        What to do about a missing value in a feature that can change.
    everything : bool, default=False
        Whether to encode the columns of numbers that neither change nor are in a
        constraint too. They are not checked, and without `everything` their codes
        have no meaning.

    Returns
    -------
    array of shape (n_rows, n_features)
        The columns are in the order of the action set.
    """
    if missing not in MISSING:
        raise ValueError(f"missing must be 'raise' or 'hold', got {quote(missing)}.")
    table = as_table(X)
    positions = column_positions(actions, table)
    matrix = number_matrix(table)
    if matrix is not None:
        codes = _encode_numbers(actions, matrix[:, positions], missing)
        if codes is not None:
            return codes
    codes = np.zeros((len(table), len(positions)))
    labels = row_labels(table)
    for i, (name, position) in enumerate(zip(actions.names, positions, strict=True)):
        feature = actions.features[name]
        values = column(table, position)
        if not _is_read(actions, name):
            if everything and feature.kind != "categorical":
                codes[:, i] = column_codes(feature, values)[0]
            continue
        if not can_hold_numbers(values.dtype):
            check_dtype(name, feature, values)
        codes[:, i], wrong = column_codes(feature, values)
        if wrong.any():
            raise ValueError(
                f"Feature {quote(name)} is {feature.kind}, but its value is "
                f"{quote(to_python(values[wrong].iloc[0]))} in {_rows(labels, wrong)}. "
                f"{_remedy(values, wrong)}"
            )
        is_missing = np.isnan(codes[:, i])
        if missing == "raise" and feature.can_change and is_missing.any():
            raise ValueError(
                f"Feature {quote(name)} can change, but its value is missing (NaN) in "
                f"{_rows(labels, is_missing)}. Fill it in, pass missing='hold' to keep "
                f"the feature unchanged for these rows, or make it actionable=False."
            )
    return codes


def _encode_numbers(
    actions: ActionSet, matrix: NDArray[Any], missing: str
) -> FloatArray | None:
    """Return the codes of a new array of numbers, all columns at once.

    The array may become the codes. Return None if the action set has labels to look
    up, or if a value is wrong: encoding column by column then finds the error and names
    the column.
    """
    masks = actions.column_masks
    if masks.categorical.any():
        return None
    codes = matrix.astype(float, copy=False)
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        if _has_wrong(codes[start : start + _ROWS_AT_ONCE], masks, missing):
            return None
    return codes


def _has_wrong(codes: FloatArray, masks: ColumnMasks, missing: str) -> bool:
    """Return whether some code is not of the kind of its feature."""
    binaries, integers = codes[:, masks.binary], codes[:, masks.integer]
    if (
        ((binaries == 0) | (binaries == 1)).all()
        and (integers == np.rint(integers)).all()
        and (np.abs(integers) <= MAX_INTEGER).all()
        and np.isfinite(codes.sum())
    ):
        return False
    wrong = ((binaries != 0) & (binaries != 1) & (binaries == binaries)).any()
    wrong |= ((integers != np.rint(integers)) & (integers == integers)).any()
    wrong |= (np.abs(integers) > MAX_INTEGER).any()
    if not np.isfinite(codes.sum()):
        wrong |= np.isinf(codes[:, masks.read]).any()
        if missing == "raise":
            wrong |= np.isnan(codes[:, masks.changeable]).any()
    return bool(wrong)


def column_codes(feature: Feature, values: pd.Series) -> tuple[FloatArray, BoolArray]:
    """Return the codes of a column, and a mask of values that are not of the kind."""
    missing = values.isna().to_numpy()
    if feature.kind == "categorical":
        codes = _label_codes(feature, values, missing)
        return codes, np.zeros(len(values), dtype=bool)
    numbers = real_numbers(values)
    wrong = np.isnan(numbers) & ~missing
    if feature.kind == "binary":
        wrong |= ~missing & (numbers != 0) & (numbers != 1)
    elif feature.kind == "integer":
        wrong |= ~missing & (numbers != np.rint(numbers))
        wrong |= np.abs(numbers) > MAX_INTEGER
    wrong |= np.isinf(numbers)
    return numbers, wrong


def code_of(name: str, feature: Feature, value: Any) -> float:
    """Return the code of one value of a feature."""
    codes, wrong = column_codes(feature, pd.Series([value]))
    unlisted = feature.kind == "categorical" and codes[0] < 0
    if wrong[0] or unlisted or np.isnan(codes[0]):
        raise ValueError(
            f"{quote(value)} is not a value of the {feature.kind} feature "
            f"{quote(name)}; its values are "
            f"{one_line(feature.describe_values()) or 'numbers'}."
        )
    return float(codes[0])


def _label_codes(feature: Feature, values: pd.Series, missing: BoolArray) -> FloatArray:
    positions = {label: i for i, label in enumerate(feature.categories or ())}
    which, labels = pd.factorize(values, use_na_sentinel=True)
    codes = np.array([positions.get(label, -1) for label in labels], dtype=float)
    out = codes[which] if len(codes) else np.full(len(values), np.nan)
    out[missing] = np.nan
    return out


def decode(
    actions: ActionSet,
    table: Any,
    before: FloatArray,
    after: FloatArray,
) -> Any:
    """Return the table with its values changed from codes `before` to codes `after`.

    Values whose code does not change are kept as they are.
    """
    changes = {}
    positions = column_positions(actions, table)
    for i, (name, position) in enumerate(zip(actions.names, positions, strict=True)):
        moved = (after[:, i] != before[:, i]) & ~np.isnan(before[:, i])
        if moved.any():
            feature = actions.features[name]
            old, new = before[moved, i], after[moved, i]
            reached = snap_to_bounds(feature, old, new - old)
            changes[position] = moved, values_of(feature, reached)
    return with_values(table, changes)


def values_of(feature: Feature, codes: FloatArray) -> list[Any]:
    """Return the values of codes."""
    if feature.kind == "categorical":
        assert feature.categories is not None
        return [feature.categories[int(code)] for code in codes]
    if feature.kind == "real":
        return codes.tolist()
    return [int(code) for code in codes.tolist()]


def _rows(labels: NDArray[Any], mask: BoolArray) -> str:
    shown = [one_line(label) for label in labels[mask][:3]]
    more = int(mask.sum()) - len(shown)
    text = f"row{'s' if mask.sum() > 1 else ''} {', '.join(shown)}"
    return f"{text} and {more} more" if more > 0 else text


def _remedy(values: pd.Series, wrong: BoolArray) -> str:
    numbers = real_numbers(values[wrong])
    if (np.isfinite(numbers) & (np.abs(numbers) > MAX_INTEGER)).any():
        return (
            f"Integers beyond {MAX_INTEGER} cannot be told apart as floats. Divide the "
            f"column, or make the feature actionable=False and leave it out of "
            f"constraints."
        )
    if np.isnan(real_numbers(values[wrong])).any() and not isinstance(
        values[wrong].iloc[0], str
    ):
        return _CONVERT
    return "Correct the data, or change the kind of the feature."
