"""How often the feature at each rank is responsive, as a table and as figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from published import METHODS

Key = tuple[str, str]


def rank_table(results: Mapping[Key, Mapping[str, Any]]) -> list[str]:
    """Return the percentages of people whose feature at a rank is responsive."""
    most = max(len(m.ranks) for methods in results.values() for m in methods.values())
    lines = [
        "Responsive features by rank, in percent of people with a feature at that rank "
        "(the paper has images only)",
        f"{'':29}" + "".join(f"{rank:7}" for rank in range(1, most + 1)),
    ]
    for (data, kind), methods in results.items():
        for method in METHODS:
            shares = 100 * methods[method].ranks["share"]
            lines.append(
                f"{data:13} {kind:6} {method:8}"
                + "".join(f"{'-':>7}" if s != s else f"{s:7.1f}" for s in shares)
            )
    return lines


def draw(results: Mapping[Key, Mapping[str, Any]], folder: Path) -> list[Path]:
    """Draw a figure for each model and for SHAP and LIME, as in the paper."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "--figures needs matplotlib, which is not installed. Install it with "
            "pip install matplotlib."
        ) from None
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for (data, kind), methods in results.items():
        for base in ("SHAP", "LIME"):
            figure = Figure(figsize=(5, 3.2), layout="constrained")
            ax = figure.subplots()
            for method, style in ((base, "o-"), (f"{base}-AW", "s--"), ("RESP", "^-")):
                shares = 100 * methods[method].ranks["share"]
                ax.plot(shares.index, shares, style, label=method, markersize=4)
            ax.set(
                xlabel="rank by absolute score",
                ylabel="responsive, %",
                ylim=(-2, 102),
                title=f"{data}, {kind}",
            )
            ax.legend(frameon=False)
            path = folder / f"{data}-{kind}-{base}.png"
            figure.savefig(path, dpi=150)
            out.append(path)
    return out
