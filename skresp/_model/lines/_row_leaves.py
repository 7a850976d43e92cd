"""The leaves that rows are in before they move along lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model.trees._raw_trees import RawTrees
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._allowance import allowance

# Rows times trees whose leaves are kept.
_MAX_LEAVES = 4_000_000


class RowLeaves:
    """The leaves of rows in trees, found once for all lines that start from the rows.

    Parameters
    ----------
    codes : array of shape (n_rows, n_columns)
    known : array of shape (n_rows,), bool
        The rows from which lines may start: the trees know all their codes.
    """

    def __init__(self, codes: FloatArray, known: BoolArray) -> None:
        self.codes, self.known = codes, known
        self._found: list[tuple[RawTrees, NDArray[np.int32]]] = []

    def of(self, trees: RawTrees) -> NDArray[np.int32] | None:
        """Return the leaves, (n_rows, n_trees); None where they are too many."""
        for known, leaf in self._found:
            if known is trees:
                return leaf
        if len(self.codes) * len(trees.roots) > _MAX_LEAVES:
            return None
        allowance().deadline.check()
        leaf = np.zeros((len(self.codes), len(trees.roots)), dtype=np.int32)
        leaf[self.known] = trees.leaves_of(trees.positions(self.codes[self.known]))
        self._found.append((trees, leaf))
        return leaf


class StillLeaves(NamedTuple):
    """The leaves of lines in trees whose columns do not move.

    Attributes
    ----------
    stays : array of shape (n_trees,), bool
        Which trees these are.
    leaf : array of shape (n_lines, n_trees), int32
        The leaf of each line in them.
    """

    stays: BoolArray
    leaf: NDArray[np.int32]


class Origin(NamedTuple):
    """The rows that lines start from.

    Attributes
    ----------
    leaves : RowLeaves
    row : array of shape (n_lines,)
        The position of the row of each line in `leaves`.
    columns : array of shape (n_columns,)
        The columns that may differ from the row on some line, ascending.
    """

    leaves: RowLeaves
    row: IndexArray
    columns: IndexArray

    def take(self, lines: IndexArray) -> Origin:
        """Return the rows of some lines."""
        return self._replace(row=self.row[lines])

    def leaves_in(self, trees: RawTrees) -> StillLeaves | None:
        """Return the leaves of lines; None where few trees stay at one, or too many.

        None too where a row is not known: the line leads away from a number that the
        steps before the model refuse.
        """
        stays = ~trees.splits_on(self.columns)
        few = 2 * np.count_nonzero(stays) < len(stays)
        if few or not self.leaves.known[self.row].all():
            return None
        leaf = self.leaves.of(trees)
        return None if leaf is None else StillLeaves(stays, leaf[self.row])
