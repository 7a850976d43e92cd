"""Frames and arrays, columns in any order: the same scores."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skresp import ActionSet, ResponsivenessExplainer
from tests.explain.encoders import encoder


def test_columns_in_any_order_give_the_same_scores_by_name(valid, actions):
    X, y = valid
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(X, y)
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(X)
    straight = explainer.explain(X).to_frame()
    shuffled = explainer.explain(X[X.columns[::-1]]).to_frame()
    pd.testing.assert_frame_equal(shuffled[straight.columns], straight)
    reordered = ResponsivenessExplainer(
        FrozenEstimator(model),
        ActionSet(dict(reversed(actions.features.items())), actions.constraints),
    ).fit(X)
    pd.testing.assert_frame_equal(reordered.explain(X).to_frame(), straight)
    with pytest.raises(ValueError, match="no column 'home'"):
        explainer.explain(X.drop(columns="home"))
    with pytest.raises(ValueError, match="feature names should match"):
        explainer.transform(X[X.columns[::-1]])


def test_polars_in_polars_out(valid, actions):
    pl = pytest.importorskip("polars")
    X, y = valid
    P = pl.DataFrame({name: X[name].tolist() for name in X})
    model = make_pipeline(encoder("home"), LogisticRegression()).fit(P, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frozen = FrozenEstimator(model)
        explainer = ResponsivenessExplainer(frozen, actions, target=1).fit(P)
        explanation = explainer.explain(P)
    other = make_pipeline(encoder("home"), LogisticRegression()).fit(X, y)
    reference = ResponsivenessExplainer(FrozenEstimator(other), actions).fit(X)
    np.testing.assert_array_equal(explanation.values, reference.explain(X).values)
    assert isinstance(explanation.to_frame(), pl.DataFrame)
    assert isinstance(explanation.top(), pl.DataFrame)
    assert isinstance(explanation.reachable(0, "home").points, pl.DataFrame)
    assert "Predicted" in explanation.describe(0)


def test_arrays_are_explained_by_position(valid):
    X, y = valid
    numbers = X[["age", "loans", "guarantor"]].to_numpy()
    model = LogisticRegression().fit(numbers, y)
    actions = ActionSet.infer(numbers, immutable=["x0"])
    array = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(numbers)
    frame = X[["age", "loans", "guarantor"]]
    named = LogisticRegression().fit(frame, y)
    by_name = ActionSet.infer(frame, immutable=["age"])
    reference = ResponsivenessExplainer(FrozenEstimator(named), by_name).fit(frame)
    np.testing.assert_array_equal(array.transform(numbers), reference.transform(frame))
    for dtype in (np.float32, np.int8, object):
        np.testing.assert_array_equal(
            array.explain(numbers.astype(dtype)).values, array.transform(numbers)
        )


def test_a_model_with_names_gets_names_even_from_an_array(valid):
    X, y = valid
    frame = X[["age", "loans", "guarantor"]]
    model = LogisticRegression().fit(frame, y)
    actions = ActionSet.infer(frame, immutable=["age"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
        named = clone(explainer).fit(frame)
        bare = clone(explainer).fit(frame.to_numpy())
        np.testing.assert_array_equal(
            bare.explain(frame.to_numpy()).values, named.explain(frame).values
        )
        unnamed = LogisticRegression().fit(frame.to_numpy(), y)
        back = clone(explainer).set_params(estimator=FrozenEstimator(unnamed))
        back.fit(frame)
        np.testing.assert_array_equal(
            back.explain(frame).values, named.explain(frame).values
        )
