"""Listed changes as codes of the model's columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp._typing import BoolArray, FloatArray

from ._change_lists import ChangeCodes, ChangeLists
from ._codes import changed_column
from ._point_builder import PointBuilder
from ._row_batch import ListedChanges
from ._score_function import ScoreFunction


def change_codes(
    score_function: ScoreFunction,
    builder: PointBuilder,
    listed: ListedChanges,
    codes: FloatArray,
) -> ChangeCodes:
    """Return the changes of rows as codes, in the lists that some row has.

    Parameters
    ----------
    codes : array of shape (n_rows, n_columns)
        The codes of the rows.
    """
    lists, kept, after = _used_lists(listed)
    columns = lists.columns[lists.part_of_list]
    before = codes[lists.first_rows[:, None], columns]
    for block, positions in builder.blocks:
        if block.dtype != np.float64:
            # The model sees numbers as its input can hold them.
            some = np.isin(columns, positions)[lists.owner]
            after[some] = after[some].astype(block.dtype)
    # Labels have other codes in the model than in the action set.
    slow = [*builder.others, *score_function.labelled]
    for p, j in np.argwhere(np.isin(lists.columns, slow)).tolist() if slow else ():
        c = int(lists.columns[p, j])
        here = slice(lists.first_changes[p], lists.first_changes[p + 1])
        after[here, j] = before[lists.owner[here], j]
        new = listed.values(p).get(c)
        if new is not None:
            mine = slice(listed.first_changes[p], listed.first_changes[p + 1])
            new = _taken(new, kept[mine])
            column = score_function.columns[c]
            after[here, j] = changed_column(column, after[here, j], new)
    return ChangeCodes(lists, columns, before, after)


def _used_lists(listed: ListedChanges) -> tuple[ChangeLists, BoolArray, FloatArray]:
    """Return the lists that some row has, which changes are in them, and `after`."""
    used = np.zeros(len(listed.counts) + 1, dtype=bool)
    used[listed.which] = True  # the last one is for no list
    used = used[:-1]
    if used.all():
        return listed, np.ones(len(listed.after), dtype=bool), listed.after.copy()
    kept = used[listed.owner]
    lists = ChangeLists(
        np.where(listed.which >= 0, (np.cumsum(used) - 1)[listed.which], -1),
        listed.counts[used],
        np.bincount(listed.part_of_list[used], minlength=len(listed.n_lists)),
        listed.columns,
    )
    return lists, kept, listed.after[kept]


def _taken(new: Any, some: BoolArray) -> Any:
    """Return new values, or labels and their mask, of some changes."""
    return (new[0][some], new[1][some]) if isinstance(new, tuple) else new[some]
