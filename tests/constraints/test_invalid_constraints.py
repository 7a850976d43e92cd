"""Errors of invalid constraints name the parameter, the value and a remedy."""

from __future__ import annotations

import numpy as np
import pytest

from skresp import ActionSet, Feature
from skresp.constraints import (
    IfThen,
    Linear,
    Linkage,
    OneHot,
    Ordinal,
    Reachability,
    Switch,
    Thermometer,
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OneHot("abc"), "needs a list of feature names, got the string"),
        (lambda: OneHot(["a", "a"]), "names 'a' twice"),
        (lambda: OneHot(["a"]), "at least 2 features"),
        (lambda: OneHot(["a", "b"], 3), "from 1 to 2"),
        (lambda: Ordinal(["a", "b"], "up"), "direction of Ordinal"),
        (lambda: Thermometer(["a", 1]), "needs feature names, got 1"),
        (lambda: Reachability(["a", "b"], [[0]]), "rows of 2 values"),
        (lambda: Reachability(["a"], [[0], [0]]), r"got \[0\] twice"),
        (
            lambda: Reachability(["a"], [[0], [1]], [[1]]),
            r"must be 2 x 2.*got \[\[1\]\]",
        ),
        (
            lambda: Reachability(["a"], [[0], [1]], [[1, 1], [1, 0]]),
            r"1 on its diagonal, .* got 0 for \[1\]",
        ),
        (
            lambda: Reachability(["a"], [[0], [1]], [[1, 2], [1, 1]]),
            "0 and 1 only",
        ),
        (lambda: Reachability(["a"], [[0], [1]], [[1], [1, 1]]), "must be 2 x 2"),
        (lambda: Reachability(["a"], [0, 1]), "rows of 1 values"),
        (lambda: OneHot(["a", "b"], "one"), r"whole number from 1 to 2, .* got 'one'"),
        (lambda: OneHot(["a", "b"], 1, "no"), "at_most of OneHot must be True or"),
        (lambda: Linkage("a", {"b": 1}, "no"), "keep_bounds of Linkage must be"),
        (lambda: Ordinal(["a", "b"], None, "no"), "exhaustive of Ordinal must be"),
        (lambda: Switch("a", ["b"], 1, "no"), "force_change of Switch must be"),
        (lambda: Linkage("a", {1: 1, "b": 2}), "needs feature names, got 1"),
        (lambda: Linkage("a", {"a": 1}), "'a' its own target, a cycle"),
        (lambda: Linkage("a", {}), "at least one entry"),
        (lambda: Linkage("a", {"b": "much"}), "must be a number, got 'much'"),
        (lambda: Linkage("a", {"b": np.inf}), "must be finite"),
        (
            lambda: IfThen(("a", "<", 1), ("b", "==", 1)),
            "operator of the condition on 'a' .* got '<'",
        ),
        (lambda: IfThen(("a", "in", 1), ("b", "==", 1)), "needs a list of values"),
        (lambda: IfThen("a", ("b", "==", 1)), "must be a triple"),
        (lambda: Switch("a", ["a"]), "'a' its own target"),
        (lambda: Switch("a", []), "at least 1 feature, got"),
        (lambda: Linear({"a": 1}), "neither lower nor upper"),
        (lambda: Linear({"a": 1}, 2, 1), "must not exceed upper, got lower=2, upper=1"),
    ],
)
def test_a_contradiction_is_refused_at_construction(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


B = Feature("binary")
R = Feature("real", 0, 1)
I = Feature("integer", 0, 9)  # noqa: E741
C = Feature("categorical", categories=["x", "y"])
FREE = Feature("integer", actionable=False)


@pytest.mark.parametrize(
    ("features", "rule", "message"),
    [
        ({"a": B, "b": R}, OneHot(["a", "b"]), "binary features, but 'b' is real"),
        ({"a": B, "b": R}, Ordinal(["a", "b"]), "binary features, but 'b' is real"),
        ({"a": B, "b": R}, Thermometer(["a", "b"]), "but 'b' is real"),
        ({"a": R}, Reachability(["a"], [[0]]), "'a' is real. Use Linear or IfThen"),
        ({"a": B}, Reachability(["a"], [[2]]), "binary feature 'a' the value 2"),
        ({"a": I}, Reachability(["a"], [[1.5]]), "integer feature 'a' the value 1.5"),
        ({"a": C}, Reachability(["a"], [["z"]]), "'z' for 'a', whose categories are"),
        ({"a": I, "b": I}, Linkage("a", {"b": 0.5}), "fractional scale 0.5 for"),
        ({"a": I, "b": B}, Linkage("a", {"b": 0.5}), "fractional scale 0.5 for"),
        ({"a": R, "b": I}, Linkage("a", {"b": 1}), "from the real feature 'a'"),
        ({"a": C, "b": I}, Linkage("a", {"b": 1}), "'a' is categorical"),
        (
            {"a": I, "b": FREE},
            Linkage("a", {"b": 1}, keep_bounds=True),
            "target 'b' has no bounds",
        ),
        ({"a": C, "b": B}, IfThen(("a", "<=", "x"), ("b", "==", 1)), "with 'in'"),
        ({"a": C, "b": B}, IfThen(("a", "==", "z"), ("b", "==", 1)), "'z' for 'a'"),
        ({"a": R, "b": B}, Switch("a", ["b"]), "'a' is real. Make the switch"),
        ({"a": B, "b": B}, Switch("a", ["b"], 2), "on_value=2"),
        ({"a": C, "b": I}, Linear({"a": 1, "b": 1}, 0), "Labels cannot be added"),
    ],
)
def test_wrong_kinds_are_refused_by_the_action_set(features, rule, message):
    with pytest.raises(ValueError, match=message):
        ActionSet(features, [rule])


def test_a_cycle_of_linkages_is_refused():
    with pytest.raises(ValueError, match=r"cycle, '[ab]' -> '[ab]' -> '[ab]'"):
        ActionSet({"a": I, "b": I}, [Linkage("a", {"b": 1}), Linkage("b", {"a": 1})])


def test_fractions_onto_reals_are_fine():
    actions = ActionSet({"a": I, "b": R}, [Linkage("a", {"b": 0.5})])
    assert actions.effects == {("a", "b"): 0.5}
