"""Text and HTML tables of an action set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skresp._html._render import render
from skresp._text import plural

if TYPE_CHECKING:
    from ._action_set import ActionSet

HEADERS = ("feature", "kind", "values", "can change")
MAX_VALUES_WIDTH = 40


def as_text(actions: ActionSet) -> str:
    """Return the table as text; long lists of values are cut."""
    rows = [HEADERS]
    for name, kind, values, can_change in _rows(actions):
        rows.append((name, kind, _shortened(values), can_change))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    lines.insert(0, _title(actions))
    lines += [constraint.describe() for constraint in actions.constraints]
    return "\n".join(line.rstrip() for line in lines)


def as_html(actions: ActionSet) -> str:
    """Return the table as HTML."""
    return render(
        "reprs/action_set.html",
        title=_title(actions),
        heads=HEADERS,
        rows=_rows(actions),
        rules=[constraint.describe() for constraint in actions.constraints],
    )


def _title(actions: ActionSet) -> str:
    return (
        f"ActionSet: {plural(len(actions.names), 'feature')}, "
        f"{len(actions.actionable)} actionable, "
        f"{plural(len(actions.constraints), 'constraint')}"
    )


def _rows(actions: ActionSet) -> list[tuple[str, str, str, str]]:
    return [
        (name, f.kind, f.describe_values(), f.describe())
        for name, f in actions.features.items()
    ]


def _shortened(text: str) -> str:
    width = MAX_VALUES_WIDTH
    return text if len(text) <= width else f"{text[: width - 3]}..."
