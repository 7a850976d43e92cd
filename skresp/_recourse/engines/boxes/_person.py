"""One person's search: variables, forest and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray
from skresp.reach._allowance import allowance
from skresp.reach._part import Part

from ._channels import Slopes
from ._curve_tables import MAX_DEPTH, CurveTables
from ._forest import Box, pack, restrict
from ._model_arrays import ModelArrays, View
from ._rules import INTEGER
from ._variables import UnknownValueError, Variables
from ._work import Arena, PersonArrays, Work

# Integers on a column of labels.
_MAX_LABELS = 4_096


class PartState(NamedTuple):
    """What a person can do on one part.

    Attributes
    ----------
    part : Part
    before : array of shape (n_features,)
    columns : list of int
        The column of the model of each feature; -1 for none.
    changes : array of shape (n_changes, n_features) or None
        All feasible total changes, where they are listed.
    reach : list of float or None
        What a known number in a part of its own can reach, see `lone_reach`.
    """

    part: Part
    before: FloatArray
    columns: list[int]
    changes: FloatArray | None
    reach: list[float] | None = None


def make_variables(
    columns: Sequence[Any], codes: FloatArray, parts: Sequence[PartState]
) -> Variables:
    """Return the variables of one person.

    Raises UnknownValueError where the person could reach values that the score function
    does not know.

    Parameters
    ----------
    columns : sequence of Column
    codes : array of shape (n_columns,)
        The person's row as codes of the model.
    """
    variables = Variables(columns)
    for p, state in enumerate(parts):
        if state.reach is not None:
            x, column = float(state.before[0]), state.columns[0]
            variables.add_lone(p, state.part, x, column, state.reach)
            continue
        code = _Codes(columns, codes, state)
        if state.changes is not None:
            variables.add_list(
                p, state.part, state.before, state.columns, code, state.changes
            )
        else:
            variables.add_part(p, state.part, state.before, state.columns, code)
    _check_known(columns, codes, variables, variables.of_column)
    return variables


def make_person(
    model: ModelArrays,
    columns: Sequence[Any],
    codes: FloatArray,
    parts: Sequence[PartState],
    arena: Arena,
    known: tuple[Variables, CurveTables] | None = None,
) -> tuple[PersonArrays, Work, Variables]:
    """Return what the search of one person needs.

    See `make_variables` for the parameters, and for what it raises. `known` are the
    variables and the tables of curves, which are not part of the forest.
    """
    variables = make_variables(columns, codes, parts) if known is None else known[0]
    of_column = variables.of_column
    views = _views(model, variables)
    rules = variables.rules(views)
    n_words = max(model.split.tables.shape[1], -(-rules.view_low.shape[1] // 64))
    words = pack(~np.isnan(rules.view_low), 64 * n_words)
    tables = np.zeros((len(model.split.tables), n_words), dtype=np.uint64)
    tables[:, : model.split.tables.shape[1]] = model.split.tables
    slopes, constants, size = _linear(model, codes, variables, of_column)
    depth = model.depth
    if known is not None:
        added = known[1].constants(model.curves, of_column, len(constants))
        constants, size = constants + added[0], size + added[1]
        depth = max(depth, MAX_DEPTH)
    person = PersonArrays(rules, model.channels, slopes, tables, size)
    box = _model_box(model, codes, variables, views, words)
    ends = _restrict_forest(model, tables, *box, constants, arena)
    work = Work.empty(person, arena, depth)
    work.node_end[0], work.tree_end[0] = ends
    work.constants[0] = constants
    work.start(*variables.limits(), words)
    return person, work, variables


def _views(model: ModelArrays, variables: Variables) -> list[tuple[int, View]]:
    """Return the views of variables, each with the number of its variable."""
    of_column = variables.of_column
    views = [
        (of_column[view.column], view)
        for view in model.views
        if view.column in of_column
    ]
    listed = {k for k, view in views if view.edges is None}
    for k, variable in enumerate(variables.all):
        if variable.codes is not None and k not in listed:
            views.append((k, View(variable.column, None, max(variable.codes) + 2)))
    return views


def _restrict_forest(
    model: ModelArrays,
    tables: NDArray[np.uint64],
    names: NDArray[np.int32],
    box: Box,
    constants: FloatArray,
    arena: Arena,
) -> tuple[int, int]:
    """Write the model's trees, cut down to a person's box, to the start of an arena.

    Trees that are constant are added to `constants`. Returns where the nodes and the
    trees end.
    """
    split = model.split._replace(tables=tables)
    stack = np.zeros((2, model.depth + 4), dtype=np.int32)
    while True:
        sums = constants.copy()
        node, tree = allowance().deadline.call(
            restrict,
            model.forest,
            0,
            len(model.forest.roots),
            split,
            box,
            names,
            arena.forest,
            0,
            0,
            sums,
            stack,
            np.zeros(0, dtype=bool),
        )
        if node >= 0:
            constants[:] = sums
            return node, tree
        arena.grow()


class _Codes:
    """The model's codes of a feature's values."""

    def __init__(self, columns: Sequence[Any], codes: FloatArray, state: PartState):
        self.columns, self.codes, self.state = columns, codes, state

    def __call__(self, name: str, feature: Any, x: float) -> dict[int, float]:
        """Return the value of the feature at each position."""
        column = self.state.columns[self.state.part.names.index(name)]
        categories = feature.categories if feature.kind == "categorical" else None
        if column < 0:
            out = {i: float(i) for i in range(len(categories or ()))}
            return out if x >= 0 else {**out, len(out): x}
        labels = self.columns[column].labels
        if categories is None:
            return {i: float(label) for i, label in enumerate(labels)}
        if labels is None or not self.codes[column] >= 0:
            raise UnknownValueError
        position = {label: i for i, label in enumerate(labels)}
        out = {}
        for code, label in enumerate(categories):
            if label in position:
                out[position[label]] = float(code)
        out[int(self.codes[column])] = x
        return out


def _check_known(
    columns: Sequence[Any],
    codes: FloatArray,
    variables: Variables,
    of_column: dict[int, int],
) -> None:
    """Raise UnknownValueError where values are outside of what is known."""
    for c, column in enumerate(columns):
        if c not in of_column:
            if not column.knows(codes[[c]])[0]:
                raise UnknownValueError
            continue
        variable = variables.all[of_column[c]]
        if column.labels is None:
            low, high = variable.reached
            if low < column.lower or high > column.upper:
                raise UnknownValueError
            continue
        assert variable.codes is not None
        known = set(variable.codes.values())
        if variable.allowed is not None:
            wanted = variable.allowed
        elif variable.kind == INTEGER:
            low, high = variable.reached
            if high - low > _MAX_LABELS:
                raise UnknownValueError
            wanted = set(np.arange(low, high + 1).tolist())
        else:
            raise UnknownValueError
        if not wanted <= known:
            raise UnknownValueError


def _model_box(
    model: ModelArrays,
    codes: FloatArray,
    variables: Variables,
    views: list[tuple[int, View]],
    words: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], Box]:
    """Return new numbers of the model's columns, and the person's box over them."""
    n, of_column = len(variables.all), variables.of_column
    names = np.full(model.n_columns + len(model.views), -1, dtype=np.int32)
    lower, upper = codes.copy(), codes.copy()
    for c, k in of_column.items():
        names[c] = k
        lower[c], upper[c] = variables.all[k].reached
    box_words = np.zeros((len(model.views), words.shape[1]), dtype=np.uint64)
    for i, view in enumerate(model.views):
        if view.column in of_column:
            at = next(j for j, (_, other) in enumerate(views) if other is view)
            names[model.n_columns + i] = n + at
            box_words[i] = words[at]
            continue
        code = codes[view.column]
        if np.isnan(code):
            position = view.positions - 1
        elif view.edges is not None:
            position = int(np.searchsorted(view.edges, code))
        else:
            position = int(code)
        box_words[i, position // 64] = np.uint64(1) << np.uint64(position % 64)
    return names, Box(lower, upper, box_words)


def _linear(
    model: ModelArrays,
    codes: FloatArray,
    variables: Variables,
    of_column: dict[int, int],
) -> tuple[Slopes, FloatArray, FloatArray]:
    """Return the linear terms of variables, the constants, and the sizes of sums."""
    n, n_channels = len(variables.all), model.slope.shape[1]
    slope, center = np.zeros((n, n_channels)), np.zeros((n, n_channels))
    constants, size = model.base.copy(), model.size.copy()
    used = np.flatnonzero(model.slope.any(axis=1) | model.missing.any(axis=1))
    for c in used.tolist():
        if c in of_column:
            k = of_column[c]
            slope[k], center[k] = model.slope[c], model.center[c]
            ends = np.array(variables.all[k].reached)
            size[:n_channels] += np.abs(slope[k]) * np.abs(
                ends[:, None] - center[k]
            ).max(axis=0)
            continue
        if np.isnan(codes[c]):
            added = model.missing[c]
        else:
            added = model.slope[c] * (codes[c] - model.center[c])
        constants[:n_channels] += added
        size[:n_channels] += np.abs(added)
    return Slopes(slope, center, (slope != 0).any(axis=1)), constants, size
