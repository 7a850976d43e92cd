"""The choice of the verification engine for a model."""

from __future__ import annotations

from collections.abc import Collection

from skresp._model._fitted_model import FittedModel
from skresp._model._score_function import ScoreFunction
from skresp.reach._allowance import allow
from skresp.reach._deadline import NEVER, Deadline
from skresp.reach._feasible_changes import features_on_lines
from skresp.scores._strategy import max_listed

from ._base import Engine
from ._black_box import BlackBoxEngine


def make_engine(fitted_model: FittedModel, deadline: Deadline = NEVER) -> Engine:
    """Return the engine for a model.

    Raises OutOfTimeError where reading the model takes too long.
    """
    with allow(deadline):
        known = fitted_model.score_function
    listed = None if known is None else max_listed(known, fitted_model.features)
    if known is not None and listed is not None and known.decision is not None:
        # Engines with kernels are imported here because numba loads slowly.
        group = known.groups[0]
        if _is_plain_sum(known) and group.terms is None:
            from .trees._engine import TreeEngine

            return TreeEngine(
                score_function=known, decision=known.decision, max_listed=listed
            )
        moving = features_on_lines(fitted_model.features, listed)
        if _is_plain_sum(known) and group.trees is None and _is_straight(known, moving):
            from .linear._engine import LinearEngine

            return LinearEngine.of(known, known.decision, listed)
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


def _is_plain_sum(known: ScoreFunction) -> bool:
    """Return whether the scores are one sum, without a link."""
    group = known.groups[0]
    plain = group.link.is_identity and group.weight == 1.0
    return plain and len(known.groups) == 1


def _is_straight(known: ScoreFunction, moving: Collection[str]) -> bool:
    """Return whether the scores are straight along lines of these features."""
    return not any(
        column.name in moving
        and (len(known.cuts(i)) or known.shape(i) not in ("constant", "linear"))
        for i, column in enumerate(known.columns)
    )
