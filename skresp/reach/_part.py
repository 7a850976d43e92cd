"""A part of an action set as arrays: effects, feasibility and program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from skresp._actions._action_set import ActionSet
from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp.constraints._program import Program

_ROUNDING = 1e-12
# Smaller changes of a real, or a few units in the last place, do not count as changes.
_LEAST_CHANGE = 1e-11


@dataclass(frozen=True)
class Part:
    """Features that are connected by joint constraints.

    Own changes and total changes are arrays with one column for each feature. Each
    determines the other.

    Attributes
    ----------
    names : tuple of str
    features : tuple of Feature
    constraints : tuple of Constraint
        The constraints over codes.
    links : tuple of (source, target, scale)
        The effects by position, ordered so that sources come first.
    order : tuple of int
        The positions, every source before its targets.
    """

    names: tuple[str, ...]
    features: tuple[Feature, ...]
    constraints: tuple[Constraint, ...]
    links: tuple[tuple[int, int, float], ...]
    order: tuple[int, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.features, self.constraints))

    @cached_property
    def rules(self) -> tuple[tuple[Constraint, list[int]], ...]:
        """The constraints with the positions of their features."""
        position = {name: i for i, name in enumerate(self.names)}
        return tuple((r, [position[n] for n in r.features]) for r in self.constraints)

    @cached_property
    def actionable(self) -> tuple[int, ...]:
        """Positions of the actionable features."""
        return tuple(i for i, f in enumerate(self.features) if f.actionable)

    @cached_property
    def is_unconstrained(self) -> bool:
        """Whether the part is one feature without constraints."""
        return len(self.names) == 1 and not self.constraints

    @cached_property
    def stands_alone(self) -> bool:
        """Whether the part is one integer or real feature without constraints."""
        return self.is_unconstrained and self.features[0].kind in ("integer", "real")

    @cached_property
    def followers(self) -> tuple[int, ...]:
        """Positions of the features that are mutable but not actionable."""
        return tuple(
            i for i, f in enumerate(self.features) if f.can_change and not f.actionable
        )

    @cached_property
    def movable(self) -> tuple[int, ...]:
        """Positions of the features that can move, by themselves or as an effect."""
        targets = {target for _, target, _ in self.links}
        return tuple(
            k for k, f in enumerate(self.features) if f.can_change or k in targets
        )

    @cached_property
    def links_into(self) -> tuple[tuple[tuple[int, float], ...], ...]:
        """For each feature the sources of its effects, with their scales."""
        return tuple(
            tuple((source, scale) for source, to, scale in self.links if to == k)
            for k in range(len(self.names))
        )

    @cached_property
    def program_links(self) -> dict[tuple[str, str], float]:
        """The effects by name."""
        return {(self.names[s], self.names[t]): scale for s, t, scale in self.links}

    def leads_alone(self, j: int) -> bool:
        """Return whether no feature downstream of `j` can cancel the effects of `j`.

        Then a feasible change of `j` with its effects is minimal.
        """
        return not any(self.features[k].can_change for k in self.downstream([j]) - {j})

    def downstream(self, sources: Iterable[int]) -> set[int]:
        """Return some features and all that their effects reach."""
        reached = set(sources)
        for source, target, _ in self.links:
            if source in reached:
                reached.add(target)
        return reached

    def is_pushed(self, j: int) -> bool:
        """Return whether some feature upstream of `j` can change."""
        upstream = {source for source, _ in self.links_into[j]}
        for source, target, _ in reversed(self.links):
            if target in upstream:
                upstream.add(source)
        return any(self.features[k].can_change for k in upstream)

    def total(self, own: FloatArray) -> FloatArray:
        """Return the total changes of own changes."""
        change = own.copy()
        for target in self.order:
            self.add_effects(change, target)
        return change

    def effects_on(self, change: FloatArray, target: int) -> FloatArray:
        """Return the sum of the effects on a feature, from its sources' total changes.

        `change` has a last axis of features.
        """
        out = np.zeros(change.shape[:-1])
        for source, scale in self.links_into[target]:
            out += scale * change[..., source]
        return out

    def add_effects(self, change: FloatArray, target: int) -> None:
        """Add the effects of a feature's sources to its own changes, in place."""
        links = self.links_into[target]
        if not links:
            return
        size = np.abs(change[:, target])
        for source, scale in links:
            effect = scale * change[:, source]
            change[:, target] += effect
            size += np.abs(effect)
        if self.features[target].kind == "real":
            # An own change that cancels the effects leaves 0, not 1e-17.
            change[np.abs(change[:, target]) <= _ROUNDING * size, target] = 0.0

    def own(self, change: FloatArray) -> FloatArray:
        """Return the own changes of total changes.

        Where effects make up the whole change of a real, the difference is rounding
        and counts as 0.
        """
        own, size = change.copy(), np.abs(change)
        for source, target, scale in self.links:
            effect = scale * change[:, source]
            own[:, target] -= effect
            size[:, target] += np.abs(effect)
        for target in {target for _, target, _ in self.links}:
            if self.features[target].kind == "real":
                rounding = np.abs(own[:, target]) <= _ROUNDING * size[:, target]
                own[rounding, target] = 0.0
        return own

    def feasible(self, before: FloatArray, own: FloatArray) -> BoolArray:
        """Return which own changes are feasible from the rows of `before`."""
        ok = np.ones(len(own), dtype=bool)
        for i, feature in enumerate(self.features):
            ok &= feature.allows(before[:, i], own[:, i])
        ok &= self.accompanied(before, own)
        ok[ok] = self._allows(before[ok], (before + self.total(own))[ok])
        return ok

    def _allows(self, before: FloatArray, after: FloatArray) -> BoolArray:
        """Return where binaries stay binary, and all constraints hold."""
        start, end = before[:, self._binary], after[:, self._binary]
        ok = (np.isnan(start) | (end == 0) | (end == 1)).all(axis=1)
        for rule, columns in self.rules:
            ok[ok] = satisfied(rule, before[ok][:, columns], after[ok][:, columns])
        return np.asarray(ok)

    @cached_property
    def _binary(self) -> list[int]:
        """Positions of the binary features."""
        return [i for i, f in enumerate(self.features) if f.kind == "binary"]

    def accompanied(self, before: FloatArray, own: FloatArray) -> BoolArray:
        """Return where features that are only mutable move alongside an actionable one.

        An own change of a real within the rounding of its value does not count.
        """
        if not self.followers:
            return np.ones(len(own), dtype=bool)
        acted = np.zeros(len(own), dtype=bool)
        for k in self.actionable:
            least = np.zeros(len(own))
            if self.features[k].kind == "real":
                least = _LEAST_CHANGE + 4 * np.spacing(np.abs(before[:, k]))
            acted |= np.abs(own[:, k]) > least
        return acted | (own[:, self.followers] == 0).all(axis=1)

    def valid(self, before: FloatArray) -> BoolArray:
        """Return which rows satisfy the constraints before any change.

        No change is within every feature's own limits.
        """
        return self._allows(before, before)

    def program(self, before: FloatArray) -> Program:
        """Return the program whose solutions are the feasible changes of one person."""
        program = Program(
            dict(zip(self.names, self.features, strict=True)),
            self.program_links,
            dict(zip(self.names, before.tolist(), strict=True)),
            [self.names[i] for i in self.order],
        )
        for rule, columns in self.rules:
            if not (rule.needs_values and np.isnan(before[columns]).any()):
                rule.encode(program)
        program.freeze([self.names[k] for k in self.held(before)])
        return program

    def stays(self, before: FloatArray, j: int) -> bool:
        """Return whether a missing value keeps feature `j` still."""
        return bool(np.isnan(before[j])) or j in self.held(before)

    def held(self, before: FloatArray) -> list[int]:
        """Return the features that a constraint with a missing value keeps still."""
        out: set[int] = set()
        for rule, columns in self.rules:
            missing = np.isnan(before[columns])
            if rule.needs_values and missing.any():
                out.update(np.asarray(columns)[~missing].tolist())
        return sorted(out)


def satisfied(rule: Constraint, before: FloatArray, after: FloatArray) -> BoolArray:
    """Return where a constraint holds.

    Where one of its values is missing, it holds if none of its features moves.
    """
    ok = rule.holds(before, after)
    if rule.needs_values:
        unknown = np.isnan(before).any(axis=1)
        if unknown.any():
            stays = ((after == before) | np.isnan(before)).all(axis=1)
            ok = np.where(unknown, stays, ok)
    return ok


def as_one_part(actions: ActionSet) -> Part:
    """Return a part with all features and no constraints, to build points with."""
    names = actions.names
    features = tuple(actions.features.values())
    return Part(names, features, (), (), tuple(range(len(names))))


@lru_cache(maxsize=64)
def located_parts(actions: ActionSet) -> tuple[tuple[Part, IndexArray], ...]:
    """Return the parts, each with the positions of its features in the action set."""
    position = {name: i for i, name in enumerate(actions.names)}
    return tuple(
        (part, np.array([position[name] for name in part.names]))
        for part in parts_of(actions)
    )


@lru_cache(maxsize=64)
def actionable_parts(actions: ActionSet) -> tuple[tuple[Part, IndexArray], ...]:
    """Return the parts of `located_parts` that people can change."""
    return tuple(each for each in located_parts(actions) if each[0].actionable)


@lru_cache(maxsize=64)
def scored_columns(actions: ActionSet) -> dict[Part, IndexArray]:
    """Return the positions in the action set of the actionable features of parts."""
    return {
        part: columns[list(part.actionable)] for part, columns in located_parts(actions)
    }


def part_with(actions: ActionSet, feature: str) -> tuple[Part, IndexArray]:
    """Return the part of a feature, and the positions of the part's features."""
    return next(each for each in located_parts(actions) if feature in each[0].names)


@lru_cache(maxsize=64)
def parts_of(actions: ActionSet) -> tuple[Part, ...]:
    """Return the parts of an action set, in the order of `actions.parts`."""
    out = []
    rank = {name: i for i, name in enumerate(actions.effect_order)}
    for names in actions.parts:
        position = {name: i for i, name in enumerate(names)}
        order = sorted(names, key=rank.__getitem__)
        links = [
            (position[source], position[target], float(scale))
            for target in order
            for (source, to), scale in actions.effects.items()
            if to == target
        ]
        rules = [r for r in actions.constraints if r.features[0] in position]
        out.append(
            Part(
                names,
                tuple(actions.features[name] for name in names),
                tuple(rule.coded(actions.features) for rule in rules),
                tuple(links),
                tuple(position[name] for name in order),
            )
        )
    return tuple(out)
