"""Models of every family that is read, behind every step that is read.

To add a family to the tests of `ScoreFunction`, add entries here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skresp import ActionSet, AtLeast, DecisionPolicy
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._target import make_target_rule
from tests.model import composite_models
from tests.model.spline_steps import SPLINES, splines
from tests.small_models import (
    catboost,
    category_encoder,
    explainable_boosting,
    lightgbm,
    oversampling,
    xgboost,
)

NUMBERS = ["income", "age", "rate"]


#: Rules on numbers, labels, truth values and missing values.
POLICY = [
    ([("age", "<=", 25), ("job", "!=", "pilot")], 0),
    ([("rate", ">=", 0.5), ("own", "==", True)], 1),
    (("rate", "!=", 0), 0),
    ([("job", "in", ["cook", "nurse"]), ("grade", "==", 3)], 1),
]


class Entry(NamedTuple):
    """A model of the catalogue.

    Attributes
    ----------
    model : callable
        Returns the unfitted model.
    columns : list of str
    container : {"pandas", "polars", "array"}
    dtype : dtype or None
        The dtype of the numbers, where it is not their own.
    categories, ordered : tuple of str
        The columns of dtype category, and those of them whose labels have an order.
    """

    model: Callable[[], Any]
    columns: list[str]
    container: str = "pandas"
    dtype: Any = None
    categories: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()

    def people(self) -> tuple[pd.DataFrame, pd.Series]:
        """Return the people that the model is fitted on."""
        X, y = people(self.dtype)
        X = X[self.columns].astype(dict.fromkeys(self.categories, "category"))
        return X.assign(**{name: X[name].cat.as_ordered() for name in self.ordered}), y


@cache
def people(dtype: Any = None) -> tuple[pd.DataFrame, pd.Series]:
    """Return 300 people and whether their loan was approved."""
    rng = np.random.default_rng(3)
    n = 300
    X = pd.DataFrame(
        {
            "income": rng.lognormal(10.0, 1.0, n),
            "age": rng.integers(18, 80, n),
            "rate": rng.normal(0.0, 1.0, n).round(2),
            "job": rng.choice(["clerk", "cook", "pilot", "nurse"], n),
            "own": rng.random(n) < 0.5,
            "grade": rng.integers(1, 6, n),
        }
    )
    X.loc[::7, "rate"] = np.nan
    X.loc[::11, "rate"] = 0.0
    score = np.log(X.income) - 10 + 0.03 * (X.age - 45) + X.rate.fillna(0.5)
    score += (X.job == "pilot") + 0.5 * X.own + 0.2 * (X.grade - 3)
    if dtype is not None:
        X = X.astype({"income": dtype, "rate": dtype})
    return X, (score + rng.normal(0.0, 0.3, n) > 0).astype(int)


def _mixed(numbers: Any, labels: Any = None, **options: Any) -> ColumnTransformer:
    """Return a step that treats numbers and labels apart."""
    labels = OneHotEncoder() if labels is None else labels
    return ColumnTransformer(
        [("numbers", numbers, NUMBERS), ("labels", labels, ["job", "grade"])],
        remainder="passthrough",
        **options,
    )


def _filled(step: Any) -> Pipeline:
    return make_pipeline(SimpleImputer(), step)


def _bins(encode: str) -> KBinsDiscretizer:
    return KBinsDiscretizer(5, encode=encode, quantile_method="averaged_inverted_cdf")


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=6, random_state=0)


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(10, random_state=0)


def _boosting(**options: Any) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=8, **options)


def _xgboost(**options: Any) -> Any:
    return xgboost(n_estimators=10, max_depth=3, enable_categorical=True, **options)


def _lightgbm(**options: Any) -> Any:
    return lightgbm(n_estimators=10, num_leaves=8, **options)


def _catboost(**options: Any) -> Any:
    return catboost(iterations=10, depth=3, **options)


def _logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=5_000)


#: Steps that turn each column of numbers into numbers.
STEPS: dict[str, Callable[[], Any]] = {
    "imputer": SimpleImputer,
    "imputer with flags": lambda: SimpleImputer(add_indicator=True),
    "standard scaler": lambda: _filled(StandardScaler()),
    "scaler before imputer": lambda: make_pipeline(StandardScaler(), SimpleImputer()),
    "min-max scaler": lambda: _filled(MinMaxScaler()),
    "clipping scaler": lambda: _filled(MinMaxScaler((0.2, 0.8), clip=True)),
    "max-abs scaler": lambda: _filled(MaxAbsScaler()),
    "robust scaler": lambda: _filled(RobustScaler()),
    "power": lambda: _filled(PowerTransformer()),
    "quantiles": lambda: _filled(QuantileTransformer(n_quantiles=20)),
    "cube root": lambda: _filled(FunctionTransformer(np.cbrt)),
    "negative": lambda: _filled(FunctionTransformer(np.negative)),
    "ordinal bins": lambda: _filled(_bins("ordinal")),
    "bins": lambda: _filled(_bins("onehot-dense")),
    "scaled bins": lambda: make_pipeline(
        SimpleImputer(), StandardScaler(), _bins("onehot-dense")
    ),
    "binarizer": lambda: make_pipeline(
        SimpleImputer(), StandardScaler(), Binarizer(threshold=0.1)
    ),
    "bins of negatives": lambda: make_pipeline(
        SimpleImputer(), FunctionTransformer(np.negative), _bins("onehot-dense")
    ),
    "selection": lambda: _filled(SelectKBest(k=2)),
    **SPLINES,
    "scaler and bins": lambda: _filled(
        FeatureUnion([("scaled", StandardScaler()), ("bins", _bins("onehot-dense"))])
    ),
}

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "logistic regression": _logistic,
    "LDA": LinearDiscriminantAnalysis,
    "linear SVC": LinearSVC,
    "SGD": lambda: SGDClassifier(loss="modified_huber", random_state=0),
    "ridge classifier": RidgeClassifier,
    "tree": _tree,
    "forest": _forest,
    "extra trees": lambda: ExtraTreesClassifier(10, random_state=0),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=10),
    "histogram boosting": _boosting,
    "XGBoost": _xgboost,
    "LightGBM": _lightgbm,
    "naive Bayes": GaussianNB,
    "CatBoost": _catboost,
}

REGRESSORS: dict[str, Callable[[], Any]] = {
    "linear regression": LinearRegression,
    "ridge": Ridge,
    "lasso": lambda: Lasso(alpha=0.01),
    "Poisson": lambda: make_pipeline(StandardScaler(), PoissonRegressor(alpha=0.01)),
    "Tweedie": lambda: make_pipeline(
        StandardScaler(), TweedieRegressor(power=0, link="log", alpha=0.01)
    ),
    "regression tree": lambda: DecisionTreeRegressor(max_depth=5, random_state=0),
    "regression forest": lambda: RandomForestRegressor(10, random_state=0),
    "regression boosting": lambda: GradientBoostingRegressor(n_estimators=10),
    "histogram regression": lambda: HistGradientBoostingRegressor(max_iter=10),
}


def _entries() -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    mixed = [*NUMBERS, "job", "own", "grade"]
    for name, model in {**CLASSIFIERS, **REGRESSORS}.items():
        found[f"{name} on numbers"] = Entry(
            lambda model=model: _filled(model()), NUMBERS
        )
        found[f"{name} behind encoders"] = Entry(
            lambda model=model: make_pipeline(
                _mixed(_filled(StandardScaler())), model()
            ),
            mixed,
        )
    for name, model in composite_models.MODELS.items():
        found[name] = Entry(lambda model=model: _filled(model()), NUMBERS)
        if name in composite_models.BEHIND_ENCODERS:
            found[f"{name} behind encoders"] = Entry(
                lambda model=model: make_pipeline(_mixed(SimpleImputer()), model()),
                mixed,
            )
    for name, step in STEPS.items():
        for kind, model in (("logistic", _logistic), ("tree", _tree)):
            found[f"{name}, {kind}"] = Entry(
                lambda step=step, model=model: make_pipeline(step(), model()), NUMBERS
            )
    for name, model in (("XGBoost", _xgboost), ("LightGBM", _lightgbm)):
        for container in ("pandas", "array"):
            found[f"{name} with missing values, {container}"] = Entry(
                model, NUMBERS, container
            )
        found[f"{name} behind a sparse encoder"] = Entry(
            lambda model=model: make_pipeline(
                _mixed("passthrough", OneHotEncoder(), sparse_threshold=1.0), model()
            ),
            mixed,
        )
    for name, encoder in {
        "ordinal encoder": lambda: OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1
        ),
        "target encoder": TargetEncoder,
        "dropping encoder": lambda: OneHotEncoder(drop="first"),
        "rare labels": lambda: OneHotEncoder(
            min_frequency=70, handle_unknown="infrequent_if_exist"
        ),
        "ignoring encoder": lambda: OneHotEncoder(handle_unknown="ignore"),
    }.items():
        for kind, model in (("logistic", _logistic), ("forest", _forest)):
            found[f"{name}, {kind}"] = Entry(
                lambda encoder=encoder, model=model: make_pipeline(
                    _mixed(SimpleImputer(), encoder()), model()
                ),
                mixed,
            )
    for name, model in {
        "histogram boosting": lambda: _boosting(categorical_features="from_dtype"),
        "LightGBM": lambda: _lightgbm(min_data_per_group=5, cat_smooth=1.0),
        "LightGBM without splits by labels": _lightgbm,
        "XGBoost with single labels": lambda: _xgboost(max_cat_to_onehot=10),
        "XGBoost with sets of labels": lambda: _xgboost(max_cat_to_onehot=1),
    }.items():
        found[f"{name}, native categories"] = Entry(
            model, mixed, categories=("job", "grade")
        )
        found[f"{name}, native ordered categories"] = Entry(
            model, mixed, categories=("job", "grade"), ordered=("grade",)
        )
    for kind, model in (("logistic", _logistic), ("forest", _forest)):
        found[f"weight of evidence, {kind}"] = Entry(
            lambda model=model: make_pipeline(
                category_encoder("WOEEncoder", cols=["job"]), SimpleImputer(), model()
            ),
            [*NUMBERS, "job"],
        )
        found[f"oversampling, {kind}"] = Entry(
            lambda model=model: oversampling(SimpleImputer(), model()), NUMBERS
        )
        found[f"bins of labels and numbers, {kind}"] = Entry(
            lambda model=model: make_pipeline(
                ColumnTransformer(
                    [
                        ("labels", OrdinalEncoder(), ["job"]),
                        ("numbers", SimpleImputer(), NUMBERS),
                    ]
                ),
                KBinsDiscretizer(4, encode="ordinal", strategy="uniform"),
                model(),
            ),
            [*NUMBERS, "job"],
        )
        found[f"splines that jump, {kind}"] = Entry(
            lambda model=model: make_pipeline(
                SplineTransformer(
                    12, degree=1, knots="quantile", extrapolation="linear"
                ),
                model(),
            ),
            ["income", "grade"],
        )
    for name in ("power", "quantiles", "cube root"):
        found[f"{name}, naive Bayes"] = Entry(
            lambda name=name: make_pipeline(STEPS[name](), GaussianNB()), NUMBERS
        )
    found["splines, float32"] = Entry(
        lambda: make_pipeline(SimpleImputer(), StandardScaler(), splines(), Ridge()),
        NUMBERS,
        dtype=np.float32,
    )
    found["splines, LightGBM"] = Entry(
        lambda: make_pipeline(_filled(splines()), _lightgbm()), NUMBERS
    )
    found["XGBoost that drops trees"] = Entry(
        lambda: _xgboost(booster="dart", rate_drop=0.5), NUMBERS
    )
    found["random forest of LightGBM"] = Entry(
        lambda: _lightgbm(boosting_type="rf", subsample=0.6, subsample_freq=1), NUMBERS
    )
    found["explainable boosting"] = Entry(explainable_boosting, mixed)
    found["explainable boosting on numbers"] = Entry(
        lambda: _filled(explainable_boosting()), NUMBERS
    )
    for policy in ("SymmetricTree", "Lossguide"):
        found[f"CatBoost with missing values, {policy}"] = Entry(
            lambda policy=policy: _catboost(grow_policy=policy), NUMBERS
        )
    found["CatBoost with single labels"] = Entry(
        lambda: _catboost(one_hot_max_size=10, cat_features=["job"]),
        [*NUMBERS, "job"],
    )
    for container in ("polars", "array"):
        found[f"histogram boosting, {container}"] = Entry(_boosting, NUMBERS, container)
    found["scaled forest, float32"] = Entry(
        lambda: make_pipeline(SimpleImputer(), StandardScaler(), _forest()),
        NUMBERS,
        dtype=np.float32,
    )
    found["logistic, float32"] = Entry(
        lambda: make_pipeline(SimpleImputer(), StandardScaler(), _logistic()),
        NUMBERS,
        dtype=np.float32,
    )
    for name, model in {
        "forest": _forest,
        "logistic": _logistic,
        "histogram boosting": _boosting,
        "linear SVC": LinearSVC,
        "threshold": lambda: FixedThresholdClassifier(_forest(), threshold=0.7),
    }.items():
        found[f"rules before a {name}"] = Entry(
            lambda model=model: DecisionPolicy(
                make_pipeline(_mixed(SimpleImputer()), model()), POLICY
            ),
            mixed,
        )
    found["rules after an imputer, array"] = Entry(
        lambda: _filled(DecisionPolicy(_forest(), [(("x1", ">=", 70), 0)])),
        NUMBERS,
        "array",
    )
    found["threshold on a forest"] = Entry(
        lambda: FixedThresholdClassifier(_filled(_forest()), threshold=0.7), NUMBERS
    )
    found["threshold on a logistic regression"] = Entry(
        lambda: FixedThresholdClassifier(_filled(_logistic()), threshold=0.3), NUMBERS
    )
    return found


CATALOGUE = _entries()


@cache
def fitted(name: str) -> FittedModel:
    """Return a model of the catalogue, fitted."""
    entry = CATALOGUE[name]
    X, y = entry.people()
    if entry.container == "polars":
        import polars as pl

        table: Any = pl.DataFrame({name: X[name].to_numpy() for name in X})
    else:
        table = X.to_numpy(dtype=float) if entry.container == "array" else X
    model = entry.model().fit(table, y)
    target = 1 if hasattr(model, "classes_") else AtLeast(0.5)
    rule = make_target_rule(model, target, None)
    features = ActionSet.infer(table)
    return FittedModel(rule, InputFormat.of(model, table, trained=True), features)
