"""Decision policies."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp import (
    DecisionPolicy,
)

from .attack import Attack


def policy(w: Any, rules: Any, **parameters: Any) -> Any:
    return DecisionPolicy(w.model, rules, **parameters).fit(w.X, w.y)


ATTACKS = [
    Attack(
        "rules is text",
        lambda w: policy(w, "age"),
        TypeError,
        ("rules must be a list of pairs (conditions, outcome), got 'age'."),
    ),
    Attack(
        "rules is a number",
        lambda w: policy(w, 5),
        TypeError,
        "rules must be a list of pairs (conditions, outcome), got 5.",
    ),
    Attack(
        "a rule is text",
        lambda w: policy(w, ["age"]),
        TypeError,
        "rules[0] must be a pair (conditions, outcome), got 'age'.",
    ),
    Attack(
        "a rule without an outcome",
        lambda w: policy(w, [[("age", ">=", 30)]]),
        TypeError,
        ("rules[0] must be a pair (conditions, outcome), got [('age', '>=', 30)]."),
    ),
    Attack(
        "no conditions",
        lambda w: policy(w, [([], 1)]),
        TypeError,
        (
            "The conditions of rules[0] must be a list of triples "
            "(feature, op, value), got []."
        ),
    ),
    Attack(
        "unknown operator",
        lambda w: policy(w, [([("age", ">", 30)], 1)]),
        ValueError,
        (
            "The operator of the condition on 'age' must be one of <=, >=, "
            "==, !=, in, got '>'."
        ),
    ),
    Attack(
        "unknown column",
        lambda w: policy(w, [([("incme", ">=", 30)], 1)]),
        ValueError,
        (
            "rules[0] has a condition on 'incme', which is not a column. "
            "Did you mean 'income'? The columns are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "unknown outcome",
        lambda w: policy(w, [([("age", ">=", 30)], "yes")]),
        ValueError,
        (
            "rules[0] has the outcome 'yes', which is not among the "
            "classes of the model. Use one of 0, 1."
        ),
    ),
    Attack(
        "a text compared with a number",
        lambda w: policy(w, [([("age", ">=", "30")], 1)]),
        TypeError,
        (
            "The value for 'age' in rules[0] is '30', but labels have no "
            "order, so '>=' requires a number. List labels with 'in'."
        ),
    ),
    Attack(
        "NaN in a rule",
        lambda w: policy(w, [([("age", ">=", np.nan)], 1)]),
        ValueError,
        "The value for 'age' in rules[0] must be finite, got nan.",
    ),
    Attack(
        "a label compared with a number",
        lambda w: policy(w, [([("age", "==", "old")], 1)]).predict(w.X),
        ValueError,
        ("A rule compares 'age', a column of numbers, with 'old'. Use a number."),
    ),
]
