"""Groups of trees and terms, each with a link and a weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skresp._model.trees._raw_trees import RawTrees
from skresp._typing import BoolArray, FloatArray

from ._links import Link
from ._terms import Terms


class Group(NamedTuple):
    """One summand of the score: weight * link(trees + terms + base).

    Attributes
    ----------
    base : array of shape (n_outputs,)
    trees : RawTrees or None
    terms : Terms or None
    link : Link
    weight : float
    base_error : float
        How far the base may be off, where it was found from scores in float32.
    """

    base: FloatArray
    trees: RawTrees | None = None
    terms: Terms | None = None
    link: Link = Link()
    weight: float = 1.0
    base_error: float = 0.0

    def sums(self, codes: FloatArray) -> FloatArray:
        """Return the sums of rows without the base, of shape (n_rows, n_outputs)."""
        sums = np.zeros((len(codes), len(self.base)))
        if self.trees is not None:
            sums += self.trees.sums(codes, len(self.base))
        if self.terms is not None:
            sums += self.terms.sums(codes)
        return sums

    @property
    def is_plain(self) -> bool:
        """Whether the share of this group is its sum."""
        return self.link.is_identity and self.weight == 1.0

    def linked(self, sums: FloatArray) -> FloatArray:
        """Return the share of this group in the scores, given its sums."""
        return sums if self.is_plain else self.weight * self.link(sums)

    @property
    def steepness(self) -> float:
        """By how much this share moves with the sum, at most."""
        return abs(self.weight) * self.link.steepness

    def linked_bounds(
        self, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of this share, given bounds of its sums."""
        low, high = self.link.bounds(lower, upper)
        ends = self.weight * low, self.weight * high
        return np.minimum(*ends), np.maximum(*ends)

    def bounds(
        self, lower: FloatArray, upper: FloatArray, sets: dict[int, BoolArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of this share over boxes (see `ScoreFunction.bounds`)."""
        low = np.repeat(self.base[None], len(lower), axis=0)
        high = low.copy()
        if self.trees is not None:
            ends = self.trees.bounds(lower, upper, self._tree_sets(lower, upper, sets))
            for sums, each in zip((low, high), ends, strict=True):
                for k, output in enumerate(self.trees.output):
                    if output < 0:
                        sums += each[:, k]
                    else:
                        sums[:, output] += each[:, k, 0]
        if self.terms is not None:
            ends = self.terms.bounds(lower, upper, sets)
            low += ends[0]
            high += ends[1]
        return self.linked_bounds(low, high)

    def _tree_sets(
        self, lower: FloatArray, upper: FloatArray, sets: dict[int, BoolArray]
    ) -> dict[int, BoolArray]:
        """Return boxes as sets of positions, for the listed columns of the trees."""
        assert self.trees is not None
        width = self.trees.goes_left.shape[1]
        used = np.isin(np.arange(len(self.trees.is_listed)), self.trees.column)
        out = {}
        for c in np.flatnonzero(self.trees.is_listed & used).tolist():
            first = self.trees.positions_of(c, lower[:, c])
            last = self.trees.positions_of(c, upper[:, c])
            position = np.arange(width)
            inside = (position >= first[:, None]) & (position <= last[:, None])
            if c in sets:
                inside = np.zeros((len(lower), width), dtype=bool)
                inside[:, : sets[c].shape[1] - 1] = sets[c][:, :-1]
                inside[:, -1] = sets[c][:, -1]
            out[c] = inside
        return out
