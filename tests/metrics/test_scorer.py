"""Recourse as a score: in searches, by group, with nobody denied."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._predictions import ModelOutputError
from skresp.constraints import OneHot
from skresp.datasets import make_credit
from skresp.metrics import RecourseScorer
from skresp.reach._cache import shared_cache
from tests.small_models import encoded


@pytest.fixture(scope="module")
def credit():
    return make_credit(240, random_state=1)


def tree():
    return encoded(DecisionTreeClassifier(random_state=0))


def by_hand(model, actions, X):
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    status = explainer.verify(X).status
    best = explainer.explain(X).values.max(axis=1)
    denied = status != "approved"
    lost = denied & ~np.isin(status, ["single", "joint"])
    return {
        "recourse_rate": 1 - lost.mean(),
        "single_rate": 1 - (denied & (status != "single")).mean(),
        "mean_responsiveness": np.where(denied, best, 1.0).mean(),
        "recourse_rate_of_denied": 1 - lost.sum() / denied.sum(),
        "single_rate_of_denied": (status == "single").sum() / denied.sum(),
        "mean_responsiveness_of_denied": best[denied].mean(),
    }


def test_each_metric_is_what_it_says(credit):
    model = tree().fit(credit.data, credit.target)
    wanted = by_hand(model, credit.action_set, credit.data)
    assert 0 < wanted["single_rate_of_denied"] < 1
    for name, value in wanted.items():
        scorer = RecourseScorer(credit.action_set, name)
        assert scorer(model, credit.data) == pytest.approx(value)
        assert scorer(model, credit.data, credit.target) == pytest.approx(value)
    several = RecourseScorer(credit.action_set, list(wanted))
    assert several(model, credit.data) == pytest.approx(wanted)


def searches():
    grid = {"decisiontreeclassifier__max_depth": [1, 3]}
    return {
        "grid": lambda **kw: GridSearchCV(tree(), grid, **kw),
        "random": lambda **kw: RandomizedSearchCV(
            tree(), grid, n_iter=2, random_state=0, **kw
        ),
    }


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", searches())
def test_searches_take_it_as_one_of_several_scores(credit, kind, n_jobs):
    scoring = {"auc": "roc_auc", "recourse": RecourseScorer(credit.action_set)}
    search = searches()[kind](scoring=scoring, refit="recourse", cv=2, n_jobs=n_jobs)
    search.fit(credit.data, credit.target)
    found = search.cv_results_["mean_test_recourse"]
    serial = searches()[kind](scoring=scoring, refit="recourse", cv=2)
    serial.fit(credit.data, credit.target)
    np.testing.assert_array_equal(found, serial.cv_results_["mean_test_recourse"])
    assert ((found > 0) & (found <= 1)).all()


def test_halving_and_a_dict_of_scores(credit):
    scorer = RecourseScorer(credit.action_set)
    search = HalvingGridSearchCV(
        tree(),
        {"decisiontreeclassifier__max_depth": [1, 2, 3]},
        scoring=scorer,
        cv=2,
        random_state=0,
    ).fit(credit.data, credit.target)
    assert 0 <= search.best_score_ <= 1
    several = RecourseScorer(credit.action_set, ["recourse_rate", "single_rate"])
    found = cross_validate(tree(), credit.data, credit.target, cv=2, scoring=several)
    assert (found["test_single_rate"] <= found["test_recourse_rate"]).all()


def test_reachable_sets_are_made_once_for_all_candidates(credit):
    scorer = RecourseScorer(credit.action_set)
    grid = {"decisiontreeclassifier__max_depth": [1, 2, 3, 4, 5]}
    # Another candidate may deny others, whose sets are made then.
    GridSearchCV(tree(), grid, scoring=scorer, cv=3).fit(credit.data, credit.target)
    made = shared_cache.misses
    assert made > 0
    GridSearchCV(tree(), grid, scoring=scorer, cv=3).fit(credit.data, credit.target)
    assert shared_cache.misses == made
    assert shared_cache.hits > 4 * made


def test_only_the_denied_are_scored(credit, monkeypatch):
    model = tree().fit(credit.data, credit.target)
    asked = []
    explain = ResponsivenessExplainer.explain

    def recorded(self, X):
        asked.append(X)
        return explain(self, X)

    monkeypatch.setattr(ResponsivenessExplainer, "explain", recorded)
    RecourseScorer(credit.action_set, "mean_responsiveness")(model, credit.data)
    (rows,) = asked
    assert 0 < len(rows) < len(credit.data)
    assert (model.predict(rows) == 0).all()


def test_invalid_predictions_raise(credit, monkeypatch):
    model = tree().fit(credit.data, credit.target)
    broken = DecisionTreeClassifier.predict
    monkeypatch.setattr(
        DecisionTreeClassifier, "predict", lambda self, X: broken(self, X) + 7
    )
    with pytest.raises(ModelOutputError):
        RecourseScorer(credit.action_set, target=1)(model, credit.data)


@pytest.mark.parametrize("metric", ["recourse_rate", "recourse_rate_of_denied"])
def test_nobody_denied_is_nobody_left_without(credit, metric):
    model = encoded(DummyClassifier(strategy="constant", constant=1))
    model.fit(credit.data, credit.target)
    assert RecourseScorer(credit.action_set, metric)(model, credit.data) == 1.0


def test_everybody_denied_for_good(credit):
    model = encoded(DummyClassifier(strategy="constant", constant=0))
    model.fit(credit.data, credit.target)
    scorer = RecourseScorer(credit.action_set, max_points=50)
    assert scorer(model, credit.data[:20]) == 0.0


def test_invalid_rows_are_left_out_and_counted():
    actions = ActionSet(
        {name: Feature("binary") for name in "ab"}, [OneHot(["a", "b"])]
    )
    X = pd.DataFrame({"a": [1, 0, 1, 0] * 5, "b": [0, 1, 1, 1] * 5})
    model = DecisionTreeClassifier().fit(X, X["b"])
    scorer = RecourseScorer(actions)
    with pytest.warns(UserWarning, match="5 of 20 rows break a constraint"):
        found = scorer(model, X)
    valid = X[(X["a"] + X["b"]) == 1]
    assert found == scorer(model, valid)
    with pytest.warns(UserWarning, match="are left out"):
        table = scorer.by_group(model, X, X["a"].to_list())
    assert table["n_invalid"].to_list() == [0, 5]
    with pytest.warns(UserWarning, match="5 of 5"):
        assert np.isnan(scorer(model, X[(X["a"] + X["b"]) == 2]))


def test_missing_values_do_not_lose_a_fold(credit):
    from sklearn.ensemble import HistGradientBoostingClassifier

    X = credit.data[["income", "loan_amount"]].astype(float)
    X.iloc[::7, 0] = np.nan
    features = {n: credit.action_set.features[n] for n in X}
    features = {
        n: Feature("real", f.lower, f.upper, max_increase=f.max_increase)
        for n, f in features.items()
    }
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, credit.target)
    assert 0 <= RecourseScorer(ActionSet(features))(model, X) <= 1


def test_groups_by_column_and_by_metadata_agree(credit):
    model = tree().fit(credit.data, credit.target)
    by_column = RecourseScorer(credit.action_set, "neg_recourse_rate_gap", groups="sex")
    gap = by_column(model, credit.data)
    table = by_column.by_group(model, credit.data)
    assert gap == -(table["recourse_rate"].max() - table["recourse_rate"].min())
    assert gap < 0
    for label, line in table.iterrows():
        alone = credit.data[credit.data["sex"] == label]
        rate = RecourseScorer(credit.action_set)(model, alone)
        assert line["recourse_rate"] == pytest.approx(rate)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = RecourseScorer(credit.action_set, "neg_recourse_rate_gap")
        routed.set_score_request(groups="sex_of")
        found = cross_validate(
            tree(),
            credit.data,
            credit.target,
            cv=2,
            scoring=routed,
            params={"sex_of": credit.data["sex"].to_numpy()},
        )
        direct = cross_validate(
            tree(), credit.data, credit.target, cv=2, scoring=by_column
        )
    np.testing.assert_allclose(found["test_score"], direct["test_score"])


def test_thresholds_fixed_and_tuned(credit):
    strict = FixedThresholdClassifier(tree(), threshold=0.9)
    strict.fit(credit.data, credit.target)
    inner = strict.estimator_
    scorer = RecourseScorer(credit.action_set)
    at_threshold = RecourseScorer(credit.action_set, threshold=0.9)
    assert scorer(strict, credit.data) == at_threshold(inner, credit.data)
    lr = encoded(LogisticRegression(max_iter=1_000))
    tuned = TunedThresholdClassifierCV(lr, cv=2, random_state=0)
    found = cross_validate(tuned, credit.data, credit.target, cv=2, scoring=scorer)
    assert (found["test_score"] > 0).all()


def test_explainers_are_tunable(credit):
    explainer = ResponsivenessExplainer(
        encoded(LogisticRegression(max_iter=500)), credit.action_set
    )
    search = GridSearchCV(
        explainer,
        {"estimator__logisticregression__C": [0.01, 1.0]},
        scoring={"auc": "roc_auc", "recourse": RecourseScorer()},
        refit="recourse",
        cv=2,
    ).fit(credit.data, credit.target)
    assert search.best_estimator_.verify(credit.data[:3]).status.shape == (3,)


def test_clones_and_bad_parameters(credit):
    model = tree().fit(credit.data, credit.target)
    scorer = clone(RecourseScorer(credit.action_set, "single_rate", threshold=0.7))
    assert scorer.threshold == 0.7
    assert "single_rate" in repr(scorer)
    assert "ActionSet(13 features, 10 actionable, 4 constraints)" in repr(scorer)
    assert "feature  " not in repr(scorer)
    with pytest.raises(ValueError, match="metric must be one of recourse_rate"):
        RecourseScorer(credit.action_set, "recourse")(model, credit.data)
    with pytest.raises(ValueError, match="action_set must be an ActionSet, got None"):
        RecourseScorer()(model, credit.data)
    with pytest.raises(ValueError, match="needs groups"):
        RecourseScorer(credit.action_set, "neg_single_rate_gap")(model, credit.data)
