"""The cheapest witness against all that enumeration finds."""

from __future__ import annotations

import numpy as np

from . import lattice
from .person import differs, witness_of
from .world import plain_value


def _prices(world):
    rng = np.random.default_rng(world.seed + 1)
    return {
        n: (float(rng.integers(1, 6)), float(rng.integers(1, 6)))
        for n, f in world.actions.features.items()
        if f.actionable
    }


def cost_of(world, person, after, prices):
    """What a change costs: by prices, or features acted on and then their shares."""
    acted, shares, total = 0, 0.0, 0.0
    own = lattice.own_changes(world.actions, person.row, after)
    for n, f in world.actions.features.items():
        change = own.get(n, float(differs(after[n], person.row[n])))
        if abs(change) < 1e-7:
            continue
        acted += 1
        if f.kind == "categorical":
            shares += 1.0
        else:
            wide = 1.0 if f.kind == "binary" else float(f.upper - f.lower)
            shares += abs(change) / wide
        if prices is not None and n in prices:
            up, down = prices[n]
            total += up * change if change > 0 else -down * change
    return (acted, shares) if prices is None else (total, 0.0)


def check_costs(world, people, explainer, plain):
    labels = {n for n, f in world.actions.features.items() if f.kind == "categorical"}
    prices = {n: p for n, p in _prices(world).items() if n not in labels}
    for how, mapping in (("fewest", None), (prices, prices)):
        verdicts = explainer.verify(world.people, cost=how)
        for person in people:
            i, status = person.i, verdicts.status[person.i]
            # In another order the search of a black box may find less in its budget.
            open_ = {status, plain.status[i]} == {"possible", "unknown"}
            if status != plain.status[i] and (world.kind.read or not open_):
                yield f"row {i}: {plain.status[i]}, but {status} with cost={how}"
            witness = witness_of(verdicts, i)
            if status not in ("single", "joint") or witness is None:
                continue
            broken = lattice.allowed(world.actions, person.row, witness)
            point = world.points(i, {n: [v] for n, v in witness.items()})
            if broken or not world.reaches(point)[0]:
                yield f"row {i}: with cost={how} the witness {witness} fails: {broken}"
            if verdicts.proof[i] == "cheapest found" or (
                verdicts.proof[i] == "witness" and world.has_reals
            ):
                continue
            paid = cost_of(world, person, witness, mapping)
            least = min(
                (cost_of(world, person, a, mapping) for a in _ways(person, status)),
                default=None,
            )
            if least is not None and _dearer(paid, least):
                yield (
                    f"row {i}: cost={how}: the witness {witness} ({status}, "
                    f"{verdicts.proof[i]}) costs {paid}, the least is {least}"
                )


def _dearer(paid, least):
    if abs(paid[0] - least[0]) > 1e-5:
        return paid[0] > least[0]
    return paid[1] > least[1] + 1e-5


def _ways(person, status):
    """Rows that reach the target, within the status."""
    if status == "single":
        for part, mask, hits in person.interventions.values():
            for t in np.flatnonzero(mask)[hits]:
                yield person.row | {
                    n: plain_value(v[t]) for n, v in part.values.items()
                }
    else:
        for choice in person.hits:
            out = dict(person.row)
            for t, part in zip(choice, person.parts, strict=True):
                out |= {n: plain_value(v[t]) for n, v in part.values.items()}
            yield out
