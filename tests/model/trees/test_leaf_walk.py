"""Walks to leaves, compared with walks node by node."""

from __future__ import annotations

import numpy as np
import pytest

from skresp._model.trees._raw_trees import RawTrees
from skresp.reach._allowance import allow
from skresp.reach._deadline import Deadline

# The first tree splits on a number, then on labels; the second is a leaf.
TREES = RawTrees(
    roots=np.array([0, 5], dtype=np.int32),
    output=np.array([1, 0], dtype=np.int32),
    column=np.array([0, 1, -1, -1, -1, -1], dtype=np.int32),
    threshold=np.array([2.5, 1.0, 0.0, 0.0, 0.0, 0.0]),
    left=np.array([1, 2, -1, -1, -1, -1], dtype=np.int32),
    right=np.array([4, 3, -1, -1, -1, -1], dtype=np.int32),
    missing_left=np.array([True, False, False, False, False, False]),
    leaves=np.array([[0.0], [0.0], [1.0], [2.0], [4.0], [8.0]]),
    is_listed=np.array([False, True]),
    goes_left=np.array([[True, True, True], [True, False, False]]),
    edges={},
)


@pytest.mark.parametrize("limit", [None, 60.0])
def test_rows_reach_the_leaves_of_their_numbers_and_labels(limit):
    codes = np.array([[2.5, 0], [2.5, 1], [np.nextafter(2.5, 3), 0], [np.nan, np.nan]])
    with allow(Deadline.after(limit)):
        leaves = TREES.leaves_of(TREES.positions(codes))
        sums = TREES.sums(codes, 2)
    assert leaves.tolist() == [[2, 5], [3, 5], [4, 5], [3, 5]]
    assert sums.tolist() == [[8, 1], [8, 2], [8, 4], [8, 2]]


def test_leaves_that_are_vectors_add_to_all_scores():
    trees = RawTrees(
        **(
            vars(TREES)
            | {
                "output": np.full(2, -1, dtype=np.int32),
                "leaves": np.arange(12.0).reshape(6, 2),
            }
        )
    )
    assert trees.sums(np.array([[0.0, 0.0]]), 2).tolist() == [[4 + 10, 5 + 11]]


def test_many_rows_reach_the_leaves_that_each_reaches_alone():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.normal(2.5, 1, 2500), rng.integers(0, 2, 2500)])
    with allow(Deadline.after(60.0)):  # without kernels
        expected = TREES.leaves_of(codes), TREES.sums(codes, 2)
    np.testing.assert_array_equal(TREES.leaves_of(codes), expected[0])
    np.testing.assert_array_equal(TREES.sums(codes, 2), expected[1])


@pytest.mark.parametrize("position", [3.0, np.nan, -2.0])
def test_a_position_that_no_table_has_raises(position):
    with pytest.raises(IndexError, match="not in the tables"):
        TREES.leaves_of(np.array([[0.0, position]]))
