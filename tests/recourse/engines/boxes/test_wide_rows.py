"""Searches of people with many features, most of which few trees split on."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numba
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import skresp._recourse.engines._first_engine as first_engine
from skresp import ActionSet
from skresp._recourse.engines.boxes._engine import _BoxRun
from skresp._recourse.engines.boxes._forest import LEAF, MERGED, Box
from skresp._recourse.engines.boxes._slab_bounds import _MANY, bound_slabs
from skresp._recourse.engines.boxes._slabs import MAX_SLABS, divide
from skresp._recourse.engines.boxes._solve import Solver
from skresp._recourse.engines.boxes._work import Arena
from skresp.reach._deadline import NEVER
from tests.recourse.engines.boxes.cases import Searcher
from tests.recourse.engines.boxes.random_actions import random_action_set
from tests.recourse.engines.boxes.random_models import random_function, random_kinds
from tests.recourse.explainers import explainer_of


def _explainer(seed, width=40, rows=300):
    """Return an explainer, and people of whom many need several changes."""
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(width)]
    # Values of one decimal, so that many lie right at a cut.
    X = pd.DataFrame(rng.normal(size=(rows, width)).round(1), columns=names)
    X.iloc[:, 30:40] = rng.integers(0, 4, (rows, 10))
    total = X.iloc[:, :8].sum(axis=1) + rng.normal(size=rows)
    y = (total > np.quantile(total, rng.choice([0.5, 0.9]))).astype(int)
    if seed % 2:
        model = GradientBoostingClassifier(n_estimators=20, random_state=0)
    else:
        model = RandomForestClassifier(20, random_state=0)
    # Without the features that matter, some people cannot change the decision.
    fixed = names[:16] if seed in (2, 3) else names[::7]
    actions = ActionSet.infer(X, immutable=fixed)
    return explainer_of(model.fit(X, y), actions, X), X[:20]


def _verdicts(seed, **options):
    explainer, people = _explainer(seed)
    verdicts = explainer.verify(people, **options)
    columns = verdicts.status, verdicts.proof, verdicts.used
    return np.column_stack([*columns]).tolist(), verdicts.witness


@pytest.fixture
def boxes_only(monkeypatch):
    monkeypatch.setattr(first_engine, "_MAX_SPLITS_ON_LINES", -1)


def _without_bounds(monkeypatch):
    monkeypatch.setattr(Solver, "hopeless", lambda self: np.zeros(self.n, dtype=bool))


def _without_kept_trees(monkeypatch):
    def copies_all(self, width, trees, _init=Arena.__init__):
        _init(self, width, trees)
        self.trees = 0

    monkeypatch.setattr(Arena, "__init__", copies_all)


@pytest.mark.parametrize("leave_out", [_without_bounds, _without_kept_trees])
@pytest.mark.parametrize("options", [{}, {"max_points": 60}])
def test_what_saves_work_changes_no_verdict(boxes_only, leave_out, options):
    seen = Counter()
    for seed in range(6):
        found, witness = _verdicts(seed, **options)
        with pytest.MonkeyPatch.context() as monkeypatch:
            leave_out(monkeypatch)
            expected, expected_witness = _verdicts(seed, **options)
        assert found == expected, seed
        pd.testing.assert_frame_equal(witness, expected_witness)
        seen.update(status for status, *_ in found)
    wanted = ["single", "joint", "unknown" if options else "fixed"]
    assert min(seen[status] for status in wanted) > 5, seen


def test_no_change_of_a_hopeless_variable_may_reach_the_target():
    seen = Counter()
    for seed in range(80):
        rng = np.random.default_rng([2, seed])
        kinds = random_kinds(rng)
        function = random_function(rng, kinds, linear=seed % 3 == 0)
        actions = random_action_set(rng, kinds, constraints=False)
        searcher = Searcher.of(function, actions)
        for _ in range(3):
            x = np.array([kind.draw(rng, 1)[0] for kind in kinds])
            solver = searcher.solver(x)
            for k, is_hopeless in enumerate(solver.hopeless().tolist()):
                found = solver.within(int(solver.part_of[k]), 5_000, NEVER)
                seen[is_hopeless, found.witness is not None] += 1
                if is_hopeless:
                    assert found.is_exhausted, seed
                    assert not found.ties, seed
                    assert (found.witness, found.used) == (None, 1), seed
    assert seen[True, False] > 100, seen
    assert seen[False, True] > 50, seen


def _largest_leaf(forest, at, c, low, high):
    """Return the largest leaf below a node with column `c` above low, up to high."""
    if forest.column[at] < 0:
        return forest.top[at, 0]
    cut, sides = forest.threshold[at], []
    if forest.column[at] != c or low < cut:
        sides.append(forest.left[at])
    if forest.column[at] != c or high > cut:
        sides.append(forest.right[at])
    return max(_largest_leaf(forest, side, c, low, high) for side in sides)


@numba.njit
def _bounded(forest, trees, box, tables, slabs):
    divide(forest, 0, trees, box, MAX_SLABS, slabs)
    bound_slabs(forest, 0, trees, tables, len(box.lower), slabs)


# With 400 columns, most trees split on more than `_MANY` of them.
@pytest.mark.parametrize("width", [40, 400])
def test_slabs_have_the_largest_leaves_of_trees_that_split_on_other_columns(
    boxes_only, monkeypatch, width
):
    solvers = []

    def keep(run, i, states, _solver=_BoxRun._solver):
        solvers.append(_solver(run, i, states))
        return solvers[-1]

    monkeypatch.setattr(_BoxRun, "_solver", keep)
    explainer, people = _explainer(0, width, rows=3 * width + 180)
    explainer.verify(people[:12])
    solver = solvers[-1]
    work, n, compared = solver.work, solver.n, 0
    trees, slabs, forest = int(work.tree_end[0]), work.slabs, work.forest
    box = Box(solver.low[n:], solver.high[n:], solver.words)
    _bounded(forest, trees, box, solver.person.tables, slabs)
    used = [
        len(set(forest.column[root:end]) - {LEAF, MERGED})
        for root, end in zip(forest.roots[:trees], forest.end[:trees], strict=True)
    ]
    assert (np.median(used) >= _MANY) == (width > 40), used
    for c in np.flatnonzero(slabs.many).tolist():
        many = int(slabs.many[c])
        edges = [-np.inf, *slabs.edges[c, : many - 1], np.inf]
        leaves = np.array(
            [
                [_largest_leaf(forest, root, c, *ends) for ends in pairwise(edges)]
                for root in forest.roots[:trees]
            ]
        )
        below = np.maximum.accumulate(leaves, axis=1).sum(axis=0)
        above = np.maximum.accumulate(leaves[:, ::-1], axis=1).sum(axis=0)[::-1]
        channel = int(forest.channel[0])
        for found, expected in (
            (slabs.top, leaves.sum(axis=0)),
            (slabs.below, below),
            (slabs.above, above),
        ):
            np.testing.assert_allclose(found[c, :many, channel], expected)
            compared += many
    assert compared > 100
