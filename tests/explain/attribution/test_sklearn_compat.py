"""SHAP and LIME explainers behave as scikit-learn's estimators do."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from skresp import LimeExplainer, ResponsivenessExplainer, ShapExplainer
from skresp._model._target import AtLeast
from tests.explain.attribution.explainers import MAKERS, lime_of, pipeline, shap_of

pytest.importorskip("shap")
pytest.importorskip("lime")


@parametrize_with_checks(
    [
        ShapExplainer(LogisticRegression(), random_state=0),
        ShapExplainer(DecisionTreeClassifier(random_state=0), random_state=0),
        ShapExplainer(LinearRegression(), random_state=0),
        LimeExplainer(LogisticRegression(), num_samples=8, random_state=0),
    ]
)
def test_common_checks(estimator, check):
    check(estimator)


@MAKERS
def test_a_frozen_model_and_a_fitted_clone_give_the_same(people, make):
    X, y = people
    model = pipeline(LogisticRegression())
    trained = make(model).fit(X, y)
    frozen = make(FrozenEstimator(clone(model).fit(X, y))).fit(X)
    np.testing.assert_array_equal(trained.transform(X[:9]), frozen.transform(X[:9]))
    assert not hasattr(model[-1], "coef_"), "the given model was touched"
    np.testing.assert_array_equal(trained.predict(X), frozen.predict(X))
    with pytest.raises(NotFittedError, match=r"FrozenEstimator\(model\)"):
        make(model).fit(X)


def test_a_feature_union_sets_the_three_side_by_side(people, actions, model):
    X, _ = people
    union = FeatureUnion(
        [
            ("resp", ResponsivenessExplainer(model, actions)),
            ("shap", shap_of(model)),
            ("lime", lime_of(model)),
        ]
    ).set_output(transform="pandas")
    out = union.fit(X).transform(X[:5])
    wanted = [f"{m}__{name}" for m in ("resp", "shap", "lime") for name in X]
    assert list(out.columns) == wanted
    assert out.index.equals(X.index[:5])
    np.testing.assert_array_equal(
        out["shap__income"], shap_of(model).fit(X).explain(X[:5]).values[:, 0]
    )


@MAKERS
def test_it_replaces_the_model_in_a_search(people, make):
    X, y = people
    search = GridSearchCV(
        make(pipeline(LogisticRegression())),
        {"estimator__logisticregression__C": [0.1, 1]},
        cv=2,
    ).fit(X, y)
    assert search.best_estimator_.explain(X[:2]).values.shape == (2, 4)


@MAKERS
def test_copies_explain_the_same(people, actions, model, make, tmp_path):
    X, _ = people
    explainer = make(model, actions, per_person=True).fit(X)
    wanted = explainer.transform(X[:6])
    joblib.dump(explainer, tmp_path / "e.joblib")
    skops = pytest.importorskip("skops.io")
    blob = skops.dumps(explainer)
    for copy in (
        pickle.loads(pickle.dumps(explainer)),
        joblib.load(tmp_path / "e.joblib"),
        skops.loads(blob, trusted=skops.get_untrusted_types(data=blob)),
    ):
        np.testing.assert_array_equal(copy.transform(X[:6]), wanted)
    assert clone(explainer).get_params()["action_set"] == actions


@MAKERS
def test_containers_and_the_order_of_columns_do_not_matter(people, model, make):
    X, y = people
    wanted = make(model, target=1).fit(X).explain(X[:7])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shuffled = make(model, target=1).fit(X).explain(X[X.columns[::-1]][:7])
        pd.testing.assert_frame_equal(shuffled.to_frame(), wanted.to_frame())
        pl = pytest.importorskip("polars")
        P = pl.DataFrame({name: X[name].tolist() for name in X})
        of_polars = make(pipeline(LogisticRegression()), target=1).fit(P, y)
        of_polars = of_polars.explain(P[:7])
    np.testing.assert_allclose(of_polars.values, wanted.values, rtol=1e-9)
    assert isinstance(of_polars.to_frame(), pl.DataFrame)
    assert isinstance(of_polars.top(), pl.DataFrame)
    numbers = X[["income", "loans", "age"]]
    by_name = make(LogisticRegression()).fit(numbers, y).explain(numbers[:7])
    array = numbers.to_numpy()
    by_place = make(LogisticRegression()).fit(array, y).explain(array[:7])
    assert by_place.feature_names == ["x0", "x1", "x2"]
    if make is shap_of:
        np.testing.assert_allclose(by_place.values, by_name.values, rtol=1e-9)
    for wrong, message in (
        (X.drop(columns="home"), "no column 'home'"),
        (X.assign(z=1), "has the column 'z', which the model does not know"),
        (array[:, :2], "2 features"),
    ):
        with pytest.raises(ValueError, match=message):
            make(model).fit(X).explain(wrong)


@MAKERS
def test_nothing_but_the_row_and_the_seed_counts(people, make):
    X, y = people
    # A model that shap can only ask from outside, so that both draw.
    options = {"algorithm": "permutation", "max_evals": 9}
    kwargs = {"shap_kwargs": options, "background": 20} if make is shap_of else {}
    model = FrozenEstimator(pipeline(LogisticRegression()).fit(X, y))

    def values(rows, **arguments):
        return make(model, **kwargs, **arguments).fit(X).explain(rows).values

    before = np.random.get_state()[1].copy()  # noqa: NPY002
    rows = pd.concat([X[:6], X[:2]])
    first = values(rows)
    order = np.random.default_rng(1).permutation(len(rows))
    np.testing.assert_array_equal(values(rows.iloc[order]), first[order])
    np.testing.assert_array_equal(values(rows.iloc[3:4]), first[3:4])
    np.testing.assert_array_equal(values(rows.astype({"loans": float})), first)
    with joblib.parallel_config(backend="threading"):
        np.testing.assert_array_equal(values(rows, n_jobs=2), first)
    np.testing.assert_array_equal(first[6:], first[:2])
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    explainer = make(model, **kwargs).set_params(random_state=1).fit(X)
    assert (explainer.explain(rows).values != first).any()


def test_processes_give_the_same(people, model):
    X, _ = people
    one = lime_of(model).fit(X).transform(X[:8])
    np.testing.assert_array_equal(lime_of(model, n_jobs=2).fit(X).transform(X[:8]), one)


@MAKERS
def test_no_rows_are_no_problem(people, model, make):
    X, _ = people
    explanation = make(model).fit(X).explain(X[:0])
    assert explanation.values.shape == (0, 4)
    assert len(explanation.top()) == 0
    assert "0 rows" in repr(explanation)


@MAKERS
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"actions": {}}, "must be an ActionSet or None"),
        ({"per_person": True}, "per_person=True requires an action_set"),
        ({"target": AtLeast(1)}, "predicts classes"),
    ],
)
def test_bad_parameters_are_refused(people, model, make, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(model, **arguments).fit(people[0])


@pytest.mark.parametrize(
    ("name", "library"), [("ShapExplainer", "shap"), ("LimeExplainer", "lime")]
)
def test_a_missing_library_is_named_with_its_extra(name, library):
    # In a process of its own: what is imported cannot be made missing.
    code = f"""
import sys
sys.modules[{library!r}] = None
from sklearn.linear_model import LogisticRegression
import skresp
try:
    skresp.{name}(LogisticRegression()).fit([[1, 2], [2, 1]], [0, 1])
except ImportError as error:
    assert "pip install 'skresp[{library}]'" in str(error), error
else:
    raise AssertionError("it worked without")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
