"""Values and examples in a notice are those of the enumeration."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pandas as pd
import pytest

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._text import state
from skresp.constraints import IfThen, Linear, Linkage, OneHot, Switch, Thermometer
from skresp.report import notice
from tests import oracle
from tests.report.notice.text_numbers import numbers
from tests.small_models import RuleModel

LABELS = ["low", "middle", "high"]


class Arbitrary:
    """A model without any order: each point but one has an answer of its own."""

    classes_ = np.array([0, 1])

    def __init__(self, salt: int, denied: dict) -> None:
        self.salt, self.denied = salt, denied

    def says(self, row: dict) -> int:
        plain = [v if isinstance(v, str) else int(v) for v in row.values()]
        code = zlib.crc32(repr([self.salt, *plain]).encode())
        return int(row != self.denied and code % 10 < 1 + self.salt % 9)

    def predict(self, X):
        return np.array([self.says(row) for row in X.to_dict("records")])


def movement(actions, before, after, but):
    """How far all other features move, as shares of their ranges."""
    total = 0.0
    for name, feature in actions.features.items():
        if name == but or before[name] == after[name]:
            continue
        if feature.kind == "categorical":
            order = list(feature.categories)
            ordered = feature.direction is not None
            far = (
                abs(order.index(after[name]) - order.index(before[name]))
                if ordered
                else 1
            )
            total += far / max(len(order) - 1, 1) if ordered else 1
        else:
            span = 1 if feature.kind == "binary" else feature.upper - feature.lower
            total += abs(after[name] - before[name]) / span
    return round(total, 9)


def distance(actions, before, after, name):
    feature = actions.features[name]
    if feature.kind != "categorical":
        return abs(after[name] - before[name])
    if feature.direction is None:
        return 1
    order = feature.categories
    return abs(order.index(after[name]) - order.index(before[name]))


def values_in(reason, points):
    """The values of points that a reason lists."""
    if reason["values"]:
        return {v for v in points if v in reason["values"]}
    return {v for v in points if any(a <= v <= b for a, b in reason["ranges"])}


def tied_case(seed: int):
    """An action set whose features take each other along, and a valid person."""
    rng = np.random.default_rng(seed)

    def way():
        return rng.choice([None, None, "increase", "decrease"])

    features = {
        "a": Feature("integer", 0, 4, direction=way()),
        "b": Feature("integer", 0, 4, step=int(rng.integers(1, 3))),
        "c": Feature("binary", direction=way()),
        "d": Feature("binary"),
        "e": Feature("categorical", categories=LABELS, direction=way()),
        "f": Feature("integer", 0, 9, actionable=False, mutable=bool(rng.integers(2))),
    }
    rules = [
        Linear({"a": 1, "b": 1}, upper=int(rng.integers(3, 7))),
        Linkage("a", {"b": int(rng.choice([-1, 1]))}),
        Linkage("a", {"f": 1}),
        OneHot(["c", "d"], at_most=True),
        Thermometer(["c", "d"]),
        IfThen(("a", ">=", 2), ("b", ">=", 1)),
        IfThen(("c", "==", 1), ("a", ">=", 2)),
        IfThen(("e", "==", "high"), ("b", "<=", int(rng.integers(3)))),
        Switch("d", ["b"]),
        Linear({"b": 1, "f": 1}, lower=3),
    ]
    actions = ActionSet(features, list(rng.permutation(rules)[: rng.integers(1, 4)]))
    while True:
        numbers = {name: int(rng.integers(0, 5)) for name in "abf"}
        marks = {name: int(rng.integers(0, 2)) for name in "cd"}
        person = numbers | marks | {"e": str(rng.choice(LABELS))}
        person = {name: person[name] for name in features}
        if oracle.move_ok(actions, person, person):
            return actions, person


def left_out(explanation, actions, name, reasons, before):
    """Whether a letter may leave out a feature that works, beside what it lists."""
    points = explanation.reachable(0, name).points.to_dict("records")
    smaller = [
        reason["along_values"] | {other: reason["example"]}
        for other, reason in reasons.items()
    ]
    if len(points) == 1 and actions.features[name].kind == "binary":
        moved = {n: v for n, v in points[0].items() if v != before[n]}
        if any(other.items() <= moved.items() for other in smaller):
            return True
    score = explanation.values[0, explanation.feature_names.index(name)]
    scales = [r.features for r in actions.constraints if isinstance(r, Thermometer)]
    on_a_scale = any(name in scale and reasons.keys() & {*scale} for scale in scales)
    return bool(reasons) and (score < 0.05 or on_a_scale)


def check_tied(seed: int) -> None:
    actions, before = tied_case(seed)
    how = ["minimal", "joint"][seed % 2]
    X = pd.DataFrame([before])
    for salt in range(2):
        model = Arbitrary(salt + seed, before)
        explainer = ResponsivenessExplainer(model, actions, target=1, interventions=how)
        explanation, verdicts = explainer.fit(X).explain(X), explainer.verify(X)
        content = notice(explanation, 0, verdicts, max_reasons=9).to_dict()
        reasons = {reason["feature"]: reason for reason in content["reasons"]}
        for name in actions.names:
            points = explanation.reachable(0, name).points.to_dict("records")
            hits = [p for p in points if model.says(p)]
            if hits and name not in reasons:
                assert left_out(explanation, actions, name, reasons, before)
                continue
            assert (name in reasons) == bool(hits)
            if hits:
                _check_listed(actions, before, reasons[name], points, hits, explanation)
        if content["together"]:
            after = before | {m["feature"]: m["to"] for m in content["together"]}
            assert oracle.move_ok(actions, before, after)
            assert model.says(after)


@pytest.mark.parametrize("seed", range(30))
def test_listed_values_and_examples_are_those_of_the_enumeration(seed):
    check_tied(seed)


def _check_listed(actions, before, reason, points, hits, explanation):
    name = reason["feature"]
    good = {p[name] for p in hits}
    assert values_in(reason, {p[name] for p in points} | {before[name]}) == good
    if reason["certain"]:
        assert all(p in hits for p in points if p[name] in good)
    else:
        assert any(p not in hits for p in points if p[name] in good)
    after = before | reason["along_values"] | {name: reason["example"]}
    assert after in hits
    assert after[name] in good
    size = [
        (distance(actions, before, p, name), movement(actions, before, p, name))
        for p in (after, *hits)
    ]
    assert size[0] == min(size)
    assert reason["least"]
    line = next(
        line
        for line in explanation.describe(0).splitlines()
        if line.startswith(f"- {name}: ")
    )
    if actions.features[name].kind == "integer":
        said = re.search(r"from (\S+) to ([\d,-]+)", line)
        assert numbers(said[2]) == [after[name]]
    for other, value in reason["along_values"].items():
        said = state(value, actions.features[other].kind)
        assert f"{other} follows to {said}" in line or f"{other} to {said}" in line


@pytest.mark.slow
def test_many_listed_values_and_examples_are_those_of_the_enumeration():
    for seed in range(1_000, 1_150):
        check_tied(seed)


def test_steps_are_named_once():
    amount = Feature("integer", 0, 3000, step=100)
    X = pd.DataFrame({"amount": [1500]})
    model = RuleModel(
        lambda X: X["amount"].isin([0, 100, 300, 400, 500, 900, 2000, 2100])
    )
    explainer = ResponsivenessExplainer(model, ActionSet({"amount": amount}), target=1)
    made = notice(explainer.fit(X), X)
    assert (
        "Works: 0, 100, 300 to 500, 900 or 2 other ranges, in steps of 100."
        in " ".join(made.text.split())
    )
