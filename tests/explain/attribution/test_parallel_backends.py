"""Every backend of joblib gives the numbers of a single process."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator

from skresp import LimeExplainer
from tests.credit_example import lender


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_lime_on_backends(backend):
    pytest.importorskip("lime")
    us = lender()
    model = FrozenEstimator(us.model)
    explainer = LimeExplainer(model, target=1, num_samples=30, random_state=0)
    alone = explainer.fit(us.X).explain(us.X[:5])
    explainer.set_params(n_jobs=2)
    with joblib.parallel_config(backend):
        together = explainer.explain(us.X[:5])
    np.testing.assert_array_equal(together.values, alone.values)
