"""Explanations and verdicts."""

from __future__ import annotations

import numpy as np

from skresp._results import DetachedError

from .attack import Attack

ATTACKS = [
    Attack(
        "a row beyond the last",
        lambda w: w.explanation.describe(40),
        IndexError,
        "row must be a position from 0 to 39, got 40.",
    ),
    Attack(
        "a row is text",
        lambda w: w.explanation.describe("0"),
        IndexError,
        (
            "row must be a position from 0 to 39, got '0'. To use an index "
            "label, pass label=."
        ),
    ),
    Attack(
        "a row is a fraction",
        lambda w: w.explanation.describe(0.5),
        IndexError,
        (
            "row must be a position from 0 to 39, got 0.5. To use an index "
            "label, pass label=."
        ),
    ),
    Attack(
        "no row",
        lambda w: w.explanation.describe(),
        TypeError,
        "Pass row= (a position) or label= (an index label).",
    ),
    Attack(
        "row and label",
        lambda w: w.explanation.describe(0, label=0),
        ValueError,
        (
            "Pass row= (a position) or label= (an index label), not both; "
            "got row=0 and label=0."
        ),
    ),
    Attack(
        "unknown label",
        lambda w: w.explanation.describe(label="ann"),
        KeyError,
        (
            '"label must be the index label of one row, but no row has the '
            "label 'ann'. Pass row=, the position of the row.\""
        ),
    ),
    Attack(
        "unknown feature of points",
        lambda w: w.explanation.reachable(0, "incme"),
        ValueError,
        (
            "feature must be one of 'age', 'income', 'own', got 'incme'. "
            "Did you mean 'income'?"
        ),
    ),
    Attack(
        "unknown feature of intervals",
        lambda w: w.explanation.intervals(0, "incme"),
        ValueError,
        (
            "feature must be one of 'age', 'income', 'own', got 'incme'. "
            "Did you mean 'income'?"
        ),
    ),
    Attack(
        "feature is a number",
        lambda w: w.explanation.reachable(0, 1),
        ValueError,
        "feature must be one of 'age', 'income', 'own', got 1.",
    ),
    Attack(
        "k is 0",
        lambda w: w.explanation.top(0),
        ValueError,
        "k must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "k is text",
        lambda w: w.explanation.top("4"),
        ValueError,
        "k must be a whole number of at least 1, got '4'.",
    ),
    Attack(
        "min_score is text",
        lambda w: w.explanation.top(4, "a"),
        TypeError,
        "min_score must be a number, got 'a'.",
    ),
    Attack(
        "where of another shape",
        lambda w: w.explanation.top(4, where=[True]),
        ValueError,
        ("where must be an array of the shape of the scores, (40, 3), got (1,)."),
    ),
    Attack(
        "cost of no feature",
        lambda w: w.explanation.cost_weighted({"incme": 1}),
        ValueError,
        (
            "cost has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "cost is a number",
        lambda w: w.explanation.cost_weighted(1),
        TypeError,
        (
            "cost must be a mapping from feature to cost, or a function of "
            "rows and reached points, got 1."
        ),
    ),
    Attack(
        "cost is negative",
        lambda w: w.explanation.cost_weighted({"income": -1}),
        ValueError,
        (
            "cost of 'income' must be a finite non-negative number or a "
            "pair (up, down) of such numbers, got -1. To forbid a change, "
            "set the feature's limits in the action set."
        ),
    ),
    *(
        Attack(
            f"{parameter} function returns {what}",
            lambda w, parameter=parameter, value=value: w.explanation.cost_weighted(
                **({"cost": {"income": 1}} | {parameter: lambda *given: value(given)})
            ),
            ValueError,
            (
                f"{parameter} must return one finite non-negative number for each of "
                f"the ... rows, got [{got}...]."
            ),
        )
        for parameter in ("cost", "weight")
        for what, value, got in [
            ("NaN", lambda given: np.full(len(given[0]), np.nan), "nan"),
            ("negative numbers", lambda given: np.full(len(given[0]), -3.0), "-3.0"),
            ("infinity", lambda given: np.full(len(given[0]), np.inf), "inf"),
            ("one number", lambda given: 1.5, "1.5"),
            ("text", lambda given: "many", "'many'"),
        ]
    ),
    Attack(
        "cost function of verdicts returns text",
        lambda w: w.explainer.verify(w.X, cost=lambda before, after: "many"),
        ValueError,
        (
            "cost must return one finite non-negative number for each of the ... rows, "
            "got ['many']."
        ),
    ),
    Attack(
        "radius is a number",
        lambda w: w.explanation.robust(1),
        TypeError,
        (
            "radius must be a mapping from feature to the size of its "
            "shifts, got 1. Name the features, for instance radius={'age': "
            "1}."
        ),
    ),
    Attack(
        "radius of no feature",
        lambda w: w.explanation.robust({"incme": 1}),
        ValueError,
        (
            "radius has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "radius is negative",
        lambda w: w.explanation.robust({"income": -1}),
        ValueError,
        ("radius['income'] must be a finite number of at least 0, got -1."),
    ),
    Attack(
        "no shifts",
        lambda w: w.explanation.robust({"age": 1}, n_shifts=0),
        ValueError,
        "n_shifts must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "direction of no feature",
        lambda w: w.explanation.intuitive({"incme": "increase"}),
        ValueError,
        (
            "directions has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "unknown direction",
        lambda w: w.explanation.intuitive({"income": "up"}),
        ValueError,
        ("directions['income'] must be one of 'increase', 'decrease', got 'up'."),
    ),
    Attack(
        "directions is a list",
        lambda w: w.explanation.intuitive(["income"]),
        TypeError,
        ("directions must be a mapping from feature to direction, got ['income']."),
    ),
    Attack(
        "profile of no feature",
        lambda w: w.explanation.profile(0, "incme"),
        ValueError,
        (
            "feature must be one of 'age', 'income', 'own', got 'incme'. "
            "Did you mean 'income'?"
        ),
    ),
    Attack(
        "describe after pickle",
        lambda w: w.detached.describe(0),
        DetachedError,
        (
            "describe requires the model, but this Explanation is detached "
            "from its explainer: it was unpickled, and a pickle holds the "
            "numbers without the model. Load the explainer and call "
            "explainer.explain(X) with the rows in `data`."
        ),
    ),
    Attack(
        "points after pickle",
        lambda w: w.detached.reachable(0, "income"),
        DetachedError,
        (
            "reachable requires the model, but this Explanation is "
            "detached from its explainer: it was unpickled, and a pickle "
            "holds the numbers without the model. Load the explainer and "
            "call explainer.explain(X) with the rows in `data`."
        ),
    ),
    Attack(
        "changed of no row",
        lambda w: w.verdicts.changed(99),
        IndexError,
        "row must be a position from 0 to 39, got 99.",
    ),
    Attack(
        "thresholds are texts",
        lambda w: w.verdicts.curve(["a"]),
        ValueError,
        "thresholds must be a list of numbers, got ['a'].",
    ),
]
