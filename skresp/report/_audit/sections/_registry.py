"""The sections of an audit by name, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from skresp._text import quote
from skresp._validation import did_you_mean
from skresp.report._audit._findings import Findings

from ._actions import actions
from ._comparison import comparison
from ._examples import examples
from ._features import features
from ._method import method
from ._model import model
from ._people import people


class Section(NamedTuple):
    """The heading of a section, and the function that computes its plain values."""

    heading: str
    compute: Callable[[Findings], Any]


SECTIONS = {
    "people": Section("Who is denied, and who has recourse", people),
    "features": Section("Which single changes work", features),
    "comparison": Section("What other explanations would show them", comparison),
    "examples": Section("Some people, and what they could change", examples),
    "actions": Section("What we assumed people can change", actions),
    "model": Section("The model and the data", model),
    "method": Section("How this was computed", method),
}


def check_sections(sections: Sequence[str] | None) -> list[str]:
    """Return the names of the sections to compute, in the order of the page."""
    if sections is None:
        return list(SECTIONS)
    if not isinstance(sections, (str, Collection)):
        raise TypeError(
            f"sections must be a list of names of sections, got {quote(sections)}."
        )
    wanted = [sections] if isinstance(sections, str) else list(sections)
    for name in wanted:
        if name not in SECTIONS:
            raise ValueError(
                f"sections has {quote(name)}, which is not a section. "
                f"{did_you_mean(name, SECTIONS)}The sections are "
                f"{', '.join(SECTIONS)}."
            )
    return [name for name in SECTIONS if name in wanted]
