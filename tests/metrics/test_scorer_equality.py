"""The scorer gives what `verify` gives, though it looks for less."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._recourse._status import Proof
from skresp.constraints import Linkage, OneHot
from skresp.metrics import RecourseScorer, recourse_summary
from tests.fuzz.checks import make_explainer
from tests.fuzz.family import PACKAGES
from tests.fuzz.world import make_world
from tests.small_models import RuleClassifier, scaled, xgboost

MODELS = {
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=15, random_state=0),
    "forest": lambda: RandomForestClassifier(8, max_depth=4, random_state=0),
    "xgboost": lambda: xgboost(n_estimators=20, max_depth=3),
    "linear": lambda: LogisticRegression(max_iter=1_000),
    "naive Bayes": GaussianNB,
    "MLP": lambda: scaled(MLPClassifier((6,), random_state=0, max_iter=400)),
    "rule": lambda: RuleClassifier(lambda X: (X.debt <= 2.5) & (X.late <= 1)),
}
METRICS = ["recourse_rate", "recourse_rate_of_denied", "neg_recourse_rate_gap"]
# Families of random worlds: those of the tree engine, and one of each other engine.
WORLDS = [
    "RF",
    "XGB",
    "XGB dart",
    "XGB classes",
    "XGB native",
    "HGB",
    "policy",
    "LR",
    "NB",
]


@pytest.fixture(scope="module", params=["listed", "real"])
def case(request):
    """People of two groups; every eighth row breaks a constraint."""
    rng = np.random.default_rng(3)
    n = 160
    X = pd.DataFrame(
        {
            "debt": rng.integers(0, 6, n),
            "late": rng.integers(0, 5, n),
            "cards": rng.integers(0, 4, n),
            "rents": rng.integers(0, 2, n),
            "group": rng.integers(0, 2, n),
        }
    )
    X["owns"] = 1 - X["rents"]
    X.loc[::8, ["rents", "owns"]] = 1
    amount = {"kind": "integer"}
    if request.param == "real":
        X["debt"] = X["debt"] + rng.uniform(0, 0.9, n).round(2)
        amount = {"kind": "real"}
    features = {
        "debt": Feature(**amount, lower=0, upper=7, max_decrease=2),
        "late": Feature("integer", 0, 5, max_decrease=1),
        "cards": Feature("integer", 0, 5, max_increase=2, max_decrease=1),
        "rents": Feature("binary"),
        "group": Feature("binary", actionable=False),
        "owns": Feature("binary"),
    }
    actions = ActionSet(
        features,
        [OneHot(["rents", "owns"]), Linkage("late", {"cards": -1})],
    )
    noise = rng.normal(0, 0.7, n)
    y = (X["debt"] + X["late"] - 0.5 * X["cards"] + X["rents"] + noise < 4).astype(int)
    return X.astype(float), y, actions


def _expected(explainer, X):
    """The rates of the scorer, from verdicts and from their summary."""
    verdicts = explainer.verify(X)
    valid = verdicts.status != "invalid"
    denied = valid & (verdicts.status != "approved")
    lost = denied & ~verdicts.has_witness
    by_group = [
        1 - lost[rows].sum() / (valid & rows).sum()
        for rows in (X["group"] == 0, X["group"] == 1)
    ]
    rate = 1 - lost.sum() / valid.sum()
    summary = recourse_summary(verdicts)
    without = summary["no_recourse"] + summary["unknown"]
    assert rate == pytest.approx(1 - summary["denied"] * without)
    wanted = rate, 1 - lost.sum() / denied.sum(), -np.ptp(by_group)
    return verdicts, dict(zip(METRICS, wanted, strict=True)), by_group


@pytest.mark.parametrize("max_points", [3, 20, 100_000])
@pytest.mark.parametrize("kind", MODELS)
def test_the_scorer_agrees_with_verify(case, kind, max_points):
    X, y, actions = case
    model = MODELS[kind]().fit(X, y)
    options = {"max_points": max_points, "random_state": 0}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*break a constraint")
        explainer = ResponsivenessExplainer(
            model, actions, target=1, invalid_rows="nan", missing="hold", **options
        ).fit(X)
        verdicts, wanted, by_group = _expected(explainer, X)
        assert (verdicts.status == "invalid").sum() == 20
        scorer = RecourseScorer(actions, METRICS, 1, groups="group", **options)
        assert scorer(model, X) == pytest.approx(wanted, abs=1e-12)
        alone = RecourseScorer(actions, target=1, **options)
        assert alone(model, X) == pytest.approx(wanted["recourse_rate"], abs=1e-12)
        table = scorer.by_group(model, X)
        assert table["recourse_rate"].to_list() == pytest.approx(by_group)
        single = RecourseScorer(actions, ["single_rate", "recourse_rate"], 1, **options)
        valid = verdicts.status != "invalid"
        good = np.isin(verdicts.status, ["approved", "single"])
        found = single(model, X)
        assert found["single_rate"] == pytest.approx(good.sum() / valid.sum())
        assert found["recourse_rate"] == pytest.approx(wanted["recourse_rate"])
        loose = explainer._verify(X, any_witness=True)
    np.testing.assert_array_equal(loose.has_witness, verdicts.has_witness)
    for status in ("approved", "fixed", "unknown", "invalid"):
        np.testing.assert_array_equal(
            loose.status == status, verdicts.status == status, err_msg=status
        )


def _shares(explainer, X, **more):
    """The shares of people with and without recourse, as the scorer sees them."""
    verdicts = explainer._verify(X, **more)
    names = np.where(verdicts.has_witness, "recourse", verdicts.status)
    return verdicts.has_witness, names


@pytest.mark.parametrize("max_points", [30, 100_000])
@pytest.mark.parametrize("family", ["trees", *WORLDS])
def test_the_scorer_agrees_with_verify_in_random_worlds(family, max_points):
    if family in PACKAGES:
        pytest.importorskip(PACKAGES[family])
    compared = 0
    for seed in range(60):
        if family == "trees":
            if seed % 20:
                continue
            explainer, people = _trees_of_many_parts(seed, max_points)
        else:
            world = make_world(seed, family, people=12)
            if world is None:
                continue
            explainer = make_explainer(world, max_points=max_points, invalid_rows="nan")
            people = world.people
        wanted_witness, wanted = _shares(explainer, people)
        has_witness, names = _shares(explainer, people, any_witness=True)
        np.testing.assert_array_equal(has_witness, wanted_witness, err_msg=str(seed))
        np.testing.assert_array_equal(names, wanted, err_msg=str(seed))
        scorer = RecourseScorer(
            explainer.action_set_,
            target=explainer.target_,
            threshold=explainer.threshold,
            interventions=explainer.interventions,
            max_points=max_points,
        )
        counted = wanted != "invalid"
        good = wanted_witness | (wanted == "approved")
        if counted.any():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rate = scorer(explainer.estimator_, people)
            assert rate == pytest.approx(good[counted].mean(), abs=1e-12), seed
        compared += 1
        if compared == 2:
            break
    assert compared


def _trees_of_many_parts(seed, max_points):
    """People who need several changes at once, and a boosted model that denies most."""
    rng = np.random.default_rng(seed)
    n, width = 300, 9
    X = pd.DataFrame(
        rng.integers(0, 6, size=(n, width)).astype(float), columns=list("abcdefghi")
    )
    features = {
        name: Feature("integer", 0, 5, max_increase=int(rng.integers(1, 3)))
        for name in X
    }
    X.loc[::9, "a"] = np.nan
    weights = rng.uniform(0.5, 1.5, width)
    y = (X.fillna(0) @ weights > np.quantile(X.fillna(0) @ weights, 0.8)).astype(int)
    model = xgboost(n_estimators=40, max_depth=2 + seed // 20).fit(X, y)
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model),
        ActionSet(features),
        target=1,
        max_points=max_points,
        missing="hold",
        random_state=0,
    )
    return explainer.fit(X), X[:120]


def test_trees_of_many_parts_are_decided_in_every_way():
    seen = set()
    for max_points in (30, 100_000):
        for seed in (0, 20, 40):
            explainer, people = _trees_of_many_parts(seed, max_points)
            seen |= set(explainer.verify(people).status)
    assert seen >= {"approved", "single", "joint", "fixed", "unknown"}


def test_the_cases_have_every_status(case):
    X, y, actions = case
    seen = set()
    for kind in MODELS:
        model = MODELS[kind]().fit(X, y)
        for max_points in (3, 20, 100_000):
            explainer = ResponsivenessExplainer(
                model, actions, target=1, invalid_rows="nan", random_state=0
            ).fit(X)
            seen |= set(explainer.verify(X, max_points=max_points).status)
    assert seen >= {"approved", "single", "joint", "fixed", "unknown", "invalid"}
    if actions.features["debt"].kind == "real":
        assert "possible" in seen


def test_a_contradicted_witness_is_looked_for_again(case, monkeypatch):
    X, y, actions = case
    model = LogisticRegression(max_iter=1_000).fit(X, y)
    asked = []
    verify = ResponsivenessExplainer._verify

    def contradicted(self, X, *args, any_witness=False):
        asked.append(any_witness)
        verdicts = verify(self, X, *args, any_witness=any_witness)
        if any_witness:
            verdicts._arrays.proof[0] = Proof.CONTRADICTED
        return verdicts

    scorer = RecourseScorer(actions, target=1)
    X = X[X["rents"] + X["owns"] == 1]
    wanted = scorer(model, X)
    monkeypatch.setattr(ResponsivenessExplainer, "_verify", contradicted)
    assert scorer(model, X) == wanted
    assert asked == [True, False]
