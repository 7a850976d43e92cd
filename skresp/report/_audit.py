"""An audit of a model: computed once, shown as a page or as JSON."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from skresp import __version__
from skresp.actions import as_table, column, column_names, is_frame, spread

from ._page import page
from ._summary import SECTIONS, Found, check_sections, denied_rows
from ._write import write_text


@dataclass(frozen=True, repr=False)
class AuditReport:
    """What a model does to the people it denies, on one page.

    The page needs nothing but itself: no network, no other file, and no script to be
    read (scripts only sort and filter its tables). Its size depends on the number of
    features, not of rows.

    Attributes
    ----------
    summary : dict
        Everything that is on the page, as plain values.
    verdicts : Verdicts
        Of all rows.
    denied : array of int
        The positions of the rows that are denied.
    explanation : Explanation
        Of the rows that are denied.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
    >>> from skresp.report import AuditReport
    >>> X = [[i, n] for i in range(1, 6) for n in range(4)]
    >>> y = [int(i - n >= 2) for i, n in X]
    >>> actions = ActionSet(
    ...     {
    ...         "income": Feature("integer", 1, 5, max_increase=1),
    ...         "loans": Feature("integer", 0, 3, max_decrease=1),
    ...     }
    ... )
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    >>> explainer = explainer.fit(X, y)
    >>> report = AuditReport.from_estimator(explainer, X, sections=["people"])
    >>> report.to_dict()["people"]["counts"]["fixed"]
    3
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
        title: str = "What this model leaves people to do",
        reasons: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        notes: Mapping[str, str] | None = None,
        date: str | None = None,
    ) -> AuditReport:
        """Audit a model on rows.

        Parameters
        ----------
        explainer : fitted ResponsivenessExplainer
        X : frame or array
        groups : str or array-like, optional
            A column of `X`, or one label a row: numbers by group too.
        explainers : mapping from name to fitted explainer, optional
            ShapExplainer, LimeExplainer, ... to compare with.
        sections : list of str, optional
            Which of "model", "people", "features", "comparison", "examples",
            "actions" and "method" to make; all unless given.
        examples : int, default=5
            How many people to show, at most ten.
        top_k : int, default=4
            The length of the lists that are compared.
        compare_rows : int, default=500
            At most so many of the denied are explained for the comparison, evenly
            spaced.
        max_points, time_limit : see `ResponsivenessExplainer.verify`
        title : str
        reasons, names : mappings, optional
            For the notices of the examples; see `notice`.
        notes : mapping from name to text, optional
            Further facts to keep with the report: files, ticket, owner.
        date : str, optional
            Today unless given.
        """
        check_is_fitted(explainer, "estimator_")
        if not hasattr(explainer, "verify"):
            raise TypeError(
                f"explainer must be a ResponsivenessExplainer, got "
                f"{type(explainer).__name__}. Pass others in explainers={{...}}."
            )
        chosen = check_sections(sections)
        for name, number in (
            ("examples", examples),
            ("top_k", top_k),
            ("compare_rows", compare_rows),
        ):
            least = 0 if name == "examples" else 1
            if not isinstance(number, (int, np.integer)) or number < least:
                raise ValueError(
                    f"{name} must be a whole number of at least {least}, got "
                    f"{number!r}."
                )
        table = as_table(X)
        labels, group_name = _groups(groups, table)
        budget = {"max_points": max_points, "time_limit": time_limit}
        verdicts = explainer.verify(table, **budget)
        denied = denied_rows(verdicts)
        found = Found(
            explainer=explainer,
            table=table,
            verdicts=verdicts,
            denied=denied,
            explanation=explainer.explain(spread(table, denied)),
            groups=labels,
            group_name=group_name,
            explainers=dict(explainers or {}),
            compare_rows=int(compare_rows),
            top_k=int(top_k),
            examples=int(examples),
            budget=budget,
            reasons=reasons,
            names=names,
            notes=dict(notes or {}),
        )
        summary: dict[str, Any] = {
            "title": str(title),
            "date": date or datetime.date.today().isoformat(),
            "skresp": __version__,
            "sections": chosen,
        }
        for name in chosen:
            summary[name] = SECTIONS[name](found)
        return cls(summary, verdicts, denied, found.explanation)

    def to_dict(self) -> dict[str, Any]:
        """Everything that is on the page, as plain values."""
        return self.summary

    @property
    def json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.summary, indent=2, allow_nan=False) + "\n"

    @property
    def html(self) -> str:
        """The page."""
        return page(self.summary)

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write it as .html or .json, by the ending; whole or not at all."""
        file = Path(path)
        if file.suffix not in (".html", ".json"):
            raise ValueError(
                f"The form of {file.name!r} follows from its ending, which must be "
                f".html or .json, got {file.suffix!r}."
            )
        write_text(file, self.html if file.suffix == ".html" else self.json)

    def __repr__(self) -> str:
        return (
            f"AuditReport: {', '.join(self.summary['sections'])}; see html, json, "
            f"to_file(path)"
        )


def _groups(groups: Any, table: Any) -> tuple[Any, str]:
    """One label a row, and what they are called."""
    if groups is None:
        return None, ""
    if isinstance(groups, str):
        names = column_names(table) if is_frame(table) else None
        if names is None or groups not in names:
            there = ", ".join(names) if names else "no names"
            raise ValueError(
                f"groups={groups!r} is no column of X, which has {there}. Pass the "
                f"name of a column, or one label for each row."
            )
        return column(table, names.index(groups)).to_numpy(dtype=object), groups
    if isinstance(groups, pd.Series) and isinstance(table, pd.DataFrame):
        if not groups.index.equals(table.index):
            raise ValueError(
                "groups is a Series whose index is not that of X, so it is unclear "
                "which row has which label. Pass groups.loc[X.index], or "
                "groups.to_numpy() if the rows are in the same order."
            )
    labels = np.asarray(groups, dtype=object)
    if labels.shape != (len(table),):
        raise ValueError(
            f"groups must be a column of X or one label for each of its {len(table)} "
            f"rows, got an array of shape {labels.shape}."
        )
    return labels, str(getattr(groups, "name", None) or "group")
