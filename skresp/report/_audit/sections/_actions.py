"""The section on the action set."""

from __future__ import annotations

from skresp._actions._display import rules
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, one_line


def actions(f: Findings) -> Plain:
    """Return the action set in words, never cut: a reader relies on every rule."""
    action_set = f.explainer.action_set_
    return {
        "features": [
            {
                "feature": one_line(name),
                "kind": feature.kind,
                "values": one_line(feature.describe_values()),
                "can_change": one_line(feature.describe()),
            }
            for name, feature in action_set.features.items()
        ],
        "rules": [one_line(rule) for rule in rules(action_set)],
    }
