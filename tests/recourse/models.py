"""Small models of every kind that certificates know, over rows with labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=4, min_child_samples=2, n_jobs=1, verbose=-1)


def xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=5, max_depth=3, min_child_weight=0, n_jobs=1)


LINEAR = {
    "LR": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "ridge": lambda: make_pipeline(MinMaxScaler(), RidgeClassifier()),
    "SVM": LinearSVC,
    "SGD": lambda: SGDClassifier(random_state=0, loss="log_loss"),
}
TREES = {
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "RF": lambda: RandomForestClassifier(6, random_state=0),
    "extra": lambda: ExtraTreesClassifier(6, random_state=0),
    "GB": lambda: GradientBoostingClassifier(n_estimators=5, random_state=0),
    "HGB": lambda: HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=2),
    "XGB": xgboost,
    "LGBM": lightgbm,
    "ruled": lambda: FixedThresholdClassifier(
        RandomForestClassifier(6, random_state=0), threshold=0.6
    ),
}
ALL = LINEAR | TREES


def rows_for(actions, rng, n=60):
    """Rows all over the place, valid or not, to fit a model on."""
    columns = {}
    for name, f in actions.features.items():
        if f.kind == "categorical":
            columns[name] = rng.choice([*f.categories, "elsewhere"], n)
        elif f.kind == "binary":
            columns[name] = rng.integers(0, 2, n)
        elif f.kind == "integer":
            columns[name] = rng.integers(f.lower - 2, f.upper + 4, n)
        else:
            columns[name] = rng.integers(f.lower - 2, f.upper + 4, n) * 1.0
    return pd.DataFrame(columns)


def fitted(kind, actions, seed, classes=2):
    """A model fitted to noise with some signal, and the rows it was fitted on."""
    rng = np.random.default_rng(seed)
    X = rows_for(actions, rng)
    signal = rng.normal(0, 1.5, len(X))
    for name in X:
        signal += rng.normal() * pd.factorize(X[name], sort=True)[0]
    if classes == 2:
        y = (signal > np.quantile(signal, rng.choice([0.3, 0.6, 0.8, 0.95]))).astype(
            int
        )
    else:
        y = np.digitize(signal, np.quantile(signal, [0.4, 0.7]))
    labels = [n for n, f in actions.features.items() if f.kind == "categorical"]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), labels),
        remainder="passthrough",
    )
    return make_pipeline(encode, ALL[kind]()).fit(X, y), X
