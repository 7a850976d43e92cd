"""Explainers side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skresp.actions import as_table, spread
from skresp.explain import ResponsivenessExplainer

from ._lists import explanation_summary


def compare_explainers(
    explainers: Mapping[str, Any],
    X: Any,
    top_k: int = 4,
    *,
    responsiveness: Any = None,
) -> Any:
    """What the lists of several explainers are worth, one column an explainer.

    Parameters
    ----------
    explainers : mapping from name to fitted explainer
        All of one model. Or a mapping from a model's name to such a mapping, for
        several models; the columns then have two levels.
    X : frame or array
        Rows of which those that the model denies are explained; each row counts,
        however often it is there.
    top_k : int, default=4
        The length of a list.
    responsiveness : fitted ResponsivenessExplainer, optional
        Who tells which features are responsive; the first among the explainers unless
        given.

    Returns
    -------
    frame with the lines of `explanation_summary`, after `denied`, the share of rows
    that the model denies

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
    >>> from skresp.metrics import compare_explainers
    >>> X = [[i, n] for i in range(1, 6) for n in range(4)]
    >>> model = LogisticRegression().fit(X, [int(i - n >= 2) for i, n in X])
    >>> income = Feature("integer", 1, 5, max_increase=1)
    >>> loans = Feature("integer", 0, 3, max_decrease=1)
    >>> both = ActionSet({"income": income, "loans": loans})
    >>> explainers = {
    ...     "RESP": ResponsivenessExplainer(model, both, target=1).fit(X),
    ...     "joint": ResponsivenessExplainer(
    ...         model, both, target=1, interventions="joint"
    ...     ).fit(X),
    ... }
    >>> compare_explainers(explainers, X)
                      RESP  joint
    denied            0.50   0.50
    presented         0.40   0.40
    all_unresponsive  0.00   0.00
    some_responsive   1.00   1.00
    all_responsive    1.00   1.00
    n_features        1.75   1.75
    """
    if explainers and all(isinstance(e, Mapping) for e in explainers.values()):
        frames = {
            name: compare_explainers(inner, X, top_k, responsiveness=responsiveness)
            for name, inner in explainers.items()
        }
        return pd.concat(frames, axis=1)
    judge = responsiveness or _first_judge(explainers)
    table = as_table(X)
    whole = judge.explain(table)
    valid = ~np.isnan(whole.values).any(axis=1)
    denied = np.flatnonzero(~whole.at_target & valid)
    rows = spread(table, denied)
    truth = judge.explain(rows) if len(denied) < len(table) else whole
    share = len(denied) / int(valid.sum()) if valid.any() else np.nan
    columns = {}
    for name, explainer in explainers.items():
        if not len(denied):
            columns[name] = {"denied": share}
            continue
        mine = truth if explainer is judge else explainer.explain(rows)
        columns[name] = {"denied": share} | explanation_summary(mine, truth, top_k)
    return pd.DataFrame(columns)


def _first_judge(explainers: Mapping[str, Any]) -> ResponsivenessExplainer:
    for explainer in explainers.values():
        if isinstance(explainer, ResponsivenessExplainer):
            return explainer
    raise ValueError(
        f"None of the explainers ({', '.join(map(str, explainers))}) is a "
        f"ResponsivenessExplainer, which tells which features are responsive. Add one, "
        f"or pass responsiveness=ResponsivenessExplainer(...).fit(X)."
    )
