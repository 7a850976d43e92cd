"""Groups of a model, rewritten from transformed columns to the columns of its input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._model.steps._step_maps import StepMaps
from skresp._model.steps._transformed_columns import (
    TransformedColumns,
    read_transformed_columns,
)
from skresp._model.trees._to_raw_trees import Tables, to_raw_trees
from skresp._typing import FloatArray

from ._columns import Column
from ._group import Group
from ._input_format import InputFormat
from ._model_columns import accepted_labels, candidate_columns
from ._raw_rows import RawRows
from ._raw_terms import to_raw_terms
from ._reading import ReadGroup


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
    columns = candidate_columns(input_format, features, [g.steps for g in groups])
    all_maps = []
    for group in groups:
        maps = StepMaps(group.steps, RawRows(input_format, features, columns))
        if group.ensemble is not None:
            missing = group.ensemble.arithmetic.sparse_zero_is_missing
            maps = replace(maps, zero_is_missing=missing and maps.is_sparse)
        all_maps.append(maps)
        columns = accepted_labels(columns, all_maps[-1])
    lower = np.full(len(columns), -np.inf)
    upper = np.full(len(columns), np.inf)
    raw, sources = [], []
    known: dict[tuple[tuple[int, ...], bool], TransformedColumns] = {}
    for group, maps in zip(groups, all_maps, strict=True):
        key = tuple(map(id, group.steps)), maps.zero_is_missing
        if key not in known:
            known[key] = read_transformed_columns(maps.with_columns(columns))
        transformed = known[key]
        for c, (low, high) in transformed.ranges.items():
            lower[c], upper[c] = max(lower[c], low), min(upper[c], high)
        one, source = _to_raw_group(group, transformed)
        raw.append(one)
        sources.append(source)
    columns = tuple(
        column._replace(lower=float(lower[i]), upper=float(upper[i]))
        for i, column in enumerate(columns)
    )
    return columns, tuple(raw), tuple(sources)


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
