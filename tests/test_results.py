"""Results without their explainer: what a pickle keeps, and what it leaves out."""

from __future__ import annotations

import copy
import pickle
import pickletools

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from skresp import ActionSet, Feature, ResponsivenessExplainer, ShapExplainer
from skresp._results import DetachedError

X = pd.DataFrame(
    {
        "income": [1, 2, 3, 4, 5, 1],
        "loans": [3, 2, 1, 0, 0, 0],
        "rate": [0.1, 0.9, 0.4, 0.2, 0.7, 0.5],
        "home": ["rent", "own", "rent", "own", "own", "rent"],
    },
    index=list("uvwxyz"),
)
ACTIONS = ActionSet(
    {
        "income": Feature("integer", 1, 5, max_increase=2),
        "loans": Feature("integer", 0, 3, actionable=False),
        "rate": Feature("real", 0, 1),
        "home": Feature("categorical", categories=["rent", "own"]),
    }
)


class Unpicklable:
    """A model that refuses to be pickled."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return self.predict_proba(X)[:, 1].round().astype(int)

    def predict_proba(self, X):
        p = np.clip(X["income"] / 5 - X["loans"] / 9 + X["rate"] / 20, 0, 1)
        return np.column_stack([1 - p, p])

    def __reduce__(self):
        raise TypeError("This model cannot be pickled.")


def explainer_of(model=None):
    return ResponsivenessExplainer(
        model or Unpicklable(), ACTIONS, target=1, random_state=0
    ).fit(X)


def linear():
    numbers = X[["income", "loans", "rate"]]
    return numbers, LogisticRegression().fit(numbers, [0, 0, 0, 1, 1, 0])


@pytest.fixture(scope="module")
def explanation():
    return explainer_of().explain(X)


@pytest.fixture(scope="module")
def detached(explanation):
    return pickle.loads(pickle.dumps(explanation))


def test_an_unpickled_explanation_has_its_numbers(explanation, detached):
    names = ("values", "lower", "upper", "exact", "n_reachable", "at_target")
    for name in (*names, "predictions"):
        np.testing.assert_array_equal(
            getattr(detached, name), getattr(explanation, name), err_msg=name
        )
    assert detached.feature_names == explanation.feature_names
    assert (detached.target, detached.threshold) == (1, None)
    pd.testing.assert_frame_equal(detached.data, explanation.data)
    pd.testing.assert_frame_equal(detached.top(2), explanation.top(2))
    pd.testing.assert_frame_equal(detached.to_frame(), explanation.to_frame())
    assert repr(detached) == repr(explanation)
    assert detached._repr_html_() == explanation._repr_html_()


def test_unpickled_arrays_cannot_be_written_to(detached):
    with pytest.raises(ValueError, match="read-only"):
        detached.values[0, 0] = 1.0


@pytest.mark.parametrize("row", [None, 0])
def test_bars_of_an_unpickled_explanation_are_the_same(explanation, detached, row):
    plt = pytest.importorskip("matplotlib.pyplot")
    drawn = [e.plot(row).ax_ for e in (explanation, detached)]
    bars = [[bar.get_width() for bar in ax.patches] for ax in drawn]
    texts = [[t.get_text() for t in ax.texts] for ax in drawn]
    plt.close("all")
    assert bars[0] == bars[1]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("describe", lambda e: e.describe(0)),
        ("reachable", lambda e: e.reachable(0, "income")),
        ("intervals", lambda e: e.intervals(0, "income")),
        ("robust", lambda e: e.robust({"loans": 1})),
        ("cost_weighted", lambda e: e.cost_weighted({"income": 1})),
        ("profile", lambda e: e.profile(0, "income")),
        ("monotone", lambda e: e.monotone()),
        ("intuitive", lambda e: e.intuitive({"income": "increase"})),
    ],
)
def test_what_requires_the_model_says_that_it_is_detached(
    explanation, detached, name, use
):
    use(explanation)
    expected = rf"^{name} requires.*is detached from its explainer.*\.explain\(X\)"
    with pytest.raises(DetachedError, match=expected):
        use(detached)


def test_a_pickle_of_an_explanation_holds_no_model():
    numbers, model = linear()
    actions = ActionSet({name: ACTIONS.features[name] for name in numbers})
    explainer = ResponsivenessExplainer(model, actions, target=1).fit(numbers)
    for result in (explainer.explain(numbers), explainer.verify(numbers)):
        text = " ".join(
            str(argument) for _, argument, _ in pickletools.genops(pickle.dumps(result))
        )
        for absent in ("LogisticRegression", "_model", "functools", "_context."):
            assert absent not in text


def test_an_unpickled_explanation_of_shap_values_has_its_numbers():
    pytest.importorskip("shap")
    numbers, model = linear()
    explanation = ShapExplainer(model, target=1).fit(numbers).explain(numbers)
    again = pickle.loads(pickle.dumps(explanation))
    np.testing.assert_array_equal(again.values, explanation.values)
    np.testing.assert_array_equal(again.base_values, explanation.base_values)
    np.testing.assert_array_equal(again.to_shap().data, numbers.to_numpy(float))
    assert repr(again) == repr(explanation)
    with pytest.raises(DetachedError, match="describe requires the model"):
        again.describe(0)


def test_unpickled_verdicts_have_everything_but_the_best_score():
    verdicts = explainer_of().verify(X)
    again = pickle.loads(pickle.dumps(verdicts))
    pd.testing.assert_frame_equal(again.to_frame(), verdicts.to_frame())
    pd.testing.assert_frame_equal(again.witness, verdicts.witness)
    np.testing.assert_array_equal(again.score, verdicts.score)
    assert again.counts() == verdicts.counts()
    assert again._repr_html_() == verdicts._repr_html_()
    assert again.changed(label="u") == verdicts.changed(label="u")
    expected = r"^best_score requires.*Verdicts is detached.*explainer\.verify\(X\)"
    for use in (lambda v: v.best_score, lambda v: v.curve()):
        with pytest.raises(DetachedError, match=expected):
            use(again)


def test_a_best_score_that_was_used_is_pickled():
    numbers, model = linear()
    actions = ActionSet({name: ACTIONS.features[name] for name in numbers})
    verdicts = ResponsivenessExplainer(model, actions, target=1).fit(numbers)
    verdicts = verdicts.verify(numbers)
    curve = verdicts.curve()
    again = pickle.loads(pickle.dumps(verdicts))
    np.testing.assert_array_equal(again.best_score, verdicts.best_score)
    pd.testing.assert_frame_equal(again.curve(), curve)


def test_copies_in_memory_stay_attached(explanation):
    for same in (copy.copy(explanation), copy.deepcopy(explanation)):
        assert same.describe(0) == explanation.describe(0)
