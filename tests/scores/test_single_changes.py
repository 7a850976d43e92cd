"""Interventions on single features that reach the target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._kernel_use import kernels
from skresp.reach._deadline import NEVER
from skresp.reach._part import located_parts
from skresp.scores._single_changes import single_changes


def model_with_border(X, value, slope, off):
    """Return a model whose decision changes at a value, but for a rounding error."""
    model = make_pipeline(QuantileTransformer(n_quantiles=20), LogisticRegression())
    model.fit(X, X["debt"] > value)
    share = model[0].transform(pd.DataFrame({"debt": [value]}))[0, 0]
    model[-1].coef_[:], model[-1].intercept_[:] = slope, off - slope * share
    return model


def tried(model, X, person, bounds):
    """Return the interventions that were found, and the points that it took."""
    actions = ActionSet({"debt": Feature("real", *bounds)})
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    context = replace(explainer.fit(X)._make_context(NEVER), uses_lines=True)
    (part, _), *_ = located_parts(actions)
    found = single_changes(
        context.batch(pd.DataFrame({"debt": [person]})),
        part,
        0,
        np.array([0]),
        np.array([[person]]),
        np.zeros(1, dtype=np.uint64),
        context.settings,
        np.array([100]),
    )
    return found.used.tolist(), found.change.tolist(), found.decided.tolist()


VALUES = [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
# How often each value occurs, the value at the border, the slope and the rounding error
# of the score, the bounds of the feature, and the value of the person.
CASES = [
    ([4, 2, 5, 4, 3, 1, 9, 2], 0.0, -2.5, 1e-15, (0.0, 1.0), 2.5),
    ([4, 5, 5, 4, 3, 3, 2, 4], 0.0, -2.5, 1e-14, (0.0, 1.0), 1.3),
    ([2, 1, 6, 6, 3, 3, 3, 6], 1.0, 2.5, 1e-14, (0.0, 1.0), -1.5),
    ([4, 2, 3, 5, 5, 2, 6, 3], 1.0, 2.5, 1e-14, (0.0, 1.0), 0.0),
    ([1, 4, 5, 4, 3, 3, 2, 8], 0.5, 37.3, 1e-14, (-0.5, 0.5), -2.0),
    ([1, 6, 4, 5, 3, 5, 4, 2], 0.5, -2.5, 1e-14, (0.5, 1.5), 3.0),
]


@pytest.mark.parametrize("case", CASES)
def test_points_at_a_border_are_the_same_without_kernels(case):
    """At the end of a line the model may say of a few floats what kernels do not."""
    counts, value, slope, off, bounds, person = case
    X = pd.DataFrame({"debt": np.repeat(VALUES, counts)})
    model = model_with_border(X, value, slope, off)
    found = []
    for use in ("always", "never"):
        with kernels(use):
            found.append(tried(model, X, person, bounds))
    assert found[0] == found[1]
