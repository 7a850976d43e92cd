"""Models that refuse missing values, fitted explainers that met some all the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skresp import ActionSet, Feature, ResponsivenessExplainer

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["a", "b", "age"])
Y = (X["a"] + X["b"] * X["age"] > 0).astype(int)
ACTIONS = ActionSet(
    {
        "a": Feature("real", -3, 3),
        "b": Feature("real", -3, 3),
        "age": Feature("real", actionable=False),
    }
)
MODELS = {
    "trees": GradientBoostingClassifier(n_estimators=10, random_state=0),
    "linear": LogisticRegression(),
    "age imputed": make_pipeline(
        make_column_transformer((SimpleImputer(), ["age"]), remainder="passthrough"),
        LogisticRegression(),
    ),
}


def explainer_of(model, table):
    return ResponsivenessExplainer(
        FrozenEstimator(model), ACTIONS, target=1, missing="hold", random_state=0
    ).fit(table)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("columns", [["a"], ["age"], ["a", "b", "age"]])
def test_a_missing_value_at_fit_changes_no_other_row(name, columns):
    model = MODELS[name].fit(X, Y)
    with_gaps = X.copy()
    with_gaps.loc[5, columns] = np.nan
    plain, gaps = explainer_of(model, X), explainer_of(model, with_gaps)
    assert gaps.structure_.certified
    assert gaps.structure_.exact_scores == "all"
    people = X[10:40]
    np.testing.assert_array_equal(
        plain.explain(people).values, gaps.explain(people).values
    )
    assert (plain.verify(people).status == gaps.verify(people).status).all()


@pytest.mark.parametrize("name", ["trees", "linear"])
def test_the_model_still_refuses_rows_with_missing_values(name):
    model = MODELS[name].fit(X, Y)
    with_gaps = X.copy()
    with_gaps.loc[5, "age"] = np.nan
    explainer = explainer_of(model, with_gaps)
    assert explainer.structure_.certified
    for call in (explainer.explain, explainer.verify):
        with pytest.raises(ValueError, match="NaN"):
            call(with_gaps[:10])


def test_values_that_the_model_imputes_are_still_compared():
    model = MODELS["age imputed"].fit(X, Y)
    with_gaps = X.copy()
    with_gaps.loc[:30, "age"] = np.nan
    with_gaps.loc[40, "a"] = np.nan
    explainer = explainer_of(model, with_gaps)
    found = explainer.explain(with_gaps[:5])
    assert found.exact.all()
    values = np.linspace(-3, 3, 20_001)
    line = pd.concat([with_gaps[:1]] * len(values)).assign(a=values)
    share = model.predict(line).mean()
    assert found.values[0, 0] == pytest.approx(share, abs=1e-3)
