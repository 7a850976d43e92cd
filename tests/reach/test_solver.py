"""The solver's answers: three-valued, confirmed, and never starved of time."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from skresp import ActionSet, Feature
from skresp.constraints import Expression, Linear, OneHot
from skresp.reach import Outcome, _solver, parts_of
from skresp.reach._search import Search


@pytest.fixture
def reals():
    actions = ActionSet(
        {"a": Feature("real", 0, 9), "b": Feature("real", 0, 9)},
        [Linear({"a": 1, "b": 1}, upper=10)],
    )
    return parts_of(actions)[0]


@pytest.fixture
def dummies():
    names = list("abcd")
    actions = ActionSet({n: Feature("binary") for n in names}, [OneHot(names)])
    return parts_of(actions)[0]


def test_time_spent_on_earlier_programs_is_not_charged_to_later_ones(reals):
    """HiGHS counts the limit of a linear program from the object's first run."""
    search = Search(reals, np.array([5.0, 4.0]), time_limit=0.05)
    outcomes = {search.feasible({0: 8.0}) for _ in range(1_000)}
    assert outcomes == {Outcome.FEASIBLE}


def test_no_time_is_no_answer(dummies):
    search = Search(dummies, np.array([1.0, 0, 0, 0]), time_limit=0.0)
    assert search.find([], Expression())[0] is Outcome.UNDECIDED
    changes, complete = search.changes(None, 10)
    assert len(changes) == 0
    assert not complete


@pytest.mark.parametrize("liar", ["on", "off"])
def test_infeasible_is_believed_only_when_both_runs_say_so(dummies, monkeypatch, liar):
    """A presolve that loses a solution must not cost a person the way back."""
    honest = _solver._run

    def run(model, presolve, time_limit):
        if presolve == liar:
            return highspy.HighsModelStatus.kInfeasible, np.zeros(0)
        return honest(model, presolve, time_limit)

    monkeypatch.setattr(_solver, "_run", run)
    search = Search(dummies, np.array([1.0, 0, 0, 0]))
    assert search.feasible({2: 1.0}) is Outcome.FEASIBLE
    # Where the honest run errs too the two agree; where it cannot decide they do not.
    monkeypatch.setattr(
        _solver,
        "_run",
        lambda model, presolve, time_limit: (
            highspy.HighsModelStatus.kInfeasible
            if presolve == liar
            else highspy.HighsModelStatus.kTimeLimit,
            np.zeros(0),
        ),
    )
    assert search.feasible({2: 1.0}) is Outcome.UNDECIDED


def test_a_point_that_breaks_the_meaning_is_never_used(dummies, monkeypatch):
    honest = _solver._run

    def run(model, presolve, time_limit):
        status, columns = honest(model, presolve, time_limit)
        return status, np.ones_like(columns)

    monkeypatch.setattr(_solver, "_run", run)
    search = Search(dummies, np.array([1.0, 0, 0, 0]))
    assert search.find([], Expression()) == (Outcome.UNDECIDED, None)
