"""Values as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from skresp._text import one_line

_LONGEST = 120

Plain = dict[str, Any]


def brief(value: Any) -> str:
    """Return a value as text on one line, cut where it is long."""
    text = one_line(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def plain_numbers(line: Mapping[Any, Any]) -> Plain:
    """Return numbers of Python's own types; None for NaN."""
    out: Plain = {}
    for key, value in line.items():
        if isinstance(value, str):
            out[str(key)] = value
            continue
        real = float(value)
        whole = str(key).startswith("n_") and key != "n_features"
        out[str(key)] = None if math.isnan(real) else int(real) if whole else real
    return out
