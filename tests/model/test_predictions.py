"""A model that returns no valid prediction is an error, never a score of 0."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import (
    ActionSet,
    AtLeast,
    Feature,
    LimeExplainer,
    ResponsivenessExplainer,
    ShapExplainer,
)

X = pd.DataFrame(
    [(a, b) for a in range(6) for b in range(4)], columns=["income", "loans"]
)
Y = (X["income"] - X["loans"] >= 2).astype(int).to_numpy()
ACTIONS = ActionSet(
    {
        "income": Feature("integer", 0, 5),
        "loans": Feature("integer", 0, 3),
    }
)
LINES = ActionSet({"income": Feature("real", 0, 5), "loans": Feature("real", 0, 3)})
DENIED = X[Y == 0]


def good(Z):
    Z = Z if isinstance(Z, pd.DataFrame) else pd.DataFrame(Z, columns=X.columns)
    return (Z["income"] - Z["loans"] >= 2).to_numpy()


class Model:
    """A classifier that turns broken once it is fitted and asked `after` times."""

    def __init__(self, labels, classes=(0, 1), after=0):
        self.labels, self.classes_, self.after = labels, np.array(classes), after
        self.asked = 0

    def predict(self, Z):
        self.asked += 1
        right = self.classes_[good(Z).astype(int)]
        return right if self.asked <= self.after else self.labels(right)


def some(value, dtype=object):
    """Labels with the last one replaced."""

    def change(labels):
        labels = labels.astype(dtype)
        labels[-1] = value
        return labels

    return change


BROKEN_LABELS = {
    "all NaN": lambda labels: np.full(len(labels), np.nan),
    "one NaN": some(np.nan, float),
    "one None": some(None),
    "one NA": some(pd.NA),
    "unknown number": some(2, int),
    "fraction": some(0.5, float),
    "text for number": lambda labels: labels.astype(str),
    "bytes": lambda labels: labels.astype("S"),
    "probabilities": lambda labels: np.column_stack([1 - labels, labels]),
    "row for column": lambda labels: labels[None],
    "too short": lambda labels: labels[:-1],
    "too long": lambda labels: np.append(labels, 0),
    "scalar": lambda labels: 0,
    "nothing": lambda labels: None,
}


@pytest.mark.parametrize("labels", BROKEN_LABELS.values(), ids=BROKEN_LABELS)
@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("method", ["explain", "verify"])
def test_broken_labels_are_an_error_that_names_the_model(labels, after, method):
    # The model is asked once in fit, about the rows as they are, then about points.
    explainer = ResponsivenessExplainer(Model(labels, after=after), ACTIONS, target=1)
    with pytest.raises(ValueError, match=r"Model\.predict returned"):
        getattr(explainer.fit(X), method)(DENIED)


@pytest.mark.parametrize("method", ["explain", "verify"])
def test_a_label_that_turns_up_in_a_late_batch_is_an_error(method):
    class Late:
        classes_ = np.array([0, 1])

        def predict(self, Z):
            return np.where(Z["b"] == 999, 7, 0)

    rows = pd.DataFrame({"a": np.arange(100), "b": 0})
    actions = ActionSet(
        {"a": Feature("integer", 0, 99), "b": Feature("integer", 0, 999)}
    )
    explainer = ResponsivenessExplainer(Late(), actions, target=1).fit(rows)
    with (
        config_context(working_memory=0.01),  # a batch is then 1,000 points
        pytest.raises(ValueError, match=r"Late\.predict returned 7"),
    ):
        getattr(explainer, method)(rows)


@pytest.mark.parametrize("explainer", [ShapExplainer, LimeExplainer])
@pytest.mark.parametrize("labels", BROKEN_LABELS.values(), ids=BROKEN_LABELS)
def test_contributions_of_a_broken_model_are_an_error(labels, explainer):
    with pytest.raises(ValueError, match=r"Model\.predict returned"):
        explainer(Model(labels), target=1).fit(X).explain(DENIED[:2])


def test_labels_of_text_are_compared_with_the_classes():
    model = Model(some("maybe"), classes=["no", "yes"])
    with pytest.raises(ValueError, match=r"'maybe' for 1 of 24 rows.*'no', 'yes'"):
        ResponsivenessExplainer(model, ACTIONS, target="yes").fit(X)


def test_labels_that_equal_a_class_are_fine():
    wanted = LogisticRegression(C=100).fit(X, Y)
    for change in (
        lambda labels: labels.astype(float),
        lambda labels: labels.astype(bool),
        lambda labels: labels[:, None],
        lambda labels: pd.Series(labels),
        lambda labels: labels.tolist(),
    ):
        model = Model(change)
        scores = ResponsivenessExplainer(model, ACTIONS, target=1).fit(X).explain(X)
        assert scores.exact.all()
        assert scores.predictions.tolist() == good(X).astype(int).tolist()
    assert wanted.classes_.tolist() == [0, 1]


def test_a_class_that_is_never_predicted_is_out_of_reach_and_no_error():
    model = Model(np.zeros_like)
    explainer = ResponsivenessExplainer(model, ACTIONS, target=1).fit(X)
    assert not explainer.explain(DENIED).values.any()
    assert set(explainer.verify(DENIED).status) == {"fixed"}


def test_a_model_without_classes_must_still_predict_something():
    class Bare:
        def __init__(self, value):
            self.value = value

        def predict(self, Z):
            return np.where(good(Z), "yes", self.value)

    ResponsivenessExplainer(Bare("no"), ACTIONS, target="yes").fit(X).explain(X)
    for value in (None, np.nan):
        model = Bare(value)
        model.predict = lambda Z, value=value: np.array([value] * len(Z), dtype=object)
        with pytest.raises(ValueError, match=r"Bare\.predict returned no prediction"):
            ResponsivenessExplainer(model, ACTIONS, target="yes").fit(X)


# -- probabilities and scores ------------------------------------------------------


class Probabilities(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are broken."""

    def __init__(self, change=None):
        self.change = change

    def fit(self, Z, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = 2
        return self

    def predict(self, Z):
        return good(Z).astype(int)

    def predict_proba(self, Z):
        one = np.where(good(Z), 0.9, 0.1)
        return self.change(np.column_stack([1 - one, one]))


def put(value):
    def change(found):
        found = found.copy()
        found[-1] = value
        return found

    return change


BROKEN_PROBABILITIES = {
    "NaN": put(np.nan),
    "infinite": put(np.inf),
    "above 1": put([-0.2, 1.2]),
    "percent": lambda found: 100 * found,
    "one column": lambda found: found[:, 1],
    "three columns": lambda found: np.column_stack([found, found[:, 0]]),
    "transposed": lambda found: found.T,
    "too short": lambda found: found[:-1],
    "texts": lambda found: found.astype(str),
    "scalar": lambda found: 0.5,
}


@pytest.mark.parametrize(
    "change", BROKEN_PROBABILITIES.values(), ids=BROKEN_PROBABILITIES
)
def test_broken_probabilities_under_a_threshold_are_an_error(change):
    model = Probabilities(change).fit(X, Y)
    explainer = ResponsivenessExplainer(model, ACTIONS, target=1, threshold=0.4)
    with pytest.raises(ValueError, match=r"Probabilities\.predict_proba returned"):
        explainer.fit(X)
    calls = []

    def later(found):
        calls.append(1)
        return found if len(calls) == 1 else change(found)

    for method in ("explain", "verify"):
        calls.clear()
        model = Probabilities(later).fit(X, Y)
        explainer = ResponsivenessExplainer(model, ACTIONS, target=1, threshold=0.4)
        explainer.fit(X)
        with pytest.raises(ValueError, match=r"Probabilities\.predict_proba returned"):
            getattr(explainer, method)(DENIED)


def test_probabilities_that_are_off_by_rounding_are_fine():
    model = Probabilities(put(np.float32([-1e-7, 1 + 1e-7]))).fit(X, Y)
    explainer = ResponsivenessExplainer(model, ACTIONS, target=1, threshold=0.4)
    assert explainer.fit(X).explain(DENIED).values.any()


class NanScores(LogisticRegression):
    """A subclass whose NaN scores its inherited predict turns into class 0."""

    def decision_function(self, Z):
        return np.full(len(Z), np.nan)


@pytest.mark.parametrize("actions", [ACTIONS, LINES], ids=["listed", "lines"])
@pytest.mark.parametrize("method", ["auto", "grid", "sample"])
def test_missing_scores_behind_valid_labels_are_an_error(actions, method):
    inner = LogisticRegression().fit(X, Y)
    inner.coef_ = np.full_like(inner.coef_, np.nan)
    for model in (
        NanScores().fit(X, Y),
        inner,
        FrozenEstimator(inner),
        make_pipeline(StandardScaler().fit(X.to_numpy()), inner),
    ):
        explainer = ResponsivenessExplainer(model, actions, target=1, method=method)
        with pytest.raises(ValueError, match=r"decision_function.* returned nan"):
            explainer.fit(X)


def test_infinite_scores_behind_valid_labels_are_fine():
    class Sure(Model):
        def decision_function(self, Z):
            return np.where(good(Z), np.inf, -np.inf)

    explainer = ResponsivenessExplainer(Sure(np.array), ACTIONS, target=1).fit(X)
    assert explainer.explain(DENIED).values.any()


def test_scores_that_cannot_be_had_are_left_alone():
    class Mute(Model):
        def predict_proba(self, Z):
            raise NotImplementedError

    explainer = ResponsivenessExplainer(Mute(np.array), ACTIONS, target=1).fit(X)
    assert explainer.explain(DENIED).values.any()


# -- regressors --------------------------------------------------------------------


class Regressor(RegressorMixin, BaseEstimator):
    """A regressor that is broken."""

    def __init__(self, change=None):
        self.change = change

    def fit(self, Z, y):
        self.n_features_in_ = 2
        return self

    def predict(self, Z):
        return self.change(np.asarray(good(Z), dtype=float))


BROKEN_NUMBERS = {
    "NaN": put(np.nan),
    "infinite": put(np.inf),
    "minus infinity": put(-np.inf),
    "None": lambda found: np.array([None] * len(found)),
    "texts": lambda found: np.array(["a"] * len(found)),
    "complex": lambda found: found.astype(complex),
    "dates": lambda found: found.astype("M8[s]"),
    "two outputs": lambda found: np.column_stack([found, found]),
    "too short": lambda found: found[1:],
    "scalar": lambda found: 0.0,
}


@pytest.mark.parametrize("change", BROKEN_NUMBERS.values(), ids=BROKEN_NUMBERS)
def test_a_broken_regressor_is_an_error(change):
    explainer = ResponsivenessExplainer(Regressor(change), ACTIONS, target=AtLeast(0.5))
    with pytest.raises(ValueError, match=r"Regressor\.predict returned"):
        explainer.fit(X, Y)
    calls = []

    def later(found):
        calls.append(1)
        return found if len(calls) == 1 else change(found)

    for method in ("explain", "verify"):
        calls.clear()
        model = Regressor(later)
        explainer = ResponsivenessExplainer(model, ACTIONS, target=AtLeast(0.5))
        explainer.fit(X, Y)
        with pytest.raises(ValueError, match=r"Regressor\.predict returned"):
            getattr(explainer, method)(DENIED)


def test_coefficients_that_are_not_numbers_are_an_error():
    model = LinearRegression().fit(X, Y)
    model.coef_ = np.array([np.nan, 1.0])
    for actions in (ACTIONS, LINES):
        explainer = ResponsivenessExplainer(model, actions, target=AtLeast(0.5))
        with pytest.raises(ValueError, match=r"LinearRegression\.predict returned nan"):
            explainer.fit(X)


# -- models read from their trees or coefficients -----------------------------------


class Strict(RandomForestClassifier):
    """Its own rule: nobody with two loans or more."""

    def predict(self, Z):
        Z = np.asarray(Z)
        return np.where(Z[:, 1] >= 2, 0, super().predict(Z))


class Late(DecisionTreeClassifier):
    """Broken between the values that were seen at fit."""

    def predict(self, Z):
        Z = np.asarray(Z, dtype=float)
        found = super().predict(Z).astype(float)
        found[(np.rint(Z) != Z).any(axis=1)] = np.nan
        return found


def test_a_subclass_that_predicts_its_own_way_is_not_read_from_its_trees():
    people = pd.DataFrame({"income": [3, 5], "loans": [3, 2]})
    actions = ActionSet(
        {
            "income": Feature("integer", 0, 5),
            "loans": Feature("integer", 0, 3, max_decrease=1, direction="decrease"),
        }
    )
    # Rows of the fit on which the subclass and its trees agree.
    model = Strict(n_estimators=5, random_state=0).fit(X.to_numpy(), Y)
    same = model.predict(X) == RandomForestClassifier.predict(model, X.to_numpy())
    calm = X[same & (X["loans"] < 2)]
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(calm.to_numpy())
    verdicts = explainer.verify(people.to_numpy())
    for status, row in zip(verdicts.status, people.to_numpy(), strict=True):
        reached = [
            (i, n)
            for i in range(6)
            for n in range(max(row[1] - 1, 0), row[1] + 1)
            if model.predict(np.array([[i, n]]))[0] == 1
        ]
        assert (status in ("single", "joint", "approved")) == bool(reached)


@pytest.mark.parametrize("patched", [False, True])
def test_what_a_model_read_from_trees_would_hide_is_an_error(patched):
    model = Late(random_state=0).fit(X.to_numpy(), Y)
    if patched:
        broken = model
        model = DecisionTreeClassifier(random_state=0).fit(X.to_numpy(), Y)
        model.predict = broken.predict
    explainer = ResponsivenessExplainer(model, LINES, target=1, random_state=0)
    explainer.fit(X.to_numpy())
    for method in ("explain", "verify"):
        with pytest.raises(ValueError, match=r"Tree.*predict returned nan|Late"):
            getattr(explainer, method)(DENIED.to_numpy())


class OwnPipeline(Pipeline):
    """A pipeline with another name."""


class OppositePipeline(Pipeline):
    """A pipeline that predicts the opposite of its last step."""

    def predict(self, X):
        return 1 - super().predict(X)


@pytest.mark.parametrize("kind", [Pipeline, OwnPipeline, OppositePipeline])
def test_a_subclass_of_a_wrapper_is_read_unless_it_predicts_differently(kind):
    forest = RandomForestRegressor(5, random_state=0)
    model = kind([("forest", forest)]).fit(X, Y)
    explainer = ResponsivenessExplainer(model, LINES, target=AtLeast(0.9)).fit(X)
    is_read = explainer._fitted_model.score_function is not None
    assert is_read == (kind is not OppositePipeline)


def test_a_namesake_of_a_wrapper_is_not_unwrapped():
    inner = RandomForestRegressor(5, random_state=0).fit(X, Y)

    class FrozenEstimator:
        """Not scikit-learn's: it predicts the opposite."""

        estimator = inner

        def predict(self, Z):
            return 1 - inner.predict(Z)

    model = FrozenEstimator()
    explainer = ResponsivenessExplainer(model, LINES, target=AtLeast(0.9)).fit(X)
    assert explainer._fitted_model.score_function is None


def test_errors_of_the_model_about_changes_say_that_the_action_set_allows_them():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    model = make_pipeline(FunctionTransformer(np.log), LogisticRegression())
    model.fit(X, [0, 0, 1, 1])
    actions = ActionSet({"a": Feature("integer", -2, 4)})
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="NaN") as raised:
        explainer.fit(X).explain(X[:1])
    assert "changes that the action set allows" in raised.value.__notes__[0]
