"""Read explainable boosting machines of InterpretML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp._dataframe import column, real_numbers
from skresp._model.steps._transform import scores_of_rows
from skresp._model.trees._arrays import Arithmetic, Tree, assemble
from skresp._model.trees._step_tree import step_tree
from skresp._typing import FloatArray, IndexArray

from ._links import PredictionLink
from ._reading import ReadGroup, Reading
from ._unreadable import UnreadableError

_LINKS: dict[str, PredictionLink] = {"logit": "logit", "identity": "identity"}


def read_explainable_boosting(model: Any, steps: tuple[Any, ...]) -> Reading:
    """Read a model that adds one step function, or table of labels, for each column."""
    link = _LINKS.get(str(model.link_))
    if link is None or (np.ndim(model.intercept_) and len(model.intercept_) != 1):
        raise UnreadableError(
            "Explainable boosting machines are read for two classes with the logit "
            "link, or for numbers with the identity link."
        )
    numbers, labels = _terms(model)
    n_columns = len(model.feature_types_in_)
    scored = LabelScores(n_columns, labels)
    coef = np.zeros((1, n_columns))
    coef[0, list(labels)] = 1.0

    def trees() -> Iterator[tuple[int, Tree]]:
        for i, (edges, scores) in numbers.items():
            yield 0, step_tree(i, edges, scores[1:-1], scores[0])

    method = "decision_function" if hasattr(model, "classes_") else "predict"
    own_scores = scores_of_rows(model, method, steps)
    group = ReadGroup(
        (*steps, scored),
        assemble(trees(), 1, Arithmetic()) if numbers else None,
        coef if labels else None,
        np.ravel(model.intercept_).astype(float),
    )
    return Reading((group,), own_scores, link, "additive")


def _terms(model: Any) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return edges and scores of columns of numbers, and the scores of labels."""
    numbers: dict[int, Any] = {}
    labels: dict[int, Any] = {}
    for features, scores in zip(model.term_features_, model.term_scores_, strict=True):
        if len(features) > 1:
            names = " and ".join(str(model.feature_names_in_[i]) for i in features)
            raise UnreadableError(
                f"The explainable boosting machine has a term of several features, "
                f"{names}; fit it with interactions=0 to leave such terms out."
            )
        (i,) = features
        bins = model.bins_[i][0]
        if isinstance(bins, dict):
            known = {label: float(scores[at]) for label, at in bins.items()}
            labels[i] = known, float(scores[0]), float(scores[-1])
        else:
            # A number at a cut belongs to the piece above it.
            numbers[i] = np.nextafter(bins, -np.inf), np.asarray(scores, dtype=float)
    return numbers, labels


@dataclass(frozen=True, eq=False)
class LabelScores:
    """A step that replaces labels by their scores, and passes numbers on.

    Attributes
    ----------
    n_columns : int
    scores : dict of int to (dict, float, float)
        For each column of labels the scores of labels as text, of a missing one, and
        of one that is not known.
    """

    n_columns: int
    scores: Mapping[int, tuple[Mapping[str, float], float, float]]

    def transform(self, table: Any) -> FloatArray:
        """Return numbers and the scores of labels, of shape (n_rows, n_columns)."""
        out = np.empty((table.shape[0], self.n_columns))
        for i in range(self.n_columns):
            values = column(table, i)
            if i in self.scores:
                out[:, i] = self._scores(i, values.astype(object))
            else:
                out[:, i] = real_numbers(values)
        return out

    def get_support(self) -> IndexArray:
        """Return the column of the table that each transformed column comes from."""
        return np.arange(self.n_columns)

    def _scores(self, i: int, values: pd.Series) -> FloatArray:
        known, missing, unknown = self.scores[i]
        found = values.map(lambda label: known.get(str(label), unknown))
        return np.where(values.isna(), missing, found.astype(float))
