"""The choice of the verification engine for a model."""

from __future__ import annotations

from skresp._model._fitted_model import FittedModel
from skresp._model._linear import LinearScoreFunction
from skresp._model.trees._score_function import TreeScoreFunction
from skresp.reach._allowance import allow
from skresp.reach._deadline import NEVER, Deadline
from skresp.scores._strategy import max_listed

from ._base import Engine
from ._black_box import BlackBoxEngine


def make_engine(fitted_model: FittedModel, deadline: Deadline = NEVER) -> Engine:
    """Return the engine for a model.

    Raises OutOfTimeError where reading the model takes too long.
    """
    with allow(deadline):
        known = fitted_model.line_function
    listed = None if known is None else max_listed(known, fitted_model.features)
    if listed is not None:
        # Engines with kernels are imported here because numba loads slowly.
        if isinstance(known, TreeScoreFunction) and known.decision is not None:
            from .trees._engine import TreeEngine

            return TreeEngine.of(known, known.decision, listed)
        if isinstance(known, LinearScoreFunction):
            from .linear._engine import LinearEngine

            return LinearEngine.of(known, listed)
    return make_box_engine(fitted_model, deadline) or BlackBoxEngine()


def make_box_engine(
    fitted_model: FittedModel, deadline: Deadline = NEVER
) -> Engine | None:
    """Return the engine over boxes; None where the model has no score function.

    Raises OutOfTimeError where reading the model takes too long.
    """
    with allow(deadline):
        known = fitted_model.score_function
    if known is None:
        return None
    from .boxes._engine import BoxEngine

    return BoxEngine.of(known)
