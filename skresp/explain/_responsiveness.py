"""The explainer: responsiveness of every feature for every person."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skresp.actions import (
    ActionSet,
    as_table,
    check_columns,
    encode,
    kept,
    spread,
)
from skresp.reach import METHODS, Deadline, check_interventions, check_valid
from skresp.scores import (
    Dress,
    Question,
    RandomEffects,
    Wardrobe,
    along_of,
    make_goal,
    points_of_score,
    sample_size,
    score,
)

from ._base import BaseExplainer
from ._coded import Plain
from ._explanation import Explanation
from ._limits import check_max_points, check_time_limit
from ._progress import Progress
from ._source import Source
from ._verifier import Verifier


class ResponsivenessExplainer(Verifier, BaseExplainer):
    """How likely an intervention on each feature is to bring the wanted prediction.

    Parameters
    ----------
    estimator : model
        Anything with `predict`: a classifier, a regressor, a Pipeline. `fit(X, y)`
        trains a clone of it; `fit(X)` takes it as it is, fitted.
    action_set : ActionSet, optional
        What people can change, in the columns of X. Without one, every feature can
        change between the values seen in X, which is rarely what is meant: a warning
        says so.
    target : label, AtLeast or AtMost, optional
        The wanted prediction; the last of the model's classes unless given, and a
        warning names it. A regressor needs `AtLeast(value)` or `AtMost(value)`.
    threshold : float, optional
        The target is reached where its probability is at least this, instead of
        where `predict` says so. Not together with a threshold classifier
        (`FixedThresholdClassifier`, `TunedThresholdClassifierCV`), which has its own.
    interventions : {"minimal", "joint"}, default="minimal"
        Whether features tied to the one that changes stay put where they can, or
        move freely.
    method : {"auto", "grid", "highs", "sample"}, default="auto"
        "auto" goes through all interventions where it can, which is exact, and
        samples where it cannot.
    n_samples : int or "auto", default=500
        Points drawn for a score that is sampled; "auto" draws as many as `half_width`
        takes (see `skresp.scores.sample_size`).
    alpha : float, default=0.05
        Sampled scores come with an interval of confidence 1 - alpha.
    half_width : float, default=0.05
        With `n_samples="auto"`: half the width that the interval may have at most.
    max_points : int, default=100_000
        The most points to go through for one person: those that `verify` evaluates,
        and those that sampled scores propose, rejected ones included. The features
        that may have to be sampled share them; with fewer draws than `n_samples` the
        interval is wider. A run of the solver counts as 100 points.
    random_effects : mapping or callable, optional
        What changes by chance along with an intervention: a mapping from feature to a
        distribution (with scipy's `rvs`) or to a function `(rows, changes, rng)` that
        returns a number a row, or one such function that returns a table. Reached
        points still obey every constraint, and noise keeps values within their
        bounds: other draws are rejected and drawn again. All scores are then sampled.
    invalid_rows : {"raise", "nan"}, default="raise"
        What to do with rows that break a constraint as they stand.
    missing : {"raise", "hold"}, default="raise"
        What to do with missing values in features that can change: refuse them, or
        keep the feature as it is for that person.
    random_state : int, RandomState or None
        Sampled scores depend on it, on the person and on the feature, on nothing else.
    n_jobs : int, optional
        Threads, through joblib.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    estimator_ : the model that is explained
    action_set_ : ActionSet
    target_ : the target, default filled in
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
    >>> from skresp.constraints import Linkage
    >>> X = pd.DataFrame({"years": [0, 3, 5, 7], "age": [20, 30, 32, 40]})
    >>> model = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    >>> actions = ActionSet.infer(
    ...     X,
    ...     features={
    ...         "years": Feature("integer", direction="increase", max_increase=2),
    ...         "age": Feature("integer", actionable=False),
    ...     },
    ...     constraints=[Linkage("years", {"age": 1})],
    ... )
    >>> explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    >>> explainer = explainer.fit(X)
    >>> explanation = explainer.explain(X[:2])
    >>> explanation.values
    array([[0. , 0. ],
           [0.5, 0. ]])
    >>> print(explanation.describe(1))
    Predicted 0; the target is 1.
    - years: 1 of 2 changes work (score 0.50). Least change: raise years from 3 to 5; \
age follows to 32.
    """

    def __init__(
        self,
        estimator: Any,
        action_set: ActionSet | None = None,
        *,
        target: Any = None,
        threshold: float | None = None,
        interventions: str = "minimal",
        method: str = "auto",
        n_samples: int | str = 500,
        alpha: float = 0.05,
        half_width: float = 0.05,
        max_points: int = 100_000,
        random_effects: Any = None,
        invalid_rows: str = "raise",
        missing: str = "raise",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.action_set = action_set
        self.target = target
        self.threshold = threshold
        self.interventions = interventions
        self.method = method
        self.n_samples = n_samples
        self.alpha = alpha
        self.half_width = half_width
        self.max_points = max_points
        self.random_effects = random_effects
        self.invalid_rows = invalid_rows
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, **params: Any) -> ResponsivenessExplainer:
        """Fit the model, or take it as it is where `y` is left out.

        Parameters
        ----------
        X : frame or array
            Rows like those the model was fitted on.
        y : labels, optional
        **params : passed to the model's fit
        """
        self._check_parameters()
        self._fit_model(X, y, params)
        table = as_table(X)
        if self.action_set is None:
            warnings.warn(
                "No action_set was given: every feature is taken to change freely "
                "between the values seen in X. Pass action_set=ActionSet.infer(X, "
                "immutable=[...], ...) to say what people can change.",
                UserWarning,
                stacklevel=2,
            )
            self.action_set_ = ActionSet.infer(table)
        else:
            self.action_set_ = self.action_set
        check_columns(self.action_set_, table)  # an error here, not in explain
        self.dress_ = Dress.of(self.estimator_, table, trained=y is not None)
        self.dress_.places(self.action_set_)
        self._effects()
        self.goal_ = make_goal(self.estimator_, self.target, self.threshold)
        self.target_ = self.goal_.target
        self._warn_of_target()
        self._check_model_answers(table, self.action_set_)
        some = np.linspace(0, len(table) - 1, 64 if len(table) else 0)
        self.probe_ = Plain.of(self.dress_, spread(table, some.astype(np.intp)))
        self.along_ = self._along() if self.method == "auto" else None
        self._engine: Any = None
        return self

    def _along(self) -> Any:
        """What the model says along lines, found out on rows of the fit.

        Only where some feature has a line: it takes reading the model.
        """
        actions = self.action_set_
        lines = [
            f
            for f in actions.features.values()
            if f.actionable
            and (
                f.kind == "real"
                or (f.kind == "integer" and f.bounds[1] - f.bounds[0] > 100)
            )
        ]
        if (
            not lines
            or self.random_effects is not None
            or not len(self.probe_.columns[0])
        ):
            return None
        targets = {target for _, target in actions.effects}
        moving = {
            name
            for name, f in actions.features.items()
            if f.kind != "categorical" and (f.can_change or name in targets)
        }
        return along_of(self.goal_, self._mixed_rows(), moving)

    def _mixed_rows(self) -> Any:
        """Rows in the model's dress on which is checked what is known of it."""
        rows = self.probe_.frame()
        table = rows if self.dress_.has_names else rows.to_numpy()
        return Wardrobe(self.dress_, self.action_set_, table).mixed()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Missing values in features that can change are refused unless held.
        tags.input_tags.allow_nan &= self.missing == "hold"
        return tags

    def _check_parameters(self) -> None:
        if self.action_set is not None and not isinstance(self.action_set, ActionSet):
            raise TypeError(
                f"action_set must be an ActionSet or None, got {self.action_set!r}. "
                f"Make one with ActionSet.infer(X, ...) or ActionSet.from_file(path)."
            )
        check_interventions(self.interventions)
        for name, allowed in (
            ("method", METHODS),
            ("invalid_rows", ("raise", "nan")),
            ("missing", ("raise", "hold")),
        ):
            value = getattr(self, name)
            if value not in allowed:
                raise ValueError(
                    f"{name} must be one of {', '.join(map(repr, allowed))}, got "
                    f"{value!r}."
                )
        whole = isinstance(self.n_samples, (int, np.integer))
        if self.n_samples != "auto" and not (whole and self.n_samples >= 1):  # type: ignore[operator]
            raise ValueError(
                f"n_samples must be a whole number of at least 1, or 'auto', got "
                f"{self.n_samples!r}."
            )
        check_max_points(self.max_points)
        if not isinstance(self.alpha, Real) or not 0 < self.alpha < 1:
            raise ValueError(
                f"alpha must be a number between 0 and 1, got {self.alpha!r}."
            )
        if self.n_samples == "auto":
            self._draws()  # refuses a half width that makes no sense

    def _effects(self) -> RandomEffects | None:
        if self.random_effects is None:
            return None
        effects = RandomEffects(self.random_effects)
        effects.check(self.action_set_)
        return effects

    def _draws(self) -> int:
        if self.n_samples == "auto":
            return sample_size(self.half_width, self.alpha, at="half")
        return int(self.n_samples)

    def explain(self, X: Any, *, time_limit: float | None = None) -> Explanation:
        """The responsiveness of each feature for each row.

        Parameters
        ----------
        X : frame or array
            A frame may have its columns in any order.
        time_limit : float, optional
            Seconds that the call may take. A sampled score that is cut short has
            fewer draws and a wider interval; a score that nothing was computed for
            is NaN between 0 and 1, and a warning counts those.

        Returns
        -------
        Explanation
        """
        if not hasattr(self, "estimator_"):  # the check itself costs half a millisecond
            check_is_fitted(self, "estimator_")
        check_time_limit(time_limit)
        deadline = Deadline.after(time_limit)
        table = self.dress_.named(as_table(X))
        source = self._source()
        people, which = source.people(table)
        try:
            codes = source.codes(people)
            scores = score(
                source.door(people, deadline),
                source.actions,
                codes,
                cache(lambda: source.keys(people)),
                replace(source.question, deadline=deadline),
                n_jobs=self.n_jobs,
                progress=Progress(len(codes), "explain", self.verbose),
                shown=bool(self.verbose),
            )
        except ValueError:
            self._name_invalid(source, table)
            raise
        order = self._columns()
        scores = scores.arranged(which, order)
        if not scores.valid.all():
            warnings.warn(
                f"{int((~scores.valid).sum())} of {len(table)} rows break a constraint "
                f"as they stand and are scored NaN; see ActionSet.check(X).",
                UserWarning,
                stacklevel=2,
            )
        late = np.isnan(scores.values) & ~np.isnan(scores.lower)
        if late.any():
            warnings.warn(
                f"{int(late.sum())} of {late.size} scores were not computed within "
                f"time_limit={time_limit!r} seconds and are NaN, of "
                f"{int(late.any(axis=1).sum())} of {len(table)} rows. A larger "
                f"time_limit computes more of them.",
                UserWarning,
                stacklevel=2,
            )
        return Explanation(
            scores.values,
            scores.lower,
            scores.upper,
            scores.exact,
            scores.n_reachable,
            [source.actions.names[k] for k in order],
            kept(table),
            scores.at_target,
            self.target_,
            self.threshold,
            source,
            scores.book,
        )

    def _source(self) -> Source:
        effects = self._effects()
        points = points_of_score(
            self.action_set_, int(self.max_points), self.method, effects is not None
        )
        return Source(
            self.action_set_,
            self.dress_,
            self.goal_,
            Question(
                self.interventions,
                self.method,
                min(self._draws(), points),
                self.alpha,
                self.invalid_rows,
                effects,
                points,
            ),
            int(check_random_state(self.random_state).randint(2**31 - 1)),
            self.missing,
            self.along_,
        )

    def _name_invalid(self, source: Source, table: Any) -> None:
        """Raise once more with all rows as they were given, so that it names them."""
        check_valid(
            source.actions,
            table,
            encode(source.actions, table, missing=self.missing),
            "pass invalid_rows='nan' to score them NaN",
        )

    def _columns(self) -> list[int]:
        """The features in the order of the columns at fit."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return list(range(len(self.action_set_.names)))
        return [self.action_set_.names.index(name) for name in names]
