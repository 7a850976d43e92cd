"""Interventions on one feature of a part with constraints, decided by boxes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer
from sklearn.tree import DecisionTreeClassifier

import skresp._recourse.engines._first_engine as first_engine
from skresp import ActionSet, Feature
from skresp._recourse.engines._make_engine import make_engine
from skresp._recourse.engines.boxes._engine import BoxEngine
from skresp.constraints import Linear, Linkage
from skresp.reach._options import options_of
from skresp.reach._part import parts_of
from skresp.reach._value_options import OptionSettings
from tests.recourse.explainers import explainer_of

NAMES = ["a", "b", "c"]
ACTIONS = ActionSet(
    {name: Feature("real", 0, 1) for name in NAMES},
    [Linear({"a": 1, "b": 1}, upper=1.8)],
)
PERSON = pd.DataFrame([[0.2, 0.3, 0.1]], columns=NAMES)


def _verify(rule, interventions="minimal", actions=ACTIONS, person=PERSON):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 1, (4_000, 3)), columns=NAMES)
    model = DecisionTreeClassifier(random_state=0).fit(X, rule(X).astype(int))
    explainer = explainer_of(model, actions, X, interventions=interventions)
    return explainer.verify(person)


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_a_part_that_is_not_enough_has_no_single_intervention(interventions):
    verdicts = _verify(lambda X: (X.a > 0.6) & (X.c > 0.6), interventions)
    assert verdicts.status.tolist() == ["joint"]


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
def test_a_change_of_one_feature_of_a_part_is_single(interventions):
    verdicts = _verify(lambda X: X.a > 0.6, interventions)
    assert verdicts.status.tolist() == ["single"]
    witness = verdicts.witness.iloc[0]
    assert witness["c"] == 0.1
    if interventions == "minimal":
        assert witness["b"] == 0.3


def test_two_changes_in_one_part_are_single_among_joint_interventions_only():
    def both(X):
        return (X.a > 0.6) & (X.b > 0.6)

    assert _verify(both, "joint").status.tolist() == ["single"]
    # Where one feature cannot move alone, others may have to: not settled by boxes.
    assert _verify(both, "minimal").status[0] in ("joint", "possible")


def test_a_change_with_its_effects_is_single():
    actions = ACTIONS.replace(
        {"b": Feature("real", 0, 1, actionable=False)}, [Linkage("a", {"b": 0.5})]
    )
    verdicts = _verify(lambda X: (X.a > 0.6) & (X.b > 0.45), actions=actions)
    assert verdicts.status.tolist() == ["single"]
    witness = verdicts.witness.iloc[0]
    assert witness["b"] == pytest.approx(0.3 + 0.5 * (witness["a"] - 0.2))


def test_a_listed_change_between_the_knots_of_a_curve_is_single():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 61, (2_000, 2)), columns=["a", "b"])
    X["r"], X["c"] = rng.uniform(0.5, 40, len(X)), rng.uniform(0.5, 4, len(X))
    y = np.log(X.r) + 0.001 * X.b + rng.normal(0, 0.3, len(X)) > 2.5
    model = make_pipeline(PowerTransformer(), LogisticRegression())
    model.fit(X, y.astype(int))
    # More changes of a part than are listed in a search; one real follows integers.
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 60),
            "b": Feature("integer", 0, 60),
            "r": Feature("real", actionable=False),
            "c": Feature("real", 0.99, 1.0),
        },
        [Linkage("a", {"r": 0.371}), Linear({"a": 1, "b": 1}, upper=119)],
    )
    person = pd.DataFrame({"a": [3], "b": [7], "r": [0.613], "c": [1.0]})
    most, less = (
        person.assign(a=a, r=0.613 + 0.371 * (a - 3)).astype(float) for a in (60, 59)
    )
    best, next_best = (model.predict_proba(x)[0, 1] for x in (most, less))
    threshold = best - 0.01 * (best - next_best)
    explainer = explainer_of(model, actions, X, threshold=threshold)
    assert isinstance(make_engine(explainer._fitted_model), BoxEngine)
    assert explainer.explain(person).values[0, 0] > 0
    assert explainer.verify(person).status.tolist() == ["single"]


def test_no_options_are_drawn_where_only_lists_are_wanted():
    part = next(part for part in parts_of(ACTIONS) if len(part.names) == 2)
    x = PERSON[["a", "b"]].to_numpy()
    rows = np.zeros(1, dtype=np.intp)
    for only_lists in (True, False):
        options = options_of(part, x, rows, rows, OptionSettings(only_lists=only_lists))
        assert (len(options.changes) == 1) == only_lists
        assert not options.covers_all.any()


def _forest(n=300):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(0, 1, (n, 3)), columns=NAMES)
    y = (X.a + X.b * X.c + rng.normal(0, 0.2, n) > 0.9).astype(int)
    model = RandomForestClassifier(25, random_state=0).fit(X, y)
    step = Feature("real", 0, 1, max_increase=0.25, max_decrease=0.1)
    actions = ActionSet({"a": step, "b": step, "c": Feature("real", actionable=False)})
    return explainer_of(model, actions, X), X[model.predict(X) == 0][:60]


def test_boxes_decide_where_many_nodes_split_on_lines(monkeypatch):
    explainer, people = _forest()
    special = explainer.verify(people)
    assert explainer._box_engine is None
    assert len(set(special.status)) > 1
    monkeypatch.setattr(first_engine, "_MAX_SPLITS_ON_LINES", 10)
    cheapest = explainer.verify(people, cost="fewest")
    assert explainer._box_engine is None  # boxes do not compare costs
    assert "cheapest" in cheapest.proof
    boxes = explainer.verify(people)
    assert explainer._box_engine is not None
    np.testing.assert_array_equal(boxes.status, special.status)
    # The tables of the other engine are not made for that.
    fresh, _ = _forest()
    np.testing.assert_array_equal(fresh.verify(people).status, special.status)
    assert "coded" not in vars(fresh._engine)
    # Best scores still come from the other engine.
    pd.testing.assert_frame_equal(boxes.curve(), special.curve())
