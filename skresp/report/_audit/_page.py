"""The page of an audit, from its plain values.

The layout is in `skresp/_html/templates/audit`: `page.html`, one file per section in
`sections/`, `page.css` and `page.js`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from skresp._html._render import render
from skresp.report._notice._letter import letter

from .sections._registry import SECTIONS


def page(summary: Mapping[str, Any]) -> str:
    """Return the page: one file that loads nothing else.

    Its content security policy names the hashes of its own style and script. The
    browser refuses every other script, and every request.
    """
    return render(
        "audit/page.html",
        summary=summary,
        headings={name: SECTIONS[name].heading for name in summary["sections"]},
        style_hash=_hash(render("audit/page.css")),
        script_hash=_hash(render("audit/page.js")),
        letter=letter,
    )


def _hash(text: str) -> str:
    """Return a hash as a content security policy has it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
