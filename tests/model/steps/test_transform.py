"""Columns of numbers with unusual dtypes behind steps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ActionSet, ResponsivenessExplainer
from skresp._model.steps._transform import as_numbers


@pytest.mark.parametrize(
    "types",
    [{"c": "bool"}, {"b": "Float64", "c": "Int64"}, {"c": "boolean"}, {"b": "float32"}],
)
@pytest.mark.parametrize("final", [RandomForestClassifier, GaussianNB])
def test_columns_of_different_dtypes_side_by_side_are_numbers(types, final):
    """A column transformer puts them into an array of the dtype object."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.choice(["p", "q"], 80),
            "b": rng.integers(0, 9, 80) / 2,
            "c": rng.integers(0, 2, 80),
        }
    )
    y = (X["b"] + X["c"] + (X["a"] == "p") > 3.5).astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["a"]), remainder="passthrough"
    )
    model = make_pipeline(encode, final()).fit(X, y)
    actions = ActionSet.infer(X)
    explained = []
    for table in (X, X.astype(types)):
        explainer = ResponsivenessExplainer(
            FrozenEstimator(model), actions, target=1
        ).fit(table)
        assert explainer.structure_.certified
        explained.append(explainer.explain(table))
    assert explained[1].exact.all()
    np.testing.assert_allclose(explained[0].values, explained[1].values, atol=1e-7)


def test_no_rows_of_columns_of_different_dtypes_are_numbers():
    table = np.array([[True, 0.5]], dtype=object)
    assert as_numbers(table[:0]).shape == (0, 2)
    assert as_numbers(np.array([["a", 0.5]], dtype=object)) is None
