"""`structure_`: how the model was read, and what is exact because of it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._model._fitted_model import FittedModel
from skresp.constraints import Linear


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    n = 80
    X = pd.DataFrame(
        {
            "income": rng.normal(size=n),
            "age": rng.integers(18, 70, n),
            "loans": rng.integers(0, 5, n),
        }
    )
    return X, (X.income - X.loans > -2).astype(int)


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=3, random_state=0)


def _mlp() -> MLPClassifier:
    return MLPClassifier((3,), max_iter=300, random_state=0, tol=1e-2)


def _explainer(model: Any, data: Any, **options: Any) -> ResponsivenessExplainer:
    X, y = data
    actions = options.pop("actions", ActionSet.infer(X, immutable=["age"]))
    return ResponsivenessExplainer(model, actions, target=1, **options).fit(X, y)


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("trees", _tree()),
        ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
        ("composite", CalibratedClassifierCV(_tree(), cv=2)),
    ],
)
def test_nothing_is_missing_of_a_model_that_is_read(
    kind: str, model: Any, data: Any
) -> None:
    explainer = _explainer(model, data)
    structure = explainer.structure_
    assert structure.kind == kind
    assert structure.exact_scores == "all"
    assert structure.certified
    assert structure.reason == ""
    assert str(structure) == f"{kind}: all scores exact, verdicts certified"
    # The promise is kept.
    assert explainer.explain(data[0]).exact.all()
    assert "unknown" not in explainer.verify(data[0]).status


def test_naive_bayes_is_additive(data: Any) -> None:
    structure = _explainer(GaussianNB(), data).structure_
    assert str(structure) == "additive: all scores exact, verdicts certified"


def test_a_black_box_says_why_and_what_would_help(data: Any) -> None:
    explainer = _explainer(_mlp(), data)
    structure = explainer.structure_
    assert structure.kind == "black box"
    assert structure.exact_scores == "some"  # loans are listed
    assert not structure.certified
    assert structure.reason.startswith("MLPClassifier is not among the models")
    assert "make income an integer feature with a step" in structure.reason
    exact = explainer.explain(data[0]).exact
    assert exact[:, 2].all()
    assert not exact[:, 0].any()


def test_the_remedy_for_a_black_box_helps(data: Any) -> None:
    X = data[0].assign(income=(100 * data[0].income).round())
    actions = ActionSet.infer(
        X, features={"income": Feature("integer", step=10)}, immutable=["age"]
    )
    explainer = _explainer(_mlp(), (X, data[1]), actions=actions)
    assert explainer.structure_.exact_scores == "all"
    assert not explainer.structure_.certified
    assert explainer.explain(X).exact.all()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (make_pipeline(PCA(2), _tree()), "PCA mixes columns"),
        (
            make_pipeline(FunctionTransformer(np.asarray), _tree()),
            "FunctionTransformer(np.log1p)",
        ),
        (
            make_pipeline(
                make_column_transformer(
                    (FunctionTransformer(np.asarray), ["income"]),
                    remainder="passthrough",
                ),
                _tree(),
            ),
            "FunctionTransformer(np.log1p)",
        ),
        (
            VotingClassifier([("net", _mlp())], voting="soft"),
            "Inside VotingClassifier: MLPClassifier is not among",
        ),
        (VotingClassifier([("tree", _tree())]), "voting='soft'"),
        (
            make_pipeline(
                make_column_transformer(
                    (OneHotEncoder(handle_unknown="ignore"), ["income"]),
                    remainder="passthrough",
                ),
                _tree(),
            ),
            "treats numbers of income as labels",
        ),
    ],
)
def test_the_reason_names_the_step_or_the_model(
    model: Any, reason: str, data: Any
) -> None:
    structure = _explainer(model, data).structure_
    assert reason in structure.reason
    assert structure.exact_scores == "some"
    text = str(structure)
    assert text.endswith(".")
    assert "\n" not in text


def test_settings_that_sample_all_scores_are_the_reason(data: Any) -> None:
    sampled = _explainer(_tree(), data, method="sample").structure_
    assert (sampled.exact_scores, sampled.certified) == ("none", True)
    assert "method='sample'" in sampled.reason
    effects = {"loans": lambda rows, changes, rng: np.zeros(len(rows))}
    noisy = _explainer(_tree(), data, random_effects=effects).structure_
    assert (noisy.exact_scores, noisy.certified) == ("none", True)
    assert "random_effects" in noisy.reason


def test_constraints_with_a_real_are_the_reason(data: Any) -> None:
    actions = ActionSet.infer(
        data[0],
        immutable=["age"],
        constraints=[Linear({"income": 1, "loans": 1}, upper=8)],
    )
    structure = _explainer(_tree(), data, actions=actions).structure_
    assert structure.exact_scores == "some"
    assert structure.certified
    assert "income and loans share constraints" in structure.reason
    assert "make income an integer feature with a step" in structure.reason


def test_an_action_set_without_reals_is_exact(data: Any) -> None:
    actions = ActionSet.infer(data[0], immutable=["age", "income"])
    assert _explainer(_mlp(), data, actions=actions).structure_.exact_scores == "all"


def test_a_threshold_on_several_classes_is_the_reason(data: Any) -> None:
    X, y = data
    several = X, y + (X.loans > 2)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    structure = _explainer(model, several, threshold=0.4).structure_
    assert not structure.certified
    assert "threshold=0.4" in structure.reason


def test_structure_is_made_at_the_first_use(data: Any, monkeypatch: Any) -> None:
    reads = []
    original = FittedModel.score_function.fget
    monkeypatch.setattr(
        FittedModel,
        "score_function",
        property(lambda self: reads.append(1) or original(self)),
    )
    explainer = _explainer(_tree(), data)
    html = explainer._repr_html_()
    assert "all scores exact" not in html
    assert "structure_" not in dir(explainer)
    assert not reads
    structure = explainer.structure_
    assert reads
    assert explainer.structure_ is structure
    assert "trees: all scores exact, verdicts certified" in explainer._repr_html_()
    bundle = explainer._repr_mimebundle_()
    assert "trees: all scores exact" in bundle["text/html"]
    assert "structure_" in dir(explainer)
    assert "predict_proba" in dir(explainer)


def test_a_new_fit_makes_a_new_structure(data: Any) -> None:
    explainer = _explainer(_tree(), data)
    assert explainer.structure_.kind == "trees"
    explainer.set_params(estimator=LogisticRegression()).fit(*data)
    assert explainer.structure_.kind == "linear"


def test_structure_requires_a_fit(data: Any) -> None:
    with pytest.raises(NotFittedError):
        _ = ResponsivenessExplainer(_tree()).structure_


def test_pickle_keeps_the_structure_and_no_rows(data: Any) -> None:
    X, y = data
    sizes = []
    for times in (1, 20):
        many = pd.concat([X] * times), np.tile(y, times)
        explainer = _explainer(RandomForestClassifier(2, max_depth=2), many)
        structure = explainer.structure_
        assert pickle.loads(pickle.dumps(structure)) == structure
        again = pickle.loads(pickle.dumps(explainer))
        assert again.structure_ == structure
        sizes.append(len(pickle.dumps(explainer)))
    assert sizes[1] < sizes[0] + X.to_numpy().nbytes
