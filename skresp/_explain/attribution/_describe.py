"""Contributions of SHAP and LIME in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skresp._explain._describe import outcome_text, value_text

if TYPE_CHECKING:
    from skresp._explain._explanation import Explanation

SHORT = {"shap": "SHAP", "lime": "LIME"}
METHODS = {"shap": "SHAP values", "lime": "LIME weights"}


def title(explanation: Explanation) -> str:
    """Return the explanation in one sentence."""
    e = explanation
    text = (
        f"{METHODS[e.method]} of {len(e)} rows x {len(e.feature_names)} features, for "
        f"{e._unit}"
    )
    if e.target is not None:
        there = int(e.at_target.sum())
        text += f": {there} at the target {e.target}, {len(e) - there} not"
    size = np.abs(e.values).mean(axis=0) if len(e) else np.zeros(0)
    most = [e.feature_names[j] for j in np.argsort(-size, kind="stable") if size[j] > 0]
    if most:
        text += f"; largest on average: {', '.join(most[:3])}"
    return f"{text}."


def describe(explanation: Explanation, row: int) -> str:
    """Return the contributions of one person, the largest first."""
    e = explanation
    assert e.base_values is not None
    base = float(e.base_values[row])
    lines = [outcome_text(e, row)]
    size = np.abs(e.values[row])
    order = [int(j) for j in np.argsort(-size, kind="stable") if size[j] > 0]
    if e.method == "shap":
        lines.append(f"Contributions to {e._unit}, from a base of {base:.3g}:")
    else:
        lines.append(
            f"Weights of a linear model of {e._unit} around this person (for a number "
            f"per standard deviation, for a label if it is present):"
        )
    if not order:
        lines.append("- all are 0.")
    shown = e._given_values(row)[0]
    for j in order:
        value = e.values[row, j]
        direction = "towards" if value > 0 else "away from"
        effect = "" if e.target is None else f" {direction} the target"
        name, given = e.feature_names[j], value_text(shown[j])
        lines.append(f"- {name} ({given}): {value:+.3g}{effect}.")
    return "\n".join(lines)
