"""The explainer behaves as scikit-learn's estimators do."""

from __future__ import annotations

import io
import pickle
import re

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from skresp import ActionSet, ResponsivenessExplainer
from skresp._model._target import AtLeast
from tests.explain.encoders import encoder


@pytest.mark.filterwarnings("ignore:No action_set was given")
@parametrize_with_checks(
    [
        ResponsivenessExplainer(LogisticRegression(), n_samples=20, random_state=0),
        ResponsivenessExplainer(
            DecisionTreeClassifier(random_state=0),
            missing="hold",
            n_samples=20,
            random_state=0,
        ),
        ResponsivenessExplainer(
            LinearRegression(), target=AtLeast(0.0), n_samples=20, random_state=0
        ),
    ]
)
def test_common_checks(estimator, check):
    check(estimator)


def test_a_frozen_model_and_a_fitted_clone_score_the_same(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    frozen = ResponsivenessExplainer(
        FrozenEstimator(clone(model).fit(X, y)), actions
    ).fit(X)
    trained = ResponsivenessExplainer(model, actions).fit(X, y)
    bare = ResponsivenessExplainer(clone(model).fit(X, y), actions).fit(X)
    for other in (trained, bare):
        np.testing.assert_array_equal(other.transform(X), frozen.transform(X))
    assert not hasattr(model[-1], "coef_"), "the given model was touched"
    assert bare.estimator_ is bare.estimator


def test_it_predicts_as_its_model(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    explainer = ResponsivenessExplainer(model, actions).fit(X, y)
    for method in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(
            getattr(explainer, method)(X), getattr(explainer.estimator_, method)(X)
        )
    assert explainer.score(X, y) == explainer.estimator_.score(X, y)
    np.testing.assert_array_equal(explainer.classes_, [0, 1])
    assert is_classifier(explainer)
    svc = ResponsivenessExplainer(LinearSVC(), actions)
    assert not hasattr(svc, "predict_proba")
    assert hasattr(svc, "decision_function")


def test_a_feature_union_names_its_columns(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, y)
    frozen = FrozenEstimator(model)
    union = FeatureUnion(
        [
            ("resp", ResponsivenessExplainer(frozen, actions)),
            ("joint", ResponsivenessExplainer(frozen, actions, interventions="joint")),
        ]
    ).set_output(transform="pandas")
    out = union.fit(X).transform(X)
    assert list(out.columns[:2]) == ["resp__age", "resp__loans"]
    assert "joint__home" in out
    assert out.index.equals(X.index)


def test_a_grid_search_tunes_the_model_inside(valid, actions):
    X, y = valid
    explainer = ResponsivenessExplainer(
        make_pipeline(encoder("home"), DecisionTreeClassifier(random_state=0)), actions
    )
    search = GridSearchCV(
        explainer,
        {"estimator__decisiontreeclassifier__max_depth": [1, 3]},
        scoring="roc_auc",
        cv=3,
    ).fit(X, y)
    assert search.best_params_["estimator__decisiontreeclassifier__max_depth"] in (1, 3)
    assert search.best_estimator_.explain(X[:3]).values.shape == (3, 5)
    plain = cross_val_score(explainer.estimator, X, y, cv=3)
    np.testing.assert_array_equal(cross_val_score(explainer, X, y, cv=3), plain)


def test_it_ends_a_pipeline(valid, actions):
    X, y = valid
    pipeline = Pipeline(
        [
            (
                "keep",
                make_column_transformer(
                    ("passthrough", list(X.columns)), verbose_feature_names_out=False
                ).set_output(transform="pandas"),
            ),
            (
                "resp",
                ResponsivenessExplainer(
                    make_pipeline(encoder("home"), LogisticRegression()), actions
                ),
            ),
        ]
    ).fit(X, y)
    assert pipeline.predict(X).shape == (len(X),)
    assert pipeline.transform(X).shape == X.shape


def test_copies_explain_the_same(explainer, valid, tmp_path):
    X, _ = valid
    wanted = explainer.transform(X)
    joblib.dump(explainer, tmp_path / "e.joblib")
    skops = pytest.importorskip("skops.io")
    blob = skops.dumps(explainer)
    unknown = skops.get_untrusted_types(data=blob)
    copies = {
        "pickle": pickle.loads(pickle.dumps(explainer)),
        "joblib": joblib.load(tmp_path / "e.joblib"),
        "skops": skops.loads(blob, trusted=unknown),
    }
    for name, copy in copies.items():
        np.testing.assert_array_equal(copy.transform(X), wanted, err_msg=name)
        assert copy.action_set == explainer.action_set
    assert clone(explainer).action_set == explainer.action_set


def test_set_params_then_fit_equals_a_fresh_one(explainer, valid, actions):
    X, y = valid
    explainer.set_params(interventions="joint", target=0).fit(X, y)
    fresh = ResponsivenessExplainer(
        explainer.estimator, actions, interventions="joint", target=0
    ).fit(X, y)
    np.testing.assert_array_equal(explainer.transform(X), fresh.transform(X))
    assert explainer.target_ == 0


def test_metadata_is_routed_to_the_model(valid, actions):
    X, y = valid
    numbers = X[["age", "loans", "guarantor"]]
    actions = ActionSet.infer(numbers)
    weights = np.where(y == 1, 10.0, 1.0)
    plain = ResponsivenessExplainer(LogisticRegression(), actions).fit(
        numbers, y, sample_weight=weights
    )
    reference = LogisticRegression().fit(numbers, y, sample_weight=weights)
    np.testing.assert_array_equal(plain.estimator_.coef_, reference.coef_)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        routed = ResponsivenessExplainer(model, actions)
        routed.fit(numbers, y, sample_weight=weights)
        np.testing.assert_array_equal(routed.estimator_.coef_, reference.coef_)
        assert routed.score(numbers, y, sample_weight=weights) == reference.score(
            numbers, y, weights
        )
        grid = GridSearchCV(routed, {"estimator__C": [0.1, 1]}, cv=2)
        grid.fit(numbers, y, sample_weight=weights)
        deaf = ResponsivenessExplainer(
            LogisticRegression().set_fit_request(sample_weight=False), actions
        )
        with pytest.raises(TypeError, match="sample_weight"):
            deaf.fit(numbers, y, sample_weight=weights)


def test_shap_takes_it_over(explainer, valid):
    shap = pytest.importorskip("shap")
    X, _ = valid
    explanation = explainer.explain(X)
    over = explanation.to_shap()
    assert isinstance(over, shap.Explanation)
    np.testing.assert_array_equal(over.values, explanation.values)
    assert over.feature_names == list(X.columns)
    assert over.data.dtype == float


def test_it_is_quiet_unless_asked(explainer, valid, capsys):
    X, _ = valid
    explainer.explain(X)
    explainer.verify(X)
    assert capsys.readouterr() == ("", "")
    explainer.set_params(verbose=1).explain(X)
    explainer.verify(X)
    out, err = capsys.readouterr()
    assert out == ""
    for phase in ("explain", "verify"):
        last = rf"{phase}: 100%.* {len(X)}/{len(X)} \[.*<00:00.* rows/s\]\n"
        assert len(re.findall(last, err)) == 1


def test_printing_does_not_break_it(explainer):
    buffer = io.StringIO()
    buffer.write(repr(explainer))
    buffer.write(explainer._repr_html_() or "")
    assert "ResponsivenessExplainer" in buffer.getvalue()


def test_the_repr_names_the_action_set_in_one_line():
    X = pd.DataFrame({"income": [1, 2, 3], "age": [20, 30, 40]})
    actions = ActionSet.infer(X, immutable=["age"])
    explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    text = repr(explainer)
    assert "action_set=ActionSet(2 features, 1 actionable, 0 constraints)" in text
    assert "feature  " not in text
    assert repr(clone(explainer)) == text
    assert explainer.action_set is actions
    assert "action_set" not in repr(ResponsivenessExplainer(LogisticRegression()))
