"""What readers return: a model over the columns that its final estimator gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from skresp._model.trees._arrays import Ensemble
from skresp._typing import FloatArray

from ._links import Link, PredictionLink


class ReadGroup(NamedTuple):
    """One summand of a model: weight * link(trees + coef @ z + base).

    Attributes
    ----------
    steps : tuple
        The transformers before the estimator; they make the columns z.
    ensemble : Ensemble or None
    coef : array of shape (n_outputs, n_transformed) or None
    base : array of shape (n_outputs,) or None
        None where it is found from the model's own scores.
    link : Link
    weight : float
    own_sums : callable or None
        Returns the model's own sums of rows before the link, of shape
        (n_rows, n_outputs), where the base is found from them.
    """

    steps: tuple[Any, ...]
    ensemble: Ensemble | None = None
    coef: FloatArray | None = None
    base: FloatArray | None = None
    link: Link = Link()
    weight: float = 1.0
    own_sums: Callable[[Any], FloatArray] | None = None

    @property
    def n_outputs(self) -> int:
        """The number of scores."""
        if self.base is not None:
            return len(self.base)
        return self.ensemble.n_outputs if self.ensemble is not None else 1


class Reading(NamedTuple):
    """A model as its reader returns it.

    Attributes
    ----------
    groups : tuple of ReadGroup
    own_scores : callable
        Returns the model's own scores of rows in its input format, of shape
        (n_rows, n_outputs).
    prediction_link : PredictionLink or None
        How predictions follow from scores; None where that is not known.
    family : {"trees", "linear", "additive", "composite"}
    is_float32 : bool
        Whether the model computes its scores in float32.
    to_prediction : callable or None
        Returns the predictions of scores, both of shape (n,), where they rise or fall
        with the scores all the way. Given where the link is "monotone".
    """

    groups: tuple[ReadGroup, ...]
    own_scores: Callable[[Any], FloatArray]
    prediction_link: PredictionLink | None
    family: str
    is_float32: bool = False
    to_prediction: Callable[[FloatArray], FloatArray] | None = None
