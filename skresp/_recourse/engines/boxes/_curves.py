"""Terms that the steps before a model make of numbers, as curves of one column.

A curve is a sum of branches, each of which rises or falls all the way. Only the steps
can compute it, so it is known at the numbers that they are asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skresp._typing import FloatArray, IndexArray


class Branches(NamedTuple):
    """Branches of a curve that come from the same steps.

    Attributes
    ----------
    maps : StepMaps or None
        None for the number itself.
    transformed : array of shape (n_branches,)
        The columns after the steps.
    weights : array of shape (n_branches, n_channels)
    center : float
        What is subtracted from the number itself.
    missing : array of shape (n_channels,)
        What a missing value adds.
    """

    maps: Any
    transformed: IndexArray
    weights: FloatArray
    center: float
    missing: FloatArray


class Curve(NamedTuple):
    """What one column adds to neighbouring channels.

    Attributes
    ----------
    column : int
    channel : int
        The first channel.
    parts : tuple of Branches
    """

    column: int
    channel: int
    parts: tuple[Branches, ...]

    @property
    def missing(self) -> FloatArray:
        """What a missing value adds, of shape (n_channels,)."""
        return np.sum([part.missing for part in self.parts], axis=0)


def curves_of(terms: Any, factor: FloatArray, channel: int) -> list[Curve]:
    """Return the slopes and mapped terms of a group as curves.

    `factor` has what outputs add to the channels of the group, which begin at
    `channel`.
    """
    out = []
    for c in terms.straight.tolist():
        branches = Branches(
            None,
            np.zeros(1, dtype=np.intp),
            terms.slopes[[c]] @ factor,
            float(terms.centers[c]),
            terms.missing[c] @ factor,
        )
        out.append(Curve(c, channel, (branches,)))
    for term in terms.maps:
        branches = Branches(
            term.maps,
            term.transformed,
            term.weights @ factor,
            0.0,
            term.missing @ factor,
        )
        out.append(Curve(term.column, channel, (branches,)))
    return out


def joined_curves(curves: Iterable[Curve]) -> list[Curve]:
    """Return one curve for each column and channel."""
    parts: dict[tuple[int, int], list[Branches]] = {}
    for curve in curves:
        parts.setdefault((curve.column, curve.channel), []).extend(curve.parts)
    return [Curve(c, at, tuple(some)) for (c, at), some in parts.items()]


def values_of(
    curves: Sequence[Curve], numbers: Mapping[int, FloatArray]
) -> list[FloatArray]:
    """Return what each branch of each curve adds at numbers of its column.

    They have the shape (n_numbers, n_branches, n_channels), and are NaN where the steps
    do not accept a number. All columns are computed in one call of the steps.
    """
    transformed: dict[int, dict[int, tuple[FloatArray, Any]]] = {}
    for maps, columns in _columns_of_maps(curves).values():
        asked = {c: numbers[c] for c in sorted(columns)}
        transformed[id(maps)] = maps.transform_columns(asked)
    out = []
    for curve in curves:
        x, some = numbers[curve.column], []
        for part in curve.parts:
            if part.maps is None:
                z = (x - part.center)[:, None]
            else:
                made, ok = transformed[id(part.maps)][curve.column]
                z = np.where(ok[:, None], made[:, part.transformed], np.nan)
            # A branch without weight may be infinite.
            used = part.weights.any(axis=1)
            some.append(z[:, used, None] * part.weights[used])
        out.append(np.concatenate(some, axis=1))
    return out


def _columns_of_maps(curves: Sequence[Curve]) -> dict[int, tuple[Any, set[int]]]:
    """Return the different steps, each with the columns that curves need."""
    out: dict[int, tuple[Any, set[int]]] = {}
    for curve in curves:
        for part in curve.parts:
            if part.maps is not None:
                out.setdefault(id(part.maps), (part.maps, set()))[1].add(curve.column)
    return out
