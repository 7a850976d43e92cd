"""Contributions in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._explanation import Explanation

SHORT = {"shap": "SHAP", "lime": "LIME"}
METHODS = {"shap": "SHAP values", "lime": "LIME weights"}


def title(explanation: Explanation) -> str:
    """What it is, of how many, and what counts most."""
    e = explanation
    text = (
        f"{METHODS[e.method]} of {len(e)} rows x {len(e.feature_names)} features, for "
        f"{e.source.unit}"
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
    """What counts for one person, the most first."""
    e = explanation
    assert e.base_values is not None
    base = float(e.base_values[row])
    lines = [_standing(e, row)]
    size = np.abs(e.values[row])
    order = [int(j) for j in np.argsort(-size, kind="stable") if size[j] > 0]
    if e.method == "shap":
        lines.append(f"Contributions to {e.source.unit}, from a base of {base:.3g}:")
    else:
        lines.append(
            f"Weights of a linear model of {e.source.unit} around this person, a "
            f"number's for one standard deviation more, a label's for having it:"
        )
    if not order:
        lines.append("- none above 0 in size.")
    shown = e.source.as_numbers(e._row(row), e.feature_names)[1][0]
    for j in order:
        value = e.values[row, j]
        way = "" if e.target is None else f" {_way(value)} the target"
        lines.append(f"- {e.feature_names[j]} ({_value(shown[j])}): {value:+.3g}{way}.")
    return "\n".join(lines)


def _standing(e: Explanation, row: int) -> str:
    predicted = _value(e.source.predict(e._row(row))[0])
    if e.target is None:
        return f"Predicted {predicted}."
    if e.at_target[row]:
        return f"Predicted {predicted}, which is the target already."
    return f"Predicted {predicted}; the target is {e.target}."


def _way(value: float) -> str:
    return "towards" if value > 0 else "away from"


def _value(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)
