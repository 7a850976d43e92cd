"""The score function of a model as arrays for kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._model._decision import DOUBT, Decision
from skresp._model._links import PIECEWISE, SIGMOID
from skresp._recourse.engines._tree_depth import tree_depth
from skresp._typing import BoolArray, FloatArray

from ._channels import Channels
from ._curves import Curve, curves_of, joined_curves
from ._forest import Forest, Split, pack
from ._tree_nodes import TreeNodes

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


class _Builder:
    """Collects trees, tables and terms of all groups."""

    def __init__(self, score_function: Any) -> None:
        self.function = score_function
        self.columns = score_function.columns
        self.decision: Decision = score_function.decision
        self.factors = self.decision.gaps(np.eye(score_function.n_outputs))
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
        links: list[Any] = []
        coefficients, first = [], []
        if any(g.link.is_identity for g in self.function.groups):
            links += [_identity_link(self.function.groups)] * self.factors.shape[1]
            coefficients.append(np.eye(self.factors.shape[1]))
        signs = np.ones(len(links))
        for group, factor, weights in groups:
            first.append(0 if group.link.is_identity else len(links))
            if not group.link.is_identity:
                links += [group.link] * factor.shape[1]
                coefficients.append(weights)
                signs = np.append(signs, np.sign(factor.sum(axis=0)))
        self._allocate(len(links), max(f.shape[1] for _, f, _ in groups))
        for (group, factor, _), channel in zip(groups, first, strict=True):
            self._add_group(group, factor, channel)
        forest, split = self._joined()
        return ModelArrays(
            len(self.columns),
            forest,
            split,
            self.views,
            self._channels(
                links, signs, np.ascontiguousarray(np.concatenate(coefficients, axis=1))
            ),
            self.base,
            self.slope,
            self.center,
            self.missing,
            self.size,
            tree_depth(forest) + 3,
            joined_curves(self.curves),
        )

    def _allocate(self, n_channels: int, width: int) -> None:
        """Make room for what groups add to channels."""
        shape = len(self.columns), n_channels
        self.width = width
        self.base = np.zeros(n_channels + width)
        self.size = np.zeros(n_channels + width)
        self.slope = np.zeros(shape)
        self.center = np.zeros(shape)
        self.missing = np.zeros(shape)

    def _add_group(self, group: Any, factor: FloatArray, first: int) -> None:
        """Add a group to channels from `first` on."""
        here = slice(first, first + factor.shape[1])
        self.base[here] += group.base @ factor
        self.size[here] += np.abs(group.base @ factor)
        if group.trees is not None:
            self._add_trees(group.trees, factor, first)
        if group.terms is None:
            return
        if self.is_curved:
            self.curves += curves_of(group.terms, factor, first)
        else:
            self._add_slopes(group.terms, factor, here)
        for table in group.terms.tables:
            self._add_table(table, factor, first)

    def _add_slopes(self, terms: Any, factor: FloatArray, here: slice) -> None:
        """Add linear terms; several groups share a channel, each with its centers."""
        slopes = terms.slopes @ factor
        joined = self.slope[:, here] + slopes
        moved = self.slope[:, here] * self.center[:, here]
        moved += slopes * terms.centers[:, None]
        self.slope[:, here] = joined
        with np.errstate(divide="ignore", invalid="ignore"):
            self.center[:, here] = np.where(joined != 0, moved / joined, 0.0)
        self.base[here] -= np.where(joined == 0, moved, 0.0).sum(axis=0)
        self.missing[:, here] += terms.missing @ factor

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

    def _add_trees(self, trees: Any, factor: FloatArray, first: int) -> None:
        """Add the trees of a group."""
        column, threshold = self._columns_of_nodes(trees)
        # The nodes of a tree are contiguous.
        order = np.argsort(trees.roots)
        ends = np.append(trees.roots[order], len(column))
        tree = np.repeat(order.astype(np.int32), np.diff(ends))
        top = np.zeros((len(column), self.width))
        each = trees.output[tree]
        leaves = np.asarray(trees.leaves, dtype=float)
        for r in range(factor.shape[1]):
            if (trees.output < 0).all():
                top[:, r] = leaves @ factor[:, r]
            else:
                top[:, r] = leaves[:, 0] * factor[each, r]
        top[column >= 0] = 0.0
        largest = np.zeros((len(trees.roots), self.width))
        np.maximum.at(largest, tree, np.abs(top))
        self.size[first : first + self.width] += largest.sum(axis=0)
        channel = np.full(len(trees.roots), first, dtype=np.int32)
        self._add(
            Forest.of(
                column, threshold, trees.left, trees.right, top, trees.roots, channel
            ),
            trees.missing_left,
        )

    def _columns_of_nodes(self, trees: Any) -> tuple[NDArray[np.int32], FloatArray]:
        """Return columns and thresholds of nodes; listed columns become views."""
        column, threshold = trees.column, trees.threshold
        if trees.is_listed.any():
            column, threshold = column.copy(), threshold.copy()
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
            column[nodes] = len(self.columns) + view
            threshold[nodes] = at + which
        return column, threshold

    def _add(self, forest: Forest, missing_left: BoolArray) -> None:
        """Add trees, whose nodes get new numbers."""
        at = np.int32(self.n_nodes)
        if at:
            forest = forest._replace(left=forest.left + at, right=forest.right + at)
        self.pieces.append(forest._replace(roots=forest.roots + at))
        self.missing_left.append(np.asarray(missing_left, dtype=bool))
        self.n_nodes += len(forest.column)

    def _add_table(self, table: Any, factor: FloatArray, first: int) -> None:
        """Add the table of one column as a tree."""
        values = np.zeros((len(table.values), self.width))
        values[:, : factor.shape[1]] = table.values @ factor
        # What a missing value adds is not known where the model does not accept it.
        self.size[first : first + self.width] += np.nanmax(np.abs(values), axis=0)
        nodes = TreeNodes(self.width)
        if table.edges is not None:
            # Numbers to the left, a missing value to the right.
            nodes.inner(table.column, np.inf)
            nodes.steps(table.column, np.asarray(table.edges), values[:-1])
            nodes.right[0] = nodes.leaf(values[-1])
        else:
            view = self._view(table.column, None)
            order = np.argsort(values[:, 0], kind="stable")
            nodes.labels(len(self.columns) + view, order, values, self.tables)
        forest = nodes.forest(first)
        self._add(forest, np.zeros(len(forest.column), dtype=bool))

    def _joined(self) -> tuple[Forest, Split]:
        """Return all trees together."""
        if len(self.pieces) == 1:
            forest = self.pieces[0]
        else:
            nothing = Forest.empty(0, 0, self.width)
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


def _identity_link(groups: Any) -> Any:
    """Return the link of the channels without a link."""
    link = next(g.link for g in groups if g.link.is_identity)
    return link._replace(slope=1.0, intercept=0.0)


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
