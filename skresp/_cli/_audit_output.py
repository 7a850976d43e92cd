"""The files and the summary that an audit writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from skresp._dataframe import row_labels
from skresp._text import one_line, percent, plural
from skresp._write import whole_file, write_csv
from skresp.plots import ComparisonDisplay, ResponsivenessDisplay
from skresp.report import AuditReport

from ._console import note, say

# The features of a picture. More would make it taller than matplotlib can draw.
_MAX_FEATURES = 200


#: What an audit may write. The last one is written in any case.
AUDIT_FILES = (
    "features.png",
    "comparison.png",
    "people.csv",
    "report.html",
    "report.json",
)


def write_audit(report: AuditReport, folder: Path, pictures: bool = True) -> list[str]:
    """Write the report, the verdict of each row and the pictures; return the names."""
    written = []
    if pictures:
        written += _draw(report, folder)
    write_csv(folder / "people.csv", _people(report))
    return [*written, "people.csv", *write_report(report, folder)]


def write_report(report: AuditReport, folder: Path) -> list[str]:
    """Write the report; return the names."""
    names = ["report.html", "report.json"]
    for name in names:
        report.to_file(folder / name)
    return names


def _people(report: AuditReport) -> pd.DataFrame:
    """Return one line per row: verdict, proof, single features that work."""
    verdicts, explanation = report.verdicts, report.explanation
    frame = verdicts.to_frame().drop(columns="used")
    frame.insert(0, "row", row_labels(verdicts.data))
    works = [""] * len(frame)
    for position, listed in zip(
        report.denied, explanation.top_features(4), strict=True
    ):
        works[position] = ", ".join(explanation.feature_names[j] for j in listed)
    frame["works_alone"] = works
    return frame.rename(columns={"changed": "works_together"})


def _draw(report: AuditReport, folder: Path) -> list[str]:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        note(
            "No pictures: they require matplotlib. Install it with pip install "
            "'skresp[plots]'."
        )
        return []
    summary = report.to_dict()
    drawn: dict[str, Any] = {}
    if len(report.explanation):
        display = ResponsivenessDisplay.from_explanation(report.explanation)
        drawn["features.png"] = display.plot(max_features=_MAX_FEATURES)
    lines = summary.get("comparison", {}).get("explainers", [])
    if lines:
        frame = pd.DataFrame(lines).set_index("name").T
        drawn["comparison.png"] = ComparisonDisplay(frame, lines[0]["name"]).plot()
    for name, display in drawn.items():
        with whole_file(folder / name) as part:
            display.figure_.savefig(part, dpi=150)
        plt.close(display.figure_)
    return list(drawn)


def print_audit(report: AuditReport, folder: Path, written: list[str]) -> None:
    """Print the findings in a few lines."""
    people = report.to_dict().get("people")
    if people:
        counts, n = people["counts"], people["n_denied"]
        say(f"{n:,} of {people['n_rows']:,} people are denied. Of these:")
        for status, words in (
            ("single", "need one change"),
            ("joint", "need several changes together"),
            ("possible", "have several changes that work; one may be enough"),
            ("fixed", "have no change that works"),
            ("unknown", "are not decided"),
        ):
            if counts.get(status) or status not in ("possible", "unknown"):
                share = percent(counts.get(status, 0) / n if n else None)
                say(f"  {counts.get(status, 0):>6,}  {share:>4}  {words}")
        if people["n_invalid"]:
            rows = plural(people["n_invalid"], "row")
            say(f"Left out: {rows} with values that break a rule between features.")
        if people["n_problems"]:
            say(f"Left out: {plural(people['n_problems'], 'row')} without scores.")
    compared = report.to_dict().get("comparison", {}).get("explainers", [])
    if compared:
        say()
        say(comparison_table(compared))
    say()
    say(f"Written to {one_line(folder)}: {', '.join(written)}")


def comparison_table(lines: list[dict[str, Any]]) -> str:
    """Return explainers side by side, as a text table."""
    names = {
        "presented": "denied people who get a list",
        "all_responsive": "  of them: all listed features work",
        "some_responsive": "  of them: at least one works",
        "all_unresponsive": "  of them: none works",
    }
    # The first explainer decides which features work.
    heads = [f"{lines[0]['name']} (by definition)", *(x["name"] for x in lines[1:])]
    table = {
        head: [percent(line[key]) for key in names]
        for head, line in zip(heads, lines, strict=True)
    }
    return pd.DataFrame(table, index=list(names.values())).to_string()
