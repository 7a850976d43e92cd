"""Labels that a score function did not know, as the steps before the model see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skresp._model.trees._raw_trees import RawTrees
from skresp._typing import FloatArray

from ._group import Group
from ._raw_groups import GroupSource
from ._score_function import ScoreFunction
from ._terms import TableTerm


def with_labels(
    score_function: ScoreFunction, new: Mapping[int, tuple[Any, ...]]
) -> ScoreFunction:
    """Return a score function that knows more labels of some columns.

    Labels that the steps do not accept stay unknown. The codes of the known labels do
    not change.
    """
    accepted = {
        c: _accepted(score_function, c, labels) for c, labels in new.items() if labels
    }
    columns = list(score_function.columns)
    for c, labels in accepted.items():
        columns[c] = columns[c]._replace(labels=(*(columns[c].labels or ()), *labels))
    groups, sources = [], []
    for group, source in zip(
        score_function.groups, score_function.sources, strict=True
    ):
        source = source._replace(maps=source.maps.with_columns(columns))
        for c, labels in accepted.items():
            if labels:
                group = _extended(group, source, c, len(labels))
        groups.append(group)
        sources.append(source)
    return replace(
        score_function,
        columns=tuple(columns),
        groups=tuple(groups),
        sources=tuple(sources),
    )


def _accepted(
    score_function: ScoreFunction, c: int, labels: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return the labels that the steps of all groups accept."""
    columns = list(score_function.columns)
    columns[c] = columns[c]._replace(labels=labels)
    ok = np.ones(len(labels), dtype=bool)
    for source in score_function.sources:
        maps = source.maps.with_columns(columns)
        ok &= maps.transform_columns({c: np.arange(float(len(labels)))})[c][1]
    return tuple(label for label, good in zip(labels, ok, strict=True) if good)


def _extended(group: Group, source: GroupSource, c: int, count: int) -> Group:
    """Return a group that knows the last `count` labels of a column."""
    n_labels = source.maps.raw_rows.columns[c].n_labels
    transformed = source.maps.transform_column(
        c, np.arange(float(n_labels - count), float(n_labels))
    )
    if group.trees is not None and source.tables is not None:
        group = group._replace(
            trees=_extended_trees(group.trees, source, c, transformed)
        )
    if group.terms is not None and source.coef is not None:
        tables = tuple(
            _extended_table(term, source, transformed) if term.column == c else term
            for term in group.terms.tables
        )
        group = group._replace(terms=replace(group.terms, tables=tables))
    return group


def _extended_trees(
    trees: RawTrees, source: GroupSource, c: int, transformed: FloatArray
) -> RawTrees:
    """Return trees whose tables know more labels of a column."""
    assert source.tables is not None
    some = np.flatnonzero(source.maps.origins[source.tables.transformed] == c)
    start = source.maps.raw_rows.columns[c].n_labels - len(transformed)
    width = max(trees.goes_left.shape[1], start + len(transformed) + 1)
    goes_left = np.zeros((len(trees.goes_left), width), dtype=bool)
    goes_left[:, : trees.goes_left.shape[1] - 1] = trees.goes_left[:, :-1]
    goes_left[:, -1] = trees.goes_left[:, -1]
    goes_left[some, start : start + len(transformed)] = source.tables.goes_left(
        some, transformed
    )
    return replace(trees, goes_left=goes_left)


def _extended_table(
    term: TableTerm, source: GroupSource, transformed: FloatArray
) -> TableTerm:
    """Return the term of a column of labels, with more of them."""
    assert source.coef is not None
    some = np.flatnonzero(source.maps.origins == term.column)
    some = some[source.coef[:, some].any(axis=0)]
    added = transformed[:, some] @ source.coef[:, some].T
    values = np.vstack([term.values[:-1], added, term.values[-1:]])
    return term._replace(values=values)
