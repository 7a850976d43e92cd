"""Read the trees of CatBoost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._predictions import model_scores
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray

from ._arrays import Arithmetic, Ensemble, Tree, assemble
from ._category_splits import CategorySplits
from ._library import ReadTrees, TreeLibrary

_ARITHMETIC = Arithmetic(compares_float32=True)
_LINKS: dict[str, PredictionLink] = {
    "Logloss": "logit",
    "CrossEntropy": "logit",
    "MultiClass": "margin",
    "RMSE": "identity",
    "MAE": "identity",
    "Quantile": "identity",
}


def _read_catboost(model: Any) -> ReadTrees:
    """Read a model of numbers, and of labels that the trees compare one by one."""
    dumped = _dumped(model)
    columns = dumped["features_info"].get("categorical_features", [])
    splits = None
    if columns:
        labels = {
            c["flat_feature_index"]: _LabelPosition(model, c["feature_index"])
            for c in columns
        }
        splits = CategorySplits(len(model.feature_names_), labels)
    return _Trees(dumped, splits).ensemble(), splits


@dataclass(frozen=True)
class _LabelPosition:
    """Finds the position of a label among those that the trees compare."""

    model: Any
    feature: int

    def __call__(self, label: Any) -> int:
        if isinstance(label, float):
            raise ValueError("CatBoost does not take fractions for labels.")
        found = self.model._object._calc_cat_feature_perfect_hash
        return int(found(str(label), self.feature))


class _Trees:
    """The trees of a model in its JSON form."""

    def __init__(self, dumped: dict[str, Any], splits: CategorySplits | None) -> None:
        info = dumped["features_info"]
        self.numbers = {c["feature_index"]: c for c in info.get("float_features", [])}
        self.labels = {
            c["feature_index"]: c for c in info.get("categorical_features", [])
        }
        self.dumped, self.splits = dumped, splits
        self.scale, bias = dumped["scale_and_bias"]
        self.n_outputs = len(bias)

    def ensemble(self) -> Ensemble:
        """Return all trees; their sums lack the bias."""
        return assemble(self._trees(), self.n_outputs, _ARITHMETIC)

    def _trees(self) -> Iterator[tuple[int, Tree]]:
        output = 0 if self.n_outputs == 1 else -1
        for tree in self.dumped.get("oblivious_trees", []):
            yield output, self._oblivious(tree)
        for tree in self.dumped.get("trees", []):
            yield output, self._grown(tree)

    def _oblivious(self, tree: dict[str, Any]) -> Tree:
        """Return a tree that splits all nodes of a level alike.

        The first split is the lowest bit of the number of a leaf.
        """
        splits = [self._split(split) for split in tree["splits"] or []]
        depth = len(splits)
        level = np.repeat(np.arange(depth + 1), 2 ** np.arange(depth + 1))
        within = np.arange(len(level)) - (2**level - 1)
        inner = level < depth
        left = np.where(inner, 2 ** (level + 1) - 1 + within, -1)
        right = np.where(inner, left + 2**level, -1)
        column, threshold, missing = (
            np.array([split[i] for split in splits] + [0])[level] for i in range(3)
        )
        leaves = np.zeros((len(level), self.n_outputs))
        values = np.reshape(tree["leaf_values"], (-1, self.n_outputs))
        leaves[~inner] = values * self.scale
        return Tree(column, threshold, left, right, missing, leaves)

    def _grown(self, root: dict[str, Any]) -> Tree:
        """Return a tree whose nodes split on their own, in preorder."""
        nodes: list[list[Any]] = []

        def add(node: dict[str, Any]) -> int:
            at = len(nodes)
            if "split" not in node:
                nodes.append([-1, 0.0, -1, -1, False, np.ravel(node["value"])])
                return at
            column, threshold, missing = self._split(node["split"])
            nodes.append([column, threshold, 0, 0, missing, np.zeros(self.n_outputs)])
            nodes[at][2] = add(node["left"])
            nodes[at][3] = add(node["right"])
            return at

        add(root)
        column, threshold, left, right, missing, leaves = (
            np.array(part) for part in zip(*nodes, strict=True)
        )
        return Tree(column, threshold, left, right, missing, leaves * self.scale)

    def _split(self, split: dict[str, Any]) -> tuple[int, float, bool]:
        """Return the column, the threshold, and whether a missing value goes left."""
        if split["split_type"] == "FloatFeature":
            column = self.numbers[split["float_feature_index"]]
            missing = column["nan_value_treatment"] != "AsTrue"
            return column["flat_feature_index"], split["border"], missing
        if split["split_type"] != "OneHotFeature" or self.splits is None:
            raise UnreadableError(
                "CatBoost replaces labels by statistics; a larger one_hot_max_size "
                "makes it compare labels one by one, which is read."
            )
        column = self.labels[split["cat_feature_index"]]
        right = column["values"].index(split["value"])
        left = set(range(len(column["values"]) + 1)) - {right}
        at = self.splits.add_split(column["flat_feature_index"], left, True)
        return at, 0.5, True


def _dumped(model: Any) -> dict[str, Any]:
    """Return a model in its JSON form, which CatBoost writes to a file only."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return dict(json.loads(path.read_text()))


def _own_scores(model: Any, Z: Any) -> FloatArray:
    return model_scores(model, "predict", Z, prediction_type="RawFormulaVal")


def _prediction_link(model: Any) -> PredictionLink | None:
    if getattr(model, "get_probability_threshold", lambda: 0.5)() != 0.5:
        return None  # labels do not follow from the sign of the score
    loss = str(model.get_all_params().get("loss_function"))
    return _LINKS.get(loss.split(":")[0])


CATBOOST = TreeLibrary(
    package="catboost",
    readers={"CatBoost": _read_catboost},
    own_scores=_own_scores,
    prediction_link=_prediction_link,
)
