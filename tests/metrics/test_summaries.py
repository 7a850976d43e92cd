"""Shares of people and of lists, compared with plain counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from skresp import LimeExplainer, ResponsivenessExplainer, ShapExplainer
from skresp.datasets import make_credit
from skresp.metrics import (
    compare_explainers,
    explanation_summary,
    recourse_summary,
    responsiveness_by_rank,
)
from tests import oracle
from tests.small_models import encoded, fitted
from tests.strategies import cases


@pytest.fixture(scope="module")
def credit():
    return make_credit(300, random_state=0)


@pytest.fixture(scope="module")
def explainer(credit):
    model = encoded(LogisticRegression(max_iter=1_000))
    return ResponsivenessExplainer(model, credit.action_set).fit(
        credit.data, credit.target
    )


def test_a_summary_counts_verdicts(credit, explainer):
    status = explainer.verify(credit.data).status
    summary = recourse_summary(explainer, credit.data)
    denied = status != "approved"
    assert summary["denied"] == denied.mean()
    for name, kind in {
        "no_recourse": "fixed",
        "single": "single",
        "joint": "joint",
        "possible": "possible",
        "unknown": "unknown",
    }.items():
        assert summary[name] == (status == kind).sum() / denied.sum()
    parts = ("no_recourse", "single", "joint", "possible", "unknown")
    assert sum(summary[p] for p in parts) == pytest.approx(1)
    assert 0 < summary["no_recourse"] < 1
    assert 0 < summary["joint"] < 1


def test_groups_are_summarised_each_by_itself(credit, explainer):
    table = recourse_summary(explainer, credit.data, groups="sex")
    for label, line in table.iterrows():
        alone = credit.data[credit.data["sex"] == label]
        assert line.to_dict() == recourse_summary(explainer, alone)
    same = recourse_summary(explainer, credit.data, groups=credit.data["sex"].to_list())
    pd.testing.assert_frame_equal(table, same)


def test_nobody_denied_is_no_share_of_anything(credit, explainer):
    happy = credit.data[explainer.predict(credit.data) == 1]
    summary = recourse_summary(explainer, happy)
    assert summary["denied"] == 0
    assert np.isnan(summary["single"])


def test_groups_that_are_no_groups(credit, explainer):
    with pytest.raises(ValueError, match=r"must be a column of X .*'shoe_size'"):
        recourse_summary(explainer, credit.data, groups="shoe_size")
    with pytest.raises(ValueError, match="one label for each of the 300 rows"):
        recourse_summary(explainer, credit.data, groups=[1, 2])


def naive_summary(explanation, scores, k):
    """By the words of the definitions, one person at a time."""
    lists, lengths = [], {}
    for i, listed in enumerate(explanation.top_features(k)):
        if explanation.at_target[i]:
            continue
        lists.append([scores[i, j] > 0 for j in listed])
        row = tuple(map(str, np.asarray(explanation.data)[i]))
        if listed:
            lengths[row] = len(listed)
    shown = [works for works in lists if works]
    n = len(shown)
    return {
        "presented": n / len(lists) if lists else np.nan,
        "all_unresponsive": sum(not any(w) for w in shown) / n if n else np.nan,
        "some_responsive": sum(any(w) for w in shown) / n if n else np.nan,
        "all_responsive": sum(all(w) for w in shown) / n if n else np.nan,
        "n_features": np.mean(list(lengths.values())) if lengths else np.nan,
    }


@pytest.mark.parametrize("k", [1, 4, 20])
def test_lists_are_counted_as_the_words_say(credit, explainer, k):
    truth = explainer.explain(credit.data)
    shap = ShapExplainer(explainer.estimator_, random_state=0).fit(credit.data)
    twice = pd.concat([credit.data, credit.data[:50]])
    for explanation, scores in (
        (truth, truth),
        (shap.explain(twice), explainer.explain(twice)),
    ):
        found = explanation_summary(explanation, scores, k)
        assert found == pytest.approx(
            naive_summary(explanation, scores.values, k), nan_ok=True
        )


@given(data=st.data())
@settings(max_examples=40)
def test_lists_of_responsiveness_hold_responsive_features_only(data):
    actions, person = data.draw(cases())
    model, X = fitted("tree", actions, data.draw(st.integers(0, 1_000)))
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    explanation = explainer.explain(pd.DataFrame([person]))
    responsive = []
    for name in actions.names:
        points = oracle.interventions(actions, person, name, "minimal")
        if points and (model.predict(pd.DataFrame(points)) == 1).any():
            responsive.append(name)
    listed = explanation.top(4)["feature"].tolist()
    assert set(listed) <= set(responsive)
    assert len(listed) == min(4, len(responsive))
    found = explanation_summary(explanation, explanation)
    if explanation.at_target[0]:
        assert np.isnan(found["presented"])
    else:
        assert found["presented"] == bool(responsive)
    if found["presented"] > 0:
        assert (found["all_responsive"], found["all_unresponsive"]) == (1, 0)


def test_five_methods_side_by_side(credit, explainer):
    model, X, actions = explainer.estimator_, credit.data[:80], credit.action_set
    explainers = {
        "LIME": LimeExplainer(model, num_samples=50, random_state=0).fit(X),
        "SHAP": ShapExplainer(model, random_state=0).fit(X),
        "LIME-AW": LimeExplainer(model, actions, num_samples=50, random_state=0).fit(X),
        "SHAP-AW": ShapExplainer(model, actions, random_state=0).fit(X),
        "RESP": explainer,
    }
    table = compare_explainers(explainers, X)
    assert list(table.columns) == list(explainers)
    assert table.loc["all_responsive", "RESP"] == 1
    assert table.loc["presented", "SHAP"] == 1
    assert table.loc["denied"].nunique() == 1
    denied = X[model.predict(X) == 0]
    for name, each in explainers.items():
        alone = explanation_summary(each.explain(denied), explainer.explain(denied))
        assert table[name].drop("denied").to_dict() == alone


def test_several_models_are_compared(credit, explainer):
    forest = encoded(RandomForestClassifier(5, random_state=0))
    other = ResponsivenessExplainer(forest, credit.action_set)
    other.fit(credit.data, credit.target)
    table = compare_explainers(
        {"LR": {"RESP": explainer}, "RF": {"RESP": other}}, credit.data
    )
    assert table.columns.tolist() == [("LR", "RESP"), ("RF", "RESP")]
    pd.testing.assert_series_equal(
        table["RF"]["RESP"], compare_explainers({"RESP": other}, credit.data)["RESP"]
    )


def test_without_responsiveness_nothing_can_be_judged(credit, explainer):
    shap = ShapExplainer(explainer.estimator_, random_state=0).fit(credit.data)
    with pytest.raises(ValueError, match="must include a ResponsivenessExplainer"):
        compare_explainers({"SHAP": shap}, credit.data)
    table = compare_explainers(
        {"SHAP": shap}, credit.data[:40], responsiveness=explainer
    )
    assert list(table.columns) == ["SHAP"]


def test_ranks_count_who_has_a_feature_there(credit, explainer):
    shap = ShapExplainer(explainer.estimator_, random_state=0).fit(credit.data)
    explanation = shap.explain(credit.data)
    truth = explainer.explain(credit.data)
    table = responsiveness_by_rank(explanation, truth)
    works = [[] for _ in explanation.feature_names]
    for i, listed in enumerate(explanation.top_features(len(works))):
        if not explanation.at_target[i]:
            for rank, j in enumerate(listed):
                works[rank].append(truth.values[i, j] > 0)
    for rank, answers in enumerate(works, start=1):
        assert table.loc[rank, "people"] == len(answers)
        if answers:
            assert table.loc[rank, "share"] == pytest.approx(np.mean(answers))
    assert (responsiveness_by_rank(truth, truth)["share"].dropna() == 1).all()
    assert len(responsiveness_by_rank(truth, truth, max_rank=2)) == 2


def test_explanations_of_other_rows_are_refused(credit, explainer):
    explanation = explainer.explain(credit.data[:10])
    with pytest.raises(ValueError, match="Explain the same rows"):
        explanation_summary(explanation, explainer.explain(credit.data[:9]))
    with pytest.raises(ValueError, match="top_k must be a whole number"):
        explanation_summary(explanation, explanation, 0)
