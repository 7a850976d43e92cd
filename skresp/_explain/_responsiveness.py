"""The explainer that computes responsiveness scores."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skresp._actions._action_set import ActionSet
from skresp._actions._encoding import check_columns, column_positions, encode
from skresp._dataframe import as_table, snapshot
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._target import make_target_rule
from skresp._text import quote
from skresp._validation import (
    check_choice,
    check_n_jobs,
    check_points,
    check_share,
    check_time_limit,
    is_integer,
    make_generator,
)
from skresp.reach._allowance import allow
from skresp.reach._deadline import Deadline, OutOfTimeError
from skresp.reach._errors import EnumerationError
from skresp.reach._feasible_changes import MAX_LISTED_INTEGERS
from skresp.reach._interventions import check_interventions
from skresp.reach._reachable_set import METHODS, check_valid
from skresp.reach._sampling import MOST_DRAWS
from skresp.scores import sample_size
from skresp.scores._confidence_interval import check_alpha
from skresp.scores._random_effects import RandomEffects
from skresp.scores._score_task import InvalidRowsError
from skresp.scores._scores import Scores, join_run
from skresp.scores._settings import ScoreSettings
from skresp.scores._strategy import max_listed, may_have_lines, points_of_score

from ._base import BaseExplainer
from ._context import ResponsivenessContext, distinct_people, score_rows
from ._explanation import Explanation
from ._progress import progress_bar
from ._row_blocks import compute_blocks
from ._structure_mixin import StructureMixin
from ._verify_mixin import VerifyMixin


class ResponsivenessExplainer(VerifyMixin, StructureMixin, BaseExplainer):
    """Explain predictions by the responsiveness of each feature.

    The responsiveness of a feature for a person is the probability that an
    intervention on the feature leads to the target.

    Parameters
    ----------
    estimator : estimator
        Any model with `predict`: a classifier, a regressor or a Pipeline. `fit(X, y)`
        trains a clone of it; `fit(X)` requires a fitted model and uses it unchanged.
    action_set : ActionSet, optional
        What people can change, in the columns of X. Without one, every feature can
        change between the values in X, and a warning says so: this is rarely what is
        meant.
    target : label, AtLeast or AtMost, optional
        The wanted prediction; by default the last of the model's classes, and a
        warning names it. A regressor requires `AtLeast(value)` or `AtMost(value)`.
    threshold : float, optional
        The target is reached if its probability is at least this, instead of by
        `predict`. Not together with a threshold classifier
        (`FixedThresholdClassifier`, `TunedThresholdClassifierCV`), which has its own.
    interventions : {"minimal", "joint"}, default="minimal"
        Whether other features of a joint constraint keep their values if they can, or
        change freely.
    method : {"auto", "grid", "highs", "sample"}, default="auto"
        "auto" computes scores from all interventions if it can, which is exact, and
        samples otherwise.
    n_samples : int or "auto", default=500
        Points drawn for a sampled score; "auto" draws as many as `half_width`
        requires (see `skresp.scores.sample_size`).
    alpha : float, default=0.05
        The intervals of sampled scores have confidence 1 - alpha.
    half_width : float, default=0.05
        The maximum half width of an interval, with `n_samples="auto"`.
    max_points : int, default=100_000
        The maximum number of points per person: those that `verify` evaluates, and
        those that sampled scores propose, including rejected ones. The features that
        may have to be sampled share them; with fewer draws than `n_samples` the
        interval is wider. A run of the solver counts as 100 points.
    random_effects : mapping or callable, optional
        Random changes that come with an intervention: a mapping from feature to a
        distribution (with scipy's `rvs`) or to a function `(rows, changes, rng)` that
        returns one number per row, or one such function that returns a table. Draws
        that break a constraint or leave the bounds are rejected and drawn again. All
        scores are then sampled.
    invalid_rows : {"raise", "nan"}, default="raise"
        What to do with rows that break a constraint before any change: raise an
        error, or score them NaN.
    missing : {"raise", "hold"}, default="raise"
        What to do with missing values in features that can change: raise an error, or
        keep the feature unchanged for that person.
    random_state : int, RandomState or None
        Makes sampled scores reproducible, independent of row order and of the other
        rows.
    n_jobs : int, optional
        Number of joblib threads.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    estimator_ : estimator
        The model that is explained.
    action_set_ : ActionSet
    target_ : label, AtLeast or AtMost
    structure_ : StructureSummary
        How the model was read: `kind`, `exact_scores`, `certified` and `reason`. Made
        at the first use, which reads the model.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X had column names at fit.

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
    - years: 1 of 2 changes works (score 0.50). Smallest change: raise years from 3 \
to 5; age follows to 32.
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

    def _make_fitted_model(self, input_format: InputFormat, table: Any) -> FittedModel:
        if self.action_set is None:
            warnings.warn(
                "No action_set was given, so every feature may change freely between "
                "the values in X. Pass action_set=ActionSet.infer(X, immutable=[...], "
                "...) to say what people can change.",
                UserWarning,
                stacklevel=3,
            )
            self.action_set_ = ActionSet.infer(table)
        else:
            self.action_set_ = self.action_set
        check_columns(self.action_set_, table)  # an error here, not in explain
        input_format.positions(self.action_set_)
        self._effects()
        self._engine = None
        self._box_engine = None
        self._structure = None
        rule = make_target_rule(self.estimator_, self.target, self.threshold)
        return FittedModel(rule, input_format, self.action_set_)

    def _read_max_listed(self, deadline: Deadline) -> int | None:
        """Read from the model how many changes to list beside exact lines.

        None means that no score is exact along a line. Reading takes time, so the
        model is read only if some feature has a line and the deadline allows it.
        """
        if self.method != "auto" or self.random_effects is not None:
            return None
        if not may_have_lines(self.action_set_):
            return None
        try:
            with allow(deadline):
                known = self._fitted_model.score_function
        except OutOfTimeError:
            return None
        return None if known is None else max_listed(known, self.action_set_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # With missing="raise", features that can change must have a value.
        tags.input_tags.allow_nan &= self.missing == "hold"
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_interventions(self.interventions)
        for name, allowed in (
            ("method", METHODS),
            ("invalid_rows", ("raise", "nan")),
            ("missing", ("raise", "hold")),
        ):
            check_choice(name, getattr(self, name), allowed)
        n = self.n_samples
        if n != "auto" and not (is_integer(n) and int(n) >= 1):
            raise ValueError(
                f"n_samples must be a whole number of at least 1, or 'auto', got "
                f"{quote(n)}."
            )
        check_points(self.max_points, 0)
        check_alpha(self.alpha)
        check_share("half_width", self.half_width)

    def _effects(self) -> RandomEffects | None:
        """Return the random effects, checked against the action set."""
        if self.random_effects is None:
            return None
        effects = RandomEffects(self.random_effects)
        effects.check(self.action_set_)
        return effects

    def _draws(self) -> int:
        """Return the number of draws for a sampled score."""
        if self.n_samples == "auto":
            return sample_size(self.half_width, self.alpha, at="half")
        return int(self.n_samples)

    def explain(self, X: Any, *, time_limit: float | None = None) -> Explanation:
        """Compute the responsiveness of each feature for each row.

        Parameters
        ----------
        X : frame or array
            A frame may have its columns in any order.
        time_limit : float, optional
            Maximum seconds for the call. A sampled score that is cut short has fewer
            draws and a wider interval; a score that was not computed at all is NaN
            with the interval 0 to 1, and a warning counts those.

        Returns
        -------
        Explanation
        """
        if not hasattr(self, "estimator_"):  # check_is_fitted takes 0.5 ms
            check_is_fitted(self, "estimator_")
        check_time_limit(time_limit)
        deadline = Deadline.after(time_limit)
        table = self._fitted_model.input_format.named(as_table(X))
        context = self._make_context(deadline)
        people, which = distinct_people(table)
        try:
            with context.naming_rows(table):
                scores = self._scores(context, people, deadline)
        except (InvalidRowsError, EnumerationError):
            # Rows that break a constraint can be why a list was refused.
            self._raise_for_invalid_rows(context, table)
            raise
        order = self._columns()
        scores = scores.arranged(which, order)
        if not scores.valid.all():
            warnings.warn(
                f"{int((~scores.valid).sum())} of {len(table)} rows break a constraint "
                f"before any change and are scored NaN. ActionSet.check(X) lists them.",
                UserWarning,
                stacklevel=2,
            )
        in_time = True
        if deadline.is_limited:
            late = np.isnan(scores.values) & ~np.isnan(scores.lower)
            in_time = not late.any()
            if not in_time:
                warnings.warn(
                    f"{int(late.sum())} of {late.size} scores were not computed within "
                    f"time_limit={quote(time_limit)} seconds and are NaN, of "
                    f"{int(late.any(axis=1).sum())} of {len(table)} rows. A larger "
                    f"time_limit computes more of them.",
                    UserWarning,
                    stacklevel=2,
                )
        actions = context.actions
        names = [actions.names[k] for k in order]
        positions = column_positions(actions, table)
        return Explanation(
            values=scores.values,
            lower=scores.lower,
            upper=scores.upper,
            exact=scores.exact,
            n_reachable=scores.n_reachable,
            feature_names=names,
            data=snapshot(table),
            at_target=scores.at_target,
            target=self.target_,
            threshold=self.threshold,
            _features={name: actions.features[name] for name in names},
            _columns=[positions[k] for k in order],
            _context=context if in_time else replace(context, in_time=False),
        )

    def _scores(
        self, context: ResponsivenessContext, people: Any, deadline: Deadline
    ) -> Scores:
        """Compute the scores of distinct rows, a block at a time."""
        context.check_rows(people)
        if deadline.is_limited:
            settings = replace(context.settings, deadline=deadline)
            context = replace(context, settings=settings)
        scores = None
        with progress_bar(len(people), "explain", self.verbose) as progress:
            for block, some in compute_blocks(
                score_rows,
                context,
                people,
                n_jobs=self.n_jobs,
                progress=progress,
                at_once=deadline.is_limited,
            ):
                scores = join_run(scores, block, some, len(people))
        assert scores is not None
        return scores

    def _make_context(self, deadline: Deadline) -> ResponsivenessContext:
        """Return the settings of a call, with the model."""
        check_n_jobs(self.n_jobs)
        effects = self._effects()
        points = points_of_score(
            self.action_set_,
            check_points(self.max_points, 0),
            self.method,
            effects is not None,
        )
        draws = min(self._draws(), points)
        if draws > MOST_DRAWS:
            raise ValueError(
                f"n_samples={quote(self.n_samples)} and "
                f"max_points={quote(self.max_points)} ask for {draws:.1e} draws for a "
                f"score, and at most {MOST_DRAWS:,} fit in memory. Lower one of them."
            )
        listed = self._read_max_listed(deadline)
        settings = ScoreSettings(
            self.interventions,
            self.method,
            draws,
            self.alpha,
            self.invalid_rows,
            effects,
            points,
            MAX_LISTED_INTEGERS if listed is None else listed,
        )
        return ResponsivenessContext(
            fitted_model=self._fitted_model,
            settings=settings,
            seed=_seed(self.random_state),
            missing=self.missing,
            uses_lines=listed is not None,
        )

    def _raise_for_invalid_rows(
        self, context: ResponsivenessContext, table: Any
    ) -> None:
        """Raise an error that names the rows of a table that break a constraint."""
        check_valid(
            context.actions,
            table,
            encode(context.actions, table, missing=self.missing),
            "pass invalid_rows='nan' to score them NaN",
        )

    def _columns(self) -> list[int]:
        """Return the positions of the features in the order of the columns at fit."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return list(range(len(self.action_set_.names)))
        return [self.action_set_.names.index(name) for name in names]


def _seed(random_state: Any) -> int:
    """Return the seed of a call."""
    if is_integer(random_state):
        return _seed_of_integer(int(random_state))
    return int(make_generator(random_state).randint(2**31 - 1))


@lru_cache(maxsize=64)
def _seed_of_integer(random_state: int) -> int:
    """Return the seed of a call; to make a generator takes as long as a score."""
    return int(make_generator(random_state).randint(2**31 - 1))
