"""What the search of one person needs, and its memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray

from ._channels import Channels, Slopes
from ._forest import Forest
from ._rules import Rules
from ._slabs import Slabs
from ._witness import Point


class Person(NamedTuple):
    """What the search needs to know of a person and the model.

    Attributes
    ----------
    rules : Rules
    channels : Channels
    slopes : Slopes
    tables : array of shape (n_tables, n_words), uint64
        See `Split`.
    size : array of shape (n_channels + width,)
        The sum of sizes of each channel, for rounding.
    """

    rules: Rules
    channels: Channels
    slopes: Slopes
    tables: NDArray[np.uint64]
    size: FloatArray


class Work(NamedTuple):
    """Memory of the search.

    Attributes
    ----------
    forest : Forest
        The person's forest (level 0), then those of the boxes on the current path.
    node_end, tree_end : array of shape (n_levels,), int64
        Where the nodes and trees of each level end.
    constants : array of shape (n_levels, n_channels + width)
        The constants of channels at each level.
    stack_low, stack_high : array of shape (n_boxes, 2 * n_variables)
    stack_words : array of shape (n_boxes, n_views, n_words), uint64
    stack_level : array of shape (n_boxes,), int64
        The level of the forest that a box is part of.
    low, high, words : arrays
        The current box.
    counter : array of shape (2,), int64
        The number of boxes on the stack, and of those that were searched.
    flags : array of shape (1,), bool
    sums, other, nothing : array of shape (n_channels + width,)
        Room for sums; `nothing` stays 0.
    nodes : array of shape (2, depth), int32
        Room for nodes.
    slabs : Slabs
    point : Point
    """

    forest: Forest
    node_end: NDArray[np.int64]
    tree_end: NDArray[np.int64]
    constants: FloatArray
    stack_low: FloatArray
    stack_high: FloatArray
    stack_words: NDArray[np.uint64]
    stack_level: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    words: NDArray[np.uint64]
    counter: NDArray[np.int64]
    flags: NDArray[np.bool_]
    sums: FloatArray
    other: FloatArray
    nothing: FloatArray
    nodes: NDArray[np.int32]
    slabs: Slabs
    point: Point
