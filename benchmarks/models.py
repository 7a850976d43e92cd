"""Every family of models: how it is read, what is exact, what stays unknown, how fast.

    SKRESP_DATA=... python benchmarks/models.py [--rows 200] [--only NAME ...]

On `make_credit` (strings, categories, few numbers) and on the raw columns of Give Me
Some Credit (several reals that people can change, missing values). For the denied
people among some rows: the share of scores that are exact, the share of people whose
verdict is `unknown`, and the CPU time of `explain` and `verify` for a person, also as
a multiple of `predict` on the same rows. The first call of each, which reads the model
and may compile kernels, is printed apart.
"""

import argparse
import time
import warnings
from functools import partial

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skresp import DecisionPolicy, ResponsivenessExplainer
from skresp.datasets import fetch_givemecredit, make_credit

# Of the raw data of Give Me Some Credit, to fit models on.
TRAINING_ROWS = 20_000
# The share of people who are denied by a model that would deny nobody.
LEAST_LIKELY = 0.05
TEXT = make_column_selector(dtype_include=["object", "string", "category"])
NUMBERS = make_column_selector(dtype_exclude=["object", "string", "category"])


def logistic():
    return LogisticRegression(max_iter=2_000)


def forest():
    return RandomForestClassifier(100, min_samples_leaf=5, random_state=0)


def boosting():
    return HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=15)


def xgboost(**options):
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=100, max_depth=4, n_jobs=1, **options)


def lightgbm(**options):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=100, num_leaves=15, n_jobs=1, verbose=-1, **options
    )


def catboost():
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=100, depth=5, verbose=False, thread_count=1, random_seed=0
    )


def explainable_boosting():
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(interactions=0, outer_bags=2, n_jobs=1)


def members():
    return [
        ("linear", make_pipeline(StandardScaler(), logistic())),
        ("forest", forest()),
        ("boosting", boosting()),
    ]


def encoded(model, *steps):
    """Return a pipeline: labels to indicators, gaps filled, steps for the numbers."""
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), TEXT),
            (make_pipeline(SimpleImputer(strategy="median"), *steps), NUMBERS),
        ),
        model,
    )


def as_categories(X):
    text = X.select_dtypes(include=["object", "string", "category"]).columns
    return X.astype(dict.fromkeys(text, "category"))


def with_woe(model):
    from category_encoders import WOEEncoder

    return with_labels(WOEEncoder(), model)


def with_labels(encoder, model):
    """Return a pipeline: labels to numbers by an encoder, gaps filled."""
    return make_pipeline(
        make_column_transformer(
            (encoder, TEXT), (SimpleImputer(strategy="median"), NUMBERS)
        ),
        model,
    )


def oversampled(model):
    from imblearn.over_sampling import RandomOverSampler
    from imblearn.pipeline import make_pipeline as make_sampling_pipeline

    encode = encoded(model)[0]
    return make_sampling_pipeline(encode, RandomOverSampler(random_state=0), model)


def with_rule(model, X):
    """Return a policy that denies people above the 95th percentile of a column."""
    name = NUMBERS(X)[-1]
    most = float(np.nanquantile(X[name].astype(float), 0.95))
    return DecisionPolicy(model, [([(name, ">=", most)], 0)])


MODELS = {
    "logistic regression": lambda: encoded(logistic(), StandardScaler()),
    "log1p, logistic": lambda: encoded(logistic(), FunctionTransformer(np.log1p)),
    "power, logistic": lambda: encoded(logistic(), PowerTransformer()),
    "quantile, logistic": lambda: encoded(logistic(), QuantileTransformer()),
    "bins, logistic": lambda: encoded(
        logistic(), KBinsDiscretizer(6, quantile_method="averaged_inverted_cdf")
    ),
    "splines, logistic": lambda: encoded(
        logistic(), StandardScaler(), SplineTransformer(n_knots=4)
    ),
    "quantile splines": lambda: encoded(
        logistic(), SplineTransformer(knots="quantile", extrapolation="linear")
    ),
    "WoE, logistic": lambda: with_woe(make_pipeline(StandardScaler(), logistic())),
    "naive Bayes": lambda: encoded(GaussianNB(), StandardScaler()),
    "power, naive Bayes": lambda: encoded(GaussianNB(), PowerTransformer()),
    "EBM": lambda: encoded(explainable_boosting()),
    "tree": lambda: encoded(DecisionTreeClassifier(max_depth=8, random_state=0)),
    "forest": lambda: encoded(forest()),
    "extra trees": lambda: encoded(
        ExtraTreesClassifier(100, min_samples_leaf=5, random_state=0)
    ),
    "gradient boosting": lambda: encoded(GradientBoostingClassifier(random_state=0)),
    "histogram boosting": lambda: encoded(boosting()),
    "XGBoost": lambda: encoded(xgboost()),
    "XGBoost dart": lambda: encoded(xgboost(booster="dart", rate_drop=0.1)),
    "LightGBM": lambda: encoded(lightgbm()),
    "LightGBM forest": lambda: encoded(
        lightgbm(boosting_type="rf", subsample=0.7, subsample_freq=1)
    ),
    "splines, LightGBM": lambda: encoded(lightgbm(), SplineTransformer(n_knots=4)),
    "CatBoost": lambda: encoded(catboost()),
    "log1p, LightGBM": lambda: encoded(lightgbm(), FunctionTransformer(np.log1p)),
    "target encoder, forest": lambda: with_labels(
        TargetEncoder(random_state=0), forest()
    ),
    "ordinal encoder, XGBoost": lambda: with_labels(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), xgboost()
    ),
    "clipped, logistic": lambda: encoded(logistic(), MinMaxScaler(clip=True)),
    "binarized, logistic": lambda: encoded(logistic(), StandardScaler(), Binarizer()),
    "oversampled LightGBM": lambda: oversampled(lightgbm()),
    "one vs rest, LightGBM": lambda: encoded(OneVsRestClassifier(lightgbm())),
    "tuned threshold, forest": lambda: encoded(
        TunedThresholdClassifierCV(forest(), cv=3)
    ),
    "sigmoid calibration": lambda: encoded(CalibratedClassifierCV(lightgbm(), cv=3)),
    "isotonic calibration": lambda: encoded(
        CalibratedClassifierCV(lightgbm(), method="isotonic", cv=3)
    ),
    "isotonic linear SVC": lambda: encoded(
        CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=3), StandardScaler()
    ),
    "soft voting": lambda: encoded(VotingClassifier(members(), voting="soft")),
    "bagging": lambda: encoded(
        BaggingClassifier(DecisionTreeClassifier(max_depth=8), 20, random_state=0)
    ),
    "AdaBoost": lambda: encoded(AdaBoostClassifier(n_estimators=50, random_state=0)),
    "stacking": lambda: encoded(StackingClassifier(members(), cv=3)),
    "neural network": lambda: encoded(
        MLPClassifier((8,), max_iter=100, random_state=0), StandardScaler()
    ),
}
#: Models of encoded labels, of which raw Give Me Some Credit has none.
OF_LABELS = {"WoE, logistic", "target encoder, forest", "ordinal encoder, XGBoost"}
#: Models of the frame as it is, with categories and missing values.
NATIVE = {
    "XGBoost, native": lambda: xgboost(enable_categorical=True),
    "LightGBM, native": lightgbm,
    "histogram, native": lambda: HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=15, categorical_features="from_dtype"
    ),
}


#: Models with rules around them; they are made for the columns of the data.
RULED = {
    "policy, XGBoost": lambda X: with_rule(encoded(xgboost()), X),
}


def timed(function, *given):
    start = time.process_time()
    found = function(*given)
    return found, time.process_time() - start


def twice(function, *given):
    """Return what a function returns, and the CPU times of two runs."""
    _, first = timed(function, *given)
    found, second = timed(function, *given)
    return found, first, second


def measure(name, model, X, y, actions, rows):
    """Print the line of one model."""
    model.fit(X.iloc[:TRAINING_ROWS], y[:TRAINING_ROWS])
    threshold, is_denied = None, np.asarray(model.predict(X)).ravel() == 0
    if not is_denied.any():
        likely = model.predict_proba(X)[:, 1]
        threshold = float(np.quantile(likely, LEAST_LIKELY))
        is_denied = likely < threshold
    denied = np.flatnonzero(is_denied)[:rows]
    people = X.iloc[denied].reset_index(drop=True)
    people = people.drop(index=actions.check(people)["row"].unique())
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model),
        actions,
        target=1,
        threshold=threshold,
        missing="hold",
        random_state=0,
    ).fit(X)
    first_explain = timed(explainer.explain, people.iloc[:1])[1]
    first_verify = timed(explainer.verify, people.iloc[:1])[1]
    predict = min(timed(model.predict, people)[1] for _ in range(3))
    # Of two runs, since the first may compile kernels for some of the people.
    explanation, *explain = twice(explainer.explain, people)
    verdicts, *verify = twice(explainer.verify, people)
    explain, verify = min(explain), min(verify)
    can_move = explanation.n_reachable > 0
    known = explainer._fitted_model.score_function
    n = len(people)
    print(
        f"{name:24} {known.family if known else 'black box':10} {n:5} "
        f"{explanation.exact[can_move].mean():7.1%} "
        f"{np.isin(verdicts.status, ['unknown', 'possible']).mean():8.1%} "
        f"{(verdicts.status == 'fixed').mean():7.1%} "
        f"{1e3 * explain / n:9.2f} {explain / predict:9.1f} "
        f"{1e3 * verify / n:9.2f} {verify / predict:9.1f} "
        f"{first_explain:8.2f} {first_verify:8.2f}",
        flush=True,
    )
    if known is None:
        print(f"{'':24} {explainer._fitted_model.unread_reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--only", nargs="*", default=None)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    credit = make_credit(3_000, random_state=0)
    raw = fetch_givemecredit(variant="raw")
    for title, bunch in (("make_credit", credit), ("Give Me Some Credit", raw)):
        print(
            f"\n{title}\n{'model':24} {'read as':10} {'rows':>5} {'exact':>7} "
            f"{'unknown':>8} {'fixed':>7} {'explain':>9} {'/predict':>9} "
            f"{'verify':>9} {'/predict':>9} {'first':>8} {'first':>8}"
        )
        X, y = bunch.data, np.asarray(bunch.target)
        ruled = {name: partial(make, X) for name, make in RULED.items()}
        for name, make in {**MODELS, **NATIVE, **ruled}.items():
            if args.only and name not in args.only:
                continue
            if name in OF_LABELS and not TEXT(X):
                continue
            frame = as_categories(X) if name in NATIVE else X
            measure(name, make(), frame, y, bunch.action_set, args.rows)


if __name__ == "__main__":
    main()
