"""The registry of model families: what is read, and why other models are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skresp import ActionSet, AtLeast
from skresp._model._families import FAMILIES, family_of, prediction_link, read_model
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._target import make_target_rule
from skresp._model._unreadable import UnreadableError
from skresp._model._wrappers import inner_model
from tests.model.catalogue import CATALOGUE
from tests.small_models import catboost, explainable_boosting, lightgbm, xgboost

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(5, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=5, random_state=0),
    "histograms": lambda: HistGradientBoostingClassifier(max_iter=5),
    "XGBoost": lambda: xgboost(n_estimators=5),
    "LightGBM": lambda: lightgbm(n_estimators=5),
    "CatBoost": lambda: catboost(iterations=5),
    "explainable boosting": explainable_boosting,
    "logistic regression": LogisticRegression,
    "SGD": lambda: SGDClassifier(loss="log_loss", random_state=0),
}


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    return X, (X.a + X.b + rng.normal(0.0, 0.3, 200) > 0).astype(int)


def _subclass(model: Any, **methods: Any) -> Any:
    """Return an unfitted model of a subclass that is not in the library."""
    kind = type("Mine", (type(model),), {"__module__": "mine", **methods})
    return kind(**model.get_params())


def _fitted(model: Any, X: pd.DataFrame) -> FittedModel:
    target = 1 if hasattr(model, "classes_") else AtLeast(0.5)
    rule = make_target_rule(model, target, None)
    input_format = InputFormat.of(model, X, trained=True)
    return FittedModel(rule, input_format, ActionSet.infer(X))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_subclass_is_read_as_its_base_class(name: str, data: Any) -> None:
    X, y = data
    model = CLASSIFIERS[name]().fit(X, y)
    mine = _subclass(CLASSIFIERS[name]()).fit(X, y)
    known, same = _fitted(model, X).score_function, _fitted(mine, X).score_function
    assert known is not None
    assert same is not None
    assert same.decision == known.decision
    assert same.decision is not None
    codes = X.to_numpy()
    assert_array_equal(same.scores(codes), known.scores(codes))
    assert prediction_link(mine) == prediction_link(model)


def test_a_subclass_of_a_regressor_is_read_as_its_base_class(data: Any) -> None:
    X, y = data
    for loss, link in (("squared_error", "identity"), ("poisson", None)):
        model = HistGradientBoostingRegressor(loss=loss, max_iter=5)
        assert prediction_link(_subclass(model).fit(X, y)) == link


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_subclass_that_predicts_differently_is_not_read(name: str, data: Any) -> None:
    X, y = data

    def predict(self: Any, X: Any) -> Any:
        return np.ones(len(X), dtype=int)

    mine = _subclass(CLASSIFIERS[name](), predict=predict).fit(X, y)
    pipeline = make_pipeline(StandardScaler(), clone(mine)).fit(X, y)
    for model in (mine, pipeline):
        fitted = _fitted(model, X)
        assert fitted.score_function is None
        assert "Mine replaces the prediction methods" in fitted.unread_reason


def test_every_family_has_a_model_in_the_catalogue() -> None:
    found = set()
    for entry in CATALOGUE.values():
        try:
            model = entry.model()
        except pytest.skip.Exception:
            pytest.skip("a library is not installed")
        while (inner := inner_model(model)) is not None:
            model = inner
        family = family_of(model)
        assert family is not None
        found.add(FAMILIES.index(family))
    assert found == set(range(len(FAMILIES)))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            lambda: GradientBoostingClassifier(init=LogisticRegression()),
            "starts from the scores of another model",
        ),
        (lambda: xgboost(booster="gblinear"), "not 'gblinear'"),
        (lambda: xgboost(missing=0.0), "takes 0 for a missing value"),
        (lambda: lightgbm(linear_tree=True), "linear models"),
        (lambda: lightgbm(zero_as_missing=True), "takes 0 for a missing value"),
    ],
)
def test_trees_that_are_not_read_have_a_reason(
    model: Any, reason: str, data: Any
) -> None:
    X, y = data
    with pytest.raises(UnreadableError, match=reason):
        read_model(model().fit(X, y))


def test_trees_with_several_outputs_have_a_reason(data: Any) -> None:
    X, y = data
    model = RandomForestRegressor(3).fit(X, np.column_stack([y, y]))
    with pytest.raises(UnreadableError, match="several outputs"):
        read_model(model)
