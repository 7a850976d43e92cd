"""Searches of single people in tests, and the points they are compared with."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp import ActionSet
from skresp._model._score_function import ScoreFunction
from skresp._recourse.engines.boxes._curve_tables import first_tables
from skresp._recourse.engines.boxes._make_solver import make_solver
from skresp._recourse.engines.boxes._model_arrays import ModelArrays
from skresp._recourse.engines.boxes._person import PartState, make_variables
from skresp._recourse.engines.boxes._solve import Change, Finding, Solver
from skresp._recourse.engines.boxes._work import Arena
from skresp.reach._deadline import NEVER
from skresp.reach._part import parts_of


@dataclass
class Searcher:
    """Searches people with one score function and action set."""

    function: ScoreFunction
    actions: ActionSet
    arrays: ModelArrays

    @classmethod
    def of(cls, function: ScoreFunction, actions: ActionSet) -> Searcher:
        arrays = ModelArrays.of(function)
        assert arrays is not None
        return cls(function, actions, arrays)

    def states(self, x: Any) -> list[PartState]:
        names = [column.name for column in self.function.columns]
        out = []
        for part in parts_of(self.actions):
            if part.actionable:
                at = [names.index(name) for name in part.names]
                out.append(PartState(part, x[at], at, None))
        return out

    def is_valid(self, x: Any) -> bool:
        return all(s.part.valid(s.before[None])[0] for s in self.states(x))

    def solver(self, x: Any) -> Solver:
        forest = self.arrays.forest
        arena = Arena(forest.top.shape[1], len(forest.roots))
        states = self.states(x)
        columns, curves, known = self.function.columns, self.arrays.curves, None
        if curves:
            variables = make_variables(columns, x, states)
            known = variables, *first_tables(curves, [x], [variables])
        return make_solver(self.arrays, columns, x, states, arena, known)

    def search(self, x: Any, max_points: int = 5_000) -> Finding:
        return self.solver(x).everything(max_points, NEVER)

    def gap(self, x: Any, change: Change) -> float:
        point = x.copy()
        for state, each in zip(self.states(x), change, strict=True):
            point[state.columns] = state.before + each
        return float(self.gaps(point[None])[0])

    def gaps(self, points: Any) -> Any:
        decision = self.function.decision
        assert decision is not None
        return decision.gap(self.function.scores(points))

    def is_feasible(self, x: Any, change: Change) -> bool:
        return all(
            s.part.feasible(s.before[None], s.part.own(each[None]))[0]
            for s, each in zip(self.states(x), change, strict=True)
        )

    def all_points(self, x: Any, most: int = 200_000) -> Any:
        """Return a point of each piece at both ends, without constraints."""
        axes = []
        for i, column in enumerate(self.function.columns):
            feature, value = self.actions.features[column.name], float(x[i])
            values = [value]
            if feature.can_change and not np.isnan(value):
                if feature.kind == "categorical":
                    codes = np.arange(len(column.labels or ()), dtype=float)
                    values += codes[feature.allows(value, codes - value)].tolist()
                else:
                    low, high = feature.own_limits(value)
                    low, high = value + low, value + high
                    if low <= high and feature.kind == "integer":
                        values += np.arange(np.ceil(low), high + 1).tolist()
                    elif low <= high:
                        cuts = self.function.cuts(i)
                        cuts = cuts[(cuts >= low) & (cuts < high)]
                        values += [low, high, *cuts, *np.nextafter(cuts, np.inf)]
            axes.append(sorted(set(values)))
        if np.prod([float(len(axis)) for axis in axes]) > most:
            return None
        return np.array(list(itertools.product(*axes)), dtype=float)

    def drawn_points(self, x: Any, rng: np.random.Generator, n: int = 3_000) -> Any:
        """Draw feasible points, many of them next to cuts."""
        out = np.tile(x, (n, 1))
        for state in self.states(x):
            own = np.zeros((n, len(state.before)))
            for k, feature in enumerate(state.part.features):
                value = float(state.before[k])
                if not feature.can_change or np.isnan(value):
                    continue
                own[:, k] = _drawn(feature, value, self._cuts(state, k), rng, n)
            ok = state.part.feasible(np.tile(state.before, (n, 1)), own)
            own[~ok] = 0.0
            out[:, state.columns] = state.before + state.part.total(own)
        return out

    def _cuts(self, state: PartState, k: int) -> Any:
        return self.function.cuts(state.columns[k])


def _drawn(feature: Any, value: float, cuts: Any, rng: Any, n: int) -> Any:
    """Draw own changes of one feature."""
    if feature.kind == "categorical":
        drawn = rng.integers(len(feature.categories), size=n) - value
    else:
        low, high = feature.own_limits(value)
        if low > high:
            return np.zeros(n)
        drawn = rng.uniform(low, high, n)
        if len(cuts):
            near = rng.choice(cuts, n) + rng.choice([0.0, 1e-7], n) - value
            drawn = np.where(rng.random(n) < 0.4, np.clip(near, low, high), drawn)
        whole = np.clip(np.round(value + drawn) - value, low, high)
        drawn = np.where(rng.random(n) < 0.3, whole, drawn)
        drawn = np.where(rng.random(n) < 0.2, rng.choice([low, high], n), drawn)
        if feature.kind == "integer":
            drawn = np.round(drawn)
    return np.where(rng.random(n) < 0.3, 0.0, drawn)
