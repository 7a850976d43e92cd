"""Bars of the comparison of explainers, where verdicts are known too."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from skresp.plots import ComparisonDisplay

SEVERAL, NOTHING = "no list: several changes needed", "no list: no change works"


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def display(joint: float, fixed: float) -> ComparisonDisplay:
    frame = pd.DataFrame(
        {
            "RESP": [0.5, 0.0, 1.0, 1.0, joint, fixed],
            "SHAP": [0.9, 0.6, 0.4, 0.1, None, None],
        },
        index=[
            "presented",
            "all_unresponsive",
            "some_responsive",
            "all_responsive",
            "joint",
            "no_recourse",
        ],
    )
    return ComparisonDisplay(frame, "RESP").plot()


def test_people_without_a_list_are_split_by_their_verdicts():
    made = display(0.3, 0.15)
    shares = made.shares()
    assert shares["RESP"].tolist() == pytest.approx([0.5, 0, 0, 0.3, 0.15, 0.05])
    assert shares["SHAP"].tolist() == pytest.approx([0.09, 0.27, 0.54, 0, 0, 0.1])
    drawn = {bars.get_label(): bars[0].get_width() for bars in made.ax_.containers}
    assert drawn[SEVERAL] == pytest.approx(0.3)
    assert drawn[NOTHING] == pytest.approx(0.15)
    assert [t.get_text() for t in made.ax_.get_legend().get_texts()] == list(drawn)


def test_parts_that_nobody_has_are_not_in_the_legend():
    assert SEVERAL not in display(0.0, 0.5).shares().index
    assert NOTHING not in display(0.5, 0.0).shares().index
