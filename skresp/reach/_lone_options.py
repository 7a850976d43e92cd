"""Options of a number that stands alone: a few changes along its line.

Between two neighbouring points where the prediction may change, one change represents
all.
"""

from __future__ import annotations

import numpy as np

from skresp._actions._feature import Feature
from skresp._typing import BoolArray, FloatArray, IndexArray

from ._own_changes import own_ranges
from ._part import Part
from ._value_options import LINE_END, LINE_POINTS, OptionSettings, ValueOptions


def lone_options(
    part: Part, values: FloatArray, rows: IndexArray, settings: OptionSettings
) -> list[ValueOptions]:
    """Return the options of values of a feature that stands alone; all have a line.

    The changes do not represent all where nothing is known along lines, or where two
    cuts of the model are closer than rounding.
    """
    feature = part.features[0]
    step = float(feature.step or 1) if feature.kind == "integer" else 1.0
    low, high = own_ranges(feature, values[:, 0])
    line, cut, covers_all = _cuts(low, high, step, rows, settings)
    if feature.kind == "integer":
        covers_all[:] = settings.knows_lines  # the units around all cuts are included
        line, amount = _units(line, cut, low, high)
    else:
        size = np.maximum(np.maximum(np.abs(low), np.abs(high)), abs(values[:, 0]))
        line, amount = _points(line, cut, low, high, size, settings.ends)
    lines = np.arange(len(values))
    line, amount = np.concatenate([lines, line]), np.concatenate([0.0 * low, amount])
    # Staying put first, then in ascending order.
    order = np.lexsort((amount, amount != 0, line))
    line, amount = line[order], amount[order]
    new = np.r_[True, (line[1:] != line[:-1]) | (amount[1:] != amount[:-1])]
    line, amount = line[new], amount[new] * step
    out = []
    for i, own in enumerate(np.split(amount, np.searchsorted(line, lines)[1:])):
        points = 1 if settings.knows_lines else len(own) - 1
        inward = _inward(own, feature, float(values[i, 0]))
        out.append(
            ValueOptions(own[:, None], own != 0, bool(covers_all[i]), points, inward)
        )
    return out


def _cuts(
    low: FloatArray,
    high: FloatArray,
    step: float,
    rows: IndexArray,
    settings: OptionSettings,
) -> tuple[IndexArray, FloatArray, BoolArray]:
    """Return the lines and positions of cuts, and which lines these represent.

    Where nothing is known along lines, a few points take the place of cuts.
    """
    lines = np.arange(len(low))
    covers_all = np.full(len(low), settings.knows_lines)
    if settings.cutter is not None:
        line, cut, crowded = settings.cutter(
            rows, low[:, None] * step, high[:, None] * step, low, high
        )
        inside = (cut > low[line]) & (cut < high[line])
        return line[inside], cut[inside], covers_all & ~crowded
    if settings.knows_lines:
        return lines[:0], low[:0], covers_all
    share = np.linspace(0, 1, LINE_POINTS)[1:-1]
    cut = (low[:, None] + share * (high - low)[:, None]).ravel()
    return np.repeat(lines, len(share)), cut, covers_all


def _units(
    line: IndexArray, cut: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[IndexArray, FloatArray]:
    """Return the ends of lines and the whole units around cuts."""
    lines, floor = np.arange(len(low)), np.floor(cut)
    line = np.concatenate([lines, lines, *[line] * 4])
    amount = np.concatenate([low, high, floor - 1, floor, floor + 1, floor + 2])
    inside = (amount >= low[line]) & (amount <= high[line])
    return line[inside], amount[inside]


def _points(
    line: IndexArray,
    cut: FloatArray,
    low: FloatArray,
    high: FloatArray,
    size: FloatArray,
    ends: bool,
) -> tuple[IndexArray, FloatArray]:
    """Return the ends of lines, cuts, and one point between each two of them.

    With `ends` also the points just before and just after the cuts.
    """
    lines = np.arange(len(low))
    out = [
        _between(np.concatenate([lines, lines, line]), np.concatenate([low, high, cut]))
    ]
    if ends:
        # A cut may be so close to an end of the line that rounding hides it.
        line = np.concatenate([line, lines, lines])
        cut = np.concatenate([cut, low, high])
        out.append(_beside(line, cut, LINE_END * size, low, high))
    line, amount = (np.concatenate(arrays) for arrays in zip(*out, strict=True))
    return line, amount


def _beside(
    line: IndexArray,
    cut: FloatArray,
    near: FloatArray,
    low: FloatArray,
    high: FloatArray,
) -> tuple[IndexArray, FloatArray]:
    """Return points just before and just after the cuts of lines."""
    line = np.tile(line, 2)
    amount = np.concatenate([cut, cut])
    amount += np.repeat([-1.0, 1.0], len(cut)) * near[line]
    inside = (amount > low[line]) & (amount < high[line])
    return line[inside], amount[inside]


def _between(line: IndexArray, amount: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Return these points of lines, and one between each two neighbours."""
    order = np.lexsort((amount, line))
    line, amount = line[order], amount[order]
    pair = (line[1:] == line[:-1]) & (amount[1:] > amount[:-1])
    middle = (amount[1:] + amount[:-1])[pair] / 2
    return np.concatenate([line, line[1:][pair]]), np.concatenate([amount, middle])


def _inward(amount: FloatArray, feature: Feature, value: float) -> IndexArray:
    """Return `inward` of `ValueOptions`.

    Staying put comes first, then the changes in ascending order.
    """
    low, high = feature.own_limits(value)
    position = np.arange(len(amount))
    # The smallest change on either side is next to staying put, unless the current
    # value is outside the bounds.
    inward = np.where(amount > 0, position - 1, position + 1)
    below, above = np.flatnonzero(amount < 0), np.flatnonzero(amount > 0)
    beside = 0 if low <= 0 <= high else -1
    if len(below):
        inward[below[-1]] = beside
    if len(above):
        inward[above[0]] = beside
    inward[0] = -1
    return inward
