"""What is known of the values of all parts, to look it up for all parts at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray, IndexArray

from ._option_table import OptionTable
from ._options import Options


class ValueIndex(NamedTuple):
    """Arrays of `Options` over the values of all parts, one part after the other.

    Attributes
    ----------
    begins : array of shape (n_parts, 1)
        Where the values of each part begin.
    stay : array of shape (n_values,)
        The option of staying put, as a position in the options of the part.
    is_stuck : array of bool of shape (n_values,)
        Whether staying put is known to be the only feasible change.
    covers_all, listed, points, spent : arrays of shape (n_values,)
        See `Options`.
    """

    begins: IndexArray
    stay: IndexArray
    is_stuck: BoolArray
    covers_all: BoolArray
    listed: BoolArray
    points: NDArray[np.int64]
    spent: NDArray[np.int64]

    @classmethod
    def of(cls, options: Sequence[Options]) -> ValueIndex:
        """Return the index of the values of parts."""
        sizes = np.array([len(each.values) for each in options], dtype=np.intp)
        covers_all = _joined([each.covers_all for each in options], bool)
        counts = _joined([each.counts for each in options], np.intp)
        return cls(
            (np.cumsum(sizes) - sizes)[:, None],
            _joined([each.offsets[:-1] for each in options], np.intp),
            covers_all & (counts == 1),
            covers_all,
            _joined([each.listed for each in options], bool),
            _joined([each.points for each in options], np.int64),
            _joined([each.spent for each in options], np.int64),
        )

    def of_people(self, options: Sequence[Options], people: int) -> IndexArray:
        """Return the position of the value of each person on each part.

        The shape is (n_parts, n_people).
        """
        which = np.array([each.which for each in options], dtype=np.intp)
        return which.reshape(len(options), people) + self.begins


@lru_cache(maxsize=16)
def index_of_tables(tables: tuple[OptionTable, ...]) -> ValueIndex:
    """Return the index of the values of tables, made once for the same tables."""
    return ValueIndex.of([table.options for table in tables])


def _joined(arrays: list[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=dtype), *arrays])
