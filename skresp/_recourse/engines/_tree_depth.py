"""The depth of tree ensembles."""

from __future__ import annotations

from typing import Any

import numpy as np


def tree_depth(trees: Any) -> int:
    """Return the depth of the deepest tree; 0 where all trees are leaves.

    `trees` has arrays `roots`, `column` (negative at leaves), `left` and `right`.
    """
    depth, level = 0, trees.roots
    while True:
        inner = level[trees.column[level] >= 0]
        if not len(inner):
            return depth
        level = np.concatenate([trees.left[inner], trees.right[inner]])
        depth += 1
