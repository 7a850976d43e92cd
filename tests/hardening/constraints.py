"""Constraints."""

from __future__ import annotations

import numpy as np

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

from .attack import Attack, feature

BITS = {name: Feature("binary") for name in "abc"}


NUMBERS = {name: feature() for name in "abc"}


LABELS = Feature("categorical", categories=["own", "rent"])


ATTACKS = [
    Attack(
        "names as one text",
        lambda w: OneHot("abc"),
        TypeError,
        (
            "OneHot needs a list of feature names, got the string 'abc'. "
            "Put it in a list."
        ),
    ),
    Attack(
        "a name is a number",
        lambda w: OneHot(["a", 1]),
        TypeError,
        "OneHot needs feature names, got 1.",
    ),
    Attack(
        "names is a number",
        lambda w: OneHot(5),
        TypeError,
        "OneHot needs a list of feature names, got 5.",
    ),
    Attack(
        "a name twice",
        lambda w: OneHot(["a", "a"]),
        ValueError,
        "OneHot names 'a' twice. Name each feature once.",
    ),
    Attack(
        "too few names",
        lambda w: OneHot(["a"]),
        ValueError,
        "OneHot needs at least 2 features, got ['a'].",
    ),
    Attack(
        "limit 0",
        lambda w: OneHot(["a", "b"], limit=0),
        ValueError,
        (
            "limit of OneHot must be a whole number from 1 to 2, the "
            "number of its features, got 0."
        ),
    ),
    Attack(
        "limit too large",
        lambda w: OneHot(["a", "b"], limit=3),
        ValueError,
        (
            "limit of OneHot must be a whole number from 1 to 2, the "
            "number of its features, got 3."
        ),
    ),
    Attack(
        "limit is text",
        lambda w: OneHot(["a", "b"], limit="1"),
        ValueError,
        (
            "limit of OneHot must be a whole number from 1 to 2, the "
            "number of its features, got '1'."
        ),
    ),
    Attack(
        "at_most is text",
        lambda w: OneHot(["a", "b"], at_most="no"),
        TypeError,
        (
            "at_most of OneHot must be True or False (true or false in a "
            "file), got 'no'."
        ),
    ),
    Attack(
        "one-hot over numbers",
        lambda w: ActionSet(NUMBERS, [OneHot(["a", "b"])]),
        ValueError,
        (
            "OneHot needs binary features, but 'a' is integer. For a "
            "feature with labels, use one categorical feature instead."
        ),
    ),
    Attack(
        "direction",
        lambda w: Ordinal(["a", "b"], direction="up"),
        ValueError,
        ("direction of Ordinal must be 'increase', 'decrease' or None, got 'up'."),
    ),
    Attack(
        "exhaustive",
        lambda w: Ordinal(["a", "b"], exhaustive="yes"),
        TypeError,
        (
            "exhaustive of Ordinal must be True or False (true or false in "
            "a file), got 'yes'."
        ),
    ),
    Attack(
        "thermometer of numbers",
        lambda w: ActionSet(NUMBERS, [Thermometer(["a", "b"])]),
        ValueError,
        (
            "Thermometer needs binary features, but 'a' is integer. Encode "
            "its thresholds as binary features first."
        ),
    ),
    Attack(
        "thermometer direction",
        lambda w: Thermometer(["a", "b"], direction=1),
        ValueError,
        ("direction of Thermometer must be 'increase', 'decrease' or None, got 1."),
    ),
    Attack(
        "effects is a list",
        lambda w: Linkage("a", ["b"]),
        TypeError,
        (
            "effects of Linkage must be a mapping from feature to number "
            "with at least one entry, got ['b']."
        ),
    ),
    Attack(
        "no effects",
        lambda w: Linkage("a", {}),
        TypeError,
        (
            "effects of Linkage must be a mapping from feature to number "
            "with at least one entry, got {}."
        ),
    ),
    Attack(
        "source is a number",
        lambda w: Linkage(1, {"b": 1}),
        TypeError,
        "source of Linkage must be a feature name, got 1.",
    ),
    Attack(
        "scale is text",
        lambda w: Linkage("a", {"b": "1"}),
        TypeError,
        "effects['b'] of Linkage must be a number, got '1'.",
    ),
    Attack(
        "scale is NaN",
        lambda w: Linkage("a", {"b": np.nan}),
        ValueError,
        "effects['b'] of Linkage must be finite, got nan.",
    ),
    Attack(
        "own target",
        lambda w: Linkage("a", {"a": 1}),
        ValueError,
        ("Linkage makes 'a' its own target, a cycle. Leave it out of effects."),
    ),
    Attack(
        "keep_bounds is 1",
        lambda w: Linkage("a", {"b": 1}, 1),
        TypeError,
        (
            "keep_bounds of Linkage must be True or False (true or false "
            "in a file), got 1."
        ),
    ),
    Attack(
        "fractional scale",
        lambda w: ActionSet(NUMBERS, [Linkage("a", {"b": 0.5})]),
        ValueError,
        (
            "Linkage has the fractional scale 0.5 for the integer feature "
            "'b', which would get values that are not integer. Use a whole "
            "number, or make 'b' real."
        ),
    ),
    Attack(
        "linkage of labels",
        lambda w: ActionSet({"a": LABELS, "b": feature()}, [Linkage("b", {"a": 1})]),
        ValueError,
        (
            "Linkage needs binary or integer or real features, but 'a' is "
            "categorical. Use IfThen or Reachability for labels."
        ),
    ),
    Attack(
        "linkage from a real",
        lambda w: ActionSet(
            {"a": Feature("real", 0, 1), "b": feature()}, [Linkage("a", {"b": 1})]
        ),
        ValueError,
        (
            "Linkage leads from the real feature 'a' to the integer "
            "feature 'b', which would get values that are not integer. "
            "Make 'b' real, or 'a' integer."
        ),
    ),
    Attack(
        "rows of other lengths",
        lambda w: Reachability(["a", "b"], [[0, 1], [1]]),
        ValueError,
        (
            "values of Reachability must be rows of 2 values, one for each "
            "of a and b, got [[0, 1], [1]]."
        ),
    ),
    Attack(
        "no rows",
        lambda w: Reachability(["a"], []),
        ValueError,
        ("values of Reachability must be rows of 1 values, one for each of a, got []."),
    ),
    Attack(
        "rows is a number",
        lambda w: Reachability(["a"], 5),
        ValueError,
        ("values of Reachability must be rows of 1 values, one for each of a, got 5."),
    ),
    Attack(
        "a row twice",
        lambda w: Reachability(["a"], [[0], [0]]),
        ValueError,
        ("values of Reachability must be distinct, got [0] twice. Keep one of them."),
    ),
    Attack(
        "a list in a row",
        lambda w: Reachability(["a"], [[[0]], [1]]),
        TypeError,
        "values of Reachability must be numbers and labels, got [0].",
    ),
    Attack(
        "matrix of another size",
        lambda w: Reachability(["a"], [[0], [1]], [[1]]),
        ValueError,
        (
            "reachable of Reachability must be 2 x 2, one row and one "
            "column for each row of values, got [[1]]."
        ),
    ),
    Attack(
        "matrix with 2",
        lambda w: Reachability(["a"], [[0], [1]], [[1, 2], [0, 1]]),
        ValueError,
        ("reachable of Reachability must have 0 and 1 only, got [[1, 2], [0, 1]]."),
    ),
    Attack(
        "diagonal with 0",
        lambda w: Reachability(["a"], [[0], [1]], [[0, 1], [0, 1]]),
        ValueError,
        (
            "reachable of Reachability must have 1 on its diagonal, since "
            "not changing is always possible, got 0 for [0]."
        ),
    ),
    Attack(
        "value that is not binary",
        lambda w: ActionSet(BITS, [Reachability(["a"], [[0], [2]])]),
        ValueError,
        ("Reachability gives the binary feature 'a' the value 2, which is not binary."),
    ),
    Attack(
        "unknown label",
        lambda w: ActionSet({"a": LABELS}, [Reachability(["a"], [["lease"]])]),
        ValueError,
        (
            "Reachability has the value 'lease' for 'a', whose categories "
            "are 'own', 'rent'."
        ),
    ),
    Attack(
        "unknown operator",
        lambda w: IfThen(("a", "=>", 1), ("b", "<=", 1)),
        ValueError,
        (
            "The operator of the condition on 'a' must be one of <=, >=, "
            "==, !=, in, got '=>'."
        ),
    ),
    Attack(
        "condition of two",
        lambda w: IfThen(("a", 1), ("b", "<=", 1)),
        TypeError,
        ("if_ of IfThen must be a triple (feature, op, value), got ('a', 1)."),
    ),
    Attack(
        "in without a list",
        lambda w: IfThen(("a", "in", 1), ("b", "<=", 1)),
        TypeError,
        "The condition on 'a' with 'in' needs a list of values, got 1.",
    ),
    Attack(
        "condition on NaN",
        lambda w: ActionSet(NUMBERS, [IfThen(("a", "<=", np.nan), ("b", "<=", 1))]),
        ValueError,
        ("IfThen has the value nan for 'a', which is integer. Use a number."),
    ),
    Attack(
        "labels have no order",
        lambda w: ActionSet(
            {"a": LABELS, "b": feature()}, [IfThen(("a", ">=", "own"), ("b", "<=", 1))]
        ),
        ValueError,
        (
            "IfThen compares the categorical feature 'a' by '>=', but "
            "labels have no order. List labels with 'in'."
        ),
    ),
    Attack(
        "a switch of its own",
        lambda w: Switch("a", ["a", "b"]),
        ValueError,
        "Switch makes 'a' its own target. Leave it out of targets.",
    ),
    Attack(
        "no targets",
        lambda w: Switch("a", []),
        ValueError,
        "Switch needs at least 1 feature, got [].",
    ),
    Attack(
        "force_change is text",
        lambda w: Switch("a", ["b"], force_change="no"),
        TypeError,
        (
            "force_change of Switch must be True or False (true or false "
            "in a file), got 'no'."
        ),
    ),
    Attack(
        "on_value of labels",
        lambda w: ActionSet(
            {"a": LABELS, "b": feature()}, [Switch("a", ["b"], on_value="lease")]
        ),
        ValueError,
        ("Switch has the value 'lease' for 'a', whose categories are 'own', 'rent'."),
    ),
    Attack(
        "no limits",
        lambda w: Linear({"a": 1}),
        ValueError,
        "Linear needs lower or upper, got neither lower nor upper.",
    ),
    Attack(
        "limits swapped",
        lambda w: Linear({"a": 1}, 2, 1),
        ValueError,
        "lower of Linear must not exceed upper, got lower=2, upper=1.",
    ),
    Attack(
        "a sum from text",
        lambda w: Linear({"a": 1}, "0"),
        TypeError,
        "lower of Linear must be a number, got '0'.",
    ),
    Attack(
        "weight is infinite",
        lambda w: Linear({"a": np.inf}, 0),
        ValueError,
        "terms['a'] of Linear must be finite, got inf.",
    ),
    Attack(
        "sum of labels",
        lambda w: ActionSet({"a": LABELS}, [Linear({"a": 1}, 0)]),
        ValueError,
        (
            "Linear needs binary or integer or real features, but 'a' is "
            "categorical. Labels cannot be added up; use IfThen or "
            "Reachability."
        ),
    ),
]
