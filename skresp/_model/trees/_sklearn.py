"""Read the trees of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skresp._model._predictions import model_scores
from skresp._typing import FloatArray

from ._arrays import DOUBLE, SKLEARN, Ensemble, Tree, UnsupportedTreesError, assemble


def _sklearn_tree(tree: Any, scale: float) -> Tree:
    """Return the nodes of a fitted tree, with its values times a factor."""
    values = tree.value[:, 0, :]
    missing = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))
    return Tree(
        tree.feature,
        tree.threshold,
        tree.children_left,
        tree.children_right,
        missing,
        values * scale,
    )


def _read_tree(model: Any) -> Ensemble:
    if model.n_outputs_ != 1:
        raise UnsupportedTreesError
    width = model.tree_.value.shape[2]
    tree = _sklearn_tree(model.tree_, 1.0)
    return assemble(iter([(-1, tree)]), width, SKLEARN)


def _read_forest(model: Any) -> Ensemble:
    if model.n_outputs_ != 1:
        raise UnsupportedTreesError
    share = 1.0 / len(model.estimators_)
    width = model.estimators_[0].tree_.value.shape[2]
    trees = ((-1, _sklearn_tree(t.tree_, share)) for t in model.estimators_)
    return assemble(trees, width, SKLEARN)


def _read_gradient_boosting(model: Any) -> Ensemble:
    stages = model.estimators_
    if type(model.init_).__name__ not in ("str", "DummyClassifier", "DummyRegressor"):
        raise UnsupportedTreesError  # starts from a model that depends on the row
    trees = (
        (k, _sklearn_tree(tree.tree_, model.learning_rate))
        for stage in stages
        for k, tree in enumerate(stage)
    )
    return assemble(trees, stages.shape[1], SKLEARN)


def _read_hist_gradient_boosting(model: Any) -> Ensemble:
    stages = model._predictors

    def trees() -> Iterator[tuple[int, Tree]]:
        for stage in stages:
            for k, predictor in enumerate(stage):
                nodes = predictor.nodes
                if nodes["is_categorical"].any():
                    raise UnsupportedTreesError
                leaf = nodes["is_leaf"].astype(bool)
                left, right = nodes["left"].astype(int), nodes["right"].astype(int)
                yield (
                    k,
                    Tree(
                        nodes["feature_idx"],
                        nodes["num_threshold"],
                        np.where(leaf, -1, left),
                        np.where(leaf, -1, right),
                        nodes["missing_go_to_left"],
                        nodes["value"][:, None],
                    ),
                )

    return assemble(trees(), len(stages[0]), DOUBLE)


def scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores of a model as the library computes them, one column each."""
    methods = ("decision_function", "predict_proba", "predict")
    return model_scores(model, next(m for m in methods if hasattr(model, m)), Z)


def link(model: Any) -> str | None:
    """Return what turns scores into predictions; None where that is not known."""
    name, loss = type(model).__name__, getattr(model, "loss", None)
    if name == "GradientBoostingClassifier":
        return "logit" if loss == "log_loss" else "margin"
    if name == "HistGradientBoostingClassifier":
        return "logit"
    if name == "HistGradientBoostingRegressor":
        plain = ("squared_error", "absolute_error", "quantile")
        return "identity" if loss in plain else None
    return "probability" if hasattr(model, "classes_") else "identity"


#: By the name of a base class.
READERS: dict[str, Callable[[Any], Ensemble]] = {
    "BaseDecisionTree": _read_tree,
    "BaseForest": _read_forest,
    "BaseGradientBoosting": _read_gradient_boosting,
    "BaseHistGradientBoosting": _read_hist_gradient_boosting,
}
