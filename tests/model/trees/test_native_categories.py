"""Trees that split columns of dtype category themselves."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.fixes import parse_version

from skresp import ActionSet
from skresp._model._codes import batch_codes
from skresp._model._families import read_model
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._point_builder import PointBuilder
from skresp._model._target import make_target_rule
from tests.model.catalogue import people
from tests.small_models import catboost, lightgbm, xgboost

MODELS = {
    "histogram boosting": lambda: HistGradientBoostingClassifier(max_iter=10),
    "LightGBM": lambda: lightgbm(
        n_estimators=10, min_data_per_group=5, cat_smooth=1.0, min_child_samples=5
    ),
    "XGBoost": lambda: xgboost(
        n_estimators=10, max_depth=4, enable_categorical=True, max_cat_to_onehot=2
    ),
}


def _fitted(kind: str) -> tuple[FittedModel, Any]:
    X, y = people()
    X = X[["income", "job", "grade"]].astype({"job": "category", "grade": "category"})
    X.loc[::5, "job"] = np.nan
    y = (y + X["job"].isin(["cook", "nurse"]) + X["job"].isna()) % 2
    model = MODELS[kind]().fit(X, y)
    input_format = InputFormat.of(model, X, trained=True)
    rule = make_target_rule(model, 1, None)
    return FittedModel(rule, input_format, ActionSet.infer(X)), X


def _compare(fitted: FittedModel, X: Any) -> Any:
    """Return where scores are known, after comparing them with the model's own."""
    known = fitted.score_function
    assert known is not None, fitted.unread_reason
    assert set(known.groups[0].trees.column) >= {0, 1}
    builder = PointBuilder(fitted.input_format, fitted.features, X)
    wider, codes = batch_codes(known, builder)
    scores = wider.scores(codes)
    found = ~np.isnan(scores[:, 0])
    own = read_model(fitted.estimator).own_scores(fitted.rows(X[found]))
    assert_allclose(scores[found], own, rtol=1e-5, atol=1e-5)
    return found


@pytest.mark.parametrize("kind", MODELS)
def test_missing_labels_are_scored_as_the_model_does(kind: str) -> None:
    fitted, X = _fitted(kind)
    assert _compare(fitted, X).all()
    assert _compare(fitted, X.assign(job=X["job"].mask(X["job"].notna()))).all()


@pytest.mark.parametrize("kind", MODELS)
def test_labels_of_another_order_are_the_same(kind: str) -> None:
    fitted, X = _fitted(kind)
    order = X["job"].cat.categories[::-1]
    assert _compare(fitted, X.assign(job=X["job"].cat.reorder_categories(order))).all()


@pytest.mark.parametrize("kind", MODELS)
def test_an_unknown_label_is_scored_as_the_model_does_or_not_at_all(kind: str) -> None:
    fitted, X = _fitted(kind)
    X = X.head(30).assign(job=X["job"].head(30).astype(object))
    X.loc[[3, 7], "job"] = "astronaut"
    found = _compare(fitted, X)
    rejected = kind == "XGBoost"
    assert_array_equal(np.flatnonzero(~found), [3, 7] if rejected else [])


def test_labels_that_catboost_replaces_have_a_reason() -> None:
    X, y = people()
    X = X[["income", "job"]]
    y = y ^ X["job"].isin(["cook", "nurse"])
    model = catboost(iterations=10, depth=3, one_hot_max_size=2, cat_features=["job"])
    model.fit(X, y)
    rule = make_target_rule(model, 1, None)
    input_format = InputFormat.of(model, X, trained=True)
    fitted = FittedModel(rule, input_format, ActionSet.infer(X))
    assert fitted.score_function is None
    assert "one_hot_max_size" in fitted.unread_reason


def test_labels_given_as_numbers_have_a_reason() -> None:
    X, y = people()
    X = X[["income", "grade"]]
    y = y ^ (X["grade"] % 2)
    model = lightgbm(n_estimators=5, min_data_per_group=5, cat_smooth=1.0)
    model.fit(X, y, categorical_feature=["grade"])
    rule = make_target_rule(model, 1, None)
    input_format = InputFormat.of(model, X, trained=True)
    fitted = FittedModel(rule, input_format, ActionSet.infer(X))
    assert fitted.score_function is None
    assert "labels" in fitted.unread_reason


@pytest.mark.parametrize("kind", MODELS)
def test_labels_beyond_ascii_are_read_or_the_reason_is_given(kind: str) -> None:
    X, y = people()
    X = X[["income", "job"]].copy()
    X["job"] = X["job"].map({job: f"é{job}日" for job in X["job"].unique()})
    X["job"] = X["job"].astype("category")
    y = (y + X["job"].cat.codes) % 2
    model = MODELS[kind]().fit(X, y)
    input_format = InputFormat.of(model, X, trained=True)
    rule = make_target_rule(model, 1, None)
    fitted = FittedModel(rule, input_format, ActionSet.infer(X))
    if kind == "XGBoost" and parse_version(version("xgboost")) < parse_version("3.4"):
        assert fitted.score_function is None
        assert "XGBoost before 3.4" in str(fitted.unread_reason)
    else:
        assert _compare(fitted, X).all()
