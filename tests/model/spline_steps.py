"""Steps of the catalogue that make splines of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    PowerTransformer,
    SplineTransformer,
    StandardScaler,
)


def splines(**options: Any) -> SplineTransformer:
    """Return a step that makes splines of each column."""
    return SplineTransformer(n_knots=5, **options)


#: Splines of each column of numbers.
SPLINES: dict[str, Callable[[], Any]] = {
    "splines": lambda: make_pipeline(SimpleImputer(), splines()),
    "linear splines": lambda: make_pipeline(
        SimpleImputer(), splines(degree=1, extrapolation="linear")
    ),
    "straight splines outside": lambda: make_pipeline(
        SimpleImputer(), splines(extrapolation="linear")
    ),
    "endless splines": lambda: make_pipeline(
        SimpleImputer(), splines(degree=2, extrapolation="continue", include_bias=False)
    ),
    "bounded splines": lambda: make_pipeline(
        SimpleImputer(), splines(extrapolation="error")
    ),
    "splines of quantiles": lambda: make_pipeline(
        SimpleImputer(), splines(knots="quantile", sparse_output=True)
    ),
    "constant splines": lambda: make_pipeline(
        SimpleImputer(), splines(degree=0, extrapolation="linear")
    ),
    "scaled splines": lambda: make_pipeline(
        SimpleImputer(), StandardScaler(), splines(), StandardScaler()
    ),
    "splines of a power": lambda: make_pipeline(
        SimpleImputer(), PowerTransformer(), SplineTransformer(4)
    ),
    "splines of negatives": lambda: make_pipeline(
        SimpleImputer(), FunctionTransformer(np.negative), splines()
    ),
    "scaler and splines": lambda: make_pipeline(
        SimpleImputer(),
        FeatureUnion(
            [
                ("scaled", StandardScaler()),
                ("splines", splines()),
                ("more", SplineTransformer(3, degree=2)),
            ]
        ),
    ),
}

if "handle_missing" in SplineTransformer().get_params():  # scikit-learn 1.8
    SPLINES["splines of missing values"] = lambda: splines(handle_missing="zeros")
