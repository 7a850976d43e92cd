"""Explainers of fitted models, and linear models with given weights."""

from __future__ import annotations

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression

from skresp import ResponsivenessExplainer


def explainer_of(model, actions, X, **settings):
    """Return an explainer of a fitted model; the target is 1 unless given."""
    if hasattr(model, "fit"):
        model = FrozenEstimator(model)
    settings = {"target": 1, "random_state": 0} | settings
    return ResponsivenessExplainer(model, actions, **settings).fit(X)


def verdicts_of(model, actions, people, X, **settings):
    """Return the verdicts of people from an explainer fitted on `X`."""
    return explainer_of(model, actions, X, **settings).verify(people)


def statuses(explainer, X):
    """Return the statuses of rows as a list."""
    return explainer.verify(X).status.tolist()


def linear_regression(weights, intercept, names=None):
    """Return a regression with these weights."""
    model = LinearRegression()
    model.coef_, model.intercept_ = np.array(weights, dtype=float), float(intercept)
    return _named(model, len(weights), names)


def logistic_regression(weights, intercept, names=None):
    """Return a classifier with these weights, one row of them per class if several."""
    model = LogisticRegression()
    model.coef_ = np.atleast_2d(np.array(weights, dtype=float))
    model.intercept_ = np.atleast_1d(np.array(intercept, dtype=float))
    model.classes_ = np.arange(max(len(model.coef_), 2))
    return _named(model, model.coef_.shape[1], names)


def _named(model, width, names):
    model.n_features_in_ = width
    if names is not None:
        model.feature_names_in_ = np.array(list(names), dtype=object)
    return model
