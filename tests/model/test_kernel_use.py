"""The private switch of kernels reaches every call, also from other threads."""

from __future__ import annotations

import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from skresp import ResponsivenessExplainer
from skresp._model._kernel_use import kernel_use, kernels
from skresp.datasets import make_credit
from skresp.metrics import RecourseScorer

from ..equality.compare import asked_points


@pytest.fixture(scope="module")
def credit():
    bunch = make_credit(300, random_state=0)
    X = bunch.data.drop(columns=["income"]).select_dtypes("number")
    names = X.columns.tolist()
    actions = bunch.action_set
    kept = [c for c in actions.constraints if set(c.features) <= set(names)]
    small = type(actions)({n: actions.features[n] for n in names}, kept)
    return DecisionTreeClassifier(max_depth=9).fit(X, bunch.target), small, X


def asked(use, call):
    with kernels(use), asked_points() as tally:
        call()
    return tally["points"]


def fail():
    with kernels("never"), kernels("always"):
        assert kernel_use() == "always"
        raise KeyError


def test_the_switch_is_restored():
    with pytest.raises(KeyError):
        fail()
    assert kernel_use() == "auto"


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("call", ["explain", "verify"])
def test_without_kernels_the_model_is_asked_about_every_point(credit, call, n_jobs):
    model, actions, X = credit
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, n_jobs=n_jobs
    ).fit(X)
    asked("always", lambda: getattr(explainer, call)(X))  # reads the model
    points = {use: asked(use, lambda: getattr(explainer, call)(X)) for use in USES}
    assert 3 * points["always"] < points["never"]
    assert points["always"] == points["auto"]


def test_the_scorer_follows_the_switch(credit):
    model, actions, X = credit
    scorer = RecourseScorer(actions, metric="mean_responsiveness", target=1)
    points = {use: asked(use, lambda: scorer(model, X)) for use in USES}
    assert 2 * points["always"] < points["never"]


USES = ("always", "auto", "never")
