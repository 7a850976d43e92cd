"""The generated applicants: reproducible, plausible, and worth explaining."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import check_random_state

from skresp import ActionSet, ResponsivenessExplainer
from skresp.datasets import make_credit
from skresp.reach import reachable_set

SEEDS = (0, 1, 2)


def _pipeline(model):
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(), make_column_selector(dtype_exclude="number")),
            remainder=StandardScaler(),
        ),
        model,
    )


def test_a_seed_makes_the_same_applicants_and_leaves_global_state_alone():
    before = check_random_state(None).get_state()[1].copy()
    first, again = make_credit(random_state=3), make_credit(random_state=3)
    pd.testing.assert_frame_equal(first.frame, again.frame)
    assert first.action_set == again.action_set
    assert not first.frame.equals(make_credit(random_state=4).frame)
    assert (check_random_state(None).get_state()[1] == before).all()


def test_the_bunch_holds_together():
    credit = make_credit(200, random_state=0)
    assert credit.data.shape == (200, 13)
    assert credit.feature_names == list(credit.action_set.names)
    assert list(credit.frame) == [*credit.feature_names, "repaid"]
    assert set(credit.target) == {0, 1}
    assert credit.target_names == ["not repaid", "repaid"]
    X, y = make_credit(200, random_state=0, return_X_y=True)
    pd.testing.assert_frame_equal(X, credit.data)
    pd.testing.assert_series_equal(y, credit.target)


@pytest.mark.parametrize("n_samples", [0, -1, 2.5, "many"])
def test_a_senseless_number_of_applicants_is_refused(n_samples):
    with pytest.raises(ValueError, match="n_samples must be a whole number"):
        make_credit(n_samples)


def test_one_applicant_can_be_made():
    assert len(make_credit(1, random_state=0).data) == 1


def test_no_applicant_breaks_a_rule_and_all_start_within_bounds(tmp_path):
    credit = make_credit(20_000, random_state=0)
    X, actions = credit.data, credit.action_set
    assert len(actions.check(X)) == 0
    for name, feature in actions.features.items():
        if feature.kind == "categorical":
            assert set(X[name]) == set(feature.categories)
        else:
            low, high = feature.bounds
            assert X[name].between(low, high).all(), name
    assert (X["years_employed"] <= X["age"] - 18).all()
    actions.to_file(tmp_path / "actions.yaml")
    assert ActionSet.from_file(tmp_path / "actions.yaml") == actions


@pytest.mark.parametrize("seed", SEEDS)
def test_most_repay_and_a_model_predicts_it_with_errors(seed):
    X, y = make_credit(random_state=seed, return_X_y=True)
    assert 0.55 <= y.mean() <= 0.75
    for model in (
        LogisticRegression(max_iter=500),
        RandomForestClassifier(50, min_samples_leaf=3, random_state=0),
    ):
        found = cross_val_score(_pipeline(model), X, y, cv=4, scoring="roc_auc").mean()
        assert 0.75 <= found <= 0.85


def test_sex_has_no_part_in_it_yet_groups_differ():
    X, y = make_credit(20_000, random_state=0, return_X_y=True)
    rates = y.groupby(X["sex"]).mean()
    assert rates["male"] - rates["female"] > 0.03
    model = _pipeline(LogisticRegression(max_iter=500)).fit(X, y)
    flipped = X.assign(sex=X["sex"].map({"male": "female", "female": "male"}))
    moved = model.predict_proba(X)[:, 1] - model.predict_proba(flipped)[:, 1]
    assert np.abs(moved).mean() < 0.02


@pytest.mark.parametrize("seed", SEEDS)
def test_of_the_denied_some_have_a_single_way_and_some_have_none(seed):
    credit = make_credit(random_state=seed)
    X = credit.data
    model = _pipeline(LogisticRegression(max_iter=500)).fit(X, credit.target)
    denied = X[model.predict(X) == 0]
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), credit.action_set, target=1, random_state=0
    ).fit(X)
    explanation = explainer.explain(denied)
    single = (explanation.values > 0).any(axis=1)
    assert 0.15 <= len(denied) / len(X) <= 0.4
    assert 0.3 <= single.mean() <= 0.8
    assert explanation.exact.all()


def test_who_takes_up_years_of_work_takes_a_job_along():
    credit = make_credit(random_state=0)
    X = credit.data
    person = X[X["job"] == "not employed"].iloc[0]
    points = reachable_set(credit.action_set, person, "years_employed").points
    assert set(points["job"]) == {"part time", "full time"}
    years = points["years_employed"] - person["years_employed"]
    assert (points["age"] - person["age"] == years).all()


def test_a_small_loan_is_paid_back_sooner():
    credit = make_credit(5_000, random_state=0)
    X = credit.data
    tight = X["loan_amount"] - 50 * X["loan_months"] < 500
    person = X[tight & (X["loan_amount"] > 1_500)].iloc[0]
    points = reachable_set(credit.action_set, person, "loan_amount").points
    assert (points["loan_amount"] >= 50 * points["loan_months"]).all()
    assert (points["loan_months"] < person["loan_months"]).any()
    assert (points["loan_amount"] % 100 == 0).all()
