"""The model with the best recourse among those that predict about as well as any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class BestRecourse:
    """A rule for `refit=`: from the results of a search to the place of its choice.

    See `best_recourse_within`.
    """

    score: str
    recourse: str
    standard_errors: float
    tolerance: float | None

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """The place of the chosen candidate."""
        good = self.eligible(cv_results)
        recourse = np.where(good, _mean(cv_results, self.recourse), -np.inf)
        recourse = np.where(np.isnan(recourse), -np.inf, recourse)
        if not np.isfinite(recourse).any():
            raise ValueError(
                f"No candidate has both a {self.score!r} and a {self.recourse!r} that "
                f"are numbers; see cv_results_."
            )
        score = np.nan_to_num(_mean(cv_results, self.score), nan=-np.inf)
        # The best recourse; of equals the best score; of equals the first.
        return int(np.lexsort((-score, -recourse))[0])

    def eligible(self, cv_results: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Which candidates predict well enough."""
        score = _mean(cv_results, self.score)
        both = ~np.isnan(score) & ~np.isnan(_mean(cv_results, self.recourse))
        if not both.any():
            return both
        top = int(np.argmax(np.where(both, score, -np.inf)))
        room = self.tolerance
        if room is None:
            folds = _folds(cv_results, self.score)
            error = float(cv_results[f"std_test_{self.score}"][top]) / np.sqrt(folds)
            room = self.standard_errors * np.nan_to_num(error)
        return both & (score >= score[top] - room)


def best_recourse_within(
    standard_errors: float = 1.0,
    *,
    score: str = "auc",
    recourse: str = "recourse",
    tolerance: float | None = None,
) -> BestRecourse:
    """Choose the best recourse among the models within so much of the best score.

    Parameters
    ----------
    standard_errors : float, default=1.0
        How many standard errors of the best mean score over the folds a candidate may
        fall behind it.
    score, recourse : str
        What these two are called in `scoring=`.
    tolerance : float, optional
        How far it may fall behind, instead of standard errors.

    Returns
    -------
    callable, to be passed as `refit=`

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skresp import ActionSet
    >>> from skresp.datasets import make_credit
    >>> from skresp.metrics import RecourseScorer
    >>> from skresp.model_selection import best_recourse_within
    >>> credit = make_credit(300, random_state=0)
    >>> X = credit.data[["income", "years_employed", "late_payments"]]
    >>> features = {name: credit.action_set.features[name] for name in X}
    >>> search = GridSearchCV(
    ...     LogisticRegression(max_iter=1000),
    ...     {"C": [1e-6, 1e-3, 1.0]},
    ...     scoring={
    ...         "auc": "roc_auc",
    ...         "recourse": RecourseScorer(ActionSet(features), target=1),
    ...     },
    ...     refit=best_recourse_within(1.0),
    ...     cv=3,
    ... ).fit(X, credit.target)
    >>> sorted(search.best_params_)
    ['C']
    """
    for name, value in (("standard_errors", standard_errors), ("tolerance", tolerance)):
        if value is None and name == "tolerance":
            continue
        number = isinstance(value, (int, float, np.number))
        if not number or isinstance(value, bool) or not value >= 0:  # type: ignore[operator]
            raise ValueError(f"{name} must be a number of at least 0, got {value!r}.")
    return BestRecourse(score, recourse, float(standard_errors), tolerance)


def trade_off(cv_results: Mapping[str, Any], rule: BestRecourse | None = None) -> Any:
    """Score and recourse of every candidate, as a frame.

    Parameters
    ----------
    cv_results : mapping
        `cv_results_` of a search.
    rule : BestRecourse, optional
        What marks the `eligible` and the `chosen`; the default of
        `best_recourse_within` unless given.

    Returns
    -------
    frame with the columns `score`, `score_error`, `recourse`, `recourse_error` (means
    over folds and their standard errors), `eligible`, `chosen` and `params`
    """
    rule = rule or best_recourse_within()
    columns: dict[str, Any] = {}
    for name, key in (("score", rule.score), ("recourse", rule.recourse)):
        columns[name] = _mean(cv_results, key)
        spread = np.asarray(cv_results[f"std_test_{key}"], dtype=float)
        columns[f"{name}_error"] = spread / np.sqrt(_folds(cv_results, key))
    chosen = rule(cv_results)
    columns["eligible"] = rule.eligible(cv_results)
    columns["chosen"] = np.arange(len(columns["score"])) == chosen
    columns["params"] = list(cv_results["params"])
    return pd.DataFrame(columns)


def _mean(cv_results: Mapping[str, Any], name: str) -> NDArray[np.float64]:
    key = f"mean_test_{name}"
    if key not in cv_results:
        there = [k.removeprefix("mean_test_") for k in cv_results if "mean_test_" in k]
        raise ValueError(
            f"The search has no score {name!r}; it has {', '.join(there) or 'none'}. "
            f"Name them as in scoring=, for instance "
            f"scoring={{'auc': 'roc_auc', 'recourse': RecourseScorer(...)}}."
        )
    return np.asarray(cv_results[key], dtype=float)


def _folds(cv_results: Mapping[str, Any], name: str) -> int:
    folds = sum(
        k.startswith("split") and k.endswith(f"_test_{name}") for k in cv_results
    )
    return max(folds, 1)
