"""Where along lines an ensemble may change its mind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.reach import Part
from skresp.scores import Door, Segment, new_values

from ._classes import NotSeparableError

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Cutter:
    """Finds the cuts of an ensemble on lines of one part."""

    along: Any
    door: Door
    part: Part
    codes: Numbers  # of all rows, on this part

    def __call__(
        self, rows: Places, start: Numbers, stop: Numbers, low: Numbers, high: Numbers
    ) -> tuple[Places, Numbers]:
        """Which line, and where, for lines from one change to another."""
        ends = []
        for change in (start, stop):
            new = new_values(self.part, self.codes[rows], change, self.door.wardrobe)
            cut = Segment(0, len(rows), new).within(0, len(rows))
            points = self.door.wardrobe.take(rows, [cut] if cut else [])
            ends.append(self.along.numbers(points))
        if ends[0] is None or ends[1] is None:
            raise NotSeparableError
        rate = (ends[1] - ends[0]) / (high - low)[:, None]
        rate[np.isnan(rate)] = 0.0
        origin = ends[0] - rate * low[:, None]
        ensemble = self.along.ensemble
        line, place = [], []
        for column in np.flatnonzero((rate != 0).any(axis=0)):
            cuts = ensemble.cuts_of.get(int(column))
            if cuts is None:
                continue
            self.door.deadline.check()
            moving = np.flatnonzero(rate[:, column])
            t = (cuts - origin[moving, column][:, None]) / rate[moving, column][:, None]
            inside = (t > low[moving][:, None]) & (t < high[moving][:, None])
            who, where = np.nonzero(inside)
            line.append(moving[who])
            place.append(t[who, where])
        if not line:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        return np.concatenate(line), np.concatenate(place)
