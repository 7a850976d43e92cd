"""The five methods: what their lists are worth, by rank too, and the time they take."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
from models import SEED, load
from sklearn.frozen import FrozenEstimator

from skresp import LimeExplainer, ResponsivenessExplainer, ShapExplainer
from skresp._explain._explanation import Explanation
from skresp.metrics import explanation_summary, recourse_summary, responsiveness_by_rank
from skresp.reach._cache import shared_cache

TOP = 4
RANKS = 10


@dataclasses.dataclass(frozen=True)
class Told:
    """What the lists of a method are worth, by the summary and by rank."""

    worth: dict[str, float]
    ranks: Any
    people: int


def explainer(data: str, model: Any, method: str) -> Any:
    """A method of the study, ready to explain."""
    bunch = load(data)
    X, frozen = bunch.data, FrozenEstimator(model)
    if method == "RESP":
        return ResponsivenessExplainer(frozen, bunch.action_set, target=1).fit(X)
    actions = bunch.action_set if method.endswith("-AW") else None
    if method.startswith("SHAP"):
        # The background is the data, of which shap takes a hundred rows, seed 0.
        return ShapExplainer(frozen, actions, target=1, random_state=0).fit(X)
    return LimeExplainer(
        frozen, actions, target=1, num_samples=1_000, random_state=SEED
    ).fit(X.drop_duplicates())


def denied(data: str, model: Any, most: int | None = None) -> Any:
    """The rows that the model denies, or a sample of so many."""
    X = load(data).data
    rows = np.flatnonzero(model.predict(X) == 0)
    if most is not None and len(rows) > most:
        rows = np.sort(
            np.random.default_rng(SEED).choice(rows, size=most, replace=False)
        )
    return X.iloc[rows]


def paths(data: str, model: Any, actions: Any = None) -> dict[str, float]:
    """Who has a way back: one feature, several, none."""
    bunch = load(data)
    judge = ResponsivenessExplainer(
        FrozenEstimator(model), actions or bunch.action_set, target=1
    ).fit(bunch.data)
    return recourse_summary(judge, bunch.data)


def tell(data: str, model: Any, method: str, most: int | None) -> dict[str, Told]:
    """The worth of a method's lists, and of its action-aware variant."""
    people = denied(data, model, most)
    truth = explainer(data, model, "RESP").explain(people)
    if method == "RESP":
        return {method: told(truth, truth)}
    mine = explainer(data, model, method).explain(people)
    return {
        method: told(mine, truth),
        f"{method}-AW": told(aware(mine, load(data).action_set), truth),
    }


def aware(explanation: Explanation, actions: Any) -> Explanation:
    """With 0 for features that nobody can act on, as the action-aware explainer has it.

    What the explainer itself says, for half the time.
    """
    acts = [actions.features[name].actionable for name in explanation.feature_names]
    values = np.where(acts, explanation.values, 0.0)
    return dataclasses.replace(explanation, values=values, lower=values, upper=values)


def told(explanation: Explanation, truth: Explanation) -> Told:
    """What is told of an explanation where `truth` has the responsiveness."""
    return Told(
        explanation_summary(explanation, truth, TOP),
        responsiveness_by_rank(explanation, truth, RANKS),
        len(explanation),
    )


def times(data: str, model: Any, methods: Any, many: int) -> dict[str, float]:
    """Milliseconds a person, of the same people, one method after the other.

    Distinct people in one batch, one process; reachable sets are made anew.
    """
    people = denied(data, model).drop_duplicates()
    people = people.sample(min(many, len(people)), random_state=SEED)
    out = {}
    for method in methods:
        one = explainer(data, model, method)
        one.explain(people[:2])  # what is imported and compiled once
        shared_cache.clear()
        start = time.perf_counter()
        one.explain(people)
        out[method] = 1e3 * (time.perf_counter() - start) / len(people)
    return out
