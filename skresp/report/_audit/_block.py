"""Rows of an audit, column by column: a whole table, or some rows of a part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._recourse._status import STATUSES
from skresp._typing import BoolArray, FloatArray

# What becomes of a row; "problem": it could not be scored.
OUTCOMES = (*STATUSES, "problem")
DENIED = ("single", "joint", "possible", "fixed", "unknown")


class ScoreArrays(NamedTuple):
    """Scores of people who are denied, for the features that people can act on.

    Arrays of shape (n_denied, n_features), as in `Explanation`. All but `values` are
    None where files were scored without them.
    """

    values: FloatArray
    lower: Any = None
    upper: Any = None
    exact: Any = None
    n_reachable: Any = None


class Block(NamedTuple):
    """Rows of an audit.

    Attributes
    ----------
    status, proof : array of str of length n_rows
        The verdicts; the status of a row that could not be scored is "problem".
    groups : array of length n_rows, or None
        The labels of the groups.
    scores : ScoreArrays
        Of the rows that are denied.
    keys : array of uint64 of length n_denied
        Which of the denied come first as examples, whatever the order of the rows.
    place : callable
        Takes the position of a row in the block, and returns where to find it again.
    """

    status: NDArray[Any]
    proof: NDArray[Any]
    groups: NDArray[Any] | None
    scores: ScoreArrays
    keys: NDArray[np.uint64]
    place: Callable[[int], Any]


def is_denied(status: NDArray[Any]) -> BoolArray:
    """Return where a row was scored and is not at the target."""
    return np.isin(status.astype(str), DENIED)
