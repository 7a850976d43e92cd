"""What reaches the model is what it was fitted on: containers, dtypes, labels, gaps."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._input_format import InputFormat
from skresp.constraints import IfThen, Linkage, OneHot
from tests.small_models import RuleModel


def explain(model, actions, X, **arguments):
    return ResponsivenessExplainer(model, actions, **arguments).fit(X).explain(X)


def naive(explanation, rule):
    """The scores again, from the reachable points."""
    out = np.zeros_like(explanation.values)
    for i in range(len(explanation)):
        for j, name in enumerate(explanation.feature_names):
            points = explanation.reachable(i, name).points
            out[i, j] = np.mean(np.asarray(rule(points))) if len(points) else 0
    return out


@pytest.mark.parametrize(
    "dtype", ["int64", "int8", "float64", "float32", "Int64", object]
)
def test_a_categorical_feature_over_numbers_sends_its_labels(dtype):
    X = pd.DataFrame({"grade": [10, 20, 30, 10], "z": [1, 2, 3, 4]})
    X = X.astype({"grade": dtype})
    actions = ActionSet.infer(
        X,
        features={"grade": Feature("categorical", categories=[10, 20, 30])},
        immutable=["z"],
    )
    rule = lambda X: (X["grade"] == 30).to_numpy(dtype=bool)  # noqa: E731
    spy = RuleModel(rule)
    explanation = explain(spy, actions, X)
    np.testing.assert_array_equal(explanation.values[:, 0], [0.5, 0.5, 0, 0.5])
    for seen in spy.seen:
        assert set(seen["grade"]) <= {10, 20, 30}
        assert seen["grade"].dtype == X["grade"].dtype


def test_the_same_over_arrays_and_truth_values():
    A = np.array([[10, 1], [20, 2], [30, 3]])
    actions = ActionSet.infer(
        A, features={"x0": Feature("categorical", categories=[10, 20, 30])}
    )
    rule = lambda X: np.asarray(X)[:, 0] == 30  # noqa: E731
    np.testing.assert_array_equal(
        explain(RuleModel(rule), actions, A).values[:, 0], [0.5, 0.5, 0]
    )
    X = pd.DataFrame({"h": pd.Categorical([True, False, True]), "n": [1, 2, 3]})
    rule = lambda X: X["h"].astype(bool)  # noqa: E731
    explanation = explain(RuleModel(rule), ActionSet.infer(X), X)
    np.testing.assert_array_equal(explanation.values[:, 0], [0, 1, 0])


def test_dtypes_and_missing_values_arrive_as_they_were():
    X = pd.DataFrame(
        {
            "objects": pd.Series(["own", None, np.nan, "rent"], dtype=object),
            "strings": pd.Series(["a", "b", None, "a"], dtype="string"),
            "category": pd.Categorical(["x", "y", None, "x"]),
            "small": np.array([1, 2, 3, 4], dtype=np.int8),
            "half": np.array([1, 2, 3, np.nan], dtype=np.float32),
            "maybe": pd.array([1, None, 3, 4], dtype="Int16"),
            "truth": [True, False, True, False],
            "when": pd.to_datetime(["2020-01-01"] * 4),
            "n": [1, 2, 3, 4],
        }
    )
    actions = ActionSet.infer(X, immutable=[c for c in X if c not in ("n", "truth")])
    spy = RuleModel(lambda X: X["n"] > 2)
    explain(spy, actions, X)
    for seen in spy.seen:
        assert seen.dtypes.tolist() == X.dtypes.tolist()
    rows = pd.concat(spy.seen)
    assert any(v is None for v in rows["objects"])
    assert any(isinstance(v, float) for v in rows["objects"])


def test_a_none_is_not_a_nan_to_an_encoder():
    X = pd.DataFrame(
        {
            "h": pd.Series(["own", "rent", None] * 10, dtype=object),
            "n": [1, 2, 3, 4, 5, 6] * 5,
        }
    )
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["h"]), remainder="passthrough"),
        LogisticRegression(),
    ).fit(X, X["h"].isna())
    explanation = explain(
        FrozenEstimator(model), ActionSet.infer(X, immutable=["h"]), X
    )
    np.testing.assert_array_equal(explanation.at_target, model.predict(X))


def native_models():
    out = [HistGradientBoostingClassifier(categorical_features="from_dtype")]
    try:
        from lightgbm import LGBMClassifier

        out.append(LGBMClassifier(min_child_samples=5, verbose=-1))
    except ImportError:  # pragma: no cover
        pass
    return out


@pytest.mark.parametrize("model", native_models(), ids=lambda m: type(m).__name__)
def test_one_unseen_label_does_not_change_the_others(model):
    rng = np.random.default_rng(0)
    T = pd.DataFrame(
        {
            "h": pd.Categorical(rng.choice(["own", "rent", "free"], 200)),
            "n": rng.integers(0, 5, 200),
        }
    )
    model.fit(T, (T["h"] == "free") | (T["n"] > 3))
    explainer = ResponsivenessExplainer(FrozenEstimator(model), ActionSet.infer(T)).fit(
        T
    )
    two = pd.DataFrame({"h": ["own", "rent"], "n": [1, 1]})
    three = pd.DataFrame({"h": ["own", "rent", "boat"], "n": [1, 1, 1]})
    alone = explainer.explain(two.astype({"h": "category"})).values
    assert (alone[:, 0] == 0.5).all()
    for frame in (three, three.astype({"h": "category"})):
        np.testing.assert_array_equal(explainer.explain(frame).values[:2], alone)


def test_a_listed_label_that_nobody_has_is_sent_as_it_is():
    X = pd.DataFrame({"h": pd.Categorical(["own", "rent"]), "n": [1, 2]})
    labels = ["own", "rent", "free"]
    actions = ActionSet.infer(
        X, features={"h": Feature("categorical", categories=labels)}
    )
    rule = lambda X: X["h"] == "free"  # noqa: E731
    np.testing.assert_array_equal(
        explain(RuleModel(rule), actions, X).values[:, 0], 0.5
    )


def test_an_array_is_in_the_order_of_the_models_columns():
    X = pd.DataFrame({"a": [0, 1, 2, 3], "b": [0, 10, 20, 30]})
    model = FrozenEstimator(DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1]))
    actions = ActionSet(
        {"b": Feature("integer", 0, 30, step=10), "a": Feature("integer", 0, 3)}
    )
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    np.testing.assert_array_equal(
        explainer.explain(X.to_numpy()).values, explainer.explain(X).values
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "nullable"])
def test_narrow_integers_do_not_wrap_around(library):
    actions = ActionSet(
        {
            "yrs": Feature("integer", 0, 20, direction="increase", max_increase=10),
            "age": Feature("integer", actionable=False),
        },
        [Linkage("yrs", {"age": 1})],
    )
    X = pd.DataFrame({"yrs": [3], "age": [120]}, dtype="int8")
    if library == "polars":
        pl = pytest.importorskip("polars")
        X = pl.DataFrame({"yrs": [3], "age": [120]}).cast(pl.Int8)
    elif library == "nullable":
        X = X.astype("Int8")
    spy = RuleModel(lambda X: np.asarray(X["age"]) >= 100)
    assert explain(spy, actions, X).values[0, 0] == 1
    assert max(int(max(seen["age"])) for seen in spy.seen) == 130


def test_people_outside_the_fitted_dtype_are_not_squeezed_into_it():
    fitted = pd.DataFrame({"a": np.array([1, 2], dtype=np.int8), "b": [0, 1]})
    spy = RuleModel(lambda X: X["a"] > 100)
    explainer = ResponsivenessExplainer(spy, ActionSet.infer(fitted, immutable=["a"]))
    explainer.fit(fitted)
    assert explainer.explain(pd.DataFrame({"a": [200], "b": [0]})).at_target.all()


def test_a_fraction_arrives_at_a_column_of_integers():
    X = pd.DataFrame({"debt": [100, 101], "inc": [1, 2]})
    actions = ActionSet.infer(
        X,
        features={
            "inc": Feature("integer", 0, 5),
            "debt": Feature("real", actionable=False),
        },
        constraints=[Linkage("inc", {"debt": -0.4})],
    )
    rule = lambda X: X["debt"] <= 100  # noqa: E731
    explanation = explain(RuleModel(rule), actions, X)
    np.testing.assert_allclose(explanation.values[:, 1], [0.8, 0.2])


def test_a_polars_null_stays_null():
    pl = pytest.importorskip("polars")
    P = pl.DataFrame({"f": [1.0, None, 2.0], "n": [1, 2, 3]})
    spy = RuleModel(lambda P: (P["f"].fill_null(0.0) > 5).to_numpy())
    explanation = explain(spy, ActionSet.infer(P, immutable=["f"]), P)
    assert not explanation.at_target.any()
    assert (explanation.values == 0).all()


@pytest.mark.filterwarnings("error")
def test_a_model_fitted_on_arrays_gets_arrays(make_frame):
    X = make_frame({"a": [0, 1, 2, 3], "b": [1, 0, 1, 0]})
    model = LogisticRegression().fit(np.asarray(X), [0, 0, 1, 1])
    explain(FrozenEstimator(model), ActionSet.infer(X), X, target=1)


def test_a_model_of_ones_own_gets_the_frame_it_was_fitted_on():
    class Mine(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.n_features_in_ = X.shape[1]
            return self

        def predict(self, X):
            return (X["n"] > 2).to_numpy().astype(int)

    X = pd.DataFrame({"n": [1, 2, 3]})
    y = [0, 0, 1]
    actions = ActionSet.infer(X)
    trained = ResponsivenessExplainer(Mine(), actions).fit(X, y).explain(X)
    frozen = explain(FrozenEstimator(Mine().fit(X, y)), actions, X)
    np.testing.assert_array_equal(trained.values, frozen.values)


def test_numbered_columns_stay_numbered():
    X = pd.DataFrame(np.arange(8).reshape(4, 2))
    spy = RuleModel(lambda X: X[1] > 3)
    explain(spy, ActionSet.infer(X), X)
    assert list(spy.seen[0].columns) == [0, 1]


@pytest.mark.parametrize("classes", [[0, 1], (0, 1)])
def test_classes_may_be_a_list(classes):
    spy = RuleModel(lambda X: X["n"] > 1)
    X = pd.DataFrame({"n": [0, 1, 2]})
    wanted = explain(spy, ActionSet.infer(X), X).values
    spy = RuleModel(lambda X: X["n"] > 1)
    predict = spy.predict
    spy.classes_ = classes
    spy.predict = lambda X: (X["n"] > 1).astype(int).to_numpy()
    np.testing.assert_array_equal(explain(spy, ActionSet.infer(X), X).values, wanted)
    assert predict


def test_sparse_columns_are_read():
    X = pd.DataFrame({"n": [1, 2, 3], "s": pd.arrays.SparseArray([0, 0, 1])})
    rule = lambda X: X["s"] == 1  # noqa: E731
    explanation = explain(RuleModel(rule), ActionSet.infer(X), X)
    np.testing.assert_array_equal(explanation.values[:, 1], [1, 1, 0])


# -- words, copies, messages -------------------------------------------------------


def test_a_sampled_zero_is_not_called_impossible():
    X = pd.DataFrame({"a": [20.0]})
    spy = RuleModel(lambda X: (X["a"] > 50) & (X["a"] < 50.001))
    explanation = explain(
        spy, ActionSet({"a": Feature("real", 0, 100)}), X, random_state=0
    )
    assert explanation.values[0, 0] == 0
    text = explanation.describe(0)
    assert "was found to reach the target" in text
    assert "this is based on 500 draws" in text
    assert "at most 0.60% of changes work, with confidence 95%" in text


def test_what_must_be_done_too_does_not_follow():
    X = pd.DataFrame(
        {"job": ["none", "full"], "own": [0, 1], "years": [1, 2], "age": [20, 30]}
    )
    actions = ActionSet.infer(
        X,
        features={"age": Feature("integer", actionable=False)},
        constraints=[
            IfThen(("job", "==", "none"), ("own", "==", 0)),
            Linkage("years", {"age": 1}),
        ],
    )
    explanation = explain(RuleModel(lambda X: X["own"] == 1), actions, X)
    assert "turn own on; together with job to full" in explanation.describe(0)
    older = explain(RuleModel(lambda X: X["years"] == 2), actions, X)
    assert "raise years from 1 to 2; age follows to 21" in older.describe(0)


def test_the_least_change_of_ordered_labels_is_the_nearest():
    labels = ["none", "low", "mid", "high"]
    X = pd.DataFrame({"debt": ["high", "low"]})
    actions = ActionSet(
        {"debt": Feature("categorical", categories=labels, direction="decrease")}
    )
    explanation = explain(
        RuleModel(lambda X: X["debt"].isin(["none", "low"])), actions, X
    )
    assert "Smallest change: change debt from high to low" in explanation.describe(0)


def test_shap_gets_values_beside_their_names():
    pytest.importorskip("shap")
    X = pd.DataFrame({"a": [0, 1, 2, 3], "b": [0, 10, 20, 30], "s": list("uvuv")})
    spy = RuleModel(lambda X: X["a"] > 1)
    explainer = ResponsivenessExplainer(spy, ActionSet.infer(X, immutable=["b"])).fit(X)
    over = explainer.explain(X[["s", "b", "a"]]).to_shap()
    assert over.feature_names == ["a", "b", "s"]
    assert over.data[1].tolist() == [1, 10, 1]
    assert over.display_data[1].tolist() == [1, 10, "v"]


def test_labels_that_are_not_listed_have_no_number_for_shap():
    pytest.importorskip("shap")
    X = pd.DataFrame({"n": [1, 2, 3], "town": ["b", "a", "b"]})
    actions = ActionSet(
        {
            "n": Feature("integer", 0, 5),
            "town": Feature("categorical", actionable=False),
        }
    )
    explanation = explain(RuleModel(lambda X: X["n"] > 1), actions, X)
    for some in (explanation, pickle.loads(pickle.dumps(explanation))):
        over = some.to_shap()
        assert np.isnan(over.data[:, 1]).all()
        assert over.display_data[:, 1].tolist() == ["b", "a", "b"]


def test_shap_takes_polars_with_dates():
    pl = pytest.importorskip("polars")
    pytest.importorskip("shap")
    P = pl.DataFrame({"n": [1, 2], "day": [datetime.date(2020, 1, 1)] * 2})
    spy = RuleModel(lambda P: (P["n"] > 1).to_numpy())
    over = explain(spy, ActionSet.infer(P, immutable=["day"]), P).to_shap()
    assert np.isnan(over.data[:, 1]).all()
    assert over.display_data[:, 1].tolist() == P["day"].to_list()


def test_an_explanation_outlives_changes_to_the_data():
    for X in (pd.DataFrame({"n": [3, 50]}), np.array([[3], [50]])):
        spy = RuleModel(lambda X: np.asarray(X)[:, 0] >= 10)
        explanation = explain(spy, ActionSet.infer(X), X)
        before = explanation.describe(0)
        if isinstance(X, np.ndarray):
            X[:] = 50
        else:
            X["n"] = [50, 50]
            X["new"] = 1
        assert explanation.describe(0) == before
        assert explanation.predictions.tolist() == [0, 1]


def test_an_explanation_cannot_be_edited_or_half_compared():
    X = pd.DataFrame({"n": [1, 2]})
    one, two = (
        explain(RuleModel(lambda X: X["n"] > 1), ActionSet.infer(X), X) for _ in "12"
    )
    with pytest.raises(ValueError, match="read-only"):
        one.values[0, 0] = 9
    assert one != two
    assert one == one


def test_errors_name_the_rows_that_were_given():
    X = pd.DataFrame(
        {"own": [1, 1, 1, np.nan], "rent": [0.0, 0, 0, 1]},
        index=["ann", "bob", "cy", "dee"],
    )
    with pytest.raises(ValueError, match=r"missing \(NaN\) in row dee"):
        explain(RuleModel(lambda X: X["own"] == 1), ActionSet.infer(X), X)
    X = pd.DataFrame({"own": [1, 1, 1, 0], "rent": [0, 1, 1, 1]}, index=list("abcd"))
    actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent"])])
    with pytest.raises(
        ValueError, match=r"2 of 4 rows .*\(row b, c\).*invalid_rows='nan'"
    ):
        explain(RuleModel(lambda X: X["own"] == 1), actions, X)


def test_an_action_set_wider_than_the_model_is_refused_at_fit():
    X = pd.DataFrame({"a": [0, 1, 2], "b": [1, 0, 1]})
    model = FrozenEstimator(DecisionTreeClassifier().fit(X[["a"]], [0, 0, 1]))
    with pytest.raises(ValueError, match="the model does not have 'b'"):
        ResponsivenessExplainer(model, ActionSet.infer(X)).fit(X)


def test_streams_do_not_depend_on_the_order_of_the_action_set():
    X = pd.DataFrame({"a": [0.1, 0.5], "b": [0.3, 0.9]})
    spy = RuleModel(lambda X: X["a"] + X["b"] > 1.1)
    one = explain(spy, ActionSet.infer(X), X, random_state=0)
    two = explain(spy, ActionSet.infer(X[["b", "a"]]), X, random_state=0)
    np.testing.assert_array_equal(one.values, two.values)


def test_draws_are_made_a_few_rows_at_a_time(monkeypatch):
    X = pd.DataFrame({"a": np.linspace(0, 1, 40)})
    spy = RuleModel(lambda X: X["a"] > 0.5)
    actions = ActionSet.infer(X)
    together = explain(spy, actions, X, random_state=0)
    monkeypatch.setattr("skresp.scores._score_task.MAX_DRAWS", 1_000)
    spy.seen.clear()
    split = explain(spy, actions, X, random_state=0)
    np.testing.assert_array_equal(split.values, together.values)
    assert max(map(len, spy.seen)) <= 1_000


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_xgboost_gets_a_frame_of_one_dtype_as_a_matrix(dtype):
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    # Odd numbers above 2**24 are rounded to float32.
    X = pd.DataFrame(rng.integers(2**24, 2**25, (300, 3)), columns=list("abc"))
    X = X.astype(dtype)
    if dtype.startswith("float"):
        X.iloc[::7, 1] = np.nan
    y = (X["a"] > X["c"]).astype(int)
    model = xgboost.XGBClassifier(n_estimators=20).fit(X, y)
    for given in (model, FrozenEstimator(model)):
        input_format = InputFormat.of(given, X[["c", "a", "b"]])
        assert input_format.container == "array"
        assert input_format.names == ("a", "b", "c")
    fitted = ResponsivenessExplainer(FrozenEstimator(model), ActionSet.infer(X)).fit(X)
    rows = fitted._fitted_model.rows(X[["c", "a", "b"]])
    assert isinstance(rows, np.ndarray)
    assert rows.dtype == dtype
    for output_margin in (False, True):
        np.testing.assert_array_equal(
            model.predict(rows, output_margin=output_margin),
            model.predict(X, output_margin=output_margin),
        )


def test_other_frames_of_xgboost_stay_frames():
    xgboost = pytest.importorskip("xgboost")

    class Own(xgboost.XGBClassifier):
        pass

    X = pd.DataFrame(
        np.random.default_rng(0).integers(0, 5, (50, 2)), columns=["a", "b"]
    )
    y = (X["a"] > 2).astype(int)
    small = xgboost.XGBClassifier(n_estimators=2)
    assert InputFormat.of(Own(n_estimators=2).fit(X, y), X).container == "pandas"
    linear = xgboost.XGBClassifier(n_estimators=2, booster="gblinear").fit(X, y)
    assert InputFormat.of(linear, X).container == "pandas"
    for mixed in (X.astype({"a": float}), X.astype("Int64"), X.astype("int16")):
        model = small.fit(mixed, y)
        assert InputFormat.of(model, mixed).container == "pandas"
