"""From a user's table to numbers, and from reached numbers back to the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._columns import (
    as_table,
    can_hold_numbers,
    column,
    column_names,
    number_matrix,
    real_numbers,
    row_labels,
    with_values,
)
from ._feature import Feature, landed

if TYPE_CHECKING:
    from ._action_set import ActionSet

MISSING = ("raise", "hold")


def column_positions(actions: ActionSet, table: Any) -> list[int]:
    """Where each feature of the action set stands in the table."""
    names = column_names(table)
    width = table.shape[1]
    if names is None:
        if width != len(actions.names):
            raise ValueError(
                f"X has {width} columns, the action set {len(actions.names)} features. "
                f"An array is matched by position: pass as many columns, or a frame "
                f"with column names."
            )
        return list(range(width))
    missing = [name for name in actions.names if name not in names]
    if missing:
        raise ValueError(
            f"X has no column {_quoted(missing)}, which the action set names; X has "
            f"{_quoted(names)}."
        )
    extra = [name for name in names if name not in actions.features]
    if extra:
        raise ValueError(
            f"X has the column {_quoted(extra)}, which the action set does not know. "
            f"Drop it, or add it to the action set (with actionable=False, if nobody "
            f"can change it)."
        )
    places = {name: i for i, name in enumerate(names)}
    return [places[name] for name in actions.names]


def check_columns(actions: ActionSet, table: Any) -> None:
    """Raise where the columns of a table do not fit the features of the action set.

    Names and dtypes are checked, of columns of objects the first value.
    """
    positions = column_positions(actions, table)
    if number_matrix(table) is not None:
        return
    for name, position in zip(actions.names, positions, strict=True):
        if _is_read(actions, name):
            check_dtype(name, actions.features[name], column(table, position))


def check_dtype(name: str, feature: Feature, values: pd.Series) -> None:
    """Raise where a column holds something other than numbers, but its feature does
    not."""
    if feature.kind == "categorical":
        return
    if not can_hold_numbers(values.dtype):
        what = f"its column has dtype {values.dtype}, which does not hold numbers"
    else:
        first = values[values.notna()][:1]
        if not np.isnan(real_numbers(first)).any():
            return
        what = f"its column holds {first.iloc[0]!r}, which is not a number"
    raise TypeError(f"Feature {name!r} is {feature.kind}, but {what}. {_CONVERT}")


_CONVERT = (
    "Convert the column to numbers before the model is fitted (a date, for instance, "
    "to the days since a fixed date), or make the feature actionable=False and leave "
    "it out of constraints."
)


def _is_read(actions: ActionSet, name: str) -> bool:
    return actions.features[name].can_change or name in actions.constrained


def encode(
    actions: ActionSet, X: Any, *, missing: str = "raise", everything: bool = False
) -> NDArray[np.float64]:
    """The rows as numbers, one column a feature in the order of the action set.

    A categorical value is its place in the categories, -1 where the label is not
    listed; a missing value is NaN. Columns that neither change nor take part in a
    constraint are not checked, and what stands in them means nothing unless
    `everything` is asked for.
    """
    if missing not in MISSING:
        raise ValueError(f"missing must be 'raise' or 'hold', got {missing!r}.")
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
                f"Feature {name!r} is {feature.kind}, but {_rows(labels, wrong)} "
                f"{'hold' if wrong.sum() > 1 else 'holds'} "
                f"{values[wrong].iloc[0]!r}. {_remedy(values, wrong)}"
            )
        gone = np.isnan(codes[:, i])
        if missing == "raise" and feature.can_change and gone.any():
            raise ValueError(
                f"Feature {name!r} can change, but its value is missing (NaN) in "
                f"{_rows(labels, gone)}. Fill it in, pass missing='hold' to keep it "
                f"as it is for these people, or make it actionable=False."
            )
    return codes


def _encode_numbers(
    actions: ActionSet, matrix: NDArray[Any], missing: str
) -> NDArray[np.float64] | None:
    """The same for plain numbers, all columns at once.

    None where a label is to be looked up or a value is wrong: column by column, the
    error can be told well.
    """
    read, binary, whole, changeable, labels = actions.columns_by_kind
    if labels.any():
        return None
    codes = matrix.astype(float)
    binaries, integers = codes[:, binary], codes[:, whole]
    wrong = ((binaries != 0) & (binaries != 1) & (binaries == binaries)).any()
    wrong |= ((integers != np.rint(integers)) & (integers == integers)).any()
    if not np.isfinite(codes.sum()):
        wrong |= np.isinf(codes[:, read]).any()
        if missing == "raise":
            wrong |= np.isnan(codes[:, changeable]).any()
    return None if wrong else codes


def column_codes(
    feature: Feature, values: pd.Series
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The numbers of one column, and which of its values are not of the kind."""
    gone = values.isna().to_numpy()
    if feature.kind == "categorical":
        return _label_codes(feature, values, gone), np.zeros(len(values), dtype=bool)
    numbers = real_numbers(values)
    wrong = np.isnan(numbers) & ~gone
    if feature.kind == "binary":
        wrong |= ~gone & (numbers != 0) & (numbers != 1)
    elif feature.kind == "integer":
        wrong |= ~gone & (numbers != np.rint(numbers))
    wrong |= np.isinf(numbers)
    return numbers, wrong


def code_of(name: str, feature: Feature, value: Any) -> float:
    """The number that one value of a feature stands for."""
    codes, wrong = column_codes(feature, pd.Series([value]))
    unlisted = feature.kind == "categorical" and codes[0] < 0
    if wrong[0] or unlisted or np.isnan(codes[0]):
        raise ValueError(
            f"{value!r} is no value of the {feature.kind} feature {name!r}; it takes "
            f"{feature.describe_values() or 'numbers'}."
        )
    return float(codes[0])


def _label_codes(
    feature: Feature, values: pd.Series, gone: NDArray[np.bool_]
) -> NDArray[np.float64]:
    places = {label: i for i, label in enumerate(feature.categories or ())}
    which, labels = pd.factorize(values, use_na_sentinel=True)
    codes = np.array([places.get(label, -1) for label in labels], dtype=float)
    out = codes[which] if len(codes) else np.full(len(values), np.nan)
    out[gone] = np.nan
    return out


def decode(
    actions: ActionSet,
    table: Any,
    before: NDArray[np.float64],
    after: NDArray[np.float64],
) -> Any:
    """The table moved from the numbers `before` to the numbers `after`.

    Only what changes is written: every other value stays the very object it was.
    """
    changes = {}
    positions = column_positions(actions, table)
    for i, (name, position) in enumerate(zip(actions.names, positions, strict=True)):
        moved = (after[:, i] != before[:, i]) & ~np.isnan(before[:, i])
        if moved.any():
            feature, was, now = (
                actions.features[name],
                before[moved, i],
                after[moved, i],
            )
            changes[position] = (
                moved,
                values_of(feature, landed(feature, was, now - was)),
            )
    return with_values(table, changes)


def values_of(feature: Feature, codes: NDArray[np.float64]) -> list[Any]:
    """The values that codes stand for."""
    if feature.kind == "categorical":
        assert feature.categories is not None
        return [feature.categories[int(code)] for code in codes]
    if feature.kind == "real":
        return codes.tolist()
    return codes.astype(np.int64).tolist()


def _quoted(names: list[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _rows(labels: NDArray[Any], mask: NDArray[np.bool_]) -> str:
    shown = [str(label) for label in labels[mask][:3]]
    more = int(mask.sum()) - len(shown)
    text = f"row{'s' if mask.sum() > 1 else ''} {', '.join(shown)}"
    return f"{text} and {more} more" if more > 0 else text


def _remedy(values: pd.Series, wrong: NDArray[np.bool_]) -> str:
    if np.isnan(real_numbers(values[wrong])).any() and not isinstance(
        values[wrong].iloc[0], str
    ):
        return _CONVERT
    return "Correct the data, or give the feature another kind."
