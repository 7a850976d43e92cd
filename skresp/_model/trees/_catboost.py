"""Read the trees of CatBoost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from skresp._model._links import PredictionLink
from skresp._model._predictions import model_scores
from skresp._model._unreadable import UnreadableError
from skresp._typing import FloatArray

from ._arrays import SKLEARN, Ensemble, Tree, UnsupportedTreesError, assemble
from ._category_splits import CategorySplits

_LINKS: dict[str, PredictionLink] = {
    "Logloss": "logit",
    "CrossEntropy": "logit",
    "MultiClass": "margin",
    "RMSE": "identity",
    "MAE": "identity",
    "Quantile": "identity",
}


def _read_catboost(model: Any) -> Ensemble:
    """Read a model of numbers; a value goes left where float32(x) <= border."""
    dumped = _dumped(model)
    if dumped["features_info"].get("categorical_features"):
        raise UnsupportedTreesError
    return _Trees(dumped, None).ensemble()


def read_categories(model: Any) -> tuple[Ensemble, CategorySplits]:
    """Read a model with labels that the trees compare one by one."""
    dumped = _dumped(model)
    columns = dumped["features_info"].get("categorical_features", [])
    if not columns:
        raise UnsupportedTreesError
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
        self.width = len(bias)

    def ensemble(self) -> Ensemble:
        """Return all trees; their sums lack the bias."""
        return assemble(self._trees(), self.width, SKLEARN)

    def _trees(self) -> Iterator[tuple[int, Tree]]:
        output = 0 if self.width == 1 else -1
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
        feature, threshold, missing = (
            np.array([split[i] for split in splits] + [0])[level] for i in range(3)
        )
        leaves = np.zeros((len(level), self.width))
        leaves[~inner] = np.reshape(tree["leaf_values"], (-1, self.width)) * self.scale
        return Tree(feature, threshold, left, right, missing, leaves)

    def _grown(self, root: dict[str, Any]) -> Tree:
        """Return a tree whose nodes split on their own, in preorder."""
        nodes: list[list[Any]] = []

        def add(node: dict[str, Any]) -> int:
            at = len(nodes)
            if "split" not in node:
                nodes.append([-1, 0.0, -1, -1, False, np.ravel(node["value"])])
                return at
            feature, threshold, missing = self._split(node["split"])
            nodes.append([feature, threshold, 0, 0, missing, np.zeros(self.width)])
            nodes[at][2] = add(node["left"])
            nodes[at][3] = add(node["right"])
            return at

        add(root)
        feature, threshold, left, right, missing, leaves = (
            np.array(part) for part in zip(*nodes, strict=True)
        )
        return Tree(feature, threshold, left, right, missing, leaves * self.scale)

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
        made = self.splits.made_column(column["flat_feature_index"], left, True)
        return made, 0.5, True


def _dumped(model: Any) -> dict[str, Any]:
    """Return a model in its JSON form, which CatBoost writes to a file only."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return dict(json.loads(path.read_text()))


def scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores of a model as the library computes them, one column each."""
    return model_scores(model, "predict", Z, prediction_type="RawFormulaVal")


def prediction_link(model: Any) -> PredictionLink | None:
    """Return how predictions follow from scores; None where that is not known."""
    loss = str(model.get_all_params().get("loss_function"))
    return _LINKS.get(loss.split(":")[0])


#: By the name of a base class.
READERS: dict[str, Callable[[Any], Ensemble]] = {"CatBoost": _read_catboost}
