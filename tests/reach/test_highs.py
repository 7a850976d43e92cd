"""The solver's answers: three-valued, confirmed, and never starved of time."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from skresp import ActionSet, Feature
from skresp.constraints import Linear, OneHot
from skresp.constraints._expression import Expression
from skresp.reach import Outcome
from skresp.reach import _highs as _solver
from skresp.reach._allowance import allow
from skresp.reach._deadline import Deadline, OutOfTimeError
from skresp.reach._part import parts_of
from skresp.reach._solver_search import Search
from skresp.reach._upper_bound import upper_bound


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
    search = Search(reals, np.array([5.0, 4.0]))
    for _ in range(1_000):
        with allow(Deadline.after(1.0)):
            assert search.feasible({0: 8.0}) is Outcome.FEASIBLE


def test_iterations_of_earlier_programs_are_not_charged_to_later_ones(
    reals, monkeypatch
):
    monkeypatch.setitem(_solver._OPTIONS, "simplex_iteration_limit", 20)
    monkeypatch.setattr(_solver._of_thread, "highs", None, raising=False)
    search = Search(reals, np.array([5.0, 4.0]))
    assert {search.feasible({0: 8.0}) for _ in range(100)} == {Outcome.FEASIBLE}
    monkeypatch.setattr(_solver._of_thread, "highs", None)


def test_no_clock_runs_without_a_time_limit(dummies, monkeypatch):
    limits = []
    honest = _solver._answer

    def answer(model, presolve, time_limit):
        limits.append(time_limit)
        return honest(model, presolve, time_limit)

    monkeypatch.setattr(_solver, "_answer", answer)
    search = Search(dummies, np.array([1.0, 0, 0, 0]))
    search.find([], Expression())
    upper_bound(search.program, [], search.program.change("a"))
    assert len(limits) > 1
    assert set(limits) == {np.inf}


def test_no_time_is_no_answer(dummies):
    search = Search(dummies, np.array([1.0, 0, 0, 0]))
    with allow(Deadline.after(0.0)), pytest.raises(OutOfTimeError):
        search.find([], Expression())


@pytest.mark.parametrize("liar", ["on", "off"])
def test_infeasible_is_believed_only_when_both_runs_say_so(dummies, monkeypatch, liar):
    """A presolve that loses a solution must not hide a change that works."""
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
