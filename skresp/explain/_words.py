"""One person's explanation in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skresp.actions import ActionSet, Feature, as_table, column, column_positions

if TYPE_CHECKING:
    from ._explanation import Explanation


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
        goal = f"{e.target}"
        if e.threshold is not None:
            goal += f" with probability at least {e.threshold:g}"
        lines = []
        if e.at_target[row]:
            lines.append(
                f"Predicted {e.predictions[row]}, which is the target already."
            )
        else:
            lines.append(f"Predicted {e.predictions[row]}; the target is {goal}.")
        order = np.argsort(-e.values[row], kind="stable")
        helpful = [int(j) for j in order if e.values[row, j] > 0]
        if not helpful:
            lines.append("No change of a single feature reaches the target.")
        lines += [f"- {self._reason(j)}" for j in helpful]
        return "\n".join(lines)

    def _reason(self, j: int) -> str:
        e, row = self.explanation, self.row
        name = e.feature_names[j]
        answers = e.reachable(row, name)
        hits = int(answers.reached.sum())
        score = e.values[row, j]
        if e.exact[row, j]:
            many = "change works" if len(answers) == 1 else "changes work"
            share = f"{hits} of {len(answers)} {many} (score {score:.2f})"
        else:
            low, high = e.lower[row, j], e.upper[row, j]
            share = (
                f"about {score:.0%} of changes work (score {score:.2f}, between "
                f"{low:.2f} and {high:.2f}, from {len(answers)} drawn)"
            )
        if not hits:  # sampled again from the same stream, so only with no seed
            return f"{name}: {share}."
        return f"{name}: {share}. Least change: {self._nearest(answers, name)}."

    def _nearest(self, answers: Any, name: str) -> str:
        """The hit that moves the feature least, then the fewest others."""
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
            far = np.ones(len(points))
        else:
            far = np.abs(theirs[name].to_numpy(dtype=float) - float(mine[name]))
        others = sum(mask.to_numpy().astype(int) for mask in moved.values())
        order = np.lexsort((others, far, ~answers.reached))
        best = int(order[0])
        lead = self._move(name, feature, mine[name], theirs[name][best])
        rest = [
            f"{n} follows to {_value(theirs[n][best])}"
            for n in self.actions.names
            if n != name and moved[n][best]
        ]
        return "; ".join([lead, *rest])

    def _move(self, name: str, feature: Feature, old: Any, new: Any) -> str:
        if feature.kind == "categorical":
            return f"change {name} from {old} to {new}"
        if feature.kind == "binary":
            return f"turn {name} {'on' if new else 'off'}"
        verb = "raise" if new > old else "lower"
        return f"{verb} {name} from {_value(old)} to {_value(new)}"


def _value(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)
