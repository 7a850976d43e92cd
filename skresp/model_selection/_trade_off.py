"""Selection of the best recourse among models close to the best predictive score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp._text import quote, quote_names
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_number


@dataclass(frozen=True)
class BestRecourse:
    """A rule for `refit=` that chooses the candidate with the best recourse.

    Made by `best_recourse_within`, which describes the rule.

    Parameters
    ----------
    score : str
        The name of the predictive score.
    recourse : str
        The name of the recourse score.
    standard_errors : float
        How far below the best score a candidate may be, in standard errors.
    tolerance : float or None
        How far below the best score a candidate may be; replaces `standard_errors`.
    """

    score: str
    recourse: str
    standard_errors: float
    tolerance: float | None

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the position of the chosen candidate."""
        eligible = self.eligible(cv_results)
        recourse = np.where(eligible, _mean(cv_results, self.recourse), -np.inf)
        recourse = np.where(np.isnan(recourse), -np.inf, recourse)
        if not np.isfinite(recourse).any():
            raise ValueError(
                f"No candidate has both a {quote(self.score)} and a "
                f"{quote(self.recourse)} score that are not NaN. See cv_results_."
            )
        score = np.nan_to_num(_mean(cv_results, self.score), nan=-np.inf)
        # The best recourse; ties by the best score, then by position.
        return int(np.lexsort((-score, -recourse))[0])

    def eligible(self, cv_results: Mapping[str, Any]) -> BoolArray:
        """Return a mask of the candidates that predict well enough."""
        score = _mean(cv_results, self.score)
        scored = ~np.isnan(score) & ~np.isnan(_mean(cv_results, self.recourse))
        if not scored.any():
            return scored
        best = int(np.argmax(np.where(scored, score, -np.inf)))
        tolerance = self.tolerance
        if tolerance is None:
            folds = _folds(cv_results, self.score)
            error = float(cv_results[f"std_test_{self.score}"][best]) / np.sqrt(folds)
            tolerance = self.standard_errors * np.nan_to_num(error)
        return scored & (score >= score[best] - tolerance)


def best_recourse_within(
    standard_errors: float = 1.0,
    *,
    score: str = "auc",
    recourse: str = "recourse",
    tolerance: float | None = None,
) -> BestRecourse:
    """Return a rule that chooses the best recourse among models with a good score.

    Eligible are the candidates whose mean score over the folds is within a tolerance
    of the best one. The rule chooses the eligible candidate with the best recourse.

    Parameters
    ----------
    standard_errors : float, default=1.0
        The tolerance, in standard errors of the best mean score.
    score, recourse : str, default="auc", "recourse"
        The names of the two scores in `scoring=`.
    tolerance : float, optional
        The tolerance in units of the score, instead of `standard_errors`.

    Returns
    -------
    BestRecourse
        A callable to pass as `refit=`.

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
    standard_errors = check_number("standard_errors", standard_errors, 0)
    if tolerance is not None:
        tolerance = check_number("tolerance", tolerance, 0)
    return BestRecourse(score, recourse, standard_errors, tolerance)


def trade_off(cv_results: Mapping[str, Any], rule: BestRecourse | None = None) -> Any:
    """Return the score and the recourse of every candidate of a search.

    Parameters
    ----------
    cv_results : mapping
        `cv_results_` of a search.
    rule : BestRecourse, optional
        Decides which candidates are `eligible` and `chosen`; by default
        `best_recourse_within()`.

    Returns
    -------
    frame with one row per candidate
        The columns are `score`, `score_error`, `recourse`, `recourse_error` (means
        over folds and their standard errors), `eligible`, `chosen` and `params`.
    """
    rule = rule or best_recourse_within()
    columns: dict[str, Any] = {}
    for name, key in (("score", rule.score), ("recourse", rule.recourse)):
        columns[name] = _mean(cv_results, key)
        deviation = np.asarray(cv_results[f"std_test_{key}"], dtype=float)
        columns[f"{name}_error"] = deviation / np.sqrt(_folds(cv_results, key))
    chosen = rule(cv_results)
    columns["eligible"] = rule.eligible(cv_results)
    columns["chosen"] = np.arange(len(columns["score"])) == chosen
    columns["params"] = list(cv_results["params"])
    return pd.DataFrame(columns)


def _mean(cv_results: Mapping[str, Any], name: str) -> FloatArray:
    key = f"mean_test_{name}"
    if key not in cv_results:
        known = [k.removeprefix("mean_test_") for k in cv_results if "mean_test_" in k]
        raise ValueError(
            f"The search has no score {quote(name)}; it has "
            f"{quote_names(known) or 'none'}. Use the names of scoring=, for example "
            f"scoring={{'auc': 'roc_auc', 'recourse': RecourseScorer(...)}}."
        )
    return np.asarray(cv_results[key], dtype=float)


def _folds(cv_results: Mapping[str, Any], name: str) -> int:
    folds = sum(
        k.startswith("split") and k.endswith(f"_test_{name}") for k in cv_results
    )
    return max(folds, 1)
