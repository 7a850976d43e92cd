"""Linear models of scikit-learn along a line: all of them exact, thresholds too."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    ARDRegression,
    Lars,
    LassoLars,
    LogisticRegression,
    LogisticRegressionCV,
    OrthogonalMatchingPursuit,
    QuantileRegressor,
    SGDClassifier,
    TheilSenRegressor,
)
from sklearn.model_selection import FixedThresholdClassifier

from skresp import ActionSet, AtLeast, Feature
from tests.scores.lines import explain, repeated
from tests.small_models import scaled

LINEAR = {
    "LR": LogisticRegression(),
    "LR, balanced by liblinear": LogisticRegression(
        solver="liblinear", class_weight="balanced"
    ),
    "LR, cross-validated": LogisticRegressionCV(Cs=2, cv=2),
    "LDA": LinearDiscriminantAnalysis(),
    "LDA by least squares": LinearDiscriminantAnalysis("lsqr", shrinkage="auto"),
    "SGD with logistic loss": SGDClassifier("log_loss", random_state=0),
    "SGD with clipped loss": SGDClassifier("modified_huber", random_state=0),
}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of LogisticRegressionCV
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_with_a_threshold_are_exact(name, wrapped, data, actions):
    X, y = data
    for target, threshold in ((1, 0.7), (0, 0.4)):
        model = scaled(LINEAR[name])
        arguments = {"target": target, "threshold": threshold}
        if wrapped:
            model = FixedThresholdClassifier(
                model, threshold=threshold, pos_label=target
            )
            del arguments["threshold"]
        model.fit(X, y)
        exact = explain(model, actions, X, X[:6], **arguments)
        assert exact.exact.all()
        for i in range(6):
            for j, feature in enumerate(["income", "debt"]):
                if not exact.n_reachable[i, j]:
                    continue
                values = exact.intervals(i, feature)
                ends = repeated(X.iloc[[i]], 2 * len(values))
                ends[feature] = np.ravel(values)
                low, high = actions.features[feature].own_limits(X[feature].iloc[i])
                length = sum(b - a for a, b in values) / (high - low)
                assert exact.values[i, j] == pytest.approx(length, abs=1e-9)
                if not len(ends):
                    continue
                if wrapped:
                    reached = model.predict(ends) == target
                else:
                    reached = model.predict_proba(ends)[:, target] >= threshold
                assert reached.all()


@pytest.mark.parametrize(
    "model",
    [
        ARDRegression(),
        Lars(),
        LassoLars(1e-3),
        OrthogonalMatchingPursuit(),
        QuantileRegressor(alpha=0.0),
        TheilSenRegressor(random_state=0, max_subpopulation=100),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_linear_regressors_are_exact(model, data, actions):
    X, _ = data
    model.fit(X, X["income"] / 1000 - X["debt"])
    exact = explain(model, actions, X, X[:4], target=AtLeast(2.5))
    assert exact.exact.all()
    j = list(X.columns).index("income")
    for i in range(4):
        person = X.iloc[[i]]
        low, high = actions.features["income"].own_limits(X["income"].iloc[i])
        t = np.linspace(low, high, 5_001)
        P = repeated(person, len(t)).assign(income=float(X["income"].iloc[i]) + t)
        wanted = np.mean(model.predict(P) >= 2.5)
        assert exact.values[i, j] == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize(("large", "is_exact"), [(1e3, True), (1e8, False)])
def test_large_terms_that_cancel_are_not_exact(large, is_exact):
    """The model itself rounds its sum, so no border is known up to 1e-9."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 1, (100, 3)), columns=list("abc"))
    model = LogisticRegression().fit(X, X.c > 0.5)
    model.coef_[:] = [[large, -large, 1.0]]
    model.intercept_[:] = -0.5
    held = {name: Feature("real", actionable=False) for name in "ab"}
    actions = ActionSet({**held, "c": Feature("real", 0, 1)})
    people = X.assign(b=X.a)[:20]
    found = explain(model, actions, X, people, target=True, random_state=0)
    assert (found.exact[:, 2] == is_exact).all()
    np.testing.assert_allclose(found.values[:, 2], 0.5, atol=1e-9 if is_exact else 0.15)
