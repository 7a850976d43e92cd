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

from skresp.actions import column, is_polars

from ._answers import model_scores, predicts_differently
from ._decision import DOUBT, DOUBT32, Decision, Rule, decision_of, is_confirmed
from ._ensemble import XGBOOST, Ensemble, Floats, dense, ensemble_of, link_of
from ._sweep import Cells, Places, sweep
from ._target import Goal
from ._weights import Weights

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
# Roundings, each of half a unit in the last place, between a value and its border.
ROUNDINGS = 16
# Rows below which nothing can be checked.
_FEWEST_ROWS = 8
# Linear models whose probability is the logistic function of their score.
_LOGITS = {"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"}
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
    "ARDRegression",
    "Lars",
    "LarsCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "OrthogonalMatchingPursuit",
    "QuantileRegressor",
    "TheilSenRegressor",
}


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
        return _numbers(self.steps, rows, self.ensemble.rule == XGBOOST)

    def cells(self, A: Any, B: Any, low: Floats, high: Floats) -> Cells | None:
        ends = self.numbers(A), self.numbers(B)
        if ends[0] is None or ends[1] is None:
            return None
        rate = (ends[1] - ends[0]) / (high - low)[:, None]
        rate[np.isnan(rate)] = 0.0  # what is missing stays missing
        start = ends[0] - rate * low[:, None]
        cells = sweep(self.ensemble, start, rate, low, high)
        return replace(cells, error=self._error(A, ends[0], ends[1], rate))

    def _error(self, A: Any, first: Floats, last: Floats, rate: Floats) -> Floats:
        """How far the borders may be off: what scaling rounds, in units of the line."""
        size = np.maximum(np.abs(first), np.abs(last))
        moving = rate != 0
        share = np.divide(size, np.abs(rate), out=np.zeros_like(rate), where=moving)
        tables = (A, _dressed(self.steps, A[:1])) if self.steps else (A,)
        return ROUNDINGS * coarsest(*tables) * share.max(axis=1, initial=0.0)


@dataclass(frozen=True)
class LinearAlong:
    """A linear model, with the steps before it.

    `weights` is None where the model itself has to be asked for its scores.
    """

    model: Any
    decision: Decision
    steps: tuple[Any, ...] = ()
    weights: Weights | None = None

    def scores(self, rows: Any) -> Floats:
        """Return the scores of rows, one column each."""
        found = _weighted(self.weights, self.steps, rows)
        return _scores(self.model, rows) if found is None else found

    def changes(self, before: Any, after: Any, which: Places) -> tuple[Floats, Floats]:
        """Return by how much scores change, and the sizes of what that is a sum of.

        The rows `after` started from the rows at the places `which` of `before`. What
        does not change is left out, so that its size costs no digits.
        """
        pair = [_given(self.weights, self.steps, rows) for rows in (before, after)]
        if self.weights is not None and pair[0] is not None and pair[1] is not None:
            return self.weights.changes(pair[0][which], pair[1])
        first, last = _scores(self.model, before)[which], _scores(self.model, after)
        return last - first, np.abs(first) + np.abs(last)

    def roundings(self, rows: Any) -> tuple[Floats, float]:
        """Return the sizes of what the scores of rows are sums of.

        With it goes which share of its size a sum may be off.
        """
        given = _given(self.weights, self.steps, rows)
        if self.weights is None or given is None:
            size, terms = np.abs(_scores(self.model, rows)), int(rows.shape[1])
        else:
            size, terms = self.weights.sizes(given), int(given.shape[1])
        dtype = np.float32 if self.decision.doubt > DOUBT else np.float64
        return size, (2 * terms + ROUNDINGS) * float(np.finfo(dtype).eps)

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
        # A border is as far off as the scores are, over how fast they change.
        size = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)).max(axis=1))
        doubt = np.maximum(self.decision.doubt * size, self.decision.least)
        slope = np.abs(pairs[1] - pairs[0]) / (high - low)[:, None]
        crossed = (share > 0) & (share < 1)
        error = np.divide(
            doubt[:, None], slope, out=np.zeros_like(slope), where=crossed
        )
        return Cells(line, first, last, scores, error.max(axis=1, initial=0.0))

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
        link = _linear_link(final)
        scores = _scores(inner, rows)
        doubt = _doubt(inner, rows)
        decision = decision_of(goal, scores, doubt, link, rule)
        if decision is None or not is_confirmed(decision, goal, scores, rows):
            return None
        weights = Weights.of(final)
        own = _weighted(weights, steps, rows)
        near = DOUBT32 if doubt == DOUBT32 else DOUBT / 10
        if (
            own is None
            or own.shape != scores.shape
            or not np.allclose(own, scores, rtol=near, atol=near)
        ):
            weights = None
        return LinearAlong(inner, decision, tuple(steps), weights)
    gaps = library == "xgboost"
    numbers = _numbers(steps, rows, gaps)
    if numbers is None:
        return None
    given = _dressed(steps, rows)
    if gaps and moving and hasattr(given, "tocoo"):
        return None  # to XGBoost a number that passes 0 is missing there
    ensemble = ensemble_of(final, given)
    if ensemble is None:
        return None
    doubt = DOUBT32 if ensemble.rule == XGBOOST else DOUBT
    sums = ensemble.sums(numbers)
    known = link_of(final)
    decision = None if known is None else decision_of(goal, sums, doubt, known, rule)
    if decision is not None and not is_confirmed(decision, goal, sums, rows):
        decision = None  # the model decides in a way of its own: ask it, piece by piece
    return TreesAlong(tuple(steps), ensemble, decision)


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
        if predicts_differently(model):
            return None, model, inner, rule
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


def _numbers(steps: Any, rows: Any, gaps: bool) -> Floats | None:
    """Return the same as an array; None where they are no plain numbers.

    `gaps` tells that the model takes for missing what a sparse matrix does not store.
    """
    return _plain(dense(_dressed(steps, rows), gaps))


def _plain(table: Any) -> Floats | None:
    """Return a table as an array of numbers; None where it holds others."""
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


def coarsest(*tables: Any) -> float:
    """Return the largest relative spacing among the float dtypes of tables."""
    eps = float(np.finfo(float).eps)
    for table in tables:
        kinds = getattr(table, "dtypes", None)
        for kind in [table.dtype] if kinds is None else kinds:
            name = str(kind).lower()
            if name in ("float16", "float32"):
                eps = max(eps, float(np.finfo(name).eps))
    return eps


def _doubt(model: Any, rows: Any) -> float:
    """How far a linear model's scores may be off: some are computed in float32."""
    ask = getattr(model, "decision_function", None) or model.predict
    single = np.asarray(ask(rows)).dtype.itemsize < 8
    return DOUBT32 if single else DOUBT


def _scores(model: Any, rows: Any) -> Floats:
    scored = hasattr(model, "decision_function")
    return model_scores(model, "decision_function" if scored else "predict", rows)


def _weighted(weights: Weights | None, steps: Any, rows: Any) -> Floats | None:
    """Return the scores of rows by weights; None where they are no plain numbers."""
    given = _given(weights, steps, rows)
    return None if weights is None or given is None else weights.scores(given)


def _given(weights: Weights | None, steps: Any, rows: Any) -> Any:
    """Return rows as numbers, one for each weight, an array or a sparse matrix.

    None where they are no plain numbers, or where there are no weights.
    """
    if weights is None:
        return None
    table = _dressed(steps, rows)
    given = table.tocsr() if hasattr(table, "tocsr") else _plain(table)
    if given is None or given.shape[1] != weights.coef.shape[1]:
        return None
    return given


def _linear_link(model: Any) -> str:
    """Return what turns the scores of a linear model into predictions."""
    if not hasattr(model, "classes_"):
        return "identity"
    name, loss = type(model).__name__, getattr(model, "loss", None)
    if name == "SGDClassifier" and loss == "modified_huber":
        return "clipped"
    logits = name == "SGDClassifier" and loss == "log_loss"
    return "logit" if logits or name in _LOGITS else "margin"
