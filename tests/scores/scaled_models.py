"""Small models, and the scalers to put before them."""

from __future__ import annotations

from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.small_models import lightgbm, xgboost

TREES = {
    "tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "RF": lambda: RandomForestClassifier(8, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(8, random_state=0),
    "XGB": lambda: xgboost(n_estimators=8, max_depth=3),
    "LightGBM": lambda: lightgbm(n_estimators=8),
    "HistGB": lambda: HistGradientBoostingClassifier(max_iter=8),
    "GB": lambda: GradientBoostingClassifier(n_estimators=8, random_state=0),
}
LINEAR = {
    "LR": LogisticRegression,
    "SGD": lambda: SGDClassifier(random_state=0),
}
SCALERS = [None, StandardScaler, MinMaxScaler, RobustScaler]
