"""One person's explanation in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skresp.actions import ActionSet, Feature, as_table, column, column_positions
from skresp.scores import at_most

if TYPE_CHECKING:
    from ._explanation import Explanation


class Move(NamedTuple):
    """One feature of a changed point: from what to what, and whether by itself."""

    feature: str
    old: Any
    new: Any
    follows: bool


class Teller:
    """Tells what one person could change, feature by feature, the best first."""

    def __init__(self, explanation: Explanation, row: int) -> None:
        self.explanation = explanation
        self.row = row
        self.actions: ActionSet = explanation.source.actions

    def text(self) -> str:
        """All of it."""
        e, row = self.explanation, self.row
        if np.isnan(e.values[row]).any():
            return "This row breaks a constraint as it stands and was not scored."
        lines = [self._standing()]
        order = np.argsort(-e.values[row], kind="stable")
        helpful = [int(j) for j in order if e.values[row, j] > 0]
        if not helpful:
            lines.append(self._nothing())
        lines += [f"- {self._reason(j)}" for j in helpful]
        return "\n".join(lines)

    def _standing(self) -> str:
        """Where the person stands now."""
        e, row = self.explanation, self.row
        person = e._row(row)
        if e.threshold is not None:
            chance = float(e.source.probability(person)[0])
            now = f"The probability of {e.target} is {chance:.3g}"
            if e.at_target[row]:
                return f"{now}, at least the {e.threshold:g} asked for already."
            return f"{now}; the target is at least {e.threshold:g}."
        predicted = told(e.source.predict(person)[0])
        if e.at_target[row]:
            return f"Predicted {predicted}, which is the target already."
        return f"Predicted {predicted}; the target is {e.target}."

    def _nothing(self) -> str:
        """What to say where no score is above 0."""
        e, row = self.explanation, self.row
        drawn = ~e.exact[row] & (e.n_reachable[row] > 0)
        text = "No change of a single feature reaches the target"
        if not drawn.any():
            return f"{text}."
        alpha = e.source.question.alpha
        least = int(e.n_reachable[row][drawn].min())
        bound = float(at_most(least, alpha))
        names = [e.feature_names[j] for j in np.flatnonzero(drawn)]
        return (
            f"{text}; for {', '.join(names)} that is so far as {least} draws tell: at "
            f"most {bound:.2%} of changes work, with confidence {1 - alpha:.0%} each."
        )

    def _reason(self, j: int) -> str:
        e, row = self.explanation, self.row
        name = e.feature_names[j]
        score = e.values[row, j]
        if e.exact[row, j]:
            ranges = e.source.line(e._row(row), name)
            if ranges is not None:
                return (
                    f"{name}: {_percent(score)} of its range works (score "
                    f"{score:.2f}): {_ranges(ranges, self.reach(name))}."
                )
        answers = e.reachable(row, name)
        hits = int(answers.reached.sum())
        if e.exact[row, j]:
            many = "change works" if len(answers) == 1 else "changes work"
            share = f"{hits} of {len(answers)} {many} (score {score:.2f})"
        else:
            low, high = e.lower[row, j], e.upper[row, j]
            share = (
                f"about {_percent(score)} of changes work (score {score:.2f}, between "
                f"{low:.2f} and {high:.2f}, from {len(answers)} drawn)"
            )
        if not hits:  # sampled again from the same stream, so only with no seed
            return f"{name}: {share}."
        feature = self.actions.features[name]
        ordered = feature.kind != "categorical" or feature.direction is not None
        lead = "Least change" if ordered else "For instance"
        return f"{name}: {share}. {lead}: {self._least(answers, name)}."

    def reach(self, name: str) -> tuple[float, float]:
        """The least and greatest value that an own change of the feature leads to."""
        person = as_table(self.explanation._row(self.row))
        place = column_positions(self.actions, person)[self.actions.names.index(name)]
        value = float(column(person, place)[0])
        low, high = self.actions.features[name].own_limits(value)
        return value + low, value + high

    def _least(self, answers: Any, name: str) -> str:
        lead, *rest = self.nearest(answers, name)
        words = [self._move(name, self.actions.features[name], lead.old, lead.new)]
        for move in rest:
            value = told(move.new)
            words.append(
                f"{move.feature} follows to {value}"
                if move.follows
                else f"together with {move.feature} to {value}"
            )
        return "; ".join(words)

    def nearest(self, answers: Any, name: str) -> list[Move]:
        """The hit that moves the feature least, then the fewest others; it leads."""
        points = as_table(answers.points)
        person = as_table(self.explanation._row(self.row))
        places = dict(
            zip(self.actions.names, column_positions(self.actions, points), strict=True)
        )
        mine = {n: column(person, p)[0] for n, p in places.items()}
        theirs = {n: column(points, p) for n, p in places.items()}
        moved = {
            n: (theirs[n] != mine[n]) & theirs[n].notna() for n in self.actions.names
        }
        feature = self.actions.features[name]
        if feature.kind == "categorical":
            order = list(feature.categories or ())
            here = order.index(mine[name]) if mine[name] in order else 0
            far = np.array([abs(order.index(v) - here) for v in theirs[name]])
        else:
            far = np.abs(theirs[name].to_numpy(dtype=float) - float(mine[name]))
        others = sum(mask.to_numpy().astype(int) for mask in moved.values())
        best = int(np.lexsort((others, far, ~answers.reached))[0])
        follow = self._downstream(name)
        moves = [Move(name, mine[name], theirs[name][best], False)]
        for n in self.actions.names:
            if n != name and moved[n][best]:
                moves.append(Move(n, mine[n], theirs[n][best], n in follow))
        return moves

    def _downstream(self, name: str) -> set[str]:
        """The features that move by themselves when this one does."""
        reached = {name}
        for n in self.actions.effect_order:
            if any(s in reached and t == n for s, t in self.actions.effects):
                reached.add(n)
        return {n for n in reached - {name} if not self.actions.features[n].can_change}

    def _move(self, name: str, feature: Feature, old: Any, new: Any) -> str:
        if feature.kind == "categorical":
            return f"change {name} from {old} to {new}"
        if feature.kind == "binary":
            return f"turn {name} {'on' if new else 'off'}"
        verb = "raise" if new > old else "lower"
        return f"{verb} {name} from {told(old)} to {told(new)}"


def _percent(share: float) -> str:
    if 0 < share < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < share < 1 else f"{share:.0%}"


def _ranges(ranges: list[tuple[float, float]], reach: tuple[float, float]) -> str:
    """Intervals in words: below 0.50, or between 0.65 and 0.68."""
    words = []
    for low, high in ranges:
        from_start, to_end = low <= reach[0], high >= reach[1]
        if from_start and to_end:
            words.append("anywhere it can go")
        elif from_start:
            words.append(f"below {told(high)}")
        elif to_end:
            words.append(f"above {told(low)}")
        elif low == high:
            words.append(f"at {told(low)}")
        else:
            words.append(f"between {told(low)} and {told(high)}")
    if len(words) > 4:
        words = [*words[:3], f"in {len(words) - 3} more places"]
    return ", or ".join(words)


def told(value: Any) -> str:
    """A value as people write it."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)
