"""What the search of one person needs, and its memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import FloatArray

from ._channels import Channels, Slopes
from ._forest import Forest
from ._rules import Rules
from ._slabs import MAX_SLABS, Slabs
from ._witness import Point

# Room for nodes at first, and for the boxes of a path.
_FIRST_NODES = 1 << 15
_FIRST_BOXES = 64
# More arrays of `Work` with one entry for each level.
_OF_LEVELS = "node_end", "tree_end", "constants", "is_shaved"


class PersonArrays(NamedTuple):
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
    level_low, level_high : array of shape (n_levels, 2 * n_variables)
    level_words : array of shape (n_levels, n_views, n_words), uint64
        The box of each level, that to which its forest was cut down; that of level 0 is
        the first box.
    level_open : array of shape (n_levels, n_parts), bool
        The parts whose rules may shrink the box, see `propagate`.
    is_shaved : array of shape (n_levels, n_columns), bool
        Where the box became smaller after the forest had been cut down.
    uses : array of shape (n_columns, n_trees), bool
        Which trees of level 1, the first box, split on each column.
    stack_level, stack_column : array of shape (n_boxes,), int64
        The boxes that wait: each is the box of a level, smaller in one column, or equal
        where the column is -1.
    stack_low, stack_high : array of shape (n_boxes,)
    stack_words : array of shape (n_boxes, n_words), uint64
        What it is in that column: an interval of a variable, or positions of a view.
    low, high, words, open_parts : arrays
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
    level_low: FloatArray
    level_high: FloatArray
    level_words: NDArray[np.uint64]
    level_open: NDArray[np.bool_]
    is_shaved: NDArray[np.bool_]
    uses: NDArray[np.bool_]
    stack_level: NDArray[np.int64]
    stack_column: NDArray[np.int64]
    stack_low: FloatArray
    stack_high: FloatArray
    stack_words: NDArray[np.uint64]
    low: FloatArray
    high: FloatArray
    words: NDArray[np.uint64]
    open_parts: NDArray[np.bool_]
    counter: NDArray[np.int64]
    flags: NDArray[np.bool_]
    sums: FloatArray
    other: FloatArray
    nothing: FloatArray
    nodes: NDArray[np.int32]
    slabs: Slabs
    point: Point

    @classmethod
    def empty(cls, person: PersonArrays, arena: Arena, depth: int) -> Work:
        """Return room for a search whose trees are less deep than `depth`.

        It is the room of the last search of the arena if that has the same shape: new
        memory takes longer to get than most boxes take to search.
        """
        forest, boxes, levels = arena.forest, arena.boxes, arena.levels
        n, n_lists = len(person.rules.kind), len(person.rules.list_start) - 1
        n_views, n_words = len(person.rules.view_variable), person.tables.shape[1]
        n_parts = len(person.rules.part_start) - 1
        total, width = len(person.size), forest.top.shape[1]
        point = Point.empty(n, n_views, n_words, n_lists)
        point.reached[:] = person.rules.before
        shape = n, n_views, n_words, n_lists, n_parts, total, depth
        if arena.last is not None and arena.last[0] == shape:
            return arena.last[1]._replace(forest=forest, point=point)
        out = cls(
            forest,
            np.zeros(levels, dtype=np.int64),
            np.zeros(levels, dtype=np.int64),
            np.zeros((levels, total)),
            np.zeros((levels, 2 * n)),
            np.zeros((levels, 2 * n)),
            np.zeros((levels, n_views, n_words), dtype=np.uint64),
            np.zeros((levels, n_parts), dtype=bool),
            np.zeros((levels, n + n_views), dtype=bool),
            np.zeros((n + n_views, arena.trees), dtype=bool),
            np.zeros(boxes, dtype=np.int64),
            np.zeros(boxes, dtype=np.int64),
            np.zeros(boxes),
            np.zeros(boxes),
            np.zeros((boxes, n_words), dtype=np.uint64),
            np.zeros(2 * n),
            np.zeros(2 * n),
            np.zeros((n_views, n_words), dtype=np.uint64),
            np.zeros(n_parts, dtype=bool),
            np.zeros(2, dtype=np.int64),
            np.zeros(1, dtype=bool),
            np.zeros(total),
            np.zeros(total),
            np.zeros(total),
            np.zeros((2, depth + 4), dtype=np.int32),
            Slabs.empty(
                n, n_views, n_words, MAX_SLABS, total - width, width, depth + 2
            ),
            point,
        )
        arena.last = shape, out
        return out

    def start(
        self, low: FloatArray, high: FloatArray, words: NDArray[np.uint64]
    ) -> None:
        """Put one box on the stack, in place of what is there."""
        self.level_low[0], self.level_high[0] = low, high
        self.level_words[0], self.level_open[0] = words, True
        self.stack_level[0], self.stack_column[0] = 0, -1
        self.counter[:] = 1, 0


class Arena:
    """Memory that one search after the other uses.

    Attributes
    ----------
    forest : Forest
    trees : int
        The number of trees of the model.
    boxes, levels : int
        The room for boxes of a search, and for forests: as much as one has needed.
    last : tuple of (shape, Work) or None
        The memory of the last search.
    """

    def __init__(self, width: int, trees: int) -> None:
        self.forest = Forest.empty(_FIRST_NODES, 8 * max(trees, 1), width)
        self.trees = trees
        self.boxes = self.levels = _FIRST_BOXES
        self.last: tuple[tuple[int, ...], Work] | None = None

    def grow(self) -> None:
        """Double the memory and keep what is there."""
        old = self.forest
        new = Forest.empty(2 * len(old.column), 2 * len(old.roots), old.top.shape[1])
        for name in Forest._fields:
            kept = getattr(old, name)
            getattr(new, name)[: len(kept)] = kept
        self.forest = new


def grown(work: Work, arena: Arena) -> Work:
    """Return the same search with twice the memory of what is full."""
    nodes, trees = int(work.node_end.max()), int(work.tree_end.max())
    room = len(work.forest.column), len(work.forest.roots)
    # A box needs at most as much as the whole forest of the person.
    if nodes + work.node_end[0] > room[0] or trees + work.tree_end[0] > room[1]:
        arena.grow()
    at = int(work.counter[0])
    longer: dict[str, Any] = {}
    if at + 2 > len(work.stack_level):
        for name in Work._fields:
            if name.startswith("stack_"):
                longer[name] = _doubled(getattr(work, name))
        arena.boxes = max(arena.boxes, 2 * len(work.stack_level))
    if at and int(work.stack_level[at - 1]) + 2 > len(work.node_end):
        for name in Work._fields:
            if name.startswith("level_") or name in _OF_LEVELS:
                longer[name] = _doubled(getattr(work, name))
        arena.levels = max(arena.levels, 2 * len(work.node_end))
    work = work._replace(forest=arena.forest, **longer)
    if arena.last is not None:
        arena.last = arena.last[0], work
    return work


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array with twice the rows; the new ones are 0."""
    # Zeros take no memory before they are written to.
    out = np.zeros((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    out[: len(array)] = array
    return out
