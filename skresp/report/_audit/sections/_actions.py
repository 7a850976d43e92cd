"""The section on the action set."""

from __future__ import annotations

from skresp._html._plain_values import Plain
from skresp.report._audit._findings import Findings


def actions(f: Findings) -> Plain:
    """Return the action set in words."""
    return dict(f.about["actions"])
