"""The five methods: how often the features they list are responsive, and their time."""

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
class MethodResult:
    """How often the features listed by a method are responsive, overall and by rank."""

    summary: dict[str, float]
    ranks: Any
    people: int


def explainer(data: str, model: Any, method: str) -> Any:
    """Return a fitted explainer of one method of the study."""
    bunch = load(data)
    X, frozen = bunch.data, FrozenEstimator(model)
    if method == "RESP":
        return ResponsivenessExplainer(frozen, bunch.action_set, target=1).fit(X)
    actions = bunch.action_set if method.endswith("-AW") else None
    if method.startswith("SHAP"):
        # The background is a sample of 100 rows of the data, drawn by shap with seed 0.
        return ShapExplainer(frozen, actions, target=1, random_state=0).fit(X)
    return LimeExplainer(
        frozen, actions, target=1, num_samples=1_000, random_state=SEED
    ).fit(X.drop_duplicates())


def denied(data: str, model: Any, most: int | None = None) -> Any:
    """Return the rows that the model denies, or a sample of `most` of them."""
    X = load(data).data
    rows = np.flatnonzero(model.predict(X) == 0)
    if most is not None and len(rows) > most:
        rows = np.sort(
            np.random.default_rng(SEED).choice(rows, size=most, replace=False)
        )
    return X.iloc[rows]


def paths(data: str, model: Any, actions: Any = None) -> dict[str, float]:
    """Return the shares of people who can reach the target, by status."""
    bunch = load(data)
    judge = ResponsivenessExplainer(
        FrozenEstimator(model), actions or bunch.action_set, target=1
    ).fit(bunch.data)
    return recourse_summary(judge, bunch.data)


def evaluate(
    data: str, model: Any, method: str, most: int | None
) -> dict[str, MethodResult]:
    """Evaluate the lists of a method and of its action-aware variant."""
    people = denied(data, model, most)
    truth = explainer(data, model, "RESP").explain(people)
    if method == "RESP":
        return {method: summarise(truth, truth)}
    mine = explainer(data, model, method).explain(people)
    return {
        method: summarise(mine, truth),
        f"{method}-AW": summarise(aware(mine, load(data).action_set), truth),
    }


def aware(explanation: Explanation, actions: Any) -> Explanation:
    """Return an explanation with 0 for features that nobody can act on.

    The action-aware explainer returns the same, in twice the time.
    """
    acts = [actions.features[name].actionable for name in explanation.feature_names]
    values = np.where(acts, explanation.values, 0.0)
    return dataclasses.replace(explanation, values=values, lower=values, upper=values)


def summarise(explanation: Explanation, truth: Explanation) -> MethodResult:
    """Summarise an explanation, given the responsiveness of the features."""
    return MethodResult(
        explanation_summary(explanation, truth, TOP),
        responsiveness_by_rank(explanation, truth, RANKS),
        len(explanation),
    )


def times(data: str, model: Any, methods: Any, many: int) -> dict[str, float]:
    """Measure the milliseconds per person of each method, on the same people.

    Distinct people in one batch and one process, with an empty cache of reachable sets.
    """
    people = denied(data, model).drop_duplicates()
    people = people.sample(min(many, len(people)), random_state=SEED)
    out = {}
    for method in methods:
        one = explainer(data, model, method)
        one.explain(people[:2])  # imports and compilation do not count
        shared_cache.clear()
        start = time.perf_counter()
        one.explain(people)
        out[method] = 1e3 * (time.perf_counter() - start) / len(people)
    return out
