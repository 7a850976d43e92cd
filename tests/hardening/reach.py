"""Reachable sets, intervals and sample sizes."""

from __future__ import annotations

import numpy as np

from skresp._text import quote
from skresp.reach import ReachCache, check_feasibility, reachable_set
from skresp.scores import agresti_coull, at_most, sample_size

from .attack import Attack

ATTACKS = [
    Attack(
        "no action set",
        lambda w: reachable_set("a.yaml", w.X.iloc[0]),
        TypeError,
        "action_set must be of type ActionSet, got 'a.yaml'.",
    ),
    Attack(
        "two people",
        lambda w: reachable_set(w.actions, w.X[:2]),
        ValueError,
        "x must be one person, got 2 rows.",
    ),
    Attack(
        "nobody",
        lambda w: reachable_set(w.actions, {}),
        ValueError,
        (
            "X must have a column for each feature, got 0 feature(s) "
            "(shape=(1, 0)) while a minimum of 1 is required."
        ),
    ),
    Attack(
        "a value missing",
        lambda w: reachable_set(w.actions, {"age": 30}),
        ValueError,
        (
            "X must have a column for each feature of the action set, but "
            "has no column 'income', 'own'. Its columns are 'age'."
        ),
    ),
    Attack(
        "unknown feature",
        lambda w: reachable_set(w.actions, w.X.iloc[0], "incme"),
        ValueError,
        (
            "feature must be one of 'age', 'income', 'own', got 'incme'. "
            "Did you mean 'income'?"
        ),
    ),
    Attack(
        "unknown method",
        lambda w: reachable_set(w.actions, w.X.iloc[0], method="all"),
        ValueError,
        ("method must be one of 'auto', 'grid', 'highs', 'sample', got 'all'."),
    ),
    Attack(
        "unknown interventions",
        lambda w: reachable_set(w.actions, w.X.iloc[0], interventions="all"),
        ValueError,
        "interventions must be 'minimal' or 'joint', got 'all'.",
    ),
    Attack(
        "max_points is 0",
        lambda w: reachable_set(w.actions, w.X.iloc[0], max_points=0),
        ValueError,
        "max_points must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "random_state is -1",
        lambda w: reachable_set(w.actions, w.X.iloc[0], random_state=-1),
        ValueError,
        (
            "random_state must be a whole number from 0 to 4294967295, a "
            "numpy RandomState or None, got -1."
        ),
    ),
    Attack(
        "missing is a word",
        lambda w: reachable_set(w.actions, w.X.iloc[0], missing="drop"),
        ValueError,
        "missing must be 'raise' or 'hold', got 'drop'.",
    ),
    Attack(
        "x is None",
        lambda w: reachable_set(w.actions, None),
        ValueError,
        (
            "X must be a frame or a 2D array with one row per person, got "
            "array(None, dtype=object)."
        ),
    ),
    Attack(
        "reached is a list",
        lambda w: check_feasibility(w.actions, w.X.iloc[0], ["own"]),
        TypeError,
        ("reached must be a mapping from feature to the value to reach, got ['own']."),
    ),
    Attack(
        "reached has no feature",
        lambda w: check_feasibility(w.actions, w.X.iloc[0], {"incme": 1}),
        ValueError,
        (
            "reached has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "reached has text",
        lambda w: check_feasibility(w.actions, w.X.iloc[0], {"income": "a"}),
        ValueError,
        (
            "'a' is not a value of the real feature 'income'; its values "
            "are 0.25 to 8.97."
        ),
    ),
    Attack(
        "half_width of 2",
        lambda w: sample_size(2),
        ValueError,
        ("half_width must be a number between 0 and 1, both excluded, got 2."),
    ),
    Attack(
        "half_width is text",
        lambda w: sample_size("a"),
        ValueError,
        ("half_width must be a number between 0 and 1, both excluded, got 'a'."),
    ),
    Attack(
        "at is a word",
        lambda w: sample_size(0.1, at="one"),
        ValueError,
        "at must be one of 'zero', 'half', got 'one'.",
    ),
    Attack(
        "alpha of 0",
        lambda w: agresti_coull(0, 10, 0),
        ValueError,
        "alpha must be a number between 0 and 1, both excluded, got 0.",
    ),
    Attack(
        "alpha is text",
        lambda w: at_most(10, "a"),
        ValueError,
        ("alpha must be a number between 0 and 1, both excluded, got 'a'."),
    ),
    Attack(
        "10**30 points to draw",
        lambda w: reachable_set(w.actions, w.X[:1], max_points=10**30),
        ValueError,
        (
            "max_points must be at most 100,000,000 where points are drawn, got "
            "1000000000000000000000000000000."
        ),
    ),
    Attack(
        "alpha without a finite quantile",
        lambda w: agresti_coull(0, 10, 1e-320),
        ValueError,
        "alpha must be at least 2.2e-16, got 1e-320: the interval would be infinite.",
    ),
    Attack(
        "alpha of a sample size without a finite quantile",
        lambda w: sample_size(0.1, 1e-17),
        ValueError,
        "alpha must be at least 2.2e-16, got 1e-17: the interval would be infinite.",
    ),
    Attack(
        "half_width of 1e-300",
        lambda w: sample_size(1e-300, 0.01),
        ValueError,
        "half_width must be larger, got 1e-300, which requires more than 5e+18 draws.",
    ),
    *(
        Attack(
            f"at_most of {quote(trials)}",
            lambda w, trials=trials: at_most(trials, 0.05),
            ValueError,
            (
                "trials must be a whole number of at least 0, or an array of such "
                f"numbers, got {quote(trials)}."
            ),
        )
        for trials in (
            -1,
            10.5,
            "a",
            [5, -1],
            None,
            True,
            np.nan,
            np.inf,
            [[1], [1, 2]],
        )
    ),
    *(
        Attack(
            f"agresti_coull of {hits} and {trials}",
            lambda w, hits=hits, trials=trials: agresti_coull(hits, trials, 0.05),
            ValueError,
            message,
        )
        for hits, trials, message in [
            (
                -1,
                10,
                "hits must be a whole number of at least 0, or an array of such "
                "numbers, got -1.",
            ),
            (11, 10, "hits must be at most trials, got 11 of 10."),
            ([1, 3], [1, 2], "hits must be at most trials, got [1, 3] of [1, 2]."),
            (
                [1, 2],
                [3, 4, 5],
                "hits and trials must have shapes that fit together, got (2,) and "
                "(3,).",
            ),
            (
                0,
                2.5,
                "trials must be a whole number of at least 0, or an array of such "
                "numbers, got 2.5.",
            ),
        ]
    ),
    *(
        Attack(
            f"a cache with max_bytes={value!r}",
            lambda w, value=value: ReachCache(value),
            ValueError,
            f"max_bytes must be a whole number of at least 0, got {value!r}.",
        )
        for value in (-1, "1GB", None)
    ),
]
