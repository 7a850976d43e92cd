"""Notices and reports."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from skresp import ResponsivenessExplainer, ShapExplainer
from skresp.report import AuditReport, notice

from .attack import Attack


def shap(w: Any) -> Any:
    return ShapExplainer(FrozenEstimator(w.model), target=1).fit(w.X)


ATTACKS = [
    Attack(
        "a notice of text",
        lambda w: notice("a"),
        TypeError,
        (
            "explanation must be an Explanation or a fitted "
            "ResponsivenessExplainer, got str."
        ),
    ),
    Attack(
        "a notice without a person",
        lambda w: notice(w.explainer),
        ValueError,
        (
            "With an explainer, row must be the person: a table of one "
            "row, such as X.iloc[[0]]."
        ),
    ),
    Attack(
        "a notice of two people",
        lambda w: notice(w.explainer, w.X[:2]),
        ValueError,
        (
            "With an explainer, row must be the person: a table of one "
            "row, such as X.iloc[[0]]."
        ),
    ),
    Attack(
        "a label with an explainer",
        lambda w: notice(w.explainer, label=0),
        ValueError,
        (
            "label=0 requires an Explanation. With an explainer, pass the "
            "person as a table of one row, such as X.loc[[0]]."
        ),
    ),
    Attack(
        "a notice of contributions",
        lambda w: notice(shap(w).explain(w.X[:2]), 0),
        ValueError,
        (
            "A notice requires responsiveness scores, got shap values, "
            "which do not say what would change the decision. Pass "
            "ResponsivenessExplainer(...).fit(X).explain(X)."
        ),
    ),
    Attack(
        "a row beyond the last",
        lambda w: notice(w.explanation, 99),
        IndexError,
        "row must be a position from 0 to 39, got 99.",
    ),
    Attack(
        "verdicts of other rows",
        lambda w: notice(w.explanation, 0, w.explainer.verify(w.X[:2])),
        ValueError,
        (
            "verdicts must be of the 40 rows of the explanation, got 2 "
            "rows. Pass the same rows to verify and explain."
        ),
    ),
    Attack(
        "verdicts are text",
        lambda w: notice(w.explanation, 0, "fixed"),
        TypeError,
        ("verdicts must be of type Verdicts, got 'fixed'. Pass explainer.verify(X)."),
    ),
    Attack(
        "max_reasons is 0",
        lambda w: notice(w.explanation, 0, max_reasons=0),
        ValueError,
        "max_reasons must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "names is a list",
        lambda w: notice(w.explanation, 0, names=["Income"]),
        TypeError,
        ("names must be a mapping from feature to display name, got ['Income']."),
    ),
    Attack(
        "a name of no feature",
        lambda w: notice(w.explanation, 0, names={"incme": "Income"}),
        ValueError,
        (
            "names has 'incme', which is not a feature. Did you mean "
            "'income'? The features are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "a name is empty",
        lambda w: notice(w.explanation, 0, names={"income": " "}),
        ValueError,
        (
            "names['income'] must be a display name, a text that is not "
            "empty, got ' '. Codes of denial reasons are not accepted: a "
            "notice lists what would work, not why the decision was made."
        ),
    ),
    Attack(
        "a reason is a number",
        lambda w: notice(w.explanation, 0, reasons={"income": 12}),
        ValueError,
        (
            "reasons['income'] must be a display name, a text that is not "
            "empty, got 12. Codes of denial reasons are not accepted: a "
            "notice lists what would work, not why the decision was made."
        ),
    ),
    Attack(
        "wanted is a number",
        lambda w: notice(w.explanation, 0, wanted=5),
        TypeError,
        "wanted must be of type str, got 5.",
    ),
    Attack(
        "a report of a model",
        lambda w: AuditReport.from_estimator(w.model, w.X),
        TypeError,
        (
            "explainer must be a ResponsivenessExplainer, got "
            "DecisionTreeClassifier. Pass other explainers in "
            "explainers={...}."
        ),
    ),
    Attack(
        "a report of SHAP",
        lambda w: AuditReport.from_estimator(shap(w), w.X),
        TypeError,
        (
            "explainer must be a ResponsivenessExplainer, got "
            "ShapExplainer. Pass other explainers in explainers={...}."
        ),
    ),
    Attack(
        "not fitted",
        lambda w: AuditReport.from_estimator(ResponsivenessExplainer(w.model), w.X),
        NotFittedError,
        (
            "This ResponsivenessExplainer instance is not fitted yet. Call "
            "'fit' with appropriate arguments before using this estimator."
        ),
    ),
    Attack(
        "unknown section",
        lambda w: AuditReport.from_estimator(w.explainer, w.X, sections=["peple"]),
        ValueError,
        (
            "sections has 'peple', which is not a section. Did you mean 'people'? The "
            "sections are people, features, comparison, examples, actions, model, "
            "method."
        ),
    ),
    Attack(
        "section is a number",
        lambda w: AuditReport.from_estimator(w.explainer, w.X, sections=[5]),
        ValueError,
        (
            "sections has 5, which is not a section. The sections are "
            "people, features, comparison, examples, actions, model, "
            "method."
        ),
    ),
    Attack(
        "examples below 0",
        lambda w: AuditReport.from_estimator(w.explainer, w.X, examples=-1),
        ValueError,
        "examples must be a whole number of at least 0, got -1.",
    ),
    Attack(
        "top_k is text",
        lambda w: AuditReport.from_estimator(w.explainer, w.X, top_k="a"),
        ValueError,
        "top_k must be a whole number of at least 1, got 'a'.",
    ),
    Attack(
        "unknown group",
        lambda w: AuditReport.from_estimator(w.explainer, w.X, groups="sex"),
        ValueError,
        (
            "groups must be a column of X or one label for each row, got "
            "'sex'. X has 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "a report to no folder",
        lambda w: w.report.to_file(w.folder / "no" / "a.html"),
        FileNotFoundError,
        ".../no/a.html cannot be written, because there is no folder .../no.",
    ),
    Attack(
        "another ending",
        lambda w: w.report.to_file(w.folder / "a.pdf"),
        ValueError,
        ("path must end in .html or .json, which sets the format, got 'a.pdf'."),
    ),
    *(
        Attack(
            f"a report with {name}={value!r}",
            lambda w, name=name, value=value: AuditReport.from_estimator(
                w.explainer, w.X, **{name: value}
            ),
            TypeError,
            message,
        )
        for name, value, message in [
            ("notes", ["a"], "notes must be a mapping from name to text, got ['a']."),
            (
                "explainers",
                ["shap"],
                "explainers must be a mapping from title to explainer, got ['shap'].",
            ),
            ("title", None, "title must be of type str, got None."),
            ("wanted", 5, "wanted must be of type str, got 5."),
            ("date", 5, "date must be of type str, got 5."),
            (
                "sections",
                5,
                "sections must be a list of names of sections, got 5.",
            ),
        ]
    ),
    Attack(
        "a report to no file",
        lambda w: w.report.to_file(None),
        TypeError,
        "path must be the path of a file, got None.",
    ),
]
