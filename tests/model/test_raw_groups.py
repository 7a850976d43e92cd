"""What models without steps share, and what they must not share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet
from skresp._model import _raw_groups
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._target import make_target_rule


@pytest.fixture(autouse=True)
def empty_cache():
    _raw_groups._read_without_steps.cache_clear()


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)).round(2), columns=["a", "b", "c"])
    return X, (X["a"] + X["b"] > 0).astype(int)


def read(model, X, y, actions=None):
    model.fit(X, y)
    actions = ActionSet.infer(X) if actions is None else actions
    rule = make_target_rule(model, 1, None)
    return FittedModel(rule, InputFormat.of(model, X), actions).score_function


def n_read():
    return _raw_groups._read_without_steps.cache_info().misses


def test_models_of_the_same_columns_share_what_was_read_of_these(data):
    X, y = data
    models = [
        DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (2, 4)
    ]
    known = [read(model, X, y) for model in models]
    assert n_read() == 1
    assert known[0].sources[0].maps is known[1].sources[0].maps
    _raw_groups._read_without_steps.cache_clear()
    alone = read(models[1], X, y)
    assert alone.columns == known[1].columns
    codes = X.to_numpy()
    assert_array_equal(alone.scores(codes), known[1].scores(codes))


@pytest.mark.parametrize(
    "other",
    [
        lambda X: X.astype(np.float32),
        lambda X: 2 * X,
        lambda X: X[["b", "a", "c"]],
        lambda X: X.rename(columns={"c": "d"}),
        lambda X: X.mask(X > 0.5),
    ],
    ids=["dtype", "range", "order", "name", "missing"],
)
def test_other_columns_are_read_again(data, other):
    X, y = data
    for some in (X, other(X)):
        read(DecisionTreeClassifier(random_state=0), some, y)
    assert n_read() == 2


def test_the_number_of_groups_counts(data):
    X, y = data
    for model in (RandomForestClassifier(3, random_state=0), LogisticRegression()):
        known = read(model, X, y)
        assert len(known.sources) == len(known.groups)


def test_labels_are_not_shared():
    """As keys 1 and True are equal, as labels they are not."""
    X = pd.DataFrame({"a": [0, True, "x"], "b": [1, 2, 3]}, dtype=object)
    assert not _raw_groups._has_numbers_only(InputFormat.of(object(), X))
    assert _raw_groups._has_numbers_only(InputFormat.of(object(), X[["b"]]))
