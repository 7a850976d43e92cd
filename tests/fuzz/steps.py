"""Small models behind steps, and with links, of every kind."""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    BaggingRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    RidgeClassifier,
    TweedieRegressor,
)
from sklearn.naive_bayes import GaussianNB
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
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .family import Family

#: Encoders of labels, by name.
ENCODERS = {
    "dense": lambda: OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    "sparse": lambda: OneHotEncoder(handle_unknown="ignore"),
    "rare": lambda: OneHotEncoder(
        min_frequency=20, handle_unknown="infrequent_if_exist", sparse_output=False
    ),
    "ordinal": lambda: OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1
    ),
    "target": lambda: TargetEncoder(cv=2, random_state=0),
}


def weight_of_evidence(labels):
    """Return an encoder of some columns that keeps the others."""
    from category_encoders import WOEEncoder

    return WOEEncoder(cols=labels, handle_unknown="value", handle_missing="value")


def _oversampled(*steps):
    from imblearn.over_sampling import RandomOverSampler
    from imblearn.pipeline import make_pipeline as sampling_pipeline

    return sampling_pipeline(RandomOverSampler(random_state=0), *steps)


def _bins(encode="onehot-dense", bins=4):
    return KBinsDiscretizer(
        bins, encode=encode, quantile_method="averaged_inverted_cdf"
    )


STEPPED = {
    "log": Family(
        lambda: make_pipeline(
            MinMaxScaler((1, 2)), FunctionTransformer(np.log), LogisticRegression()
        ),
        lattice=False,
        picky=True,
    ),
    "power": Family(
        lambda: make_pipeline(PowerTransformer(), LogisticRegression()),
        lattice=False,
    ),
    "quantile": Family(
        lambda: make_pipeline(QuantileTransformer(n_quantiles=20), LinearSVC()),
        lattice=False,
    ),
    "spline": Family(
        lambda: make_pipeline(
            StandardScaler(), SplineTransformer(4), LogisticRegression()
        ),
        lattice=False,
        threshold=True,
    ),
    "spline jumps": Family(
        lambda: make_pipeline(
            SplineTransformer(4, degree=2, knots="quantile", extrapolation="linear"),
            RidgeClassifier(),
        ),
        lattice=False,
    ),
    "spline classes": Family(
        lambda: make_pipeline(
            SplineTransformer(3, extrapolation="continue", include_bias=False),
            LogisticRegression(),
        ),
        lattice=False,
        classes=3,
    ),
    "spline tree": Family(
        lambda: make_pipeline(
            SplineTransformer(4), DecisionTreeClassifier(random_state=0)
        ),
        lattice=False,
    ),
    "power NB": Family(
        lambda: make_pipeline(PowerTransformer(), GaussianNB(var_smoothing=1e-3)),
        lattice=False,
    ),
    "quantile NB": Family(
        lambda: make_pipeline(
            QuantileTransformer(n_quantiles=20), GaussianNB(var_smoothing=1e-3)
        ),
        lattice=False,
    ),
    "bins": Family(
        lambda: make_pipeline(_bins(), LogisticRegression()),
        lattice=False,
        threshold=True,
    ),
    "bins of negatives": Family(
        lambda: make_pipeline(
            FunctionTransformer(np.negative),
            _bins("ordinal", 5),
            DecisionTreeClassifier(random_state=0),
        ),
        lattice=False,
    ),
    "clipped": Family(
        lambda: make_pipeline(
            MinMaxScaler((0.2, 0.8), clip=True), LogisticRegression(C=10)
        ),
        lattice=False,
    ),
    "binarized": Family(
        lambda: make_pipeline(
            StandardScaler(),
            Binarizer(threshold=0.1),
            RandomForestClassifier(6, random_state=0),
        ),
        lattice=False,
    ),
    "ordinal labels": Family(
        lambda: RandomForestClassifier(6, random_state=0), encoder="ordinal"
    ),
    "target labels": Family(LogisticRegression, lattice=False, encoder="target"),
    "target labels trees": Family(
        lambda: RandomForestClassifier(6, random_state=0), encoder="target"
    ),
    "rare labels": Family(
        lambda: RandomForestClassifier(6, random_state=0), encoder="rare"
    ),
    "weight of evidence": Family(LogisticRegression, lattice=False, encoder="woe"),
    "oversampled": Family(
        lambda: _oversampled(StandardScaler(), LogisticRegression()), lattice=False
    ),
    "Poisson": Family(
        lambda: make_pipeline(StandardScaler(), PoissonRegressor()),
        lattice=False,
        number=True,
        positive=True,
    ),
    "Tweedie": Family(
        lambda: make_pipeline(StandardScaler(), TweedieRegressor(power=1.5)),
        lattice=False,
        number=True,
        positive=True,
    ),
    "bagging number": Family(
        lambda: BaggingRegressor(DecisionTreeRegressor(max_depth=4), 5, random_state=0),
        number=True,
    ),
    "voting number": Family(
        lambda: VotingRegressor(
            [
                ("linear", LinearRegression()),
                ("forest", RandomForestRegressor(4, random_state=0)),
            ]
        ),
        lattice=False,
        number=True,
    ),
}

if "temperature" in (CalibratedClassifierCV.__doc__ or ""):  # scikit-learn 1.8
    STEPPED["temperature"] = Family(
        lambda: CalibratedClassifierCV(
            GradientBoostingClassifier(n_estimators=4, random_state=0),
            method="temperature",
            cv=2,
        ),
        threshold=True,
    )
