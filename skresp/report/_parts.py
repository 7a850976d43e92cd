"""Small pieces of a page: tables, bars, lists of facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ._safe import safe

# The parts of bars that are hatched, and the way the lines run.
HATCHED = {"fixed": "down", "held": "up"}

PATTERNS = (
    '<svg class="defs" aria-hidden="true"><defs>'
    '<pattern id="down" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path class="hatch" d="M0 0 6 6M-1 5 1 7M5 -1 7 1"/></pattern>'
    '<pattern id="up" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path class="hatch" d="M0 6 6 0M-1 1 1 -1M5 7 7 5"/></pattern></defs></svg>'
)


class Cell(NamedTuple):
    """A cell that is sorted by a number, or shows HTML that is safe already."""

    html: str
    value: float | None = None
    kind: str = ""


def percent(share: float | None) -> str:
    """A share in words, a dash where there is none."""
    if share is None:
        return "–"
    if 0 < share < 0.005:
        return "<1%"
    return f"{share:.0%}"


def plural(n: int, noun: str, many: str | None = None) -> str:
    """1 person, 2 people."""
    return f"{n:,} {noun if n == 1 else many or f'{noun}s'}"


def share_cell(share: float | None) -> Cell:
    """A share at the right edge, sorted by its size."""
    return Cell(safe(percent(share)), -1.0 if share is None else share, "n")


def count_cell(n: int) -> Cell:
    """A count at the right edge."""
    return Cell(f"{n:,}", float(n), "n")


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Any]],
    caption: str = "",
    sorts: bool = True,
) -> str:
    """A table whose first column names the lines."""
    lines = [list(row) for row in rows]
    numeric = [
        bool(lines) and isinstance(cell, Cell) and cell.kind == "n"
        for cell in (lines[0] if lines else heads)
    ]
    head = "".join(
        f'<th scope="col"{" class=n" if right else ""}>{safe(h)}</th>'
        for h, right in zip(heads, numeric, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row"{_value(row[0])}>{_html(row[0])}</th>'
        f"{''.join(_cell(cell) for cell in row[1:])}</tr>"
        for row in lines
    )
    named = f"<caption>{safe(caption)}</caption>" if caption else ""
    kind = ' class="sorts"' if sorts else ""
    return (
        f'<div class="scroll" tabindex="0"><table{kind}>{named}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _html(cell: Any) -> str:
    return cell.html if isinstance(cell, Cell) else safe(cell)


def _value(cell: Any) -> str:
    known = isinstance(cell, Cell) and cell.value is not None
    return f' data-v="{cell.value:.6g}"' if known else ""


def _cell(cell: Any) -> str:
    kind = cell.kind if isinstance(cell, Cell) else ""
    return f"<td{f' class={kind}' if kind else ''}{_value(cell)}>{_html(cell)}</td>"


def bar(parts: Sequence[tuple[str, float]], label: str, tall: bool = False) -> str:
    """Shares side by side, each with the class of its colour."""
    x = 0.0
    drawn = []
    for name, share in parts:
        if share > 0:
            place = f'x="{100 * x:.3f}%" width="{100 * share:.3f}%" height="100%"'
            drawn.append(f'<rect class="f-{name}" {place}/>')
            if name in HATCHED:  # told apart without colours too
                drawn.append(f'<rect fill="url(#{HATCHED[name]})" {place}/>')
        x += share
    size = ' class="tall"' if tall else ""
    return f'<svg role="img"{size} aria-label="{safe(label)}">{"".join(drawn)}</svg>'


def mark(name: str) -> str:
    """A small square of a colour."""
    return f'<span class="mark m-{name}"></span>'


def key(entries: Mapping[str, str]) -> str:
    """What the colours stand for."""
    items = "".join(
        f"<li>{mark(name)}{safe(words)}</li>" for name, words in entries.items()
    )
    return f'<ul class="key">{items}</ul>'


def facts(entries: Mapping[str, Any]) -> str:
    """Names and what there is to say of each."""
    items = "".join(
        f"<dt>{safe(name)}</dt><dd>{_html(value)}</dd>"
        for name, value in entries.items()
        if value not in (None, "")
    )
    return f"<dl>{items}</dl>"


def code(text: str | None) -> Cell | None:
    """A text as code."""
    return None if text is None else Cell(f"<code>{safe(text)}</code>")


def paragraph(text: str, soft: bool = False) -> str:
    """A paragraph, in a softer colour for what is beside the point."""
    return f'<p class="soft">{safe(text)}</p>' if soft else f"<p>{safe(text)}</p>"
