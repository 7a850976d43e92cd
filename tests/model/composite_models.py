"""Models of the catalogue that are made of other models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.small_models import lightgbm, xgboost


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(5, max_depth=5, random_state=0)


def _boosting() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=6)


def _logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


def _xgboost() -> Any:
    return xgboost(n_estimators=5, max_depth=3)


def _lightgbm() -> Any:
    return lightgbm(n_estimators=5, num_leaves=6)


def _calibrated(model: Any, method: str = "sigmoid", **options: Any) -> Any:
    return CalibratedClassifierCV(model, method=method, cv=2, **options)


def _bagging(model: Any, **options: Any) -> BaggingClassifier:
    return BaggingClassifier(model, n_estimators=5, random_state=0, **options)


def _members() -> list[tuple[str, Any]]:
    return [("linear", _logistic()), ("forest", _forest()), ("boosting", _boosting())]


#: Models of numbers without missing values.
MODELS: dict[str, Callable[[], Any]] = {
    "sigmoid calibration of a forest": lambda: _calibrated(_forest()),
    "isotonic calibration of a forest": lambda: _calibrated(_forest(), "isotonic"),
    "sigmoid calibration of a logistic regression": lambda: _calibrated(_logistic()),
    "isotonic calibration of a linear SVC": lambda: _calibrated(
        make_pipeline(StandardScaler(), LinearSVC()), "isotonic", ensemble=False
    ),
    "sigmoid calibration of boosting": lambda: _calibrated(
        GradientBoostingClassifier(n_estimators=5), ensemble=False
    ),
    "isotonic calibration of histogram boosting": lambda: _calibrated(
        _boosting(), "isotonic"
    ),
    "sigmoid calibration of LightGBM": lambda: _calibrated(_lightgbm()),
    "isotonic calibration of LightGBM": lambda: _calibrated(_lightgbm(), "isotonic"),
    "sigmoid calibration of XGBoost": lambda: _calibrated(_xgboost()),
    "isotonic calibration of XGBoost": lambda: _calibrated(_xgboost(), "isotonic"),
    "threshold on a calibrated forest": lambda: FixedThresholdClassifier(
        _calibrated(_forest()), threshold=0.6
    ),
    "soft voting": lambda: VotingClassifier(_members(), voting="soft"),
    "weighted voting": lambda: VotingClassifier(
        [
            ("clipped", SGDClassifier(loss="modified_huber", random_state=0)),
            ("calibrated", _calibrated(_forest())),
            ("boosting", _boosting()),
            ("dropped", "drop"),
        ],
        voting="soft",
        weights=[1, 3, 2, 7],
    ),
    "voting of LightGBM and XGBoost": lambda: VotingClassifier(
        [("LightGBM", _lightgbm()), ("XGBoost", _xgboost())], voting="soft"
    ),
    "isotonic calibration of naive Bayes": lambda: _calibrated(
        GaussianNB(), "isotonic"
    ),
    "bagged trees": lambda: _bagging(DecisionTreeClassifier(max_depth=5)),
    "bagged trees of drawn columns": lambda: _bagging(
        DecisionTreeClassifier(max_depth=5), max_features=2
    ),
    "bagged logistic regressions of drawn columns": lambda: _bagging(
        LogisticRegression(), max_features=2, bootstrap_features=True
    ),
    "bagged pipelines of drawn columns": lambda: _bagging(_logistic(), max_features=2),
    "bagged boosting": lambda: _bagging(_boosting(), max_features=2),
    "bagged XGBoost": lambda: _bagging(_xgboost()),
    "bagged regression trees": lambda: BaggingRegressor(
        DecisionTreeRegressor(max_depth=4), 5, max_features=2, random_state=0
    ),
    "bagged linear regressions": lambda: BaggingRegressor(
        LinearRegression(), 5, random_state=0
    ),
    "AdaBoost": lambda: AdaBoostClassifier(n_estimators=10, random_state=0),
    "AdaBoost of deeper trees": lambda: AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=3), n_estimators=5, random_state=0
    ),
    "one against the rest": lambda: OneVsRestClassifier(_logistic()),
    "one forest against the rest": lambda: OneVsRestClassifier(_forest()),
    "logarithm of the target": lambda: TransformedTargetRegressor(
        make_pipeline(StandardScaler(), LinearRegression()),
        func=np.log1p,
        inverse_func=np.expm1,
    ),
    "falling function of the target": lambda: TransformedTargetRegressor(
        RandomForestRegressor(5, max_depth=5, random_state=0),
        func=np.negative,
        inverse_func=np.negative,
    ),
    "scaled target": lambda: TransformedTargetRegressor(
        LinearRegression(), transformer=MinMaxScaler((1, 3))
    ),
    "stacking": lambda: StackingClassifier(_members(), cv=2),
    "stacking with passthrough": lambda: make_pipeline(
        StandardScaler(with_mean=False),
        StackingClassifier(_members(), cv=2, passthrough=True),
    ),
    "stacking of decision functions": lambda: StackingClassifier(
        [("SVC", LinearSVC()), ("boosting", _boosting())], RidgeClassifier(), cv=2
    ),
    "stacking of LightGBM and XGBoost": lambda: StackingClassifier(
        [("LightGBM", _lightgbm()), ("XGBoost", _xgboost())], cv=2
    ),
    "stacking regressor": lambda: StackingRegressor(
        [
            ("linear", LinearRegression()),
            ("forest", RandomForestRegressor(5, max_depth=5, random_state=0)),
        ],
        cv=2,
    ),
    "voting regressor": lambda: VotingRegressor(
        [
            ("linear", LinearRegression()),
            ("forest", RandomForestRegressor(5, max_depth=5, random_state=0)),
        ],
        weights=[1, 3],
    ),
}

if "temperature" in (CalibratedClassifierCV.__doc__ or ""):  # scikit-learn 1.8
    MODELS["temperature of a logistic regression"] = lambda: _calibrated(
        _logistic(), "temperature"
    )

#: Names of the models that also stand behind encoders.
BEHIND_ENCODERS = (
    "sigmoid calibration of a logistic regression",
    "isotonic calibration of a forest",
    "soft voting",
    "bagged trees of drawn columns",
    "AdaBoost",
    "stacking with passthrough",
)
