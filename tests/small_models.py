"""Small models that several tests use."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
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


class RuleModel:
    """A black box: a function of the table chooses between two classes."""

    def __init__(self, rule, classes=(0, 1)):
        self.rule, self.classes_ = rule, np.array(classes)
        self.seen = []  # every table that predict was given

    def predict(self, X):
        self.seen.append(X)
        return self.classes_[np.asarray(self.rule(X)).astype(int)]


class RuleClassifier(ClassifierMixin, BaseEstimator):
    """A black box that scikit-learn can clone."""

    classes_ = np.array([0, 1])

    def __init__(self, rule):
        self.rule = rule

    def fit(self, X, y=None):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return np.asarray(self.rule(X), dtype=int)


class HashModel:
    """A black box that answers each point by a hash of it: it has no structure."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, salt, names):
        self.salt, self.names = salt, names

    def answer(self, row):
        text = "|".join(str(row[name]) for name in self.names)
        return "yes" if zlib.crc32(f"{self.salt}{text}".encode()) % 3 == 0 else "no"

    def predict(self, X):
        return np.array([self.answer(row) for _, row in X.iterrows()])


def catboost(**parameters):
    """Return a classifier of CatBoost; skip the test where it is not installed."""
    library = pytest.importorskip("catboost")
    quiet = {"verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return library.CatBoostClassifier(**(quiet | parameters))


def category_encoder(name, **parameters):
    """Return a step of category_encoders; skip the test where it is not installed."""
    return getattr(pytest.importorskip("category_encoders"), name)(**parameters)


def oversampling(step, model):
    """Return a pipeline of imbalanced-learn; skip the test without that library."""
    sampler = pytest.importorskip("imblearn.over_sampling").RandomOverSampler
    pipeline = pytest.importorskip("imblearn.pipeline")
    return pipeline.make_pipeline(step, sampler(random_state=0), model)


def explainable_boosting(**parameters):
    """Return a classifier of InterpretML; skip the test where it is not installed."""
    library = pytest.importorskip("interpret.glassbox")
    small = {
        "max_rounds": 100,
        "learning_rate": 0.1,
        "outer_bags": 2,
        "n_jobs": 1,
        "interactions": 0,
    }
    return library.ExplainableBoostingClassifier(**(small | parameters))


def lightgbm(**parameters):
    """Return a classifier of LightGBM; skip the test where it is not installed."""
    library = pytest.importorskip("lightgbm")
    return library.LGBMClassifier(**({"n_jobs": 1, "verbose": -1} | parameters))


def xgboost(**parameters):
    """Return a classifier of XGBoost; skip the test where it is not installed."""
    library = pytest.importorskip("xgboost")
    return library.XGBClassifier(**({"n_jobs": 1} | parameters))


def scaled(model):
    """Return a pipeline that scales every column."""
    return make_pipeline(StandardScaler(), model)


def encoded(model):
    """Return a pipeline that encodes labels and scales numbers."""
    labels = make_column_selector(dtype_exclude="number")
    numbers = make_column_selector(dtype_include="number")
    return make_pipeline(
        make_column_transformer((OneHotEncoder(), labels), (StandardScaler(), numbers)),
        model,
    )


LINEAR = {
    "LR": lambda: scaled(LogisticRegression()),
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
    "XGB": lambda: xgboost(n_estimators=5, max_depth=3, min_child_weight=0),
    "LGBM": lambda: lightgbm(n_estimators=4, min_child_samples=2),
    "ruled": lambda: FixedThresholdClassifier(
        RandomForestClassifier(6, random_state=0), threshold=0.6
    ),
}
ALL = LINEAR | TREES
REAL_DATA_MODELS = {
    "LR": lambda: scaled(LogisticRegression(C=np.inf, max_iter=1_000)),
    "RF": lambda: RandomForestClassifier(20, max_depth=8, random_state=0),
    "XGB": lambda: xgboost(n_estimators=30),
}


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
