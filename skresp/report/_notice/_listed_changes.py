"""Which of the features that work a letter lists."""

from __future__ import annotations

from collections.abc import Sequence

from skresp._actions._action_set import ActionSet
from skresp._explain._explanation import Explanation
from skresp._explain._working_values import WorkingChange, share_known, working_change
from skresp.constraints import Ordinal, Thermometer

# Advice that few changes follow is listed only where there is no other.
_MIN_SHARE = 0.05


def listed_changes(
    explanation: Explanation, row: int, working: Sequence[int], most: int
) -> tuple[list[WorkingChange], int]:
    """Return the changes to list, best first, and how many more there are.

    Features of which less than 5% of the changes work are left out, unless no other
    feature works. Of the columns of one scale, such as burdens of at least 10, 20 and
    50 percent, only the one with the smallest change is kept in each direction.
    """
    known, scores = share_known(explanation)[row], explanation.values[row]
    likely = [j for j in working if scores[j] >= _MIN_SHARE or not known[j]]
    chosen = likely or list(working)
    names = [explanation.feature_names[j] for j in chosen]
    scales = _scales(explanation._with_points("notice").actions, names)
    changes: dict[str, WorkingChange] = {}
    for place, (j, name) in enumerate(zip(chosen, names, strict=True)):
        if name in scales or place < most + len(scales):
            changes[name] = working_change(explanation, row, j)
    for name in _not_smallest(changes, scales):
        names.remove(name)
    listed = names[:most]
    return [changes[name] for name in listed], len(names) - len(listed)


def _scales(actions: ActionSet, names: Sequence[str]) -> dict[str, int]:
    """Return the scale of each of these features that shares one with another."""
    scales: dict[str, int] = {}
    for k, rule in enumerate(actions.constraints):
        if isinstance(rule, (Ordinal, Thermometer)):
            mine = [name for name in rule.features if name in names]
            if len(mine) > 1:
                scales |= dict.fromkeys(mine, k)
    return scales


def _not_smallest(
    changes: dict[str, WorkingChange], scales: dict[str, int]
) -> list[str]:
    """Return the features of a scale that need more than another one does."""
    smallest: dict[tuple[int, bool], str] = {}
    out = []
    for name in changes:
        moves = changes[name].moves
        if name not in scales or not moves:
            continue
        direction = scales[name], bool(moves[0].new > moves[0].old)
        other = smallest.setdefault(direction, name)
        if other == name:
            continue
        if len(moves) < len(changes[other].moves):
            smallest[direction], other = name, other
            out.append(other)
        else:
            out.append(name)
    return out
