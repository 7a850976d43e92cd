"""Comparison of explainers by the features they put first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skresp._dataframe import as_table, take_rows
from skresp._explain._responsiveness import ResponsivenessExplainer
from skresp._text import quote_names
from skresp._validation import check_mapping

from ._explanation_summary import explanation_summary


def compare_explainers(
    explainers: Mapping[str, Any],
    X: Any,
    top_k: int = 4,
    *,
    responsiveness: Any = None,
) -> Any:
    """Compare explainers by how often their top features are responsive.

    Parameters
    ----------
    explainers : mapping from name to fitted explainer
        Explainers of the same model. To compare several models, pass a mapping from
        the name of a model to such a mapping; the columns then have two levels.
    X : frame or array
        Only the rows that the model denies are explained. Equal rows count as often
        as they occur.
    top_k : int, default=4
        Maximum number of features listed per row.
    responsiveness : fitted ResponsivenessExplainer, optional
        Decides which features are responsive; by default the first
        `ResponsivenessExplainer` among the explainers.

    Returns
    -------
    frame with one column per explainer
        The rows are `denied`, the share of rows that the model denies, and those of
        `explanation_summary`.

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
    check_mapping("explainers", explainers, "from name to fitted explainer")
    if explainers and all(isinstance(e, Mapping) for e in explainers.values()):
        frames = {
            name: compare_explainers(inner, X, top_k, responsiveness=responsiveness)
            for name, inner in explainers.items()
        }
        return pd.concat(frames, axis=1)
    reference = responsiveness or responsiveness_explainer(explainers)
    table = as_table(X)
    everyone = reference.explain(table)
    valid = ~np.isnan(everyone.values).any(axis=1)
    denied = np.flatnonzero(~everyone.at_target & valid)
    rows = take_rows(table, denied)
    scores = reference.explain(rows) if len(denied) < len(table) else everyone
    share = len(denied) / int(valid.sum()) if valid.any() else np.nan
    columns = {}
    for name, explainer in explainers.items():
        if not len(denied):
            columns[name] = {"denied": share}
            continue
        explanation = scores if explainer is reference else explainer.explain(rows)
        summary = explanation_summary(explanation, scores, top_k)
        columns[name] = {"denied": share} | summary
    return pd.DataFrame(columns)


def responsiveness_explainer(explainers: Mapping[str, Any]) -> ResponsivenessExplainer:
    """Return the first ResponsivenessExplainer of a mapping from name to explainer."""
    check_mapping("explainers", explainers, "from name to fitted explainer")
    for explainer in explainers.values():
        if isinstance(explainer, ResponsivenessExplainer):
            return explainer
    raise ValueError(
        f"explainers must include a ResponsivenessExplainer, which decides which "
        f"features are responsive, got {quote_names(explainers) or 'none'}. Add one."
    )
