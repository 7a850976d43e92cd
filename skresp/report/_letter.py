"""A notice as text and as HTML, from its plain values."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from ._safe import safe

TITLE = "What would change this decision"
_WIDTH = 84


def lead(content: Mapping[str, Any]) -> list[str]:
    """What comes first, as paragraphs: the verdict in words."""
    wanted = content["wanted"]
    status = content["status"]
    if status == "approved":
        return [f"You already have {wanted}. Nothing needs to change."]
    if status == "invalid":
        return [
            "The data held about you contradict each other, so it could not be found "
            "out what would change the decision. They should be put right first."
        ]
    if content["reasons"] and content["by_chance"]:
        return [
            f"Each of these changes can lead to {wanted}. Part of what follows from "
            f"them is left to chance."
        ]
    if status == "single" and content["reasons"]:
        return [_alone(content)]
    if status == "single":
        return [f"One change is enough. This leads to {wanted}:"]
    if status == "joint":
        return [
            "No single change is enough. Several changes made together are: these, all "
            f"at once, lead to {wanted}."
        ]
    if status == "fixed":
        return [
            f"Nothing that you could change leads to {wanted}: no single change, and "
            "no changes together. All changes held to be possible were taken into "
            "account. So none is listed here; none of them would work."
        ]
    if status == "possible":
        return [
            f"These changes, made together, lead to {wanted}. Whether a single change "
            f"would be enough was not settled."
        ]
    if status == "unknown":
        return [
            f"It is not known whether you have a way to {wanted}. The search for "
            f"changes made together ended before it was complete."
        ]
    tried = "that were tried " if content["sampled"] else ""
    return [
        f"None of the single changes {tried}leads to {wanted}. Whether several changes "
        "made together do was not looked into."
    ]


def _alone(content: Mapping[str, Any]) -> str:
    """Return what holds of features each of which works."""
    wanted, reasons = content["wanted"], content["reasons"]
    if not all(reason["certain"] for reason in reasons):
        each = "This" if len(reasons) == 1 else "Each of these"
        return (
            f"Changing one thing can be enough. {each}, with the example or the "
            f"values given, can lead to {wanted}."
        )
    if len(reasons) == 1:
        return f"One change is enough. This, by itself, leads to {wanted}."
    return f"One change is enough. Each of these, by itself, leads to {wanted}."


def warning(content: Mapping[str, Any]) -> str:
    """What a person must not read into the list."""
    if content["status"] == "joint":
        return (
            "Do not take these one by one: none of them is enough alone, and leaving "
            "one out may leave the decision as it is."
        )
    return ""


def lines_of(reason: Mapping[str, Any]) -> list[str]:
    """What is told of one reason."""
    now = f"Now: {reason['now_words']}."
    example = reason["example_words"]
    if not reason["works"]:
        first = f"{now} Works, for example: {example}." if example else now
    elif reason["certain"]:
        exactly = "exactly " if reason["score"] == 0 else ""
        first = f"{now} Works: {exactly}{reason['works']}."
    else:
        first = f"{now} Can work, depending on what else changes: {reason['works']}."
        if reason["always"]:
            first += f" Always works: {reason['always']}."
    if reason["along"]:
        along = " and ".join(reason["along"])
        first += f" With a change to {example}, {along}."
    return [first, reason["share"]]


def more(content: Mapping[str, Any]) -> str:
    """How many reasons were left out."""
    n = content["more"]
    if not n:
        return ""
    return f"{n} more {'feature' if n == 1 else 'features'} would work as well."


def as_text(content: Mapping[str, Any]) -> str:
    """The letter as plain text."""
    blocks = [TITLE, *(fill(p, _WIDTH) for p in lead(content))]
    for place, reason in enumerate(content["reasons"], start=1):
        indent = " " * (len(str(place)) + 2)
        lines = [f"{place}. {reason['name']}"]
        lines += [
            fill(line, _WIDTH, initial_indent=indent, subsequent_indent=indent)
            for line in lines_of(reason)
        ]
        blocks.append("\n".join(lines))
    if content["together"]:
        blocks.append("\n".join(f"- {move['words']}" for move in content["together"]))
    for text in (warning(content), more(content), content["note"]):
        if text:
            blocks.append(fill(text, _WIDTH))
    return "\n\n".join(blocks)


def as_html(content: Mapping[str, Any], title: str = TITLE) -> str:
    """The letter as a fragment of HTML."""
    parts = [f"<h3>{safe(title)}</h3>"] if title else []
    parts += [f"<p>{safe(p)}</p>" for p in lead(content)]
    if content["reasons"]:
        items = "".join(
            f"<li><strong>{safe(reason['name'])}</strong>"
            f"{''.join(f'<br>{safe(line)}' for line in lines_of(reason))}</li>"
            for reason in content["reasons"]
        )
        parts.append(f"<ol>{items}</ol>")
    if content["together"]:
        items = "".join(f"<li>{safe(m['words'])}</li>" for m in content["together"])
        parts.append(f"<ul>{items}</ul>")
    if warning(content):
        parts.append(f"<p><strong>{safe(warning(content))}</strong></p>")
    if more(content):
        parts.append(f"<p>{safe(more(content))}</p>")
    if content["note"]:
        parts.append(f"<p><small>{safe(content['note'])}</small></p>")
    return f'<section class="skresp-notice">{"".join(parts)}</section>'
