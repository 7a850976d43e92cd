"""Read AdaBoost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from skresp._model._class_names import package_of
from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model.steps._transform import scores_of_rows
from skresp._model.trees._arrays import Tree, assemble
from skresp._model.trees._sklearn import ARITHMETIC, tree_nodes

from ._members import check_two_classes


def read_adaboost(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read an AdaBoostClassifier of trees: each adds or subtracts its weight."""
    check_two_classes(model)
    if not all(_is_tree(member) for member in model.estimators_):
        raise UnreadableError("AdaBoostClassifier is read with decision trees only.")
    total = float(np.sum(model.estimator_weights_))

    def trees() -> Iterator[tuple[int, Tree]]:
        for member, weight in zip(
            model.estimators_, model.estimator_weights_, strict=False
        ):
            tree = tree_nodes(member.tree_, 1.0)
            voted = member.classes_[tree.leaves.argmax(axis=1)] == model.classes_[1]
            leaves = np.where(voted, 2.0, -2.0) * weight / total
            yield 0, tree._replace(leaves=leaves[:, None])

    own = scores_of_rows(model, "decision_function", steps)
    group = ReadGroup(steps, assemble(trees(), 1, ARITHMETIC), base=np.zeros(1))
    return Reading((group,), own, "logit", "trees")


def _is_tree(member: Any) -> bool:
    """Return whether a member is a decision tree of scikit-learn."""
    return any(
        kind.__name__ == "BaseDecisionTree" and package_of(kind) == "sklearn"
        for kind in type(member).__mro__
    )
