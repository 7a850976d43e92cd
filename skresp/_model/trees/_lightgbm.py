"""Read the trees of LightGBM."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._predictions import model_scores
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray

from ._arrays import Arithmetic, Tree, assemble
from ._category_splits import CategorySplits
from ._library import ReadTrees, TreeLibrary

# Values up to this size are 0 for LightGBM, which keeps the bound in float32.
_ZERO = float(np.float32(1e-35))
_INFINITE = 1e300
_LINKS: dict[str, PredictionLink] = {
    "binary": "logit",
    "multiclass": "margin",
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "quantile": "identity",
}
_UNKNOWN_LABELS = (
    "LightGBM splits by labels that it got as numbers; fit it on a frame with columns "
    "of dtype category."
)


def _read_lightgbm(model: Any) -> ReadTrees:
    """Read a LightGBM model from its dump."""
    booster = model.booster_
    dumped = booster.dump_model(num_iteration=booster.best_iteration)
    if model.get_params().get("linear_tree"):
        raise UnreadableError(
            "The leaves of LightGBM's trees are linear models; use linear_tree=False."
        )
    splits = _category_splits(booster)
    n_outputs = dumped["num_tree_per_iteration"]
    trees = (
        (i % n_outputs, _lightgbm_tree(info["tree_structure"], splits))
        for i, info in enumerate(dumped["tree_info"])
    )
    ensemble = assemble(trees, n_outputs, Arithmetic(integers_to_float32=True))
    ensemble = replace(ensemble, leaves=ensemble.leaves / _n_averaged(booster))
    return replace(ensemble, threshold=_compared(ensemble.threshold)), splits


def _compared(threshold: FloatArray) -> FloatArray:
    """Return thresholds that values are compared with as they are.

    LightGBM takes a value of at most `_ZERO` for 0, and writes infinity, where all
    numbers go left and only missing values right, as 1e300.
    """
    below = (threshold >= -_ZERO) & (threshold < 0)
    above = (threshold >= 0) & (threshold < _ZERO)
    out = np.where(below, np.nextafter(-_ZERO, -np.inf), threshold)
    out = np.where(above, _ZERO, out)
    return np.where(np.abs(out) >= _INFINITE, np.copysign(np.inf, out), out)


def _lightgbm_tree(root: dict[str, Any], splits: CategorySplits | None) -> Tree:
    """Return the nodes of a dumped tree, in preorder."""
    nodes: list[tuple[int, float, int, int, bool, float]] = []
    pending: list[tuple[dict[str, Any], int, int]] = [(root, -1, 0)]
    while pending:
        node, parent, side = pending.pop()
        position = len(nodes)
        if parent >= 0:
            entry = list(nodes[parent])
            entry[2 + side] = position
            nodes[parent] = tuple(entry)  # type: ignore[assignment]
        if "split_feature" not in node:
            nodes.append((-1, 0.0, -1, -1, False, node["leaf_value"]))
            continue
        if node["decision_type"] == "==" and splits is not None:
            codes = map(int, node["threshold"].split("||"))
            at = splits.add_split(node["split_feature"], set(codes), False)
            split: tuple[int, float, bool] = at, 0.5, False
        else:
            split = _number_split(node)
        nodes.append((split[0], split[1], 0, 0, split[2], 0.0))
        pending.append((node["right_child"], position, 1))
        pending.append((node["left_child"], position, 0))
    columns = [np.asarray(part) for part in zip(*nodes, strict=True)]
    column, threshold, left, right, missing_left, leaf = columns
    leaves = leaf.astype(float)[:, None]
    return Tree(column, threshold, left, right, missing_left, leaves)


def _number_split(node: dict[str, Any]) -> tuple[int, float, bool]:
    """Return the column and threshold of a node, and whether missing goes left."""
    if node["decision_type"] != "<=":
        raise UnreadableError(_UNKNOWN_LABELS)
    if node["missing_type"] == "Zero":
        raise UnreadableError(
            "LightGBM takes 0 for a missing value; use zero_as_missing=False."
        )
    # Without a direction of its own, a missing value counts as 0.
    own = node["missing_type"] == "NaN"
    missing = node["default_left"] if own else node["threshold"] >= 0
    return node["split_feature"], node["threshold"], missing


def _category_splits(booster: Any) -> CategorySplits | None:
    """Return the step that splits by labels; an unknown label goes right.

    Ordered labels are numbers for LightGBM, which keeps their codes among the others.
    """
    labels = booster.pandas_categorical
    if not labels:
        return None
    codes = [{label: code for code, label in enumerate(known)} for known in labels]
    return CategorySplits(booster.num_feature(), codes)


def _n_averaged(booster: Any) -> int:
    """Return the number of trees that a random forest averages; 1 for boosting."""
    if not booster.dump_model(num_iteration=1).get("average_output"):
        return 1
    best = booster.best_iteration
    return int(best if best > 0 else booster.current_iteration())


def _own_scores(model: Any, Z: Any) -> FloatArray:
    # The raw scores of a random forest are sums, its probabilities come from means.
    sums = model_scores(model, "predict", Z, raw_score=True)
    return sums / _n_averaged(model.booster_)


def _prediction_link(model: Any) -> PredictionLink | None:
    objective = str(getattr(model, "objective_", None))
    if model.get_params().get("reg_sqrt"):
        return None  # predictions are squares of the scores
    if objective == "binary" and model.get_params().get("sigmoid", 1.0) != 1.0:
        return "margin"
    return _LINKS.get(objective)


LIGHTGBM = TreeLibrary(
    package="lightgbm",
    readers={"LGBMModel": _read_lightgbm},
    own_scores=_own_scores,
    prediction_link=_prediction_link,
)
