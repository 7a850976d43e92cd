"""The page of an audit, from its plain values."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ._parts import PATTERNS
from ._safe import safe
from ._sections import RENDERED

Plain = Mapping[str, Any]

TITLES = {
    "model": "The model and the data",
    "people": "Who is denied, and who has a way back",
    "features": "Which features help whom",
    "comparison": "What other explanations would tell them",
    "examples": "Some people, and what they could change",
    "actions": "What people are held to be able to change",
    "method": "How this was computed",
}


@cache
def _asset(name: str) -> str:
    return (files("skresp.report") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    found = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{found}'"


def page(summary: Plain) -> str:
    """The whole page: one file that asks for nothing else.

    Its policy names the hashes of its own style and script; any other script, and any
    request, is refused by the browser.
    """
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; "
        f"script-src {_digest(script)}; base-uri 'none'; form-action 'none'"
    )
    chosen = summary["sections"]
    links = "".join(f'<a href="#{name}">{TITLES[name]}</a>' for name in chosen)
    sections = "".join(
        f'<section id="{name}"><h2>{TITLES[name]}</h2>'
        f"{RENDERED[name](summary[name])}</section>"
        for name in chosen
    )
    title = safe(summary["title"])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{PATTERNS}"
        f'<header><h1>{title}</h1><p class="soft">{safe(summary["date"])} · skresp '
        f"{safe(summary['skresp'])}</p></header>\n"
        f'<nav aria-label="Sections">{links}</nav>\n<main>{sections}</main>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
