"""One person's explanation in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from skresp._actions._feature import Feature
from skresp._model._target import AtLeast, AtMost
from skresp._text import number, number_beside, one_line, percent, state
from skresp._typing import BoolArray
from skresp.scores import at_most

from ._person import Move
from ._working_values import WorkingChange, share_known, working_change, working_changes

if TYPE_CHECKING:
    from ._explanation import Explanation

_MAX_RANGES = 4


def describe(explanation: Explanation, row: int) -> str:
    """Return what one person could change, by feature, the highest score first."""
    if np.isnan(explanation.lower[row]).any():
        return "This row breaks a constraint before any change and was not scored."
    late = np.flatnonzero(np.isnan(explanation.values[row]))
    lines = [outcome_text(explanation, row)]
    working = working_changes(explanation, row)
    if not working and not len(late):
        lines.append(_nothing(explanation, row))
    features = explanation._features
    for j in working:
        change = working_change(explanation, row, j)
        lines.append(f"- {_reason(change, features)}")
    lines += _not_known(explanation, row)
    if len(late):
        names = ", ".join(explanation.feature_names[j] for j in late)
        lines.append(f"Not computed within the time limit: {names}.")
    return "\n".join(map(one_line, lines))


def outcome_text(e: Explanation, row: int) -> str:
    """Return the prediction and the target."""
    fitted_model = e._attached("describe").fitted_model
    if e.threshold is not None:
        chance = float(fitted_model.probability(e._row(row))[0])
        chance_text = number_beside(chance, e.threshold, 3)
        now = f"The probability of {e.target} is {chance_text}"
        if e.at_target[row]:
            return f"{now}, already at least {e.threshold:g}."
        return f"{now}; the target is at least {e.threshold:g}."
    prediction = fitted_model.predict(e._row(row))[0]
    predicted = value_text(prediction)
    if isinstance(e.target, (AtLeast, AtMost)):
        predicted = number_beside(float(prediction), e.target.value, 6)
    if e.target is None:
        return f"Predicted {predicted}."
    if e.at_target[row]:
        return f"Predicted {predicted}, already the target."
    return f"Predicted {predicted}; the target is {e.target}."


def _nothing(e: Explanation, row: int) -> str:
    """Return the text if no single change is known to work."""
    sampled = ~e.exact[row]
    if not sampled.any():
        return "No change of a single feature reaches the target."
    text = "No change of a single feature was found to reach the target."
    drawn = sampled & share_known(e)[row]
    if drawn.any():
        alpha = e._with_points("describe").settings.alpha
        least = int(e.n_reachable[row][drawn].min())
        bound = float(at_most(least, alpha))
        text += (
            f" For {_names(e, drawn)} this is based on {least} draws: at most "
            f"{bound:.2%} of changes work, with confidence {1 - alpha:.0%} each."
        )
    return text


def _not_known(e: Explanation, row: int) -> list[str]:
    """Return a line for each feature whose score of 0 may be wrong."""
    lines = []
    for j in np.flatnonzero(~share_known(e)[row] & (e.values[row] == 0)):
        name = e.feature_names[j]
        answers = e.reachable(row, name)
        if len(answers):
            lines.append(
                f"{name}: not known. Only some of the possible changes were found; "
                f"none of {len(answers):,} drawn from them works, but others may."
            )
        else:
            lines.append(
                f"{name}: not known. No feasible change was found among "
                f"{answers.tried:,} proposals, but there may be one."
            )
    return lines


def _names(e: Explanation, features: BoolArray) -> str:
    return ", ".join(e.feature_names[j] for j in np.flatnonzero(features))


def _reason(change: WorkingChange, features: Mapping[str, Feature]) -> str:
    c, feature = change, features[change.feature]
    if c.ends is not None:
        share = (
            f"{percent(c.score, words=True)} of its range works"
            if c.score > 0
            else "works at isolated values only"
        )
        text = f"{c.feature}: {share} (score {c.score:.2f}): {_ranges(c)}."
        if len(c.moves) > 1:
            text += f" Smallest change: {_moves(c.moves, features)}."
        return text
    if c.exact and c.n == 1:
        share = f"its only change works (score {c.score:.2f})"
    elif c.exact:
        verb = "works" if c.hits == 1 else "work"
        share = f"{c.hits} of {c.n} changes {verb} (score {c.score:.2f})"
    elif not c.share_known:
        share = (
            f"some changes work, but their share is not known: {c.hits} of {c.n} drawn "
            f"from only some of the possible changes work"
        )
    else:
        share = (
            f"about {percent(c.score, words=True)} of changes work (score "
            f"{c.score:.2f}, between {c.lower:.2f} and {c.upper:.2f}, from {c.n} drawn)"
        )
    if not c.moves:
        return f"{c.feature}: {share}."
    if c.exact and c.n == 1:
        return f"{c.feature}: {share}: {_moves(c.moves, features)}."
    ordered = feature.kind != "categorical" or feature.direction is not None
    lead = "Smallest change" if c.least else "Smallest change drawn"
    if not ordered:
        lead = "For instance"
    return f"{c.feature}: {share}. {lead}: {_moves(c.moves, features)}."


def _moves(moves: list[Move], features: Mapping[str, Feature]) -> str:
    """Return an example as text, the feature itself first."""
    lead, *rest = moves
    words = [_move(lead, features[lead.feature])]
    for move in rest:
        value = state(move.new, features[move.feature].kind)
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
    """Return intervals as text, such as "at most 0.5, or between 0.65 and 0.68"."""
    steps = f" in steps of {change.step}" if change.step > 1 else ""
    words = []
    for (low, high), (down, up) in zip(change.ranges, change.ends or (), strict=True):
        if low == high:
            words.append(f"exactly {number(low)}")
        elif down and up:
            words.append("every value it can reach")
        elif down:
            words.append(f"at most {number(high)}{steps}")
        elif up:
            words.append(f"at least {number(low)}{steps}")
        else:
            words.append(f"between {number(low)} and {number(high)}{steps}")
    if len(words) > _MAX_RANGES:
        words = [*words[:3], f"{len(words) - 3} more ranges"]
    return ", or ".join(words)


def value_text(value: Any) -> str:
    """Return a predicted or given value as text."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)
