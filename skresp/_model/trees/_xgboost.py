"""Read the trees of XGBoost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._predictions import model_scores
from skresp._typing import FloatArray

from ._arrays import XGBOOST, Ensemble, Tree, UnsupportedTreesError, assemble
from ._category_splits import CategorySplits

_LINKS: dict[str, PredictionLink] = {
    "binary:logistic": "logit",
    "multi:softprob": "margin",
    "multi:softmax": "margin",
    "reg:squarederror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
}


def _read_xgboost(model: Any, splits: CategorySplits | None = None) -> Ensemble:
    """Read an XGBoost model from its JSON form."""
    learner = _learner(model)
    grown = learner["gradient_booster"]
    labels = _known_labels(learner)
    gets_labels = splits is None and any(labels)
    if grown.get("name") != "gbtree" or gets_labels:
        raise UnsupportedTreesError
    trees = grown["model"]["trees"]
    info = grown["model"]["tree_info"]
    width = max(int(learner["learner_model_param"]["num_class"]), 1)
    missing = model.get_params().get("missing", np.nan)
    if missing is not None and missing == missing:
        raise UnsupportedTreesError  # a number marks missing values
    try:
        best = model.best_iteration
    except AttributeError:
        best = None
    if best is not None:
        parallel = int(grown["model"]["gbtree_model_param"]["num_parallel_tree"])
        trees = trees[: (best + 1) * width * parallel]

    def read() -> Iterator[tuple[int, Tree]]:
        for tree, k in zip(trees, info, strict=False):
            if int(tree["tree_param"]["size_leaf_vector"]) > 1:
                raise UnsupportedTreesError
            values = np.asarray(tree["split_conditions"], dtype=np.float32)
            feature = np.asarray(tree["split_indices"])
            threshold = values.astype(float)
            for i, codes in _category_nodes(tree):
                if splits is None:
                    raise UnsupportedTreesError
                others = set(range(len(labels[feature[i]]))) - codes
                missing = bool(tree["default_left"][i])
                feature[i] = splits.made_column(int(feature[i]), others, missing)
                threshold[i] = 0.5
            yield (
                k,
                Tree(
                    feature,
                    threshold,
                    np.asarray(tree["left_children"]),
                    np.asarray(tree["right_children"]),
                    tree["default_left"],
                    values.astype(float)[:, None],
                ),
            )

    return assemble(read(), width, XGBOOST)


def _learner(model: Any) -> dict[str, Any]:
    """Return a model in its JSON form."""
    return dict(json.loads(model.get_booster().save_raw("json"))["learner"])


def _category_nodes(tree: dict[str, Any]) -> Iterator[tuple[int, set[int]]]:
    """Yield the nodes that split by labels, and the codes that go right."""
    for node, start, size in zip(
        tree["categories_nodes"],
        tree["categories_segments"],
        tree["categories_sizes"],
        strict=True,
    ):
        yield node, set(tree["categories"][start : start + size])


def read_categories(model: Any) -> tuple[Ensemble, CategorySplits]:
    """Read a model with columns of labels; it raises for a label that is not known."""
    labels = _known_labels(_learner(model))
    if not any(labels):
        raise UnsupportedTreesError
    codes = {
        i: {label: code for code, label in enumerate(known)}
        for i, known in enumerate(labels)
        if known
    }
    splits = CategorySplits(len(labels), codes, rejects_unknown=True)
    return _read_xgboost(model, splits), splits


def _known_labels(learner: dict[str, Any]) -> list[list[Any]]:
    """Return the labels of each column; nothing in versions that do not keep them."""
    known = learner["gradient_booster"].get("model", {}).get("cats", {}).get("enc", [])
    return [_labels(column) for column in known]


def _labels(column: dict[str, Any]) -> list[Any]:
    """Return the labels of a column, from texts in one array of bytes or numbers."""
    if "offsets" not in column:
        return list(column["values"])
    text = bytes(value % 256 for value in column["values"])
    ends = column["offsets"]
    return [text[a:b].decode() for a, b in pairwise(ends)]


def scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores of a model as the library computes them, one column each."""
    return model_scores(model, "predict", Z, output_margin=True)


def prediction_link(model: Any) -> PredictionLink | None:
    """Return how predictions follow from scores; None where that is not known."""
    return _LINKS.get(str(model.get_params().get("objective")))


#: By the name of a base class.
READERS: dict[str, Callable[[Any], Ensemble]] = {"XGBModel": _read_xgboost}
