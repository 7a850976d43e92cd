"""The section with examples: some of the denied, and what they could change."""

from __future__ import annotations

from skresp._html._plain_values import Plain
from skresp.report._audit._candidates import choose
from skresp.report._audit._findings import Findings


def examples(f: Findings) -> list[Plain]:
    """Return some people of every verdict.

    Each has a name, a status, and either data and a notice or, where files are audited
    without their rows, the features and changes that work.
    """
    chosen = choose(f.sums.candidates, f.examples)
    return [f.rows.example(status, place) for status, place in chosen]
