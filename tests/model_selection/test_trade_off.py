"""The rule that chooses by recourse, and the curve over thresholds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from skresp import ResponsivenessExplainer
from skresp.datasets import make_credit
from skresp.metrics import RecourseScorer
from skresp.model_selection import best_recourse_within, threshold_curve, trade_off
from tests.small_models import encoded


def results(auc, recourse):
    """What a search leaves behind, from scores by candidate and fold."""
    out = {"params": [{"k": i} for i in range(len(auc))]}
    for name, table in (("auc", auc), ("recourse", recourse)):
        table = np.asarray(table, dtype=float)
        for fold in range(table.shape[1]):
            out[f"split{fold}_test_{name}"] = table[:, fold]
        out[f"mean_test_{name}"] = table.mean(axis=1)
        out[f"std_test_{name}"] = table.std(axis=1)
    return out


share = st.floats(0, 1)


@given(
    st.lists(
        st.tuples(st.lists(share, min_size=4, max_size=4), share),
        min_size=1,
        max_size=8,
    )
)
def test_the_choice_is_the_best_recourse_among_the_good(candidates):
    auc = [row for row, _ in candidates]
    recourse = [[value] * 4 for _, value in candidates]
    cv_results = results(auc, recourse)
    rule = best_recourse_within(1.0)
    chosen = rule(cv_results)
    mean = cv_results["mean_test_auc"]
    top = int(np.argmax(mean))
    room = np.std(auc[top]) / 2  # four folds
    good = [i for i in range(len(mean)) if mean[i] >= mean[top] - room]
    assert chosen in good
    reached = cv_results["mean_test_recourse"]
    assert reached[chosen] == max(reached[i] for i in good)
    ties = [i for i in good if reached[i] == reached[chosen]]
    assert mean[chosen] == max(mean[i] for i in ties)
    assert best_recourse_within(0.0)(cv_results) in np.flatnonzero(mean == mean[top])
    widest = best_recourse_within(tolerance=1.0)(cv_results)
    assert reached[widest] == reached.max()


def test_a_lost_candidate_is_not_chosen():
    cv_results = results([[0.9] * 2, [0.9] * 2], [[0.8] * 2, [0.7] * 2])
    cv_results["mean_test_recourse"][0] = np.nan
    assert best_recourse_within()(cv_results) == 1
    cv_results["mean_test_recourse"][:] = np.nan
    with pytest.raises(ValueError, match="No candidate has both"):
        best_recourse_within()(cv_results)


def test_names_and_numbers_that_are_wrong():
    with pytest.raises(ValueError, match="no score 'auc'; it has 'accuracy'"):
        best_recourse_within()({"mean_test_accuracy": [1.0], "params": [{}]})
    with pytest.raises(ValueError, match="standard_errors must be a number"):
        best_recourse_within(-1)
    with pytest.raises(ValueError, match="tolerance must be a number"):
        best_recourse_within(tolerance="much")


def test_a_search_refits_by_the_rule():
    credit = make_credit(240, random_state=0)
    rule = best_recourse_within(2.0)
    search = GridSearchCV(
        encoded(LogisticRegression(max_iter=500)),
        {"logisticregression__C": [1e-4, 1e-2, 1.0]},
        scoring={"auc": "roc_auc", "recourse": RecourseScorer(credit.action_set)},
        refit=rule,
        cv=3,
    ).fit(credit.data, credit.target)
    table = trade_off(search.cv_results_, rule)
    assert search.best_index_ == int(np.flatnonzero(table["chosen"])[0])
    assert table.loc[search.best_index_, "eligible"]
    assert search.best_estimator_.predict(credit.data[:2]).shape == (2,)


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(max_iter=500), RandomForestClassifier(5, random_state=0)],
)
def test_the_curve_of_no_rows_has_the_usual_columns(model):
    credit = make_credit(60, random_state=0)
    X, y = credit.data, credit.target
    fitted = encoded(model).fit(X, y)
    explainer = ResponsivenessExplainer(fitted, credit.action_set, target=1).fit(X)
    usual = threshold_curve(explainer, X, y, [0.3, 0.6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none = threshold_curve(explainer, X[:0], y[:0], [0.3, 0.6])
        curve = explainer.verify(X[:0]).curve([0.3, 0.6])
    assert none.dtypes.equals(usual.dtypes)
    assert none["accuracy"].isna().all()
    assert curve.dtypes.equals(usual.dtypes.drop("accuracy"))
    assert curve["threshold"].tolist() == [0.3, 0.6]
    assert (curve.drop(columns="threshold") == 0).all(axis=None)


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(max_iter=500), RandomForestClassifier(15, random_state=0)],
)
def test_the_curve_equals_verdicts_at_each_threshold(model):
    credit = make_credit(200, random_state=0)
    fitted = encoded(model).fit(credit.data, credit.target)
    explainer = ResponsivenessExplainer(fitted, credit.action_set).fit(credit.data)
    cuts = [0.2, 0.35, 0.5, 0.61, 0.77, 0.93]
    curve = threshold_curve(explainer, credit.data, credit.target, cuts)
    for cut, line in zip(cuts, curve.itertuples(), strict=True):
        at = ResponsivenessExplainer(fitted, credit.action_set, threshold=cut)
        status = at.fit(credit.data).verify(credit.data).status
        assert line.denied == pytest.approx((status != "approved").mean())
        assert line.no_recourse == pytest.approx((status == "fixed").mean())
        approved = fitted.predict_proba(credit.data)[:, 1] >= cut
        right = (approved == (credit.target == 1)).mean()
        assert line.accuracy == pytest.approx(right)
    assert (np.diff(curve["no_recourse"]) >= 0).all()
