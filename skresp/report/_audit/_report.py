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
from skresp._text import quote
from skresp._validation import check_integer, check_mapping, check_type
from skresp._write import write_text
from skresp.batch._describe import describe_explainer
from skresp.batch._identity import (
    action_hash,
    compared_versions,
    library_versions,
    model_hash,
)
from skresp.batch._input_rows import InputRows
from skresp.batch._scored_folder import open_scored_folder
from skresp.metrics._groups import group_labels, group_name

from ._audited_table import AuditedTable
from ._block import is_denied
from ._findings import Findings
from ._letters import Letters
from ._page import page
from ._scored_rows import ScoredRows
from ._sums import sum_blocks
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
    verdicts : Verdicts, or None
        Verdicts of all rows; None with `from_files`.
    denied : array of int, or None
        The positions of the denied rows; None with `from_files`.
    explanation : Explanation, or None
        The explanation of the denied rows; None with `from_files`.

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
        if not hasattr(explainer, "verify"):
            raise TypeError(
                f"explainer must be a ResponsivenessExplainer, got "
                f"{type(explainer).__name__}. Pass other explainers in "
                f"explainers={{...}}."
            )
        check_is_fitted(explainer, "estimator_")
        check_sections(sections)
        check_integer("examples", examples, 0)
        check_integer("top_k", top_k, 1)
        check_integer("compare_rows", compare_rows, 1)
        check_mapping("explainers", explainers or {}, "from title to explainer")
        _check_texts(title, notes, wanted, date)
        table = as_table(X)
        by_group = groups is not None
        labels = group_labels(groups, X, len(table)) if by_group else None
        budget = {"max_points": max_points, "time_limit": time_limit}
        options = {"reasons": reasons, "names": names, "wanted": wanted}
        verdicts = explainer.verify(table, **budget)
        denied = np.flatnonzero(is_denied(verdicts.status))
        rows = AuditedTable(
            explainer=explainer,
            table=table,
            verdicts=verdicts,
            denied=denied,
            explanation=explainer.explain(take_rows(table, denied)),
            groups=labels,
            letters=Letters(explainer, options, budget),
            explainers=dict(explainers or {}),
            compare_rows=int(compare_rows),
            top_k=int(top_k),
        )
        about = describe_explainer(explainer)
        findings = Findings(
            sums=sum_blocks(rows.blocks(), rows.n_features, intervals=True),
            rows=rows,
            about=about,
            hashes={
                "model": model_hash(explainer.estimator_),
                "action set": action_hash(explainer.action_set_),
            },
            versions=library_versions() | (compared_versions() if explainers else {}),
            group_name=group_name(groups) if by_group else "",
            examples=int(examples),
            notes=dict(notes or {}),
        )
        summary = _summary(findings, sections, title, wanted, date)
        return cls(summary, verdicts, denied, rows.explanation)

    @classmethod
    def from_files(
        cls,
        out: str | os.PathLike[str],
        *,
        groups: str | None = None,
        explainer: Any = None,
        source: str | os.PathLike[str] | None = None,
        sections: Sequence[str] | None = None,
        examples: int = 5,
        title: str = "Recourse audit",
        reasons: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        wanted: str | None = None,
        notes: Mapping[str, str] | None = None,
        date: str | None = None,
    ) -> AuditReport:
        """Audit the rows that `score_files` has scored, without holding them.

        The page has the same numbers as that of `from_estimator`, and does not depend
        on how the rows are ordered or divided into files. Examples are chosen by a
        hash of their ids, other copied columns and scores.

        Parameters
        ----------
        out : path
            The folder that `score_files` has written, with the outputs "scores" and
            "verdict". With "intervals" the page also says who can change a feature at
            all and how many scores are exact; with "changes" it shows what the
            examples would have to change.
        groups : str, optional
            One of the `keep_columns`. Adds numbers by group.
        explainer : fitted ResponsivenessExplainer, or path, optional
            The explainer that the rows were scored with. With `source` the examples
            are shown with their data and the notice they would get.
        source : path, optional
            The files that were scored: a file, a folder or a pattern. Needed with
            `explainer`.
        sections, examples, title, reasons, names, wanted, notes, date
            See `from_estimator`. Other explainers cannot be compared.

        Returns
        -------
        AuditReport
            Its `verdicts`, `denied` and `explanation` are None: the results are in the
            files.

        Raises
        ------
        ValueError
            If the folder is not complete, or its parts are not of the same run.
        """
        check_sections(sections)
        check_integer("examples", examples, 0)
        _check_texts(title, notes, wanted, date)
        folder = open_scored_folder(out)
        folder.check_outputs(("scores", "verdict"))
        if groups is not None:
            folder.check_kept("groups", groups)
        if (explainer is None) != (source is None):
            raise ValueError(
                "explainer and source must be given together: notices for the examples "
                "require the model and the rows. Pass both, or neither."
            )
        inputs, letters = None, None
        if explainer is not None and source is not None:
            inputs = InputRows(source, explainer, folder)
            options = {"reasons": reasons, "names": names, "wanted": wanted}
            letters = Letters(inputs.explainer, options, {})
        rows = ScoredRows(folder=folder, groups=groups, inputs=inputs, letters=letters)
        identity = folder.manifest["identity"]
        findings = Findings(
            sums=sum_blocks(
                rows.blocks(), len(folder.features), "intervals" in folder.outputs
            ),
            rows=rows,
            about=folder.manifest["about"],
            hashes={name: identity[name] for name in ("model", "action set")},
            versions=identity["versions"],
            group_name=groups or "",
            examples=int(examples),
            notes=dict(notes or {}),
        )
        return cls(_summary(findings, sections, title, wanted, date), None, None, None)

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
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"path must be the path of a file, got {quote(path)}.")
        file = Path(path)
        if file.suffix not in (".html", ".json"):
            raise ValueError(
                f"path must end in .html or .json, which sets the format, got "
                f"{quote(file.name)}."
            )
        write_text(file, self.html if file.suffix == ".html" else self.json)

    def __repr__(self) -> str:
        return (
            f"AuditReport with the sections {', '.join(self.summary['sections'])}. Use "
            f"html, json or to_file(path)."
        )


def _check_texts(title: Any, notes: Any, wanted: Any, date: Any) -> None:
    check_type("title", title, str)
    for name, text in (("wanted", wanted), ("date", date)):
        check_type(name, "" if text is None else text, str)
    check_mapping("notes", {} if notes is None else notes, "from name to text")


def _target_text(model: Mapping[str, Any]) -> str:
    """Return the target in words."""
    if not model["classes"]:
        return f"a prediction of {model['target']}"
    outcome = f"the outcome {model['target']}"
    if model["threshold"] is None:
        return outcome
    return f"a probability of at least {model['threshold']:g} of {outcome}"


def _summary(
    findings: Findings,
    sections: Sequence[str] | None,
    title: str,
    wanted: str | None,
    date: str | None,
) -> dict[str, Any]:
    """Return everything on the page, as plain values."""
    chosen = check_sections(sections)
    summary: dict[str, Any] = {
        "title": str(title),
        "date": date or datetime.date.today().isoformat(),
        "skresp": __version__,
        "wanted": wanted or _target_text(findings.about["model"]),
        "sections": chosen,
    }
    for name in chosen:
        summary[name] = SECTIONS[name].compute(findings)
    return summary
