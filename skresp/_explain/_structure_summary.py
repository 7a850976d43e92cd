"""How a model was read, and what is exact because of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from skresp._model._fitted_model import FittedModel
from skresp._model._predictions import model_name
from skresp._model._score_function import ScoreFunction
from skresp._model._target import ProbabilityRule
from skresp._recourse.engines._base import Engine
from skresp._recourse.engines._black_box import BlackBoxEngine
from skresp._text import join_words
from skresp.reach._feasible_changes import MAX_LISTED_INTEGERS, features_on_lines
from skresp.reach._part import Part, parts_of
from skresp.scores._strategy import expected_exact, max_listed

_SCORES = {
    "all": "all scores exact",
    "some": "some scores exact",
    "none": "no score exact",
}


@dataclass(frozen=True)
class StructureSummary:
    """How a model was read, and what is exact because of it.

    Attributes
    ----------
    kind : {"trees", "linear", "additive", "composite", "black box"}
        What the model consists of; "black box" if it was not read.
    exact_scores : {"all", "some", "none"}
        For which of the features that people can change scores are exact, because all
        changes are listed or the model is known along the feature. "some" also if
        they are exact for some people only.
    certified : bool
        Whether "fixed" verdicts are proved by bounds. Otherwise only if all
        combinations of changes can be evaluated.
    reason : str
        Why not, in one sentence; "" if nothing is missing.
    """

    kind: str
    exact_scores: Literal["all", "some", "none"]
    certified: bool
    reason: str

    def __str__(self) -> str:
        verdicts = "verdicts certified" if self.certified else "verdicts not certified"
        line = f"{self.kind}: {_SCORES[self.exact_scores]}, {verdicts}"
        return f"{line}. {self.reason}" if self.reason else line


def summarize_structure(
    fitted_model: FittedModel,
    engine: Engine,
    *,
    method: str,
    interventions: str,
    random_effects: bool,
) -> StructureSummary:
    """Return how a model was read.

    Parameters
    ----------
    fitted_model : FittedModel
    engine : Engine
        The verification engine for the model.
    method, interventions : str
        The parameters of the explainer.
    random_effects : bool
        Whether there are random effects, with which all scores are sampled.
    """
    known, actions = fitted_model.score_function, fitted_model.features
    most = None if known is None else max_listed(known, actions)
    exact = {
        (part, j): expected_exact(
            part, j, interventions, most or MAX_LISTED_INTEGERS, most is not None
        )
        for part in parts_of(actions)
        for j in part.actionable
    }
    sampled = ""
    if random_effects:
        sampled = "All scores are sampled because random_effects are given."
    elif method == "sample":
        sampled = "All scores are sampled because of method='sample'; use 'auto'."
    if sampled or method in ("grid", "highs"):  # the latter list, or raise
        exact = dict.fromkeys(exact, not sampled)
    certified = not isinstance(engine, BlackBoxEngine)
    reasons = _reasons(fitted_model, exact, certified, most is not None, sampled)
    share = set(exact.values())
    return StructureSummary(
        "black box" if known is None else known.family,
        "all" if share <= {True} else "none" if share == {False} else "some",
        certified,
        next(reasons, ""),
    )


def _reasons(
    fitted_model: FittedModel,
    exact: dict[tuple[Part, int], bool | None],
    certified: bool,
    lines: bool,
    sampled: str,
) -> Iterator[str]:
    """Yield why something is missing, the most important reason first."""
    known = fitted_model.score_function
    missing = [where for where, is_all in exact.items() if is_all is not True]
    if known is None:
        reason = fitted_model.unread_reason
        remedy = "" if sampled else _remedy(missing)
        yield f"{reason.rstrip('.')}; {remedy} for exact scores." if remedy else reason
        return
    if not certified:
        yield _undecided(fitted_model)
    if not missing:
        return
    if sampled:
        yield sampled
    if not lines:
        yield _not_on_lines(fitted_model, known)
    yield _tied(missing)


def _undecided(fitted_model: FittedModel) -> str:
    """Return that the scores do not say what is predicted."""
    name, rule = model_name(fitted_model.estimator), fitted_model.target_rule
    if isinstance(rule, ProbabilityRule):
        return (
            f"The probabilities of {name} do not follow from one score each, so its "
            f"structure says nothing about threshold={rule.threshold:g}; leave "
            f"threshold out."
        )
    return f"How the predictions of {name} follow from its scores is not read."


def _not_on_lines(fitted_model: FittedModel, known: ScoreFunction) -> str:
    """Return why a model that was read is not known along lines."""
    moving = features_on_lines(fitted_model.features, MAX_LISTED_INTEGERS)
    labels = [
        c.name for c in known.columns if c.name in moving and c.labels is not None
    ]
    if labels:
        return (
            f"An encoder before the model treats numbers of {join_words(labels)} as "
            f"labels; give it a scaler or bins instead, or make the feature "
            f"categorical."
        )
    return _undecided(fitted_model)


def _tied(missing: list[tuple[Part, int]]) -> str:
    """Return why features of parts with several features are sampled."""
    names = join_words(_first(part.names[j] for part, j in missing))
    verb = "shares" if len(missing) == 1 else "share"
    remedy = _remedy(missing) or "use larger steps or narrower bounds"
    return (
        f"{names} {verb} constraints with features that change too freely to list all "
        f"changes; {remedy}."
    )


def _remedy(missing: list[tuple[Part, int]]) -> str:
    """Return what makes the changes of features few enough to list; "" if unclear."""
    parts = dict.fromkeys(part for part, _ in missing)
    reals = [
        name
        for part in parts
        for name, feature in zip(part.names, part.features, strict=True)
        if feature.kind == "real" and feature.can_change
    ]
    if reals:
        many = len(reals) > 1
        what = (
            "integer features with a step" if many else "an integer feature with a step"
        )
        return f"make {join_words(_first(reals))} {what}"
    alone = [part.names[0] for part in parts if part.stands_alone]
    return f"use a larger step for {join_words(_first(alone))}" if alone else ""


def _first(names: Iterator[str] | list[str], most: int = 3) -> list[str]:
    """Return the first names, and how many there are beyond."""
    every = list(dict.fromkeys(names))
    if len(every) <= most + 1:
        return every
    return [*every[:most], f"{len(every) - most} more"]
