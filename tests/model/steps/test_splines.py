"""Splines before a model: pieces between turning points, and what is not read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, SplineTransformer

from skresp import ActionSet
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._target import make_target_rule
from skresp._model._terms import MappedTerm
from tests.model.catalogue import CATALOGUE, NUMBERS, fitted, people
from tests.small_models import xgboost

WITH_SPLINES = [name for name in CATALOGUE if "spline" in name and "logistic" in name]


def _fitted(*steps: Any) -> FittedModel:
    X, y = people()
    model = make_pipeline(SimpleImputer(), *steps).fit(X[NUMBERS], y)
    rule = make_target_rule(model, 1, None)
    input_format = InputFormat.of(model, X[NUMBERS], trained=True)
    return FittedModel(rule, input_format, ActionSet.infer(X[NUMBERS]))


def _spline_terms(name: str) -> list[tuple[MappedTerm, Any]]:
    """Return the terms of a model with their splines in pieces."""
    known = fitted(name).score_function
    assert known is not None
    terms = known.groups[0].terms
    assert terms is not None
    return [
        (term, curve)
        for term in terms.maps
        if hasattr(term.maps, "curves")
        for curve in term.maps.curves[term.column]
    ]


def _numbers(term: MappedTerm, curve: Any) -> Any:
    """Return many numbers of a column, also right before and after pieces."""
    summary = term.maps.maps.raw_rows.input_format.summaries[term.column]
    low, high = summary.low, summary.high
    edges = np.r_[curve.ends, np.nextafter(curve.ends, np.inf)]
    return np.unique(np.clip(np.r_[np.linspace(low, high, 4_001), edges], low, high))


@pytest.mark.parametrize("name", WITH_SPLINES)
def test_each_branch_rises_or_falls_all_the_way(name: str) -> None:
    found = 0
    for term, curve in _spline_terms(name):
        x = _numbers(term, curve)
        transformed = term.maps.maps.transform_column(term.column, x)
        branches = curve.branches(x, transformed)
        steps = np.diff(branches, axis=0) * curve.rises.ravel()
        assert (steps >= -1e-12 * (1 + np.abs(branches).max())).all()
        jumps, sizes = curve.jumps()
        total = branches.sum(axis=1) + sizes[np.searchsorted(jumps, x), 0]
        assert_allclose(total, curve.sums(transformed)[:, 0], atol=1e-12)
        found += 1
    assert found or name.startswith("constant")


def test_a_spline_has_no_more_pieces_than_turns() -> None:
    for term, curve in _spline_terms("splines, logistic"):
        x = _numbers(term, curve)
        sums = curve.sums(term.maps.maps.transform_column(term.column, x))[:, 0]
        signs = np.sign(np.diff(sums))
        signs = signs[np.abs(np.diff(sums)) > 1e-12 * np.abs(sums).max()]
        assert len(curve.ends) == np.count_nonzero(np.diff(signs))


def test_repeated_knots_make_jumps() -> None:
    known = fitted("splines that jump, logistic").score_function
    assert known is not None
    grade = [column.name for column in known.columns].index("grade")
    assert len(known.cuts(grade)) > 2


def test_periodic_splines_are_not_read() -> None:
    step = SplineTransformer(extrapolation="periodic")
    model = _fitted(step, LogisticRegression(max_iter=2_000))
    assert model.score_function is None
    assert "extrapolation='periodic'" in model.unread_reason


def test_only_straight_steps_may_follow_splines() -> None:
    logistic = LogisticRegression(max_iter=2_000)
    model = _fitted(SplineTransformer(), PowerTransformer(), logistic)
    assert model.score_function is None
    assert "neither rises nor falls" in model.unread_reason


def test_sparse_splines_before_xgboost_are_not_read() -> None:
    model = _fitted(SplineTransformer(sparse_output=True), xgboost(n_estimators=5))
    assert model.score_function is None
    assert "sparse_output=False" in model.unread_reason
