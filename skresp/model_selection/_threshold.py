"""What a decision threshold costs and leaves, from one verdict of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp.explain import ResponsivenessExplainer
from skresp.scores import AtLeast, AtMost


def threshold_curve(
    explainer: ResponsivenessExplainer, X: Any, y: Any, thresholds: Any = None
) -> Any:
    """Accuracy, the share denied and the share without recourse by the threshold.

    Parameters
    ----------
    explainer : fitted ResponsivenessExplainer
        Of a classifier whose best score can be told: a linear model or trees.
    X : frame or array
    y : array-like
        The true labels.
    thresholds : array-like, optional
        Probabilities of the target from which on people are approved; 0.01 to 0.99
        unless given.

    Returns
    -------
    frame with the columns `threshold`, `accuracy`, `denied`, `no_recourse` (shares of
    all rows) and `no_recourse_of_denied`
    """
    if isinstance(explainer.target_, (AtLeast, AtMost)):
        raise ValueError(
            f"The model predicts numbers (target {explainer.target_}), so there is no "
            f"accuracy; see explainer.verify(X).curve(thresholds)."
        )
    known = set(np.asarray(explainer.classes_).tolist())
    strange = set(np.unique(np.asarray(y)).tolist()) - known
    if strange:
        raise ValueError(
            f"y has the label {sorted(map(repr, strange))[0]}, which is no class of "
            f"the model; it has {', '.join(sorted(map(repr, known)))}."
        )
    verdicts = explainer.verify(X)
    curve = verdicts.curve(thresholds)
    good = np.asarray(y) == verdicts.target
    if good.shape != (len(verdicts),):
        raise ValueError(
            f"y must hold one label for each of the {len(verdicts)} rows, got an array "
            f"of shape {np.shape(y)}."
        )
    valid = verdicts.status != "invalid"
    score, good = verdicts.score[valid], good[valid]
    cuts = curve["threshold"].to_numpy()
    right = [float(((score >= cut) == good).mean()) for cut in cuts]
    curve.insert(1, "accuracy", right)
    return curve
