"""Labels and ticks of displays: all of them can be read."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from skresp.plots import LineDisplay, RankDisplay, TradeOffDisplay
from skresp.plots._person import _contribution_text


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def boxes(display, texts):
    """Return the places of texts that are drawn, in pixels."""
    display.figure_.canvas.draw()
    return [t.get_window_extent() for t in texts if t.get_text()]


def apart(display, texts) -> bool:
    pairs = itertools.combinations(boxes(display, texts), 2)
    return not any(a.overlaps(b) for a, b in pairs)


@pytest.mark.parametrize("n_ranks", [1, 3, 16, 36, 150])
def test_ranks_are_whole_and_apart(n_ranks):
    frame = pd.DataFrame({"SHAP": np.linspace(1, 0, n_ranks)})
    display = RankDisplay(frame).plot()
    ticks = display.ax_.get_xticklabels()
    assert apart(display, ticks)
    low, high = display.ax_.get_xlim()
    shown = [t for t in display.ax_.get_xticks() if low <= t <= high]
    assert shown
    assert all(float(t).is_integer() and 1 <= t <= n_ranks for t in shown)


def test_a_line_of_whole_numbers_has_whole_ticks():
    whole = LineDisplay(1.0, (0.0, 2.0), [(0.0, 0.0)], "credit_cards").plot()
    assert all(float(t).is_integer() for t in whole.ax_.get_xticks())
    real = LineDisplay(1.0, (0.0, 2.0), [(0.0, 0.5)], "debt_ratio").plot()
    assert any(not float(t).is_integer() for t in real.ax_.get_xticks())


def test_ticks_of_a_line_have_separators_as_its_labels_do():
    display = LineDisplay(3360.0, (3160.0, 3760.0), [(3616.0, 3760.0)], "income").plot()
    display.figure_.canvas.draw()
    ticks = {t.get_text() for t in display.ax_.get_xticklabels()}
    assert {"3,200", "3,300"} <= ticks


def test_the_longest_intervals_are_labelled_first():
    intervals = [(1166.0, 1172.0), (1330.0, 6210.0)]
    display = LineDisplay(1040.0, (560.0, 6210.0), intervals, "income").plot()
    labels = [t for t in display.ax_.texts if not t.get_text().startswith("now")]
    assert [t.get_text() for t in labels] == ["1,330", "6,210", "1,166"]
    assert apart(display, labels)


def test_names_of_a_trade_off_tell_candidates_apart():
    grid = itertools.product([1, 2, 3], [10, 40], [0.5, 1.0])
    names = [f"max_depth={d}, n_estimators={n}, subsample={s}" for d, n, s in grid]
    x = np.linspace(0.7, 0.8, len(names))
    display = TradeOffDisplay(x, 1 - x, 5, names).plot()
    *numbers, listed = display.ax_.texts
    lines = listed.get_text().split("\n")
    assert [line.split()[0] for line in lines] == [t.get_text() for t in numbers]
    assert f"{names[5]}" in listed.get_text()
    assert len({line.split("  ")[1] for line in lines}) == len(lines) >= 6
    assert apart(display, display.ax_.texts)


def test_parameters_that_all_candidates_share_are_not_named():
    params = [{"m__loss": "log", "m__c": c} for c in (1, 2)]
    results = {"params": params}
    for name, means in (("auc", [0.7, 0.8]), ("recourse", [0.9, 0.5])):
        results[f"mean_test_{name}"] = np.array(means)
        results[f"std_test_{name}"] = np.full(2, 0.02)
        results[f"split0_test_{name}"] = np.array(means)
    search = SimpleNamespace(cv_results_=results, refit=True)
    assert TradeOffDisplay.from_search(search).names == ["c=1", "c=2"]


def test_contributions_have_two_digits():
    values = [-0.4, 0.0065, 1.0, 12.3, -1234.5, 0.0]
    said = [_contribution_text(v) for v in values]
    assert said == ["-0.40", "+0.0065", "+1.0", "+12", "-1,234", "0"]
