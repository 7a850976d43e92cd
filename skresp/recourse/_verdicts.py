"""What can be said of each person: a way back, none, or not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import (
    ActionSet,
    as_table,
    decode,
    frame_like,
    is_frame,
    row_labels,
    row_position,
    spread,
)
from skresp.scores import AtMost

from ._found import PROOFS, STATUSES
from ._judged import Judged

Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]


@dataclass(frozen=True, repr=False, eq=False)
class Verdicts:
    """The verdict of each row.

    Attributes
    ----------
    status : array of str
        "approved" (at the target as they are), "single" (one intervention on one
        feature reaches it), "joint" (only several changes at once do), "possible" (a
        witness is known, but whether a single feature would do was not settled),
        "fixed" (no feasible change does), "unknown" (not decided, and no witness is
        known), "invalid" (the row breaks a constraint as it stands).
    proof : array of str
        How that is known: "witness", or with a cost "cheapest" (nothing of the same
        status is cheaper) or "cheapest found"; "bound" (the best of all combinations
        falls short), "exhaustion" (every combination was tried), "no feasible change";
        for "unknown", why it is.
    used : array of int
        How many points or partial choices were gone through for the row.
    has_witness : array of bool
        Rows with a point that reaches the target: those that are "single", "joint" or
        "possible".
    data : the rows, as they were given
    target : the class label, or AtLeast / AtMost
    threshold : float or None
    """

    judged: Judged
    data: Any
    target: Any
    threshold: float | None
    actions: ActionSet
    codes: Numbers
    # The model's own score of rows towards the target; None where it tells none.
    measure: Callable[[Any], Numbers] | None
    # Looks for the best of those of whom it is not known yet.
    again: Callable[[], Judged] | None = None

    def __len__(self) -> int:
        return len(self.judged.status)

    @cached_property
    def status(self) -> NDArray[Any]:
        return np.array(STATUSES, dtype=object)[self.judged.status]

    @cached_property
    def proof(self) -> NDArray[Any]:
        return np.array(PROOFS, dtype=object)[self.judged.proof]

    @property
    def used(self) -> NDArray[np.int64]:
        return self.judged.used

    @property
    def has_witness(self) -> Truth:
        return self.judged.has_witness

    # -- witnesses --------------------------------------------------------------------

    def _reached(self, rows: NDArray[np.intp], changes: Numbers) -> Any:
        before = self.codes[rows]
        taken = spread(as_table(self.data), rows)
        return decode(self.actions, taken, before, before + changes[rows])

    @cached_property
    def witness(self) -> Any:
        """Points that reach the target, one for each row that `has_witness`.

        In the container of the data, in its order; a pandas frame keeps the labels of
        the rows. What makes it cheap, see `verify`.
        """
        rows = np.flatnonzero(self.has_witness)
        points = self._reached(rows, self.judged.change)
        if isinstance(points, pd.DataFrame):
            points.index = as_table(self.data).index[rows]
        return points

    def changed(self, row: int | None = None, *, label: Any = None) -> list[str]:
        """Return the features that differ between a row and its witness.

        `row` is the position of a row; `label` is its index label instead.
        """
        place = row_position(as_table(self.data), row, label)
        change = self.judged.change[place]
        return [self.actions.names[k] for k in np.flatnonzero(change)]

    # -- scores -----------------------------------------------------------------------

    @cached_property
    def score(self) -> Numbers:
        """The model's score of each row as it stands.

        The probability of the target, for a model without probabilities its decision
        function towards the target, for a regressor its prediction.
        """
        if self.measure is None or not len(self):
            return np.full(len(self), np.nan)
        return self.measure(as_table(self.data))

    @cached_property
    def best_score(self) -> Numbers:
        """The best score that each person can reach, all features together.

        NaN where it is not known: for models that can only be asked, and where the
        search was cut short. For tree ensembles it is searched for when first asked.
        """
        out = np.full(len(self), np.nan)
        if self.measure is None:
            return out
        judged = self.judged
        valid = self.status != "invalid"
        if self.again is not None and not judged.best_known[valid].all():
            judged = self.again()
        rows = np.flatnonzero(judged.best_known & valid)
        if len(rows):
            out[rows] = self.measure(self._reached(rows, judged.best))
        return out

    def curve(self, thresholds: Any = None) -> Any:
        """Who would be denied, and who without recourse, at other thresholds.

        Parameters
        ----------
        thresholds : array-like, optional
            Scores from which on a person is approved; 0.01 to 0.99 unless given.

        Returns
        -------
        frame with the columns `threshold`, `denied` and `no_recourse` (shares of all
        rows that are valid) and `no_recourse_of_denied`
        """
        if thresholds is None:
            thresholds = np.arange(1, 100) / 100
        try:
            cuts = np.asarray(thresholds, dtype=float)
        except (TypeError, ValueError):
            cuts = np.array(np.nan)
        if cuts.ndim != 1 or np.isnan(cuts).any():
            raise ValueError(
                f"thresholds must be a list of numbers, got {thresholds!r}."
            )
        if self.measure is None:
            raise ValueError(
                "The model tells no score to set a threshold on: it has neither "
                "predict_proba nor decision_function nor numbers to predict."
            )
        rows = self.status != "invalid"
        now, best = self.score[rows], self.best_score[rows]
        if np.isnan(best).any():
            raise ValueError(
                f"The best score of {int(np.isnan(best).sum())} of {len(best)} rows is "
                f"not known, so there is no curve: the model can only be asked, or the "
                f"search was cut short. A larger max_points may help; for a model that "
                f"can only be asked, verify at each threshold."
            )
        sign = -1.0 if isinstance(self.target, AtMost) else 1.0
        now, best, ends = sign * now, sign * best, sign * cuts
        n = max(len(now), 1)
        # The number of rows below a cut, from sorted scores.
        denied = np.searchsorted(np.sort(now), ends, side="left") / n
        lost = np.maximum(now, best)
        without = np.searchsorted(np.sort(lost), ends, side="left") / n
        share = np.divide(without, denied, out=np.zeros_like(without), where=denied > 0)
        return pd.DataFrame(
            {
                "threshold": cuts,
                "denied": denied,
                "no_recourse": without,
                "no_recourse_of_denied": share,
            }
        )

    # -- showing it -------------------------------------------------------------------

    def to_frame(self) -> Any:
        """One line a row: status, proof, what the witness changes, budget used."""
        changed = [
            ", ".join(self.changed(i)) if has else ""
            for i, has in enumerate(self.has_witness)
        ]
        columns: dict[str, Any] = {
            "status": self.status,
            "proof": self.proof,
            "changed": changed,
            "used": self.used,
        }
        table = as_table(self.data)
        if is_frame(table) and not isinstance(table, pd.DataFrame):
            return frame_like(table, {k: list(v) for k, v in columns.items()})
        index = table.index if isinstance(table, pd.DataFrame) else None
        return pd.DataFrame(columns, index=index)

    def counts(self) -> dict[str, int]:
        """How many rows have each status."""
        found = np.bincount(self.judged.status, minlength=len(STATUSES))
        return {name: int(k) for name, k in zip(STATUSES, found, strict=True)}

    def _title(self) -> str:
        counts = self.counts()
        told = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
        goal = f"target {self.target}"
        if self.threshold is not None:
            goal += f" with probability at least {self.threshold:g}"
        return f"Verdicts of {len(self)} rows, {goal}: {told or 'none'}."

    def __repr__(self) -> str:
        return self._title()

    def _repr_html_(self) -> str:
        labels = row_labels(as_table(self.data))
        shown = min(len(self), 10)
        body = "".join(
            f"<tr><th>{escape(str(labels[i]))}</th><td>{self.status[i]}</td>"
            f"<td>{escape(self.proof[i])}</td>"
            f"<td>{escape(', '.join(self.changed(i)))}</td></tr>"
            for i in range(shown)
        )
        more = (
            f"<p>... and {len(self) - shown} more rows</p>" if len(self) > shown else ""
        )
        return (
            f"<div><p>{escape(self._title())}</p><table><thead><tr><th></th>"
            f"<th>status</th><th>proof</th><th>changed</th></tr></thead>"
            f"<tbody>{body}</tbody></table>{more}</div>"
        )
