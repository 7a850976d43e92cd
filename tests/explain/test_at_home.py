"""At home in scikit-learn: checks, pipelines, searches, containers, copies."""

from __future__ import annotations

import io
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import IfThen, Linear, OneHot
from skresp.scores import AtLeast, AtMost


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


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    n = 120
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "loans": rng.integers(0, 5, n),
            "guarantor": rng.integers(0, 2, n),
            "home": rng.choice(["own", "rent", "free"], n),
            "rate": rng.choice([0.5, 1.0, 1.5], n),
        }
    )
    y = (
        X["loans"] + 2 * (X["home"] == "rent") - 2 * X["guarantor"] + X["rate"] < 2
    ).astype(int)
    return X, y


@pytest.fixture
def actions(people):
    X, _ = people
    return ActionSet.infer(
        X,
        features={"rate": Feature("real", actionable=False)},
        immutable=["age"],
        constraints=[IfThen(("home", "==", "free"), ("loans", "<=", 3))],
    )


@pytest.fixture
def valid(people, actions):
    X, y = people
    rows = [row not in set(actions.check(X)["row"]) for row in X.index]
    return X[rows], y[rows]


def encoder(*labels):
    return ColumnTransformer(
        [("labels", OneHotEncoder(handle_unknown="ignore"), list(labels))],
        remainder=StandardScaler(),
    )


def category_frame(X):
    return X.assign(home=X["home"].astype("category"))


def lightgbm():
    lgb = pytest.importorskip("lightgbm")
    return lgb.LGBMClassifier(n_estimators=10, min_child_samples=5, verbose=-1)


def xgboost():
    xgb = pytest.importorskip("xgboost")
    return xgb.XGBClassifier(n_estimators=10, enable_categorical=True)


MODELS = {
    "pipeline over strings": (
        lambda: make_pipeline(encoder("home"), LogisticRegression()),
        lambda X: X,
    ),
    "forest behind an encoder": (
        lambda: make_pipeline(
            encoder("home"), RandomForestClassifier(10, random_state=0)
        ),
        lambda X: X,
    ),
    "hist gradient boosting with native categories": (
        lambda: HistGradientBoostingClassifier(
            categorical_features="from_dtype", max_iter=10
        ),
        category_frame,
    ),
    "lightgbm with native categories": (lightgbm, category_frame),
    "xgboost with native categories": (xgboost, category_frame),
    "fixed threshold": (
        lambda: FixedThresholdClassifier(
            make_pipeline(encoder("home"), LogisticRegression()), threshold=0.8
        ),
        lambda X: X,
    ),
    "tuned threshold": (
        lambda: TunedThresholdClassifierCV(
            make_pipeline(encoder("home"), LogisticRegression()), cv=2
        ),
        lambda X: X,
    ),
}


@pytest.fixture(params=MODELS)
def fitted(request, valid):
    make, dress = MODELS[request.param]
    X, y = valid
    X = dress(X)
    return make().fit(X, y), X


def naive(model, explanation, target):
    """Scores recomputed from the reachable points, one predict at a time."""
    out = np.zeros_like(explanation.values)
    for i in range(len(explanation)):
        for j, name in enumerate(explanation.feature_names):
            points = explanation.reachable(i, name).points
            hits = [
                model.predict(points.iloc[[k]])[0] == target for k in range(len(points))
            ]
            out[i, j] = np.mean(hits) if hits else 0
    return out


def test_any_model_is_explained_in_its_raw_columns_without_a_warning(fitted, actions):
    model, X = fitted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frozen = FrozenEstimator(model)
        explainer = ResponsivenessExplainer(frozen, actions, target=1).fit(X)
        explanation = explainer.explain(X[:8])
        assert explanation.values.shape == (8, 5)
        assert explanation.feature_names == list(X.columns)
        np.testing.assert_array_equal(explanation.values, naive(model, explanation, 1))
    assert (explanation.values > 0).any()
    np.testing.assert_array_equal(
        explanation.at_target, np.asarray(model.predict(X[:8])) == 1
    )
    np.testing.assert_array_equal(explanation.predictions, model.predict(X[:8]))


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


def test_columns_in_any_order_give_the_same_scores_by_name(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, y)
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(X)
    straight = explainer.explain(X).to_frame()
    shuffled = explainer.explain(X[X.columns[::-1]]).to_frame()
    pd.testing.assert_frame_equal(shuffled[straight.columns], straight)
    reordered = ResponsivenessExplainer(
        FrozenEstimator(model),
        ActionSet(dict(reversed(actions.features.items())), actions.constraints),
    ).fit(X)
    pd.testing.assert_frame_equal(reordered.explain(X).to_frame(), straight)
    with pytest.raises(ValueError, match="no column 'home'"):
        explainer.explain(X.drop(columns="home"))
    with pytest.raises(ValueError, match="feature names should match"):
        explainer.transform(X[X.columns[::-1]])


def test_polars_in_polars_out(valid, actions):
    pl = pytest.importorskip("polars")
    X, y = valid
    P = pl.DataFrame({name: X[name].tolist() for name in X})
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(P, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frozen = FrozenEstimator(model)
        explainer = ResponsivenessExplainer(frozen, actions, target=1).fit(P)
        explanation = explainer.explain(P)
    other = make_pipeline(encoder("home"), LogisticRegression()).fit(X, y)
    reference = ResponsivenessExplainer(FrozenEstimator(other), actions).fit(X)
    np.testing.assert_array_equal(explanation.values, reference.explain(X).values)
    assert isinstance(explanation.to_frame(), pl.DataFrame)
    assert isinstance(explanation.top(), pl.DataFrame)
    assert isinstance(explanation.reachable(0, "home").points, pl.DataFrame)
    assert "Predicted" in explanation.describe(0)


def test_arrays_are_explained_by_position(valid):
    X, y = valid
    numbers = X[["age", "loans", "guarantor"]].to_numpy()
    model = LogisticRegression().fit(numbers, y)
    actions = ActionSet.infer(numbers, immutable=["x0"])
    array = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(numbers)
    frame = X[["age", "loans", "guarantor"]]
    named = LogisticRegression().fit(frame, y)
    by_name = ActionSet.infer(frame, immutable=["age"])
    reference = ResponsivenessExplainer(FrozenEstimator(named), by_name).fit(frame)
    np.testing.assert_array_equal(array.transform(numbers), reference.transform(frame))
    for dtype in (np.float32, np.int8, object):
        np.testing.assert_array_equal(
            array.explain(numbers.astype(dtype)).values, array.transform(numbers)
        )


def test_a_model_with_names_gets_names_even_from_an_array(valid):
    X, y = valid
    frame = X[["age", "loans", "guarantor"]]
    model = LogisticRegression().fit(frame, y)
    actions = ActionSet.infer(frame, immutable=["age"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
        named = clone(explainer).fit(frame)
        bare = clone(explainer).fit(frame.to_numpy())
        np.testing.assert_array_equal(
            bare.explain(frame.to_numpy()).values, named.explain(frame).values
        )
        unnamed = LogisticRegression().fit(frame.to_numpy(), y)
        back = clone(explainer).set_params(estimator=FrozenEstimator(unnamed))
        back.fit(frame)
        np.testing.assert_array_equal(
            back.explain(frame).values, named.explain(frame).values
        )


def test_targets_of_every_kind(valid, actions):
    X, y = valid
    words = y.map({0: "denied", 1: "granted"})
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, words)
    frozen = FrozenEstimator(model)

    def scores(**arguments):
        return (
            ResponsivenessExplainer(frozen, actions, **arguments).fit(X).explain(X[:30])
        )

    default, named = scores(), scores(target="granted")
    assert default.target == "granted"
    np.testing.assert_array_equal(default.values, named.values)
    half = scores(threshold=0.5)
    np.testing.assert_array_equal(half.values, named.values)
    strict = scores(threshold=0.9)
    assert (strict.values <= half.values).all()
    assert strict.values.sum() < half.values.sum()
    assert "the target is at least 0.9" in strict.describe(
        int(strict.at_target.argmin())
    )
    assert "with probability at least 0.9" in repr(strict)
    opposite = scores(target="denied")
    movable = default.n_reachable > 0
    np.testing.assert_allclose(opposite.values[movable], 1 - default.values[movable])


def test_three_classes_by_label(valid, actions):
    X, y = valid
    three = np.where(X["loans"] >= 3, "bad", np.where(y == 1, "good", "fair"))
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, three)
    values = {}
    for target in ("bad", "fair", "good"):
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model), actions, target=target
        ).fit(X)
        explanation = explainer.explain(X)
        values[target] = explanation.values
    movable = explanation.n_reachable > 0
    np.testing.assert_allclose(sum(values.values())[movable], 1)


def test_regressors_by_at_least_and_at_most(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LinearRegression()).fit(X, y)
    up = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=AtLeast(0.5)
    ).fit(X)
    explanation = up.explain(X)
    predicted = model.predict(X)
    np.testing.assert_array_equal(explanation.at_target, predicted >= 0.5)
    down = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=AtMost(np.nextafter(0.5, 0))
    ).fit(X)
    movable = explanation.n_reachable > 0
    np.testing.assert_allclose(
        down.explain(X).values[movable], 1 - explanation.values[movable]
    )
    assert "at least 0.5" in explanation.describe(0)


# -- where an explainer can stand ------------------------------------------------------


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


@pytest.fixture
def explainer(valid, actions):
    X, y = valid
    return ResponsivenessExplainer(
        make_pipeline(encoder("home"), LogisticRegression()), actions, random_state=0
    ).fit(X, y)


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
    explanation = pickle.loads(pickle.dumps(explainer.explain(X)))
    np.testing.assert_array_equal(explanation.values, wanted)
    assert explanation.describe(0) == explainer.explain(X).describe(0)


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


# -- the same numbers whatever the circumstances ---------------------------------


@pytest.fixture
def sampled(people):
    X, y = people
    numbers = X[["age", "loans", "rate"]].astype({"loans": float})
    actions = ActionSet.infer(
        numbers,
        features={
            "age": Feature("integer", 0, 10**6),
            "rate": Feature("real", max_increase=0.7),
            "loans": Feature("real"),
        },
    )
    model = RandomForestClassifier(10, random_state=0).fit(numbers, y)
    return FrozenEstimator(model), actions, numbers


def test_samples_do_not_depend_on_order_batch_jobs_dtype_or_company(
    sampled, monkeypatch
):
    model, actions, X = sampled

    def scores(X, **arguments):
        explainer = ResponsivenessExplainer(
            model, actions, method="sample", random_state=7, n_samples=50, **arguments
        ).fit(X)
        return explainer.explain(X)

    first = scores(X)
    assert not first.exact.any()
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(scores(X.iloc[order]).values, first.values[order])
    np.testing.assert_array_equal(scores(X.iloc[3:4]).values, first.values[3:4])
    np.testing.assert_array_equal(
        scores(X[X.columns[::-1]]).to_frame()[X.columns], first.to_frame()
    )
    np.testing.assert_array_equal(scores(X.astype({"age": float})).values, first.values)
    monkeypatch.setattr("skresp.scores._responsiveness.ROWS_AT_ONCE", 10)
    np.testing.assert_array_equal(scores(X, n_jobs=2).values, first.values)
    monkeypatch.setattr("skresp.scores._door._FIRST_BYTES", 1)
    np.testing.assert_array_equal(scores(X).values, first.values)
    other = ResponsivenessExplainer(
        model, actions, method="sample", random_state=8, n_samples=50
    )
    assert (other.fit(X).explain(X).values != first.values).any()


def test_sampled_scores_carry_their_interval_and_can_be_drawn_again(sampled):
    model, actions, X = sampled
    explanation = (
        ResponsivenessExplainer(model, actions, method="sample", random_state=0)
        .fit(X)
        .explain(X[:5])
    )
    assert (explanation.lower <= explanation.values).all()
    assert (explanation.values <= explanation.upper).all()
    assert (explanation.upper - explanation.lower > 0).all()
    assert (explanation.n_reachable == 500).all()
    for i in range(5):
        for j, name in enumerate(X.columns):
            again = explanation.reachable(i, name)
            assert not again.complete
            assert again.reached.mean() == explanation.values[i, j]
    assert (
        "from 500 drawn" in explanation.describe(0)
        or (explanation.values[0] == 0).all()
    )


def test_a_wanted_half_width_says_how_many_to_draw(sampled):
    model, actions, X = sampled
    explainer = ResponsivenessExplainer(
        model,
        actions,
        method="sample",
        n_samples="auto",
        half_width=0.1,
        random_state=0,
    )
    explanation = explainer.fit(X).explain(X[:9])
    assert (explanation.n_reachable == 93).all()
    assert ((explanation.upper - explanation.lower) / 2 <= 0.1).all()


@pytest.mark.parametrize("how", ["minimal", "joint"])
def test_sampling_and_the_solver_agree_with_the_lists(valid, actions, how):
    X = valid[0][:6]
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(*valid)

    def explain(method):
        return (
            ResponsivenessExplainer(
                FrozenEstimator(model),
                actions,
                interventions=how,
                method=method,
                random_state=0,
                alpha=1e-6,
            )
            .fit(X)
            .explain(X)
        )

    exact, solver, drawn = explain("grid"), explain("highs"), explain("sample")
    np.testing.assert_array_equal(solver.values, exact.values)
    np.testing.assert_array_equal(solver.n_reachable, exact.n_reachable)
    assert not drawn.exact[exact.n_reachable > 0].any()
    assert (drawn.lower <= exact.values).all()
    assert (exact.values <= drawn.upper).all()


def test_a_tied_real_feature_is_drawn_within_its_constraint():
    X = pd.DataFrame({"rent": [500.0, 300.0], "food": [300.0, 200.0], "job": [0, 1]})
    actions = ActionSet(
        {
            "rent": Feature("real", 0, 900),
            "food": Feature("real", 0, 900),
            "job": Feature("binary"),
        },
        [Linear({"rent": 1, "food": 1}, upper=900)],
    )

    class Model:
        classes_ = np.array([0, 1])

        def predict(self, X):
            assert (X["rent"] + X["food"] <= 900 + 1e-6).all()
            return (X["rent"] <= 450).astype(int).to_numpy()

    explanation = (
        ResponsivenessExplainer(Model(), actions, random_state=0, n_samples=200)
        .fit(X)
        .explain(X)
    )
    # The rent can go anywhere in 0..900: up to 600 (700 for the second) the food stays
    # put, beyond it has to give way. Half of the range is at most 450.
    assert (explanation.lower[:, 0] <= 0.5).all()
    assert (explanation.upper[:, 0] >= 0.5).all()
    dear = explanation.reachable(0, "rent").points
    assert (dear["food"][dear["rent"] <= 600] == 300).all()
    assert (dear["food"][dear["rent"] > 600] < 300).all()
    assert explanation.exact[:, 2].all()


# -- missing values, invalid rows, bad input --------------------------------------


def test_missing_values_hold_or_are_refused():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [np.nan, 1.0, 2.0]})
    y = [0, 1, 1]
    actions = ActionSet(
        {"a": Feature("integer", 0, 5), "b": Feature("real", actionable=False)}
    )
    model = HistGradientBoostingClassifier().fit(X, y)
    frozen = FrozenEstimator(model)
    with pytest.raises(ValueError, match=r"'a' can change.*missing.*row 1.*hold"):
        ResponsivenessExplainer(frozen, actions).fit(X).explain(X)
    explanation = (
        ResponsivenessExplainer(frozen, actions, missing="hold").fit(X).explain(X)
    )
    assert explanation.n_reachable[:, 0].tolist() == [5, 0, 5]


def test_invalid_rows_are_refused_or_left_out():
    X = pd.DataFrame({"own": [1, 1, 0], "rent": [0, 1, 1], "n": [1, 2, 3]})
    actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent"])])
    model = FrozenEstimator(LogisticRegression().fit(X, [0, 1, 1]))
    with pytest.raises(ValueError, match=r"1 of 3 rows break .* Exactly one of own"):
        ResponsivenessExplainer(model, actions).fit(X).explain(X)
    explainer = ResponsivenessExplainer(model, actions, invalid_rows="nan").fit(X)
    doubled = pd.concat([X, X], ignore_index=True)
    with pytest.warns(UserWarning, match="2 of 6 rows break a constraint") as caught:
        explanation = explainer.explain(doubled)
    assert len(caught) == 1
    np.testing.assert_array_equal(
        np.isnan(explanation.values).all(axis=1), [False, True, False] * 2
    )
    assert "was not scored" in explanation.describe(1)
    good = explainer.explain(X.drop(index=1))
    np.testing.assert_array_equal(explanation.values[[0, 2]], good.values)


def test_no_rows_are_no_problem(explainer, valid):
    X, _ = valid
    explanation = explainer.explain(X[:0])
    assert explanation.values.shape == (0, 5)
    assert len(explanation.top()) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "gold"}, r"target='gold' is not among the classes.*0, 1"),
        ({"target": AtLeast(1)}, "predicts classes"),
        ({"threshold": 1.5}, "between 0 and 1, got 1.5"),
        ({"threshold": "high"}, "must be a number from 0 to 1"),
        ({"interventions": "some"}, "interventions must be"),
        ({"method": "cplex"}, "method must be one of"),
        ({"invalid_rows": "drop"}, "invalid_rows must be one of 'raise', 'nan'"),
        ({"missing": "drop"}, "missing must be one of 'raise', 'hold'"),
        ({"n_samples": 0}, "n_samples must be a whole number"),
        ({"n_samples": "many"}, "or 'auto', got 'many'"),
        ({"n_samples": "auto", "half_width": 2}, "half_width must lie"),
        ({"alpha": 1}, "alpha must be a number between 0 and 1"),
        ({"alpha": "a"}, "alpha must be a number between 0 and 1"),
        ({"action_set": {}}, "must be an ActionSet or None"),
    ],
)
def test_bad_parameters_are_refused(valid, actions, arguments, message):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    with pytest.raises((TypeError, ValueError), match=message):
        ResponsivenessExplainer(model, **({"action_set": actions} | arguments)).fit(
            X, y
        )


def test_bad_models_and_data_are_refused(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    with pytest.raises(NotFittedError, match=r"FrozenEstimator\(model\)"):
        ResponsivenessExplainer(model, actions).fit(X)
    with pytest.raises(TypeError, match="model with predict, got 'model'"):
        ResponsivenessExplainer("model", actions).fit(X)
    regressor = FrozenEstimator(
        make_pipeline(encoder("home"), LinearRegression()).fit(X, y)
    )
    with pytest.raises(ValueError, match=r"target=None.*AtLeast\(value\)"):
        ResponsivenessExplainer(regressor, actions).fit(X)
    with pytest.raises(ValueError, match="needs a model with predict_proba"):
        ResponsivenessExplainer(
            make_pipeline(encoder("home"), LinearSVC()), actions, threshold=0.5
        ).fit(X, y)
    others = ActionSet.infer(X.rename(columns={"home": "house"}))
    with pytest.raises(ValueError, match="no column 'house'"):
        ResponsivenessExplainer(model, others).fit(X, y)
    with pytest.raises(NotFittedError):
        ResponsivenessExplainer(model, actions).explain(X)
    fitted = ResponsivenessExplainer(model, actions).fit(X, y)
    with pytest.raises(ValueError, match="5 features"):
        fitted.explain(X.to_numpy()[:, :3])


def test_without_an_action_set_it_warns_and_infers(valid):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression())
    with pytest.warns(UserWarning, match="No action_set was given"):
        explainer = ResponsivenessExplainer(model).fit(X, y)
    assert explainer.action_set_.actionable == tuple(X.columns)
    assert explainer.action_set is None


def test_it_is_quiet_unless_asked(explainer, valid, capsys):
    X, _ = valid
    explainer.explain(X)
    assert capsys.readouterr() == ("", "")
    explainer.set_params(verbose=1).explain(X)
    out, err = capsys.readouterr()
    assert out == ""
    assert "explain [####" in err
    assert f"{len(X)}/{len(X)}" in err


def test_printing_does_not_break_it(explainer):
    buffer = io.StringIO()
    buffer.write(repr(explainer))
    buffer.write(explainer._repr_html_() or "")
    assert "ResponsivenessExplainer" in buffer.getvalue()
