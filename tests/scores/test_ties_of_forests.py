"""Where half of a forest votes for either class, the first class is predicted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, ResponsivenessExplainer
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._kernel_use import kernels
from skresp._model._target import make_target_rule

KINDS = {
    "random forest": lambda **fields: RandomForestClassifier(10, **fields),
    "extra trees": lambda **fields: ExtraTreesClassifier(10, **fields),
}


def decision_of(model, X, target=1):
    rule = make_target_rule(model, target, None)
    input_format = InputFormat.of(model, X, trained=True)
    known = FittedModel(rule, input_format, ActionSet.infer(X)).score_function
    return known.decision


class Counting:
    """Counts the points that a model is asked about."""

    def __init__(self, model, monkeypatch):
        self.points = 0
        predict = type(model).predict

        def counted(forest, X):
            self.points += len(X)
            return predict(forest, X)

        monkeypatch.setattr(type(model), "predict", counted)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_answered_as_by_the_model_without_asking(
    kind, target, data, actions, monkeypatch
):
    X, y = data
    model = KINDS[kind](random_state=0).fit(X, y)
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=target)
    explainer.fit(X)
    people = X[:40]
    with kernels("never"):
        expected = explainer.explain(people)
    explainer.explain(people)  # reads the model
    counting = Counting(model, monkeypatch)
    found = explainer.explain(people)
    assert counting.points == 0
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_array_equal(found.n_reachable, expected.n_reachable)


@pytest.mark.parametrize("target", [0, 1])
def test_a_tie_goes_to_the_first_class(target, data):
    X, y = data
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    decision = decision_of(model, X, target)
    tie = np.full((1, 2), 0.5 + 1e-12)
    tie[0, target] -= 2e-12  # rounding does not matter
    assert [each.tolist() for each in decision.answers(tie)] == [
        [target == 0],
        [True],
    ]
    clear = np.array([[0.6, 0.4], [0.4, 0.6]])
    reached, sure = decision.answers(clear)
    np.testing.assert_array_equal(reached, [target == 0, target == 1])
    assert sure.all()
    assert not decision.answers(np.array([[np.nan, np.nan]]))[1].any()


def test_an_error_of_the_size_of_a_vote_leaves_ties_in_doubt(data):
    X, y = data
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    decision = decision_of(model, X)
    tie = np.full((1, 2), 0.5)
    assert decision.answers(tie, rounding=decision.grain / 4)[1].all()
    assert not decision.answers(tie, rounding=decision.grain / 2)[1].any()


MIXED = {
    "leaves of thirds": lambda: RandomForestClassifier(10, min_samples_leaf=3),
    "votes of forests": lambda: VotingClassifier(
        [(str(i), RandomForestClassifier(10, random_state=i)) for i in range(2)],
        voting="soft",
    ),
}


@pytest.mark.parametrize("name", MIXED)
def test_ties_of_rounded_sums_are_left_to_the_model(name, data):
    X, y = data
    model = MIXED[name]().fit(X, y)
    assert decision_of(model, X).grain == 0.0


def test_ties_of_three_classes_are_left_to_the_model(data):
    X, y = data
    model = RandomForestClassifier(10, random_state=0).fit(X, y + (X["debt"] > 1.2))
    assert decision_of(model, X).grain == 0.0
