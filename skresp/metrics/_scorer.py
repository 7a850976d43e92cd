"""Recourse as a score for choosing models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRequest

from skresp.actions import ActionSet, as_table, spread
from skresp.explain import ResponsivenessExplainer
from skresp.scores import target_warning

from ._rates import by_label, group_labels

RATES = ("recourse_rate", "single_rate", "mean_responsiveness")
METRICS = (
    *RATES,
    *(f"{rate}_of_denied" for rate in RATES),
    *(f"neg_{rate}_gap" for rate in RATES),
)

Rates = dict[str, float]


class RecourseScorer(BaseEstimator):
    """A scorer: how good a way back a model leaves to the people of X.

    A callable `(estimator, X, y=None)` for `scoring=` of `cross_validate`,
    `GridSearchCV` and their kin. Higher is better. Reachable sets are made once in a
    process and shared by all candidates and folds.

    Parameters
    ----------
    action_set : ActionSet, optional
        What people can change. Not needed where the estimator is a
        `ResponsivenessExplainer` that has one.
    metric : str or list of str, default="recourse_rate"
        With a list a call returns a dict, which `scoring=` takes too.

        - "recourse_rate": 1 - (denied without recourse) / (all rows). Whoever has a
          witness has recourse ("single", "joint" and "possible"); "unknown" counts as
          without.
        - "single_rate": 1 - (denied whom no intervention on one feature helps) / (all
          rows).
        - "mean_responsiveness": the mean over all rows of their largest score; who is
          at the target counts 1.
        - each with "_of_denied": the same among the denied only, which rewards a model
          for denying people who could easily come back. Where nobody is denied it
          is 1: nobody is left without.
        - "neg_recourse_rate_gap" and its kin: minus the difference between the group
          with the highest and the one with the lowest rate.
    target, threshold, interventions : see `ResponsivenessExplainer`
        Where the estimator is one, its own unless given. Without a target the scorer
        warns once which class it takes.
    groups : str, optional
        A column of X that the gaps are between. Groups can also be passed as metadata,
        see `set_score_request`.
    max_points : int, default=100_000
        See `ResponsivenessExplainer.verify`.
    random_state : int, default=0
        For scores that are sampled.

    Notes
    -----
    Rows that break a constraint as they stand are left out and a warning tells how
    many; missing values in features that can change keep these as they are. With no
    row left the score is NaN.

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
        """The score of a fitted model on X; y plays no part."""
        names = [self.metric] if isinstance(self.metric, str) else list(self.metric)
        for name in names or ["[]"]:
            if name not in METRICS:
                raise ValueError(
                    f"metric must be one of {', '.join(METRICS)}, or a list of them, "
                    f"got {name!r}."
                )
        if groups is None:
            groups = self.groups
        gaps = [name for name in names if name.endswith("_gap")]
        if gaps and groups is None:
            raise ValueError(
                f"metric={gaps[0]!r} needs groups: pass groups='a column of X', or "
                f"groups as metadata, with set_score_request(groups=True)."
            )
        worth = self._worth(estimator, X, names)
        found = worth.rates(np.ones(len(worth.valid), dtype=bool))
        if gaps:
            labels = group_labels(groups, X, len(worth.valid))
            lines = [worth.rates(which) for which in by_label(labels).values()]
            for name in gaps:
                rate = name.removeprefix("neg_").removesuffix("_gap")
                values = [line[rate] for line in lines if not np.isnan(line[rate])]
                found[name] = -(max(values) - min(values)) if values else np.nan
        if isinstance(self.metric, str):
            return found[self.metric]
        return {name: found[name] for name in names}

    def by_group(self, estimator: Any, X: Any, groups: Any = None) -> Any:
        """All rates of each group, and how many people they are of, as a frame.

        `groups` is a column of X or one label a row; the scorer's own unless given.
        """
        groups = self.groups if groups is None else groups
        if groups is None:
            raise ValueError(
                "groups is not given: pass a column of X or one label a row."
            )
        worth = self._worth(estimator, X, RATES)
        labels = group_labels(groups, X, len(worth.valid))
        lines = {k: worth.rates(which) for k, which in by_label(labels).items()}
        return pd.DataFrame.from_dict(lines, orient="index").rename_axis("group")

    def _worth(self, estimator: Any, X: Any, names: Sequence[str]) -> _Worth:
        explainer = self._explainer(estimator, X)
        verdicts = explainer.verify(X)
        status = verdicts.status
        best = None
        if any("mean_responsiveness" in name for name in names):
            valid = np.flatnonzero(status != "invalid")
            best = np.full(len(status), np.nan)
            if len(valid):
                scores = explainer.explain(spread(as_table(X), valid)).values
                best[valid] = scores.max(axis=1)
        invalid = int((status == "invalid").sum())
        if invalid:
            warnings.warn(
                f"{invalid} of {len(status)} rows break a constraint as they stand and "
                f"are left out of the score; see ActionSet.check(X).",
                UserWarning,
                stacklevel=3,
            )
        return _Worth(status, verdicts.has_witness, best)

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
                "action_set is None: pass RecourseScorer(action_set=...), which says "
                "what people can change; only a ResponsivenessExplainer brings its own."
            )
        return ResponsivenessExplainer(
            FrozenEstimator(estimator),
            actions,
            target=target,
            threshold=threshold,
            interventions=interventions or "minimal",
            max_points=self.max_points,
            invalid_rows="nan",
            missing="hold",
            random_state=self.random_state,
        ).fit(X)

    def _default_target(self, estimator: Any) -> Any:
        """Return the last class of a model, and warn once that it is taken."""
        classes = getattr(estimator, "classes_", None)
        if classes is None or not len(classes):
            return None
        target = classes[-1]
        message = target_warning(target, classes)
        named = self.__dict__.setdefault("_targets_named", set())
        if message not in named:
            named.add(message)
            warnings.warn(message, UserWarning, stacklevel=5)
        return target

    # -- metadata ---------------------------------------------------------------------

    def set_score_request(self, *, groups: bool | str | None = True) -> RecourseScorer:
        """Ask for groups as metadata, by their name or by an alias."""
        self._groups_request = groups
        return self

    def __sklearn_clone__(self) -> RecourseScorer:
        copy = type(self)(**self.get_params(deep=False))
        copy._groups_request = getattr(self, "_groups_request", None)
        return copy

    def get_metadata_routing(self) -> MetadataRequest:
        """Which metadata the scorer asks for."""
        request = MetadataRequest(owner=type(self).__name__)
        asked = getattr(self, "_groups_request", None)
        request.score.add_request(param="groups", alias=asked)
        return request


class _Worth:
    """Verdicts of rows, and their largest scores where those are asked for."""

    def __init__(
        self,
        status: NDArray[Any],
        has_way: NDArray[np.bool_],
        best: NDArray[np.float64] | None,
    ) -> None:
        self.status, self.has_way, self.best = status, has_way, best
        self.valid = status != "invalid"

    def rates(self, rows: NDArray[np.bool_]) -> Rates:
        """The rates among these rows."""
        some = rows & self.valid
        status = self.status[some]
        denied = status != "approved"
        good = {
            "recourse_rate": self.has_way[some],
            "single_rate": status == "single",
        }
        if self.best is not None:
            good["mean_responsiveness"] = np.nan_to_num(self.best[some])
        n, many = len(status), int(denied.sum())
        out: Rates = {}
        for name, worth in good.items():
            gained = float(worth[denied].sum())
            out[name] = (n - many + gained) / n if n else np.nan
            out[f"{name}_of_denied"] = gained / many if many else (1.0 if n else np.nan)
        return out | {
            "n_rows": n,
            "n_denied": many,
            "n_invalid": int((rows & ~self.valid).sum()),
        }
