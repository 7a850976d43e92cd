"""What lists of top features are worth to those who get them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import as_table, column
from skresp.explain import Explanation
from skresp.reach import distinct_rows

Truth = NDArray[np.bool_]
Places = NDArray[np.intp]


def explanation_summary(
    explanation: Explanation, responsiveness: Any, top_k: int = 4
) -> dict[str, float]:
    """Whether the top features of an explanation could help those who are denied.

    Parameters
    ----------
    explanation : Explanation
        Of any explainer. Rows at the target are left out.
    responsiveness : Explanation, or array of its values
        The responsiveness of the same rows and features. A listed feature is
        responsive where its score is above 0.
    top_k : int, default=4
        The length of a list: the largest scores by absolute value, zeros left out, ties
        in column order.

    Returns
    -------
    dict of `presented` (the share of the denied who get a list), of those presented
    `all_unresponsive`, `some_responsive`, `all_responsive`, and `n_features`, the mean
    length of a list over distinct rows

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
    listed, works, rows = _listed(explanation, responsiveness, top_k)
    some = listed.any(axis=1)
    denied = len(rows)
    good = (listed & works).sum(axis=1)[some]
    length = listed.sum(axis=1)

    def share(mask: Truth) -> float:
        return float(mask.mean()) if len(mask) else np.nan

    distinct = _distinct(explanation, rows)
    presented = length[distinct][length[distinct] > 0]
    return {
        "presented": float(some.mean()) if denied else np.nan,
        "all_unresponsive": share(good == 0),
        "some_responsive": share(good > 0),
        "all_responsive": share(good == length[some]),
        "n_features": float(presented.mean()) if len(presented) else np.nan,
    }


def responsiveness_by_rank(
    explanation: Explanation, responsiveness: Any, max_rank: int | None = None
) -> Any:
    """For each rank, how often the feature that an explanation puts there helps.

    Parameters
    ----------
    explanation, responsiveness : see `explanation_summary`
    max_rank : int, optional
        The last rank; all features unless given.

    Returns
    -------
    frame with a line a rank: `share` of the people with a feature at that rank for
    whom it is responsive, and `people`, how many these are
    """
    width = len(explanation.feature_names)
    most = width if max_rank is None else min(_whole(max_rank, "max_rank"), width)
    _, works, rows = _listed(explanation, responsiveness, most)
    size = np.abs(np.nan_to_num(explanation.values[rows]))
    order = np.argsort(-size, axis=1, kind="stable")[:, :most]
    there = np.take_along_axis(size, order, axis=1) > 0
    good = np.take_along_axis(works, order, axis=1) & there
    people = there.sum(axis=0)
    share = np.divide(
        good.sum(axis=0), people, out=np.full(most, np.nan), where=people > 0
    )
    ranks = pd.RangeIndex(1, most + 1, name="rank")
    return pd.DataFrame({"share": share, "people": people}, index=ranks)


def _whole(number: Any, name: str) -> int:
    if not isinstance(number, (int, np.integer)) or number < 1:
        raise ValueError(
            f"{name} must be a whole number of at least 1, got {number!r}."
        )
    return int(number)


def _listed(
    explanation: Explanation, responsiveness: Any, top_k: int
) -> tuple[Truth, Truth, Places]:
    """Which features the denied see, which are responsive, and who they are."""
    _whole(top_k, "top_k")
    scores = explanation.values
    other = np.asarray(_values(explanation, responsiveness), dtype=float)
    if other.shape != scores.shape:
        raise ValueError(
            f"responsiveness must have the explanation's shape {scores.shape}, got "
            f"{other.shape}: explain the same rows."
        )
    scored = ~(np.isnan(scores).any(axis=1) | np.isnan(other).any(axis=1))
    rows = np.flatnonzero(~explanation.at_target & scored)
    size = np.abs(scores[rows])
    order = np.argsort(-size, axis=1, kind="stable")[:, :top_k]
    listed = np.zeros(size.shape, dtype=bool)
    np.put_along_axis(listed, order, True, axis=1)
    return listed & (size > 0), other[rows] > 0, rows


def _values(explanation: Explanation, responsiveness: Any) -> Any:
    """Responsiveness in the columns of the explanation."""
    if not isinstance(responsiveness, Explanation):
        return responsiveness
    names = responsiveness.feature_names
    if names == explanation.feature_names:
        return responsiveness.values
    if sorted(names) != sorted(explanation.feature_names):
        raise ValueError(
            f"responsiveness is of other features ({', '.join(names)}) than the "
            f"explanation ({', '.join(explanation.feature_names)})."
        )
    return responsiveness.values[:, [names.index(n) for n in explanation.feature_names]]


def _distinct(explanation: Explanation, rows: Places) -> Places:
    """Among these rows the first of each that are alike."""
    table = as_table(explanation.data)
    columns = [column(table, i).to_numpy()[rows] for i in range(table.shape[1])]
    first, _ = distinct_rows(columns)
    return first
