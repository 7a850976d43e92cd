"""Rows with labels that are not listed and missing values, and models of them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.small_models import ALL, rows_for

ACCEPT_MISSING = ("HGB", "XGB", "LGBM")
MODELS = ALL | {
    "MLP": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((6,), random_state=0, max_iter=50)
    )
}
OUTSIDE = ["elsewhere", "nowhere", None, np.nan]


def mixed_rows(actions, rng, n):
    """Return rows with unlisted labels and missing values."""
    X = rows_for(actions, rng, n)
    for name, f in actions.features.items():
        if f.kind == "categorical":
            pool = np.array([*f.categories, *f.categories, *OUTSIDE], dtype=object)
            X[name] = pd.Series(pool[rng.integers(len(pool), size=n)], dtype=object)
        elif rng.random() < 0.3:
            X[name] = X[name].mask(rng.random(n) < 0.2)
    return X


def fitted_on_mixed_rows(kind, actions, rng, classes):
    """Return a model fitted on such rows, and the rows."""
    X = mixed_rows(actions, rng, 80)
    signal = rng.normal(0, 1.5, len(X))
    for name in X:
        codes = pd.factorize(X[name].astype(str), sort=True)[0]
        signal += rng.normal() * codes
    cuts = [rng.choice([0.3, 0.6, 0.8])] if classes == 2 else [0.4, 0.7]
    y = np.digitize(signal, np.quantile(signal, cuts))
    labels = [n for n, f in actions.features.items() if f.kind == "categorical"]
    numbers = [n for n in actions.names if n not in labels]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), labels),
        ("passthrough" if kind in ACCEPT_MISSING else SimpleImputer(), numbers),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(encode, MODELS[kind]()).fit(X, y), X
