"""Several changes that work together, with numbers people can read."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp.actions import as_table, decode
from skresp.explain import Explanation, Move
from skresp.recourse import Verdicts


def together(explanation: Explanation, verdicts: Verdicts, row: int) -> list[Move]:
    """What the witness of a person changes; reals rounded where it still works."""
    actions = verdicts.actions
    before = verdicts.codes[[row]]
    after = before + verdicts.judged.change[[row]]
    changed = np.flatnonzero(verdicts.judged.change[row])
    for digits in (0, 1, 2, 3, 4):
        rounded = _rounded(explanation, before, after, changed, digits)
        if _works(explanation, verdicts, row, before, rounded):
            after = rounded
            break
    person = explanation._row(row)
    shown_old = explanation.source.as_numbers(person, list(actions.names))[1][0]
    point = decode(actions, as_table(person), before, after)
    shown_new = explanation.source.as_numbers(point, list(actions.names))[1][0]
    targets = {target for _, target in actions.effects}
    moves = [
        Move(
            actions.names[k],
            shown_old[k],
            shown_new[k],
            actions.names[k] in targets
            and not actions.features[actions.names[k]].can_change,
        )
        for k in changed
    ]
    return sorted(moves, key=lambda move: move.follows)  # first what people do


def _rounded(
    explanation: Explanation, before: Any, after: Any, changed: Any, digits: int
) -> Any:
    """Real landings rounded away from where the person stands."""
    out = after.copy()
    actions = explanation.source.actions
    unit = 10.0**-digits
    for k in changed:
        name = actions.names[k]
        if actions.features[name].kind != "real":
            continue
        up = after[0, k] > before[0, k]
        scaled = after[0, k] / unit
        whole = np.ceil(scaled - 1e-9) if up else np.floor(scaled + 1e-9)
        out[0, k] = round(float(whole) * unit, digits)
    return out


def _works(
    explanation: Explanation, verdicts: Verdicts, row: int, before: Any, after: Any
) -> bool:
    """Whether a rounded point is feasible and still reaches the target.

    Rounding is kept to features that no effect starts from or leads to: there own and
    total change are the same.
    """
    actions = verdicts.actions
    tied = {name for pair in actions.effects for name in pair}
    exact = before + verdicts.judged.change[[row]]
    for k in np.flatnonzero(after[0] != exact[0]):
        name = actions.names[k]
        change = after[0, k] - before[0, k]
        if name in tied or change == 0:
            return False
        if not actions.features[name].allows(before[:, k], [change]).all():
            return False
    for rule in actions.constraints:
        places = [actions.names.index(name) for name in rule.features]
        coded = rule.coded(actions.features)
        if not coded.holds(before[:, places], after[:, places]).all():
            return False
    person = as_table(explanation._row(row))
    point = decode(actions, person, before, after)
    return bool(explanation.source.door(point).ask(np.arange(1))[0])
