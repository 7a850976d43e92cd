"""What an audit computes before its sections are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from skresp._explain._explanation import Explanation
from skresp._recourse._verdicts import Verdicts
from skresp._typing import IndexArray


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Verdicts of all rows, scores of the denied, and the options of the report.

    Attributes
    ----------
    explainer : fitted ResponsivenessExplainer
    table : the rows
    verdicts : Verdicts
        Of all rows.
    denied : array of int
        The positions of the denied rows.
    explanation : Explanation
        Of the denied rows.
    groups : array of labels, one per row, or None
    group_name : str
    explainers : mapping from name to fitted explainer
        The explainers to compare with.
    compare_rows, top_k, examples, reasons, names, wanted, notes
        See `AuditReport.from_estimator`.
    budget : mapping
        The limits given to `verify`.
    """

    explainer: Any
    table: Any
    verdicts: Verdicts
    denied: IndexArray
    explanation: Explanation
    groups: NDArray[Any] | None
    group_name: str
    explainers: Mapping[str, Any]
    compare_rows: int
    top_k: int
    examples: int
    budget: Mapping[str, Any]
    reasons: Mapping[str, str] | None
    names: Mapping[str, str] | None
    wanted: str | None
    notes: Mapping[str, str]
