"""A model that tells None from NaN is not read: both have the same code."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ActionSet, Feature, ResponsivenessExplainer


@pytest.mark.parametrize("kinds", [(None,), (np.nan,), (None, np.nan)], ids=str)
def test_missing_labels_of_each_kind_are_at_the_target_as_predict_says(kinds):
    rng = np.random.default_rng(0)
    labels = pd.Series(rng.choice(["p", "q", *kinds], 200), dtype=object)
    a = rng.integers(0, 2, 200)
    is_first = np.array([label is kinds[0] for label in labels])
    y = (2 * is_first + a + rng.normal(0, 0.3, 200) > 1.5).astype(int)
    X = pd.DataFrame({"a": a, "c": labels})
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["c"]),
        remainder="passthrough",
    )
    model = make_pipeline(encode, LogisticRegression()).fit(X, y)
    features = {
        "a": Feature("binary"),
        "c": Feature("categorical", categories=["p", "q"]),
    }
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), ActionSet(features), target=0, missing="hold"
    ).fit(X)
    people = X[:60].copy()
    people["c"] = people["c"].where(people["c"].notna(), None)
    people.loc[::2, "c"] = people["c"][::2].where(people["c"][::2].notna(), np.nan)
    expected = model.predict(people) == 0
    for _ in range(2):  # before the model was read, and after it
        np.testing.assert_array_equal(explainer.explain(people).at_target, expected)
        approved = explainer.verify(people).status == "approved"
        np.testing.assert_array_equal(approved, expected)
