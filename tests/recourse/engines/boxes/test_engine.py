"""Verdicts by boxes, against the other engines and against enumeration."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._recourse.engines._make_engine import make_engine
from skresp._recourse.engines.boxes._engine import BoxEngine
from skresp._recourse.engines.trees._engine import TreeEngine
from skresp.constraints import IfThen, Linkage, Thermometer


def _people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.uniform(10, 90, n).round(1),
            "loans": rng.integers(0, 8, n),
            "used": rng.uniform(0, 1, n).round(3),
            "age": rng.integers(20, 70, n),
            "late1": rng.integers(0, 2, n),
        }
    )
    X["late2"] = X["late1"] * rng.integers(0, 2, n)
    y = (
        X["income"] / 40
        - 0.3 * X["loans"]
        - X["used"]
        - X["late1"]
        - X["late2"]
        + 0.01 * X["age"]
        + rng.normal(size=n) / 3
        > 0.4
    ).astype(int)
    return X, y


def _actions(**more):
    return ActionSet(
        {
            "income": Feature("real", 10, 90, max_increase=8, max_decrease=2),
            "loans": Feature("integer", 0, 8, direction="decrease", max_decrease=2),
            "used": Feature("real", 0, 1, max_decrease=0.3, max_increase=0.1),
            "age": Feature("integer", 20, 70, actionable=False),
            "late1": Feature("binary", direction="decrease"),
            "late2": Feature("binary", direction="decrease"),
        },
        [Thermometer(["late1", "late2"]), *more.get("constraints", [])],
    )


def _by_boxes(explainer):
    engine = BoxEngine.of(explainer._fitted_model.score_function)
    assert engine is not None
    explainer._engine = engine
    return explainer


MODELS = {
    "forest": RandomForestClassifier(12, max_depth=6, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=30, random_state=0),
    "histogram": HistGradientBoostingClassifier(max_iter=30, random_state=0),
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
}
CONSTRAINTS = {
    "none": [],
    "linked": [Linkage("loans", {"age": -1})],
    "implied": [IfThen(("loans", "<=", 2), ("late1", "==", 0))],
}


@pytest.mark.parametrize("constraints", CONSTRAINTS)
@pytest.mark.parametrize("name", MODELS)
def test_verdicts_equal_those_of_the_special_engines(name, constraints):
    X, y = _people()
    model = MODELS[name].fit(X, y)
    actions = _actions(constraints=CONSTRAINTS[constraints])
    explainer = ResponsivenessExplainer(
        model, actions, target=1, threshold=0.7, random_state=0, invalid_rows="nan"
    ).fit(X)
    special = explainer.verify(X[:120])
    boxes = _by_boxes(explainer).verify(X[:120])
    np.testing.assert_array_equal(boxes.status, special.status)
    assert {"fixed", "single"} <= set(boxes.status)


def test_witnesses_reach_the_target_and_are_feasible():
    X, y = _people()
    model = MODELS["forest"].fit(X, y)
    explainer = _by_boxes(
        ResponsivenessExplainer(
            model, _actions(), target=1, threshold=0.7, random_state=0
        ).fit(X)
    )
    verdicts = explainer.verify(X[:150])
    witness = verdicts.witness
    assert len(witness) > 10
    assert (model.predict_proba(witness[X.columns])[:, 1] >= 0.7).all()
    before = X.loc[witness.index]
    assert (witness["income"] - before["income"] <= 8 + 1e-9).all()
    assert (witness["late1"] >= witness["late2"]).all()
    assert (witness["age"] == before["age"]).all()


@pytest.mark.parametrize(("upper", "status"), [(0.975, "fixed"), (1.0, "single")])
def test_a_change_to_a_bound_does_not_pass_a_threshold_there(upper, status):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"used": rng.integers(0, 21, 500) / 20, "age": rng.uniform(size=500)}
    )
    model = HistGradientBoostingClassifier(max_iter=20).fit(X, X["used"] > 0.975)
    model = CalibratedClassifierCV(FrozenEstimator(model)).fit(X, X["used"] > 0.975)
    person = pd.DataFrame({"used": [0.3], "age": 0.5})
    assert 0.3 + (0.975 - 0.3) > 0.975  # by rounding
    actions = ActionSet(
        {"used": Feature("real", 0, upper), "age": Feature("real", 0, 1)}
    )
    explainer = _by_boxes(ResponsivenessExplainer(model, actions, target=True).fit(X))
    assert explainer._fitted_model.score_function.cuts(0)[-1] == 0.975
    assert explainer.verify(person).status == [status]


def test_labels_are_searched_as_sets():
    X, y = _people()
    rng = np.random.default_rng(1)
    X["job"] = rng.choice(["clerk", "cook", "nurse", "smith"], len(X))
    y = ((y == 1) & (X["job"] != "cook")).astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(), ["job"]), remainder="passthrough"
    )
    model = make_pipeline(encode, RandomForestClassifier(8, random_state=0)).fit(X, y)
    features = dict(_actions().features)
    features["job"] = Feature("categorical", categories=["clerk", "cook", "nurse"])
    actions = ActionSet(features, [Thermometer(["late1", "late2"])])
    explainer = ResponsivenessExplainer(
        model, actions, target=1, threshold=0.7, random_state=0
    ).fit(X)
    if explainer._fitted_model.score_function is None:
        pytest.skip("the pipeline is not read")
    rows = X[:60]
    boxes = _by_boxes(explainer).verify(rows)
    # Without reals, everything can be listed.
    for name in ("income", "used"):
        features[name] = Feature("real", 0, 90, actionable=False)
    still = ActionSet(features, [Thermometer(["late1", "late2"])])
    listed = ResponsivenessExplainer(
        model, still, target=1, threshold=0.7, random_state=0
    ).fit(X)
    by_list = listed.verify(rows)
    by_boxes = _by_boxes(listed).verify(rows)
    np.testing.assert_array_equal(by_boxes.status, by_list.status)
    # More freedom never makes a person fixed.
    assert not ((boxes.status == "fixed") & (by_list.status != "fixed")).any()
    assert {"fixed", "single"} <= set(by_boxes.status)


def test_several_free_reals_in_a_part_are_decided():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {f"paid{i}": rng.uniform(0, 10, 500).round(1) for i in range(3)}
        | {f"bill{i}": rng.uniform(0, 30, 500).round(1) for i in range(3)}
    )
    total = X.filter(like="paid").sum(axis=1) - X.filter(like="bill").sum(axis=1) / 3
    model = RandomForestClassifier(10, max_depth=6, random_state=0)
    model.fit(X, (total > 5).astype(int))
    features = {f"paid{i}": Feature("real", 0, 10, max_increase=2) for i in range(3)}
    features |= {f"bill{i}": Feature("real", 0, 30, actionable=False) for i in range(3)}
    links = [
        Linkage("paid0", {"bill0": -1, "bill1": -1, "bill2": -1}),
        Linkage("paid1", {"bill1": -1, "bill2": -1}),
        Linkage("paid2", {"bill2": -1}),
    ]
    explainer = ResponsivenessExplainer(
        model, ActionSet(features, links), target=1, threshold=0.7, random_state=0
    ).fit(X)
    rows = X[model.predict_proba(X)[:, 1] < 0.7][:60]
    verdicts = explainer.verify(rows)
    assert {"fixed", "single", "joint"} <= set(verdicts.status)
    assert "unknown" not in set(verdicts.status)
    # No drawn change of a fixed person reaches the target.
    fixed = rows[verdicts.status == "fixed"]
    for _, row in fixed[:10].iterrows():
        paid = rng.uniform(-row[:3], np.minimum(2, 10 - row[:3]), (2_000, 3))
        points = pd.DataFrame(np.tile(row, (2_000, 1)), columns=X.columns)
        effects = np.column_stack([paid, -np.cumsum(paid, axis=1)])
        assert (model.predict_proba(points + effects)[:, 1] < 0.7).all()


def test_the_verdict_of_a_person_does_not_depend_on_the_others():
    X, y = _people()
    model = MODELS["forest"].fit(X, y)
    explainer = _by_boxes(
        ResponsivenessExplainer(
            model, _actions(), target=1, threshold=0.7, random_state=0
        ).fit(X)
    )
    together = explainer.verify(X[:40])
    alone = [explainer.verify(X[i : i + 1]).status[0] for i in range(40)]
    np.testing.assert_array_equal(together.status, alone)
    backwards = explainer.verify(X[:40][::-1])
    np.testing.assert_array_equal(together.status, backwards.status[::-1])


COMPOSITES = {
    "calibrated": CalibratedClassifierCV(MODELS["boosting"], method="sigmoid", cv=2),
    "isotonic": CalibratedClassifierCV(MODELS["forest"], method="isotonic", cv=2),
    "voting": VotingClassifier(
        [("lr", MODELS["linear"]), ("rf", MODELS["forest"])], voting="soft"
    ),
    "bagging": BaggingClassifier(DecisionTreeClassifier(), 8, random_state=0),
    "stacking": StackingClassifier(
        [("lr", MODELS["linear"]), ("rf", MODELS["forest"])], LogisticRegression(), cv=2
    ),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_composites_are_decided_and_no_draw_contradicts(name):
    X, y = _people()
    model = COMPOSITES[name].fit(X, y)
    explainer = ResponsivenessExplainer(
        model, _actions(), target=1, threshold=0.65, random_state=0
    ).fit(X)
    # Bagged trees are one sum of trees, which has an engine of its own.
    engine = TreeEngine if name == "bagging" else BoxEngine
    assert isinstance(make_engine(explainer._fitted_model), engine)
    rows = X[model.predict_proba(X)[:, 1] < 0.65][:60]
    verdicts = explainer.verify(rows)
    assert "unknown" not in set(verdicts.status)
    assert {"fixed", "single"} <= set(verdicts.status)
    rng = np.random.default_rng(0)
    fixed = rows[verdicts.status == "fixed"]
    points = pd.concat([fixed] * 300, ignore_index=True)
    change = rng.uniform(-2, 8, len(points)) * (rng.random(len(points)) < 0.8)
    points["income"] = (points["income"] + change).clip(10, 90)
    change = rng.uniform(-0.3, 0.1, len(points)) * (rng.random(len(points)) < 0.8)
    points["used"] = (points["used"] + change).clip(0, 1)
    points["loans"] = (points["loans"] - rng.integers(0, 3, len(points))).clip(0)
    points["late2"] *= rng.integers(0, 2, len(points))
    points["late1"] *= np.maximum(rng.integers(0, 2, len(points)), points["late2"])
    assert (model.predict_proba(points)[:, 1] < 0.65).all()


def test_people_level_with_the_border_are_decided_by_enumeration():
    """On a plateau of isotonic regression no box is beyond the border or below it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.integers(0, 2, 300), "b": rng.integers(0, 4, 300), "c": 0}
    )
    y = (X.a + X.b + rng.normal(0, 1, 300) > 2.5).astype(int)
    model = CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=2).fit(X, y)
    actions = ActionSet(
        {
            "a": Feature("binary"),
            "b": Feature("integer", 0, 3, max_increase=1),
            "c": Feature("binary"),
        }
    )
    everything = X.drop_duplicates()
    statuses = set()
    for p in np.unique(model.predict_proba(everything)[:, 1]):
        for threshold in (p, np.nextafter(p, 2)):
            explainer = ResponsivenessExplainer(
                FrozenEstimator(model), actions, target=1, threshold=float(threshold)
            ).fit(X)
            verdicts = explainer.verify(everything)
            assert isinstance(explainer._engine, BoxEngine)
            for i, row in enumerate(everything.to_dict("records")):
                points = pd.DataFrame(
                    [
                        {"a": a, "b": b, "c": c}
                        for a in (0, 1)
                        for b in range(min(row["b"] + 1, 3) + 1)
                        for c in (0, 1)
                    ]
                )
                reached = model.predict_proba(points)[:, 1] >= threshold
                moved = (points != pd.Series(row)).sum(axis=1)
                expected = "fixed" if not reached.any() else "joint"
                if reached[moved == 1].any():
                    expected = "single"
                if reached[moved == 0].any():
                    expected = "approved"
                assert verdicts.status[i] == expected
                statuses.add(expected)
    assert statuses == {"approved", "single", "joint", "fixed"}
