"""Texts of others made safe to stand in a page."""

from __future__ import annotations

import re
from html import escape
from typing import Any

# What no page may hold: controls but tab and line breaks, halves of surrogate pairs.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# What would turn the direction of the text after it.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def plain(text: Any) -> str:
    """A text that any file can hold."""
    return _TURNS.sub("", _UNFIT.sub("\ufffd", str(text)))


def safe(text: Any) -> str:
    """A text as HTML that shows it, whatever it holds.

    >>> from skresp.report._safe import safe
    >>> safe('<script>alert("1")</script>')
    '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'
    """
    return escape(plain(text), quote=True)
