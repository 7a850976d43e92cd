"""Tables of our figures beside the published ones, with the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from published import AUC, LISTS, METHODS, PATHS, RECOURSE, WORTH

Key = tuple[str, str]
EXCHANGED = {"LR": "LR", "XGB": "RF", "RF": "XGB"}


def cell(ours: float, paper: float, digits: int = 1) -> str:
    """Return our figure, the published one and the difference, as printed."""
    mine = round(ours, digits)
    more = round(mine - paper, digits)
    difference = f"{more:+7.{digits}f}" if more else f"{'=':>7}"
    return f"{mine:7.{digits}f}{paper:7.{digits}f}{difference}"


def percent(shares: Mapping[str, float], name: str) -> float:
    """Return a share in percent; a length as it is."""
    return shares[name] * (1 if name == "n_features" else 100)


def auc_table(trained: Mapping[Key, Any]) -> list[str]:
    """Return train and test AUC, also with the published XGB and RF exchanged."""
    lines = [
        "AUC: ours, paper, difference",
        f"{'':20}{'train':^21}   {'test':^21}   paper's XGB and RF exchanged",
    ]
    for (data, kind), one in trained.items():
        paper, other = AUC[data, kind], AUC[data, EXCHANGED[kind]]
        lines.append(
            f"{data:13} {kind:6}"
            + "   ".join(cell(a, b, 3) for a, b in zip(one.auc, paper, strict=True))
            + ("" if kind == "LR" else f"{other[0]:12.3f} {other[1]:.3f}")
        )
    return lines


def recourse_table(found: Mapping[Key, Mapping[str, float]]) -> list[str]:
    """Return the paths to recourse."""
    lines = [
        "Paths to recourse, in percent: ours, paper, difference",
        f"{'':20}" + "   ".join(f"{name:^21}" for name in PATHS) + "   unknown",
    ]
    for (data, kind), shares in found.items():
        cells = [
            cell(percent(shares, name), paper)
            for name, paper in zip(PATHS, RECOURSE[data, kind], strict=True)
        ]
        unknown = percent(shares, "unknown")
        lines.append(f"{data:13} {kind:6}" + "   ".join(cells) + f"{unknown:10.1f}")
    return lines


def list_table(kind: str, results: Mapping[Key, Mapping[str, Any]]) -> list[str]:
    """Return how often the features of all methods are responsive, for one model."""
    lines = [
        f"Explanations of {kind}, in percent (n_features: a length): ours, paper, "
        "difference",
        f"{'':31}" + "   ".join(f"{name:^21}" for name in METHODS),
    ]
    for (data, mine), methods in results.items():
        if mine != kind:
            continue
        for line, name in enumerate(WORTH):
            cells = [
                cell(percent(methods[method].summary, name), published[line])
                for method, published in zip(METHODS, LISTS[data, kind], strict=True)
            ]
            lines.append(f"{data:13} {name:17}" + "   ".join(cells))
    return lines


def agreement(
    found: Mapping[Key, Mapping[str, float]],
    results: Mapping[Key, Mapping[str, Any]],
) -> list[str]:
    """Count the cells that are equal or close, by kind of model."""
    gaps: dict[tuple[str, str], list[float]] = {}
    for (data, kind), shares in found.items():
        for name, paper in zip(PATHS, RECOURSE[data, kind], strict=True):
            gap = round(percent(shares, name), 1) - paper
            gaps.setdefault((kind, "paths to recourse"), []).append(gap)
        for method, published in zip(METHODS, LISTS[data, kind], strict=True):
            worth = results[data, kind][method].summary
            for name, paper in zip(WORTH, published, strict=True):
                gap = round(percent(worth, name), 1) - paper
                gaps.setdefault((kind, method), []).append(gap)
    lines = [
        "Cells reproduced: equal as printed, within 1 point, within 5, of all; largest "
        "difference"
    ]
    for (kind, what), values in gaps.items():
        size = np.abs(np.round(values, 1))
        lines.append(
            f"{kind:6} {what:18}{(size == 0).sum():6}{(size <= 1).sum():6}"
            f"{(size <= 5).sum():6}{len(size):6}{size.max():8.1f}"
        )
    return lines


def impossible_table(
    found: Mapping[Key, Mapping[str, float]],
    results: Mapping[Key, Mapping[str, Any]],
    counted: Mapping[str, tuple[Mapping[str, float], Any]],
) -> list[str]:
    """Return HELOC with and without impossible points."""
    names = ("no_recourse", "single", "joint", "n_features")
    lines = [
        "heloc with the study's impossible points: paper, ours with them, ours",
        f"{'':7}" + "".join(f"{name:^24}" for name in names),
    ]
    for kind, (paths, resp) in counted.items():
        key = ("heloc", kind)
        paper = dict(zip(PATHS, RECOURSE[key], strict=True))
        paper["n_features"] = LISTS[key][METHODS.index("RESP")][-1]
        theirs = {**paths, "n_features": resp.summary["n_features"]}
        ours = {**found[key], "n_features": results[key]["RESP"].summary["n_features"]}
        lines.append(
            f"{kind:7}"
            + "".join(
                f"{paper[n]:7.1f}{percent(theirs, n):8.2f}{percent(ours, n):8.2f} "
                for n in names
            )
        )
    return lines


def split_table(runs: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
    """Return LR over other splits: mean, range, paper."""
    lines = [
        "LR over other splits (seeds 0, 1, 2, ...): mean (least to greatest), paper"
    ]
    for data, figures in runs.items():
        paper = dict(zip(PATHS, RECOURSE[data, "LR"], strict=True))
        paper |= dict(zip(("train AUC", "test AUC"), AUC[data, "LR"], strict=True))
        paper["n_features"] = LISTS[data, "LR"][METHODS.index("RESP")][-1]
        for name, values in figures.items():
            digits = 3 if "AUC" in name else 1
            spread = f"({min(values):.{digits}f} to {max(values):.{digits}f})"
            lines.append(
                f"{data:13} {name:12} {len(values):3} splits "
                f"{np.mean(values):7.{digits}f} {spread:18} {paper[name]:7.{digits}f}"
            )
    return lines


def time_table(found: Mapping[Key, Mapping[str, float]]) -> list[str]:
    """Return the milliseconds per person."""
    lines = [
        "Milliseconds per person, the methods one after the other on the same batch of "
        "distinct people",
        f"{'':20}" + "".join(f"{name:>10}" for name in METHODS) + "   LIME / RESP"
        "   SHAP / RESP",
    ]
    for (data, kind), ms in found.items():
        lines.append(
            f"{data:13} {kind:6}"
            + "".join(f"{ms[name]:10.3f}" for name in METHODS)
            + f"{ms['LIME'] / ms['RESP']:14.1f}{ms['SHAP'] / ms['RESP']:14.1f}"
        )
    return lines
