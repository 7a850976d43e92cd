"""The score function of a model as arrays for kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._decision import DOUBT, Decision
from skresp._model._links import PIECEWISE, SIGMOID
from skresp._typing import BoolArray, FloatArray

from ._channels import Channels
from ._curves import Curve, curves_of, joined_curves
from ._forest import LEAF, Forest, Split

# Rounding of sums, relative to the sum of sizes, in float64 and in float32.
_ROUNDING, _ROUNDING32 = 1e-12, 1e-6


class View(NamedTuple):
    """Values of a column as positions; the last one is a missing value.

    Attributes
    ----------
    column : int
    edges : array or None
        The largest number of each piece but the last; None for labels.
    positions : int
    """

    column: int
    edges: FloatArray | None
    positions: int


class ModelArrays(NamedTuple):
    """A score function for kernels, with gaps in place of scores.

    Attributes
    ----------
    n_columns : int
        Columns of the model; views follow, as columns of the forest.
    forest : Forest
    split : Split
    views : list of View
    channels : Channels
    base : array of shape (n_channels + width,)
    slope, center, missing : array of shape (n_columns, n_channels)
        Linear terms; `missing` is what a missing value adds.
    size : array of shape (n_channels + width,)
        The sum of sizes of each channel, without linear terms.
    depth : int
        More than the depth of each tree.
    curves : list of Curve
        Terms that only steps can compute. With some, linear terms are curves, too.
    """

    n_columns: int
    forest: Forest
    split: Split
    views: list[View]
    channels: Channels
    base: FloatArray
    slope: FloatArray
    center: FloatArray
    missing: FloatArray
    size: FloatArray
    depth: int
    curves: list[Curve]

    @classmethod
    def of(cls, score_function: Any) -> ModelArrays | None:
        """Return the arrays of a score function; None where it has no decision."""
        known = score_function.decision is not None
        return _Builder(score_function).build() if known else None


def gap_factors(decision: Decision, n_outputs: int) -> FloatArray:
    """Return what each output adds to each gap, of shape (n_outputs, n_gaps)."""
    one = np.eye(n_outputs)
    if decision.cut is not None:
        return decision.sign * one[:, [decision.column]]
    return one[:, [decision.column]] - np.delete(one, decision.column, axis=1)


class _Builder:
    """Collects trees, tables and terms of all groups."""

    def __init__(self, score_function: Any) -> None:
        self.function = score_function
        self.columns = score_function.columns
        self.decision: Decision = score_function.decision
        self.factors = gap_factors(self.decision, score_function.n_outputs)
        self.views: list[View] = []
        self.tables: list[BoolArray] = []
        self.pieces: list[Forest] = []
        self.missing_left: list[BoolArray] = []
        self.n_nodes = 0
        self.curves: list[Curve] = []
        self.is_curved = any(
            g.terms is not None and bool(g.terms.maps) for g in self.function.groups
        )

    def build(self) -> ModelArrays:
        """Return the arrays."""
        groups = [(g, *self._channels_of(g)) for g in self.function.groups]
        identity = [f for g, f, _ in groups if g.link.is_identity]
        n_gaps = self.factors.shape[1]
        width = max(f.shape[1] for _, f, _ in groups)
        start = n_gaps if identity else 0
        n_channels = start + sum(
            f.shape[1] for g, f, _ in groups if not g.link.is_identity
        )
        links, signs = [], np.ones(n_channels)
        coefficient = np.zeros((n_gaps, n_channels))
        if identity:
            coefficient[:, :n_gaps] = np.eye(n_gaps)
            links += [identity_link(groups)] * n_gaps
        base = np.zeros(n_channels + width)
        size = np.zeros(n_channels + width)
        n = len(self.columns)
        slope, center, missing = (np.zeros((n, n_channels)) for _ in range(3))
        at = start
        for group, factor, weights in groups:
            first = 0
            if not group.link.is_identity:
                first, at = at, at + factor.shape[1]
                links += [group.link] * factor.shape[1]
                signs[first:at] = np.sign(factor.sum(axis=0))
                coefficient[:, first:at] = weights
            here = slice(first, first + factor.shape[1])
            base[here] += group.base @ factor
            size[here] += np.abs(group.base @ factor)
            if group.trees is not None:
                self._add_trees(group.trees, factor, width, first, size)
            if group.terms is not None:
                terms = group.terms
                if self.is_curved:
                    self.curves += curves_of(terms, factor, first)
                else:
                    slopes = terms.slopes @ factor
                    # Several groups share a channel, each with its own centers.
                    joined = slope[:, here] + slopes
                    moved = slope[:, here] * center[:, here]
                    moved += slopes * terms.centers[:, None]
                    slope[:, here] = joined
                    with np.errstate(divide="ignore", invalid="ignore"):
                        center[:, here] = np.where(joined != 0, moved / joined, 0.0)
                    base[here] -= np.where(joined == 0, moved, 0.0).sum(axis=0)
                    missing[:, here] += terms.missing @ factor
                for table in terms.tables:
                    self._add_table(table, factor, width, first, size)
        forest, split = self._joined(width)
        return ModelArrays(
            n,
            forest,
            split,
            self.views,
            self._channels(links, signs, coefficient),
            base,
            slope,
            center,
            missing,
            size,
            _depth(forest) + 2,
            joined_curves(self.curves),
        )

    def _channels_of(self, group: Any) -> tuple[FloatArray, FloatArray]:
        """Return what outputs add to the channels of a group, and these to gaps.

        Without a link the channels are the gaps themselves. With a link they are the
        outputs that matter, with signs such that gaps rise with them.
        """
        if group.link.is_identity:
            return group.weight * self.factors, np.eye(self.factors.shape[1])
        used = np.flatnonzero(self.factors.any(axis=1))
        falls = _falls(group.link)
        factor = np.zeros((len(self.factors), len(used)))
        for i, k in enumerate(used):
            rise = np.sign(self.factors[k][self.factors[k] != 0][0]) * group.weight
            factor[k, i] = 1.0 if (rise > 0) != falls else -1.0
        return factor, group.weight * self.factors[used].T

    def _channels(
        self, links: list[Any], signs: FloatArray, coefficient: FloatArray
    ) -> Channels:
        """Return the channels."""
        x = [link.x if link.kind == PIECEWISE else np.zeros(0) for link in links]
        y = [link.y if link.kind == PIECEWISE else np.zeros(0) for link in links]
        single = self.decision.doubt > DOUBT
        rounding = _ROUNDING32 if single else _ROUNDING
        return Channels(
            np.array([link.kind for link in links], dtype=np.int8),
            np.array([link.slope for link in links], dtype=float),
            np.array([link.intercept for link in links], dtype=float),
            signs,
            np.array([link.of_probability for link in links], dtype=bool),
            np.concatenate([np.zeros(0), *x]).astype(float),
            np.concatenate([np.zeros(0), *y]).astype(float),
            np.cumsum([0, *map(len, x)]).astype(np.int64),
            coefficient,
            np.full(coefficient.shape[0], -self.decision.offset),
            np.full(len(links), rounding),
            float(self.decision.tolerance),
        )

    # -- trees -------------------------------------------------------------------------

    def _view(self, column: int, edges: FloatArray | None) -> int:
        """Return the position of a view, added where it is new."""
        for i, view in enumerate(self.views):
            if view.column == column and _same(view.edges, edges):
                return i
        labels = self.columns[column].labels
        many = len(labels) if edges is None else len(edges) + 1
        self.views.append(View(column, edges, many + 1))
        return len(self.views) - 1

    def _add_trees(
        self, trees: Any, factor: FloatArray, width: int, first: int, size: FloatArray
    ) -> None:
        """Add the trees of a group."""
        column, threshold = trees.column, trees.threshold
        if trees.is_listed.any():
            column, threshold = column.copy(), threshold.copy()
        n = len(self.columns)
        for c in np.flatnonzero(trees.is_listed):
            nodes = np.flatnonzero(trees.column == c)
            if not len(nodes):
                continue
            view = self._view(int(c), trees.edges.get(int(c)))
            many = self.views[view].positions
            used, which = np.unique(threshold[nodes], return_inverse=True)
            at = len(self.tables)
            for row in used.astype(np.intp):
                goes = trees.goes_left[row]
                self.tables.append(np.append(goes[: many - 1], goes[-1]))
            column[nodes] = n + view
            threshold[nodes] = at + which
        # The nodes of a tree are contiguous.
        order = np.argsort(trees.roots)
        ends = np.append(trees.roots[order], len(column))
        tree = np.repeat(order.astype(np.int32), np.diff(ends))
        top = np.zeros((len(column), width))
        each = trees.output[tree]
        leaves = np.asarray(trees.leaves, dtype=float)
        for r in range(factor.shape[1]):
            if (trees.output < 0).all():
                top[:, r] = leaves @ factor[:, r]
            else:
                top[:, r] = leaves[:, 0] * factor[each, r]
        top[column >= 0] = 0.0
        largest = np.zeros((len(trees.roots), width))
        np.maximum.at(largest, tree, np.abs(top))
        size[first : first + width] += largest.sum(axis=0)
        self._add(
            column,
            threshold,
            trees.left,
            trees.right,
            top,
            trees.roots,
            trees.missing_left,
            first,
        )

    def _add(
        self,
        column: NDArray[np.int32],
        threshold: FloatArray,
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        top: FloatArray,
        roots: NDArray[np.int32],
        missing_left: BoolArray,
        channel: int,
    ) -> None:
        """Add nodes with their own numbers."""
        at = self.n_nodes
        self.pieces.append(
            Forest(
                column,
                threshold,
                left + np.int32(at) if at else left,
                right + np.int32(at) if at else right,
                top,
                roots + np.int32(at),
                np.full(len(roots), channel, dtype=np.int32),
            )
        )
        self.missing_left.append(np.asarray(missing_left, dtype=bool))
        self.n_nodes += len(column)

    def _add_table(
        self, table: Any, factor: FloatArray, width: int, first: int, size: FloatArray
    ) -> None:
        """Add the table of one column as a tree."""
        values = np.zeros((len(table.values), width))
        values[:, : factor.shape[1]] = table.values @ factor
        # What a missing value adds is not known where the model does not accept it.
        size[first : first + width] += np.nanmax(np.abs(values), axis=0)
        nodes = _TreeNodes(width)
        if table.edges is not None:
            # Numbers to the left, a missing value to the right.
            nodes.inner(table.column, np.inf)
            nodes.steps(table.column, np.asarray(table.edges), values[:-1])
            nodes.right[0] = nodes.leaf(values[-1])
        else:
            view = self._view(table.column, None)
            order = np.argsort(values[:, 0], kind="stable")
            nodes.labels(len(self.columns) + view, order, values, self.tables)
        roots = np.zeros(1, dtype=np.int32)
        column, threshold, left, right, top = nodes.arrays()
        nowhere = np.zeros(len(column), dtype=bool)
        self._add(column, threshold, left, right, top, roots, nowhere, first)

    def _joined(self, width: int) -> tuple[Forest, Split]:
        """Return all trees together."""
        if len(self.pieces) == 1:
            forest = self.pieces[0]
        else:
            nothing = Forest.empty(0, 0, width)
            forest = Forest(
                *(
                    np.concatenate(part)
                    for part in zip(nothing, *self.pieces, strict=True)
                )
            )
        many = max((len(table) for table in self.tables), default=0)
        many = max([many, 1, *(view.positions for view in self.views)])
        words = pack(self.tables, many)
        missing = np.concatenate([np.zeros(0, dtype=bool), *self.missing_left])
        return forest, Split(words, missing)


class _TreeNodes:
    """The nodes of one tree, in the making."""

    def __init__(self, width: int) -> None:
        self.column: list[int] = []
        self.threshold: list[float] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.top: list[FloatArray] = []
        self.width = width

    def inner(self, column: int, threshold: float) -> int:
        """Add a node; its left child is the next one."""
        self.column.append(column)
        self.threshold.append(threshold)
        self.left.append(len(self.column))
        self.right.append(-1)
        self.top.append(np.zeros(self.width))
        return len(self.column) - 1

    def leaf(self, value: FloatArray) -> int:
        """Add a leaf."""
        at = self.inner(LEAF, 0.0)
        self.left[at], self.top[at] = -1, value
        return at

    def steps(self, column: int, edges: FloatArray, values: FloatArray) -> int:
        """Add a balanced tree over the steps of a number."""
        if not len(edges):
            return self.leaf(values[0])
        middle = len(edges) // 2
        at = self.inner(column, float(edges[middle]))
        self.steps(column, edges[:middle], values[: middle + 1])
        self.right[at] = self.steps(column, edges[middle + 1 :], values[middle + 1 :])
        return at

    def labels(
        self, column: int, order: Any, values: FloatArray, tables: list[BoolArray]
    ) -> int:
        """Add a balanced tree over positions in the order of their values."""
        if len(order) == 1:
            return self.leaf(values[order[0]])
        middle = len(order) // 2
        goes_left = np.zeros(len(values), dtype=bool)
        goes_left[order[:middle]] = True
        at = self.inner(column, float(len(tables)))
        tables.append(goes_left)
        self.labels(column, order[:middle], values, tables)
        self.right[at] = self.labels(column, order[middle:], values, tables)
        return at

    def arrays(self) -> tuple[Any, ...]:
        """Return the first arrays of a `Forest`."""
        return (
            np.array(self.column, dtype=np.int32),
            np.array(self.threshold, dtype=float),
            np.array(self.left, dtype=np.int32),
            np.array(self.right, dtype=np.int32),
            np.array(self.top),
        )


def identity_link(groups: Any) -> Any:
    """Return the link of the channels without a link."""
    link = next(g.link for g, _, _ in groups if g.link.is_identity)
    return link._replace(slope=1.0, intercept=0.0)


def pack(masks: Any, positions: int) -> NDArray[np.uint64]:
    """Return masks of positions as words of 64 bits."""
    words = -(-positions // 64)
    out = np.zeros((len(masks), 64 * words), dtype=bool)
    for i, mask in enumerate(masks):
        out[i, : len(mask)] = mask
    packed = np.packbits(out.reshape(-1, 8), axis=1, bitorder="little")
    return packed.reshape(len(masks), words, 8).view("<u8")[..., 0].astype(np.uint64)


def _falls(link: Any) -> bool:
    """Return whether a link falls."""
    if link.kind == SIGMOID:
        return bool(link.slope < 0)
    if link.kind == PIECEWISE:
        return bool(link.y[-1] < link.y[0])
    return False


def _same(a: FloatArray | None, b: FloatArray | None) -> bool:
    """Return whether two views have the same edges."""
    if a is None or b is None:
        return a is b
    return len(a) == len(b) and bool((a == b).all())


def _depth(forest: Forest) -> int:
    """Return the depth of the deepest tree."""
    nodes, depth = forest.roots, 0
    while len(nodes):
        nodes = nodes[forest.column[nodes] >= 0]
        nodes = np.concatenate([forest.left[nodes], forest.right[nodes]])
        depth += 1
    return depth
