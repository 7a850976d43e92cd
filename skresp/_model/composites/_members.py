"""The readings of members, rewritten as parts of the model around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from skresp._model._links import PIECEWISE, SIGMOID, Link
from skresp._model._reading import ReadGroup, Reading
from skresp._model._unreadable import UnreadableError
from skresp._model.steps._transform import scores_of_rows
from skresp._typing import FloatArray

#: Reads a member behind some steps.
ReadMember = Callable[[Any, tuple[Any, ...]], Reading]

# What turns a single score into the probability of the second class.
_LINKS = {
    "logit": Link(SIGMOID),
    "clipped": Link(PIECEWISE, x=np.array([-1.0, 1.0]), y=np.array([0.0, 1.0])),
}
_AROUND_A_SUM = (
    "A model around a stacked or voting model is not read; put it around the members "
    "instead."
)


def check_two_classes(model: Any) -> None:
    """Raise if a model does not choose between two classes."""
    if len(getattr(model, "classes_", ())) != 2:
        raise UnreadableError(f"{type(model).__name__} is read for two classes only.")


def single_group(reading: Reading) -> ReadGroup:
    """Return the only group of a reading, with one score and without a link.

    Of the probabilities of two classes it is the second one.
    """
    if len(reading.groups) != 1 or not reading.groups[0].link.is_identity:
        raise UnreadableError(_AROUND_A_SUM)
    group = second_score(reading)[0]
    if group.weight == 1.0:
        return group
    raise UnreadableError(_AROUND_A_SUM)


def second_score(reading: Reading) -> tuple[ReadGroup, ...]:
    """Return the groups of one score; of two probabilities the second one."""
    out = []
    for group in reading.groups:
        own = group.own_sums
        if own is None and len(reading.groups) == 1:
            own = reading.own_scores
        width = group.n_outputs
        if width == 2 and reading.prediction_link == "probability":
            group = _second_output(group)
            own = None if own is None else _second_column(own)
        elif width != 1:
            raise UnreadableError(
                "A member predicts more than two classes, and members are read for two "
                "classes only."
            )
        out.append(group._replace(own_sums=own))
    return tuple(out)


def probability_groups(reading: Reading) -> tuple[ReadGroup, ...]:
    """Return groups that add up to the probability of the second of two classes."""
    if reading.prediction_link == "probability":
        return second_score(reading)
    link = _LINKS.get(str(reading.prediction_link))
    if link is None:
        raise UnreadableError(
            "A member has no probabilities that follow from its scores; use members "
            "with predict_proba, such as LogisticRegression instead of LinearSVC."
        )
    return (single_group(reading)._replace(link=link),)


def prediction_groups(reading: Reading) -> tuple[ReadGroup, ...]:
    """Return groups that add up to the prediction of a regressor."""
    if reading.prediction_link != "identity":
        raise UnreadableError(
            "A member turns its score into another prediction, as loss='poisson' "
            "does; members are read where the score is the prediction."
        )
    return second_score(reading)


def weighted(groups: Iterable[ReadGroup], weight: float) -> tuple[ReadGroup, ...]:
    """Return groups with their weights times a factor."""
    return tuple(g._replace(weight=g.weight * weight) for g in groups)


def own_probabilities(
    model: Any, steps: tuple[Any, ...]
) -> Callable[[Any], FloatArray]:
    """Return a function from rows to the probabilities of the second class."""
    return _second_column(scores_of_rows(model, "predict_proba", steps))


def _second_output(group: ReadGroup) -> ReadGroup:
    """Return a group of two scores with the second one only."""
    if group.ensemble is None or (group.ensemble.output >= 0).any():
        raise UnreadableError(
            "A member has two scores for two classes, in a form that is not read."
        )
    ensemble = replace(
        group.ensemble,
        output=np.zeros_like(group.ensemble.output),
        leaves=np.ascontiguousarray(group.ensemble.leaves[:, [1]]),
        n_outputs=1,
    )
    base = None if group.base is None else group.base[[1]]
    return group._replace(ensemble=ensemble, base=base)


def _second_column(scores: Callable[[Any], FloatArray]) -> Callable[[Any], FloatArray]:
    return lambda rows: scores(rows)[:, [1]]
