"""An action set as a table that a compliance officer can read."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._action_set import ActionSet

HEADS = ("feature", "kind", "values", "can change")
WIDEST = 40


def as_text(actions: ActionSet) -> str:
    """The table for `print`."""
    rows = [HEADS, *_rows(actions)]
    widths = [max(len(_short(row[i])) for row in rows) for i in range(len(HEADS))]
    lines = [
        "  ".join(_short(cell).ljust(w) for cell, w in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    lines.insert(0, _title(actions))
    lines += [constraint.describe() for constraint in actions.constraints]
    return "\n".join(line.rstrip() for line in lines)


def as_html(actions: ActionSet) -> str:
    """The table for notebooks."""
    head = "".join(f"<th>{escape(h)}</th>" for h in HEADS)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in _rows(actions)
    )
    rules = "".join(f"<li>{escape(c.describe())}</li>" for c in actions.constraints)
    return (
        f"<div><p>{escape(_title(actions))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{f'<ul>{rules}</ul>' if rules else ''}</div>"
    )


def _title(actions: ActionSet) -> str:
    return (
        f"ActionSet: {_count(len(actions.names), 'feature')}, "
        f"{len(actions.actionable)} actionable, "
        f"{_count(len(actions.constraints), 'constraint')}"
    )


def _rows(actions: ActionSet) -> list[tuple[str, ...]]:
    return [
        (name, f.kind, f.describe_values(), f.describe())
        for name, f in actions.features.items()
    ]


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
