"""What SHAP and LIME explainers share: at home in scikit-learn, target, who can act."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from skresp import (
    ActionSet,
    Feature,
    LimeExplainer,
    ResponsivenessExplainer,
    ShapExplainer,
)
from skresp.constraints import OneHot
from skresp.scores import AtLeast, AtMost
from tests.strategies import cases, real_cases

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


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 90
    X = pd.DataFrame(
        {
            "income": rng.normal(20, 5, n).round(2),
            "loans": rng.integers(0, 5, n),
            "home": rng.choice(["own", "rent", "free"], n),
            "age": rng.integers(18, 80, n),
        }
    )
    y = (X["income"] - 3 * X["loans"] - 4 * (X["home"] == "rent") > 13).astype(int)
    return X, y


@pytest.fixture(scope="module")
def actions(people):
    return ActionSet.infer(
        people[0],
        features={"loans": Feature("integer", 0, 4, direction="decrease")},
        immutable=["age"],
    )


def pipeline(last):
    return make_pipeline(
        ColumnTransformer(
            [("labels", OneHotEncoder(), ["home"])], remainder=StandardScaler()
        ),
        last,
    )


@pytest.fixture(scope="module")
def model(people):
    return FrozenEstimator(pipeline(LogisticRegression()).fit(*people))


def shap_of(model, actions=None, **arguments):
    return ShapExplainer(model, actions, random_state=0, **arguments)


def lime_of(model, actions=None, **arguments):
    return LimeExplainer(model, actions, num_samples=40, random_state=0, **arguments)


MAKERS = pytest.mark.parametrize("make", [shap_of, lime_of])


# -- at home in scikit-learn -------------------------------------------------------


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
def test_it_stands_where_the_model_stood(people, make):
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
    explanation = pickle.loads(pickle.dumps(explainer.explain(X[:6])))
    np.testing.assert_array_equal(explanation.values, wanted)
    assert explanation.describe(0) == explainer.explain(X[:6]).describe(0)


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


# -- the target ----------------------------------------------------------------------


@MAKERS
def test_positive_is_towards_the_target(people, make):
    X, y = people
    words = y.map({0: "denied", 1: "granted"})
    model = FrozenEstimator(pipeline(LogisticRegression()).fit(X, words))
    default = make(model).fit(X).explain(X[:9])
    granted = make(model, target="granted").fit(X).explain(X[:9])
    denied = make(model, target="denied").fit(X).explain(X[:9])
    assert default.target == "granted"
    np.testing.assert_array_equal(default.values, granted.values)
    np.testing.assert_allclose(denied.values, -granted.values, atol=1e-12)
    np.testing.assert_array_equal(default.at_target, model.predict(X[:9]) == "granted")
    np.testing.assert_array_equal(denied.at_target, ~default.at_target)
    np.testing.assert_array_equal(default.predictions, model.predict(X[:9]))
    with pytest.raises(ValueError, match="target='gold' is not among the classes"):
        make(model, target="gold").fit(X)


@MAKERS
def test_regressors_up_down_or_as_they_are(people, make):
    X, y = people
    model = FrozenEstimator(pipeline(LinearRegression()).fit(X, y * 1.0))
    plain = make(model).fit(X).explain(X[:9])
    up = make(model, target=AtLeast(0.5)).fit(X).explain(X[:9])
    down = make(model, target=AtMost(0.5)).fit(X).explain(X[:9])
    np.testing.assert_array_equal(up.values, plain.values)
    np.testing.assert_allclose(down.values, -plain.values, atol=1e-12)
    np.testing.assert_array_equal(up.at_target, model.predict(X[:9]) >= 0.5)
    np.testing.assert_array_equal(down.at_target, model.predict(X[:9]) <= 0.5)
    assert plain.target is None
    assert not plain.at_target.any()
    assert "for the prediction;" in repr(plain)
    assert "target" not in plain.describe(0)
    if make is shap_of:
        total = plain.values.sum(axis=1) + plain.base_values
        np.testing.assert_allclose(total, model.predict(X[:9]))
        total = down.values.sum(axis=1) + down.base_values
        np.testing.assert_allclose(total, -model.predict(X[:9]))


@MAKERS
def test_the_three_classes_of_a_linear_model_cancel(people, make):
    X, y = people
    three = np.where(X["loans"] >= 3, "bad", np.where(y == 1, "good", "fair"))
    model = FrozenEstimator(pipeline(LogisticRegression()).fit(X, three))
    each = [
        make(model, target=t).fit(X).explain(X[:6]).values
        for t in ("bad", "fair", "good")
    ]
    assert (np.abs(each[0]) > 1e-6).any()
    np.testing.assert_allclose(sum(each), 0, atol=1e-9)


# -- who can act ----------------------------------------------------------------------


@MAKERS
def test_what_nobody_can_act_on_is_zero(people, actions, model, make):
    X, _ = people
    plain = make(model).fit(X).explain(X[:30]).values
    aware = make(model, actions).fit(X).explain(X[:30]).values
    np.testing.assert_array_equal(aware[:, :3], plain[:, :3])
    np.testing.assert_array_equal(aware[:, 3], 0)
    assert (plain[:, 3] != 0).any()
    mine = make(model, actions, per_person=True).fit(X).explain(X[:30]).values
    stuck = X["loans"][:30] == 0  # loans only decrease
    assert stuck.any()
    np.testing.assert_array_equal(mine[stuck, 1], 0)
    np.testing.assert_array_equal(mine[~stuck], aware[~stuck])
    np.testing.assert_array_equal(mine[:, [0, 2, 3]], aware[:, [0, 2, 3]])


class Sum:
    """A model in which every column counts, labels too."""

    def predict(self, X):
        return sum(
            pd.Series(X[c]).map(lambda v: len(v) if isinstance(v, str) else v + 0.5)
            for c in X
        ).to_numpy(dtype=float)


@settings(max_examples=40)
@given(cases())
def test_zero_is_where_nothing_can_be_reached(case):
    check_zeros(*case)


@settings(max_examples=15)
@given(real_cases())
def test_zero_is_where_nothing_can_be_reached_with_reals(case):
    check_zeros(*case)


def check_zeros(actions, person):
    rows = pd.DataFrame([person])
    answer = (
        ResponsivenessExplainer(Sum(), actions, target=AtLeast(0), random_state=0)
        .fit(rows)
        .explain(rows)
    )
    explainer = shap_of(Sum(), actions, per_person=True).fit(rows)
    # Every value 1 to begin with: what is 0 in the end was set to 0.
    explainer._attribute = lambda people, keys: (
        np.ones((len(people), len(actions.names))),
        np.zeros(len(people)),
        True,
    )
    values = explainer.explain(rows).values
    np.testing.assert_array_equal(values == 0, answer.n_reachable == 0)


@MAKERS
def test_rows_that_break_a_constraint_are_refused_only_where_it_counts(make):
    X = pd.DataFrame({"own": [1, 1, 0, 0], "rent": [0, 1, 1, 1], "n": [1, 2, 3, 4]})
    actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent"])])
    model = FrozenEstimator(LogisticRegression().fit(X, [0, 1, 1, 1]))
    assert make(model, actions).fit(X).explain(X).values.shape == (4, 3)
    with pytest.raises(ValueError, match=r"1 of 4 rows .*pass per_person=False"):
        make(model, actions, per_person=True).fit(X).explain(X)


def test_what_is_missing_cannot_be_moved():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 2.0], "b": [1.0, 2.0, 2.0, 1.0]})
    model = DecisionTreeClassifier(random_state=0).fit(X, [0, 1, 1, 0])
    actions = ActionSet.infer(X.fillna(2.0))
    plain = shap_of(model, actions).fit(X).explain(X)
    mine = shap_of(model, actions, per_person=True).fit(X).explain(X)
    np.testing.assert_array_equal(mine.values[1, 0], 0)
    np.testing.assert_array_equal(mine.values[:, 1], plain.values[:, 1])


# -- what it returns -------------------------------------------------------------------


@MAKERS
def test_an_explanation_of_contributions(people, model, make):
    X, _ = people
    explanation = make(model).fit(X).explain(X[:12])
    np.testing.assert_array_equal(explanation.lower, explanation.values)
    np.testing.assert_array_equal(explanation.upper, explanation.values)
    assert explanation.n_reachable is None
    assert explanation.exact.all() == (make is shap_of)
    assert explanation.method == ("shap" if make is shap_of else "lime")
    top = explanation.top(2)
    size = np.abs(explanation.values)
    for i, part in top.groupby("row"):
        wanted = np.argsort(-size[i], kind="stable")[:2]
        assert part["feature"].tolist() == [X.columns[j] for j in wanted]
    assert "largest on average" in explanation._repr_html_()
    assert "<th>home</th>" in explanation._repr_html_()
    words = explanation.describe(0)
    most = X.columns[size[0].argmax()]
    assert words.split("\n")[2].startswith(f"- {most} ({X[most][0]})")
    negative = explanation.values[0] < 0
    assert words.count("away from the target") == negative.sum()
    assert words.count("towards the target") == (~negative).sum()


@MAKERS
def test_zeros_are_no_reasons(people, actions, model, make):
    X, _ = people
    explanation = make(model, actions).fit(X).explain(X[:5])
    assert "age" not in explanation.top(9)["feature"].tolist()
    assert "age" not in explanation.describe(0)
    assert "<th>age</th>" not in explanation._repr_html_()


@MAKERS
def test_shap_takes_it_over(people, model, make):
    shap = pytest.importorskip("shap")
    X, _ = people
    explanation = make(model).fit(X).explain(X[:5])
    over = explanation.to_shap()
    assert isinstance(over, shap.Explanation)
    np.testing.assert_array_equal(over.values, explanation.values)
    np.testing.assert_array_equal(over.base_values, explanation.base_values)
    assert over.display_data[:, 2].tolist() == X["home"][:5].tolist()
    np.testing.assert_array_equal(over.data[:, 1], X["loans"][:5])


@MAKERS
def test_questions_about_reachable_points_are_refused(people, model, make):
    X, _ = people
    explanation = make(model).fit(X).explain(X[:3])
    for ask in (
        lambda e: e.reachable(0, "loans"),
        lambda e: e.intervals(0, "loans"),
        lambda e: e.cost_weighted({"loans": 1}),
        lambda e: e.robust({"loans": 1}),
        lambda e: e.profile(0, "loans"),
        lambda e: e.monotone(),
        lambda e: e.intuitive({"loans": "decrease"}),
    ):
        with pytest.raises(ValueError, match="Explain with ResponsivenessExplainer"):
            ask(explanation)


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
        ({"per_person": True}, "per_person=True needs an action_set"),
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
