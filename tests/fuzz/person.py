"""What enumeration and the model itself say about one person."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from . import lattice
from .climb import Climb
from .world import World, plain_value

# Combinations of all parts that are gone through; of more, some at random.
_MOST = 20_000
_SOME = 3_000


class Person:
    """What the meanings and the model itself say about one person."""

    def __init__(self, world: World, i: int):
        self.world, self.i, self.row = world, i, world.row(i)
        self.parts = [
            lattice.options_on(world.actions, names, self.row)
            for names in lattice.components(world.actions)
        ]

    @cached_property
    def denied(self) -> bool:
        return not self.world.reaches(self.world.people.iloc[[self.i]])[0]

    def part_of(self, name):
        return next(p for p in self.parts if name in p.names)

    @cached_property
    def answers(self):
        """For each part, which of its options alone reach the target."""
        return [
            self.world.reaches(self.world.points(self.i, p.values)) for p in self.parts
        ]

    @cached_property
    def interventions(self):
        """For each actionable feature its part, which options they are, the answers."""
        out = {}
        for part, answers in zip(self.parts, self.answers, strict=True):
            for name in part.names:
                if self.world.actions.features[name].actionable:
                    mask = part.single(
                        self.world.actions, name, self.world.interventions
                    )
                    out[name] = part, mask, answers[mask]
        return out

    @cached_property
    def has_single(self) -> bool:
        return any(hits.any() for _, _, hits in self.interventions.values())

    @cached_property
    def combinations(self):
        """Choices over all parts, and whether these are all of them."""
        sizes = [len(p) for p in self.parts]
        many = float(np.prod([float(s) for s in sizes]))
        if many <= _MOST:
            return np.indices(sizes).reshape(len(sizes), -1).T, True
        rng = np.random.default_rng(self.world.seed)
        return np.array([rng.integers(s, size=_SOME) for s in sizes]).T, False

    @cached_property
    def hits(self):
        """The combinations that reach the target."""
        choice, _ = self.combinations
        columns = {
            name: part.values[name][choice[:, p]]
            for p, part in enumerate(self.parts)
            for name in part.names
        }
        return choice[self.world.reaches(self.world.points(self.i, columns))]

    @property
    def expected(self) -> str | None:
        """The status, where enumeration tells it."""
        if not self.denied:
            return "approved"
        if self.world.has_reals:
            return None
        if self.has_single:
            return "single"
        if len(self.hits):
            return "joint"
        return "fixed" if self.combinations[1] else None

    @cached_property
    def climb(self) -> Climb:
        return Climb(self.world, self)

    def is_line(self, name) -> bool:
        """Whether nothing but a feature and what follows it has freedom."""
        part = self.part_of(name)
        actions = self.world.actions
        others = [n for n in part.names if n != name]
        return not any(actions.features[n].can_change for n in others)


def witness_of(verdicts, i):
    """The witness of a row as plain values; None where there is none."""
    if not verdicts.has_witness[i]:
        return None
    place = int(verdicts.has_witness[:i].sum())
    points = verdicts.witness
    return {n: plain_value(points[n].iloc[place]) for n in points.columns}


def differs(a, b):
    return a != b and not (lattice.is_missing(a) and lattice.is_missing(b))
