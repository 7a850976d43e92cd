"""Text and HTML tables of an action set."""

from __future__ import annotations

from textwrap import shorten, wrap
from typing import TYPE_CHECKING

from skresp._html._render import render
from skresp._text import one_line, plural

if TYPE_CHECKING:
    from ._action_set import ActionSet

HEADERS = ("feature", "kind", "values", "can change")
MAX_VALUES_WIDTH = 40


def as_text(actions: ActionSet) -> str:
    """Return the table as text.

    Long lists of values continue on the next line; those of a feature that cannot
    change are cut.
    """
    rows = [HEADERS]
    for (name, kind, values, how), feature in zip(
        _rows(actions), actions.features.values(), strict=True
    ):
        lines = wrap(values, MAX_VALUES_WIDTH) or [""]
        if not feature.can_change and len(lines) > 1:
            lines = [shorten(values, MAX_VALUES_WIDTH, placeholder=" ...")]
        rows.append((name, kind, lines[0], how))
        rows += [("", "", line, "") for line in lines[1:]]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    lines.insert(0, title(actions))
    lines += rules(actions)
    return "\n".join(line.rstrip() for line in lines)


def as_html(actions: ActionSet) -> str:
    """Return the table as HTML."""
    return render(
        "reprs/action_set.html",
        title=title(actions),
        heads=HEADERS,
        rows=_rows(actions),
        rules=rules(actions),
    )


def title(actions: ActionSet) -> str:
    """Return the action set in one line."""
    return (
        f"ActionSet: {plural(len(actions.names), 'feature')}, "
        f"{len(actions.actionable)} actionable, "
        f"{plural(len(actions.constraints), 'constraint')}"
    )


def rules(actions: ActionSet) -> list[str]:
    """Return the constraints as sentences."""
    return [
        one_line(rule._describe_for(actions.features)) for rule in actions.constraints
    ]


def _rows(actions: ActionSet) -> list[tuple[str, str, str, str]]:
    return [
        (one_line(name), f.kind, one_line(f.describe_values()), one_line(f.describe()))
        for name, f in actions.features.items()
    ]
