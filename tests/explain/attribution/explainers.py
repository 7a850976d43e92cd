"""SHAP and LIME explainers, made alike."""

from __future__ import annotations

import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skresp import LimeExplainer, ShapExplainer


def pipeline(last):
    return make_pipeline(
        ColumnTransformer(
            [("labels", OneHotEncoder(), ["home"])], remainder=StandardScaler()
        ),
        last,
    )


def shap_of(model, actions=None, **arguments):
    return ShapExplainer(model, actions, random_state=0, **arguments)


def lime_of(model, actions=None, **arguments):
    return LimeExplainer(model, actions, num_samples=40, random_state=0, **arguments)


MAKERS = pytest.mark.parametrize("make", [shap_of, lime_of])
