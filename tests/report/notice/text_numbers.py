"""Numbers in texts."""

from __future__ import annotations

import re

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def numbers(text: str) -> list[float]:
    """The numbers in a text, as a reader takes them."""
    return [float(n.replace(",", "")) for n in NUMBER.findall(text)]
