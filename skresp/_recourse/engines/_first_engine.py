"""Choose the engine that people are given to, of the two that a model may have."""

from __future__ import annotations

from collections.abc import Callable

from skresp._actions._action_set import ActionSet
from skresp._recourse._budget import SearchBudget
from skresp.reach._feasible_changes import features_on_lines

from ._base import Engine

# Nodes of trees that split on features along lines, from which on boxes are faster.
_MAX_SPLITS_ON_LINES = 10_000


def first_engine(
    engine: Engine,
    box_engine: Callable[[], Engine | None],
    actions: ActionSet,
    budget: SearchBudget,
) -> Engine:
    """Return the engine over boxes where lines have many pieces, else the given one.

    Boxes say neither which change is the cheapest nor which is the best.

    Parameters
    ----------
    engine : Engine
    box_engine : callable
        Returns the engine over boxes, or None.
    actions : ActionSet
    budget : SearchBudget
    """
    if budget.cost is None and not budget.best_only:
        lines = features_on_lines(actions, engine.max_listed)
        if engine.splits_on(lines) > _MAX_SPLITS_ON_LINES:
            return box_engine() or engine
    return engine
