"""The letter of a notice: from the plain values of `Notice.to_dict` to text and HTML.

The sentences are in `_sentences`, the layout in `skresp/_html/templates/notice.html`.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from skresp._html._render import render
from skresp._text import join_words, one_line, plural, printable

from . import _sentences as say

_WIDTH = 84


def letter(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a letter in the order in which they are shown.

    Returns
    -------
    dict
        `title`; `lead`, paragraphs; `reasons`, each with `name` and `line`;
        `together`, changes to make together; `closing`, paragraphs; `note`.
    """
    together = content["together"]
    closing = [move["words"] for move in together if move["follows"]]
    if content["status"] == "joint":
        closing.append(say.ALL_NEEDED)
    if content["more"]:
        features = plural(content["more"], "more feature")
        closing.append(say.MORE.format(features=features))
    approved = content["status"] == "approved"
    return {
        "title": say.TITLE_APPROVED if approved else say.TITLE,
        "lead": _lead(content),
        "reasons": [
            {"name": reason["name"], "line": _line(reason)}
            for reason in content["reasons"]
        ],
        "together": [move["words"] for move in together if not move["follows"]],
        "closing": closing,
        "note": content["note"],
    }


def _lead(content: Mapping[str, Any]) -> list[str]:
    """Return the first paragraphs, which state the verdict."""
    lead = [_verdict(content).format(wanted=content["wanted"])]
    if content["status"] == "not single" and content["not_found"]:
        names = ", ".join(content["not_found"])
        lead.append(say.NOT_FOUND.format(names=names))
    return lead


def _verdict(content: Mapping[str, Any]) -> str:
    """Return the sentence for the verdict, its braces not filled in."""
    status, reasons = content["status"], content["reasons"]
    if reasons and content["by_chance"]:
        return say.BY_CHANCE
    if reasons and status == "single":
        one = len(reasons) == 1
        if all(reason["certain"] for reason in reasons):
            return say.SINGLE_ONE if one else say.SINGLE_SOME
        return say.SINGLE_ONE_UNCERTAIN if one else say.SINGLE_SOME_UNCERTAIN
    if status == "not single":  # without verdicts only single changes are known
        return say.NOT_SINGLE_SAMPLED if content["sampled"] else say.NOT_SINGLE
    return {
        "approved": say.APPROVED,
        "invalid": say.INVALID,
        "single": say.SINGLE_EXAMPLE,
        "joint": say.JOINT,
        "possible": say.POSSIBLE,
        "fixed": say.FIXED,
        "unknown": say.UNKNOWN,
    }[status]


def _line(reason: Mapping[str, Any]) -> str:
    """Return what a letter says about one feature that works."""
    example, works = reason["example_words"], reason["works"]
    said = [say.NOW.format(now=reason["now_words"])]
    if works and reason["certain"]:
        isolated = reason["score"] == 0
        text = say.WORKS_EXACTLY if isolated else say.WORKS
        said.append(text.format(works=works))
    elif works:
        said.append(say.MAY_WORK.format(works=works))
        if reason["always"]:
            said.append(say.ALWAYS_WORKS.format(always=reason["always"]))
    elif example:
        said.append(say.FOR_EXAMPLE.format(example=example))
    else:  # by chance: no value is certain, the share is all there is to say
        said.append(reason["share"])
    if reason["along"]:
        others = join_words(reason["along"])
        said.append(say.ALSO_CHANGES.format(example=example, others=others))
    return " ".join(said)


def as_text(content: Mapping[str, Any]) -> str:
    """Return the letter as plain text."""
    shown = letter(content)
    blocks = [shown["title"], *(fill(text, _WIDTH) for text in shown["lead"])]
    for place, reason in enumerate(shown["reasons"], start=1):
        indent = " " * (len(str(place)) + 2)
        line = fill(
            reason["line"], _WIDTH, initial_indent=indent, subsequent_indent=indent
        )
        blocks.append(f"{place}. {one_line(reason['name'])}\n{line}")
    if shown["together"]:
        blocks.append("\n".join(f"- {one_line(move)}" for move in shown["together"]))
    blocks += [fill(text, _WIDTH) for text in shown["closing"]]
    if shown["note"]:
        blocks.append(fill(shown["note"], _WIDTH))
    return printable("\n\n".join(blocks))


def as_html(content: Mapping[str, Any]) -> str:
    """Return the letter as a fragment of HTML."""
    return render("notice.html", letter=letter(content), title=True)
