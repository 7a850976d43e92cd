"""The score function: what is known of a model beyond `predict`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from skresp._typing import BoolArray, FloatArray

from ._columns import MAX_NUMBER, Column, known_ranges, rows_in_range
from ._decision import Decision
from ._group import Group
from ._raw_groups import GroupSource

Shape = Literal["constant", "linear", "monotone", "bounded"]


@dataclass(frozen=True)
class ScoreFunction:
    """The scores of a model as a function of the columns of its input.

    The scores are the sum over groups of weight * link(trees + terms + base). Rows are
    given as codes, of shape (n_rows, n_columns), in the order of the model's columns
    (see `Column`).

    Attributes
    ----------
    columns : tuple of Column
    groups : tuple of Group
    decision : Decision or None
        When the scores reach the target; None where only `predict` knows.
    family : str
        The kind of model: "trees", "linear", "additive" or "composite".
    sources : tuple of GroupSource
        What the groups were read from.
    """

    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    decision: Decision | None
    family: str
    sources: tuple[GroupSource, ...] = ()

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row."""
        return len(self.groups[0].base)

    @property
    def n_trees(self) -> int:
        """The number of trees in all groups."""
        return sum(len(g.trees.roots) for g in self.groups if g.trees is not None)

    def known_rows(self, codes: FloatArray) -> BoolArray:
        """Return in which rows of codes every code is known."""
        if self.knows_all_numbers:
            return rows_in_range(codes)
        return np.asarray(self.knows(codes, slice(None)).all(axis=1))

    def knows(self, codes: FloatArray, columns: Any) -> BoolArray:
        """Return which codes of some columns are known."""
        lower, upper = self._known_ranges[:, columns]
        return np.isnan(codes) | ((codes >= lower) & (codes <= upper))

    @cached_property
    def labelled(self) -> tuple[int, ...]:
        """The positions of columns of labels."""
        return tuple(i for i, c in enumerate(self.columns) if c.labels is not None)

    @cached_property
    def knows_all_numbers(self) -> bool:
        """Whether the scores are known for all codes up to `MAX_NUMBER`."""
        ranges = np.abs(self._known_ranges)
        return not self.labelled and bool((ranges >= MAX_NUMBER).all())

    @cached_property
    def _known_ranges(self) -> FloatArray:
        return known_ranges(self.columns)

    def scores(self, codes: FloatArray) -> FloatArray:
        """Return the scores of rows, of shape (n_rows, n_outputs).

        They are NaN where a code is outside of what the model accepts.
        """
        return self.of_sums(self.sums(codes))

    def sums(self, codes: FloatArray) -> list[FloatArray]:
        """Return the sums of each group without its base; see `scores` for NaN."""
        known = self.known_rows(codes)
        if known.all():
            return [group.sums(codes) for group in self.groups]
        out = np.full((len(self.groups), len(codes), self.n_outputs), np.nan)
        for mine, group in zip(out, self.groups, strict=True):
            mine[known] = group.sums(codes[known])
        return list(out)

    def of_sums(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Return the scores, given the sums of each group without its base."""
        out = np.zeros(sums[0].shape)
        for group, mine in zip(self.groups, sums, strict=True):
            out += group.linked(group.base + mine)
        return out

    @cached_property
    def of_gap(self) -> ScoreFunction:
        """The same decision with one score, if two classes of trees have one each.

        The score is how far the target is ahead. Otherwise the function itself.
        """
        group, decision = self.groups[0], self.decision
        trees, rivals = group.trees, self.n_outputs - 1
        if decision is None or decision.cut is not None or rivals != 1:
            return self
        if trees is None or group.terms is not None or not self.is_plain:
            return self
        size = trees.largest_size + float(np.abs(group.base).max())
        gains = decision.gaps(trees.gains(np.arange(len(trees.column)), 2))
        trees = replace(trees, leaves=gains, output=np.zeros_like(trees.output))
        base = decision.gaps(group.base[None])[0]
        error = float(decision.error(np.array([size]))[0])
        return replace(
            self,
            groups=(group._replace(base=base, trees=trees),),
            decision=replace(decision, column=0, cut=0.0, rivals=1, least_doubt=error),
        )

    @property
    def is_plain(self) -> bool:
        """Whether the scores are one sum without a link."""
        return len(self.groups) == 1 and self.groups[0].is_plain

    def bounds(
        self,
        lower: FloatArray,
        upper: FloatArray,
        sets: Mapping[int, BoolArray] | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper bounds of the scores over boxes.

        They hold up to the rounding of sums. For trees and terms without a link they
        are reached where each tree has the box to itself.

        Parameters
        ----------
        lower, upper : array of shape (n_boxes, n_columns)
            Closed intervals of codes; NaN at both ends where the value is missing. Of
            a column of labels, all labels from the lower to the upper code.
        sets : dict of int to array of shape (n_boxes, n_labels + 1), optional
            For columns of labels, the labels of each box, in place of the interval;
            the last entry is for a missing value.

        Returns
        -------
        low, high : array of shape (n_boxes, n_outputs)
        """
        shares = [g.bounds(lower, upper, dict(sets or {})) for g in self.groups]
        low, high = (np.sum(ends, axis=0) for ends in zip(*shares, strict=True))
        return low, high

    def cuts(self, column: int) -> FloatArray:
        """Return where the scores may jump along a column of numbers.

        A cut is the largest float64 before the jump. The cuts ascend. A column of
        labels has none.
        """
        if column not in self._cuts:
            self._cuts[column] = self._find_cuts(column)
        return self._cuts[column]

    @cached_property
    def _cuts(self) -> dict[int, FloatArray]:
        """The cuts that were found so far."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        kept = {f.name for f in fields(self)}
        return {k: v for k, v in self.__dict__.items() if k in kept}

    def _find_cuts(self, column: int) -> FloatArray:
        found: list[FloatArray] = []
        for group in self.groups:
            if group.trees is not None:
                found.append(group.trees.cuts(column))
            if group.terms is not None:
                found += group.terms.edges(column)
        if len(found) == 1 and self.groups[0].trees is not None:
            return found[0]  # distinct and in order
        return np.unique(np.concatenate([np.zeros(0), *found]))

    def shape(self, column: int) -> Shape:
        """Return how the scores move between two cuts of a column.

        "constant", "linear", "monotone", or "bounded" where only `bounds` is known.
        """
        shapes = [_shape(group, column) for group in self.groups]
        moving = [shape for shape in shapes if shape != "constant"]
        if not moving:
            return "constant"
        if all(shape == "linear" for shape in moving):
            return "linear"
        return moving[0] if len(moving) == 1 else "bounded"


def _shape(group: Group, column: int) -> Shape:
    """Return how one group moves along a column, between the cuts of that column."""
    if group.terms is None:
        return "constant"
    straight = bool(group.terms.slopes[column].any())
    maps = [term for term in group.terms.maps if term.column == column]
    if not straight and not maps:
        return "constant"
    if not maps:
        return "linear" if group.link.is_identity else "monotone"
    alone = len(maps) == 1 and not straight
    return "monotone" if alone and maps[0].is_monotone else "bounded"
