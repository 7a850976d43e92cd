"""Faults of HiGHS to inject: the ways in which a solver can be wrong."""

from __future__ import annotations

import highspy
import numpy as np

from skresp.reach import _highs as _solver

_STATUS = highspy.HighsModelStatus


def _sized(model, value):
    return np.full(len(model[6]), value)


def _reversed(model, presolve, limit, run):
    """The worst point instead of the best one."""
    worst = list(model)
    worst[6] = -np.asarray(worst[6])
    return run(tuple(worst), presolve, limit)


class Fault:
    """A fault by name; `run` and `run_relaxation` replace those of `_solver`."""

    def __init__(self, name, seed=0):
        self.name, self.calls = name, 0
        self.rng = np.random.default_rng(seed)
        self.honest = _solver._run
        self.honest_relaxation = _solver._run_relaxation

    def inject(self, monkeypatch):
        monkeypatch.setattr(_solver, "_run", self.run)
        monkeypatch.setattr(_solver, "_run_relaxation", self.run_relaxation)

    def run(self, model, presolve, limit):
        self.calls += 1
        on, name = presolve == "on", self.name
        lies = {
            "infeasible with presolve": on,
            "infeasible without presolve": not on,
            "infeasible now and then": self.calls % 2,
            "infeasible": True,
        }
        if lies.get(name):
            return _STATUS.kInfeasible, np.zeros(0)
        if name == "error":
            return _STATUS.kSolveError, np.zeros(0)
        if name == "time limit":
            return _STATUS.kTimeLimit, np.zeros(0)
        if name == "unbounded":
            return _STATUS.kUnbounded, np.zeros(0)
        points = {
            "zeros": lambda: _sized(model, 0.0),
            "lower": lambda: np.nan_to_num(model[7], neginf=0),
            "upper": lambda: np.nan_to_num(model[8], posinf=0),
            "nan": lambda: _sized(model, np.nan),
            "empty": lambda: np.zeros(0),
            "long": lambda: np.zeros(len(model[6]) + 3),
            "random": lambda: self.rng.uniform(-5, 5, len(model[6])),
        }
        if name in points:
            return _STATUS.kOptimal, points[name]()
        if name == "suboptimal" or (name == "suboptimal with presolve" and on):
            return _reversed(model, presolve, limit, self.honest)
        status, columns = self.honest(model, presolve, limit)
        if name == "perturbed":
            return status, columns + self.rng.normal(0, 0.3, len(columns))
        if name == "feasible for infeasible" and status == _STATUS.kInfeasible:
            return _STATUS.kOptimal, _sized(model, 0.0)
        return status, columns

    def run_relaxation(self, model, limit):
        """Wrong multipliers, wrong rays, wrong points, of wrong shapes."""
        self.calls += 1
        columns, rows = model[0], model[1]
        if self.name in ("empty", "error", "time limit", "unbounded"):
            return _solver.Relaxed(np.zeros(0), np.zeros(0), np.zeros(0))
        if self.name == "nan":
            return _solver.Relaxed(
                np.full(columns, np.nan), np.full(rows, np.nan), np.full(rows, np.nan)
            )
        if self.name == "long":
            return _solver.Relaxed(*map(np.ones, (columns + 1, rows + 1, rows + 1)))
        honest = self.honest_relaxation(model, limit)
        if self.name.startswith("infeasible"):
            return _solver.Relaxed(np.zeros(0), np.zeros(0), self.rng.normal(size=rows))
        if self.name.startswith("suboptimal"):
            worst = list(model)
            worst[6] = -np.asarray(worst[6])
            return self.honest_relaxation(tuple(worst), limit)
        if self.name in ("random", "perturbed"):
            return _solver.Relaxed(
                self.rng.uniform(-5, 5, columns),
                self.rng.normal(0, 10, rows),
                self.rng.normal(0, 10, rows),
            )
        if self.name in ("zeros", "lower", "upper"):
            return honest._replace(columns=np.zeros(columns), duals=np.zeros(rows))
        return honest


NAMES = (
    "infeasible with presolve",
    "infeasible without presolve",
    "infeasible now and then",
    "infeasible",
    "error",
    "time limit",
    "unbounded",
    "zeros",
    "lower",
    "upper",
    "nan",
    "empty",
    "long",
    "random",
    "suboptimal with presolve",
    "suboptimal",
    "perturbed",
    "feasible for infeasible",
)
