"""Small models of every kind."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from .family import Family
from .steps import STEPPED


def _xgb(**more):
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=5, max_depth=3, min_child_weight=0, n_jobs=1, **more
    )


def _lgbm(**more):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=4, min_child_samples=2, n_jobs=1, verbose=-1, **more
    )


def _cube(x):
    return x**3


def _hgb(**more):
    return HistGradientBoostingClassifier(
        max_iter=4, min_samples_leaf=2, early_stopping=False, **more
    )


def _catboost():
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=5,
        depth=3,
        verbose=False,
        allow_writing_files=False,
        thread_count=1,
        random_seed=0,
    )


def _explainable_boosting():
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(
        interactions=0, outer_bags=2, max_rounds=40, n_jobs=1, random_state=0
    )


def _members():
    return [
        ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
        ("forest", RandomForestClassifier(4, random_state=0)),
        ("boosting", _hgb()),
    ]


def _bayes(**more):
    return GaussianNB(var_smoothing=1e-3, **more)


def _peaked(make, **more):
    return Family(make, lattice=False, peak=True, **more)


_ODD = {"read": False, "lines": False, "smooth": True}

# Models whose best is between the ends of ranges.
PEAKED = {
    "peak NB": _peaked(_bayes, smooth=True, threshold=True),
    # A binary may be constant in a class by chance.
    "peak NB default": _peaked(GaussianNB, smooth=True, rounding=True),
    "peak NB rare": _peaked(
        lambda: _bayes(priors=[0.97, 0.03]), smooth=True, threshold=True
    ),
    "peak NB constant": _peaked(GaussianNB, rounding=True, constant=True),
    "peak NB scaled": _peaked(
        lambda: make_pipeline(StandardScaler(), _bayes()), smooth=True
    ),
    "peak NB power": _peaked(
        lambda: make_pipeline(PowerTransformer(), _bayes()), smooth=True
    ),
    "peak NB voting": _peaked(
        lambda: VotingClassifier(
            [("bayes", _bayes()), ("linear", LogisticRegression())], voting="soft"
        ),
        smooth=True,
        threshold=True,
    ),
    "peak NB calibrated": _peaked(
        lambda: CalibratedClassifierCV(_bayes(), cv=2), smooth=True
    ),
    "peak NB stacking": _peaked(
        lambda: StackingClassifier(
            [("bayes", _bayes()), ("linear", LogisticRegression())], cv=2
        ),
        smooth=True,
    ),
    "peak NB bagging": _peaked(
        lambda: BaggingClassifier(_bayes(), 3, random_state=0), smooth=True
    ),
    "peak bins": _peaked(
        lambda: make_pipeline(
            KBinsDiscretizer(5, quantile_method="averaged_inverted_cdf"),
            LogisticRegression(C=10),
        )
    ),
    "peak EBM": _peaked(_explainable_boosting),
    "peak RF": _peaked(lambda: RandomForestClassifier(6, random_state=0)),
    "peak HGB": _peaked(_hgb, threshold=True),
    "peak spline": _peaked(
        lambda: make_pipeline(SplineTransformer(), LogisticRegression(C=10)),
        smooth=True,
    ),
    "peak square": _peaked(
        lambda: make_pipeline(
            StandardScaler(), FunctionTransformer(np.square), LogisticRegression(C=10)
        ),
        **_ODD,
    ),
    "peak SVC": _peaked(lambda: SVC(C=10), **_ODD),
}


FAMILIES = {
    "LR": Family(
        lambda: make_pipeline(StandardScaler(), LogisticRegression()), lattice=False
    ),
    "LR threshold": Family(LogisticRegression, lattice=False, threshold=True),
    "LR classes": Family(LogisticRegression, lattice=False, classes=3),
    "LDA": Family(LinearDiscriminantAnalysis, lattice=False, threshold=True),
    "ridge": Family(
        lambda: make_pipeline(MinMaxScaler(), RidgeClassifier()), lattice=False
    ),
    "SVM": Family(LinearSVC, lattice=False),
    "SGD": Family(lambda: SGDClassifier(random_state=0), lattice=False),
    "linear": Family(LinearRegression, lattice=False, number=True),
    "tree": Family(lambda: DecisionTreeClassifier(random_state=0), missing=True),
    "tree sparse": Family(
        lambda: DecisionTreeClassifier(random_state=0), encoder="sparse"
    ),
    "RF": Family(lambda: RandomForestClassifier(6, random_state=0), missing=True),
    "RF scaled": Family(
        lambda: make_pipeline(
            StandardScaler(), RandomForestClassifier(6, random_state=0)
        )
    ),
    "RF imputed": Family(
        lambda: make_pipeline(
            SimpleImputer(), RandomForestClassifier(5, random_state=0)
        ),
        lattice=False,  # means are put in where values are missing
        missing=True,
    ),
    "RF classes": Family(lambda: RandomForestClassifier(5, random_state=0), classes=3),
    "RF number": Family(lambda: RandomForestRegressor(5, random_state=0), number=True),
    "extra": Family(lambda: ExtraTreesClassifier(6, random_state=0), lattice=False),
    "GB": Family(lambda: GradientBoostingClassifier(n_estimators=5, random_state=0)),
    "GB number": Family(
        lambda: GradientBoostingRegressor(n_estimators=5, random_state=0), number=True
    ),
    "HGB": Family(_hgb, missing=True),
    "XGB": Family(_xgb, missing=True, threshold=True),
    "XGB scaled": Family(lambda: make_pipeline(MinMaxScaler(), _xgb()), lattice=False),
    "XGB dart": Family(lambda: _xgb(booster="dart", rate_drop=0.5), missing=True),
    "XGB classes": Family(_xgb, classes=3),
    "LGBM": Family(_lgbm, missing=True, threshold=True),
    # LightGBM keeps 0 apart from other values, here the mean.
    "LGBM scaled": Family(
        lambda: make_pipeline(StandardScaler(), _lgbm()), lattice=False
    ),
    "LGBM forest": Family(
        lambda: _lgbm(boosting_type="rf", subsample=0.7, subsample_freq=1),
        missing=True,
        threshold=True,
    ),
    "LGBM classes": Family(_lgbm, classes=3),
    "ruled": Family(
        lambda: FixedThresholdClassifier(
            RandomForestClassifier(6, random_state=0), threshold=0.6
        )
    ),
    "XGB native": Family(lambda: _xgb(enable_categorical=True), encoder="native"),
    "LGBM native": Family(_lgbm, encoder="native"),
    "HGB native": Family(
        lambda: _hgb(categorical_features="from_dtype"), encoder="native"
    ),
    "CatBoost": Family(_catboost, missing=True, threshold=True),
    "EBM": Family(_explainable_boosting),
    "calibrated": Family(
        lambda: CalibratedClassifierCV(RandomForestClassifier(4, random_state=0), cv=2),
        threshold=True,
    ),
    "isotonic": Family(
        lambda: CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=2),
        lattice=False,
    ),
    "bagging": Family(
        lambda: BaggingClassifier(
            DecisionTreeClassifier(max_depth=4), 5, max_features=0.7, random_state=0
        )
    ),
    "AdaBoost": Family(lambda: AdaBoostClassifier(n_estimators=6, random_state=0)),
    "voting": Family(
        lambda: VotingClassifier(_members(), voting="soft", weights=[1, 2, 3]),
        lattice=False,
        threshold=True,
    ),
    "stacking": Family(
        lambda: StackingClassifier(_members(), cv=2, passthrough=True),
        lattice=False,
    ),
    "one vs rest": Family(
        lambda: OneVsRestClassifier(RandomForestClassifier(5, random_state=0)),
        threshold=True,
    ),
    "target": Family(
        lambda: TransformedTargetRegressor(
            LinearRegression(), func=np.cbrt, inverse_func=_cube
        ),
        lattice=False,
        number=True,
    ),
    "target trees": Family(
        lambda: TransformedTargetRegressor(
            RandomForestRegressor(5, random_state=0),
            transformer=QuantileTransformer(n_quantiles=10),
        ),
        number=True,
    ),
    "policy": Family(
        lambda: RandomForestClassifier(6, random_state=0),
        missing=True,
        threshold=True,
        policy=True,
    ),
    "policy linear": Family(
        LogisticRegression, lattice=False, threshold=True, policy=True
    ),
    "policy ruled": Family(
        lambda: FixedThresholdClassifier(_hgb(), threshold=0.6),
        missing=True,
        policy=True,
    ),
    "policy classes": Family(
        lambda: RandomForestClassifier(5, random_state=0), classes=3, policy=True
    ),
    "policy native": Family(_lgbm, encoder="native", policy=True),
    "MLP": Family(
        lambda: make_pipeline(
            StandardScaler(), MLPClassifier((5,), max_iter=80, random_state=0)
        ),
        read=False,
        lines=False,
        lattice=False,
    ),
    "SVC": Family(SVC, read=False, lines=False, lattice=False),
    "KNN": Family(
        lambda: KNeighborsClassifier(3), read=False, lines=False, lattice=False
    ),
    "NB": Family(lambda: GaussianNB(var_smoothing=1e-3), lattice=False, smooth=True),
    "NB constant": Family(GaussianNB, lattice=False, rounding=True, constant=True),
    **STEPPED,
    **PEAKED,
}
