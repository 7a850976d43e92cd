"""Read the trees of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from skresp._model._class_names import class_names
from skresp._model._links import PredictionLink
from skresp._model._predictions import default_scores
from skresp._model._unreadable import UnreadableError
from skresp._typing import IndexArray

from ._arrays import Arithmetic, Ensemble, Tree, assemble
from ._category_splits import CategorySplits
from ._library import ReadTrees, TreeLibrary

#: The arithmetic of all trees but those of histogram boosting.
ARITHMETIC = Arithmetic(compares_float32=True)
# Fractions of this, such as halves, are added without rounding.
_FRACTION = 256


def tree_nodes(tree: Any, scale: float) -> Tree:
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


def _read_tree(model: Any) -> ReadTrees:
    _check_one_output(model)
    n_outputs = model.tree_.value.shape[2]
    tree = tree_nodes(model.tree_, 1.0)
    return assemble([(-1, tree)], n_outputs, ARITHMETIC), None


def _read_forest(model: Any) -> ReadTrees:
    _check_one_output(model)
    share = 1.0 / len(model.estimators_)
    n_outputs = model.estimators_[0].tree_.value.shape[2]
    trees = ((-1, tree_nodes(t.tree_, share)) for t in model.estimators_)
    fractions = all(_has_short_fractions(t.tree_) for t in model.estimators_)
    grain = share / _FRACTION if fractions else 0.0
    return assemble(trees, n_outputs, ARITHMETIC, grain), None


def _has_short_fractions(tree: Any) -> bool:
    """Return whether all leaves of a tree are multiples of 1 / `_FRACTION`.

    Those of a classifier are 0 and 1 where each leaf has rows of one class only. Their
    sums are not rounded, in whatever order a forest adds them.
    """
    shares = tree.value[tree.children_left < 0] * _FRACTION
    return bool((shares == np.rint(shares)).all())


def _check_one_output(model: Any) -> None:
    """Raise if a model predicts several outputs at once."""
    if model.n_outputs_ != 1:
        raise UnreadableError(
            f"{type(model).__name__} predicts several outputs; fit a model for each."
        )


def _read_gradient_boosting(model: Any) -> ReadTrees:
    stages = model.estimators_
    if type(model.init_).__name__ not in ("str", "DummyClassifier", "DummyRegressor"):
        raise UnreadableError(
            f"{type(model).__name__} starts from the scores of another model; leave "
            f"init out."
        )
    trees = (
        (k, tree_nodes(tree.tree_, model.learning_rate))
        for stage in stages
        for k, tree in enumerate(stage)
    )
    return assemble(trees, stages.shape[1], ARITHMETIC), None


def _read_hist_gradient_boosting(model: Any) -> ReadTrees:
    """Read histogram boosting.

    With columns of labels, the model puts these columns first. A label that is not
    known is missing.
    """
    encode = getattr(model, "_preprocessor", None)
    if encode is None:
        return _hist_trees(model, np.arange(model.n_features_in_), None), None
    at = np.flatnonzero(model.is_categorical_)
    known = encode.named_transformers_["encoder"].categories_
    codes = {
        int(i): {label: code for code, label in enumerate(labels) if label == label}
        for i, labels in zip(at, known, strict=True)
    }
    splits = CategorySplits(model.n_features_in_, codes)
    columns = np.r_[at, np.flatnonzero(~model.is_categorical_)]
    return _hist_trees(model, columns, splits), splits


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
                    assert splits is not None
                    bits = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][i]]
                    missing = bool(nodes["missing_go_to_left"][i])
                    column = int(feature[i])
                    feature[i] = splits.add_split(column, _codes(bits), missing)
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

    return assemble(trees(), len(stages[0]), Arithmetic())


def _codes(bits: Any) -> set[int]:
    """Return the positions of the bits that are set, in words of 32 bits."""
    return {
        32 * i + k for i, word in enumerate(bits) for k in range(32) if word >> k & 1
    }


def _prediction_link(model: Any) -> PredictionLink | None:
    """Return how predictions follow from scores; None where that is not known."""
    names, loss = class_names(model), getattr(model, "loss", None)
    if "GradientBoostingClassifier" in names:
        return "logit" if loss == "log_loss" else "margin"
    if "HistGradientBoostingClassifier" in names:
        return "logit"
    if "HistGradientBoostingRegressor" in names:
        plain = ("squared_error", "absolute_error", "quantile")
        return "identity" if loss in plain else None
    return "probability" if hasattr(model, "classes_") else "identity"


SKLEARN_TREES = TreeLibrary(
    package="sklearn",
    readers={
        "BaseDecisionTree": _read_tree,
        "BaseForest": _read_forest,
        "BaseGradientBoosting": _read_gradient_boosting,
        "BaseHistGradientBoosting": _read_hist_gradient_boosting,
    },
    own_scores=default_scores,
    prediction_link=_prediction_link,
)
