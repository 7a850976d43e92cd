"""Which of the features that work a letter lists."""

from __future__ import annotations

from collections.abc import Sequence

from skresp._actions._action_set import ActionSet
from skresp._explain._explanation import Explanation
from skresp._explain._working_values import WorkingChange, share_known, working_change
from skresp.constraints import Ordinal, Thermometer
from skresp.reach._part import parts_of

# Advice that few changes follow is listed only where there is no other.
_MIN_SHARE = 0.05


def listed_changes(
    explanation: Explanation, row: int, working: Sequence[int], most: int
) -> tuple[list[WorkingChange], int]:
    """Return the changes to list, best first, and how many more there are.

    Features of which less than 5% of the changes work are left out, unless no other
    feature works. Of the columns of one scale, such as burdens of at least 10, 20 and
    50 percent, only the one with the smallest change is kept in each direction. A
    change that includes another one that works is left out.
    """
    known, scores = share_known(explanation)[row], explanation.values[row]
    likely = [j for j in working if scores[j] >= _MIN_SHARE or not known[j]]
    chosen = likely or list(working)
    names = [explanation.feature_names[j] for j in chosen]
    actions = explanation._with_points("notice").actions
    scales, linked = _scales(actions, names), _linked(actions, names)
    changes: dict[str, WorkingChange] = {}
    for place, (j, name) in enumerate(zip(chosen, names, strict=True)):
        if name in linked or place < most + len(linked):
            changes[name] = working_change(explanation, row, j)
    out = {*_not_smallest(changes, scales), *_including_others(changes)}
    names = [name for name in names if name not in out]
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


def _linked(actions: ActionSet, names: Sequence[str]) -> set[str]:
    """Return the features that constraints link to another one of these."""
    out: set[str] = set()
    for part in parts_of(actions):
        mine = {name for name in part.names if name in names}
        if len(mine) > 1:
            out |= mine
    return out


def _including_others(changes: dict[str, WorkingChange]) -> list[str]:
    """Return the features whose only change includes the change of another feature.

    Of features whose only changes are one and the same, the first is not returned.
    """
    moved = {
        name: {(move.feature, move.new) for move in change.moves}
        for name, change in changes.items()
    }
    only = [n for n, change in changes.items() if _is_only_change(change)]
    return [
        name
        for place, name in enumerate(only)
        if any(other and other < moved[name] for other in moved.values())
        or any(moved[other] == moved[name] for other in only[:place])
    ]


def _is_only_change(change: WorkingChange) -> bool:
    return change.kind == "binary" and change.n == 1 and bool(change.moves)


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
