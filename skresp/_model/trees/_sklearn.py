"""Read the trees of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._predictions import model_scores
from skresp._typing import FloatArray, IndexArray

from ._arrays import DOUBLE, SKLEARN, Ensemble, Tree, UnsupportedTreesError, assemble
from ._category_splits import CategorySplits


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
    if getattr(model, "_preprocessor", None) is not None:
        raise UnsupportedTreesError  # it orders the columns anew
    return _hist_trees(model, np.arange(model.n_features_in_), None)


def _hist_trees(
    model: Any, columns: IndexArray, splits: CategorySplits | None
) -> Ensemble:
    """Return the trees of histogram boosting; `columns` are those that they split."""
    stages = model._predictors

    def trees() -> Iterator[tuple[int, Tree]]:
        for stage in stages:
            for k, predictor in enumerate(stage):
                nodes = predictor.nodes
                feature = columns[nodes["feature_idx"]]
                threshold = nodes["num_threshold"].copy()
                for i in np.flatnonzero(nodes["is_categorical"]):
                    if splits is None:
                        raise UnsupportedTreesError
                    bits = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][i]]
                    missing = bool(nodes["missing_go_to_left"][i])
                    column = int(feature[i])
                    feature[i] = splits.made_column(column, _codes(bits), missing)
                    threshold[i] = 0.5
                leaf = nodes["is_leaf"].astype(bool)
                left, right = nodes["left"].astype(int), nodes["right"].astype(int)
                yield (
                    k,
                    Tree(
                        feature,
                        threshold,
                        np.where(leaf, -1, left),
                        np.where(leaf, -1, right),
                        nodes["missing_go_to_left"],
                        nodes["value"][:, None],
                    ),
                )

    return assemble(trees(), len(stages[0]), DOUBLE)


def _codes(bits: Any) -> set[int]:
    """Return the positions of the bits that are set, in words of 32 bits."""
    return {
        32 * i + k for i, word in enumerate(bits) for k in range(32) if word >> k & 1
    }


def read_categories(model: Any) -> tuple[Ensemble, CategorySplits]:
    """Read histogram boosting with columns of labels.

    It orders its columns anew, labels first. A label that is not known is missing.
    """
    encode = getattr(model, "_preprocessor", None)
    is_categorical = getattr(model, "is_categorical_", None)
    if encode is None or is_categorical is None:
        raise UnsupportedTreesError
    at = np.flatnonzero(is_categorical)
    known = encode.named_transformers_["encoder"].categories_
    codes = {
        int(i): {label: code for code, label in enumerate(labels) if label == label}
        for i, labels in zip(at, known, strict=True)
    }
    splits = CategorySplits(model.n_features_in_, codes)
    columns = np.r_[at, np.flatnonzero(~is_categorical)]
    return _hist_trees(model, columns, splits), splits


def scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores of a model as the library computes them, one column each."""
    methods = ("decision_function", "predict_proba", "predict")
    return model_scores(model, next(m for m in methods if hasattr(model, m)), Z)


def prediction_link(model: Any) -> PredictionLink | None:
    """Return how predictions follow from scores; None where that is not known."""
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
