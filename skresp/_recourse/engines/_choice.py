"""The choice of the verification engine for a model."""

from __future__ import annotations

from skresp._actions._action_set import ActionSet
from skresp._model._fitted_model import FittedModel
from skresp._model._linear import LinearScoreFunction
from skresp._model.trees._score_function import TreeScoreFunction
from skresp.reach._allowance import allow
from skresp.reach._deadline import NEVER, Deadline
from skresp.reach._feasible_changes import (
    MOST_LISTED_BESIDE_A_LINE,
    MOST_LISTED_INTEGERS,
)
from skresp.reach._part import parts_of

from ._base import Engine
from ._black_box import BlackBoxEngine


def make_engine(fitted_model: FittedModel, deadline: Deadline = NEVER) -> Engine:
    """Return the engine for a model.

    Raises OutOfTimeError where reading the model takes too long.
    """
    with allow(deadline):
        known = fitted_model.score_function
    if known is not None:
        for most in (MOST_LISTED_BESIDE_A_LINE, MOST_LISTED_INTEGERS):
            if not known.maps_lines(_on_lines(fitted_model.features, most)):
                continue
            # Engines with kernels are imported here because numba loads slowly.
            if isinstance(known, TreeScoreFunction) and known.decision is not None:
                from .trees._engine import TreeEngine

                return TreeEngine.of(known, known.decision, most)
            if isinstance(known, LinearScoreFunction):
                from .linear._engine import LinearEngine

                return LinearEngine(known, most)
    return BlackBoxEngine()


def _on_lines(actions: ActionSet, most: int) -> set[str]:
    """Return the features that move along lines, with those that follow them."""
    tied = {
        name for part in parts_of(actions) if part.constraints for name in part.names
    }
    moving = set()
    for name in actions.effect_order:
        f = actions.features[name]
        long = f.kind == "real"
        if f.kind == "integer" and f.can_change and name not in tied:
            long = (f.bounds[1] - f.bounds[0]) / (f.step or 1) > most
        if f.can_change and long:
            moving.add(name)
        if any(t == name and s in moving for s, t in actions.effects):
            moving.add(name)
    return moving
