"""A target that is taken by default is named; one threshold decides, not two."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skresp import (
    ActionSet,
    AtLeast,
    Feature,
    LimeExplainer,
    ResponsivenessExplainer,
    ShapExplainer,
)
from skresp.metrics import RecourseScorer

EXPLAINERS = [ResponsivenessExplainer, ShapExplainer, LimeExplainer]
X = pd.DataFrame(
    [(a, b) for a in range(8) for b in range(5)], columns=["income", "loans"]
)
Y = (X["income"] - X["loans"] >= 2).astype(int).to_numpy()
ACTIONS = ActionSet(
    {"income": Feature("integer", 0, 7), "loans": Feature("integer", 0, 4)}
)


def about_target(found):
    return [w for w in found if "target" in str(w.message)]


@pytest.mark.parametrize("explainer", EXPLAINERS)
@pytest.mark.parametrize("labels", [[0, 1], ["default", "repaid"], [False, True]])
def test_a_default_target_is_named(explainer, labels):
    y = np.array(labels)[Y]
    made = explainer(LogisticRegression(), ACTIONS)
    with pytest.warns(UserWarning, match="target is not given") as found:
        made.fit(X, y)
    (warning,) = about_target(found)
    assert warning.filename == __file__
    message = str(warning.message)
    assert message.startswith(f"target is not given: {labels[1]!r}, the last of")
    assert f"({labels[0]!r}, {labels[1]!r})" in message
    assert "Pass target=" in message
    assert made.target_ == labels[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        explainer(LogisticRegression(), ACTIONS, target=labels[1]).fit(X, y)


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_numbers_have_no_default_target(explainer):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        explainer(LinearRegression(), ACTIONS, target=AtLeast(0.5)).fit(X, Y)


def test_a_scorer_names_its_default_target_once():
    scorer = RecourseScorer(ACTIONS)
    with pytest.warns(UserWarning, match="target is not given: 1") as found:
        cross_validate(LogisticRegression(), X, Y, cv=4, scoring=scorer)
    assert len(about_target(found)) == 1
    with pytest.warns(UserWarning, match="target is not given"):
        clone(scorer)(LogisticRegression().fit(X, Y), X)
    explainer = ResponsivenessExplainer(LogisticRegression(), ACTIONS, target=0)
    explainer.fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        given = RecourseScorer(ACTIONS, target=0)(explainer.estimator_, X)
        assert RecourseScorer()(explainer, X) == given


def fixed(model=None):
    return FixedThresholdClassifier(model or LogisticRegression(), threshold=0.3)


TWO_THRESHOLDS = {
    "fixed": fixed(),
    "tuned": TunedThresholdClassifierCV(LogisticRegression(), cv=2),
    "in a pipeline": make_pipeline(StandardScaler(), fixed()),
    "around a pipeline": fixed(make_pipeline(StandardScaler(), LogisticRegression())),
    "in a search": GridSearchCV(fixed(), {"threshold": [0.2, 0.3]}, cv=2),
    "in a selector": RFE(fixed(), importance_getter="estimator_.coef_"),
    "deep": make_pipeline(StandardScaler(), GridSearchCV(fixed(), {}, cv=2)),
}


@pytest.mark.parametrize("model", TWO_THRESHOLDS.values(), ids=TWO_THRESHOLDS)
def test_two_thresholds_are_an_error_that_names_both(model):
    model = clone(model).fit(X, Y)
    named = (
        r"threshold=0\.4 is given.*(Fixed|Tuned)ThresholdClassifier(CV)? with .*=0\."
    )
    for wrapped in (model, FrozenEstimator(model)):
        explainer = ResponsivenessExplainer(wrapped, ACTIONS, target=1, threshold=0.4)
        with pytest.raises(ValueError, match=named):
            explainer.fit(X)
        with pytest.raises(ValueError, match=named):
            RecourseScorer(ACTIONS, target=1, threshold=0.4)(wrapped, X)
        ResponsivenessExplainer(wrapped, ACTIONS, target=1).fit(X).explain(X)


def test_a_threshold_over_a_plain_search_is_fine():
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2).fit(X, Y)
    explainer = ResponsivenessExplainer(search, ACTIONS, target=1, threshold=0.4)
    explanation = explainer.fit(X).explain(X)
    reached = search.predict_proba(X)[:, 1] >= 0.4
    np.testing.assert_array_equal(explanation.at_target, reached)
