"""Changes that other changes bring about, so that a letter need not ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from skresp._actions._action_set import ActionSet
from skresp._explain._person import Move
from skresp.constraints import OneHot, Ordinal, Thermometer


def implied_changes(actions: ActionSet, moves: Sequence[Move]) -> set[str]:
    """Return the moved columns of an encoding that follow from another one's move.

    On a Thermometer, such as income of at least 3 and of at least 5 thousand, only the
    column that is furthest away is a change of its own. Where at most one column can be
    on, the one that is turned on turns off the other.
    """
    new = {move.feature: move.new for move in moves}
    out: set[str] = set()
    for rule in actions.constraints:
        if not isinstance(rule, (OneHot, Ordinal, Thermometer)):
            continue
        on = [name for name in rule.features if new.get(name) == 1]
        off = [name for name in rule.features if new.get(name) == 0]
        if isinstance(rule, Thermometer):
            out |= {*on[:-1], *off[1:]}
        elif on and (isinstance(rule, Ordinal) or rule.limit == 1):
            out |= set(off)
    return out
