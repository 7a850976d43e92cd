"""A scorer of models by the recourse of the people they deny."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRequest

from skresp._actions._action_set import ActionSet
from skresp._dataframe import as_table, take_rows
from skresp._explain._responsiveness import ResponsivenessExplainer
from skresp._explain._short_repr import ShortRepr
from skresp._model._predictions import classes_of
from skresp._model._target import default_target, target_warning
from skresp._recourse._status import Proof
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import did_you_mean

from ._groups import group_labels, group_masks
from ._recourse_summary import is_denied

RATES = ("recourse_rate", "single_rate", "mean_responsiveness")
METRICS = (
    *RATES,
    *(f"{rate}_of_denied" for rate in RATES),
    *(f"neg_{rate}_gap" for rate in RATES),
)

Rates = dict[str, float]


class RecourseScorer(ShortRepr):
    """Score a model by the recourse of the people it denies.

    A callable `(estimator, X, y=None)` for `scoring=` of `cross_validate`,
    `GridSearchCV` and similar tools. Higher is better. Reachable sets are computed
    once per process and shared by all candidates and folds.

    Parameters
    ----------
    action_set : ActionSet, optional
        What people can change. Not needed where the estimator is a
        `ResponsivenessExplainer` that has one.
    metric : str or list of str, default="recourse_rate"
        With a list of metrics a call returns a dict, which `scoring=` accepts too.

        - "recourse_rate": 1 - (denied without recourse) / (all rows). People with a
          witness have recourse ("single", "joint" and "possible"); "unknown" counts
          as without recourse.
        - "single_rate": 1 - (denied rows without an intervention on a single
          feature that reaches the target) / (all rows).
        - "mean_responsiveness": mean over all rows of the largest score of the row;
          a row at the target counts as 1.
        - each of these with the suffix "_of_denied": the same among the denied only.
          It rewards a model for denying people with easy recourse. It is 1 if nobody
          is denied.
        - "neg_recourse_rate_gap", "neg_single_rate_gap",
          "neg_mean_responsiveness_gap": minus the difference between the highest and
          the lowest rate of a group.
    target, threshold, interventions
        See `ResponsivenessExplainer`. If the estimator is a
        `ResponsivenessExplainer`, the default is its own setting. Without a target
        the scorer uses the last class and warns once.
    groups : str, optional
        The column of X that defines the groups of the gap metrics. Groups can also be
        passed as metadata, see `set_score_request`.
    max_points : int, default=100_000
        See `ResponsivenessExplainer.verify`.
    random_state : int, default=0
        Seed of sampled scores.

    Notes
    -----
    Rows that break a constraint before any change are left out, and a warning gives
    their number. A feature whose value is missing in a row is kept unchanged for that
    row. If no row is left, the score is NaN.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from skresp.datasets import make_credit
    >>> from skresp.metrics import RecourseScorer
    >>> credit = make_credit(300, random_state=0)
    >>> X = credit.data[["income", "years_employed", "late_payments"]]
    >>> features = {name: credit.action_set.features[name] for name in X}
    >>> scorer = RecourseScorer(ActionSet(features), target=1)
    >>> found = cross_validate(
    ...     LogisticRegression(max_iter=1000),
    ...     X,
    ...     credit.target,
    ...     cv=3,
    ...     scoring={"auc": "roc_auc", "recourse": scorer},
    ... )
    >>> bool((found["test_recourse"] <= 1).all())
    True
    """

    def __init__(
        self,
        action_set: ActionSet | None = None,
        metric: str | Sequence[str] = "recourse_rate",
        target: Any = None,
        *,
        threshold: float | None = None,
        interventions: str | None = None,
        groups: str | None = None,
        max_points: int = 100_000,
        random_state: int = 0,
    ) -> None:
        self.action_set = action_set
        self.metric = metric
        self.target = target
        self.threshold = threshold
        self.interventions = interventions
        self.groups = groups
        self.max_points = max_points
        self.random_state = random_state

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, *, groups: Any = None
    ) -> Any:
        """Return the score of a fitted model on X.

        Parameters
        ----------
        estimator : fitted classifier, regressor or ResponsivenessExplainer
        X : frame or array
        y : ignored
            Present because scikit-learn passes it.
        groups : str or array-like, optional
            A column of X, or one label for each row; by default the scorer's
            `groups`.

        Returns
        -------
        float, or a dict from metric to float if `metric` is a list
        """
        given = [self.metric] if isinstance(self.metric, str) else self.metric
        names = list(given) if isinstance(given, Iterable) else []
        if not names or not all(name in METRICS for name in names):
            raise ValueError(
                f"metric must be one of {', '.join(METRICS)}, or a list of them, got "
                f"{quote(self.metric)}. {did_you_mean(self.metric, METRICS)}".rstrip()
            )
        if groups is None:
            groups = self.groups
        gaps = [name for name in names if name.endswith("_gap")]
        if gaps and groups is None:
            raise ValueError(
                f"metric={quote(gaps[0])} needs groups, got None. Pass "
                f"RecourseScorer(groups=...) with a column of X, or pass groups as "
                f"metadata, see set_score_request."
            )
        outcomes = self._outcomes(estimator, X, names)
        scores = outcomes.rates(np.ones(len(outcomes.valid), dtype=bool))
        if gaps:
            labels = group_labels(groups, X, len(outcomes.valid))
            by_group = [outcomes.rates(rows) for rows in group_masks(labels).values()]
            for name in gaps:
                rate = name.removeprefix("neg_").removesuffix("_gap")
                values = [r[rate] for r in by_group if not np.isnan(r[rate])]
                scores[name] = -(max(values) - min(values)) if values else np.nan
        if isinstance(self.metric, str):
            return scores[self.metric]
        return {name: scores[name] for name in names}

    def by_group(self, estimator: Any, X: Any, groups: Any = None) -> Any:
        """Return all rates of each group, and the numbers of people behind them.

        Parameters
        ----------
        estimator : fitted classifier, regressor or ResponsivenessExplainer
        X : frame or array
        groups : str or array-like, optional
            A column of X, or one label for each row; by default the scorer's
            `groups`.

        Returns
        -------
        frame with one row per group
        """
        groups = self.groups if groups is None else groups
        if groups is None:
            raise ValueError(
                "groups must be a column of X or one label for each row, got None."
            )
        outcomes = self._outcomes(estimator, X, RATES)
        labels = group_labels(groups, X, len(outcomes.valid))
        by_group = {k: outcomes.rates(rows) for k, rows in group_masks(labels).items()}
        return pd.DataFrame.from_dict(by_group, orient="index").rename_axis("group")

    def _outcomes(self, estimator: Any, X: Any, names: Sequence[str]) -> _Outcomes:
        """Verify the rows, and score the denied if a metric needs scores."""
        explainer = self._explainer(estimator, X)
        # Which witness is found matters to none of the rates of all recourse.
        any_witness = all("recourse_rate" in name for name in names)
        verdicts = explainer._verify(X, any_witness=any_witness)
        if any_witness and (verdicts.proof == Proof.CONTRADICTED.label).any():
            verdicts = explainer.verify(X)
        status = verdicts.status
        best = None
        if any("mean_responsiveness" in name for name in names):
            denied = np.flatnonzero(is_denied(status))
            best = np.full(len(status), np.nan)
            if len(denied):
                scores = explainer.explain(take_rows(as_table(X), denied)).values
                best[denied] = scores.max(axis=1)
        invalid = int((status == "invalid").sum())
        if invalid:
            warnings.warn(
                f"{invalid} of {len(status)} rows break a constraint before any change "
                f"and are left out of the score. ActionSet.check(X) lists them.",
                UserWarning,
                stacklevel=3,
            )
        return _Outcomes(status, verdicts.has_witness, best)

    def _explainer(self, estimator: Any, X: Any) -> ResponsivenessExplainer:
        actions, target, threshold = self.action_set, self.target, self.threshold
        interventions = self.interventions
        if isinstance(estimator, ResponsivenessExplainer):
            actions = estimator.action_set_ if actions is None else actions
            target = estimator.target_ if target is None else target
            threshold = estimator.threshold if threshold is None else threshold
            interventions = interventions or estimator.interventions
            estimator = estimator.estimator_
        if target is None:
            target = self._default_target(estimator)
        if actions is None:
            raise ValueError(
                "action_set must be an ActionSet, got None. Pass "
                "RecourseScorer(action_set=...); it can be left out only if the "
                "estimator is a ResponsivenessExplainer."
            )
        explainer = ResponsivenessExplainer(
            FrozenEstimator(estimator),
            actions,
            target=target,
            threshold=threshold,
            interventions=interventions or "minimal",
            max_points=self.max_points,
            invalid_rows="nan",
            missing="hold",
            random_state=self.random_state,
        )
        explainer._checks_answers = False  # `verify` checks those to all rows
        return explainer.fit(X)

    def _default_target(self, estimator: Any) -> Any:
        """Return the last class of a model, and warn once that it is the target."""
        classes = classes_of(estimator)
        if classes is None or not len(classes):
            return None
        target = default_target(classes)
        message = target_warning(target, classes)
        warned = self.__dict__.setdefault("_target_warnings", set())
        if message not in warned:
            warned.add(message)
            warnings.warn(message, UserWarning, stacklevel=5)
        return target

    # -- metadata ---------------------------------------------------------------------

    def set_score_request(self, *, groups: bool | str | None = True) -> RecourseScorer:
        """Request groups as metadata.

        Parameters
        ----------
        groups : bool, str or None, default=True
            Whether to request them, or the name under which they are passed.

        Returns
        -------
        self
        """
        self._groups_request = groups
        return self

    def __sklearn_clone__(self) -> RecourseScorer:
        copy = type(self)(**self.get_params(deep=False))
        copy._groups_request = getattr(self, "_groups_request", None)
        return copy

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that the scorer requests."""
        request = MetadataRequest(owner=type(self).__name__)
        alias = getattr(self, "_groups_request", None)
        request.score.add_request(param="groups", alias=alias)
        return request


class _Outcomes:
    """The verdicts of rows, and largest scores of the denied if a metric needs them."""

    def __init__(
        self,
        status: NDArray[Any],
        has_recourse: BoolArray,
        best_score: FloatArray | None,
    ) -> None:
        self.status, self.has_recourse = status, has_recourse
        self.best_score = best_score
        self.valid = status != "invalid"

    def rates(self, rows: BoolArray) -> Rates:
        """Compute the rates among the rows of a mask."""
        counted = rows & self.valid
        status = self.status[counted]
        denied = is_denied(status)
        gains = {
            "recourse_rate": self.has_recourse[counted],
            "single_rate": status == "single",
        }
        if self.best_score is not None:
            gains["mean_responsiveness"] = np.nan_to_num(self.best_score[counted])
        n_rows, n_denied = len(status), int(denied.sum())
        nobody_denied = 1.0 if n_rows else np.nan
        out: Rates = {}
        for name, gain in gains.items():
            gained = float(gain[denied].sum())
            out[name] = (n_rows - n_denied + gained) / n_rows if n_rows else np.nan
            out[f"{name}_of_denied"] = gained / n_denied if n_denied else nobody_denied
        return out | {
            "n_rows": n_rows,
            "n_denied": n_denied,
            "n_invalid": int((rows & ~self.valid).sum()),
        }
