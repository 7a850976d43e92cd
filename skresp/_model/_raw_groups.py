"""Groups of a model, rewritten from transformed columns to the columns of its input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model.steps._step_maps import StepMaps
from skresp._model.steps._transform import transform_rows
from skresp._model.steps._transformed_columns import (
    TransformedColumns,
    read_transformed_columns,
)
from skresp._model.trees._category_splits import CategorySplits
from skresp._model.trees._to_raw_trees import Tables, to_raw_trees
from skresp._typing import FloatArray

from ._columns import Column
from ._group import Group
from ._input_format import InputFormat
from ._model_columns import accepted_labels, candidate_columns
from ._raw_rows import RawRows
from ._raw_terms import to_raw_terms
from ._reading import ReadGroup

# The largest integer up to which float32 has every integer.
_MAX_INTEGER32 = 2.0**24

#: The columns of a model's input, and how each of its groups transforms them.
ReadColumns = tuple[tuple[Column, ...], tuple[TransformedColumns, ...]]


class GroupSource(NamedTuple):
    """What a group was read from, so that labels can be added later.

    Attributes
    ----------
    maps : StepMaps
    tables : Tables or None
        The tables of its trees.
    coef : array of shape (n_outputs, n_transformed) or None
    """

    maps: StepMaps
    tables: Tables | None
    coef: FloatArray | None


def to_raw_groups(
    groups: Sequence[ReadGroup], input_format: InputFormat, features: ActionSet
) -> tuple[tuple[Column, ...], tuple[Group, ...], tuple[GroupSource, ...]]:
    """Rewrite groups over the columns of the model's input.

    Return these columns, the groups over their codes, and what each was read from.
    """
    kinds = tuple(
        (
            group.steps,
            group.ensemble is not None
            and group.ensemble.arithmetic.sparse_zero_is_missing,
        )
        for group in groups
    )
    if not any(steps for steps, _ in kinds) and _has_numbers_only(input_format):
        read = _read_without_steps(len(kinds), input_format, features)
    else:
        read = _read_columns(kinds, input_format, features)
    columns, transformed = read
    rows = RawRows(input_format, features, columns)
    if any(_gets_integer_array(group, rows) for group in groups):
        columns = tuple(
            _within_float32(column) if _is_integer(input_format.dtype_of(i)) else column
            for i, column in enumerate(columns)
        )
    raw = [_to_raw_group(g, t) for g, t in zip(groups, transformed, strict=True)]
    return columns, tuple(g for g, _ in raw), tuple(source for _, source in raw)


def _gets_integer_array(group: ReadGroup, rows: RawRows) -> bool:
    """Return whether trees get an array of integers, which they convert to float32."""
    trees = group.ensemble
    if trees is None or not trees.arithmetic.integers_to_float32:
        return False
    before = [step for step in group.steps if not isinstance(step, CategorySplits)]
    received = transform_rows(tuple(before), rows(rows.middle()[None]))
    return isinstance(received, np.ndarray) and _is_integer(received.dtype)


def _is_integer(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") in ("i", "u")


def _within_float32(column: Column) -> Column:
    """Return a column that is known where float32 has all integers."""
    lower = max(column.lower, -_MAX_INTEGER32)
    return column._replace(lower=lower, upper=min(column.upper, _MAX_INTEGER32))


def _has_numbers_only(input_format: InputFormat) -> bool:
    """Return whether no column has labels: 1 and True are equal, but not as labels."""
    return all(summary.labels is None for summary in input_format.summaries)


@lru_cache(maxsize=16)
def _read_without_steps(
    n_groups: int, input_format: InputFormat, features: ActionSet
) -> ReadColumns:
    """Return what `_read_columns` does for groups without steps.

    It does not depend on the model, so that all candidates of a search share it.
    """
    return _read_columns((((), False),) * n_groups, input_format, features)


def _read_columns(
    kinds: Sequence[tuple[tuple[Any, ...], bool]],
    input_format: InputFormat,
    features: ActionSet,
) -> ReadColumns:
    """Return the columns of a model, and how its groups transform them.

    A group is given by its steps, and whether it takes what a sparse matrix does not
    store for missing.
    """
    columns = candidate_columns(input_format, features, [steps for steps, _ in kinds])
    all_maps = []
    for steps, zero_is_missing in kinds:
        maps = StepMaps(steps, RawRows(input_format, features, columns))
        if zero_is_missing and steps:
            maps = replace(maps, zero_is_missing=maps.is_sparse)
        all_maps.append(maps)
        columns = accepted_labels(columns, all_maps[-1])
    lower = np.full(len(columns), -np.inf)
    upper = np.full(len(columns), np.inf)
    known: dict[tuple[tuple[int, ...], bool], TransformedColumns] = {}
    out = []
    for (steps, _), maps in zip(kinds, all_maps, strict=True):
        key = tuple(map(id, steps)), maps.zero_is_missing
        if key not in known:
            known[key] = read_transformed_columns(maps.with_columns(columns))
        out.append(known[key])
        for c, (low, high) in known[key].ranges.items():
            lower[c], upper[c] = max(lower[c], low), min(upper[c], high)
    columns = tuple(
        column._replace(lower=float(lower[i]), upper=float(upper[i]))
        for i, column in enumerate(columns)
    )
    return columns, tuple(out)


def _to_raw_group(
    group: ReadGroup, transformed: TransformedColumns
) -> tuple[Group, GroupSource]:
    """Rewrite one group; a base that is not known is 0."""
    trees = tables = terms = None
    if group.ensemble is not None:
        trees, tables = to_raw_trees(group.ensemble, transformed)
    base = np.zeros(group.n_outputs) if group.base is None else group.base
    if group.coef is not None:
        terms, constant = to_raw_terms(group.coef, transformed)
        base = base + constant
    out = Group(base, trees, terms, group.link, group.weight)
    return out, GroupSource(transformed.maps, tables, group.coef)
