"""The verdicts that `verify` returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._actions._action_set import ActionSet
from skresp._actions._encoding import decode, encode, values_of
from skresp._actions._feature import snap_to_bounds
from skresp._dataframe import as_table, take_rows
from skresp._html._render import render
from skresp._model._fitted_model import FittedModel
from skresp._model._target import AtMost
from skresp._results import SHOWN_ROWS, RowResults
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray

from ._status import PROOFS, STATUSES
from ._verdict_arrays import VerdictArrays


@dataclass(frozen=True)
class VerdictContext:
    """What verdicts were computed with, for scores that are computed on demand.

    Attributes
    ----------
    fitted_model : FittedModel
    search_best : callable
        Returns the verdicts of rows with the best reachable point of every row that has
        one.
    """

    fitted_model: FittedModel
    search_best: Callable[[Any], VerdictArrays]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Verdicts(RowResults):
    """The verdict of each row.

    An unpickled object has everything but what requires the model: `best_score` and
    `curve`, unless `best_score` was used before pickling.

    Attributes
    ----------
    status : array of str
        - "approved": at the target already;
        - "single": one intervention on one feature reaches the target;
        - "joint": only several changes together do;
        - "possible": a witness is known, but not whether a single feature is enough;
        - "fixed": no feasible change reaches the target;
        - "unknown": not decided, and no witness is known;
        - "invalid": the row itself breaks a constraint.
    proof : array of str
        How the status is known:

        - "witness": a point that reaches the target. With a cost "cheapest" (nothing
          of the same status is cheaper) or "cheapest found";
        - "bound": the best of all combinations does not reach the target;
        - "exhaustion": every combination was evaluated;
        - "no feasible change".

        For "unknown", why it is not decided.
    used : array of int
        The number of points or partial choices evaluated for the row.
    has_witness : array of bool
        Rows with a point that reaches the target: those that are "single", "joint" or
        "possible".
    data : frame or array
        The rows, as they were given.
    target : object
        The class label, or AtLeast / AtMost.
    threshold : float or None
    """

    data: Any
    target: Any
    threshold: float | None
    _arrays: VerdictArrays
    _action_set: ActionSet
    _context: VerdictContext | None

    _made_by = "verify"
    _pickled_property = "score"

    def __len__(self) -> int:
        return len(self._arrays.status)

    @cached_property
    def status(self) -> NDArray[Any]:
        return np.array(STATUSES, dtype=object)[self._arrays.status]

    @cached_property
    def proof(self) -> NDArray[Any]:
        return np.array(PROOFS, dtype=object)[self._arrays.proof]

    @property
    def used(self) -> IntArray:
        return self._arrays.used

    @property
    def has_witness(self) -> BoolArray:
        return self._arrays.has_witness

    # -- witnesses --------------------------------------------------------------------

    def _points(self, rows: IndexArray, changes: FloatArray) -> Any:
        """Return the points that total changes of some rows lead to, as a table."""
        table = take_rows(as_table(self.data), rows)
        before = encode(self._action_set, table, missing="hold")
        return decode(self._action_set, table, before, before + changes[rows])

    def _witness_of(self, row: int) -> Any:
        """Return the witness of the row at a position, as a table."""
        return self._points(np.array([row]), self._arrays.change)

    @cached_property
    def witness(self) -> Any:
        """Points that reach the target, one for each row with `has_witness`.

        They have the container and the order of the data; a pandas frame keeps the
        labels of the rows. See `verify` for which witness is cheap.
        """
        rows = np.flatnonzero(self.has_witness)
        points = self._points(rows, self._arrays.change)
        if isinstance(points, pd.DataFrame):
            points.index = as_table(self.data).index[rows]
        return points

    def changed(self, row: int | None = None, *, label: Any = None) -> list[str]:
        """Return the features that differ between a row and its witness.

        `row` is the position of a row; `label` is its index label instead.
        """
        change = self._arrays.change[self._position(row, label)]
        return [self._action_set.names[k] for k in np.flatnonzero(change)]

    def _changed_values(
        self,
    ) -> tuple[IndexArray, NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return each value that differs between a row and its witness.

        Four arrays, ordered by row and column: the position of the row, the name of
        the feature, and its value before and after.
        """
        rows = np.flatnonzero(self.has_witness)
        table = take_rows(as_table(self.data), rows)
        before = encode(self._action_set, table, missing="hold")
        change = self._arrays.change[rows]
        row, column = np.nonzero(change)
        old, new = np.empty((2, len(row)), dtype=object)
        for k in np.unique(column).tolist():
            feature = self._action_set.features[self._action_set.names[k]]
            here = column == k
            start = before[row[here], k]
            end = snap_to_bounds(feature, start, change[row[here], k])
            old[here], new[here] = values_of(feature, start), values_of(feature, end)
        names = np.array(self._action_set.names, dtype=object)[column]
        return rows[row], names, old, new

    # -- scores -----------------------------------------------------------------------

    @cached_property
    def score(self) -> FloatArray:
        """The model's score of each row as it is.

        The probability of the target; for a model without probabilities its decision
        function towards the target; for a regressor its prediction. NaN if the model
        has none of these.
        """
        model = self._attached("score").fitted_model
        if not model.has_target_score or not len(self):
            return np.full(len(self), np.nan)
        return model.target_score(as_table(self.data))

    @cached_property
    def best_score(self) -> FloatArray:
        """The best score that each person can reach by changing all features together.

        NaN where it is not known: for black-box models, and where the search ran out
        of budget. For tree ensembles the search runs when this is first used.
        """
        context = self._attached("best_score")
        model = context.fitted_model
        out = np.full(len(self), np.nan)
        if not model.has_target_score:
            return out
        arrays = self._arrays
        valid = self.status != "invalid"
        if not arrays.best_known[valid].all():
            arrays = context.search_best(as_table(self.data))
        rows = np.flatnonzero(arrays.best_known & valid)
        if len(rows):
            out[rows] = model.target_score(self._points(rows, arrays.best))
        return out

    def curve(self, thresholds: Any = None) -> Any:
        """Return who would be denied, and who without recourse, at other thresholds.

        Parameters
        ----------
        thresholds : array-like, optional
            Minimum scores of people who are approved; by default 0.01 to 0.99.

        Returns
        -------
        pandas.DataFrame
            With the columns `threshold`, `denied` and `no_recourse` (shares of all
            valid rows) and `no_recourse_of_denied`.
        """
        cuts = _as_numbers(
            np.arange(1, 100) / 100 if thresholds is None else thresholds
        )
        now, best = self._known_scores()
        sign = -1.0 if isinstance(self.target, AtMost) else 1.0
        denied = _share_below(sign * now, sign * cuts)
        reachable = np.maximum(sign * now, sign * best)
        no_recourse = _share_below(reachable, sign * cuts)
        return pd.DataFrame(
            {
                "threshold": cuts,
                "denied": denied,
                "no_recourse": no_recourse,
                "no_recourse_of_denied": np.divide(
                    no_recourse, denied, out=np.zeros(len(cuts)), where=denied > 0
                ),
            }
        )

    def _known_scores(self) -> tuple[FloatArray, FloatArray]:
        """Return scores and best scores of valid rows, all of which must be known."""
        valid = self.status != "invalid"
        now, best = self.score[valid], self.best_score[valid]
        if np.isnan(now).any():
            raise ValueError(
                "curve requires a model with a score to compare with thresholds: "
                "predict_proba, decision_function for two classes, or a predicted "
                "number. Verify with a model that has one."
            )
        if np.isnan(best).any():
            raise ValueError(
                f"curve requires the best score of every row, and that of "
                f"{int(np.isnan(best).sum())} of {len(best)} rows is not known: the "
                f"model is a black box, or the search ran out of budget. Pass a larger "
                f"max_points to verify, or verify once for each threshold."
            )
        return now, best

    # -- display ----------------------------------------------------------------------

    def to_frame(self) -> Any:
        """Return a frame with a row's status, proof, changed features and budget used.

        The frame is of the library of the data, with its index.
        """
        changed = [
            ", ".join(self.changed(i)) if has else ""
            for i, has in enumerate(self.has_witness)
        ]
        return self._frame(
            {
                "status": self.status,
                "proof": self.proof,
                "changed": changed,
                "used": self.used,
            }
        )

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each status."""
        found = np.bincount(self._arrays.status, minlength=len(STATUSES))
        return {name: int(k) for name, k in zip(STATUSES, found, strict=True)}

    def _title(self) -> str:
        counts = ", ".join(f"{n} {name}" for name, n in self.counts().items() if n)
        rows = f"Verdicts of {len(self)} rows"
        return f"{rows}, {self._target_text()}: {counts or 'none'}."

    def _repr_html_(self) -> str:
        labels = self._labels()
        shown = min(len(self), SHOWN_ROWS)
        return render(
            "reprs/verdicts.html",
            title=self._title(),
            heads=["status", "proof", "changed"],
            rows=[
                (labels[i], self.status[i], self.proof[i], self.changed(i))
                for i in range(shown)
            ],
            more=len(self) - shown,
        )


def _as_numbers(thresholds: Any) -> FloatArray:
    """Return thresholds as an array; raise ValueError if they are not numbers."""
    try:
        cuts = np.asarray(thresholds, dtype=float)
    except (TypeError, ValueError):
        cuts = np.array(np.nan)
    if cuts.ndim != 1 or np.isnan(cuts).any():
        raise ValueError(
            f"thresholds must be a list of numbers, got {quote(thresholds)}."
        )
    return cuts


def _share_below(scores: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return the share of scores below each cut."""
    return np.searchsorted(np.sort(scores), cuts, side="left") / max(len(scores), 1)
