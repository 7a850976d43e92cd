"""Whether listed changes of rows reach the target, computed from the score function.

Sums that are too close to the border for rounding are in doubt: the model is asked
about them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model.trees._ranked_trees import RankedTrees
from skresp._model.trees._tree_sums import TreeSums
from skresp._typing import BoolArray, FloatArray

from ._change_lists import ChangeCodes
from ._decision import Decision
from ._float32_sums import adds_float32, closer_answers
from ._group import Group
from ._score_function import ScoreFunction

#: The answer where only the model knows; 1 is for points that reach the target, else 0.
IN_DOUBT = np.uint8(2)

Answers = NDArray[np.uint8]


class _Sums(NamedTuple):
    """Sums of all points of rows (`ListedPoints`), then of the rows.

    Attributes
    ----------
    values : array of shape (n, n_gains)
    size : array of shape (n,), or float
        Absolute sums of the terms, without trees.
    """

    values: FloatArray
    size: FloatArray | float


@dataclass(frozen=True)
class ChangeScorer:
    """Answers for many changes of many rows, from a score function with a decision.

    Attributes
    ----------
    score_function : ScoreFunction
    decision : Decision
    """

    score_function: ScoreFunction
    decision: Decision

    @classmethod
    def of(cls, score_function: ScoreFunction | None) -> ChangeScorer | None:
        """Return the scorer of a score function; None where `predict` is needed."""
        if score_function is None or score_function.decision is None:
            return None
        return cls(score_function, score_function.decision)

    @cached_property
    def _groups(self) -> list[_GroupSums]:
        """The groups; a single one without a link adds up gaps, not scores."""
        groups = self.score_function.groups
        decision = self.decision if self.score_function.is_plain else None
        return [_GroupSums(group, decision) for group in groups]

    def answers(self, codes: FloatArray, changes: ChangeCodes) -> Answers:
        """Return the answers for all points of rows (`ListedPoints`), then for rows.

        Raise TooLargeError where tables would take too much memory.
        """
        known = self.score_function
        with np.errstate(invalid="ignore"):
            if known.is_plain:
                answers = self._answers_of_sum(codes, changes)
            else:
                answers = self._answers_of_scores(codes, changes)
        if self._adds_float32:
            self._look_closer(answers, codes, changes)
        points = changes.lists.points
        of_points, of_rows = answers[: len(points)], answers[len(points) :]
        unknown = ~known.known_rows(codes)
        if unknown.any():
            of_rows[unknown] = IN_DOUBT
            of_points[points.spread(unknown)] = IN_DOUBT
        if not known.knows_all_numbers:
            of_points[~self._known_changes(changes)[points.change]] = IN_DOUBT
        return answers

    @cached_property
    def _adds_float32(self) -> bool:
        return adds_float32(self.score_function)

    def _look_closer(
        self, answers: Answers, codes: FloatArray, changes: ChangeCodes
    ) -> None:
        """Set answers in doubt that closer bounds of float32 sums decide."""
        doubtful = np.flatnonzero(answers == IN_DOUBT)
        if not len(doubtful):
            return
        n_points = len(changes.lists.points)
        of_points, of_rows = np.split(doubtful, [np.searchsorted(doubtful, n_points)])
        for some, found in (
            (of_points, lambda: changes.codes_of(codes, of_points)),
            (of_rows, lambda: codes[of_rows - n_points]),
        ):
            if len(some):
                reached, sure = closer_answers(self.score_function, found())
                answers[some[sure]] = reached[sure]

    def _known_changes(self, changes: ChangeCodes) -> BoolArray:
        """Return after which changes the scores are known."""
        columns = changes.columns
        known = self.score_function.knows(changes.after, columns)
        return np.asarray((known | (columns < 0)).all(axis=1))

    def _answers_of_sum(self, codes: FloatArray, changes: ChangeCodes) -> Answers:
        """Return answers of one sum without a link, whose gaps are added up."""
        (group,) = self._groups
        sums = group.sums(codes, changes)
        return self._compared(sums.values, sums.size, group)

    def _compared(
        self, gaps: FloatArray, size: FloatArray | float, group: _GroupSums
    ) -> Answers:
        """Compare gaps with 0."""
        decision, trees = self.decision, group.largest_tree_sum
        gap = gaps[:, 0] if gaps.shape[1] == 1 else gaps.min(axis=1)
        if decision.cut is not None:
            score = np.abs(gap) + abs(decision.cut)
        else:
            score = size + trees
        rounding = decision.rounding * (size + trees)
        doubt = np.maximum(decision.error(score), rounding)
        return answers_of(gap, doubt)

    def _answers_of_scores(self, codes: FloatArray, changes: ChangeCodes) -> Answers:
        """Return answers of groups with links, from scores.

        Scores are in doubt where large terms or trees may cancel.
        """
        each = [group.sums(codes, changes) for group in self._groups]
        linked = zip(self._groups, each, strict=True)
        shares = [g.group.linked(sums.values) for g, sums in linked]
        sizes = [
            group.group.steepness * (sums.size + group.largest_tree_sum)
            for group, sums in zip(self._groups, each, strict=True)
        ]
        rounding = self.decision.rounding * sum(sizes)
        reached, sure = self.decision.answers(np.sum(shares, axis=0), rounding)
        out = reached.astype(np.uint8)
        out[~sure] = IN_DOUBT
        return out


class _GroupSums:
    """The sums of one group of a score function.

    Parameters
    ----------
    group : Group
    decision : Decision or None
        With it gaps are added up instead of scores.
    """

    def __init__(self, group: Group, decision: Decision | None) -> None:
        self.group, self.decision = group, decision
        self.base = self._gaps(group.base[None])[0]
        if decision is not None:
            self.base = self.base - decision.offset
        self.base_size = float(np.abs(self.base).max())
        self.trees: TreeSums | None = None
        if group.trees is not None:
            nodes = np.arange(len(group.trees.column))
            gain = self._gaps(group.trees.gains(nodes, len(group.base)))
            self.trees = TreeSums(RankedTrees(group.trees, gain))

    @property
    def largest_tree_sum(self) -> float:
        """The largest absolute sum of trees."""
        return 0.0 if self.trees is None else self.trees.trees.largest_sum

    def sums(self, codes: FloatArray, changes: ChangeCodes) -> _Sums:
        """Return the sums of all points of rows, and of the rows."""
        of_points = changes.lists.points
        n_points = len(of_points)
        if self.trees is not None:
            sums = self.trees(codes, changes)
            sums += self.base
        else:
            sums = np.empty((n_points + len(codes), len(self.base)))
            sums[:] = self.base
        terms = self.group.terms
        if terms is None:
            return _Sums(sums, self.base_size)
        added, own_size = terms.sums_and_sizes(codes)
        added, own_size = self._gaps(added), self.base_size + self._sizes(own_size)
        gain, gain_size = terms.listed_changes(
            changes.columns, changes.before[changes.lists.owner], changes.after
        )
        sums[n_points:] += added
        sums[:n_points] += of_points.spread(added)
        sums[:n_points] += self._gaps(gain)[of_points.change]
        size = np.empty(len(sums))
        size[n_points:] = own_size
        size[:n_points] = of_points.spread(own_size)
        size[:n_points] += self._sizes(gain_size)[of_points.change]
        return _Sums(sums, size)

    def _gaps(self, scores: FloatArray) -> FloatArray:
        return scores if self.decision is None else self.decision.gaps(scores)

    def _sizes(self, sizes: FloatArray) -> FloatArray:
        if self.decision is not None:
            sizes = self.decision.sizes(sizes)
        return sizes.max(axis=1)


def answers_of(gap: FloatArray, doubt: FloatArray) -> Answers:
    """Return the answers of gaps; those no larger than `doubt` are in doubt."""
    out = (gap > 0).astype(np.uint8)
    out[~(np.abs(gap) > doubt)] = IN_DOUBT
    return out
