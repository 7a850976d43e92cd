"""The section with examples: some of the denied, each with a notice."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from skresp._dataframe import row_labels, take_rows
from skresp._text import number, state
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief, one_line
from skresp.report._notice._notice import notice

MAX_EXAMPLES = 10
_STATUSES = ("single", "joint", "possible", "fixed", "unknown")


def examples(f: Findings) -> list[Plain]:
    """Return some people of every verdict, with their data and their notice."""
    status = f.verdicts.status[f.denied]
    chosen = _choose(status.tolist(), min(f.examples, MAX_EXAMPLES))
    if not chosen:
        return []
    rows = take_rows(f.table, f.denied[chosen])
    explainer = copy(f.explainer).set_params(verbose=0)
    explanation = explainer.explain(rows)
    # Few changes make short letters, where the budget is enough to find them.
    verdicts = explainer.verify(rows, cost="fewest", **f.budget)
    if (verdicts.status != status[chosen]).any():
        verdicts = explainer.verify(rows, **f.budget)
    labels = row_labels(f.table)
    values = explanation._given_values()
    features = explainer.action_set_.features
    out = []
    for i, position in enumerate(chosen):
        made = notice(
            explanation, i, verdicts, reasons=f.reasons, names=f.names, wanted=f.wanted
        ).to_dict()
        out.append(
            {
                "row": brief(number(labels[f.denied[position]])),
                "status": made["status"],
                "values": [
                    {
                        "feature": one_line(name),
                        "value": brief(state(v, features[name].kind)),
                    }
                    for name, v in zip(
                        explanation.feature_names, values[i], strict=True
                    )
                ],
                "notice": {**made, "note": ""},
            }
        )
    return out


def _choose(status: Sequence[str], count: int) -> list[int]:
    """Return the positions of the first people of every verdict, taking turns."""
    by_status = [
        np.flatnonzero(np.array(status) == name).tolist() for name in _STATUSES
    ]
    chosen: list[int] = []
    while len(chosen) < count and any(by_status):
        for positions in by_status:
            if positions and len(chosen) < count:
                chosen.append(positions.pop(0))
    return chosen
