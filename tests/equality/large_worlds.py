"""Random models that are larger than those of the fuzz.

Trees have more than 64 leaves, parts more than 63 options, held columns missing
values, labels are native or encoded, numbers float64 or float32. Integers are trained
on every other value, so that options lie on the cut points between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linkage, Thermometer

from .cut_points import at_cut_points

JOBS = ("p", "q", "r", "s")
# What each year, and each step, adds to `balance`.
PER_YEAR, PER_STEP = 0.1, 0.3


@dataclass(frozen=True)
class Kind:
    """A kind of model: how it is made, and what it accepts."""

    make: Any
    native: bool = False
    missing: bool = True
    classes: int = 2


def _forest(**more):
    return RandomForestClassifier(n_jobs=1, random_state=0, **more)


def _xgb(**more):
    return XGBClassifier(n_jobs=1, **({"n_estimators": 20, "max_depth": 8} | more))


def _lgbm(**more):
    given = {"n_estimators": 12, "num_leaves": 90, "min_child_samples": 4}
    return LGBMClassifier(n_jobs=1, verbose=-1, random_state=0, **(given | more))


def _hgb(**more):
    given = {"max_iter": 12, "max_leaf_nodes": 90, "min_samples_leaf": 4}
    return HistGradientBoostingClassifier(random_state=0, **(given | more))


KINDS = {
    "forest": Kind(lambda: _forest(n_estimators=15)),
    "small forest": Kind(lambda: _forest(n_estimators=30, max_depth=5)),
    "forest of both": Kind(lambda: _forest(n_estimators=20, min_samples_leaf=7)),
    "even forest": Kind(lambda: _forest(n_estimators=4, max_leaf_nodes=40)),
    "extra trees": Kind(lambda: ExtraTreesClassifier(12, random_state=0)),
    "tree": Kind(lambda: DecisionTreeClassifier(random_state=0)),
    "boosting": Kind(
        lambda: GradientBoostingClassifier(n_estimators=25, random_state=0),
        missing=False,
    ),
    "XGB": Kind(_xgb),
    "XGB shallow": Kind(lambda: _xgb(n_estimators=60, max_depth=4)),
    "XGB native": Kind(lambda: _xgb(enable_categorical=True), native=True),
    "LGBM": Kind(_lgbm),
    "LGBM native": Kind(lambda: _lgbm(min_data_per_group=5), native=True),
    "HGB": Kind(lambda: _hgb(max_leaf_nodes=31)),
    "HGB native": Kind(lambda: _hgb(categorical_features="from_dtype"), native=True),
    "calibrated": Kind(lambda: CalibratedClassifierCV(_forest(n_estimators=6), cv=2)),
    "isotonic": Kind(
        lambda: CalibratedClassifierCV(_hgb(max_iter=6), cv=2, method="isotonic")
    ),
    "voting": Kind(
        lambda: VotingClassifier(
            [("f", _forest(n_estimators=6)), ("h", _hgb(max_iter=6))], voting="soft"
        )
    ),
    "bagging": Kind(
        lambda: BaggingClassifier(DecisionTreeClassifier(), 11, random_state=0)
    ),
    "LR": Kind(
        lambda: make_pipeline(
            SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=500)
        )
    ),
    "forest classes": Kind(lambda: _forest(n_estimators=12), classes=3),
    "XGB classes": Kind(lambda: _xgb(n_estimators=12), classes=3),
    "XGB native classes": Kind(
        lambda: _xgb(n_estimators=12, enable_categorical=True), native=True, classes=3
    ),
    "LGBM classes": Kind(lambda: _lgbm(n_estimators=8), classes=3),
    "HGB classes": Kind(lambda: _hgb(max_iter=8), classes=3),
    "LR classes": Kind(
        lambda: make_pipeline(
            SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=500)
        ),
        classes=3,
    ),
}


def large_case(seed, kind=None, rows=400, people=10, real=None):
    """Return the name of a random model, an explainer of it, and people.

    Half of the people are moved to cut points. `real` says whether a real feature can
    change, which makes lines; by default it is random.
    """
    rng = np.random.default_rng(seed)
    if kind is None:
        kind = str(rng.choice(list(KINDS)))
    made = KINDS[kind]
    X = _rows(rng, rows, made)
    model = _fitted(made, X, _labels(rng, X, made.classes))
    real = bool(rng.random() < 0.3) if real is None else real
    target = int(rng.integers(made.classes)) if made.classes > 2 else 1
    threshold = None
    if hasattr(model, "predict_proba") and made.classes == 2 and rng.random() < 0.4:
        # Of a probability that the model gives, so that many points are level.
        given = model.predict_proba(X)[:, 1]
        threshold = float(rng.choice([0.5, 0.3, rng.choice(given)]))
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model),
        _actions(rng, real),
        target=target,
        threshold=threshold,
        interventions=str(rng.choice(["minimal", "joint"])),
        missing="hold",
        n_samples=20,
        random_state=0,
    ).fit(X)
    some = _rows(rng, people, made, X)
    shifts = {"balance": PER_YEAR * np.arange(1, 90)}
    moved = at_cut_points(rng, explainer, some, shifts)
    half = len(some) // 2
    some = pd.concat([some[:half], moved[half:]], ignore_index=True)
    return f"{kind} seed {seed}", explainer, some.astype(X.dtypes)


def _rows(rng, n, kind, like=None):
    """Return random rows; with the types of other rows, where given."""
    numbers = rng.choice(["float64", "float32", "int64"])
    years = rng.integers(0, 91, n)
    X = pd.DataFrame(
        {
            "years": years if like is not None else 2 * (years // 2),
            "level": rng.integers(0, 7, n).astype(float),
            "on": rng.integers(0, 2, n),
            "job": rng.choice(JOBS, n),
            "balance": rng.normal(5, 4, n).round(int(rng.integers(1, 8))),
            "wealth": rng.normal(size=n),
            "age": rng.normal(40, 9, n).astype("float32"),
        }
    )
    X[["t1", "t2", "t3"]] = np.sort(rng.integers(0, 2, (n, 3)), axis=1)[:, ::-1]
    if kind.missing:
        for name in ("level", "wealth", "age"):
            X.loc[rng.random(n) < 0.15, name] = np.nan
    if like is not None:
        return X.astype(like.dtypes)
    if kind.native:
        X["job"] = X["job"].astype(pd.CategoricalDtype(JOBS))
    X["years"] = X["years"].astype(numbers)
    for name in ("balance", "wealth"):
        X[name] = X[name].astype(rng.choice(["float64", "float32"]))
    return X


def _labels(rng, X, classes):
    """Return random classes that depend on all columns, and on some together."""
    signal = rng.normal(0, 0.6, len(X))
    for name in X:
        codes = pd.factorize(X[name], sort=True)[0].astype(float)
        signal += rng.normal() * codes / max(codes.std(), 1e-9)
    signal += X["on"] * rng.normal() * (X["years"].to_numpy() > 40)
    cuts = np.quantile(signal, [0.45, 0.75] if classes == 3 else [0.55])
    return np.digitize(signal, cuts)


def _fitted(kind, X, y):
    """Return a fitted model; labels are encoded unless it reads them itself."""
    if kind.native:
        return kind.make().fit(X, y)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["job"]),
        remainder="passthrough",
    )
    return make_pipeline(encode, kind.make()).fit(X, y)


def _actions(rng, real):
    """Return random actions: one part has up to 90 options and moves a real along."""
    years = {} if rng.random() < 0.5 else {"max_increase": int(rng.integers(3, 80))}
    wealth = Feature("real", -3, 3) if real else Feature("real", actionable=False)
    return ActionSet(
        {
            "years": Feature("integer", 0, 90, **years),
            "level": Feature("integer", 0, 6),
            "on": Feature("binary"),
            "job": Feature("categorical", categories=JOBS),
            "balance": Feature("real", actionable=False),
            "wealth": wealth,
            "age": Feature("real", actionable=False),
            **{name: Feature("binary") for name in ("t1", "t2", "t3")},
        },
        [
            Linkage("years", {"balance": PER_YEAR}),
            Linkage("on", {"balance": PER_STEP}),
            Thermometer(["t1", "t2", "t3"]),
        ],
    )
