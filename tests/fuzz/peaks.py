"""Worlds in which the target lies between the ends of ranges.

The labels say how close rows are to a point. So the best of a feature is inside its
range, denied people are on either side of it, and often several features must move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skresp import ActionSet, Feature


def peaked_features(rng):
    """Draw a few numbers that can change, most of them real and free."""
    out = {}
    for k in range(int(rng.integers(2, 5))):
        kind = str(rng.choice(["real", "integer", "binary"], p=[0.65, 0.25, 0.1]))
        given: dict[str, Any] = {}
        role = rng.random()
        if role < 0.08:
            given["actionable"] = False
        elif role < 0.16:
            given.update(actionable=False, mutable=True)
        given["direction"] = rng.choice([None, None, None, "increase", "decrease"])
        if kind != "binary":
            given["lower"] = 0
            given["upper"] = int(rng.integers(2, 5))
            if kind == "integer":
                given["upper"] = int(rng.choice([6, 12, 40, 250]))
            for side in ("max_increase", "max_decrease"):
                if rng.random() < 0.2:
                    share = float(rng.choice([0.25, 0.5, 0.75]))
                    most = share * given["upper"]
                    given[side] = most if kind == "real" else int(most)
        out["abcdefg"[k]] = Feature(kind, **given)
    return out


def peaked_actions(rng, random_rule):
    """Draw an action set with few constraints."""
    while True:
        features = peaked_features(rng)
        many = int(rng.choice([0, 0, 0, 1, 2]))
        rules = [random_rule(rng, features) for _ in range(many)]
        if not any(f.actionable and f.kind == "real" for f in features.values()):
            continue
        try:
            return ActionSet(features, [r for r in rules if r is not None])
        except (ValueError, TypeError):
            continue


def peaked_rows(rng, actions, n):
    """Draw rows anywhere in the ranges, and a little outside."""
    out = {}
    for name, f in actions.features.items():
        if f.kind == "binary":
            out[name] = rng.integers(0, 2, n)
        elif f.kind == "integer":
            out[name] = rng.integers(f.lower - 1, f.upper + 2, n)
        else:
            # Finer than any lattice, but few digits.
            out[name] = np.round(rng.uniform(f.lower - 0.3, f.upper + 0.3, n), 3)
    return pd.DataFrame(out)


def peaked_labels(rng, actions, X):
    """Label the rows that are closest to a point; not every feature counts."""
    far = np.zeros(len(X))
    for name, f in actions.features.items():
        if far.any() and rng.random() < 0.2:
            continue
        wide = 1 if f.kind == "binary" else f.upper - f.lower
        center = rng.uniform(0.25, 0.75) * wide
        far += ((X[name] - center) / wide) ** 2 * rng.uniform(0.5, 2)
    return (far <= np.quantile(far, rng.choice([0.1, 0.2, 0.3]))).astype(int)


def hold_constant(rng, X, y):
    """Make some columns constant in one class."""
    out = X.copy()
    for name in rng.permutation(list(X))[: int(rng.integers(1, len(X.columns) + 1))]:
        if X[name].dtype.kind in "if":
            rows = y == int(rng.integers(2))
            out.loc[rows, name] = X[name].iloc[int(rng.integers(len(X)))]
    return out
