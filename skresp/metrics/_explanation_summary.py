"""Responsiveness of the features that explanations put first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._dataframe import as_table, column
from skresp._explain._explanation import Explanation
from skresp._text import quote_names
from skresp._typing import BoolArray, IndexArray
from skresp._validation import check_integer, check_type
from skresp.reach._distinct_rows import distinct_rows


def explanation_summary(
    explanation: Explanation, responsiveness: Any, top_k: int = 4
) -> dict[str, float]:
    """Compute how often the top features of an explanation are responsive.

    Parameters
    ----------
    explanation : Explanation
        From any explainer. Rows at the target are left out.
    responsiveness : Explanation, or array of shape (n_rows, n_features)
        The responsiveness of the same rows and features. A listed feature is
        responsive if its score is above 0.
    top_k : int, default=4
        Maximum length of a list: the largest scores by absolute value, without zeros,
        ties in column order.

    Returns
    -------
    summary : dict
        - `presented`: share of the denied who get a non-empty list;
        - `all_unresponsive`, `some_responsive`, `all_responsive`: shares of those
          presented. `some_responsive` means at least one responsive feature, so it
          includes `all_responsive`;
        - `n_features`: mean length of a non-empty list over distinct rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
    >>> from skresp.metrics import explanation_summary
    >>> X = [[i, n] for i in range(1, 6) for n in range(4)]
    >>> y = [int(i - n >= 2) for i, n in X]
    >>> actions = ActionSet(
    ...     {
    ...         "income": Feature("integer", 1, 5, max_increase=1),
    ...         "loans": Feature("integer", 0, 3, actionable=False),
    ...     }
    ... )
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    >>> explainer = explainer.fit(X, y)
    >>> explanation = explainer.explain(X)
    >>> explanation_summary(explanation, explanation)["all_responsive"]
    1.0
    """
    listed, responsive, rows = _top_features(explanation, responsiveness, top_k)
    length = listed.sum(axis=1)
    presented = length > 0
    n_responsive = (listed & responsive).sum(axis=1)[presented]
    distinct = _distinct(explanation, rows)
    return {
        "presented": _mean(presented),
        "all_unresponsive": _mean(n_responsive == 0),
        "some_responsive": _mean(n_responsive > 0),
        "all_responsive": _mean(n_responsive == length[presented]),
        "n_features": _mean(length[distinct][presented[distinct]]),
    }


def responsiveness_by_rank(
    explanation: Explanation, responsiveness: Any, max_rank: int | None = None
) -> Any:
    """Compute how often the feature at each rank of an explanation is responsive.

    Parameters
    ----------
    explanation, responsiveness
        See `explanation_summary`.
    max_rank : int, optional
        The last rank; by default the number of features.

    Returns
    -------
    frame with one row per rank
        `people` is the number of people with a feature at that rank, `share` the
        share of them whose feature there is responsive.
    """
    check_type("explanation", explanation, Explanation, "Pass explainer.explain(X).")
    n_ranks = len(explanation.feature_names)
    if max_rank is not None:
        n_ranks = min(check_integer("max_rank", max_rank, 1), n_ranks)
    _, responsive, rows = _top_features(explanation, responsiveness, n_ranks)
    size = np.abs(np.nan_to_num(explanation.values[rows]))
    order = np.argsort(-size, axis=1, kind="stable")[:, :n_ranks]
    listed = np.take_along_axis(size, order, axis=1) > 0
    hits = np.take_along_axis(responsive, order, axis=1) & listed
    people = listed.sum(axis=0)
    share = np.divide(
        hits.sum(axis=0), people, out=np.full(n_ranks, np.nan), where=people > 0
    )
    ranks = pd.RangeIndex(1, n_ranks + 1, name="rank")
    return pd.DataFrame({"share": share, "people": people}, index=ranks)


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else np.nan


def _top_features(
    explanation: Explanation, responsiveness: Any, top_k: int
) -> tuple[BoolArray, BoolArray, IndexArray]:
    """Return masks of the listed and the responsive features of the denied rows.

    The third array holds the positions of these rows.
    """
    check_integer("top_k", top_k, 1)
    check_type("explanation", explanation, Explanation, "Pass explainer.explain(X).")
    scores = explanation.values
    other = np.asarray(_aligned_values(explanation, responsiveness), dtype=float)
    if other.shape != scores.shape:
        raise ValueError(
            f"responsiveness must have the shape of the explanation, {scores.shape}, "
            f"got {other.shape}. Explain the same rows with both explainers."
        )
    scored = ~(np.isnan(scores).any(axis=1) | np.isnan(other).any(axis=1))
    rows = np.flatnonzero(~explanation.at_target & scored)
    size = np.abs(scores[rows])
    order = np.argsort(-size, axis=1, kind="stable")[:, :top_k]
    listed = np.zeros(size.shape, dtype=bool)
    np.put_along_axis(listed, order, True, axis=1)
    return listed & (size > 0), other[rows] > 0, rows


def _aligned_values(explanation: Explanation, responsiveness: Any) -> Any:
    """Return responsiveness with its columns in the order of the explanation."""
    if not isinstance(responsiveness, Explanation):
        return responsiveness
    names = responsiveness.feature_names
    if names == explanation.feature_names:
        return responsiveness.values
    if sorted(names) != sorted(explanation.feature_names):
        raise ValueError(
            f"responsiveness must have the features of the explanation, "
            f"{quote_names(explanation.feature_names)}, got {quote_names(names)}. "
            f"Explain the same columns with both explainers."
        )
    return responsiveness.values[:, [names.index(n) for n in explanation.feature_names]]


def _distinct(explanation: Explanation, rows: IndexArray) -> IndexArray:
    """Return the positions, within `rows`, of the first of each distinct row."""
    table = as_table(explanation.data)
    columns = [column(table, i).to_numpy()[rows] for i in range(table.shape[1])]
    first, _ = distinct_rows(columns)
    return first
