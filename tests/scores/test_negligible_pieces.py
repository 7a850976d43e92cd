"""Pieces of lines that are nothing but the rounding of a border."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._kernel_use import kernels


@pytest.mark.parametrize("use", ["always", "never"])
@pytest.mark.parametrize("floats", [1, 2, 3])
def test_a_person_right_behind_a_cut_can_only_cross_it(use, floats):
    """The piece between cut and person has few numbers or none inside, so asking the
    model about its middle would be asking about its end."""
    X = pd.DataFrame({"debt": [0.0, 0.25, 0.75, 1.0]})
    model = DecisionTreeClassifier().fit(X, [1, 1, 0, 0])
    actions = ActionSet({"debt": Feature("real", 0, 1, direction="decrease")})
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    person = 0.5 + 2.0**-25  # the last number that becomes the float32 number 0.5
    for _ in range(floats):
        person = np.nextafter(person, 1)
    people = pd.DataFrame({"debt": [person]})
    assert model.predict(people) == [0]
    with kernels(use):
        explanation = explainer.fit(X).explain(people)
    assert explanation.exact.all()
    assert explanation.values[0, 0] == 1.0


@pytest.mark.parametrize("use", ["always", "never"])
def test_a_line_of_few_floats_has_pieces_all_the_same(use):
    """Where the whole line is of that length, its pieces are what there is."""
    X = pd.DataFrame({"debt": [0.0, 0.25, 0.75, 1.0]})
    model = DecisionTreeClassifier().fit(X, [1, 1, 0, 0])
    person = 0.5 + 2.0**-24
    actions = ActionSet(
        {"debt": Feature("real", 0, 1, direction="decrease", max_decrease=1e-12)}
    )
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
    people = pd.DataFrame({"debt": [0.4, person]})
    with kernels(use):
        explanation = explainer.fit(X).explain(people)
    assert explanation.values[0, 0] == 1.0
    assert explanation.n_reachable[1, 0] > 0
