"""Random action sets over the columns of `random_models`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage, Switch
from tests.recourse.engines.boxes.random_models import Kind


def random_features(rng: np.random.Generator, kinds: list[Kind]) -> dict[str, Feature]:
    """Return a feature for each column; some cannot change."""
    out = {}
    for i, kind in enumerate(kinds):
        direction = [None, None, "increase", "decrease"][rng.integers(4)]
        actionable = bool(rng.random() < 0.8)
        if kind.labels:
            labels = [f"v{j}" for j in range(kind.labels)]
            feature = Feature(
                "categorical",
                categories=labels,
                direction=direction,
                actionable=actionable,
            )
        else:
            feature = Feature(
                ["real", "real", "integer"][rng.integers(3)],
                int(np.ceil(kind.low)),
                int(np.floor(kind.high)),
                direction=direction,
                actionable=actionable,
                max_increase=[None, 2][rng.integers(2)],
            )
        out[f"f{i}"] = feature
    return out


def random_constraints(rng: np.random.Generator, features: dict[str, Feature]) -> Any:
    """Return one to three constraints that the features allow."""
    names = list(features)
    numbers = [n for n in names if features[n].kind != "categorical"]
    labels = [n for n in names if features[n].kind == "categorical"]

    def condition(name: str) -> tuple[str, str, Any]:
        feature = features[name]
        if feature.kind == "categorical":
            op = ["==", "!=", "in"][rng.integers(3)]
            some = rng.permutation(list(feature.categories or ()))[:2].tolist()
            return name, op, some if op == "in" else some[0]
        op = ["<=", ">=", "==", "!="][rng.choice(4, p=[0.35, 0.35, 0.15, 0.15])]
        return name, op, int(rng.integers(feature.lower, feature.upper))

    out: list[Any] = []
    for _ in range(int(rng.integers(1, 4))):
        a, b = rng.permutation(numbers)[:2].tolist()
        kind = rng.integers(5)
        if kind == 0:
            scales = [-1, 1, 2, 0.5] if features[b].kind == "real" else [-1, 1, 2]
            scale, keep = float(rng.choice(scales)), bool(rng.integers(2))
            with suppress(ValueError):
                out.append(Linkage(a, {b: scale}, keep_bounds=keep))
        elif kind == 1:
            weight = float(rng.choice([1, -1, 0.5]))
            out.append(Linear({a: 1, b: weight}, upper=float(rng.uniform(0, 12))))
        elif kind == 2:
            out.append(Linear({a: 1, b: 1}, lower=4, upper=float(rng.choice([4, 7]))))
        elif kind == 3:
            first, second = rng.permutation(names)[:2].tolist()
            out.append(IfThen(condition(first), condition(second)))
        elif labels:
            on = str(rng.choice(list(features[labels[0]].categories or ())))
            force = bool(rng.random() < 0.3)
            out.append(Switch(labels[0], [a], on_value=on, force_change=force))
    return out


def random_action_set(
    rng: np.random.Generator, kinds: list[Kind], *, constraints: bool
) -> ActionSet | None:
    """Return an action set; None where the constraints do not fit together."""
    features = random_features(rng, kinds)
    if not constraints:
        return ActionSet(features)
    if rng.random() < 0.3:
        name = str(rng.choice(list(features)))
        features[name] = replace(features[name], actionable=False, mutable=True)
    try:
        return ActionSet(features, random_constraints(rng, features))
    except ValueError:
        return None
