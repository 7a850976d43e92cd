"""Read the trees of XGBoost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skresp._model._predictions import model_scores
from skresp._typing import FloatArray

from ._arrays import XGBOOST, Ensemble, Tree, UnsupportedTreesError, assemble

_LINKS = {
    "binary:logistic": "logit",
    "multi:softprob": "margin",
    "multi:softmax": "margin",
    "reg:squarederror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
}


def _read_xgboost(model: Any) -> Ensemble:
    """Read an XGBoost model from its JSON form."""
    booster = model.get_booster()
    learner = json.loads(booster.save_raw("json"))["learner"]
    grown = learner["gradient_booster"]
    if grown.get("name") != "gbtree":
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
            if (
                any(tree["split_type"])
                or int(tree["tree_param"]["size_leaf_vector"]) > 1
            ):
                raise UnsupportedTreesError
            conditions = np.asarray(tree["split_conditions"], dtype=np.float32)
            yield (
                k,
                Tree(
                    np.asarray(tree["split_indices"]),
                    conditions.astype(float),
                    np.asarray(tree["left_children"]),
                    np.asarray(tree["right_children"]),
                    tree["default_left"],
                    conditions.astype(float)[:, None],
                ),
            )

    return assemble(read(), width, XGBOOST)


def scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores of a model as the library computes them, one column each."""
    return model_scores(model, "predict", Z, output_margin=True)


def link(model: Any) -> str | None:
    """Return what turns scores into predictions; None where that is not known."""
    return _LINKS.get(str(model.get_params().get("objective")))


#: By the name of a base class.
READERS: dict[str, Callable[[Any], Ensemble]] = {"XGBModel": _read_xgboost}
