"""Lines of rows with many features, most of which few trees split on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model.lines import _row_leaves
from skresp._model.lines._row_leaves import StillLeaves
from skresp.constraints import Linkage

MODELS = {
    "RF": lambda: RandomForestClassifier(20, max_depth=3, random_state=0),
    "HistGB": lambda: HistGradientBoostingClassifier(max_iter=20),
}


def _people(rng, name):
    """Return people with numbers, labels and missing values."""
    X = pd.DataFrame(rng.normal(size=(200, 30)), columns=[f"x{i}" for i in range(30)])
    X.iloc[:, 20:25] = rng.integers(0, 2_000, (200, 5))
    if name == "HistGB":
        X.iloc[:, 5:8] = X.iloc[:, 5:8].mask(rng.random((200, 3)) < 0.2)
    X["label"] = rng.choice(list("abc"), 200)
    total = X.iloc[:, :5].sum(axis=1) + (X["label"] == "a") + rng.normal(size=200)
    return X, (total > 1).astype(int)


@pytest.mark.parametrize("name", MODELS)
def test_scores_do_not_depend_on_the_leaves_that_are_kept(name, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = _people(rng, name)
    encode = make_column_transformer(
        (
            OneHotEncoder(sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder="passthrough",
    )
    model = make_pipeline(encode, MODELS[name]()).fit(X, y)
    actions = ActionSet(
        {
            **ActionSet.infer(X, immutable=["x5", "x6", "x7", "x9"]).features,
            "x8": Feature("real", -9, 9, direction="increase"),
        },
        [Linkage("x8", {"x9": 0.5})],
    )
    explainer = ResponsivenessExplainer(model, actions, target=1, random_state=0).fit(X)
    used = []

    class Counted(StillLeaves):
        def __new__(cls, stays, leaf):
            used.append(int(stays.sum()))
            return super().__new__(cls, stays, leaf)

    monkeypatch.setattr(_row_leaves, "StillLeaves", Counted)
    found = explainer.explain(X[:40])
    assert len(used) > 15
    assert min(used) >= 10
    del used[:]
    monkeypatch.setattr(_row_leaves, "_MAX_LEAVES", 0)
    expected = explainer.explain(X[:40])
    assert not used
    for each in ("values", "lower", "upper", "n_reachable", "exact"):
        np.testing.assert_array_equal(getattr(found, each), getattr(expected, each))
    assert found.exact[:, 8].any()
    assert found.exact.mean() > 0.5


def test_lines_of_somebody_alone_who_is_at_an_end_of_the_range():
    rng = np.random.default_rng(0)
    X, y = _people(rng, "RF")
    X = X.drop(columns="label")
    model = MODELS["RF"]().fit(X, y)
    explainer = ResponsivenessExplainer(model, ActionSet.infer(X), target=1).fit(X)
    together = explainer.explain(X)
    for i in (X["x2"].argmax(), X["x3"].argmin()):
        alone = explainer.explain(X.iloc[[i]])
        np.testing.assert_array_equal(alone.n_reachable, together.n_reachable[[i]])
        np.testing.assert_array_equal(alone.values, together.values[[i]])
        assert alone.n_reachable[0].max() > 1
