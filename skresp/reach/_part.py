"""One part of an action set, made ready for computing: columns, effects, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet, Constraint, Feature
from skresp.constraints import Program

Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Part:
    """Features tied by joint constraints, with the constraints in numbers.

    Changes come in two forms, both arrays with a column a feature: *own* changes,
    what people do directly, and *total* changes, with the effects that follow. Each
    determines the other.
    """

    names: tuple[str, ...]
    features: tuple[Feature, ...]
    constraints: tuple[Constraint, ...]
    links: tuple[tuple[int, int, float], ...]  # (source, target, scale), sources first
    order: tuple[int, ...]  # every source before its targets

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.features, self.constraints))

    @cached_property
    def rules(self) -> tuple[tuple[Constraint, list[int]], ...]:
        """The constraints with the positions of their features."""
        place = {name: i for i, name in enumerate(self.names)}
        return tuple((r, [place[n] for n in r.features]) for r in self.constraints)

    @cached_property
    def actionable(self) -> tuple[int, ...]:
        """Positions of the actionable features."""
        return tuple(i for i, f in enumerate(self.features) if f.actionable)

    @cached_property
    def followers(self) -> tuple[int, ...]:
        """Positions of the features that move only along with actionable ones."""
        return tuple(
            i for i, f in enumerate(self.features) if f.can_change and not f.actionable
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
        """Whether nothing downstream of `j` could take back what arrives there.

        Then a change of `j` with its effects, where it is feasible, is minimal.
        """
        reached = {j}
        for source, target, _ in self.links:
            if source in reached:
                reached.add(target)
        return not any(self.features[k].can_change for k in reached - {j})

    def is_pushed(self, j: int) -> bool:
        """Return whether a feature upstream of `j` could move and `j` with it."""
        upstream = {source for source, _ in self.links_into[j]}
        for source, target, _ in reversed(self.links):
            if target in upstream:
                upstream.add(source)
        return any(self.features[k].can_change for k in upstream)

    def total(self, own: Numbers) -> Numbers:
        """The total changes that follow from own changes."""
        change = own.copy()
        for target in self.order:
            self.add_effects(change, target)
        return change

    def add_effects(self, change: Numbers, target: int) -> None:
        """Add to a feature's own changes what arrives from its sources, in place."""
        links = self.links_into[target]
        if not links:
            return
        size = np.abs(change[:, target])
        for source, scale in links:
            effect = scale * change[:, source]
            change[:, target] += effect
            size += np.abs(effect)
        if self.features[target].kind == "real":
            # An own change that takes back what arrives leaves nothing, not 1e-17.
            change[np.abs(change[:, target]) <= _ROUNDING * size, target] = 0.0

    def own(self, change: Numbers) -> Numbers:
        """Return the own changes behind total changes.

        What is left of a real where effects make up its whole change is rounding, and
        counts as 0: a feature that nobody can change has not been changed.
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

    def feasible(self, before: Numbers, own: Numbers) -> Truth:
        """The meaning: which own changes a person at each row of `before` can make."""
        ok = np.ones(len(own), dtype=bool)
        for i, feature in enumerate(self.features):
            ok &= feature.allows(before[:, i], own[:, i])
        ok &= self.accompanied(own)
        after = before + self.total(own)
        for i, feature in enumerate(self.features):
            if feature.kind == "binary":
                ok &= np.isnan(before[:, i]) | (after[:, i] == 0) | (after[:, i] == 1)
        for rule, columns in self.rules:
            ok[ok] = satisfied(rule, before[ok][:, columns], after[ok][:, columns])
        return ok

    def accompanied(self, own: Numbers) -> Truth:
        """Whether nothing that is merely mutable moves by itself."""
        if not self.followers:
            return np.ones(len(own), dtype=bool)
        led = (own[:, self.actionable] != 0).any(axis=1)
        return led | (own[:, self.followers] == 0).all(axis=1)

    def valid(self, before: Numbers) -> Truth:
        """Which rows obey the constraints as they stand."""
        return self.feasible(before, np.zeros_like(before))

    def program(self, before: Numbers) -> Program:
        """The program whose solutions are the feasible changes of one person."""
        program = Program(
            dict(zip(self.names, self.features, strict=True)),
            self.program_links,
            dict(zip(self.names, before.tolist(), strict=True)),
            [self.names[i] for i in self.order],
        )
        for rule, columns in self.rules:
            gone = np.isnan(before[columns])
            if rule.needs_values and gone.any():
                known = zip(rule.features, gone, strict=True)
                program.freeze([name for name, missing in known if not missing])
            else:
                rule.encode(program)
        return program


def satisfied(rule: Constraint, before: Numbers, after: Numbers) -> Truth:
    """Where a rule holds; where it cannot be judged, nothing it names may move."""
    ok = rule.holds(before, after)
    if rule.needs_values:
        unknown = np.isnan(before).any(axis=1)
        if unknown.any():
            stays = ((after == before) | np.isnan(before)).all(axis=1)
            ok = np.where(unknown, stays, ok)
    return ok


@lru_cache(maxsize=64)
def parts_of(actions: ActionSet) -> tuple[Part, ...]:
    """The parts of an action set, in the order of `actions.parts`."""
    out = []
    for names in actions.parts:
        place = {name: i for i, name in enumerate(names)}
        order = [name for name in actions.effect_order if name in place]
        links = [
            (place[source], place[target], float(scale))
            for target in order
            for (source, to), scale in actions.effects.items()
            if to == target
        ]
        rules = [r for r in actions.constraints if r.features[0] in place]
        out.append(
            Part(
                names,
                tuple(actions.features[name] for name in names),
                tuple(rule.coded(actions.features) for rule in rules),
                tuple(links),
                tuple(place[name] for name in order),
            )
        )
    return tuple(out)
