"""Explainable boosting: which models are read, and labels that are not known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skresp import ActionSet
from skresp._model._codes import batch_codes
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._point_builder import PointBuilder
from skresp._model._target import make_target_rule
from skresp._model.trees._arrays import Tree
from skresp._model.trees._step_tree import step_tree
from tests.model.catalogue import people
from tests.small_models import explainable_boosting


def _fitted(**parameters: int) -> FittedModel:
    X, y = people()
    X = X[["income", "age", "job"]]
    model = explainable_boosting(**parameters).fit(X, y)
    rule = make_target_rule(model, 1, None)
    input_format = InputFormat.of(model, X, trained=True)
    return FittedModel(rule, input_format, ActionSet.infer(X))


def test_pairs_of_features_have_a_reason() -> None:
    fitted = _fitted(interactions=1)
    assert fitted.score_function is None
    assert "interactions=0" in fitted.unread_reason


def test_missing_and_unknown_labels_are_scored_as_the_model_does() -> None:
    fitted = _fitted()
    known = fitted.score_function
    assert known is not None, fitted.unread_reason
    X = people()[0][["income", "age", "job"]].head(20).astype({"job": object})
    X.loc[3, "job"] = "astronaut"
    X.loc[5, "job"] = None
    builder = PointBuilder(fitted.input_format, fitted.features, X)
    wider, codes = batch_codes(known, builder)
    own = fitted.estimator.decision_function(fitted.rows(X))
    assert_allclose(wider.scores(codes)[:, 0], own, atol=1e-9)


@pytest.mark.parametrize("n_pieces", [1, 2, 3, 8, 13])
def test_a_step_tree_is_its_step_function(n_pieces: int) -> None:
    edges = np.arange(n_pieces - 1.0)
    values = np.random.default_rng(0).normal(size=n_pieces)
    tree = step_tree(0, edges, values, 7.0)
    numbers = np.r_[-1.0, edges, np.nextafter(edges, np.inf), 99.0]
    for x in numbers:
        assert _leaf(tree, x) == values[np.searchsorted(edges, x)]
    assert _leaf(tree, np.nan) == 7.0


def _leaf(tree: Tree, x: float) -> float:
    """Walk down a tree."""
    node = 0
    while tree.left[node] >= 0:
        left = tree.missing_left[node] if np.isnan(x) else x <= tree.threshold[node]
        node = (tree.left if left else tree.right)[node]
    return float(tree.leaves[node, 0])
