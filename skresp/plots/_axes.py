"""Axes, colours and labels that the displays share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Any

from skresp._optional import import_optional
from skresp._text import percent, quote

# Colours of Okabe and Ito, which people with colour blindness can distinguish.
BLUE, ORANGE, GREEN, SKY = "#0072B2", "#E69F00", "#009E73", "#56B4E9"
VERMILION, PURPLE, BLACK = "#D55E00", "#CC79A7", "#000000"

# Colour, marker and dashes of each line, so that lines differ in print too.
LINE_STYLES = (
    (BLUE, "o", "-"),
    (VERMILION, "s", "--"),
    (ORANGE, "D", ":"),
    (GREEN, "^", "-."),
    (PURPLE, "v", (0, (5, 1, 1, 1, 1, 1))),
    (BLACK, "X", (0, (1, 1))),
)

_MAX_LINE_LENGTH = 32
_MAX_LINES = 5


def open_axes(ax: Any, width: float, height: float) -> tuple[Any, Any]:
    """Return the figure and axes to draw on: the given ones, or new ones."""
    if ax is not None:
        if not hasattr(ax, "figure"):
            raise TypeError(f"ax must be matplotlib Axes or None, got {quote(ax)}.")
        return ax.figure, ax
    plt = import_optional(
        "matplotlib.pyplot", used_by="Plotting", install="skresp[plots]"
    )
    # The constrained layout makes room for long names.
    return plt.subplots(figsize=(width, height), layout="constrained")


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """Write names at the left side, one per row, the first at the top."""
    ax.set_yticks(range(len(names)), [wrap_name(n) for n in names], parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    hide_spines(ax, "left")


def hide_spines(ax: Any, *sides: str) -> None:
    """Hide the frame at the top, at the right and on these sides."""
    for side in ("top", "right", *sides):
        ax.spines[side].set_visible(False)


def format_percent(ax: Any, axis: str = "x") -> None:
    """Write shares from 0 to 1 as percentages along an axis."""
    from matplotlib.ticker import PercentFormatter

    getattr(ax, f"{axis}axis").set_major_formatter(PercentFormatter(1.0, decimals=0))


def limit_ticks(ax: Any, most: int, whole: bool) -> None:
    """Draw at most this number of ticks along the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(
        MaxNLocator(most, integer=whole, steps=[1, 2, 2.5, 5, 10])
    )


def wrap_name(name: str) -> str:
    """Return a name broken into lines, between words if possible."""
    lines = [""]
    for word in re.split(r"(?<=[\s_.\-])|(?<=[a-z0-9])(?=[A-Z])", str(name)):
        for start in range(0, len(word), _MAX_LINE_LENGTH):
            piece = word[start : start + _MAX_LINE_LENGTH]
            if lines[-1] and len(lines[-1] + piece.rstrip()) > _MAX_LINE_LENGTH:
                lines.append("")
            lines[-1] += piece
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"{lines[_MAX_LINES - 1][:-1]}…"]
    return "\n".join(line.strip() for line in lines)


def rows_height(names: Sequence[str]) -> float:
    """Return the height in inches that rows with these names need."""
    lines = max((wrap_name(name).count("\n") + 1 for name in names), default=1)
    return (0.2 + 0.16 * lines) * max(len(names), 2)


def score_remark(
    score: float,
    lower: float,
    upper: float,
    *,
    actionable: bool,
    movable: bool,
    isolated: bool,
    share_known: bool,
) -> str:
    """Return what to write beside a score: its percentage, or what it means.

    Parameters
    ----------
    score, lower, upper : float
    actionable : bool
        Whether people can act on the feature.
    movable : bool
        Whether a possible change of this person is known.
    isolated : bool
        Whether the feature works at isolated values only.
    share_known : bool
        Whether the share of changes that work is known.
    """
    if not actionable:
        return "nobody can change this"
    exact = lower == upper
    if not movable:
        return "this person cannot change it" if exact else "no feasible change found"
    if isolated:
        return "works at isolated values"
    if score == 0:
        return "no change works" if exact else "no change found that works"
    return percent(score) if share_known else "works, share not known"


def legend_above(ax: Any, columns: int) -> None:
    """Draw the legend above the axes, in this number of columns."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=columns,
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
    )


def shorten_text(text: str, width: int = 60) -> str:
    """Return a text on one line, cut to this width."""
    return shorten(str(text), width, placeholder="…")


def add_note(ax: Any, text: str) -> None:
    """Write a note below the right end of the axes."""
    ax.annotate(
        text,
        (1, 0),
        xycoords="axes fraction",
        xytext=(0, -34),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize="small",
        color="#555555",
        parse_math=False,
    )
