"""Whether listed changes of rows reach the target, computed from the score function.

Sums that are too close to the border for rounding are in doubt: the model is asked
about them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model.trees._ranked_trees import RankedTrees
from skresp._model.trees._tree_sums import TreeSums
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._change_lists import ChangeCodes
from ._decision import Decision
from ._float32_sums import adds_float32, closer_answers
from ._group import Group
from ._score_function import ScoreFunction

#: The answer where only the model knows; 1 is for points that reach the target, else 0.
IN_DOUBT = np.uint8(2)

# The relative error of a sum behind a link.
_LINKED = 1e-12

Answers = NDArray[np.uint8]


class _Sums(NamedTuple):
    """Sums of rows and of all their changes, and the sizes of their terms.

    Attributes
    ----------
    rows, points : array of shape (n, n_gains)
    row_size, point_size : array of shape (n,)
        Absolute sums of the terms, without trees.
    """

    rows: FloatArray
    points: FloatArray
    row_size: FloatArray
    point_size: FloatArray


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

    def answers(
        self, codes: FloatArray, changes: ChangeCodes
    ) -> tuple[Answers, Answers]:
        """Return the answers for rows, and for all their points (`ListedPoints`).

        Raise TooLargeError where tables would take too much memory.
        """
        known = self.score_function.known_rows(codes)
        with np.errstate(invalid="ignore"):
            both = (
                self._answers_of_sum
                if self.score_function.is_plain
                else self._answers_of_scores
            )
            rows, points = both(codes, changes)
        if self._adds_float32:
            self._look_closer(rows, lambda some: codes[some])
            self._look_closer(points, lambda some: changes.codes_of(codes, some))
        if not known.all():
            rows[~known] = IN_DOUBT
            points[changes.lists.points.spread(~known)] = IN_DOUBT
        known_changes = self._known_changes(changes)
        if not known_changes.all():
            points[~known_changes[changes.lists.points.change]] = IN_DOUBT
        return rows, points

    @cached_property
    def _adds_float32(self) -> bool:
        return adds_float32(self.score_function)

    def _look_closer(
        self, answers: Answers, codes_of: Callable[[IndexArray], FloatArray]
    ) -> None:
        """Set answers in doubt that closer bounds of float32 sums decide."""
        doubtful = np.flatnonzero(answers == IN_DOUBT)
        if len(doubtful):
            reached, sure = closer_answers(self.score_function, codes_of(doubtful))
            answers[doubtful[sure]] = reached[sure]

    def _known_changes(self, changes: ChangeCodes) -> BoolArray:
        """Return after which changes the scores are known."""
        if self.score_function.is_known_everywhere:
            return np.ones(len(changes.after), dtype=bool)
        known = self.score_function.knows(changes.after, changes.columns)
        return np.asarray((known | (changes.columns < 0)).all(axis=1))

    def _answers_of_sum(
        self, codes: FloatArray, changes: ChangeCodes
    ) -> tuple[Answers, Answers]:
        """Return answers of one sum without a link, whose gaps are added up."""
        (group,) = self._groups
        sums = group.sums(codes, changes)
        return (
            self._compared(sums.rows, sums.row_size, group),
            self._compared(sums.points, sums.point_size, group),
        )

    def _compared(
        self, gaps: FloatArray, size: FloatArray, group: _GroupSums
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

    def _answers_of_scores(
        self, codes: FloatArray, changes: ChangeCodes
    ) -> tuple[Answers, Answers]:
        """Return answers of groups with links, from scores."""
        each = [group.sums(codes, changes) for group in self._groups]
        linked = zip(self._groups, each, strict=True)
        shares = [
            (g.group.linked(sums.rows), g.group.linked(sums.points))
            for g, sums in linked
        ]
        rows, points = (np.sum(share, axis=0) for share in zip(*shares, strict=True))
        return (
            self._decided(rows, np.max([sums.row_size for sums in each], axis=0)),
            self._decided(points, np.max([sums.point_size for sums in each], axis=0)),
        )

    def _decided(self, scores: FloatArray, size: FloatArray) -> Answers:
        """Return the answers of scores; large terms that cancel are in doubt."""
        reached, sure = self.decision.answers(scores)
        out = reached.astype(np.uint8)
        out[~sure | (_LINKED * size > self.decision.doubt)] = IN_DOUBT
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
        """Return the sums of rows and of all their points."""
        of_points = changes.lists.points
        if self.trees is not None:
            rows, points = self.trees(codes, changes)
            rows += self.base
            points += self.base
        else:
            rows = np.tile(self.base, (len(codes), 1))
            points = np.tile(self.base, (len(of_points.change), 1))
        row_size = np.full(len(codes), np.abs(self.base).max())
        terms = self.group.terms
        if terms is None:
            return _Sums(rows, points, row_size, np.full(len(points), row_size[:1]))
        added = self._gaps(terms.sums(codes))
        rows += added
        row_size += self._sizes(terms.sizes(codes))
        gain, gain_size = terms.listed_changes(
            changes.columns, changes.before[changes.lists.owner], changes.after
        )
        points += of_points.spread(added)
        points += self._gaps(gain)[of_points.change]
        size = of_points.spread(row_size)
        size += self._sizes(gain_size)[of_points.change]
        return _Sums(rows, points, row_size, size)

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
