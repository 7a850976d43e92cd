"""Random effects: chance is drawn, reproducible, and never breaks a constraint."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage, OneHot
from tests.small_models import RuleModel


@pytest.fixture
def insured():
    X = pd.DataFrame({"employed": [0, 1], "insured": [0, 0], "trades": [3, 5]})
    actions = ActionSet.infer(
        X,
        features={"trades": Feature("integer", 0, 50, actionable=False)},
        immutable=["insured"],
    )
    return X, actions


def insurance(rows, changes, rng):
    """Who finds work is insured in seven of ten cases."""
    return (changes["employed"] > 0) * rng.binomial(1, 0.7, len(rows))


def explain(spy, actions, X, **arguments):
    arguments = {"random_state": 0, **arguments}
    return ResponsivenessExplainer(spy, actions, **arguments).fit(X).explain(X)


def test_insurance_after_employment(insured):
    X, actions = insured
    spy = RuleModel(lambda X: X["insured"] == 1)
    explanation = explain(spy, actions, X, random_effects={"insured": insurance})
    assert explanation.lower[0, 0] <= 0.7 <= explanation.upper[0, 0]
    assert explanation.values[1, 0] == 0, "who loses work is not insured by that"
    assert not explanation.exact[:, 0].any()
    again = explanation.reachable(0, "employed")
    assert again.reached.mean() == explanation.values[0, 0]
    assert set(again.points["employed"]) == {1}


def test_distributions_and_one_function_for_all(insured):
    X, actions = insured
    spy = RuleModel(lambda X: X["trades"] >= 5)
    poisson = explain(spy, actions, X, random_effects={"trades": stats.poisson(2)})
    wanted = 1 - stats.poisson(2).cdf(1)
    assert poisson.lower[0, 0] <= wanted <= poisson.upper[0, 0]

    def everything(rows, changes, rng):
        noise = np.zeros(rows.shape)
        noise[:, list(rows.columns).index("trades")] = rng.poisson(2, len(rows))
        return noise

    table = explain(spy, actions, X, random_effects=everything)
    assert table.lower[0, 0] <= wanted <= table.upper[0, 0]


def test_chance_adds_to_what_a_person_has_in_a_frame_with_labels(insured):
    X, actions = insured
    X = X.assign(home=["own", "rent"])
    actions = ActionSet.infer(
        X,
        features={"trades": Feature("integer", 0, 50, actionable=False)},
        immutable=["home", "insured"],
    )
    spy = RuleModel(lambda X: X["trades"] >= 5)
    explanation = explain(spy, actions, X, random_effects={"trades": stats.poisson(2)})
    wanted = 1 - stats.poisson(2).cdf(1)
    assert explanation.lower[0, 0] <= wanted <= explanation.upper[0, 0]
    assert min(explanation.reachable(0, "employed").points["trades"]) == 3


def test_chance_does_not_break_constraints_or_kinds():
    X = pd.DataFrame({"own": [1], "rent": [0], "a": [2.0], "b": [3.0], "n": [1]})
    actions = ActionSet(
        {
            "own": Feature("binary", actionable=False),
            "rent": Feature("binary", actionable=False),
            "a": Feature("real", actionable=False),
            "b": Feature("real", actionable=False),
            "n": Feature("integer", 0, 3),
        },
        [OneHot(["own", "rent"]), Linear({"a": 1, "b": 1}, upper=6)],
    )

    def storm(rows, changes, rng):
        noise = np.zeros(rows.shape)
        swap = rng.integers(-1, 2, len(rows))
        noise[:, 0], noise[:, 1] = swap, rng.integers(-1, 2, len(rows))
        noise[:, 2] = rng.normal(0, 2, len(rows))
        return noise

    spy = RuleModel(lambda X: X["rent"] == 1)
    explanation = explain(spy, actions, X, random_effects=storm, n_samples=300)
    assert explanation.n_reachable[0, 4] == 300
    points = pd.concat(spy.seen)
    assert (points["own"] + points["rent"] == 1).all()
    assert (points["a"] + points["b"] <= 6 + 1e-6).all()
    assert 0 < explanation.values[0, 4] < 1


def truncated(noise, low, high, above):
    """P(noise > above), given that it lies in [low, high]."""
    mass = noise.cdf(high) - noise.cdf(low)
    return (noise.cdf(high) - noise.cdf(np.clip(above, low, high))) / mass


@pytest.mark.parametrize("mutable", [False, True])
def test_intervals_cover_the_truth_of_noise_within_bounds(mutable):
    """`b` is normal noise truncated to [0, 1], `k` moves by one within 0..4."""
    rng = np.random.default_rng(0)
    people = 40
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 8, people),
            "b": rng.uniform(0, 1, people),
            "k": rng.integers(0, 5, people),
        }
    )
    role = {"actionable": False, "mutable": mutable}
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 7),
            "b": Feature("real", 0, 1, **role),
            "k": Feature("integer", 0, 4, **role),
        }
    )
    normal = stats.norm(0, 0.4)
    truth = []
    for a, b, k in X.itertuples(index=False):
        truth.append(
            np.mean(
                [
                    truncated(normal, -b, 1 - b, 1.5 - to / 8 - now / 5 - b)
                    for to in range(8)
                    if to != a
                    for now in range(max(k - 1, 0), min(k + 1, 4) + 1)
                ]
            )
        )
    spy = RuleModel(lambda X: X["a"] / 8 + X["b"] + X["k"] / 5 > 1.5)
    covered = []
    for seed in range(10):
        found = explain(
            spy,
            actions,
            X,
            random_effects={"b": normal, "k": stats.randint(-1, 2)},
            random_state=seed,
        )
        assert (found.n_reachable[:, 0] == 500).all()
        covered.append(
            (found.lower[:, 0] <= truth) & (truth <= found.upper[:, 0] + 1e-12)
        )
    assert 0.92 <= np.mean(covered) <= 0.985
    points = pd.concat(spy.seen)
    assert points["b"].between(0, 1).all()
    assert points["k"].between(0, 4).all()


def test_noise_on_the_feature_itself_rejects_the_change_with_it():
    """A change is kept as often as its noise stays within the bounds."""
    X = pd.DataFrame({"a": np.linspace(0.05, 0.95, 60)})
    actions = ActionSet({"a": Feature("real", 0, 1)})
    normal = stats.norm(0, 0.3)
    landing = (np.arange(20_000) + 0.5) / 20_000
    inside = normal.cdf(1 - landing) - normal.cdf(-landing)
    above = normal.cdf(1 - landing) - normal.cdf(0.8 - landing)
    truth = above.mean() / inside.mean()
    assert abs(truth - 0.2) > 0.02, "0.2 is what noise drawn again alone would give"
    spy = RuleModel(lambda X: X["a"] > 0.8)
    found = explain(spy, actions, X, random_effects={"a": normal}, n_samples=2_000)
    covered = (found.lower <= truth) & (truth <= found.upper)
    assert covered.mean() >= 0.85
    assert abs(found.values.mean() - truth) < 0.005
    assert pd.concat(spy.seen)["a"].between(0, 1).all()


def test_noise_goes_no_further_outside_than_the_change_did():
    """A linkage carries `bill` to 12, beyond its bound of 10, and `old` starts at 8."""
    X = pd.DataFrame({"loan": [0], "bill": [9.0], "old": [8.0], "free": [5.0]})
    actions = ActionSet(
        {
            "loan": Feature("binary"),
            "bill": Feature("real", 0, 10, actionable=False),
            "old": Feature("real", 0, 5, actionable=False),
            "free": Feature("real", actionable=False),
        },
        [Linkage("loan", {"bill": 3})],
    )
    spy = RuleModel(lambda X: X["bill"] > 10)
    wide = dict.fromkeys(["bill", "old", "free"], stats.norm(0, 4))
    found = explain(spy, actions, X, random_effects=wide, n_samples=300)
    points = found.reachable(0, "loan").points
    assert len(points) == 300
    assert points["bill"].between(0, 12).all()
    assert points["old"].between(0, 8).all()
    assert points["free"].min() < 0
    truth = truncated(stats.norm(0, 4), -12, 0, -2)
    assert found.lower[0, 0] <= truth <= found.upper[0, 0]


def test_a_missing_value_stays_missing_and_its_constraints_stay_judged():
    X = pd.DataFrame({"a": [0, 0], "k": [2.0, np.nan], "m": [1.0, 1.0]})
    actions = ActionSet(
        {
            "a": Feature("binary"),
            "k": Feature("integer", 0, 4, actionable=False),
            "m": Feature("integer", 0, 4, actionable=False),
        },
        [Linear({"k": 1, "m": 1}, upper=4)],
    )
    spy = RuleModel(lambda X: X["a"] == 1)
    effects = dict.fromkeys("km", stats.randint(-1, 2))
    found = explain(spy, actions, X, random_effects=effects, n_samples=50)
    assert found.n_reachable[:, 0].tolist() == [50, 50]
    points = found.reachable(1, "a").points
    assert points["k"].isna().all()
    assert (points["m"] == 1).all(), "a rule with a gap keeps the others still"


def test_who_cannot_move_is_known_not_to():
    X = pd.DataFrame({"p": [1, 0], "r": [0, 1]})
    actions = ActionSet.infer(
        X, features={"p": Feature("binary", direction="increase")}, immutable=["r"]
    )
    spy = RuleModel(lambda X: X["p"] == 1)
    explanation = explain(spy, actions, X, random_effects={"r": stats.bernoulli(0.5)})
    assert explanation.exact[:, 0].tolist() == [True, False]
    assert explanation.upper[0, 0] == 0


def test_impossible_chance_ends():
    X = pd.DataFrame({"a": [0, 1], "n": [1, 2]})
    spy = RuleModel(lambda X: X["n"] > 0)
    explanation = explain(
        spy,
        ActionSet.infer(X),
        X,
        random_effects={"a": stats.uniform(5, 1)},
        n_samples=9,
    )
    assert (explanation.n_reachable == 0).all()
    assert (explanation.upper == 1).all()
    assert not explanation.exact.any()


def test_the_same_seed_whatever_the_order(insured):
    X, actions = insured
    spy = RuleModel(lambda X: X["insured"] == 1)
    effects = {"insured": insurance}
    one = explain(spy, actions, X, random_effects=effects)
    two = explain(spy, actions, X[::-1], random_effects=effects)
    np.testing.assert_array_equal(one.values, two.values[::-1])


@pytest.mark.parametrize(
    ("effects", "message"),
    [
        ({"dog": stats.norm()}, "has 'dog', which is not a feature"),
        ({"home": stats.norm()}, "'home', which is categorical"),
        ({"n": 3}, r"random_effects\['n'\] must be a distribution"),
        ({}, "must be a mapping from feature to distribution"),
        (lambda rows, changes, rng: np.zeros(3), "of the rows' shape"),
        (lambda rows, changes, rng: np.full(rows.shape, np.nan), "finite noise"),
    ],
)
def test_bad_effects_are_refused(effects, message):
    X = pd.DataFrame({"n": [1, 2], "home": ["a", "b"]})
    spy = RuleModel(lambda X: X["n"] > 1)
    with pytest.raises((TypeError, ValueError), match=message):
        explain(spy, ActionSet.infer(X), X, random_effects=effects)
