"""Tables of options for the rows of a run, see `skresp/reach/_option_table.py`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._feasible_changes import parts_with_lines
from skresp.reach._option_table import OptionTable, shared_tables
from skresp.reach._part import actionable_parts
from skresp.reach._value_index import index_of_tables

from ._budget import SearchBudget
from .engines._base import Engine


class RowTables(NamedTuple):
    """A table of options for each part, and where rows are in it.

    Attributes
    ----------
    tables : tuple of OptionTable
    which : array of shape (n_parts, n_rows)
        The positions of the values of rows.
    """

    tables: tuple[OptionTable, ...]
    which: IndexArray

    @property
    def valid(self) -> BoolArray:
        """Which rows satisfy the constraints of all parts before any change."""
        index = index_of_tables(self.tables)  # covers all changes of valid values
        return np.asarray(index.covers_all[self.which + index.begins].all(axis=0))

    def take(self, positions: IndexArray) -> RowTables:
        """Return the tables with some of the rows."""
        return self._replace(which=self.which.take(positions, axis=1))


def row_tables(
    codes: FloatArray,
    actions: ActionSet,
    interventions: str,
    engine: Engine,
    budget: SearchBudget,
) -> RowTables | None:
    """Return tables that have the options of rows.

    None where changes of a row on some part are not listed, or the engine does not use
    tables. A limited time may not be enough to list them, and prices of the user are
    not kept.

    Parameters
    ----------
    codes : array of shape (n_rows, n_features)
    actions : ActionSet
    interventions : {"minimal", "joint"}
    engine : Engine
    budget : SearchBudget
    """
    if not engine.uses_tables or budget.deadline.is_limited:
        return None
    if not (budget.cost is None or isinstance(budget.cost, str)):
        return None
    if parts_with_lines(actions, engine.max_listed):
        return None
    from skresp.reach._distinct_kernel import distinct_values  # numba loads slowly

    parts = actionable_parts(actions)
    tables: list[OptionTable] = []
    which = np.empty((len(parts), len(codes)), dtype=np.intp)
    for p, (part, columns) in enumerate(parts):
        values = codes.take(columns, axis=1)
        first, mine = distinct_values(values)
        found = shared_tables.get(part, interventions, values.take(first, axis=0))
        if found is None:
            return None
        tables.append(found[0])
        which[p] = found[1].take(mine)
    return RowTables(tuple(tables), which) if tables else None
