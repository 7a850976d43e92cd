"""Accuracy and recourse by the decision threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._explain._responsiveness import ResponsivenessExplainer
from skresp._model._target import AtLeast, AtMost
from skresp._text import quote, quote_all


def threshold_curve(
    explainer: ResponsivenessExplainer, X: Any, y: Any, thresholds: Any = None
) -> Any:
    """Compute accuracy, the share denied and the share without recourse by threshold.

    Each row is verified once, for all thresholds.

    Parameters
    ----------
    explainer : fitted ResponsivenessExplainer
        Its model must be a classifier whose best reachable score can be computed: a
        linear model or trees.
    X : frame or array
    y : array-like
        The true labels.
    thresholds : array-like, optional
        People are approved if the probability of the target is at least the
        threshold. By default 0.01 to 0.99.

    Returns
    -------
    frame with one row per threshold
        The columns are `threshold`, `accuracy`, `denied`, `no_recourse` (shares of
        all rows) and `no_recourse_of_denied`. Without rows the accuracy is NaN.
    """
    if isinstance(explainer.target_, (AtLeast, AtMost)):
        raise ValueError(
            f"explainer must have a classifier, got a regressor with the target "
            f"{explainer.target_}, which has no accuracy. Use "
            f"explainer.verify(X).curve(thresholds)."
        )
    known = set(np.asarray(explainer.classes_).tolist())
    unknown = set(np.unique(np.asarray(y)).tolist()) - known
    if unknown:
        raise ValueError(
            f"y must have classes of the model, "
            f"{quote_all(sorted(known, key=repr))}, got the label "
            f"{quote(min(unknown, key=repr))}."
        )
    verdicts = explainer.verify(X)
    curve = verdicts.curve(thresholds)
    is_target = np.asarray(y) == verdicts.target
    if is_target.shape != (len(verdicts),):
        raise ValueError(
            f"y must have one label for each of the {len(verdicts)} rows, got an array "
            f"of shape {np.shape(y)}."
        )
    valid = verdicts.status != "invalid"
    score, is_target = verdicts.score[valid], is_target[valid]
    accuracy = np.full(len(curve), np.nan)
    if len(score):
        accuracy[:] = [((score >= t) == is_target).mean() for t in curve["threshold"]]
    curve.insert(1, "accuracy", accuracy)
    return curve
