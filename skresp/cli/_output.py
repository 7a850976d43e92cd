"""What an audit leaves in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from skresp.actions import row_labels
from skresp.plots import ComparisonDisplay, ResponsivenessDisplay
from skresp.report import AuditReport, whole_file

from ._says import note, percent, say


def write_audit(report: AuditReport, folder: Path, pictures: bool = True) -> list[str]:
    """Write the report, the verdict of each row and the pictures; return the names."""
    written = []
    if pictures:
        written += _draw(report, folder)
    with whole_file(folder / "people.csv") as part:
        _people(report).to_csv(part, index=False)
    report.to_file(folder / "report.html")
    report.to_file(folder / "report.json")  # last: where it is, all is there
    return [*written, "people.csv", "report.html", "report.json"]


def _people(report: AuditReport) -> pd.DataFrame:
    """One line a row: verdict, how it is known, what works alone."""
    verdicts, explanation = report.verdicts, report.explanation
    frame = verdicts.to_frame().drop(columns="used")
    frame.insert(0, "row", row_labels(verdicts.data))
    works = [""] * len(frame)
    for place, listed in zip(report.denied, explanation.top_features(4), strict=True):
        works[place] = ", ".join(explanation.feature_names[j] for j in listed)
    frame["works_alone"] = works
    return frame.rename(columns={"changed": "works_together"})


def _draw(report: AuditReport, folder: Path) -> list[str]:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        note("No pictures: install matplotlib with pip install 'skresp[plots]'.")
        return []
    summary = report.to_dict()
    displays: dict[str, Any] = {}
    if len(report.explanation):
        displays["features.png"] = ResponsivenessDisplay.from_explanation(
            report.explanation
        )
    lines = summary.get("comparison", {}).get("explainers", [])
    if lines:
        frame = pd.DataFrame(lines).set_index("name").T
        displays["comparison.png"] = ComparisonDisplay(frame)
    for name, display in displays.items():
        figure = display.plot().figure_
        with whole_file(folder / name) as part:
            figure.savefig(part, dpi=150)
        plt.close(figure)
    return list(displays)


def tell(report: AuditReport, folder: Path, written: list[str]) -> None:
    """The findings in a few lines."""
    people = report.to_dict().get("people")
    if people:
        counts, n = people["counts"], people["n_denied"]
        say(f"{n:,} of {people['n_rows']:,} people are denied. Of these")
        for status, words in (
            ("single", "can come back by one change"),
            ("joint", "only by several changes together"),
            ("possible", "by several changes, perhaps by fewer"),
            ("fixed", "by none at all"),
            ("unknown", "are not decided"),
        ):
            if counts.get(status) or status not in ("possible", "unknown"):
                share = percent(counts.get(status, 0), n)
                say(f"  {counts.get(status, 0):>6,}  {share:>4}  {words}")
        if people["n_invalid"]:
            say(f"{people['n_invalid']:,} rows break a rule and were left out.")
    compared = report.to_dict().get("comparison", {}).get("explainers", [])
    if compared:
        say()
        say(comparison_table(compared))
    say()
    say(f"Written to {folder}: {', '.join(written)}")


def comparison_table(lines: list[dict[str, Any]]) -> str:
    """Explainers side by side, as text."""
    names = {
        "presented": "denied people who get a list",
        "all_responsive": "  of them: all listed features work",
        "some_responsive": "  of them: some work",
        "all_unresponsive": "  of them: none works",
    }
    table = {
        line["name"]: [
            "-" if line[key] is None else f"{line[key]:.0%}" for key in names
        ]
        for line in lines
    }
    return pd.DataFrame(table, index=list(names.values())).to_string()
