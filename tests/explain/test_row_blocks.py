"""Rows in blocks, in this process and in others: the same numbers, little to send."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import Future

import joblib
import numpy as np
import pytest
from joblib.parallel import ParallelBackendBase
from sklearn.frozen import FrozenEstimator

from skresp import ResponsivenessExplainer
from skresp._explain._row_blocks import _compute_there
from tests.credit_example import lender


class Pickling(ParallelBackendBase):
    """A backend that pickles calls and results as for other processes."""

    supports_retrieve_callback = True
    supports_return_generator = True
    supports_sharedmem = False
    uses_threads = False
    calls: list = []  # noqa: RUF012

    def effective_n_jobs(self, n_jobs):
        return n_jobs or 1

    def submit(self, func, callback=None):
        # Steps of the model call joblib too.
        self.calls.extend(g[1:] for _, g, _ in func.items if _compute_there in g)
        future = Future()
        future.add_done_callback(callback)
        there = pickle.loads(pickle.dumps(func))
        try:
            future.set_result(pickle.loads(pickle.dumps(there())))
        except ValueError as error:
            future.set_exception(error)
        return future

    apply_async = submit

    def retrieve_result_callback(self, future):
        return future.result()


@pytest.fixture
def pickling():
    lender()  # computed before, in this process
    joblib.register_parallel_backend("pickling", Pickling)
    Pickling.calls.clear()
    with joblib.parallel_config(backend="pickling", n_jobs=2):
        yield Pickling.calls


@pytest.fixture(params=["blocks", "processes"])
def divided(request, monkeypatch):
    """Rows are divided, in this process or for others."""
    if request.param == "processes":
        return request.getfixturevalue("pickling")
    monkeypatch.setattr("skresp._explain._row_blocks.ROWS_AT_ONCE", 7)
    monkeypatch.setattr("skresp._explain._context.ROWS_AT_ONCE", 7)
    monkeypatch.setattr("skresp._explain._row_blocks.blocks_of.__defaults__", (7,))
    return None


def fitted(**options):
    us = lender()
    return ResponsivenessExplainer(
        FrozenEstimator(us.model), us.actions, target=1, random_state=0, **options
    ).fit(us.X)


def test_scores_do_not_depend_on_blocks(divided):
    us = lender()
    found = fitted().explain(us.X)
    for name in ("values", "lower", "upper", "exact", "n_reachable", "at_target"):
        expected = getattr(us.explanation, name)
        np.testing.assert_array_equal(getattr(found, name), expected)
    some = found.cost_weighted({"income": 1.0})
    np.testing.assert_array_equal(some, us.explanation.cost_weighted({"income": 1.0}))


def test_verdicts_do_not_depend_on_blocks(divided):
    us = lender()
    found = fitted().verify(us.X)
    for name in ("status", "proof", "used", "has_witness", "best_score"):
        expected = getattr(us.verdicts, name)
        np.testing.assert_array_equal(getattr(found, name), expected)
    assert found.witness.equals(us.verdicts.witness)


def test_draws_do_not_depend_on_blocks(divided):
    X = lender().X[:30]
    explainer = fitted(method="sample", n_samples=20)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        expected = fitted(method="sample", n_samples=20).explain(X[:4]).values
    np.testing.assert_array_equal(explainer.explain(X).values[:4], expected)


def test_errors_name_rows_of_the_data(divided):
    X = lender().X.set_axis(np.arange(len(lender().X)) + 500)
    X.loc[600, "income"] = np.nan
    for method in ("explain", "verify"):
        with pytest.raises(ValueError, match=r"'income' can change.* in row 600\."):
            getattr(fitted(), method)(X)


def test_a_cost_may_be_any_function(pickling):
    cost = lambda before, after: np.abs(after - before).sum(axis=1)  # noqa: E731
    found = fitted().verify(lender().X, cost=cost)
    assert len(pickling) > 1
    assert (found.status == lender().verdicts.status).all()


@pytest.mark.parametrize("method", ["explain", "verify"])
def test_a_call_carries_its_own_rows_and_the_model_once(pickling, method):
    X = lender().X
    getattr(fitted(), method)(X)
    blocks = [rows for _, rows, _, _ in pickling]
    assert len(blocks) == 8
    assert sum(map(len, blocks)) == len(X)
    assert len({id(pickled) for _, _, _, pickled in pickling}) == 1
    own = len(pickle.dumps(X[:15]))
    for block, rows, digest, _ in pickling:
        assert len(pickle.dumps((block, rows, digest))) < own + 1_000


REAL = """
import sys
import joblib, numpy as np
from tests.credit_example import lender
from tests.explain.test_row_blocks import fitted

if __name__ == "__main__":
    us = lender()
    with joblib.parallel_config(backend=sys.argv[1], n_jobs=2):
        explanation, verdicts = fitted().explain(us.X), fitted().verify(us.X)
    assert np.array_equal(explanation.values, us.explanation.values)
    assert (verdicts.status == us.verdicts.status).all()
    assert verdicts.witness.equals(us.verdicts.witness)
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_backends_give_the_same_numbers(backend):
    """In a process of its own, because multiprocessing forks it."""
    subprocess.run([sys.executable, "-c", REAL, backend], check=True)
