"""Features."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from skresp import Feature

from .attack import Attack, feature

ATTACKS = [
    Attack(
        "unknown kind",
        lambda w: Feature("text"),
        ValueError,
        ("kind must be one of binary, integer, real, categorical, got 'text'."),
    ),
    Attack(
        "kind is a list",
        lambda w: Feature(["real"]),
        ValueError,
        ("kind must be one of binary, integer, real, categorical, got ['real']."),
    ),
    Attack(
        "bounds swapped",
        lambda w: Feature("real", 9, 3),
        ValueError,
        (
            "lower must not exceed upper, got lower=9, upper=3. To keep "
            "the feature fixed, pass actionable=False."
        ),
    ),
    Attack(
        "bound is text",
        lambda w: feature(lower="0"),
        TypeError,
        "lower must be a number, got '0'.",
    ),
    Attack(
        "bound is a bool",
        lambda w: feature(lower=True),
        TypeError,
        "lower must be a number, got True.",
    ),
    Attack(
        "bound is NaN",
        lambda w: feature(upper=np.nan),
        ValueError,
        (
            "upper must be finite, got nan. Give a bound wide enough for "
            "everybody, or leave upper out."
        ),
    ),
    Attack(
        "bound is infinite",
        lambda w: Feature("real", 0, np.inf),
        ValueError,
        (
            "upper must be finite, got inf. Give a bound wide enough for "
            "everybody, or leave upper out."
        ),
    ),
    Attack(
        "bound is complex",
        lambda w: Feature("real", 0, 1j),
        TypeError,
        "upper must be a number, got 1j.",
    ),
    Attack(
        "bound 2**62",
        lambda w: feature(upper=2**62),
        ValueError,
        (
            "The bounds of an integer feature that can change must be "
            "between -9007199254740992 and 9007199254740992, since larger "
            "integers cannot be told apart as floats, got "
            "upper=4611686018427387904. Use larger units, or pass "
            "actionable=False."
        ),
    ),
    Attack(
        "bound 10**400",
        lambda w: feature(upper=10**400),
        ValueError,
        (
            "upper must be finite, got "
            "10000000000000000000000000000000000000000000000000000000"
            "00...000000000000000000000000000000000000000000000000000"
            "00000000. Give a bound wide enough for everybody, or leave "
            "upper out."
        ),
    ),
    Attack(
        "fractional bound",
        lambda w: feature(upper=1.5),
        ValueError,
        (
            "The bounds of an integer feature must be whole numbers, got "
            "upper=1.5. Round it, or make the feature 'real'."
        ),
    ),
    Attack(
        "bounds of a binary",
        lambda w: Feature("binary", 0, 1),
        ValueError,
        (
            "A binary feature takes no lower, got lower=0. Leave it out; "
            "use direction to allow one change only."
        ),
    ),
    Attack(
        "bounds of labels",
        lambda w: Feature("categorical", lower=0),
        ValueError,
        (
            "A categorical feature takes no lower, got lower=0. List the "
            "labels that people can change to in categories."
        ),
    ),
    Attack(
        "actionable is text",
        lambda w: feature(actionable="no"),
        TypeError,
        ("actionable must be True or False (true or false in a file), got 'no'."),
    ),
    Attack(
        "mutable is a number",
        lambda w: feature(mutable=1),
        TypeError,
        ("mutable must be True or False (true or false in a file), got 1."),
    ),
    Attack(
        "actionable but not mutable",
        lambda w: feature(mutable=False),
        ValueError,
        (
            "actionable=True with mutable=False is a contradiction: people "
            "cannot act on a feature that cannot change. To keep the "
            "feature fixed, pass actionable=False and leave mutable out."
        ),
    ),
    Attack(
        "unknown direction",
        lambda w: feature(direction="up"),
        ValueError,
        "direction must be 'increase', 'decrease' or None, got 'up'.",
    ),
    Attack(
        "negative limit",
        lambda w: feature(max_increase=-1),
        ValueError,
        (
            "max_increase is the size of a change and cannot be negative, "
            "got -1. To allow one direction only, use direction."
        ),
    ),
    Attack(
        "limit is text",
        lambda w: feature(max_decrease="2"),
        TypeError,
        "max_decrease must be a number, got '2'.",
    ),
    Attack(
        "limit is NaN",
        lambda w: feature(max_increase=np.nan),
        ValueError,
        (
            "max_increase must be finite, got nan. Give a bound wide "
            "enough for everybody, or leave max_increase out."
        ),
    ),
    Attack(
        "step 0",
        lambda w: feature(step=0),
        ValueError,
        "step must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "fractional step",
        lambda w: feature(step=Fraction(1, 2)),
        ValueError,
        "step must be a whole number of at least 1, got Fraction(1, 2).",
    ),
    Attack(
        "step of a real",
        lambda w: Feature("real", 0, 1, step=1),
        ValueError,
        (
            "step is for integer features only, got step=1 for a real "
            "feature. Leave it out."
        ),
    ),
    Attack(
        "categories of a number",
        lambda w: feature(categories=["a"]),
        ValueError,
        (
            "categories are for categorical features only, got ['a'] for a "
            "integer feature. Leave them out."
        ),
    ),
    *[
        Attack(
            f"categories {value!r}",
            lambda w, value=value: Feature("categorical", categories=value),
            error,
            message,
        )
        for value, error, message in [
            (
                "own",
                TypeError,
                (
                    "categories must be a list of labels, got 'own'. Put the "
                    "labels in a list."
                ),
            ),
            (
                5,
                TypeError,
                (
                    "categories must be a list of labels, got 5. Put the labels in "
                    "a list."
                ),
            ),
            (
                {"a": 1},
                TypeError,
                (
                    "categories must be a list of labels, got {'a': 1}. Put the "
                    "labels in a list."
                ),
            ),
            (
                {"a"},
                TypeError,
                (
                    "categories must be a list of labels, got {'a'}. Put the "
                    "labels in a list."
                ),
            ),
            (
                [],
                ValueError,
                (
                    "categories must have at least one label, got an empty list. "
                    "List labels, or pass actionable=False and leave categories "
                    "out."
                ),
            ),
            (
                ["a", "a"],
                ValueError,
                "categories must be distinct, got 'a' twice. Keep one of them.",
            ),
            (
                [1, "1"],
                ValueError,
                (
                    "categories must differ as texts too, got 1 and '1'. Use one "
                    "of the two, also in the data."
                ),
            ),
            (
                [1, True],
                ValueError,
                "categories must be distinct, got 1 twice. Keep one of them.",
            ),
            (
                [None],
                TypeError,
                "A category must be a string, a number or a bool, got None.",
            ),
            (
                [float("nan")],
                TypeError,
                "A category must be a string, a number or a bool, got nan.",
            ),
            (
                [["a"]],
                TypeError,
                "A category must be a string, a number or a bool, got ['a'].",
            ),
            (
                [b"a"],
                TypeError,
                "A category must be a string, a number or a bool, got b'a'.",
            ),
        ]
    ],
    Attack(
        "a label with half of a character",
        lambda w: Feature("categorical", categories=["own", "\udc80"]),
        ValueError,
        (
            "categories must be texts that can be written to a file, got '\\udc80', "
            "which has half of a character (a surrogate). Correct or remove it."
        ),
    ),
]
