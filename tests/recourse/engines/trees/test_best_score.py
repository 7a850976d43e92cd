"""The best score of a small ensemble equals the optimum of an integer program."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.ensemble import RandomForestClassifier

from skresp._actions._encoding import encode
from skresp.reach._cache import make_reaches
from skresp.reach._part import parts_of
from tests.recourse.explainers import explainer_of
from tests.small_models import rows_for
from tests.strategies import cases


def best_by_program(forest, actions, person):
    """Solve a program with a binary per change of a part and per leaf of a tree."""
    codes = encode(actions, pd.DataFrame([person]))[0]
    lists = []
    for part in parts_of(actions):
        columns = [actions.names.index(name) for name in part.names]
        (reach,) = make_reaches(part, codes[None, columns])
        reached = np.repeat(codes[None], len(reach.changes), axis=0)
        reached[:, columns] += reach.changes
        lists.append((columns, reached))
    starts = np.cumsum([0, *(len(reached) for _, reached in lists)])
    columns_in = int(starts[-1])
    rows, low, high, worth = [], [], [], [0.0] * columns_in
    for (_, reached), start in zip(lists, starts, strict=False):
        rows.append({start + k: 1.0 for k in range(len(reached))})
        low.append(1.0)
        high.append(1.0)
    for tree in forest.estimators_:
        leaves = []
        for leaf, path in paths(tree.tree_):
            mine = columns_in + len(worth) - int(starts[-1])
            share = tree.tree_.value[leaf, 0, 1] / len(forest.estimators_)
            worth.append(float(share))
            leaves.append(mine)
            for (columns, reached), start in zip(lists, starts, strict=False):
                fits = np.ones(len(reached), dtype=bool)
                for column, threshold, goes_left in path:
                    if column in columns:
                        fits &= (reached[:, column] <= threshold) == goes_left
                row = {int(start + k): -1.0 for k in np.flatnonzero(fits)}
                rows.append({**row, mine: 1.0})
                low.append(-np.inf)
                high.append(0.0)
        rows.append(dict.fromkeys(leaves, 1.0))
        low.append(1.0)
        high.append(1.0)
    matrix = np.zeros((len(rows), len(worth)))
    for i, row in enumerate(rows):
        for j, weight in row.items():
            matrix[i, j] = weight
    found = milp(
        -np.array(worth),
        integrality=np.ones(len(worth)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, low, high),
        options={"mip_rel_gap": 0.0},
    )
    assert found.success
    return -found.fun


def paths(tree, node=0, path=()):
    """Every leaf of a tree with the splits that lead to it."""
    if tree.children_left[node] < 0:
        yield node, path
        return
    split = int(tree.feature[node]), float(tree.threshold[node])
    yield from paths(tree, tree.children_left[node], (*path, (*split, True)))
    yield from paths(tree, tree.children_right[node], (*path, (*split, False)))


@given(data=st.data())
@settings(max_examples=25)
def test_the_best_score_is_the_optimum_of_the_program(data):
    actions, person = data.draw(cases(most_features=4))
    assume(all(f.kind != "categorical" for f in actions.features.values()))
    note(str(actions))
    note(str(person))
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    X = rows_for(actions, rng)
    forest = RandomForestClassifier(4, max_depth=4, random_state=0)
    forest.fit(X, rng.integers(0, 2, len(X)))
    explainer = explainer_of(forest, actions, X)
    verdicts = explainer.verify(pd.DataFrame([person]))
    optimum = best_by_program(forest, actions, person)
    assert verdicts.best_score[0] == pytest.approx(optimum, abs=1e-6)
