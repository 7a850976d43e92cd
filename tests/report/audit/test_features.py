"""The table of features on the page of an audit."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from skresp.report import AuditReport
from tests.credit_example import lender


@cache
def report() -> AuditReport:
    us = lender()
    denied = np.flatnonzero(us.explainer.predict(us.X) != 1)
    groups = np.full(len(us.X), "many", dtype=object)
    groups[denied[:4]] = "few"
    return AuditReport.from_estimator(
        us.explainer, us.X, groups=groups, sections=["features"]
    )


def rows() -> dict[str, list[str]]:
    """Return the cells of the table as text, by feature."""
    out = {}
    for row in re.findall(r"<tr>(.*?)</tr>", report().html, re.DOTALL)[1:]:
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        name, *rest = (re.sub(r"<[^>]*>", "", cell).strip() for cell in cells)
        out[name] = rest
    return out


def test_a_small_group_has_counts_instead_of_shares():
    summary = report().to_dict()["features"]
    assert summary["groups"] == ["many", "few"]
    assert summary["group_denied"]["few"] == 4
    some = 0
    for line in summary["features"]:
        *_, many, few = rows()[line["feature"]]
        works = round(line["groups"]["few"] * 4)
        assert few == f"{works} of 4"
        assert re.fullmatch(r"[<>]?\d+%", many)
        some += works
    assert some


def test_a_mean_of_zero_is_a_mean_over_people_who_can_change():
    said = {}
    for line in report().to_dict()["features"]["features"]:
        mean = rows()[line["feature"]][2]
        said[mean == "–"] = True
        assert (mean == "–") == (not line["actionable"])
        assert (mean == "0.00") == (line["actionable"] and line["mean"] == 0)
    assert said == {True: True, False: True}
