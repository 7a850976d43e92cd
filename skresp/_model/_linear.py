"""Read linear models."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._model.steps._transform import scores_of_rows

from ._class_names import class_names
from ._links import PredictionLink
from ._reading import ReadGroup, Reading
from ._unreadable import UnreadableError

# Linear models whose prediction is the exponential of their score.
_EXPONENTIALS = {"PoissonRegressor", "GammaRegressor"}
# Linear models whose probability is the logistic function of their score.
_LOGITS = {"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"}
LINEAR_MODELS = {
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
    "PoissonRegressor",
    "GammaRegressor",
    "TweedieRegressor",
}


def read_linear_model(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read a model with one coefficient for each column."""
    coef, intercept = (getattr(model, n, None) for n in ("coef_", "intercept_"))
    if coef is None or intercept is None:
        raise UnreadableError(f"{type(model).__name__} has no coefficients.")
    if hasattr(coef, "toarray"):
        coef = coef.toarray()
    coef = np.atleast_2d(np.asarray(coef))
    is_float32 = coef.dtype.itemsize < 8
    base = np.broadcast_to(np.asarray(intercept, dtype=float), len(coef)).copy()
    method = "decision_function" if hasattr(model, "decision_function") else "predict"

    own_scores = scores_of_rows(model, method, steps)
    group = ReadGroup(steps, coef=coef.astype(float), base=base)
    link = prediction_link(model)
    if link == "monotone":
        return Reading(
            (group,),
            lambda rows: np.log(own_scores(rows)),
            link,
            "linear",
            is_float32,
            np.exp,
        )
    return Reading((group,), own_scores, link, "linear", is_float32)


def prediction_link(model: Any) -> PredictionLink:
    """Return how predictions follow from the scores of a linear model."""
    if not hasattr(model, "classes_"):
        return "monotone" if _is_exponential(model) else "identity"
    names, loss = class_names(model), getattr(model, "loss", None)
    if "SGDClassifier" in names and loss == "modified_huber":
        return "clipped"
    logits = "SGDClassifier" in names and loss == "log_loss"
    return "logit" if logits or names & _LOGITS else "margin"


def _is_exponential(model: Any) -> bool:
    """Return whether the logarithm of the prediction is linear."""
    names = class_names(model)
    if "TweedieRegressor" in names:
        return bool(model.link == "log" or (model.link == "auto" and model.power > 0))
    return bool(names & _EXPONENTIALS)
