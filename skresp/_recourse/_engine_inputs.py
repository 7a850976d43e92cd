"""What an engine is given: what people can do, and how many points that may take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skresp._typing import FloatArray, IndexArray
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._option_table import OptionTable
from skresp.reach._options import Options, options_of, thinned
from skresp.reach._part import Part
from skresp.reach._value_options import OptionSettings

from ._budget import SearchBudget
from ._cost import costs_of, table_costs
from ._row_tables import RowTables
from ._verification_task import VerificationTask
from .engines._base import Engine, EngineInput


def engine_input(
    task: VerificationTask,
    rows: IndexArray,
    engine: Engine,
    known: RowTables | None = None,
) -> EngineInput:
    """Return what the people of some rows can do, and what the engine may use.

    Parts that nobody here can change are included: the work for a person does not
    depend on the others.

    Parameters
    ----------
    task : VerificationTask
    rows : array of shape (n_people,)
        Positions in the batch.
    engine : Engine
    known : RowTables, optional
        Tables with the options of these people.
    """
    budget = task.budget
    tables: tuple[OptionTable, ...] = ()
    if known is not None and engine.uses_tables:
        tables = known.tables
        options = [
            table.options.of_people(at)
            for table, at in zip(tables, known.which, strict=True)
        ]
        costs = [table_costs(budget, table) for table in tables]
    else:
        options = [
            _options(task, rows, part, columns, engine)
            for part, columns in task.movable
        ]
        costs = _costs(budget, options)
    given = EngineInput(
        batch=task.batch,
        options=options,
        costs=costs,
        tables=tables,
        rows=rows,
        denied=~task.at_target[rows],
        budget=budget,
        interventions=task.interventions,
    )
    if given.covers_all.any():
        return given
    # Single features and draws of changes need points, too.
    features = sum(len(part.actionable) for part, _ in task.movable)
    kept = task.singles.reserve(features)
    if not engine.needs_only_lists:
        kept += len(task.movable) * task.points_to_draw
    return replace(given, budget=replace(budget, max_points=budget.max_points - kept))


def with_fewer_options(given: EngineInput) -> EngineInput:
    """Return the input with some options of a person who has too many."""
    if not given.is_heavy.any():
        return given
    options = thinned(given.options, given.half_of_points)
    costs = _costs(given.budget, options)
    return replace(given, options=options, costs=costs, tables=())


def _costs(budget: SearchBudget, options: list[Options]) -> list[FloatArray]:
    """Return the costs of the options of each part."""
    return [costs_of(budget, o.part, o.before, o.changes) for o in options]


def _options(
    task: VerificationTask,
    rows: IndexArray,
    part: Part,
    columns: IndexArray,
    engine: Engine,
) -> Options:
    """Return what the people of some rows can do on a part."""
    budget = task.budget
    values = task.codes[np.ix_(rows, columns)]
    first, which = _distinct(task, part, values, rows)
    return options_of(
        part,
        values[first],
        rows[first],
        which,
        OptionSettings(
            interventions=task.interventions,
            cutter=engine.cutter(task.batch, part, task.codes[:, columns]),
            knows_lines=engine.knows_lines,
            max_listed=engine.max_listed,
            seed=budget.seed,
            max_points=budget.max_points,
            to_draw=task.points_to_draw,
            only_lists=engine.needs_only_lists,
            ends=budget.cost is not None,
            deadline=budget.deadline,
        ),
    )


def _distinct(
    task: VerificationTask, part: Part, values: FloatArray, rows: IndexArray
) -> tuple[IndexArray, IndexArray]:
    """Return the distinct values of rows on a part, as the model sees them.

    Labels that are not listed share a code, and so do all kinds of missing
    values, but the model may distinguish them.
    """
    unclear: list[Any] = []
    for k, (name, feature) in enumerate(zip(part.names, part.features, strict=True)):
        shared = np.isnan(values[:, k])
        if feature.kind == "categorical":
            shared |= values[:, k] < 0
        if shared.any():
            seen = task.batch.point_builder.values(name, rows).astype(object)
            unclear.append(np.where(shared, seen, 0))
    return distinct_rows([*values.T, *unclear] if unclear else values)


def alike(given: EngineInput) -> list[IndexArray]:
    """Divide people into groups that an engine examines together.

    People whose options cover all feasible changes are apart from the others, who get
    fewer points. A person with too many options is alone and gets some of them.
    """
    covered, heavy = given.covers_all, given.is_heavy
    if covered.any() and not covered.all():
        return [np.flatnonzero(covered), np.flatnonzero(~covered)]
    groups = [np.flatnonzero(~heavy), *np.flatnonzero(heavy)[:, None]]
    return [some for some in groups if len(some)]
