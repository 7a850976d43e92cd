"""Displays."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.frozen import FrozenEstimator

from skresp import ShapExplainer
from skresp.plots import (
    ComparisonDisplay,
    LineDisplay,
    PersonDisplay,
    RankDisplay,
    ResponsivenessDisplay,
    ThresholdDisplay,
    TradeOffDisplay,
)

from .attack import Attack


def shap(w: Any) -> Any:
    return ShapExplainer(FrozenEstimator(w.model), target=1).fit(w.X)


ATTACKS = [
    Attack(
        "no explanation",
        lambda w: ResponsivenessDisplay.from_explanation("a"),
        TypeError,
        (
            "explanation must be of type Explanation, got 'a'. Pass "
            "explainer.explain(X)."
        ),
    ),
    Attack(
        "an explainer instead",
        lambda w: ResponsivenessDisplay.from_explanation(w.explainer),
        TypeError,
        (
            "explanation must be of type Explanation, got "
            "ResponsivenessExplainer(action_set=ActionSet(3 features, "
            "2...tate=0)), random_state=0, target=1). Pass "
            "explainer.explain(X)."
        ),
    ),
    Attack(
        "a row beyond the last",
        lambda w: ResponsivenessDisplay.from_explanation(w.explanation, 99),
        IndexError,
        "row must be a position from 0 to 39, got 99.",
    ),
    Attack(
        "contributions",
        lambda w: ResponsivenessDisplay.from_explanation(shap(w).explain(w.X[:2])),
        ValueError,
        (
            "ResponsivenessDisplay needs an explanation of a "
            "ResponsivenessExplainer, got contributions. Draw one person "
            "with explanation.plot(row), all with "
            "shap.plots.bar(explanation.to_shap())."
        ),
    ),
    Attack(
        "max_features is 0",
        lambda w: ResponsivenessDisplay.from_explanation(w.explanation, 0).plot(
            max_features=0
        ),
        ValueError,
        "max_features must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "ax is a number",
        lambda w: ResponsivenessDisplay.from_explanation(w.explanation, 0).plot(ax=3),
        TypeError,
        "ax must be matplotlib Axes or None, got 3.",
    ),
    Attack(
        "a line of no explanation",
        lambda w: LineDisplay.from_explanation(None, 0, "income"),
        TypeError,
        (
            "explanation must be of type Explanation, got None. Pass "
            "explainer.explain(X)."
        ),
    ),
    Attack(
        "a line of no feature",
        lambda w: LineDisplay.from_explanation(w.explanation, 0, "incme"),
        ValueError,
        (
            "feature must be one of 'age', 'income', 'own', got 'incme'. "
            "Did you mean 'income'?"
        ),
    ),
    Attack(
        "one explanation, no mapping",
        lambda w: PersonDisplay.from_explanations(w.explanation, 0),
        TypeError,
        (
            "explanations must be a mapping from name to Explanation with "
            "at least one entry, got Explanation of 40 rows x 3 features, "
            "target 1: 20 at the target, 20 not; of those 20 have a "
            "feature that works.."
        ),
    ),
    Attack(
        "an explainer in a mapping",
        lambda w: PersonDisplay.from_explanations({"a": w.explainer}, 0),
        TypeError,
        (
            "explanations['a'] must be an Explanation, got "
            "ResponsivenessExplainer. Pass explainer.explain(X)."
        ),
    ),
    Attack(
        "explanations of other rows",
        lambda w: PersonDisplay.from_explanations(
            {"a": w.explanation, "b": w.explainer.explain(w.X[:3])}, 0
        ),
        ValueError,
        (
            "explanations must have the same rows and features, but the "
            "first has 40 rows x 3 features and 'b' has 3 x 3, or other "
            "labels. Explain the same X with each explainer."
        ),
    ),
    Attack(
        "ranks of a list",
        lambda w: RankDisplay.from_explanations([w.explanation], w.explanation),
        TypeError,
        (
            "explanations must be a mapping from name to Explanation, got "
            "[Explanation of 40 rows x 3 features, target 1: 20 at the "
            "target, 20 not; of those 20 have a feature that works.]."
        ),
    ),
    Attack(
        "max_rank is 0",
        lambda w: RankDisplay.from_explanations({"a": w.explanation}, w.explanation, 0),
        ValueError,
        "max_rank must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "a frame of another kind",
        lambda w: ComparisonDisplay(pd.DataFrame({"a": [1]}), "a"),
        ValueError,
        (
            "frame must have the rows presented, all_unresponsive, "
            "some_responsive, all_responsive, but 'presented' is missing. "
            "Make it with skresp.metrics.compare_explainers."
        ),
    ),
    Attack(
        "explainers is a list",
        lambda w: ComparisonDisplay.from_estimator([w.explainer], w.X),
        TypeError,
        (
            "explainers must be a mapping from name to fitted explainer, "
            "got [ResponsivenessExplainer(action_set=ActionSet(3 features, "
            "2...tate=0)), random_state=0, target=1)]."
        ),
    ),
    Attack(
        "no verdicts",
        lambda w: ThresholdDisplay.from_verdicts(w.explanation),
        TypeError,
        (
            "verdicts must be of type Verdicts, got Explanation of 40 rows "
            "x 3 features, target 1: 20 at the target, 20 not; of those 20 "
            "have a feature that works.. Pass explainer.verify(X)."
        ),
    ),
    Attack(
        "scores of another length",
        lambda w: TradeOffDisplay([1], [1, 2]),
        ValueError,
        (
            "score and recourse must be 1D with one number per candidate, "
            "got shapes (1,) and (2,)."
        ),
    ),
    Attack(
        "a search that is not fitted",
        lambda w: TradeOffDisplay.from_search(w.model),
        TypeError,
        (
            "search must be a fitted search such as GridSearchCV, which "
            "has cv_results_, got DecisionTreeClassifier(max_depth=2, "
            "random_state=0)."
        ),
    ),
]
