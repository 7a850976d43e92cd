"""Tables of options for the rows of a run, see `skresp/reach/_option_table.py`."""

from __future__ import annotations

from collections.abc import Sequence

from skresp._typing import FloatArray, IndexArray
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._feasible_changes import may_have_long_range
from skresp.reach._option_table import OptionTable, shared_tables
from skresp.reach._part import Part

from ._budget import SearchBudget
from .engines._base import Engine

#: For each part a table, and the positions of the rows in it; empty for none.
RowTables = list[tuple[OptionTable, IndexArray]]


def row_tables(
    codes: FloatArray,
    parts: Sequence[tuple[Part, IndexArray]],
    interventions: str,
    engine: Engine,
    budget: SearchBudget,
) -> RowTables:
    """Return tables that have the options of rows.

    None where changes of a row on some part are not listed, or the engine does not use
    tables. A limited time may not be enough to list them, and prices of the user are
    not kept.

    Parameters
    ----------
    codes : array of shape (n_rows, n_features)
    parts : sequence of (Part, columns)
        The parts that people can change.
    interventions : {"minimal", "joint"}
    engine : Engine
    budget : SearchBudget
    """
    if not engine.uses_tables or budget.deadline.is_limited:
        return []
    if not (budget.cost is None or isinstance(budget.cost, str)):
        return []
    if any(may_have_long_range(part, engine.max_listed) for part, _ in parts):
        return []
    out = []
    for part, columns in parts:
        values = codes[:, columns]
        first, which = distinct_rows(values)
        found = shared_tables.get(part, interventions, values[first])
        if found is None:
            return []
        out.append((found[0], found[1][which]))
    return out
