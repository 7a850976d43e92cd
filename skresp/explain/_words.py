"""One person's explanation in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skresp.actions import Feature
from skresp.scores import at_most

from ._numbers import number, percent
from ._person import Move
from ._works import WorkingChange, working_change, working_changes

if TYPE_CHECKING:
    from ._explanation import Explanation

_MOST_RANGES = 4


def describe(explanation: Explanation, row: int) -> str:
    """Return what one person could change, feature by feature, the best first."""
    if np.isnan(explanation.lower[row]).any():
        return "This row breaks a constraint as it stands and was not scored."
    late = np.flatnonzero(np.isnan(explanation.values[row]))
    lines = [_standing(explanation, row)]
    working = working_changes(explanation, row)
    if not working and not len(late):
        lines.append(_nothing(explanation, row))
    features = explanation.source.actions.features
    for j in working:
        change = working_change(explanation, row, j)
        lines.append(f"- {_reason(change, features[change.feature])}")
    if len(late):
        names = ", ".join(explanation.feature_names[j] for j in late)
        lines.append(f"Not computed within the time limit: {names}.")
    return "\n".join(lines)


def _standing(e: Explanation, row: int) -> str:
    """Return where the person stands now."""
    person = e._row(row)
    if e.threshold is not None:
        chance = float(e.source.probability(person)[0])
        now = f"The probability of {e.target} is {chance:.3g}"
        if e.at_target[row]:
            return f"{now}, at least the {e.threshold:g} asked for already."
        return f"{now}; the target is at least {e.threshold:g}."
    predicted = _predicted(e.source.predict(person)[0])
    if e.at_target[row]:
        return f"Predicted {predicted}, which is the target already."
    return f"Predicted {predicted}; the target is {e.target}."


def _nothing(e: Explanation, row: int) -> str:
    """Return what to say where no single change is known to work."""
    sampled = ~e.exact[row]
    if not sampled.any():
        return "No change of a single feature reaches the target."
    words = "No change of a single feature was found that reaches the target."
    drawn = sampled & (e.n_reachable[row] > 0)
    if drawn.any():
        alpha = e.source.question.alpha
        least = int(e.n_reachable[row][drawn].min())
        bound = float(at_most(least, alpha))
        words += (
            f" For {_names(e, drawn)} this rests on {least} draws: at most {bound:.2%} "
            f"of changes work, with confidence {1 - alpha:.0%} each."
        )
    if (sampled & ~drawn).any():
        words += (
            f" For {_names(e, sampled & ~drawn)} no feasible change was found, which "
            f"does not prove that there is none."
        )
    return words


def _names(e: Explanation, features: NDArray[np.bool_]) -> str:
    return ", ".join(e.feature_names[j] for j in np.flatnonzero(features))


def _reason(change: WorkingChange, feature: Feature) -> str:
    c = change
    if c.ends is not None:
        share = (
            f"{percent(c.score)} of its range works"
            if c.score > 0
            else "works at isolated values only"
        )
        text = f"{c.feature}: {share} (score {c.score:.2f}): {_ranges(c)}."
        if len(c.moves) > 1:
            text += f" Least change: {_moves(c.moves, feature)}."
        return text
    if c.exact:
        many = "change works" if c.n == 1 else "changes work"
        share = f"{c.hits} of {c.n} {many} (score {c.score:.2f})"
    else:
        share = (
            f"about {percent(c.score)} of changes work (score {c.score:.2f}, between "
            f"{c.lower:.2f} and {c.upper:.2f}, from {c.n} drawn)"
        )
    if not c.moves:
        return f"{c.feature}: {share}."
    ordered = feature.kind != "categorical" or feature.direction is not None
    lead = "Least change" if c.least else "Smallest change drawn"
    if not ordered:
        lead = "For instance"
    return f"{c.feature}: {share}. {lead}: {_moves(c.moves, feature)}."


def _moves(moves: list[Move], feature: Feature) -> str:
    """Return an example in words, the feature itself first."""
    lead, *rest = moves
    words = [_move(lead, feature)]
    for move in rest:
        value = number(move.new)
        words.append(
            f"{move.feature} follows to {value}"
            if move.follows
            else f"together with {move.feature} to {value}"
        )
    return "; ".join(words)


def _move(move: Move, feature: Feature) -> str:
    name, old, new = move.feature, move.old, move.new
    if feature.kind == "categorical":
        return f"change {name} from {old} to {new}"
    if feature.kind == "binary":
        return f"turn {name} {'on' if new else 'off'}"
    verb = "raise" if new > old else "lower"
    return f"{verb} {name} from {number(old)} to {number(new)}"


def _ranges(change: WorkingChange) -> str:
    """Return intervals in words: at most 0.5, or between 0.65 and 0.68."""
    steps = f" in steps of {change.step}" if change.step > 1 else ""
    words = []
    for (low, high), (down, up) in zip(change.ranges, change.ends or (), strict=True):
        if low == high:
            words.append(f"exactly {number(low)}")
        elif down and up:
            words.append("anywhere it can go")
        elif down:
            words.append(f"at most {number(high)}{steps}")
        elif up:
            words.append(f"at least {number(low)}{steps}")
        else:
            words.append(f"between {number(low)} and {number(high)}{steps}")
    if len(words) > _MOST_RANGES:
        words = [*words[:3], f"{len(words) - 3} more ranges"]
    return ", or ".join(words)


def _predicted(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)
