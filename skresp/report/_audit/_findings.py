"""What an audit computes before its sections are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skresp._html._plain_values import Plain

from ._audited_table import AuditedTable
from ._scored_rows import ScoredRows
from ._sums import AuditSums


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The sums of an audit, where its rows are, and the options of the report.

    Attributes
    ----------
    sums : AuditSums
    rows : AuditedTable or ScoredRows
    about : mapping
        The model, the action set and the settings in words; see `describe_explainer`.
    hashes, versions : mapping
        Of the model and the action set; of the libraries.
    group_name : str
        What the groups are called; "" without groups.
    examples, notes
        See `AuditReport.from_estimator`.
    """

    sums: AuditSums
    rows: AuditedTable | ScoredRows
    about: Mapping[str, Any]
    hashes: Mapping[str, str | None]
    versions: Mapping[str, str]
    group_name: str
    examples: int
    notes: Mapping[str, str]

    @property
    def has_groups(self) -> bool:
        """Whether there are numbers by group."""
        return self.rows.groups is not None


def not_available(why: str) -> Plain:
    """Return what a section contains that cannot be computed: the reason."""
    return {"not_available": why}
