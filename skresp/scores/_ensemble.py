"""Tree ensembles of several libraries in one form: flat arrays of nodes.

Whatever a library does with its trees (averages them, adds a starting value, links),
is found out by comparison: the sum of the leaves must equal what the model itself says
its scores are, up to one constant, on the rows it is explained with. Where it does
not, there is no ensemble, and nobody relies on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import allowance

from ._answers import model_scores

# How a row goes left: float32(x) <= threshold, float32(x) < threshold, x <= threshold.
SKLEARN, XGBOOST, DOUBLE = 0, 1, 2

Floats = NDArray[np.float64]

# Rows times trees that are walked at once.
_MOST_WALKS = 1_000_000


@dataclass(frozen=True)
class Ensemble:
    """Trees as arrays over all their nodes; `feature` is -1 at a leaf.

    Attributes
    ----------
    roots : where each tree starts
    output : which of the scores each tree adds to, -1 for all (leaves are vectors)
    leaves : what each node adds, one column a score
    base : what is added to the sums
    rule : how a row goes left
    """

    roots: NDArray[np.int64]
    output: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    leaves: Floats
    base: Floats
    rule: int

    @cached_property
    def cuts(self) -> Floats:
        """Where a value that moves goes over from left to right.

        Libraries that compare in float32 round the value first, so that is half way
        between two neighbours in float32.
        """
        if self.rule == DOUBLE:
            return self.threshold
        near = self.threshold.astype(np.float32)
        if self.rule == XGBOOST:
            low, high = np.nextafter(near, np.float32(-np.inf)), near
        else:
            above = near.astype(float) > self.threshold
            low = np.where(above, np.nextafter(near, np.float32(-np.inf)), near)
            high = np.nextafter(low, np.float32(np.inf))
        return (low.astype(float) + high.astype(float)) / 2

    @cached_property
    def nodes_of(self) -> dict[int, NDArray[np.intp]]:
        """The nodes that split on each column."""
        inner = np.flatnonzero(self.feature >= 0)
        order = inner[np.argsort(self.feature[inner], kind="stable")]
        columns, first = np.unique(self.feature[order], return_index=True)
        groups = np.split(order, first[1:])[: len(columns)]
        return dict(zip(columns.tolist(), groups, strict=True))

    @cached_property
    def cuts_of(self) -> dict[int, Floats]:
        """The distinct cuts of each column, from the lowest to the highest."""
        return {c: np.unique(self.cuts[nodes]) for c, nodes in self.nodes_of.items()}

    @property
    def width(self) -> int:
        """How many scores there are."""
        return len(self.base)

    def sums(self, Z: Floats) -> Floats:
        """The scores of rows, by walking the trees."""
        X = Z if self.rule == DOUBLE else Z.astype(np.float32).astype(np.float64)
        out = np.repeat(self.base[None], len(Z), axis=0)
        size = max(_MOST_WALKS // max(len(self.roots), 1), 1)
        for start in range(0, len(Z), size):
            allowance().deadline.check()
            some = slice(start, start + size)
            leaves = self._leaves_of(X[some])
            for k, output in enumerate(self.output):
                if output < 0:
                    out[some] += self.leaves[leaves[:, k]]
                else:
                    out[some, output] += self.leaves[leaves[:, k], 0]
        return out

    def _leaves_of(self, X: Floats) -> NDArray[np.int64]:
        """The leaf of each row in each tree, all of them walked at once."""
        nodes = np.tile(self.roots, (len(X), 1))
        row, tree = np.nonzero(self.feature[nodes] >= 0)
        while len(row):
            at = nodes[row, tree]
            x = X[row, self.feature[at]]
            less = x < self.threshold[at]
            if self.rule != XGBOOST:
                less |= x == self.threshold[at]
            less = np.where(np.isnan(x), self.missing_left[at], less)
            at = np.where(less, self.left[at], self.right[at])
            nodes[row, tree] = at
            inner = self.feature[at] >= 0
            row, tree = row[inner], tree[inner]
        return nodes


def ensemble_of(model: Any, Z: Any) -> Ensemble | None:
    """The trees of a fitted model, checked on rows it takes; None where it has none.

    The rows should be many and mixed: one constant is fitted to them.
    """
    reader = _reader(model)
    if reader is None or Z.shape[0] < 2:
        return None
    try:
        ensemble = reader(model)
    except _UnsupportedError:
        return None
    numbers = np.asarray(dense(Z, ensemble.rule == XGBOOST), dtype=float)
    own = own_scores(model, Z)
    if own.shape[1] != ensemble.width:
        return None
    sums = ensemble.sums(numbers)
    ensemble = replace(ensemble, base=ensemble.base + own[0] - sums[0])
    same = np.allclose(sums + (own[0] - sums[0]), own, rtol=1e-4, atol=1e-4)
    return ensemble if same else None


def dense(Z: Any, gaps: bool) -> Any:
    """Return a sparse matrix as an array, any other table as it is.

    What it does not store is 0; with `gaps` it is missing, as XGBoost takes it.
    """
    if not hasattr(Z, "tocoo"):
        return Z
    if not gaps:
        return Z.toarray()
    entries = Z.tocoo()
    out = np.full(Z.shape, np.nan)
    out[entries.row, entries.col] = entries.data
    return out


def own_scores(model: Any, Z: Any) -> Floats:
    """What a model itself says its scores are, one column each."""
    library = type(model).__module__.split(".")[0]
    if library == "xgboost":
        return model_scores(model, "predict", Z, output_margin=True)
    if library == "lightgbm":
        return model_scores(model, "predict", Z, raw_score=True)
    methods = ("decision_function", "predict_proba", "predict")
    return model_scores(model, next(m for m in methods if hasattr(model, m)), Z)


def link_of(model: Any) -> str | None:
    """What turns the scores into predictions: "logit", "margin" (only their order
    counts), "probability" or "identity"; None where that is not known."""
    name = type(model).__name__
    library = type(model).__module__.split(".")[0]
    classifies = hasattr(model, "classes_")
    if library == "sklearn":
        loss = getattr(model, "loss", None)
        if name == "GradientBoostingClassifier":
            return "logit" if loss == "log_loss" else "margin"
        if name == "HistGradientBoostingClassifier":
            return "logit"
        if name == "HistGradientBoostingRegressor":
            plain = ("squared_error", "absolute_error", "quantile")
            return "identity" if loss in plain else None
        return "probability" if classifies else "identity"
    if library == "xgboost":
        return _XGBOOST_LINKS.get(str(model.get_params().get("objective")))
    if library == "lightgbm":
        objective = str(getattr(model, "objective_", None))
        if objective == "binary" and model.get_params().get("sigmoid", 1.0) != 1.0:
            return "margin"
        return _LIGHTGBM_LINKS.get(objective)
    return None


_XGBOOST_LINKS = {
    "binary:logistic": "logit",
    "multi:softprob": "margin",
    "multi:softmax": "margin",
    "reg:squarederror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
}
_LIGHTGBM_LINKS = {
    "binary": "logit",
    "multiclass": "margin",
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "quantile": "identity",
}


class _UnsupportedError(Exception):
    """Trees of a kind that the arrays cannot hold."""


def _reader(model: Any) -> Callable[[Any], Ensemble] | None:
    """By the names of the classes, so that no library is imported for the question."""
    for kind in type(model).__mro__:
        library = kind.__module__.split(".")[0]
        reader = _READERS.get((library, kind.__name__))
        if reader is not None:
            return reader
    return None


Tree = tuple[Any, Any, Any, Any, Any, Floats]  # feature, threshold, left, right, ...


def _assembled(trees: Iterator[tuple[int, Tree]], width: int, rule: int) -> Ensemble:
    roots, output, parts = [], [], []
    start = 0
    for out, (feature, threshold, left, right, missing, leaves) in trees:
        allowance().deadline.check()
        roots.append(start)
        output.append(out)
        inner = np.asarray(left) >= 0
        parts.append(
            (
                np.where(inner, feature, -1),
                np.asarray(threshold, dtype=float),
                np.where(inner, np.asarray(left) + start, -1),
                np.where(inner, np.asarray(right) + start, -1),
                np.asarray(missing, dtype=bool),
                leaves,
            )
        )
        start += len(feature)
    if not parts:
        raise _UnsupportedError
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    feature, threshold, left, right, missing, leaves = joined
    return Ensemble(
        np.array(roots, dtype=np.int64),
        np.array(output, dtype=np.int64),
        feature.astype(np.int64),
        threshold,
        left.astype(np.int64),
        right.astype(np.int64),
        missing,
        np.ascontiguousarray(leaves, dtype=float),
        np.zeros(width),
        rule,
    )


# -- scikit-learn ----------------------------------------------------------------------


def _sklearn_tree(tree: Any, scale: float) -> Tree:
    values = tree.value[:, 0, :]
    missing = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))
    return (
        tree.feature,
        tree.threshold,
        tree.children_left,
        tree.children_right,
        missing,
        values * scale,
    )


def _read_tree(model: Any) -> Ensemble:
    if model.n_outputs_ != 1:
        raise _UnsupportedError
    width = model.tree_.value.shape[2]
    tree = _sklearn_tree(model.tree_, 1.0)
    return _assembled(iter([(-1, tree)]), width, SKLEARN)


def _read_forest(model: Any) -> Ensemble:
    if model.n_outputs_ != 1:
        raise _UnsupportedError
    share = 1.0 / len(model.estimators_)
    width = model.estimators_[0].tree_.value.shape[2]
    trees = ((-1, _sklearn_tree(t.tree_, share)) for t in model.estimators_)
    return _assembled(trees, width, SKLEARN)


def _read_gradient_boosting(model: Any) -> Ensemble:
    stages = model.estimators_
    if type(model.init_).__name__ not in ("str", "DummyClassifier", "DummyRegressor"):
        raise _UnsupportedError  # starts from a model that moves with the rows
    trees = (
        (k, _sklearn_tree(tree.tree_, model.learning_rate))
        for stage in stages
        for k, tree in enumerate(stage)
    )
    return _assembled(trees, stages.shape[1], SKLEARN)


def _read_hist_gradient_boosting(model: Any) -> Ensemble:
    stages = model._predictors

    def trees() -> Iterator[tuple[int, Tree]]:
        for stage in stages:
            for k, predictor in enumerate(stage):
                nodes = predictor.nodes
                if nodes["is_categorical"].any():
                    raise _UnsupportedError
                leaf = nodes["is_leaf"].astype(bool)
                left, right = nodes["left"].astype(int), nodes["right"].astype(int)
                yield (
                    k,
                    (
                        nodes["feature_idx"],
                        nodes["num_threshold"],
                        np.where(leaf, -1, left),
                        np.where(leaf, -1, right),
                        nodes["missing_go_to_left"],
                        nodes["value"][:, None],
                    ),
                )

    return _assembled(trees(), len(stages[0]), DOUBLE)


# -- XGBoost and LightGBM ---------------------------------------------------------


def _read_xgboost(model: Any) -> Ensemble:
    booster = model.get_booster()
    learner = json.loads(booster.save_raw("json"))["learner"]
    grown = learner["gradient_booster"]
    if grown.get("name") != "gbtree":
        raise _UnsupportedError
    trees = grown["model"]["trees"]
    info = grown["model"]["tree_info"]
    width = max(int(learner["learner_model_param"]["num_class"]), 1)
    missing = model.get_params().get("missing", np.nan)
    if missing is not None and missing == missing:
        raise _UnsupportedError  # a number that stands for what is missing
    try:
        best = model.best_iteration
    except AttributeError:
        best = None
    if best is not None:
        parallel = int(grown["model"]["gbtree_model_param"]["num_parallel_tree"])
        trees = trees[: (best + 1) * width * parallel]

    def read() -> Iterator[tuple[int, Tree]]:
        for tree, k in zip(trees, info, strict=False):
            if (
                any(tree["split_type"])
                or int(tree["tree_param"]["size_leaf_vector"]) > 1
            ):
                raise _UnsupportedError
            conditions = np.asarray(tree["split_conditions"], dtype=np.float32)
            yield (
                k,
                (
                    np.asarray(tree["split_indices"]),
                    conditions.astype(float),
                    np.asarray(tree["left_children"]),
                    np.asarray(tree["right_children"]),
                    tree["default_left"],
                    conditions.astype(float)[:, None],
                ),
            )

    return _assembled(read(), width, XGBOOST)


def _read_lightgbm(model: Any) -> Ensemble:
    dumped = model.booster_.dump_model(num_iteration=model.booster_.best_iteration)
    if dumped.get("average_output") or model.get_params().get("linear_tree"):
        raise _UnsupportedError
    width = dumped["num_tree_per_iteration"]

    def read() -> Iterator[tuple[int, Tree]]:
        for i, info in enumerate(dumped["tree_info"]):
            yield i % width, _lightgbm_tree(info["tree_structure"])

    return _assembled(read(), width, DOUBLE)


def _lightgbm_tree(root: dict[str, Any]) -> Tree:
    nodes: list[tuple[int, float, int, int, bool, float]] = []
    pending: list[tuple[dict[str, Any], int, int]] = [(root, -1, 0)]
    while pending:
        node, parent, side = pending.pop()
        place = len(nodes)
        if parent >= 0:
            entry = list(nodes[parent])
            entry[2 + side] = place
            nodes[parent] = tuple(entry)  # type: ignore[assignment]
        if "split_feature" not in node:
            nodes.append((-1, 0.0, -1, -1, False, node["leaf_value"]))
            continue
        if node["decision_type"] != "<=" or node["missing_type"] == "Zero":
            raise _UnsupportedError
        # Without a way of its own a missing value counts as 0.
        missing = (
            node["default_left"]
            if node["missing_type"] == "NaN"
            else node["threshold"] >= 0
        )
        nodes.append((node["split_feature"], node["threshold"], 0, 0, missing, 0.0))
        pending.append((node["right_child"], place, 1))
        pending.append((node["left_child"], place, 0))
    columns = [np.asarray(column) for column in zip(*nodes, strict=True)]
    feature, threshold, left, right, gone, leaf = columns
    return feature, threshold, left, right, gone, leaf.astype(float)[:, None]


_READERS: dict[tuple[str, str], Callable[[Any], Ensemble]] = {
    ("sklearn", "BaseDecisionTree"): _read_tree,
    ("sklearn", "BaseForest"): _read_forest,
    ("sklearn", "BaseGradientBoosting"): _read_gradient_boosting,
    ("sklearn", "BaseHistGradientBoosting"): _read_hist_gradient_boosting,
    ("xgboost", "XGBModel"): _read_xgboost,
    ("lightgbm", "LGBMModel"): _read_lightgbm,
}
