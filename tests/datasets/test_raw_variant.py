"""The data as published: words and numbers, ready for a pipeline and an explainer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skresp import ActionSet, ResponsivenessExplainer
from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc
from skresp.reach import reachable_set

pytestmark = pytest.mark.data

# Rows, columns, actionable features, share at the target.
CASES = {
    fetch_german: (1_000, 20, 10, 0.7),
    fetch_heloc: (9_871, 23, 9, 0.47969),
    fetch_givemecredit: (150_000, 10, 7, 0.93316),
}
MODELS = {
    "trees": RandomForestClassifier(20, max_depth=6, random_state=0),
    "line": make_pipeline(
        SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=500)
    ),
}


@pytest.fixture(params=CASES, ids=lambda f: f.__name__)
def bunch(request, raw_data):
    return request.param(variant="raw", data_home=raw_data), CASES[request.param]


def test_shapes_and_target(bunch):
    data, (rows, columns, actionable, share) = bunch
    assert data.data.shape == (rows, columns)
    assert len(data.action_set.actionable) == actionable
    assert list(data.data.columns) == list(data.action_set.names)
    assert data.target.mean() == pytest.approx(share, abs=1e-5)


def test_nothing_is_broken_but_for_missing_values(bunch):
    data, _ = bunch
    found = data.action_set.check(data.data)
    assert set(found["broken"]) <= {
        "The value is missing, though the feature can change."
    }
    changeable = data.data[list(data.action_set.actionable)]
    assert len(found) == changeable.isna().to_numpy().sum()


def test_no_code_for_a_missing_value_is_left(bunch):
    data, _ = bunch
    numbers = data.data.select_dtypes("number")
    assert (numbers.min() >= 0).all()
    late = numbers.filter(like="DaysPastDue")
    assert not late.isin((96, 98)).to_numpy().any()


def test_a_change_only_lands_on_labels_that_an_encoder_has_seen(bunch):
    data, _ = bunch
    for name in data.action_set.actionable:
        feature = data.action_set.features[name]
        if feature.kind == "categorical":
            assert set(feature.categories) <= set(data.data[name].unique())


def test_the_action_set_survives_its_file(bunch, tmp_path):
    actions = bunch[0].action_set
    actions.to_file(tmp_path / "actions.yaml")
    assert ActionSet.from_file(tmp_path / "actions.yaml") == actions


@pytest.mark.parametrize("kind", MODELS)
def test_a_pipeline_is_fitted_and_fifty_people_explained(bunch, kind):
    data, _ = bunch
    rows = np.random.default_rng(0).permutation(len(data.data))[:2_000]
    X, y = data.data.iloc[rows], data.target.iloc[rows]
    model = make_pipeline(
        make_column_transformer(
            (
                OneHotEncoder(sparse_output=False),
                make_column_selector(dtype_exclude="number"),
            ),
            remainder="passthrough",
        ),
        MODELS[kind],
    ).fit(X, y)
    people = X.iloc[np.argsort(model.predict_proba(X)[:, 1])[:50]]
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), data.action_set, missing="hold", random_state=0
    ).fit(X)
    explanation = explainer.explain(people)
    assert explanation.values.shape == people.shape
    assert ((explanation.values >= 0) & (explanation.values <= 1)).all()
    able = explanation.n_reachable.sum(axis=0) > 0
    assert set(people.columns[able]) == set(data.action_set.actionable)
    assert (explanation.n_reachable[people.isna().to_numpy()] == 0).all()


def test_data_and_target_come_alone_where_asked(raw_data):
    whole = fetch_german(variant="raw", data_home=raw_data)
    X, y = fetch_german(variant="raw", data_home=raw_data, return_X_y=True)
    pd.testing.assert_frame_equal(X, whole.data)
    pd.testing.assert_series_equal(y, whole.target)


def test_raw_and_paper_have_the_same_people(raw_data):
    german = fetch_german(data_home=raw_data)
    raw = fetch_german(variant="raw", data_home=raw_data)
    pd.testing.assert_series_equal(raw.target, german.target)
    credit = fetch_givemecredit(data_home=raw_data)
    raw = fetch_givemecredit(variant="raw", data_home=raw_data)
    known = raw.data[["MonthlyIncome", "NumberOfDependents"]].notna().all(axis=1)
    kept = raw.frame[known & (raw.data["age"] >= 21)].reset_index(drop=True)
    pd.testing.assert_series_equal(kept[raw.target.name], credit.target)
    for thousands in (3, 5, 10):
        ours = kept["MonthlyIncome"] >= 1_000 * thousands
        assert (ours == credit.data[f"MonthlyIncome_geq_{thousands}K"]).all()


def test_plans_are_paid_off_and_jobs_found_not_kept_for_decades(raw_data):
    german = fetch_german(variant="raw", data_home=raw_data)
    X, actions = german.data, german.action_set

    def lands(name, label):
        person = X[X[name] == label].iloc[0]
        return set(reachable_set(actions, person, name).points[name])

    assert lands("other_payment_plans", "bank") == {"none"}
    assert lands("other_payment_plans", "none") == set()
    assert lands("employment", "unemployed") == {"<1", "1<=X<4"}
    assert lands("employment", "1<=X<4") == set()


def test_months_without_a_new_trade_age_the_file(raw_data):
    heloc = fetch_heloc(variant="raw", data_home=raw_data)
    X = heloc.data
    waiting = "MSinceMostRecentTradeOpen"
    person = X[X["MSinceMostRecentDelq"].isna()].iloc[0]
    points = reachable_set(heloc.action_set, person, waiting, missing="hold").points
    months = points[waiting] - person[waiting]
    assert sorted(months) == list(range(1, 13))
    assert (points["AverageMInFile"] - person["AverageMInFile"] == months).all()
    assert points["MSinceMostRecentDelq"].isna().all()


def test_worst_delinquencies_are_said_in_words_from_the_worst_up(raw_data):
    X = fetch_heloc(variant="raw", data_home=raw_data).data
    codes = pd.read_csv(raw_data / "heloc" / "heloc_dataset_v1.csv")
    codes = codes[codes["NumTotalTrades"] != -9].reset_index(drop=True)
    for name, never in (("MaxDelqEver", 8), ("MaxDelq2PublicRecLast12M", 7)):
        assert X[name].notna().all()
        assert ((X[name] == "never delinquent") == (codes[name] == never)).all()
        for days, code in (("120+", 3), ("90", 4), ("60", 5), ("30", 6)):
            code -= 0 if name == "MaxDelqEver" else 2
            assert ((X[name] == f"{days} days late") == (codes[name] == code)).all()
        places = X[name].cat.codes.groupby(codes[name]).unique()
        assert (places.str.len() == 1).all()
        assert places.str[0].is_monotonic_increasing
