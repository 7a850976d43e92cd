"""Axes to draw on, colours that everybody can tell apart, names that fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Any

# Okabe and Ito's colours; in grey they differ in lightness in this order.
BLUE, ORANGE, GREEN, SKY = "#0072B2", "#E69F00", "#009E73", "#56B4E9"
VERMILION, PURPLE, BLACK, GREY = "#D55E00", "#CC79A7", "#000000", "#9A9A9A"

# One look a line: told apart by colour, by mark and by dashes.
LOOKS = (
    (BLUE, "o", "-"),
    (VERMILION, "s", "--"),
    (ORANGE, "D", ":"),
    (GREEN, "^", "-."),
    (PURPLE, "v", (0, (5, 1, 1, 1, 1, 1))),
    (BLACK, "X", (0, (1, 1))),
)

_WIDEST = 32
_MOST_LINES = 5


def open_axes(ax: Any, width: float, height: float) -> tuple[Any, Any]:
    """The figure and axes to draw on: those given, or new ones of this size."""
    if ax is not None:
        return ax.figure, ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib, which is not installed. Install it with "
            "pip install 'skresp[plots]'."
        ) from None
    # The layout makes room for long names.
    return plt.subplots(figsize=(width, height), layout="constrained")


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """Names down the left side, from the top, one a row."""
    ax.set_yticks(range(len(names)), [fitted(n) for n in names], parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    bare(ax, "left")


def bare(ax: Any, *sides: str) -> None:
    """Take away the frame on these sides, on the top and on the right."""
    for side in ("top", "right", *sides):
        ax.spines[side].set_visible(False)


def percents(ax: Any, axis: str = "x") -> None:
    """Shares from 0 to 1 as percents along an axis."""
    from matplotlib.ticker import PercentFormatter

    getattr(ax, f"{axis}axis").set_major_formatter(PercentFormatter(1.0, decimals=0))


def fitted(name: str) -> str:
    """A name on lines that are not too long, broken where its words end."""
    lines = [""]
    for word in re.split(r"(?<=[\s_.\-])|(?<=[a-z0-9])(?=[A-Z])", str(name)):
        for start in range(0, len(word), _WIDEST):
            piece = word[start : start + _WIDEST]
            if lines[-1] and len(lines[-1] + piece.rstrip()) > _WIDEST:
                lines.append("")
            lines[-1] += piece
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][:-1]}…"]
    return "\n".join(line.strip() for line in lines)


def rows_height(names: Sequence[str]) -> float:
    """Inches that rows of names take, the names below each other."""
    lines = max((fitted(name).count("\n") + 1 for name in names), default=1)
    return (0.2 + 0.16 * lines) * max(len(names), 2)


def brief(text: str, width: int = 60) -> str:
    """A text on one line."""
    return shorten(str(text), width, placeholder="…")


def add_note(ax: Any, text: str) -> None:
    """A remark under the right end of the axes."""
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
