"""What a model says along a line, where it can be told without asking point by point.

Tree ensembles are constant between cuts; linear models cross a threshold once. Both may
stand behind transformers that map a line to a line.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logit

from skresp.actions import column, is_polars

from ._ensemble import XGBOOST, Ensemble, Floats, ensemble_of, link_of
from ._sweep import Cells, sweep
from ._target import AtLeast, Goal, LabelGoal, ProbabilityGoal, ValueGoal

Truth = NDArray[np.bool_]

# Steps of a pipeline that map a line to a line: they scale, select or pass on numbers.
# Encoders do too where nothing that moves along it reaches them. All of these work
# column by column: what they make of one does not depend on another.
_STRAIGHT = {
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "SimpleImputer",
    "VarianceThreshold",
    "SelectKBest",
    "SelectFromModel",
}
_ENCODERS = {
    "OneHotEncoder",
    "OrdinalEncoder",
    "TargetEncoder",
    "KBinsDiscretizer",
    "Binarizer",
    "PowerTransformer",
    "QuantileTransformer",
}
# How far scores may be off, relative to their size, and probabilities.
_DOUBT, _DOUBT32 = 1e-9, 1e-4
_FLOAT64, _FLOAT32 = 1e-14, 1e-6
# Rows below which nothing can be checked.
_FEWEST_ROWS = 8
_LINEAR = {
    "LogisticRegression",
    "LogisticRegressionCV",
    "LinearSVC",
    "SGDClassifier",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "Perceptron",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "Lasso",
    "LassoCV",
    "ElasticNet",
    "ElasticNetCV",
    "SGDRegressor",
    "LinearSVR",
    "BayesianRidge",
    "HuberRegressor",
}


@dataclass(frozen=True)
class Decision:
    """When scores reach the target: one of them beyond a cut, or above all others.

    `gap` is positive where they do; within `doubt` of 0 the model itself is asked.
    """

    column: int
    cut: float | None
    sign: float
    doubt: float
    rivals: int = 1  # other classes, where there is no cut
    least: float = 0.0  # doubt at least: a probability rounds, its logit jumps

    def gap(self, scores: Floats) -> Floats:
        """How far the scores are on the good side."""
        mine = scores[:, self.column]
        if self.cut is not None:
            return self.sign * (mine - self.cut)
        others = np.delete(scores, self.column, axis=1)
        return mine - others.max(axis=1)

    def gaps(self, scores: Floats) -> Floats:
        """How far the target is ahead of each rival, the cut being left out.

        `offset` is what to take off then: all gaps are positive where it is reached.
        """
        mine = self.sign * scores[:, [self.column]]
        if self.cut is not None:
            return mine
        return mine - np.delete(scores, self.column, axis=1)

    @property
    def offset(self) -> float:
        """The cut, on the side of the gaps."""
        return 0.0 if self.cut is None else self.sign * self.cut

    def unsure(self, scores: Floats) -> Truth:
        """Where rounding could decide."""
        size = np.maximum(1.0, np.abs(scores).max(axis=1))
        return np.abs(self.gap(scores)) <= np.maximum(self.doubt * size, self.least)

    @property
    def tolerance(self) -> float:
        """A gap within this of 0 is in doubt, whatever the scores."""
        size = 10.0 if self.cut is None else abs(self.cut)
        return max(self.doubt * max(1.0, size), self.least)


class Along(Protocol):
    """A model that can be told along lines."""

    @property
    def decision(self) -> Decision | None:
        """When its scores reach the target; None where only `predict` knows."""

    def cells(self, A: Any, B: Any, low: Floats, high: Floats) -> Cells | None:
        """The pieces of the lines from the rows of A to those of B; None for none."""


@dataclass(frozen=True)
class TreesAlong:
    """A tree ensemble, with the steps before it."""

    steps: tuple[Any, ...]
    ensemble: Ensemble
    decision: Decision | None

    def numbers(self, rows: Any) -> Floats | None:
        """Rows as the trees get them; None where they are no plain numbers."""
        return _numbers(self.steps, rows)

    def cells(self, A: Any, B: Any, low: Floats, high: Floats) -> Cells | None:
        ends = self.numbers(A), self.numbers(B)
        if ends[0] is None or ends[1] is None:
            return None
        rate = (ends[1] - ends[0]) / (high - low)[:, None]
        rate[np.isnan(rate)] = 0.0  # what is missing stays missing
        start = ends[0] - rate * low[:, None]
        return sweep(self.ensemble, start, rate, low, high)


@dataclass(frozen=True)
class LinearAlong:
    """A linear model, with the steps before it."""

    model: Any
    decision: Decision

    def scores(self, rows: Any) -> Floats:
        """The scores of rows, one column each."""
        return _scores(self.model, rows)

    def cells(self, A: Any, B: Any, low: Floats, high: Floats) -> Cells | None:
        a, b = self.scores(A), self.scores(B)
        pairs = self._differences(a), self._differences(b)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = pairs[0] / (pairs[0] - pairs[1])
        cuts = low[:, None] + share * (high - low)[:, None]
        cuts = np.where((share > 0) & (share < 1), cuts, high[:, None])
        edges = np.sort(np.column_stack([low, cuts, high]), axis=1)
        line = np.repeat(np.arange(len(low)), edges.shape[1] - 1)
        first, last = edges[:, :-1].ravel(), edges[:, 1:].ravel()
        some = last > first
        line, first, last = line[some], first[some], last[some]
        middle = ((first + last) / 2 - low[line]) / (high - low)[line]
        scores = a[line] + (b - a)[line] * middle[:, None]
        return Cells(line, first, last, scores)

    def _differences(self, scores: Floats) -> Floats:
        column, cut = self.decision.column, self.decision.cut
        if cut is not None:
            return scores[:, [column]] - cut
        return scores[:, [column]] - np.delete(scores, column, axis=1)


def along_of(goal: Goal, rows: Any, moving: Collection[str]) -> Along | None:
    """How to tell a model along lines; None where it has to be asked point by point.

    `rows` are rows in the model's dress, many and mixed, on which everything is
    checked; `moving` names the numeric columns that may move.
    """
    outer = goal.model  # type: ignore[attr-defined]
    steps, final, inner, rule = _unwrapped(outer, moving)
    if steps is None or len(rows) < _FEWEST_ROWS:
        return None
    library = type(final).__module__.split(".")[0]
    if library == "sklearn" and type(final).__name__ in _LINEAR:
        link = "logit" if _has_logits(final) else "margin"
        if not hasattr(final, "classes_"):
            link = "identity"
        scores = _scores(inner, rows)
        doubt = _doubt(inner, rows)
        decision = _decision(goal, scores, doubt, link, rule)
        if decision is None or not _confirmed(decision, goal, scores, rows):
            return None
        return LinearAlong(inner, decision)
    numbers = _numbers(steps, rows)
    if numbers is None:
        return None
    ensemble = ensemble_of(final, _dressed(steps, rows))
    if ensemble is None:
        return None
    doubt = _DOUBT32 if ensemble.rule == XGBOOST else _DOUBT
    sums = ensemble.sums(numbers)
    known = link_of(final)
    decision = None if known is None else _decision(goal, sums, doubt, known, rule)
    if decision is not None and not _confirmed(decision, goal, sums, rows):
        decision = None  # the model decides in a way of its own: ask it, piece by piece
    return TreesAlong(tuple(steps), ensemble, decision)


@dataclass(frozen=True)
class Rule:
    """The rule of a wrapper that says one label from a threshold on, else the other."""

    threshold: float
    of_probability: bool
    positive: Any

    @classmethod
    def of(cls, model: Any) -> Rule:
        """The rule of a FixedThresholdClassifier or TunedThresholdClassifierCV."""
        inner = getattr(model, "estimator_", model.estimator)
        method = model.response_method
        if method == "auto":
            known = hasattr(inner, "predict_proba")
            method = "predict_proba" if known else "decision_function"
        threshold = getattr(model, "best_threshold_", None)
        if threshold is None:
            threshold = model.threshold
        if threshold == "auto":
            threshold = 0.5 if method == "predict_proba" else 0.0
        positive = getattr(model, "pos_label", None)
        if positive is None:
            positive = model.classes_[1]
        return cls(float(threshold), method == "predict_proba", positive)


def _unwrapped(
    model: Any, moving: Collection[str]
) -> tuple[list[Any] | None, Any, Any, Rule | None]:
    """The steps before the final estimator, the final one, what tells its scores, and
    the rule of a wrapper that has one of its own.

    Of several such wrappers only the outermost one decides.
    """
    steps: list[Any] = []
    rule = None
    inner = model
    while True:
        name = type(model).__name__
        if name == "FrozenEstimator":
            model = model.estimator
        elif name in ("FixedThresholdClassifier", "TunedThresholdClassifierCV"):
            rule = rule or Rule.of(model)
            model = getattr(model, "estimator_", model.estimator)
            if not steps:
                inner = model
        elif name in ("GridSearchCV", "RandomizedSearchCV"):
            model = model.best_estimator_
        elif name == "Pipeline":
            before = [step for _, step in model.steps[:-1]]
            before = [s for s in before if s is not None and s != "passthrough"]
            for step in before:
                # Only what comes first sees the columns under their own names.
                if not _is_straight(step, moving, raw=not steps):
                    return None, model, inner, rule
                steps.append(step)
            model = model.steps[-1][1]
        else:
            return steps, model, inner, rule


def _is_straight(step: Any, here: Collection[str], raw: bool = False) -> bool:
    """Whether a step maps lines to lines; `here` are the moving columns it gets.

    `raw` tells that the columns have their own names there.
    """
    if step is None or isinstance(step, str):
        return step in (None, "passthrough", "drop")
    if type(step).__module__.split(".")[0] != "sklearn":
        return False  # a namesake
    name = type(step).__name__
    if name == "ColumnTransformer":
        return all(
            _is_straight(inner, _among(step, columns, here) if raw else here)
            for _, inner, columns in step.transformers_
        )
    if name == "Pipeline":
        return all(_is_straight(inner, here) for _, inner in step.steps)
    if name == "FunctionTransformer":
        return step.func is None
    if name in _ENCODERS:
        return not here  # they jump where a number moves
    if name == "SimpleImputer" and not pd.isna(step.missing_values):
        return False  # a number that stands for what is missing
    return name in _STRAIGHT and not getattr(step, "clip", False)


def _among(step: Any, columns: Any, moving: Collection[str]) -> Collection[str]:
    """The moving ones of a ColumnTransformer's columns; all where that is unclear."""
    known = getattr(step, "feature_names_in_", None)
    if isinstance(columns, str):
        columns = [columns]
    if known is None or isinstance(columns, slice) or callable(columns):
        return moving
    array = np.asarray(columns)
    if not len(array):
        return []
    names = array if array.dtype.kind in "OUT" else np.asarray(known)[array]
    return [name for name in names if name in moving]


def _dressed(steps: Any, rows: Any) -> Any:
    """The rows as the final estimator gets them."""
    for step in steps:
        rows = step.transform(rows)
    return rows


def _numbers(steps: Any, rows: Any) -> Floats | None:
    """The same as an array; None where they are no plain numbers."""
    table = _dressed(steps, rows)
    if hasattr(table, "toarray"):
        table = table.toarray()
    if is_polars(table):
        columns = [column(table, i) for i in range(table.shape[1])]
        table = pd.concat(columns, axis=1)
    kinds = getattr(table, "dtypes", None)
    if kinds is not None and not all(getattr(k, "kind", "O") in "buif" for k in kinds):
        return None
    if isinstance(table, pd.DataFrame):
        return table.to_numpy(dtype=float, na_value=np.nan)
    array = np.asarray(table)
    return array.astype(float) if array.dtype.kind in "buif" else None


def _doubt(model: Any, rows: Any) -> float:
    """How far a linear model's scores may be off: some are computed in float32."""
    ask = getattr(model, "decision_function", None) or model.predict
    single = np.asarray(ask(rows)).dtype.itemsize < 8
    return _DOUBT32 if single else _DOUBT


def _scores(model: Any, rows: Any) -> Floats:
    ask = getattr(model, "decision_function", None) or model.predict
    array = np.asarray(ask(rows), dtype=float)
    return array[:, None] if array.ndim == 1 else array


def _has_logits(model: Any) -> bool:
    return type(model).__name__ in ("LogisticRegression", "LogisticRegressionCV")


def _decision(
    goal: Goal, scores: Floats, doubt: float, link: str, rule: Rule | None
) -> Decision | None:
    width = scores.shape[1]
    if isinstance(goal, ValueGoal):
        if width != 1 or link != "identity":
            return None
        sign = 1.0 if isinstance(goal.target, AtLeast) else -1.0
        return Decision(0, goal.target.value, sign, doubt)
    if not isinstance(goal, (LabelGoal, ProbabilityGoal)) or link == "identity":
        return None
    classes = getattr(goal.model, "classes_", None)
    if classes is None:
        return None
    place = int(np.flatnonzero(np.asarray(classes) == goal.target)[0])
    if isinstance(goal, LabelGoal):
        if rule is not None:
            return _ruled(goal, rule, np.asarray(classes), width, link, doubt)
        if width == 1 and len(classes) == 2:
            return Decision(0, 0.0, 1.0 if place == 1 else -1.0, doubt)
        several = width == len(classes) > 1
        rivals = len(classes) - 1
        return Decision(place, None, 1.0, doubt, rivals) if several else None
    return _beyond(goal.threshold, place, len(classes), width, link, doubt)


def _beyond(
    threshold: float, place: int, classes: int, width: int, link: str, doubt: float
) -> Decision | None:
    """The probability of the class at a place is at least a threshold."""
    if width == 1 and classes == 2 and link == "logit" and 0 < threshold < 1:
        sign = 1.0 if place == 1 else -1.0
        rounding = _FLOAT32 if doubt > _DOUBT else _FLOAT64
        least = rounding / (threshold * (1.0 - threshold))
        return Decision(0, sign * float(logit(threshold)), sign, doubt, 1, least)
    if width == classes and link == "probability":
        return Decision(place, threshold, 1.0, doubt)
    return None


def _ruled(
    goal: LabelGoal, rule: Rule, classes: Any, width: int, link: str, doubt: float
) -> Decision | None:
    """The label that a wrapper's own rule says."""
    if len(classes) != 2:
        return None
    place = int(np.flatnonzero(classes == rule.positive)[0])
    if rule.of_probability:
        found = _beyond(rule.threshold, place, 2, width, link, doubt)
    elif width == 1:
        sign = 1.0 if place == 1 else -1.0
        found = Decision(0, sign * rule.threshold, sign, doubt)
    else:
        found = None
    if found is None or goal.target == rule.positive:
        return found
    # The other label is said below the threshold.
    return replace(found, sign=-found.sign)


def _confirmed(decision: Decision, goal: Goal, scores: Floats, rows: Any) -> bool:
    """Whether the decision is the model's, on these rows."""
    sure = ~decision.unsure(scores)
    return bool((goal.reached(rows) == (decision.gap(scores) > 0))[sure].all())
