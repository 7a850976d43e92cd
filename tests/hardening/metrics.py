"""Metrics and model selection."""

from __future__ import annotations

from sklearn.linear_model import LinearRegression

from skresp import AtLeast
from skresp.metrics import (
    RecourseScorer,
    compare_explainers,
    explanation_summary,
    recourse_summary,
)
from skresp.model_selection import best_recourse_within, threshold_curve, trade_off

from .attack import Attack

ATTACKS = [
    Attack(
        "no explainer",
        lambda w: recourse_summary("a", w.X),
        TypeError,
        ("explainer must be a fitted ResponsivenessExplainer or Verdicts, got 'a'."),
    ),
    Attack(
        "explainer without verify",
        lambda w: recourse_summary(w.model, w.X),
        TypeError,
        (
            "explainer must be a fitted ResponsivenessExplainer or "
            "Verdicts, got DecisionTreeClassifier(max_depth=2, "
            "random_state=0)."
        ),
    ),
    Attack(
        "no rows given",
        lambda w: recourse_summary(w.explainer),
        ValueError,
        (
            "X must be given with an explainer, got None. Pass the rows to "
            "verify, or Verdicts instead of the explainer."
        ),
    ),
    Attack(
        "unknown group",
        lambda w: recourse_summary(w.explainer, w.X, groups="sex"),
        ValueError,
        (
            "groups must be a column of X or one label for each row, got "
            "'sex'. X has 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "groups of another length",
        lambda w: recourse_summary(w.explainer, w.X, groups=[1, 2]),
        ValueError,
        (
            "groups must be a column of X or one label for each of the 40 "
            "rows, got an array of shape (2,)."
        ),
    ),
    Attack(
        "groups of another index",
        lambda w: recourse_summary(w.explainer, w.X, groups=w.X["own"][::-1]),
        ValueError,
        (
            "groups is a Series whose index differs from that of X, so it "
            "is unclear which row has which label. Pass "
            "groups.loc[X.index], or groups.to_numpy() if the rows are in "
            "the same order."
        ),
    ),
    Attack(
        "no explanation",
        lambda w: explanation_summary([1], w.explanation),
        TypeError,
        (
            "explanation must be of type Explanation, got [1]. Pass "
            "explainer.explain(X)."
        ),
    ),
    Attack(
        "other rows",
        lambda w: explanation_summary(w.explanation, w.explainer.explain(w.X[:3])),
        ValueError,
        (
            "responsiveness must have the shape of the explanation, (40, "
            "3), got (3, 3). Explain the same rows with both explainers."
        ),
    ),
    Attack(
        "top_k is 0",
        lambda w: explanation_summary(w.explanation, w.explanation, 0),
        ValueError,
        "top_k must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "explainers is a list",
        lambda w: compare_explainers([w.explainer], w.X),
        TypeError,
        (
            "explainers must be a mapping from name to fitted explainer, "
            "got [ResponsivenessExplainer(action_set=ActionSet(3 features, "
            "2...tate=0)), random_state=0, target=1)]."
        ),
    ),
    Attack(
        "no responsiveness",
        lambda w: compare_explainers({"m": w.model}, w.X),
        ValueError,
        (
            "explainers must include a ResponsivenessExplainer, which "
            "decides which features are responsive, got 'm'. Add one."
        ),
    ),
    Attack(
        "no explainers",
        lambda w: compare_explainers({}, w.X),
        ValueError,
        (
            "explainers must include a ResponsivenessExplainer, which "
            "decides which features are responsive, got none. Add one."
        ),
    ),
    Attack(
        "unknown metric",
        lambda w: RecourseScorer(w.actions, "recourse", target=1)(w.model, w.X),
        ValueError,
        (
            "metric must be one of recourse_rate, single_rate, "
            "mean_responsiveness, recourse_rate_of_denied, "
            "single_rate_of_denied, mean_responsiveness_of_denied, "
            "neg_recourse_rate_gap, neg_single_rate_gap, "
            "neg_mean_responsiveness_gap, or a list of them, got "
            "'recourse'. Did you mean 'recourse_rate'?"
        ),
    ),
    Attack(
        "no metric",
        lambda w: RecourseScorer(w.actions, [], target=1)(w.model, w.X),
        ValueError,
        (
            "metric must be one of recourse_rate, single_rate, "
            "mean_responsiveness, recourse_rate_of_denied, "
            "single_rate_of_denied, mean_responsiveness_of_denied, "
            "neg_recourse_rate_gap, neg_single_rate_gap, "
            "neg_mean_responsiveness_gap, or a list of them, got []."
        ),
    ),
    Attack(
        "metric is a number",
        lambda w: RecourseScorer(w.actions, 5, target=1)(w.model, w.X),
        ValueError,
        (
            "metric must be one of recourse_rate, single_rate, "
            "mean_responsiveness, recourse_rate_of_denied, "
            "single_rate_of_denied, mean_responsiveness_of_denied, "
            "neg_recourse_rate_gap, neg_single_rate_gap, "
            "neg_mean_responsiveness_gap, or a list of them, got 5."
        ),
    ),
    Attack(
        "gap without groups",
        lambda w: RecourseScorer(w.actions, "neg_recourse_rate_gap", target=1)(
            w.model, w.X
        ),
        ValueError,
        (
            "metric='neg_recourse_rate_gap' needs groups, got None. Pass "
            "RecourseScorer(groups=...) with a column of X, or pass groups "
            "as metadata, see set_score_request."
        ),
    ),
    Attack(
        "no action set",
        lambda w: RecourseScorer("a.yaml", target=1)(w.model, w.X),
        TypeError,
        (
            "action_set must be an ActionSet or None, got 'a.yaml'. Make "
            "one with ActionSet.infer(X, ...) or ActionSet.from_file(path)."
        ),
    ),
    Attack(
        "target as text",
        lambda w: RecourseScorer(w.actions, target="1")(w.model, w.X),
        ValueError,
        (
            "target='1' is not among the classes of the model. Did you "
            "mean the number 1? Pass one of 0, 1."
        ),
    ),
    Attack(
        "random_state is -1",
        lambda w: RecourseScorer(w.actions, target=1, random_state=-1)(w.model, w.X),
        ValueError,
        (
            "random_state must be a whole number from 0 to 4294967295, a "
            "numpy RandomState or None, got -1."
        ),
    ),
    Attack(
        "standard errors below 0",
        lambda w: best_recourse_within(-1),
        ValueError,
        "standard_errors must be a number of at least 0, got -1.",
    ),
    Attack(
        "tolerance is text",
        lambda w: best_recourse_within(tolerance="a"),
        ValueError,
        "tolerance must be a number of at least 0, got 'a'.",
    ),
    Attack(
        "results without scores",
        lambda w: trade_off({}),
        ValueError,
        (
            "The search has no score 'auc'; it has none. Use the names of "
            "scoring=, for example scoring={'auc': 'roc_auc', 'recourse': "
            "RecourseScorer(...)}."
        ),
    ),
    Attack(
        "results of another scorer",
        lambda w: best_recourse_within()({"mean_test_score": [1]}),
        ValueError,
        (
            "The search has no score 'auc'; it has 'score'. Use the names "
            "of scoring=, for example scoring={'auc': 'roc_auc', "
            "'recourse': RecourseScorer(...)}."
        ),
    ),
    Attack(
        "a curve of a regressor",
        lambda w: threshold_curve(
            w.fit(LinearRegression().fit(w.X, w.y), target=AtLeast(0.5)), w.X, w.y
        ),
        ValueError,
        (
            "explainer must have a classifier, got a regressor with the "
            "target at least 0.5, which has no accuracy. Use "
            "explainer.verify(X).curve(thresholds)."
        ),
    ),
    Attack(
        "y has another label",
        lambda w: threshold_curve(w.explainer, w.X, w.y + 1),
        ValueError,
        "y must have classes of the model, 0, 1, got the label 2.",
    ),
    Attack(
        "y is too short",
        lambda w: threshold_curve(w.explainer, w.X, w.y[:3]),
        ValueError,
        ("y must have one label for each of the 40 rows, got an array of shape (3,)."),
    ),
]
