"""Calls of explainers, and the models they are given."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from skresp import (
    ActionSet,
    AtLeast,
    AtMost,
    ResponsivenessExplainer,
)

from .attack import Attack

ATTACKS = [
    Attack(
        "n_jobs set after fit",
        lambda w: w.fit().set_params(n_jobs=0).explain(w.X),
        ValueError,
        (
            "n_jobs must be a whole number other than 0 (-1 for all cores) "
            "or None, got 0."
        ),
    ),
    Attack(
        "random_state set after fit",
        lambda w: w.fit().set_params(random_state=-1).verify(w.X),
        ValueError,
        (
            "random_state must be a whole number from 0 to 4294967295, a "
            "numpy RandomState or None, got -1."
        ),
    ),
    Attack(
        "time_limit is text",
        lambda w: w.explainer.explain(w.X, time_limit="1"),
        ValueError,
        (
            "time_limit must be a number of seconds of at least 0, or None "
            "for no limit, got '1'."
        ),
    ),
    Attack(
        "time_limit is NaN",
        lambda w: w.explainer.verify(w.X, time_limit=np.nan),
        ValueError,
        (
            "time_limit must be a number of seconds of at least 0, or None "
            "for no limit, got nan."
        ),
    ),
    Attack(
        "max_points of verify",
        lambda w: w.explainer.verify(w.X, max_points=-1),
        ValueError,
        "max_points must be a whole number of at least 0, got -1.",
    ),
    Attack(
        "cost is a number",
        lambda w: w.explainer.verify(w.X, cost=1),
        TypeError,
        (
            "cost must be None, 'fewest', a mapping from feature to cost, "
            "or a function of two frames (before and after), got 1."
        ),
    ),
    Attack(
        "cost is another word",
        lambda w: w.explainer.verify(w.X, cost="few"),
        TypeError,
        (
            "cost must be None, 'fewest', a mapping from feature to cost, "
            "or a function of two frames (before and after), got 'few'."
        ),
    ),
    Attack(
        "cost of no feature",
        lambda w: w.explainer.verify(w.X, cost={"incme": 1}),
        ValueError,
        (
            "cost has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "cost is negative",
        lambda w: w.explainer.verify(w.X, cost={"income": -1}),
        ValueError,
        (
            "cost of 'income' must be a finite non-negative number or a "
            "pair (up, down) of such numbers, got -1. To forbid a change, "
            "set the feature's limits in the action set."
        ),
    ),
    Attack(
        "cost is a triple",
        lambda w: w.explainer.verify(w.X, cost={"income": (1, 2, 3)}),
        ValueError,
        (
            "cost of 'income' must be a finite non-negative number or a "
            "pair (up, down) of such numbers, got (1, 2, 3). To forbid a "
            "change, set the feature's limits in the action set."
        ),
    ),
    Attack(
        "AtLeast of text",
        lambda w: AtLeast("700"),
        TypeError,
        ("AtLeast requires a number to compare predictions with, got '700'."),
    ),
    *(
        Attack(
            f"{kind.__name__} of {what}",
            lambda w, kind=kind, value=value: kind(value),
            ValueError,
            f"The value of {kind.__name__} must be finite, got {got}.",
        )
        for kind in (AtLeast, AtMost)
        for what, value, got in [
            ("infinity", np.inf, "inf"),
            ("minus infinity", -np.inf, "-inf"),
            ("10**400", 10**400, "..."),
        ]
    ),
    Attack(
        "AtMost of NaN",
        lambda w: AtMost(np.nan),
        TypeError,
        "AtMost requires a number to compare predictions with, got nan.",
    ),
    Attack(
        "explain before fit",
        lambda w: ResponsivenessExplainer(w.model).explain(w.X),
        NotFittedError,
        (
            "This ResponsivenessExplainer instance is not fitted yet. Call "
            "'fit' with appropriate arguments before using this estimator."
        ),
    ),
    Attack(
        "a model that is not fitted",
        lambda w: ResponsivenessExplainer(LogisticRegression()).fit(w.X),
        NotFittedError,
        (
            "This ResponsivenessExplainer estimator requires y to be "
            "passed, but the target y is None, and its model, "
            "LogisticRegression, is not fitted. Fit the model first and "
            "wrap it, ResponsivenessExplainer(FrozenEstimator(model), "
            "...).fit(X), or let the explainer fit it with fit(X, y)."
        ),
    ),
    Attack(
        "a model is text",
        lambda w: w.fit("model.pkl"),
        TypeError,
        (
            "estimator must have a predict method, got 'model.pkl'. Pass a "
            "classifier, a regressor or a Pipeline."
        ),
    ),
    Attack(
        "a model is a class",
        lambda w: w.fit(LogisticRegression),
        TypeError,
        ("estimator must be a fitted model, got the class LogisticRegression."),
    ),
    Attack(
        "a regressor without target",
        lambda w: w.fit(LinearRegression().fit(w.X, w.y)),
        ValueError,
        (
            "LinearRegression predicts numbers, or has no classes_, so "
            "target=1 does not determine which predictions are wanted. "
            "Pass target=AtLeast(value) or AtMost(value), or a label that "
            "predict returns."
        ),
    ),
    Attack(
        "threshold without probabilities",
        lambda w: w.fit(LinearSVC().fit(w.X, w.y), threshold=0.5),
        ValueError,
        (
            "threshold=0.5 requires predict_proba, which LinearSVC does "
            "not have. Leave threshold out to use predict."
        ),
    ),
    Attack(
        "threshold of a regressor",
        lambda w: w.fit(
            LinearRegression().fit(w.X, w.y), target=AtLeast(1), threshold=0.5
        ),
        ValueError,
        (
            "threshold=0.5 applies to class probabilities, and target is "
            "AtLeast(value=1). Leave threshold out."
        ),
    ),
    Attack(
        "actions of other columns",
        lambda w: w.fit(actions=ActionSet.infer(w.X[["age"]])),
        ValueError,
        (
            "X must have no columns besides the features of the action "
            "set, got 'income', 'own'. Drop them, or add them to the "
            "action set (with actionable=False if nobody can change the "
            "value)."
        ),
    ),
    Attack(
        "target is a number in a text",
        lambda w: w.fit(target="1.0"),
        ValueError,
        (
            "target='1.0' is not among the classes of the model. Did you mean the "
            "number 1? Pass one of 0, 1."
        ),
    ),
    Attack(
        "target is misspelt",
        lambda w: w.fit(
            LogisticRegression().fit(w.X, np.where(w.y, "yes", "no")), target="yess"
        ),
        ValueError,
        (
            "target='yess' is not among the classes of the model. Did you mean 'yes'? "
            "Pass one of 'no', 'yes'."
        ),
    ),
    *(
        Attack(
            f"random effects return {what}",
            lambda w, effects=effects: w.fit(random_effects=effects).explain(w.X),
            error,
            message,
        )
        for what, effects, error, message in [
            (
                "text",
                lambda rows, changes, rng: "much",
                TypeError,
                "random_effects must return numbers, got 'much'.",
            ),
            (
                "text for a feature",
                {"income": lambda rows, changes, rng: "much"},
                TypeError,
                "random_effects must return numbers, got 'much'.",
            ),
            (
                "two numbers for a feature",
                {"income": lambda rows, changes, rng: [1, 2]},
                ValueError,
                (
                    "random_effects['income'] must return one number for each of the "
                    "... rows, got shape (2,)."
                ),
            ),
        ]
    ),
]
