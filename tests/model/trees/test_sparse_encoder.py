"""Trees behind a sparse encoder: the same answers as behind a dense one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from tests.small_models import lightgbm, xgboost

MODELS = {
    "LR": LogisticRegression,
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "RF": lambda: RandomForestClassifier(10, random_state=0),
    "LGBM": lambda: lightgbm(n_estimators=10),
    "XGB": lambda: xgboost(n_estimators=10),
}


def explained(kind, sparse, X, y, actions):
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=sparse), ["job", "city"]),
        remainder="passthrough",
        sparse_threshold=1.0 if sparse else 0.0,
    )
    model = make_pipeline(encode, MODELS[kind]())
    return ResponsivenessExplainer(model, actions, target=1).fit(X, y)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "job": rng.choice(list("abcdefgh"), 300),
            "city": rng.choice(list("mnopq"), 300),
            "x": rng.normal(size=300),
            "n": rng.integers(0, 4, 300),
        }
    )
    return X, ((X.x > 0) & (X.job < "e") & (X.n > 0)).astype(int)


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind != "XGB"])
def test_sparse_and_dense_are_answered_alike(rows, kind):
    X, y = rows
    actions = ActionSet.infer(X)
    wanted, found = (explained(kind, sparse, X, y, actions) for sparse in (False, True))
    scores, again = wanted.explain(X), found.explain(X)
    np.testing.assert_array_equal(scores.exact, again.exact)
    np.testing.assert_allclose(scores.values, again.values, atol=1e-12)
    assert wanted.verify(X).counts() == found.verify(X).counts()
    assert scores.exact.all()


@pytest.mark.parametrize("kind", ["RF", "XGB"])
def test_discrete_changes_behind_a_sparse_encoder_are_certified(rows, kind):
    """XGBoost takes for missing what a sparse matrix does not store."""
    X, y = rows
    actions = ActionSet.infer(X, features={"x": Feature("real", actionable=False)})
    explainer = explained(kind, True, X, y, actions)
    verdicts = explainer.verify(X)
    assert "bound" in verdicts.proof
    assert "unknown" not in verdicts.status
    points = verdicts.witness
    assert (explainer.predict(points) == 1).all()
    # Every combination of labels and counts, by the model alone.
    fixed = X[verdicts.status == "fixed"][:5]
    for _, row in fixed.iterrows():
        every = pd.MultiIndex.from_product(
            [list("abcdefgh"), list("mnopq"), [row.x], range(4)], names=list(X)
        ).to_frame(index=False)
        assert not explainer.predict(every).any()


def test_xgboost_behind_a_sparse_encoder_is_exact_along_reals(rows):
    """A number that is exactly 0 is missing there."""
    X, y = rows
    explainer = explained("XGB", True, X, y, ActionSet.infer(X))
    values = np.linspace(X.x.min(), X.x.max(), 4001)
    scores = explainer.explain(X[:20])
    denied = np.flatnonzero(~scores.at_target)
    assert scores.exact[denied].all()
    for i in denied:
        points = pd.concat([X.iloc[[i]]] * len(values)).assign(x=values)
        share = (explainer.predict(points) == 1).mean()
        assert scores.values[i, list(X).index("x")] == pytest.approx(share, abs=2e-3)
    verdicts = explainer.verify(X[:50])
    assert "unknown" not in verdicts.status
    every = pd.MultiIndex.from_product(
        [list("abcdefgh"), list("mnopq"), values[::40], range(4)], names=list(X)
    ).to_frame(index=False)
    if "fixed" in verdicts.status:
        assert not explainer.predict(every).any()
