"""The scores of a linear model behind the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._model.trees._lines import Cells
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._decision import DOUBT, DOUBT32, Decision, decision_of, is_confirmed
from ._predictions import model_scores
from ._target import TargetRule
from ._unwrap import ROUNDINGS, Unwrapped, as_numbers, maps_lines, transform_rows
from ._weights import Weights

# Linear models whose probability is the logistic function of their score.
_LOGITS = {"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"}
_LINEAR = {
    "LogisticRegression",
    "LogisticRegressionCV",
    "LinearSVC",
    "SGDClassifier",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "Perceptron",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "Lasso",
    "LassoCV",
    "ElasticNet",
    "ElasticNetCV",
    "SGDRegressor",
    "LinearSVR",
    "BayesianRidge",
    "HuberRegressor",
    "ARDRegression",
    "Lars",
    "LarsCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "OrthogonalMatchingPursuit",
    "QuantileRegressor",
    "TheilSenRegressor",
}


@dataclass(frozen=True)
class LinearScoreFunction:
    """The scores of a linear model and of the steps before it.

    Attributes
    ----------
    model : Any
        The outermost model that reports these scores.
    decision : Decision
    steps : tuple
        The transformers before the final estimator.
    weights : Weights or None
        Its coefficients; None where only the model can compute its scores.
    """

    model: Any
    decision: Decision
    steps: tuple[Any, ...] = ()
    weights: Weights | None = None

    def maps_lines(self, moving: Collection[str]) -> bool:
        """Return whether the model is known along lines of these columns."""
        return maps_lines(self.steps, moving)

    def scores(self, rows: Any) -> FloatArray:
        """Return the scores of rows, of shape (n_rows, n_scores)."""
        scores = _weighted(self.weights, self.steps, rows)
        return _scores(self.model, rows) if scores is None else scores

    def changes(
        self, before: Any, after: Any, which: IndexArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return by how much scores change, and the sizes of the terms of that sum.

        The rows `after` started from the rows `before[which]`. Columns that do not
        change are left out, so that their size costs no digits.
        """
        pair = [_given(self.weights, self.steps, rows) for rows in (before, after)]
        if self.weights is not None and pair[0] is not None and pair[1] is not None:
            return self.weights.changes(pair[0][which], pair[1])
        first, last = _scores(self.model, before)[which], _scores(self.model, after)
        return last - first, np.abs(first) + np.abs(last)

    def roundings(self, rows: Any) -> tuple[FloatArray, float]:
        """Return the sizes of the terms of scores, and the relative error of a sum."""
        given = _given(self.weights, self.steps, rows)
        if self.weights is None or given is None:
            size, terms = np.abs(_scores(self.model, rows)), int(rows.shape[1])
        else:
            size, terms = self.weights.sizes(given), int(given.shape[1])
        dtype = np.float32 if self.decision.doubt > DOUBT else np.float64
        return size, (2 * terms + ROUNDINGS) * float(np.finfo(dtype).eps)

    def cells(self, A: Any, B: Any, low: FloatArray, high: FloatArray) -> Cells | None:
        """Return the pieces of the lines from the rows of A to those of B."""
        a, b = self.scores(A), self.scores(B)
        pairs = self._differences(a), self._differences(b)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = pairs[0] / (pairs[0] - pairs[1])
        cuts = low[:, None] + share * (high - low)[:, None]
        cuts = np.where((share > 0) & (share < 1), cuts, high[:, None])
        edges = np.sort(np.column_stack([low, cuts, high]), axis=1)
        line = np.repeat(np.arange(len(low)), edges.shape[1] - 1)
        first, last = edges[:, :-1].ravel(), edges[:, 1:].ravel()
        some = last > first
        line, first, last = line[some], first[some], last[some]
        middle = ((first + last) / 2 - low[line]) / (high - low)[line]
        scores = a[line] + (b - a)[line] * middle[:, None]
        # The error of a border is that of the scores, divided by their slope.
        size = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)).max(axis=1))
        doubt = np.maximum(self.decision.doubt * size, self.decision.least_doubt)
        slope = np.abs(pairs[1] - pairs[0]) / (high - low)[:, None]
        crossed = (share > 0) & (share < 1)
        error = np.divide(
            doubt[:, None], slope, out=np.zeros_like(slope), where=crossed
        )
        return Cells(line, first, last, scores, error.max(axis=1, initial=0.0))

    def crowded(self, A: Any, B: Any, low: FloatArray, high: FloatArray) -> BoolArray:
        """Return on which lines two borders are closer than rounding.

        The target is reached from the last border where it overtakes a rival to the
        first where a rival overtakes it.
        """
        first, last = (
            self._differences(self.scores(A)),
            self._differences(self.scores(B)),
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            position = low[:, None] + first / (first - last) * (high - low)[:, None]
        start = np.where(last > first, position, -np.inf).max(axis=1)
        stop = np.where(last < first, position, np.inf).min(axis=1)
        cells = self.cells(A, B, low, high)
        error = 0.0 if cells is None else cells.error
        return np.asarray(np.abs(stop - start) <= 2 * error)

    def _differences(self, scores: FloatArray) -> FloatArray:
        """Return how far the target's score is above the cut, or above each rival."""
        column, cut = self.decision.column, self.decision.cut
        if cut is not None:
            return scores[:, [column]] - cut
        return scores[:, [column]] - np.delete(scores, column, axis=1)


def read_linear(
    target_rule: TargetRule, model: Unwrapped, rows: Any
) -> LinearScoreFunction | None:
    """Read a linear model; return None for other models.

    The reading is compared with the model on `rows`, in the model's input format.
    """
    final = model.final
    library = type(final).__module__.split(".")[0]
    if library != "sklearn" or type(final).__name__ not in _LINEAR:
        return None
    scores, doubt = _scores(model.scored, rows), _doubt(model.scored, rows)
    link = _linear_link(final)
    decision = decision_of(target_rule, scores, doubt, link, model.threshold_rule)
    if decision is None or not is_confirmed(decision, target_rule, scores, rows):
        return None
    weights = Weights.of(final)
    own = _weighted(weights, model.steps, rows)
    near = DOUBT32 if doubt == DOUBT32 else DOUBT / 10
    if (
        own is None
        or own.shape != scores.shape
        or not np.allclose(own, scores, rtol=near, atol=near)
    ):
        weights = None
    return LinearScoreFunction(model.scored, decision, model.steps, weights)


def _doubt(model: Any, rows: Any) -> float:
    """Return the relative error of a linear model's scores; some are float32."""
    scores = getattr(model, "decision_function", None) or model.predict
    single = np.asarray(scores(rows)).dtype.itemsize < 8
    return DOUBT32 if single else DOUBT


def _scores(model: Any, rows: Any) -> FloatArray:
    scored = hasattr(model, "decision_function")
    return model_scores(model, "decision_function" if scored else "predict", rows)


def _weighted(weights: Weights | None, steps: Any, rows: Any) -> FloatArray | None:
    """Return the scores of rows by weights; None where rows are not numeric."""
    given = _given(weights, steps, rows)
    return None if weights is None or given is None else weights.scores(given)


def _given(weights: Weights | None, steps: Any, rows: Any) -> Any:
    """Return rows as an array or sparse matrix with one column for each weight.

    Return None where rows are not numeric, or where there are no weights.
    """
    if weights is None:
        return None
    table = transform_rows(steps, rows)
    given = table.tocsr() if hasattr(table, "tocsr") else as_numbers(table)
    if given is None or given.shape[1] != weights.coef.shape[1]:
        return None
    return given


def _linear_link(model: Any) -> str:
    """Return what turns the scores of a linear model into predictions."""
    if not hasattr(model, "classes_"):
        return "identity"
    name, loss = type(model).__name__, getattr(model, "loss", None)
    if name == "SGDClassifier" and loss == "modified_huber":
        return "clipped"
    logits = name == "SGDClassifier" and loss == "log_loss"
    return "logit" if logits or name in _LOGITS else "margin"
