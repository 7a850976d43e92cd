"""Every value that a text names can be reached and is given the target."""

from __future__ import annotations

import re

import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage, OneHot
from skresp.report import notice
from tests import oracle
from tests.report.notice.text_numbers import numbers
from tests.small_models import RuleModel

LABELS = ["low", "middle", "high"]


def random_case(seed: int):
    """An action set, a table and a model of one of several families."""
    rng = np.random.default_rng(seed)
    n = 200
    unit = rng.choice([0.01, 0.1, 1.0, 37.0, 1000.0])
    top = float(rng.integers(1, 200)) * unit
    direction = rng.choice([None, None, "increase", "decrease"])
    features = {
        "real": Feature("real", 0, top, direction=direction),
        "long": Feature("integer", 0, int(rng.choice([90, 5_000, 2_000_000]))),
        "steps": Feature("integer", 0, 900, step=int(rng.choice([1, 7, 30]))),
        "total": Feature("real", actionable=False),
        "age": Feature("integer", actionable=False),
        "kind": Feature("categorical", categories=LABELS),
        **{name: Feature("binary") for name in ("own", "rent", "free")},
    }
    some = rng.random(n) < 0.3
    home = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "real": np.where(
                some, 0, rng.uniform(0, top, n).round(rng.integers(2, 12))
            ),
            "long": rng.integers(0, features["long"].upper + 1, n),
            "steps": rng.integers(0, 901, n),
            "total": rng.normal(0, top, n),
            "age": rng.integers(18, 90, n),
            "kind": rng.choice(LABELS, n),
            **{
                v: (home == i).astype(int)
                for i, v in enumerate(("own", "rent", "free"))
            },
        }
    )
    rules = [OneHot(["own", "rent", "free"])]
    if rng.random() < 0.5:
        rules.append(Linkage("real", {"total": float(rng.choice([1.0, -0.3, 1 / 3]))}))
    if rng.random() < 0.5:
        rules.append(Linkage("steps", {"age": 1}))
    if rng.random() < 0.2:
        rules.append(Linear({"real": 1.0, "total": 1.0}, upper=float(2 * top)))
        X = X[X["real"] + X["total"] <= 2 * top]
    parts = [
        X["real"] / top,
        X["long"] / features["long"].upper,
        X["steps"] / 900,
        np.sin(X["total"] / top * 3),
        X["own"] + (X["kind"] == "high"),
    ]
    score = sum(rng.normal() * part for part in parts)
    if rng.random() < 0.3:
        score = score + 3.0 * (X["real"] == 0)
    y = (score > np.quantile(score, 0.6)).astype(int)
    model = make_pipeline(_before(rng), _final(rng)).fit(X, y)
    return ActionSet(features, rules), X, model


def _before(rng):
    scaler = [StandardScaler(), MinMaxScaler(), "passthrough"][rng.integers(3)]
    numeric = ["real", "long", "steps", "total", "age"]
    return make_column_transformer(
        (scaler, numeric), (OneHotEncoder(), ["kind"]), remainder="passthrough"
    )


def _final(rng):
    return [
        lambda: DecisionTreeClassifier(
            max_depth=int(rng.integers(2, 7)), random_state=0
        ),
        lambda: RandomForestClassifier(5, random_state=0),
        lambda: lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1),
        lambda: xgboost.XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1),
        lambda: LogisticRegression(max_iter=2000),
        lambda: MLPClassifier((5,), solver="lbfgs", max_iter=50, random_state=0),
    ][rng.integers(6)]()


def point(actions, before, name, value):
    """Where a value of a feature leads, effects included."""
    after = before | {name: value}
    for (context, target), scale in actions.effects.items():
        if context == name:
            after[target] = before[target] + scale * (value - before[name])
    return after


def check_seed(seed: int, people: int = 2) -> int:
    """Check all texts of some people; how many values were checked."""
    actions, X, model = random_case(seed)
    how = ["minimal", "joint"][seed % 2]
    explainer = ResponsivenessExplainer(
        model, actions, target=1, interventions=how, random_state=seed, n_samples=60
    ).fit(X)
    rows = X[model.predict(X) == 0].iloc[:people]
    if not len(rows):
        return 0
    explanation = explainer.explain(rows)
    verdicts = explainer.verify(rows, max_points=2_000)
    checked = []
    for i in range(len(rows)):
        before = rows.iloc[i].to_dict()
        content = notice(explanation, i, verdicts, max_reasons=9).to_dict()
        text = explanation.describe(i)
        if verdicts.status[i] == "single":
            assert content["reasons"] or content["together"]
            if explanation.exact[i].all():
                assert "No change of a single feature" not in text
                assert content["reasons"]
        for reason in content["reasons"]:
            checked += _named(actions, before, reason, text)
        if content["together"]:
            checked.append(
                before | {m["feature"]: m["to"] for m in content["together"]}
            )
            assert oracle.move_ok(actions, before, checked[-1])
    if checked:
        table = pd.DataFrame(checked)[list(X.columns)]
        refused = model.predict(table) != 1
        assert not refused.any(), (seed, table[refused].to_dict("records"))
    return len(checked)


def _named(actions, before, reason, text):
    """The points that a reason names, in its values and in its words."""
    name = reason["feature"]
    feature = actions.features[name]
    points = []
    if reason["example"] is not None:
        after = before | reason["along_values"] | {name: reason["example"]}
        assert oracle.move_ok(actions, before, after)
        for (context, target), scale in actions.effects.items():
            moved = scale * (after[context] - before[context])
            assert after[target] == pytest.approx(before[target] + moved, rel=1e-9)
        points.append(after)
        if reason["values"]:
            assert reason["example"] in reason["values"]
        elif reason["ranges"]:
            assert any(a <= reason["example"] <= b for a, b in reason["ranges"])
    if feature.kind not in ("integer", "real"):
        return points
    ends = [end for pair in reason["ranges"] for end in pair]
    said = [] if not reason["works"] else numbers(_without_counts(reason["works"]))
    assert set(said) <= set(ends)
    if reason["ranges"] and reason["example"] is not None:
        least = min((e for e in ends), key=lambda e: abs(e - before[name]))
        assert abs(reason["example"] - before[name]) == abs(least - before[name])
    line = next(t for t in text.splitlines() if t.startswith(f"- {name}: "))
    if "): " in line:
        assert set(
            numbers(_without_counts(line.split("): ")[1].split(". ")[0]))
        ) <= set(ends)
    if not reason["certain"]:
        return points
    for end in ends:
        after = point(actions, before, name, end)
        assert oracle.move_ok(actions, before, after), (name, end)
        points.append(after)
    return points


def _without_counts(text: str) -> str:
    """A text without numbers that are no values of the feature."""
    return re.sub(r"in steps of \d+|\d+ (?:other|more) ranges", "", text.rstrip("."))


@pytest.mark.parametrize("seed", range(24))
def test_every_value_that_a_text_names_works(seed):
    check_seed(seed)


@pytest.mark.slow
def test_every_value_that_many_texts_name_works():
    assert sum(check_seed(seed, people=4) for seed in range(1_000, 1_120)) > 800


def test_integers_are_written_in_full():
    X = pd.DataFrame({"amount": np.arange(1_000_000, 2_000_000, 997)})
    model = DecisionTreeClassifier().fit(X, (X["amount"] > 1_234_567).astype(int))
    actions = ActionSet({"amount": Feature("integer", 1_000_000, 2_000_000)})
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    text = explainer.explain(X.iloc[[3]]).describe(0)
    (least,) = numbers(text.split("at least ")[1])
    said = pd.DataFrame({"amount": [int(least), int(least) - 1]})
    assert model.predict(said).tolist() == [1, 0]


def test_only_values_on_the_grid_of_steps_are_named():
    X = pd.DataFrame({"k": np.arange(10) * 1_000_003})
    model = DecisionTreeClassifier().fit(X, (X["k"] > 4e6).astype(int))
    actions = ActionSet({"k": Feature("integer", 0, 9_000_027, step=1_000_003)})
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    explanation = explainer.explain(X.iloc[[0]])
    assert "raise k from 0 to 4,000,012." in explanation.describe(0)
    text = notice(explanation, 0).text
    assert "Works: 4,000,012 to 9,000,027, in steps of 1,000,003." in text


@pytest.mark.parametrize(("a", "works"), [(1, "3 or 5"), (0, "3 to 5")])
def test_steps_are_named_where_effects_could_reach_between_them(a, works):
    """A person whose `a` is at its end reaches no value between the steps of `b`."""
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 1, direction="increase"),
            "b": Feature("integer", 1, 6, step=2),
        },
        [Linkage("a", {"b": 1})],
    )
    X = pd.DataFrame({"a": [a, 1, 1, 1], "b": [1, 3, 5, 6]})
    model = DecisionTreeClassifier().fit(X.assign(a=1), [0, 1, 1, 0])
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    explanation = explainer.explain(X.iloc[[0]])
    (reason,) = [
        r for r in notice(explanation, 0).content["reasons"] if r["feature"] == "b"
    ]
    assert reason["works"] == works


def test_the_example_takes_along_as_little_as_it_can():
    """Closing a card moves the open lines; 6 do as well as 3."""
    features = {"card": Feature("binary"), "lines": Feature("integer", 0, 10)}
    actions = ActionSet(features, [Linear({"lines": 1, "card": 4}, upper=10)])
    model = RuleModel(lambda X: (X["card"] == 1) & (X["lines"].isin([3, 6])))
    X = pd.DataFrame({"card": [0], "lines": [8]})
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    reason = notice(explainer, X).to_dict()["reasons"][0]
    assert reason["along_values"] == {"lines": 6}
    assert "together with lines to 6" in explainer.explain(X).describe(0)


def test_an_isolated_value_that_works_is_named():
    """A debt paid back in full (exactly 0) is approved, any debt above is not."""
    rng = np.random.default_rng(0)
    debt = np.where(rng.random(400) < 0.5, 0, rng.uniform(1, 100, 400))
    X = pd.DataFrame({"debt": debt, "age": rng.integers(20, 60, 400)})
    actions = ActionSet(
        {
            "debt": Feature("real", 0, 100, direction="decrease"),
            "age": Feature("integer", actionable=False),
        }
    )
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1)
    model.fit(X, (X["debt"] == 0).astype(int))  # cuts at 1e-35
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(X)
    row = pd.DataFrame({"debt": [50.0], "age": [30]})
    explanation, verdicts = explainer.explain(row), explainer.verify(row)
    assert (verdicts.status[0], explanation.values[0, 0]) == ("single", 0)
    text = explanation.describe(0)
    assert "No change" not in text
    assert "works at isolated values only (score 0.00): exactly 0." in text
    for made in (notice(explanation, 0), notice(explanation, 0, verdicts)):
        assert made.to_dict()["status"] == "single"
        assert "Works: exactly 0." in made.text
        assert made.to_dict()["reasons"][0]["ranges"] == [[0.0, 0.0]]
    assert "works at isolated values" in [
        t.get_text() for t in explanation.plot(0).ax_.texts
    ]
    plt.close("all")
