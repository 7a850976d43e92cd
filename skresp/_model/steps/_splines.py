"""Splines that a step before a model makes of a column of numbers.

Between two neighbouring knots a spline is a polynomial of the input of its step. Where
its derivative has a root, or at a knot, it may turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.polynomial import chebyshev

from skresp._model._unreadable import UnreadableError
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._raw_thresholds import Ranges, Thresholds, input_falls, raw_thresholds
from ._step_maps import StepMaps
from ._transform import as_numbers

# Numbers between two knots that tell which splines a transformed column follows.
_BETWEEN = 7
# The relative error of a column that follows a spline, in float64 and otherwise.
_SAME, _SAME32 = 1e-12, 1e-5
# Roots with a larger imaginary part, as a share of half a piece, are not real.
_IMAGINARY = 0.1


class Spline(NamedTuple):
    """The splines that a SplineTransformer makes of one input.

    Attributes
    ----------
    step : SplineTransformer
    position : int
        The position of the input among those of the step.
    column : int
        The column of the model's input that it comes from.
    which : int
        The position of the input among those of all steps, see `step_inputs`.
    falls : bool
        Whether the input falls where the column rises.
    knots : array of shape (n_knots,)
        Different knots, ascending.
    jumps : array of shape (n_knots,), bool
        Whether splines may jump there, because the knot is repeated.
    at : array of shape (n_edges,)
        The numbers of the column at the knots.
    """

    step: Any
    position: int
    column: int
    which: int
    falls: bool
    knots: FloatArray
    jumps: BoolArray
    at: FloatArray = np.zeros(0)

    @classmethod
    def of(cls, step: Any, position: int, column: int, which: int) -> Spline:
        """Return the splines of an input, the numbers at its knots left out."""
        if step.extrapolation == "periodic":
            raise UnreadableError(
                "SplineTransformer with extrapolation='periodic' is not read; use "
                "'constant', 'linear', 'continue' or 'error'."
            )
        knots, degree = step.bsplines_[position].t, step.degree
        distinct, counts = np.unique(knots, return_counts=True)
        inner = (distinct >= knots[degree]) & (distinct <= knots[-degree - 1])
        jumps = counts[inner] > degree
        return cls(step, position, column, which, False, distinct[inner], jumps)

    def basis(self, inputs: FloatArray) -> FloatArray:
        """Return the splines at inputs, of shape (n, n_splines)."""
        step = self.step
        row = [spline.t[step.degree] for spline in step.bsplines_]
        table: Any = np.tile(row, (len(inputs), 1))
        table[:, self.position] = inputs
        names = getattr(step, "feature_names_in_", None)
        made = step.transform(
            table if names is None else pd.DataFrame(table, columns=names)
        )
        numbers = made.toarray() if hasattr(made, "toarray") else as_numbers(made)
        assert numbers is not None
        width = numbers.shape[1] // len(row)
        return np.asarray(
            numbers[:, self.position * width : (self.position + 1) * width]
        )

    def turns(self, weights: FloatArray) -> FloatArray:
        """Return inputs between knots where a weighted sum of the splines may turn.

        `weights` has the shape (n_splines, n_outputs).
        """
        degree = self.step.degree
        if degree < 2:
            return np.zeros(0)
        middle = (self.knots[1:] + self.knots[:-1]) / 2
        half = (self.knots[1:] - self.knots[:-1]) / 2
        nodes = chebyshev.chebpts1(degree + 1)
        inputs = middle[:, None] + half[:, None] * nodes
        values = self.basis(inputs.ravel()) @ weights
        values = values.reshape(len(middle), degree + 1, -1)
        goes_on = self.step.extrapolation == "continue"
        found = [np.zeros(0)]
        for i in range(len(middle)):
            low = -np.inf if goes_on and i == 0 else -1.0
            high = np.inf if goes_on and i == len(middle) - 1 else 1.0
            for one in values[i].T:
                slope = chebyshev.chebder(chebyshev.chebfit(nodes, one, degree))
                roots = chebyshev.chebroots(chebyshev.chebtrim(slope))
                near = np.abs(roots.imag) <= _IMAGINARY * (1 + np.abs(roots.real))
                real = roots.real[near]
                real = real[(real >= low) & (real <= high)]
                found.append(middle[i] + half[i] * real)
        out = np.concatenate(found)
        return np.unique(out[np.isfinite(out)])


class SplineColumn(NamedTuple):
    """A transformed column that is a straight function of one spline.

    Attributes
    ----------
    spline : int
        The position in the list of `Spline`.
    basis : int
        The position among the splines of the input.
    slope : float
    """

    spline: int
    basis: int
    slope: float


def read_splines(maps: StepMaps, ranges: Ranges) -> list[Spline]:
    """Return the splines of columns of numbers."""
    found = [
        Spline.of(each.step, each.position, each.origin, which)
        for which, each in maps.number_inputs().items()
        if type(each.step).__name__ == "SplineTransformer"
    ]
    if not found:
        return []
    found = [
        spline._replace(falls=input_falls(maps, spline.column, spline.which))
        for spline in found
    ]
    cuts = spline_cuts(maps, found, [s.knots for s in found], ranges)
    return [
        spline._replace(at=np.unique(at[np.isfinite(at)]))
        for spline, at in zip(found, cuts, strict=True)
    ]


def spline_cuts(
    maps: StepMaps,
    splines: Sequence[Spline],
    inputs: Sequence[FloatArray],
    ranges: Ranges,
) -> list[FloatArray]:
    """Return for each spline the last numbers before its inputs pass some values."""
    thresholds = [
        Thresholds(
            s.column, s.which, some, s.falls, *ranges[s.column], guess=_guess(s, some)
        )
        for s, some in zip(splines, inputs, strict=True)
    ]
    return raw_thresholds(maps, thresholds, inputs=True)


def _guess(spline: Spline, inputs: FloatArray) -> FloatArray:
    """Return numbers close to those with some inputs, on straight lines."""
    if len(spline.at) != len(spline.knots):
        return inputs
    at = spline.at[::-1] if spline.falls else spline.at
    return np.interp(inputs, spline.knots, at)


def between_knots(spline: Spline) -> FloatArray:
    """Return numbers of a column between all knots of a spline."""
    if len(spline.at) < 2:
        return spline.at
    share = np.arange(_BETWEEN) / _BETWEEN
    inside = spline.at[:-1, None] + np.diff(spline.at)[:, None] * share
    return np.r_[inside.ravel(), spline.at[-1]]


def match_splines(
    maps: StepMaps,
    splines: Sequence[Spline],
    samples: dict[int, FloatArray],
    values: dict[int, FloatArray],
) -> dict[int, SplineColumn]:
    """Return which transformed columns are straight functions of a spline.

    `values` are the transformed columns of `samples`, which are numbers of a column.
    """
    out: dict[int, SplineColumn] = {}
    for n, spline in enumerate(splines):
        c = spline.column
        rows = np.tile(maps.raw_rows.middle(), (len(samples[c]), 1))
        rows[:, c] = samples[c]
        inputs = maps.step_inputs(rows)[:, spline.which]
        basis = spline.basis(inputs)
        inside = (inputs >= spline.knots[0]) & (inputs <= spline.knots[-1])
        share = _SAME32 if maps.raw_rows.is_coarse(c) else _SAME
        for k in np.flatnonzero(maps.origins == c).tolist():
            z = values[c][:, k]
            if k not in out and (z != z[0]).any():
                found = _match(basis, z, np.flatnonzero(inside), share)
                if found is not None:
                    out[k] = SplineColumn(n, *found)
    return out


def _match(
    basis: FloatArray, z: FloatArray, inside: IndexArray, share: float
) -> tuple[int, float] | None:
    """Return the spline that a column follows, and its slope; None if there is none."""
    if not len(inside):
        return None
    some = basis[inside]
    each = np.arange(basis.shape[1])
    low, high = inside[some.argmin(axis=0)], inside[some.argmax(axis=0)]
    with np.errstate(all="ignore"):  # far numbers may be infinite
        slope = (z[high] - z[low]) / (basis[high, each] - basis[low, each])
        line = z[low] + slope * (basis - basis[low, each])
        size = np.abs(z[:, None]) + np.abs(z[low]) + np.abs(slope * basis)
        error = np.abs(line - z[:, None])
        near = (error <= share * size) | np.isinf(size)
    good = np.flatnonzero(near.all(axis=0) & (slope != 0) & np.isfinite(slope))
    return (int(good[0]), float(slope[good[0]])) if len(good) else None
