"""Action sets made in Python."""

from __future__ import annotations

from skresp import ActionSet, Feature
from skresp.constraints import (
    IfThen,
    Linear,
    Linkage,
    OneHot,
)

from .attack import Attack, feature

BITS = {name: Feature("binary") for name in "abc"}


NUMBERS = {name: feature() for name in "abc"}


ATTACKS = [
    Attack(
        "no features",
        lambda w: ActionSet({}),
        TypeError,
        (
            "features must be a mapping from column name to Feature with "
            "at least one entry, got {}."
        ),
    ),
    Attack(
        "features is a list",
        lambda w: ActionSet([feature()]),
        TypeError,
        (
            "features must be a mapping from column name to Feature with "
            "at least one entry, got [Feature(kind='integer', lower=0, "
            "upper=9, actionable=True,...crease=None, max_decrease=None, "
            "step=None, categories=None)]."
        ),
    ),
    Attack(
        "name is a number",
        lambda w: ActionSet({1: feature()}),
        TypeError,
        "Feature names must be strings, got 1.",
    ),
    Attack(
        "feature is text",
        lambda w: ActionSet({"a": "real"}),
        TypeError,
        "features['a'] must be a Feature, got 'real'.",
    ),
    Attack(
        "no bounds",
        lambda w: ActionSet({"a": Feature("real")}),
        ValueError,
        (
            "Feature 'a' can change but has no lower bound. Give it both "
            "bounds, infer them from data with ActionSet.infer, or pass "
            "actionable=False."
        ),
    ),
    Attack(
        "no categories",
        lambda w: ActionSet({"a": Feature("categorical")}),
        ValueError,
        (
            "Feature 'a' can change but lists no categories. Give it "
            "categories=[...], infer them from data with ActionSet.infer, "
            "or pass actionable=False."
        ),
    ),
    Attack(
        "one constraint, no list",
        lambda w: ActionSet(BITS, OneHot(["a", "b"])),
        TypeError,
        "constraints must be a list, got one OneHot. Put it in a list.",
    ),
    Attack(
        "constraints is 5",
        lambda w: ActionSet(BITS, 5),
        TypeError,
        "constraints must be a list, got 5.",
    ),
    Attack(
        "constraint is text",
        lambda w: ActionSet(BITS, ["a"]),
        TypeError,
        ("constraints must be a list of skresp.constraints.Constraint, got 'a' in it."),
    ),
    Attack(
        "unknown feature",
        lambda w: ActionSet({"income": feature()}, [Linear({"incme": 1}, 0)]),
        ValueError,
        (
            "Linear has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'income'."
        ),
    ),
    Attack(
        "constraint twice",
        lambda w: ActionSet(BITS, [OneHot(["a", "b"]), OneHot(["a", "b"])]),
        ValueError,
        (
            "constraints must be distinct, got OneHot(features=('a', 'b'), "
            "limit=1, at_most=False) twice. Keep one of them; to double an "
            "effect, double its scale."
        ),
    ),
    Attack(
        "a range below the precision of constraints",
        lambda w: ActionSet(
            {"rate": Feature("real", 0, 4e-6), "b": Feature("binary")},
            [IfThen(("rate", ">=", 2e-6), ("b", "==", 1))],
        ),
        ValueError,
        (
            "Feature 'rate' is in a constraint, and constraints compare its values up "
            "to 1e-09, which is too coarse for a range from 0 to 4e-06. Give it in "
            "smaller units if the range is small, or measured from a nearer origin if "
            "the values are large."
        ),
    ),
    Attack(
        "values too large for their range",
        lambda w: ActionSet(
            {"time": Feature("real", 1.6e9, 1.6e9 + 20), "b": Feature("binary")},
            [IfThen(("time", ">=", 1.6e9), ("b", "==", 1))],
        ),
        ValueError,
        (
            "Feature 'time' is in a constraint, and constraints compare its values up "
            "to 2, which is too coarse for a range from 1,600,000,000 to "
            "1,600,000,020. Give it in smaller units if the range is small, or "
            "measured from a nearer origin if the values are large."
        ),
    ),
    Attack(
        "linkage cycle",
        lambda w: ActionSet(NUMBERS, [Linkage("a", {"b": 1}), Linkage("b", {"a": 1})]),
        ValueError,
        (
            "The linkages form a cycle, 'a' -> 'b' -> 'a', so effects "
            "would never end. Remove one of them."
        ),
    ),
    Attack(
        "set an attribute",
        lambda w: setattr(w.actions, "x", 1),
        AttributeError,
        (
            "ActionSet is frozen, 'x' cannot be set. Make a changed copy "
            "with .replace(...)."
        ),
    ),
    Attack(
        "replace an unknown feature",
        lambda w: w.actions.replace({"incom": feature()}),
        ValueError,
        (
            "replace has 'incom', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "replace by text",
        lambda w: w.actions.replace({"own": "real"}),
        TypeError,
        "features['own'] must be a Feature, got 'real'.",
    ),
    Attack(
        "add text",
        lambda w: w.actions.with_constraints("one_hot"),
        TypeError,
        (
            "constraints must be a list of skresp.constraints.Constraint, "
            "got 'one_hot' in it."
        ),
    ),
    Attack(
        "a name with half of a character",
        lambda w: ActionSet({"a\ud800": Feature("binary")}),
        ValueError,
        (
            "Feature names must be texts that can be written to a file, got "
            "'a\\ud800', which has half of a character (a surrogate). Correct or "
            "remove it."
        ),
    ),
]
