"""Models that are made of other models: which are read, and why others are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet
from skresp._model import _families
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._links import PIECEWISE, SIGMOID, Link
from skresp._model._target import make_target_rule
from tests.model.catalogue import people


def _fitted(model: Any, classes: int = 2) -> Any:
    X, y = people()
    X = X[["income", "age"]]
    if classes == 3:
        y = y + (X["age"] > 50)
    model.fit(X, y)
    rule = make_target_rule(model, 1, None)
    input_format = InputFormat.of(model, X, trained=True)
    return FittedModel(rule, input_format, ActionSet.infer(X))


def _voting(voting: str, *members: Any) -> VotingClassifier:
    return VotingClassifier(
        [(f"m{i}", m) for i, m in enumerate(members)], voting=voting
    )


def _stacking(final: Any) -> StackingClassifier:
    return StackingClassifier([("forest", _forest())], final, cv=2)


def _calibrated(model: Any) -> CalibratedClassifierCV:
    return CalibratedClassifierCV(model, cv=2)


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(3, max_depth=3, random_state=0)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (_voting("hard", _forest(), LogisticRegression()), "voting='soft' only"),
        (_voting("soft", _forest(), KNeighborsClassifier()), "KNeighborsClassifier"),
        (
            _calibrated(_voting("soft", _forest(), _forest())),
            "put it around the members",
        ),
        (BaggingClassifier(LinearSVC(), 3, random_state=0), "counts the votes"),
        (AdaBoostClassifier(LogisticRegression(), n_estimators=3), "trees only"),
        (_stacking(_forest()), "a linear final estimator only"),
        (_stacking(make_pipeline(StandardScaler(), LogisticRegression())), "linear"),
    ],
)
def test_other_composites_have_a_reason(model: Any, reason: str) -> None:
    fitted = _fitted(model)
    assert fitted.score_function is None
    assert reason in fitted.unread_reason


@pytest.mark.parametrize(
    "model",
    [
        _calibrated(_forest()),
        _voting("soft", _forest(), _forest()),
        BaggingClassifier(n_estimators=3),
        AdaBoostClassifier(n_estimators=3),
        _stacking(LogisticRegression()),
    ],
)
def test_three_classes_have_a_reason(model: Any) -> None:
    fitted = _fitted(model, classes=3)
    assert fitted.score_function is None
    assert "two classes only" in fitted.unread_reason


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_a_threshold_is_set_on_the_probability(target: int, share: float) -> None:
    fitted = _fitted(_calibrated(_forest()))
    X = people()[0][["income", "age"]]
    chances = fitted.estimator.predict_proba(X)[:, target]
    threshold = float(np.quantile(chances, share)) + 1e-6
    rule = make_target_rule(fitted.estimator, target, threshold)
    fitted = FittedModel(rule, fitted.input_format, fitted.features)
    known = fitted.score_function
    assert known is not None
    assert known.decision is not None
    reached = known.decision.gap(known.scores(X.to_numpy(dtype=float))) > 0
    assert 0 < reached.mean() < 1
    np.testing.assert_array_equal(reached, rule.reached(X))


def test_a_steep_link_widens_the_doubt() -> None:
    """Roundings of the sum are enlarged by the slope of the link."""
    fitted = _fitted(CalibratedClassifierCV(LogisticRegression(), method="isotonic"))
    known = fitted.score_function
    assert known is not None
    steepest = max(group.link.steepness for group in known.groups)
    assert steepest > 1
    for member in fitted.estimator.calibrated_classifiers_:
        x = member.calibrators[0].X_thresholds_
        member.calibrators[0].X_thresholds_ = x * 1e-13
    again = FittedModel(fitted.target_rule, fitted.input_format, fitted.features)
    assert again.score_function is None
    assert "rounding errors decide" in again.unread_reason


@pytest.mark.parametrize("of_probability", [False, True])
@pytest.mark.parametrize(
    "link",
    [
        Link(SIGMOID, -3.0, 0.2),
        Link(PIECEWISE, x=np.array([-1.0, 0.2, 0.7]), y=np.array([0.1, 0.3, 0.9])),
    ],
)
def test_no_slope_of_a_link_is_steeper_than_its_steepness(
    link: Link, of_probability: bool
) -> None:
    link = link._replace(of_probability=of_probability)
    s = np.linspace(-4.0, 4.0, 100_001)
    slopes = np.abs(np.diff(link(s)) / np.diff(s))
    assert slopes.max() <= link.steepness + 1e-6
    assert slopes.max() >= (0.5 if of_probability else 0.99) * link.steepness


def test_a_wrong_link_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = _fitted(_calibrated(_forest()))
    assert fitted.score_function is not None
    read = _families.read_model(fitted.estimator)
    group = read.groups[0]
    wrong = group._replace(link=group.link._replace(slope=1.001 * group.link.slope))
    changed = read._replace(groups=(wrong, *read.groups[1:]))
    monkeypatch.setattr(
        "skresp._model._read_score_function.read_model", lambda model: changed
    )
    again = FittedModel(fitted.target_rule, fitted.input_format, fitted.features)
    assert again.score_function is None
    assert "differ from the model's own" in again.unread_reason


def test_members_keep_their_weights() -> None:
    model = _voting("soft", _forest(), LogisticRegression()).set_params(weights=[3, 1])
    known = _fitted(model).score_function
    assert known is not None
    assert_allclose([group.weight for group in known.groups], [0.75, 0.25])


def test_bagged_trees_are_one_group_of_trees() -> None:
    model = BaggingClassifier(max_features=1, n_estimators=4, random_state=0)
    known = _fitted(model).score_function
    assert known is not None
    assert known.family == "trees"
    (group,) = known.groups
    assert group.trees is not None
    assert len(group.trees.roots) == 4
    assert set(group.trees.column) == {-1, 0, 1}


def test_members_that_saw_one_class_have_a_reason() -> None:
    member = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    model = BaggingClassifier(member, 20, max_samples=2, random_state=0)
    fitted = _fitted(model)
    assert {len(member.classes_) for member in fitted.estimator.estimators_} == {1, 2}
    assert "two classes only" in fitted.unread_reason
