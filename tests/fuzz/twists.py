"""Twists of random worlds: what random draws seldom give by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from skresp import ActionSet
from skresp import constraints as c

from . import lattice


@dataclass(frozen=True)
class Twist:
    """Changes of a world: of its actions, of training rows, and of the whole."""

    actions: Callable[[Any, ActionSet], ActionSet] = lambda rng, actions: actions
    train: Callable[[ActionSet, pd.DataFrame], pd.DataFrame] = lambda actions, X: X
    rows: Callable[[Any, ActionSet, pd.DataFrame], pd.DataFrame] = (
        lambda rng, actions, rows: rows
    )
    world: Callable[[Any, Any], Any] = lambda rng, world: world


def _odd_steps(rng, actions):
    """Give integers steps that their bounds are no multiples of."""
    features = {}
    for name, f in actions.features.items():
        if f.kind == "integer":
            lower = int(rng.integers(-2, 3))
            f = replace(
                f,
                lower=lower,
                upper=lower + int(rng.integers(1, 12)),
                step=int(rng.choice([2, 3, 5])),
            )
        features[name] = f
    return ActionSet(features, actions.constraints)


def _long_integer(rng, actions):
    """Give an integer without rules more values than are listed."""
    features = dict(actions.features)
    ruled = {name for rule in actions.constraints for name in rule.features}
    free = [n for n, f in features.items() if f.kind == "integer" and n not in ruled]
    if not free:
        return actions
    name = str(rng.choice(free))
    upper = int(rng.integers(4_100, 6_000))
    given: dict[str, Any] = {"max_increase": None, "max_decrease": None}
    if rng.random() < 0.3:
        given["max_increase"] = upper // 2
    features[name] = replace(features[name], upper=upper, step=1, **given)
    return ActionSet(features, actions.constraints)


def _doubled_rules(rng, actions):
    """Add rules on features that have one already."""
    numbers = [n for n, f in actions.features.items() if f.kind != "categorical"]
    rules = list(actions.constraints)
    if len(numbers) >= 2:
        names = [str(n) for n in rng.permutation(numbers)[:3]]
        target = names[0]
        for source in names[1:]:
            rules.append(c.Linkage(source, {target: int(rng.choice([-1, 1, 2]))}))
        if rng.random() < 0.5:
            rules.append(c.Linkage(names[1], {target: 1}))
        for op in ("<=", ">="):
            then = (names[1], op, int(rng.integers(0, 3)))
            rules.append(c.IfThen((target, op, int(rng.integers(0, 3))), then))
    try:
        return ActionSet(actions.features, dict.fromkeys(rules))
    except ValueError:
        return actions


def _far_outside(rng, actions, rows):
    """Move most numbers far beyond their bounds."""
    out = rows.copy()
    for name, f in actions.features.items():
        if f.kind in ("integer", "real"):
            far = rng.integers(2, 40, len(rows)) * rng.choice([-1, 0, 1], len(rows))
            out[name] = rows[name] + far.astype(rows[name].dtype)
    return out


def _between(actions, X):
    """Shift training values, so that trees split at the values that people have."""
    out = X.copy()
    for name, f in actions.features.items():
        if f.kind in ("integer", "real"):
            out[name] = X[name] + (0.5 if f.kind == "integer" else 0.25)
    return out


def _attained(rng, world):
    """Ask for exactly the probability of a point that somebody can reach."""
    if not hasattr(world.model, "predict_proba") or world.kind.number:
        return None
    if "ruled" in world.family:  # the model has a threshold of its own
        return None
    i = int(rng.integers(len(world.people)))
    columns: dict[str, Any] = {}
    for names in lattice.components(world.actions):
        options = lattice.options_on(world.actions, names, world.row(i))
        at = int(rng.integers(len(options)))
        columns |= {n: [v[at]] for n, v in options.values.items()}
    at = world.model.classes_.tolist().index(world.target)
    chance = float(world.model.predict_proba(world.points(i, columns))[0, at])
    return replace(world, threshold=chance) if 0 < chance < 1 else None


def _with_dtypes(**of):
    """Return a twist to other dtypes, by kind of feature."""

    def convert(rng, world):
        def as_types(table):
            types = {
                name: of[f.kind]
                for name, f in world.actions.features.items()
                if f.kind in of
            }
            # The steps of the models refuse gaps in nullable columns.
            has_gaps = table.isna().any()
            types = {
                n: t for n, t in types.items() if t == "float32" or not has_gaps[n]
            }
            return table.astype(types)

        return replace(world, X=as_types(world.X), people=as_types(world.people))

    return Twist(world=convert)


TWISTS = {
    "odd steps": Twist(actions=_odd_steps),
    "long integer": Twist(actions=_long_integer),
    "doubled rules": Twist(actions=_doubled_rules),
    "far outside": Twist(rows=_far_outside),
    "on thresholds": Twist(train=_between),
    "attained": Twist(world=_attained),
    "float32": _with_dtypes(real="float32"),
    "small": _with_dtypes(real="float32", integer="int16", binary="int8"),
    "bool": _with_dtypes(binary="bool"),
    "nullable": _with_dtypes(real="Float64", integer="Int64", binary="Int64"),
    "nullable bool": _with_dtypes(binary="boolean", integer="Int32"),
}
