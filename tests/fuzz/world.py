"""Random action sets, people and small fitted models."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from skresp import ActionSet, AtLeast, AtMost, DecisionPolicy, Feature
from skresp import constraints as c

from . import lattice
from .families import FAMILIES
from .family import Family
from .peaks import (
    hold_constant,
    peaked_actions,
    peaked_labels,
    peaked_rows,
)
from .steps import ENCODERS, weight_of_evidence
from .twists import TWISTS, Twist

LABELS = ("p", "q", "r")


@dataclass(frozen=True)
class World:
    """One model, one action set, a few people, and how they are asked about."""

    seed: int
    family: str
    actions: ActionSet
    model: Any
    X: pd.DataFrame
    people: pd.DataFrame
    target: Any
    threshold: float | None
    interventions: str
    has_missing: bool

    @property
    def kind(self) -> Family:
        return FAMILIES[self.family]

    @property
    def has_reals(self) -> bool:
        return any(
            f.kind == "real" and f.can_change for f in self.actions.features.values()
        )

    def reaches(self, points):
        """Whether the model itself gives points the target."""
        if not len(points):
            return np.zeros(0, dtype=bool)
        if self.threshold is not None:
            at = self.model.classes_.tolist().index(self.target)
            return self.model.predict_proba(points)[:, at] >= self.threshold
        answer = np.asarray(self.model.predict(points)).ravel()
        if isinstance(self.target, AtLeast):
            return answer >= self.target.value
        if isinstance(self.target, AtMost):
            return answer <= self.target.value
        return answer == self.target

    def row(self, i):
        """One person as plain values."""
        return {n: plain_value(self.people[n].iloc[i]) for n in self.actions.names}

    def points(self, i, columns):
        """Points that differ from a person in some columns, as the model wants them."""
        n = len(next(iter(columns.values())))
        out = {}
        for name in self.people.columns:
            old = self.people[name]
            if name not in columns:
                out[name] = old.iloc[[i] * n].reset_index(drop=True)
            else:
                new = pd.Series(list(columns[name]))
                out[name] = new.astype(old.dtype)
        return pd.DataFrame(out)


def plain_value(value):
    return value.item() if isinstance(value, np.generic) else value


def random_features(rng, reals):
    out = {}
    for k in range(int(rng.integers(2, 6))):
        kind = rng.choice(["binary", "binary", "integer", "integer", "categorical"])
        if reals and rng.random() < 0.5:
            kind = "real"
        given: dict[str, Any] = {}
        role = rng.random()
        if role < 0.15:
            given["actionable"] = False
        elif role < 0.3:
            given.update(actionable=False, mutable=True)
        given["direction"] = rng.choice([None, None, "increase", "decrease"])
        if kind == "categorical":
            given["categories"] = LABELS[: rng.integers(1, 4)]
        elif kind != "binary":
            given["lower"] = 0
            given["upper"] = int(rng.integers(1, 5))
            if kind == "integer" and rng.random() < 0.12:
                given["upper"] = int(rng.integers(110, 300))
            for side in ("max_increase", "max_decrease"):
                if rng.random() < 0.3:
                    given[side] = int(rng.integers(0, 3))
            if kind == "integer" and rng.random() < 0.2:
                given["step"] = 2
        out["abcdefg"[k]] = Feature(kind, **given)
    return out


def random_rule(rng, features):
    """One random constraint, or None where none fits."""
    names = list(features)
    of = {
        kind: [n for n in names if features[n].kind == kind]
        for kind in ("binary", "integer", "real", "categorical")
    }
    numbers = [n for n in names if features[n].kind != "categorical"]
    short = [
        n
        for n in names
        if features[n].kind in ("binary", "categorical")
        or (features[n].kind == "integer" and features[n].upper < 10)
    ]

    def some(pool, least, most=3):
        if len(pool) < least:
            return None
        size = int(rng.integers(least, min(most, len(pool)) + 1))
        return [str(n) for n in rng.permutation(pool)[:size]]

    def condition(name):
        f = features[name]
        if f.kind == "categorical":
            op = str(rng.choice(["==", "!=", "in"]))
            values = [str(v) for v in rng.permutation(f.categories)[:2]]
        else:
            op = str(rng.choice(["<=", ">=", "==", "!=", "in"]))
            values = [int(v) for v in rng.permutation(4)[:2]]
        return (name, op, values if op == "in" else values[0])

    kind = rng.choice(
        [
            "one_hot",
            "ordinal",
            "thermometer",
            "reach",
            "linkage",
            "linkage",
            "if_then",
            "switch",
            "linear",
        ]
    )
    direction = rng.choice([None, None, "increase", "decrease"])
    flag = bool(rng.random() < 0.5)
    if kind in ("one_hot", "ordinal", "thermometer"):
        group = some(of["binary"], 2)
        if group is None:
            return None
        if kind == "one_hot":
            return c.OneHot(group, int(rng.integers(1, len(group) + 1)), flag)
        if kind == "ordinal":
            return c.Ordinal(group, direction, flag)
        return c.Thermometer(group, direction)
    if kind == "reach":
        group = some(short, 1, 2)
        if group is None:
            return None
        values = {
            tuple(
                str(rng.choice(features[n].categories))
                if features[n].kind == "categorical"
                else int(rng.integers(0, 2 if features[n].kind == "binary" else 3))
                for n in group
            )
            for _ in range(int(rng.integers(2, 6)))
        }
        values = sorted(values)
        matrix = rng.integers(0, 2, (len(values), len(values))) | np.eye(
            len(values), dtype=int
        )
        return c.Reachability(group, values, matrix.tolist() if flag else None)
    if kind == "linkage":
        group = some(numbers, 2)
        if group is None:
            return None
        return c.Linkage(
            group[0], {n: int(rng.choice([-2, -1, 1, 2])) for n in group[1:]}, flag
        )
    if kind == "linear":
        group = some(numbers, 2)
        if group is None:
            return None
        low = int(rng.integers(-3, 3)) if flag else None
        high = int(rng.integers(0 if low is None else low, 8))
        return c.Linear({n: int(rng.choice([-2, -1, 1, 2])) for n in group}, low, high)
    pair = some(names, 2)
    if pair is None:
        return None
    if kind == "switch":
        first = features[pair[0]]
        if first.kind == "real":
            return None
        on = (
            str(rng.choice(first.categories))
            if first.kind == "categorical"
            else int(rng.integers(0, 2))
        )
        return c.Switch(pair[0], pair[1:], on, flag)
    return c.IfThen(condition(pair[0]), condition(pair[1]))


def random_actions(rng, reals):
    while True:
        features = random_features(rng, reals)
        rules = [random_rule(rng, features) for _ in range(int(rng.integers(0, 4)))]
        if not any(f.actionable for f in features.values()):
            continue
        try:
            return ActionSet(features, [r for r in rules if r is not None])
        except (ValueError, TypeError):
            continue


def random_rows(rng, actions, n, missing=False):
    """Rows at the values of features and around them."""
    out = {}
    for name, f in actions.features.items():
        if f.kind == "categorical":
            out[name] = rng.choice([*f.categories, "elsewhere"], n)
        elif f.kind == "binary":
            out[name] = rng.integers(0, 2, n)
        elif f.kind == "integer":
            out[name] = rng.integers(f.lower - 1, f.upper + 2, n)
        else:
            out[name] = rng.integers(2 * f.lower - 2, 2 * f.upper + 4, n) / 2
        if missing and f.kind != "categorical" and rng.random() < 0.5:
            values = out[name].astype(float)
            values[rng.random(n) < 0.25] = np.nan
            out[name] = values
    return pd.DataFrame(out)


def _valid_people(rng, actions, rows, many):
    good = []
    for i in rng.permutation(len(rows)):
        row = {n: plain_value(rows[n].iloc[i]) for n in actions.names}
        if all(
            lattice.options_on(actions, names, row) is not None
            for names in lattice.components(actions)
        ):
            good.append(int(i))
        if len(good) == many:
            break
    return rows.iloc[good].reset_index(drop=True)


def random_policy(rng, actions, n_classes):
    """One or two rules that decide before a model."""
    rules = []
    for _ in range(int(rng.integers(1, 3))):
        conditions = []
        for name in rng.choice(actions.names, int(rng.integers(1, 3)), replace=False):
            feature = actions.features[name]
            if feature.kind == "categorical":
                op = str(rng.choice(["==", "!=", "in"]))
                values = [str(v) for v in rng.choice(LABELS, 2, replace=False)]
            else:
                ops = (
                    ["<=", ">="] if feature.kind == "real" else ["<=", ">=", "!=", "in"]
                )
                op = str(rng.choice(ops))
                upper = min(feature.upper or 1, 20)
                values = [int(v) for v in rng.integers(0, upper + 1, 2)]
            conditions.append((str(name), op, values if op == "in" else values[0]))
        rules.append((conditions, int(rng.integers(n_classes))))
    return rules


def make_world(seed, family=None, people=8, twist=None):
    """Make the world of a seed; None where nobody in it is valid or it is too large."""
    twisted = Twist() if twist is None else TWISTS[twist]
    rng = np.random.default_rng(seed)
    if family is None:
        family = str(rng.choice(list(FAMILIES)))
    kind = FAMILIES[family]
    reals = bool(rng.random() < 0.4)
    missing = kind.missing and bool(rng.random() < 0.4)
    if kind.peak:
        actions = peaked_actions(rng, random_rule)
        X = peaked_rows(rng, actions, 120)
    else:
        actions = random_actions(rng, reals)
        X = random_rows(rng, actions, 70, missing)
    actions = twisted.actions(rng, actions)
    if twist is not None and not kind.peak:
        X = random_rows(rng, actions, 70, missing)
    signal = rng.normal(0, 1.0, len(X))
    for name in X:
        codes = pd.factorize(X[name], sort=True)[0].astype(float)
        signal += rng.normal() * codes / max(codes.std(), 1e-9)
    if kind.number:
        signal = np.exp(signal / 4) if kind.positive else signal
        y = np.round(signal, 1)
    elif kind.classes == 3:
        y = np.digitize(signal, np.quantile(signal, [0.4, 0.7]))
    else:
        y = (signal > np.quantile(signal, rng.choice([0.4, 0.6, 0.8, 0.93]))).astype(
            int
        )
    if kind.peak:
        y = peaked_labels(rng, actions, X)
    labels = [n for n, f in actions.features.items() if f.kind == "categorical"]
    fitted_on = hold_constant(rng, X, y) if kind.constant else X
    fitted_on = twisted.train(actions, fitted_on)
    if kind.encoder == "native":
        for name in labels:
            X[name] = X[name].astype(
                pd.CategoricalDtype([*actions.features[name].categories, "elsewhere"])
            )
        model = kind.make()
    elif kind.encoder == "woe":
        model = make_pipeline(weight_of_evidence(labels), kind.make())
    else:
        encode = make_column_transformer(
            (ENCODERS[kind.encoder](), labels),
            remainder="passthrough",
            sparse_threshold=1.0 if kind.encoder == "sparse" else 0.0,
        )
        model = make_pipeline(encode, kind.make())
    if kind.policy:
        model = DecisionPolicy(model, random_policy(rng, actions, kind.classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(fitted_on, y)
    if kind.number:
        at = float(np.quantile(signal, rng.choice([0.5, 0.8])))
        most = at if kind.positive else -at
        target: Any = AtLeast(at) if rng.random() < 0.7 else AtMost(most)
    else:
        target = int(rng.choice(kind.classes)) if kind.classes == 3 else 1
    threshold = None
    if kind.threshold and rng.random() < 0.5:
        threshold = float(rng.choice([0.3, 0.6, 0.8]))
    if kind.peak:
        rows = peaked_rows(rng, actions, 120)
    else:
        rows = random_rows(rng, actions, 120, missing)
    for name in labels:
        rows[name] = rows[name].astype(X[name].dtype)
    rows = twisted.rows(rng, actions, rows)
    try:
        chosen = _valid_people(rng, actions, rows, people)
    except lattice.TooManyPointsError:
        return None
    if not len(chosen):
        return None
    world = World(
        seed,
        family,
        actions,
        model,
        X,
        chosen,
        target,
        threshold,
        str(rng.choice(["minimal", "joint"])),
        missing,
    )
    if kind.picky and not _is_accepted(world):
        return None
    if kind.peak and kind.threshold and rng.random() < 0.7:
        world = _with_threshold_near_the_best(rng, world)
    world = twisted.world(rng, world)
    if world is not None and not _answers_for(world):
        return None
    return world


def _answers_for(world):
    """Whether the model accepts the people as it was fitted.

    A column of a nullable dtype has NA where a value is missing, which steps refuse.
    """
    nullable = {
        name: dtype
        for name, dtype in world.X.dtypes.items()
        if pd.api.types.is_extension_array_dtype(dtype) and dtype.kind in "biuf"
    }
    try:
        world.model.predict(world.people.astype(nullable))
    except ValueError:
        return False
    return True


def _is_accepted(world):
    """Whether the model answers for all that people can reach on one part.

    Where it does not, `explain` raises as the model does.
    """
    for i in range(len(world.people)):
        for names in lattice.components(world.actions):
            options = lattice.options_on(world.actions, names, world.row(i))
            try:
                world.model.predict(world.points(i, options.values))
            except ValueError:
                return False
    return True


def _with_threshold_near_the_best(rng, world):
    """Ask for about the largest probability that somebody can get."""
    from .person import Person

    person = Person(world, int(rng.integers(len(world.people))))
    after = {n: [v] for n, v in person.climb.best().items()}
    at = world.model.classes_.tolist().index(world.target)
    most = float(world.model.predict_proba(world.points(person.i, after))[0, at])
    off = float(rng.choice([0.0, 1e-9, 1e-6, 1e-4, 1e-2, -1e-9, -1e-6, -1e-3]))
    return replace(world, threshold=float(np.clip(most * (1 - off), 1e-9, 1 - 1e-9)))
