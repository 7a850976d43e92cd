"""`AuditReport`: computed once, shown as an HTML page or as JSON."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skresp import __version__
from skresp._dataframe import as_table, take_rows
from skresp._validation import check_integer
from skresp._write import write_text
from skresp.metrics._groups import group_labels, group_name
from skresp.metrics._recourse_summary import is_denied

from ._findings import Findings
from ._page import page
from ._plain_values import one_line
from .sections._registry import SECTIONS, check_sections


@dataclass(frozen=True, repr=False)
class AuditReport:
    """A one-page audit: who is denied, who has recourse, which changes work.

    The page is one file. It loads nothing from elsewhere and can be read with scripts
    switched off; scripts only sort and filter tables. Its size depends on the number of
    features, not on the number of rows.

    Attributes
    ----------
    summary : dict
        Everything on the page, as plain values.
    verdicts : Verdicts
        Verdicts of all rows.
    denied : array of int
        The positions of the denied rows.
    explanation : Explanation
        The explanation of the denied rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, ResponsivenessExplainer
    >>> from skresp.report import AuditReport
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "loans": [3, 0, 2, 1]})
    >>> actions = ActionSet.infer(X, immutable=["age"])
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    >>> explainer = explainer.fit(X, [0, 1, 0, 1])
    >>> report = AuditReport.from_estimator(explainer, X, sections=["people"])
    >>> report.to_dict()["people"]["counts"]["single"]
    2
    >>> report.html[:15]
    '<!doctype html>'
    """

    summary: dict[str, Any]
    verdicts: Any = field(compare=False)
    denied: Any = field(compare=False)
    explanation: Any = field(compare=False)

    @classmethod
    def from_estimator(
        cls,
        explainer: Any,
        X: Any,
        *,
        groups: Any = None,
        explainers: Mapping[str, Any] | None = None,
        sections: Sequence[str] | None = None,
        examples: int = 5,
        top_k: int = 4,
        compare_rows: int = 500,
        max_points: int | None = None,
        time_limit: float | None = None,
        title: str = "Recourse audit",
        reasons: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        wanted: str | None = None,
        notes: Mapping[str, str] | None = None,
        date: str | None = None,
    ) -> AuditReport:
        """Audit a model on the rows of a table.

        Parameters
        ----------
        explainer : fitted ResponsivenessExplainer
        X : frame or array
        groups : str or array-like, optional
            The name of a column of `X`, or one label per row. Adds numbers by group.
        explainers : mapping from name to fitted explainer, optional
            Other explainers to compare with: ShapExplainer, LimeExplainer, ...
        sections : list of str, optional
            The sections to compute, of "people", "features", "comparison", "examples",
            "actions", "model" and "method". The default is all of them.
        examples : int, default=5
            The number of people to show as examples, at most ten.
        top_k : int, default=4
            The length of the lists of features that are compared.
        compare_rows : int, default=500
            The maximum number of denied rows used in the comparison, evenly spaced.
        max_points, time_limit
            Limits of the search for verdicts; see `ResponsivenessExplainer.verify`.
        title : str
        reasons, names : mapping from feature to text, optional
            Display names in the notices of the examples; see `notice`.
        wanted : str, optional
            What the target is called, such as "approval of the loan".
        notes : mapping from name to text, optional
            Further facts to show in the section "method", such as files or an owner.
        date : str, optional
            The default is the date of today.

        Returns
        -------
        AuditReport
        """
        check_is_fitted(explainer, "estimator_")
        if not hasattr(explainer, "verify"):
            raise TypeError(
                f"explainer must be a ResponsivenessExplainer, got "
                f"{type(explainer).__name__}. Pass other explainers in "
                f"explainers={{...}}."
            )
        chosen = check_sections(sections)
        check_integer("examples", examples, 0)
        check_integer("top_k", top_k, 1)
        check_integer("compare_rows", compare_rows, 1)
        table = as_table(X)
        by_group = groups is not None
        budget = {"max_points": max_points, "time_limit": time_limit}
        verdicts = explainer.verify(table, **budget)
        denied = np.flatnonzero(is_denied(verdicts.status))
        findings = Findings(
            explainer=explainer,
            table=table,
            verdicts=verdicts,
            denied=denied,
            explanation=explainer.explain(take_rows(table, denied)),
            groups=group_labels(groups, X, len(table)) if by_group else None,
            group_name=group_name(groups) if by_group else "",
            explainers=dict(explainers or {}),
            compare_rows=int(compare_rows),
            top_k=int(top_k),
            examples=int(examples),
            budget=budget,
            reasons=reasons,
            names=names,
            wanted=wanted,
            notes=dict(notes or {}),
        )
        summary: dict[str, Any] = {
            "title": str(title),
            "date": date or datetime.date.today().isoformat(),
            "skresp": __version__,
            "wanted": wanted or f"the outcome {one_line(explainer.target_)}",
            "sections": chosen,
        }
        for name in chosen:
            summary[name] = SECTIONS[name].compute(findings)
        return cls(summary, verdicts, denied, findings.explanation)

    def to_dict(self) -> dict[str, Any]:
        """Return everything on the page, as plain values."""
        return self.summary

    @property
    def json(self) -> str:
        """Everything on the page, as JSON."""
        return json.dumps(self.summary, indent=2, allow_nan=False) + "\n"

    @property
    def html(self) -> str:
        """The page as HTML."""
        return page(self.summary)

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, as .html or .json by its ending.

        A file with this name appears only when it is complete.
        """
        file = Path(path)
        if file.suffix not in (".html", ".json"):
            raise ValueError(
                f"path must end in .html or .json, which sets the format, got "
                f"{file.name!r}."
            )
        write_text(file, self.html if file.suffix == ".html" else self.json)

    def __repr__(self) -> str:
        return (
            f"AuditReport with the sections {', '.join(self.summary['sections'])}. Use "
            f"html, json or to_file(path)."
        )
