"""Filters for templates: characters that HTML allows, shares and counts as text."""

from __future__ import annotations

import re
from typing import Any

# Control characters other than tab and line breaks, and halves of surrogate pairs:
# HTML allows neither, and the latter cannot be encoded.
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Characters that reverse the direction of the text after them.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")


def printable(value: Any) -> str:
    """Return a value as text that every page and file can hold.

    >>> printable("a\\0b"), printable(1.5)
    ('a\ufffdb', '1.5')
    """
    return _DIRECTION.sub("", _FORBIDDEN.sub("\ufffd", str(value)))


def percent(share: float | None) -> str:
    """Return a share in the short form of tables; only 0 and 1 are 0% and 100%.

    >>> percent(0.25), percent(0.001), percent(0.999), percent(None)
    ('25%', '<1%', '>99%', '–')
    """
    if share is None:
        return "–"
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 < share < 1 else f"{share:.0%}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "person", "people")
    ('1 row', '2,000 rows', '2 people')
    """
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def thousands(count: int) -> str:
    """Return a count with separators.

    >>> thousands(1234567)
    '1,234,567'
    """
    return f"{count:,}"
