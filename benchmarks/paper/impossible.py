"""HELOC with points that the study counts as reachable although they are impossible.

A change of trades with a balance changes the count of trades too. The study applies the
thermometer of that count to the person's own change, not to the reached point, so that
a person can have at least 5 trades but not 3. skresp applies it to the reached point.
To measure the difference, the study's points are listed here and replace the rules.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from methods import MethodResult, denied, paths, summarise
from models import load
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, ResponsivenessExplainer
from skresp.constraints import Linkage, Reachability, Thermometer

COUNTS = (2, 3, 5, 7)
Point = tuple[int, ...]


def level(on: int) -> list[int]:
    """Return a thermometer at a level."""
    return [1] * on + [0] * (len(COUNTS) - on)


def reached(balance: int, trades: int) -> set[Point]:
    """Return the points that the study counts as reachable from these levels."""
    out = {(*level(balance), *level(own)) for own in range(trades + 1)}
    for lower in range(balance):
        for own in range(balance, trades + 1):  # each mark that moves must be on
            marks = level(own)
            marks[lower:balance] = [0] * (balance - lower)
            out.add((*level(lower), *marks))
    return out


def as_in_the_study(actions: ActionSet) -> ActionSet:
    """Return HELOC's action set with the study's points for both kinds of trades."""
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


def with_impossible(model: Any) -> tuple[dict[str, float], MethodResult]:
    """Return recourse and the lists of RESP, with impossible points."""
    bunch = load("heloc")
    actions = as_in_the_study(bunch.action_set)
    judge = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    judge.fit(bunch.data)
    truth = judge.explain(denied("heloc", model))
    return paths("heloc", model, actions), summarise(truth, truth)
