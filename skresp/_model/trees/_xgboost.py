"""Read the trees of XGBoost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._predictions import model_scores
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray

from ._arrays import NO_TREES, Arithmetic, Tree, ensemble_of
from ._category_splits import CategorySplits
from ._library import ReadTrees, TreeLibrary
from ._ubjson import JoinedObjects, read_ubjson

_ARITHMETIC = Arithmetic(
    compares_float32=True,
    is_strict=True,
    sums_float32=True,
    sparse_zero_is_missing=True,
)

# The entries of a stored tree that its predictions depend on.
_NEEDED = (
    "categories",
    "categories_nodes",
    "categories_segments",
    "categories_sizes",
    "default_left",
    "left_children",
    "right_children",
    "size_leaf_vector",
    "split_conditions",
    "split_indices",
)

# The first version that stores all bytes of labels beyond ASCII.
_WHOLE_LABELS = (3, 4)

_LINKS: dict[str, PredictionLink] = {
    "binary:logistic": "logit",
    "multi:softprob": "margin",
    "multi:softmax": "margin",
    "reg:squarederror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
}


def _read_xgboost(model: Any) -> ReadTrees:
    """Read an XGBoost model from the form in which it is stored."""
    stored = read_ubjson(model.get_booster().save_raw("ubj"), {"trees": _NEEDED})
    learner = stored["learner"]
    booster = learner["gradient_booster"]
    weights = booster.get("weight_drop")
    if booster.get("name") == "dart":
        booster = booster["gbtree"]
    elif booster.get("name") != "gbtree":
        raise UnreadableError(
            "XGBoost is read with booster='gbtree' or 'dart' only, not 'gblinear'."
        )
    missing = getattr(model, "missing", np.nan)
    if missing is not None and missing == missing:
        raise UnreadableError(
            f"XGBoost takes {missing:g} for a missing value; mark missing values with "
            f"NaN and leave missing= out."
        )
    labels = _known_labels(booster, tuple(stored["version"]))
    splits = _category_splits(labels)
    n_outputs = max(int(learner["learner_model_param"]["num_class"]), 1)
    trees = booster["model"]["trees"]
    if weights is None:  # of dart from XGBoost 3.4 on
        weights = booster["model"].get("weight_drop", ())
    best = _best_iteration(model)
    if best is not None:
        parallel = int(booster["model"]["gbtree_model_param"]["num_parallel_tree"])
        trees = trees.first((best + 1) * n_outputs * parallel)
    if not len(trees):
        raise UnreadableError(NO_TREES)
    nodes, sizes = _nodes(trees, labels, splits), trees.sizes("left_children")
    if len(weights):
        share = np.repeat(np.asarray(weights, dtype=float)[: len(trees)], sizes)
        nodes = nodes._replace(leaves=nodes.leaves.astype(float) * share[:, None])
    output = booster["model"]["tree_info"][: len(trees)]
    return ensemble_of(nodes, sizes, output, n_outputs, _ARITHMETIC), splits


def _best_iteration(model: Any) -> int | None:
    """Return the iteration that early stopping chose; None without it."""
    try:
        return int(model.best_iteration)
    except AttributeError:
        return None


def _nodes(
    trees: JoinedObjects, labels: list[list[Any]], splits: CategorySplits | None
) -> Tree:
    """Return the nodes of trees in their stored form, one tree after the other."""
    if any(int(size) > 1 for size in set(trees.texts("size_leaf_vector"))):
        raise UnreadableError(
            "The leaves of XGBoost's trees are vectors; use "
            "multi_strategy='one_output_per_tree'."
        )
    values, column = trees.values("split_conditions"), trees.values("split_indices")
    threshold, default_left = values.astype(float), trees.values("default_left")
    column = column.astype(np.int64)
    for i, codes in _category_nodes(trees):
        if splits is None:
            raise UnreadableError(
                "XGBoost splits by labels that the model does not store; fit it on a "
                "frame with columns of dtype category, with XGBoost 3.1 or later."
            )
        others = set(range(len(labels[column[i]]))) - codes
        missing = bool(default_left[i])
        column[i] = splits.add_split(int(column[i]), others, missing)
        threshold[i] = 0.5
    return Tree(
        column,
        threshold,
        trees.values("left_children"),
        trees.values("right_children"),
        default_left,
        values[:, None],
    )


def _category_nodes(trees: JoinedObjects) -> Iterator[tuple[int, set[int]]]:
    """Yield the nodes that split by labels, and the codes that go right."""
    nodes, known = trees.values("categories_nodes"), trees.values("categories")
    owner = np.repeat(np.arange(len(trees)), trees.sizes("categories_nodes"))
    first_node, first_code = (
        np.cumsum(sizes) - sizes
        for sizes in (trees.sizes("left_children"), trees.sizes("categories"))
    )
    starts = trees.values("categories_segments") + first_code[owner]
    sizes = trees.values("categories_sizes")
    for node, start, size in zip(nodes + first_node[owner], starts, sizes, strict=True):
        yield int(node), set(known[start : start + size].tolist())


def _category_splits(labels: list[list[Any]]) -> CategorySplits | None:
    """Return the step that splits by labels; XGBoost raises for an unknown label."""
    if not any(labels):
        return None
    codes = {
        i: {label: code for code, label in enumerate(known)}
        for i, known in enumerate(labels)
        if known
    }
    return CategorySplits(len(labels), codes, rejects_unknown=True)


def _known_labels(booster: dict[str, Any], version: tuple[int, ...]) -> list[list[Any]]:
    """Return the labels of each column; nothing in versions that do not keep them."""
    known = booster.get("model", {}).get("cats", {}).get("enc", [])
    return [_labels(column, version) for column in known]


def _labels(column: dict[str, Any], version: tuple[int, ...]) -> list[Any]:
    """Return the labels of a column, from texts in one array of bytes or numbers."""
    values = np.asarray(column["values"])
    if "offsets" not in column:
        return list(values.tolist())
    text = values.astype(np.uint8).tobytes()
    if version < _WHOLE_LABELS and not text.isascii():
        raise UnreadableError(
            "XGBoost before 3.4 cuts off labels with letters such as é when it stores "
            "a model; a model fitted with a later version can be read."
        )
    return [text[a:b].decode() for a, b in pairwise(column["offsets"])]


def _own_scores(model: Any, Z: Any) -> FloatArray:
    return model_scores(model, "predict", Z, output_margin=True)


def _prediction_link(model: Any) -> PredictionLink | None:
    return _LINKS.get(str(getattr(model, "objective", None)))


XGBOOST = TreeLibrary(
    package="xgboost",
    readers={"XGBModel": _read_xgboost},
    own_scores=_own_scores,
    prediction_link=_prediction_link,
)
