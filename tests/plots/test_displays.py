"""Displays show the numbers they hold, and leave the rest of matplotlib alone."""

from __future__ import annotations

import itertools
import subprocess
import sys
from functools import cache
from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.frozen import FrozenEstimator

from skresp import ShapExplainer
from skresp.model_selection import best_recourse_within
from skresp.plots import (
    ComparisonDisplay,
    LineDisplay,
    PersonDisplay,
    RankDisplay,
    ResponsivenessDisplay,
    ThresholdDisplay,
    TradeOffDisplay,
)
from tests.credit_example import lender

FRAME = pd.DataFrame(
    {"RESP": [0.5, 0.0, 1.0, 1.0, 2.0], "SHAP": [1.0, 0.6, 0.4, 0.1, 4.0]},
    index=[
        "presented",
        "all_unresponsive",
        "some_responsive",
        "all_responsive",
        "n_features",
    ],
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def responsive_row() -> int:
    values = lender().explanation.values
    return int(np.flatnonzero((values[:, 4] > 0) & (values[:, 4] < 1))[0])


@cache
def shap_explainer() -> ShapExplainer:
    us = lender()
    return ShapExplainer(FrozenEstimator(us.model), target=1, random_state=0).fit(us.X)


@cache
def explanations() -> dict:
    us = lender()
    return {"SHAP": shap_explainer().explain(us.X), "RESP": us.explanation}


def every_display() -> list:
    us = lender()
    return [
        ResponsivenessDisplay.from_explanation(us.explanation),
        ResponsivenessDisplay.from_explanation(us.explanation, us.who("joint")),
        ComparisonDisplay(FRAME),
        RankDisplay(FRAME.iloc[:4].reset_index(drop=True)),
        LineDisplay.from_explanation(us.explanation, responsive_row(), "income"),
        TradeOffDisplay([0.7, 0.8], [0.9, 0.8], 0, ["a", "b"]),
        ThresholdDisplay.from_verdicts(us.verdicts),
        PersonDisplay.from_explanations(explanations(), us.who("single")),
        PersonDisplay.from_explanations({"RESP": us.explanation}, us.who("fixed")),
    ]


@pytest.mark.parametrize("k", range(9))
def test_a_display_draws_on_the_given_axes_and_returns_itself(k):
    display = every_display()[k]
    before = dict(mpl.rcParams)
    ax = Figure().subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert not plt.get_fignums()  # no figure was opened on the side
    own = display.plot()
    assert own.ax_ is not ax
    assert own.figure_ is own.ax_.figure
    own.figure_.canvas.draw()
    assert dict(mpl.rcParams) == before


def test_bars_are_the_scores_and_say_who_cannot_change_what():
    us = lender()
    row = us.who("single")
    display = us.explanation.plot(row)
    names = [t.get_text() for t in display.ax_.get_yticklabels()]
    shown = dict(zip(names, texts(display.ax_), strict=True))
    bars = [bar for bar in display.ax_.patches if bar.get_hatch() is None]
    for bar, name in zip(bars, names, strict=True):
        j = us.explanation.feature_names.index(name)
        assert bar.get_width() == us.explanation.values[row, j]
        if not us.actions.features[name].actionable:
            assert shown[name] == "nobody can change this"
        elif us.explanation.n_reachable[row, j] == 0:
            assert shown[name] == "this person cannot change it"
        elif us.explanation.values[row, j] == 0:
            assert shown[name] == "no change works"
        else:
            assert shown[name].endswith("%")
    assert {shown["age"], shown[names[0]]} > {"nobody can change this"}


def test_intervals_are_drawn_where_scores_were_sampled():
    values, lower, upper = (np.array([[v, 1.0]]) for v in (0.4, 0.3, 0.6))
    display = ResponsivenessDisplay(
        values, lower, upper, np.full((1, 2), 9), ["a", "b"], [True, True], "", True
    ).plot()
    ends = [c.get_segments()[0][:, 0] for c in display.ax_.collections]
    assert len(ends) == 1
    np.testing.assert_allclose(ends[0], [0.3, 0.6])


def test_shares_of_people_add_up_and_leave_out_who_is_there():
    us = lender()
    display = us.explanation.plot()
    need = ~us.explanation.at_target
    assert f"{need.sum()} people" in display.ax_.get_title(loc="left")
    widths = np.array([[bar.get_width() for bar in c] for c in display.ax_.containers])
    np.testing.assert_allclose(widths.sum(axis=0), 1)
    names = [t.get_text() for t in display.ax_.get_yticklabels()]
    helped = widths[:4].sum(axis=0)
    for name, share in zip(names, helped, strict=True):
        j = us.explanation.feature_names.index(name)
        assert share == pytest.approx((us.explanation.values[need, j] > 0).mean())


def test_features_that_work_for_most_people_come_first():
    # As on the page of an audit: "often" works for all three, "well" for one.
    values = np.array([[0.9, 0.1, 0.0, 0.0], [0.0, 0.1, 0.0, 0.0], [0, 0.1, 0, 0]])
    movable = np.ones((3, 4), dtype=int)
    movable[:, 2] = 0
    display = ResponsivenessDisplay(
        values,
        values,
        values,
        movable,
        ["well", "often", "nobody", "never"],
        [True, True, False, True],
        "",
        single=False,
    ).plot(Figure().subplots())
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["often", "well", "never", "nobody"]


def test_many_long_names_stay_apart_and_inside():
    names = [f"feature {k} of ${k}$, {'long ' * (k % 9)}name" for k in range(40)]
    ones = np.linspace(0, 1, 40)[None]
    display = ResponsivenessDisplay(
        ones, ones, ones, np.ones((1, 40)), names, [True] * 40, "", True
    ).plot()
    assert len(display.ax_.get_yticklabels()) == 20
    assert any("20 more" in text for text in texts(display.ax_))
    display.figure_.canvas.draw()
    boxes = [t.get_window_extent() for t in display.ax_.get_yticklabels()]
    assert min(box.x0 for box in boxes) >= 0
    for upper, lower in itertools.pairwise(boxes):
        assert upper.y0 >= lower.y1 - 1
    assert "$39$" in display.ax_.get_yticklabels()[0].get_text().replace("\n", " ")


def test_a_line_shows_what_works_and_the_current_value():
    us = lender()
    row = responsive_row()
    display = LineDisplay.from_explanation(us.explanation, row, "income").plot()
    assert display.intervals == us.explanation.intervals(row, "income")
    low, high = display.reach
    assert low == us.X["income"][row] - 200
    assert high == us.X["income"][row] + 400
    spans = [
        (p.vertices[:, 0].min(), p.vertices[:, 0].max())
        for c in display.ax_.collections
        for p in c.get_paths()
    ]
    np.testing.assert_allclose(spans, display.intervals)
    share = sum(b - a for a, b in display.intervals) / (high - low)
    assert share == pytest.approx(us.explanation.values[row, 4])
    assert f"now {us.X['income'][row]:,.0f}" in texts(display.ax_)
    assert [t.get_text() for t in display.ax_.get_legend().texts] == [
        "reaches the target"
    ]


def test_explainers_of_one_person_are_drawn_side_by_side():
    us = lender()
    both = explanations()
    row = us.who("single")
    display = PersonDisplay.from_explanations(both, row).plot(max_features=13)
    assert len(display.axes_) == 2
    assert [ax.get_title(loc="left") for ax in display.axes_] == ["SHAP", "RESP"]
    rows = [t.get_text() for t in display.axes_[0].get_yticklabels()]
    names = [text.split(" =")[0] for text in rows]
    assert sorted(names) == sorted(us.X.columns)
    for ax, explanation in zip(display.axes_, both.values(), strict=True):
        bars = [bar for c in ax.containers for bar in getattr(c, "patches", c)]
        widths = dict(zip(names, [bar.get_width() for bar in bars], strict=True))
        for name, width in widths.items():
            j = explanation.feature_names.index(name)
            assert width == pytest.approx(explanation.values[row, j])
    shown = dict(zip(names, texts(display.axes_[1]), strict=True))
    held = [n for n in names if not us.actions.features[n].actionable]
    assert held
    for name in held:
        assert shown[name] == "nobody can change this"
    spans = [p for p in display.axes_[0].patches if p.get_hatch()]
    assert len(spans) == len(held)
    assert "denied (the target is 1)" in display.figure_.get_suptitle()


def test_names_and_remarks_of_a_person_stay_apart_and_inside():
    us = lender()
    display = PersonDisplay.from_explanations(explanations(), us.who("joint")).plot()
    display.figure_.canvas.draw()
    width = display.figure_.bbox.x1
    boxes = [t.get_window_extent() for t in display.axes_[0].get_yticklabels()]
    assert min(box.x0 for box in boxes) >= 0
    for upper, lower in itertools.pairwise(boxes):
        assert upper.y0 >= lower.y1 - 1
    for ax, end in zip(display.axes_, [display.axes_[1].bbox.x0, width], strict=True):
        for text in ax.texts:
            assert text.get_window_extent().x1 <= end + 1


def test_contributions_of_one_person_are_drawn():
    us = lender()
    shap = explanations()["SHAP"]
    display = shap.plot(3)
    assert isinstance(display, PersonDisplay)
    assert display.ax_.get_title(loc="left") == "SHAP"
    ax = Figure().subplots()
    assert shap.plot(3, ax=ax).ax_ is ax
    values = [bar.get_width() for bar in ax.patches]
    largest = sorted(np.abs(shap.values[3]))[-len(values) :]
    np.testing.assert_allclose(sorted(np.abs(values)), largest)
    assert us.explanation.plot(3).ax_.get_xlabel().startswith("share of")


def test_explanations_of_other_rows_are_refused():
    us = lender()
    other = us.explainer.explain(us.X.iloc[1:])
    with pytest.raises(ValueError, match="Explain the same X"):
        PersonDisplay.from_explanations({"SHAP": explanations()["SHAP"], "b": other}, 0)
    with pytest.raises(TypeError, match=r"explainer.explain\(X\)"):
        PersonDisplay.from_explanations({"RESP": us.explainer}, 0)
    with pytest.raises(TypeError, match="at least one entry"):
        PersonDisplay.from_explanations({}, 0)


def test_a_comparison_says_what_holds_by_definition():
    us = lender()
    both = {"RESP": us.explainer, "SHAP": shap_explainer()}
    display = ComparisonDisplay.from_estimator(both, us.X[:60]).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["RESP (by definition)", "SHAP"]


def test_a_comparison_is_in_shares_of_the_denied():
    shares = ComparisonDisplay(FRAME).shares()
    np.testing.assert_allclose(shares.sum(), 1)
    assert shares["SHAP"].tolist() == pytest.approx([0.1, 0.3, 0.6, 0.0])
    with pytest.raises(ValueError, match="compare_explainers"):
        ComparisonDisplay(FRAME.iloc[1:])


def test_a_threshold_display_counts_as_the_model_decides():
    us = lender()
    cuts = [0.3, 0.5, 0.7]
    frame = ThresholdDisplay.from_estimator(us.explainer, us.X, us.y, cuts).frame
    chance = us.model.predict_proba(us.X)[:, 1]
    for cut, right, out in zip(cuts, frame["accuracy"], frame["denied"], strict=True):
        assert right == pytest.approx(((chance >= cut) == (us.y == 1)).mean())
        assert out == pytest.approx((chance < cut).mean())


def test_ranks_of_responsiveness_itself_are_always_responsive():
    us = lender()
    displays = [
        RankDisplay.from_explanations({"RESP": us.explanation}, us.explanation, 3),
        RankDisplay.from_estimator({"RESP": us.explainer}, us.X, 3),
    ]
    for display in displays:
        line = display.plot().ax_.lines[0]
        assert line.get_xdata().tolist() == [1, 2, 3]
        assert line.get_ydata().tolist() == [1, 1, 1]
        assert line.get_label() == "RESP (by definition)"
    with pytest.raises(ValueError, match="must include a ResponsivenessExplainer"):
        RankDisplay.from_estimator({"SHAP": object()}, us.X)


def test_a_search_shows_its_choice():
    results = {"params": [{"m__c": 1}, {"m__c": 2}, {"m__c": 3}]}
    for name, means in (("auc", [0.7, 0.8, 0.79]), ("recourse", [0.9, 0.5, 0.6])):
        results[f"mean_test_{name}"] = np.array(means)
        results[f"std_test_{name}"] = np.full(3, 0.02)
        results[f"split0_test_{name}"] = np.array(means)
    search = SimpleNamespace(cv_results_=results, refit=best_recourse_within(1.0))
    display = TradeOffDisplay.from_search(search).plot()
    assert (display.chosen, display.score_name) == (2, "auc")
    assert "1  c=1\n2  c=3\n3  c=2" in texts(display.ax_)


def test_the_front_is_what_no_candidate_beats():
    rng = np.random.default_rng(0)
    s, r = rng.integers(0, 5, (2, 30)) / 5
    front = TradeOffDisplay(s, r).front()
    for i in range(30):
        beaten = any(
            s[k] >= s[i] and r[k] >= r[i] and (s[k], r[k]) != (s[i], r[i])
            for k in range(30)
        )
        assert front[i] == (not beaten)
    with pytest.raises(ValueError, match="one number per candidate"):
        TradeOffDisplay([1, 2], [1])


def test_the_plots_of_shap_work_and_contributions_are_sent_there():
    shap = pytest.importorskip("shap")
    us = lender()
    values = ShapExplainer(FrozenEstimator(us.model), target=1).fit(us.X)
    with pytest.raises(ValueError, match=r"shap\.plots\.bar"):
        values.explain(us.X[:2]).plot()
    for plot in (shap.plots.bar, shap.plots.beeswarm):
        plot(us.explanation.to_shap(), show=False)
        assert plt.gcf().axes
        plt.close("all")


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from skresp.plots import RankDisplay\n"
        "import pandas as pd\n"
        "RankDisplay(pd.DataFrame({'a': [1.0]})).plot()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'skresp[plots]'" in run.stderr
