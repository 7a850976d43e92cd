"""Small random score functions over numbers and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skresp._model._columns import Column
from skresp._model._decision import Decision
from skresp._model._group import Group
from skresp._model._links import PIECEWISE, SIGMOID, STEP, Link
from skresp._model._score_function import ScoreFunction
from skresp._model._terms import TableTerm, Terms
from skresp._model.trees._raw_trees import RawTrees


@dataclass(frozen=True)
class Kind:
    """A column: labels, or numbers between limits, perhaps seen as pieces by trees."""

    low: float = 0.0
    high: float = 1.0
    labels: int = 0
    edges: Any = None

    @property
    def positions(self) -> int:
        """The number of positions, with one for a missing value."""
        return 1 + (self.labels or len(self.edges) + 1)

    def draw(self, rng: np.random.Generator, n: int) -> Any:
        """Draw values; numbers are whole, so that they also suit integers."""
        if self.labels:
            return rng.integers(self.labels, size=n).astype(float)
        return np.round(rng.uniform(self.low, self.high, n))


def random_kinds(rng: np.random.Generator) -> list[Kind]:
    """Return columns of all kinds, in random order."""
    edges = np.unique(np.round(rng.uniform(0, 8, 4), 1))
    kinds = [
        Kind(0.0, 10.0),
        Kind(-5.0, 5.0),
        Kind(labels=int(rng.integers(2, 5))),
        Kind(0.0, 8.0, edges=edges),
    ]
    return [kinds[i] for i in rng.permutation(len(kinds))]


def random_trees(
    rng: np.random.Generator, kinds: list[Kind], n_trees: int, n_outputs: int
) -> RawTrees:
    """Return trees of depth 3; each adds to all outputs, or to one of them."""
    listed = [bool(k.labels) or k.edges is not None for k in kinds]
    width = max(k.positions for k, is_ in zip(kinds, listed, strict=True) if is_)
    one_output = bool(rng.integers(2))
    nodes: list[list[Any]] = []
    tables: list[Any] = []

    def grow(depth: int) -> int:
        at = len(nodes)
        leaf = np.round(rng.normal(size=1 if one_output else n_outputs), 1)
        nodes.append([-1, 0.0, -1, -1, bool(rng.integers(2)), leaf])
        if depth and rng.random() < 0.85:
            c = int(rng.integers(len(kinds)))
            if listed[c]:
                tables.append(rng.random(width) < 0.5)
                threshold = len(tables) - 1.0
            else:
                threshold = float(np.round(rng.uniform(kinds[c].low, kinds[c].high), 1))
            nodes[at][:2] = c, threshold
            nodes[at][2] = grow(depth - 1)
            nodes[at][3] = grow(depth - 1)
        return at

    roots = [grow(3) for _ in range(n_trees)]
    output = (
        rng.integers(n_outputs, size=n_trees) if one_output else np.full(n_trees, -1)
    )
    column, threshold, left, right, missing_left, leaves = zip(*nodes, strict=True)
    return RawTrees(
        roots=np.array(roots, dtype=np.int32),
        output=output.astype(np.int32),
        column=np.array(column, dtype=np.int32),
        threshold=np.array(threshold),
        left=np.array(left, dtype=np.int32),
        right=np.array(right, dtype=np.int32),
        missing_left=np.array(missing_left),
        leaves=np.array(leaves),
        is_listed=np.array(listed),
        goes_left=np.array(tables, dtype=bool).reshape(-1, width),
        edges={c: k.edges for c, k in enumerate(kinds) if k.edges is not None},
    )


def random_terms(
    rng: np.random.Generator, kinds: list[Kind], n_outputs: int, linear: bool
) -> Terms:
    """Return tables, and linear terms where wanted."""
    slopes, missing = np.zeros((2, len(kinds), n_outputs))
    tables = []
    for c, kind in enumerate(kinds):
        if rng.random() < 0.3:
            continue
        if kind.labels:
            values = np.round(rng.normal(size=(kind.positions, n_outputs)), 1)
            tables.append(TableTerm(c, None, values))
        elif linear and rng.random() < 0.6:
            slopes[c] = rng.normal(size=n_outputs) / (kind.high - kind.low)
            missing[c] = rng.normal(size=n_outputs)
        else:
            edges = np.unique(np.round(rng.uniform(kind.low, kind.high, 3), 1))
            values = np.round(rng.normal(size=(len(edges) + 2, n_outputs)), 1)
            tables.append(TableTerm(c, edges, values))
    return Terms(slopes, rng.normal(size=len(kinds)), missing, tuple(tables))


def random_link(rng: np.random.Generator) -> Link:
    """Return a link of any kind, rising or falling."""
    kind = rng.integers(4)
    if kind == SIGMOID:
        slope = rng.choice([-1, 1]) * rng.uniform(0.5, 2)
        twice = bool(rng.random() < 0.3)
        return Link(SIGMOID, float(slope), float(rng.normal()), of_probability=twice)
    if kind == PIECEWISE:
        x, y = np.sort(rng.normal(size=5) * 2), np.sort(rng.uniform(size=5))
        y = y if rng.random() < 0.7 else y[::-1].copy()
        return Link(PIECEWISE, 1.0, 0.0, x, y, of_probability=bool(rng.random() < 0.3))
    return Link(STEP, 1.0, float(np.round(rng.normal(), 2))) if kind else Link()


def random_function(
    rng: np.random.Generator, kinds: list[Kind], *, linear: bool = False
) -> ScoreFunction:
    """Return a score function of one to three groups, with few people at the target."""
    columns = tuple(
        Column(f"f{i}", tuple(f"v{j}" for j in range(k.labels)) or None)
        for i, k in enumerate(kinds)
    )
    n_outputs = int(rng.choice([1, 1, 1, 3]))
    n_trees = int(rng.integers(1, 8))
    groups = tuple(
        Group(
            np.round(rng.normal(size=n_outputs), 1),
            random_trees(rng, kinds, n_trees, n_outputs),
            random_terms(rng, kinds, n_outputs, linear) if rng.random() < 0.6 else None,
            random_link(rng),
            float(np.round(rng.normal() * 2, 1)) or 1.0,
        )
        for _ in range(int(rng.integers(1, 4)))
    )
    function = ScoreFunction(columns, groups, None, "composite")
    if n_outputs > 1:
        decision = Decision(cut=None, doubt=1e-9, rivals=n_outputs - 1)
        return replace(function, decision=decision)
    scores = function.scores(np.column_stack([k.draw(rng, 500) for k in kinds]))
    sign, share = float(rng.choice([-1, 1])), float(rng.choice([0.7, 0.9, 0.97]))
    cut = float(np.quantile(scores, share if sign > 0 else 1 - share)) + 1e-3
    return replace(function, decision=Decision(cut=cut, sign=sign, doubt=1e-9))
