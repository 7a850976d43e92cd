"""The section on the model and the data."""

from __future__ import annotations

from skresp._html._plain_values import Plain
from skresp.report._audit._findings import Findings


def model(f: Findings) -> Plain:
    """Return the model, its target and the size of the data."""
    total = f.sums.total
    return {
        **f.about["model"],
        "rows": sum(total.values()),
        "columns": len(f.about["actions"]["features"]),
        "invalid": total["invalid"],
        "problems": total["problem"],
    }
