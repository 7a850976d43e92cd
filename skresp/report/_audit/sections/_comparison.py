"""The section that compares explainers by what their lists of features achieve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._dataframe import take_rows
from skresp._explain._explanation import Explanation
from skresp._html._plain_values import Plain, brief, plain_numbers
from skresp.metrics import explanation_summary
from skresp.report._audit._audited_table import AuditedTable
from skresp.report._audit._findings import Findings, not_available


def comparison(f: Findings) -> Plain:
    """Return how often the features that an explainer lists work for the denied."""
    t = f.rows
    if not isinstance(t, AuditedTable):
        return not_available(
            "Other explanations are compared where the rows are in memory: "
            "AuditReport.from_estimator, or skresp audit without --scored, with a "
            "sample of the rows."
        )
    n = len(t.denied)
    positions = np.arange(n)
    if n > t.compare_rows:
        positions = np.unique(np.linspace(0, n - 1, t.compare_rows).astype(np.intp))
    status = t.verdicts.status[t.denied[positions]]
    lines: list[Plain] = []
    if len(positions) and t.explainers:
        all_rows = len(positions) == n
        rows = take_rows(t.table, t.denied[positions])
        truth = t.explanation if all_rows else t.explainer.explain(rows)
        lines.append({"name": "RESP", **explanation_summary(truth, truth, t.top_k)})
        lines[0] |= _without_list(truth, status)
        for name, explainer in t.explainers.items():
            found = explanation_summary(explainer.explain(rows), truth, t.top_k)
            lines.append({"name": brief(name), **found})
    return {
        "top_k": t.top_k,
        "denied": n,
        "rows": len(positions),
        "explainers": [plain_numbers(line) for line in lines],
        "joint": int((status == "joint").sum()),
        "fixed": int((status == "fixed").sum()),
    }


def _without_list(truth: Explanation, status: NDArray[Any]) -> Plain:
    """Return the shares of people who get no list, by what their verdicts say.

    `joint` need several changes; for `no_recourse` no change works.
    """
    no_list = ~(truth.values > 0).any(axis=1)
    return {
        "joint": float((no_list & (status == "joint")).mean()),
        "no_recourse": float((no_list & (status == "fixed")).mean()),
    }
