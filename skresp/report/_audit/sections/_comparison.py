"""The section that compares explainers by what their lists of features achieve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._dataframe import take_rows
from skresp._explain._explanation import Explanation
from skresp.metrics import explanation_summary
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief, plain_numbers


def comparison(f: Findings) -> Plain:
    """Return how often the features that an explainer lists work for the denied."""
    n = len(f.denied)
    positions = np.arange(n)
    if n > f.compare_rows:
        positions = np.unique(np.linspace(0, n - 1, f.compare_rows).astype(np.intp))
    status = f.verdicts.status[f.denied[positions]]
    lines: list[Plain] = []
    if len(positions) and f.explainers:
        all_rows = len(positions) == n
        rows = take_rows(f.table, f.denied[positions])
        truth = f.explanation if all_rows else f.explainer.explain(rows)
        lines.append({"name": "RESP", **explanation_summary(truth, truth, f.top_k)})
        lines[0] |= _without_list(truth, status)
        for name, explainer in f.explainers.items():
            found = explanation_summary(explainer.explain(rows), truth, f.top_k)
            lines.append({"name": brief(name), **found})
    return {
        "top_k": f.top_k,
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
