"""Cuts of a tree ensemble along lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skresp._model._codes import changed_codes
from skresp._model._row_batch import RowBatch
from skresp._model._score_function import ScoreFunction
from skresp._model.lines._crowded_cuts import crowded_cuts
from skresp._recourse.engines._base import NotSeparableError
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.reach._part import Part
from skresp.scores._changed_points import new_values


@dataclass(frozen=True)
class TreeCutter:
    """Finds the cuts of a tree ensemble on lines of one part.

    Attributes
    ----------
    score_function : ScoreFunction
    batch : RowBatch
    part : Part
    codes : array of shape (n_rows, n_part_features)
        Values of all rows of the batch on the part.
    """

    score_function: ScoreFunction
    batch: RowBatch
    part: Part
    codes: FloatArray

    def __call__(
        self,
        rows: IndexArray,
        start: FloatArray,
        stop: FloatArray,
        low: FloatArray,
        high: FloatArray,
    ) -> tuple[IndexArray, FloatArray, BoolArray]:
        """Return the cuts of lines from the changes `start` to the changes `stop`.

        Parameters
        ----------
        rows : array of shape (n_lines,)
        start, stop : arrays of shape (n_lines, n_part_features)
        low, high : arrays of shape (n_lines,)
            The positions of the ends.

        Returns
        -------
        line, position : arrays of shape (n_cuts,)
        crowded : array of shape (n_lines,)
            Whether some cuts are too close together to be distinguished.
        """
        ends = self._codes_after(rows, start), self._codes_after(rows, stop)
        rate = (ends[1] - ends[0]) / (high - low)[:, None]
        rate[np.isnan(rate)] = 0.0
        origin = ends[0] - rate * low[:, None]
        known, _ = self.batch.coded(self.score_function)
        crowded = np.zeros(len(low), dtype=bool)
        line, position = [], []
        for column in np.flatnonzero((rate != 0).any(axis=0)):
            cuts = known.cuts(int(column))
            if not len(cuts):
                continue
            self.batch.deadline.check()
            moving = np.flatnonzero(rate[:, column])
            t = (cuts - origin[moving, column][:, None]) / rate[moving, column][:, None]
            inside = (t > low[moving][:, None]) & (t < high[moving][:, None])
            who, where = np.nonzero(inside)
            line.append(moving[who])
            position.append(t[who, where])
            a, b = ends[0][:, column], ends[1][:, column]
            crowded |= crowded_cuts(cuts, a, b, low, high)
        if not line:
            return np.zeros(0, dtype=np.intp), np.zeros(0), crowded
        return np.concatenate(line), np.concatenate(position), crowded

    def _codes_after(self, rows: IndexArray, change: FloatArray) -> FloatArray:
        """Return the codes of rows after changes of the part.

        Raises NotSeparableError where the scores of one are not known.
        """
        known, codes = self.batch.coded(self.score_function)
        before, builder = self.codes[rows], self.batch.point_builder
        new = new_values(self.part, before, change, builder)
        after = changed_codes(known, codes[rows], new)
        if not known.known_rows(after).all():
            raise NotSeparableError
        return after
