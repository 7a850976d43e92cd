"""The columns of a model's input, with the labels and ranges that it accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model.steps._elementary_steps import ENCODERS, elementary_steps
from skresp._model.steps._step_maps import StepMaps
from skresp._typing import FloatArray

from ._columns import Column
from ._input_format import MAX_LABELS, ColumnSummary, InputFormat
from ._raw_rows import RawRows


def candidate_columns(
    input_format: InputFormat, features: ActionSet, all_steps: Sequence[Sequence[Any]]
) -> tuple[Column, ...]:
    """Return the columns with every label that is known of them.

    Text, truth values, and numbers that an encoder gets are labels.
    """
    encoded = _encoded_numbers(input_format, features, all_steps)
    names = {i: name for name, i in input_format.positions(features).items()}
    columns = []
    for i, summary in enumerate(input_format.summaries):
        listed = tuple(features.features[names[i]].categories or ())
        labels: tuple[Any, ...] | None = None
        if _is_boolean(input_format.dtype_of(i)):
            labels = (False, True)
        elif summary.labels is not None:
            labels = _distinct(summary.labels, listed)
        elif i in encoded:
            labels = _distinct(encoded[i], _whole_numbers(summary), listed)
        columns.append(Column(names[i], labels))
    return tuple(columns)


def accepted_labels(columns: Sequence[Column], maps: StepMaps) -> tuple[Column, ...]:
    """Return the columns with those labels that the steps before a model accept."""
    listed = {
        i: np.arange(float(column.n_labels))
        for i, column in enumerate(columns)
        if column.labels is not None
    }
    if not listed:
        return tuple(columns)
    valid = {i: ok for i, (_, ok) in maps.transform_columns(listed).items()}
    out = list(columns)
    for i, ok in valid.items():
        labels = columns[i].labels or ()
        kept = tuple(v for v, good in zip(labels, ok, strict=True) if good)
        out[i] = columns[i]._replace(labels=kept)
    return tuple(out)


def _encoded_numbers(
    input_format: InputFormat, features: ActionSet, all_steps: Sequence[Sequence[Any]]
) -> dict[int, tuple[float, ...]]:
    """Return the columns of numbers that an encoder gets, with the numbers it knows."""
    width = len(input_format.names)
    found: dict[int, tuple[float, ...]] = {}
    row = _first_row(input_format, features)
    for steps in all_steps:
        for step, own, _ in elementary_steps(steps, row, width):
            if type(step).__name__ in ENCODERS:
                for k, origin in enumerate(own.tolist()):
                    known = _numbers(step.categories_[k])
                    found[origin] = _distinct(found.get(origin, ()), known)
    numbers = {i for i, s in enumerate(input_format.summaries) if s.labels is None}
    return {i: known for i, known in found.items() if i in numbers}


def _first_row(input_format: InputFormat, features: ActionSet) -> Any:
    """Return one row with a value for each column that the model was fitted on."""
    columns = [
        Column(name, s.labels and s.labels[:1])
        for name, s in zip(input_format.names, input_format.summaries, strict=True)
    ]
    raw_rows = RawRows(input_format, features, tuple(columns))
    low = [0.0 if s.labels else s.low for s in input_format.summaries]
    codes: FloatArray = np.array([low], dtype=float)
    return raw_rows(codes)


def _whole_numbers(summary: ColumnSummary) -> tuple[float, ...]:
    """Return the whole numbers in the range of a column, where they are few."""
    if not summary.is_whole or summary.high - summary.low > MAX_LABELS:
        return ()
    return tuple(np.arange(summary.low, summary.high + 1).tolist())


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(
        float(v) for v in values if isinstance(v, (int, float, np.number)) and v == v
    )


def _distinct(*labels: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(v for some in labels for v in some))


def _is_boolean(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") == "b" or str(dtype) == "Boolean"
