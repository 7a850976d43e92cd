"""Classifiers to follow along a line, and explanations of them."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skresp import ResponsivenessExplainer
from tests.small_models import lightgbm, scaled, xgboost

CLASSIFIERS = {
    "RF": lambda: RandomForestClassifier(40, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(20, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=8, random_state=0),
    "XGB": lambda: xgboost(n_estimators=40),
    "LightGBM": lambda: lightgbm(n_estimators=40),
    "HistGB": lambda: HistGradientBoostingClassifier(max_iter=40),
    "GB": lambda: GradientBoostingClassifier(n_estimators=40),
    "LR": lambda: scaled(LogisticRegression()),
    "SVC": lambda: scaled(LinearSVC()),
    "scaled XGB": lambda: scaled(xgboost(n_estimators=40)),
    "RF with a threshold of its own": lambda: FixedThresholdClassifier(
        RandomForestClassifier(30, random_state=0), threshold=0.3
    ),
}


def explain(model, actions, X, people, **arguments):
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, **arguments)
    return explainer.fit(X).explain(people)


def repeated(person, times):
    return person.iloc[np.zeros(times, dtype=int)].reset_index(drop=True)


def dense(model, actions, person, name, rates, target, points=5_001):
    """The share of a fine grid along the line that reaches the target."""
    value = float(person[name].iloc[0])
    low, high = actions.features[name].own_limits(value)
    t = low + (high - low) * (np.arange(points) + 0.5) / points
    P = repeated(person, points)
    P[name] = value + t
    for other, rate in rates.items():
        P[other] = float(person[other].iloc[0]) + rate * t
    return np.mean(model.predict(P) == target)
