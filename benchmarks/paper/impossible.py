"""HELOC with the points that the study reaches and nobody can.

A change of trades with a balance drags the count of trades along. The study holds the
thermometer of that count to what a person does, not to what it comes to: a person can
then have at least 5 trades but not 3. skresp holds it to the reached point. To see
what that makes, the study's points are listed here, and put in place of the rules.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from methods import Told, denied, paths, told
from models import load
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, ResponsivenessExplainer
from skresp.constraints import Linkage, Reachability, Thermometer

COUNTS = (2, 3, 5, 7)
Point = tuple[int, ...]


def level(on: int) -> list[int]:
    """A thermometer that stands at that level."""
    return [1] * on + [0] * (len(COUNTS) - on)


def reached(balance: int, trades: int) -> set[Point]:
    """Where the study lets people go from these levels of both thermometers."""
    out = {(*level(balance), *level(own)) for own in range(trades + 1)}
    for lower in range(balance):
        for own in range(balance, trades + 1):  # each dragged mark must be on
            marks = level(own)
            marks[lower:balance] = [0] * (balance - lower)
            out.add((*level(lower), *marks))
    return out


def as_in_the_study(actions: ActionSet) -> ActionSet:
    """HELOC's action set with the study's points of both kinds of trades."""
    moves = {
        (*level(balance), *level(trades)): reached(balance, trades)
        for balance, trades in product(range(len(COUNTS) + 1), repeat=2)
    }
    values = sorted({point for points in moves.values() for point in points})
    matrix = [
        [int(there == here or there in moves.get(here, ())) for there in values]
        for here in values
    ]
    rules: list[Any] = []
    replaced: set[str] = set()
    for kind in ("NumInstallTrades", "NumRevolvingTrades"):
        group = [f"{kind}{end}_geq_{n}" for end in ("WBalance", "") for n in COUNTS]
        rules.append(Reachability(group, values, matrix))
        replaced |= set(group)
    for rule in actions.constraints:
        mine = isinstance(rule, Linkage) and rule.source in replaced
        mine |= isinstance(rule, Thermometer) and set(rule.features) <= replaced
        if not mine:
            rules.append(rule)
    return actions.replace(constraints=rules)


def with_impossible(model: Any) -> tuple[dict[str, float], Told]:
    """Paths to recourse and the lists of RESP, impossible points counted."""
    bunch = load("heloc")
    actions = as_in_the_study(bunch.action_set)
    judge = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    judge.fit(bunch.data)
    truth = judge.explain(denied("heloc", model))
    return paths("heloc", model, actions), told(truth, truth)
