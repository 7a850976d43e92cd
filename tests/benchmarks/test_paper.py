"""The reproduced study: published figures add up, and some are reproduced exactly."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "paper"
NAMES = ("published", "models", "methods", "impossible")


@pytest.fixture(scope="module")
def paper():
    """The modules of the benchmark by name; removed again afterwards."""
    sys.path.insert(0, str(FOLDER))
    before = set(sys.modules)
    yield {name: importlib.import_module(name) for name in NAMES}
    sys.path.remove(str(FOLDER))
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == FOLDER:
            del sys.modules[name]


def test_published_figures_add_up(paper):
    printed = paper["published"]
    cases = {(data, kind) for data in printed.DATA for kind in printed.MODELS}
    assert set(printed.AUC) == set(printed.RECOURSE) == set(printed.LISTS) == cases
    for case in cases:
        _, none, single, joint = printed.RECOURSE[case]
        assert none + single + joint == pytest.approx(100, abs=0.15)
        lists = dict(zip(printed.METHODS, printed.LISTS[case], strict=True))
        assert lists["RESP"][:4] == (single, 0, 100, 100)
        for name, (presented, never, some, always, length) in lists.items():
            assert never + some == pytest.approx(100)
            assert always <= some
            assert 0 < presented <= 100
            # Contributions are hardly ever 0: only lists of RESP are short.
            assert (length < 4) if name == "RESP" else (length == 4)


def test_folds_are_strata_of_all_rows(paper):
    y = np.arange(1_000) % 10 < 3
    folds = paper["models"].folds(y)
    assert set(folds) == {1, 2, 3, 4, 5}
    for k in range(1, 6):
        assert (folds == k).sum() == 200
        assert y[folds == k].sum() == 60


def test_balanced_rows_keep_all_and_repeat_the_rarer_label(paper):
    y = np.array([1, 1, 0, 1, 1, 0, 1])
    rows = paper["models"].balanced(np.arange(6), y)
    assert rows[:6].tolist() == list(range(6))
    assert set(rows[6:]) <= {2, 5}
    assert (y[rows] == 0).sum() == (y[rows] == 1).sum() == 4


def test_a_dragged_mark_must_be_on_and_leaves_a_gap(paper):
    reached = paper["impossible"].reached
    assert reached(0, 1) == {(0,) * 8, (0, 0, 0, 0, 1, 0, 0, 0)}
    # From balances at level 1 and trades at level 2 the gap 0 1 arises.
    assert (0, 0, 0, 0, 0, 1, 0, 0) in reached(1, 2)
    # Trades below balances: nothing moves with them.
    assert all(point[0] == 1 for point in reached(1, 0))


@pytest.mark.data
@pytest.mark.parametrize("data", ["german", "heloc", "givemecredit"])
@pytest.mark.usefixtures("raw_data")
def test_logistic_regression_is_the_studys_to_the_digit(paper, data):
    printed = paper["published"]
    trained = paper["models"].train(data, "LR")
    assert tuple(np.round(trained.auc, 3)) == printed.AUC[data, "LR"]
    found = paper["methods"].paths(data, trained.model)
    if data == "heloc":  # there the study counts impossible points
        found, resp = paper["impossible"].with_impossible(trained.model)
        assert round(resp.summary["n_features"], 1) == 2.3
    ours = tuple(round(100 * found[name], 1) for name in printed.PATHS)
    assert ours == printed.RECOURSE[data, "LR"]


@pytest.mark.data
@pytest.mark.usefixtures("raw_data")
def test_shap_of_logistic_regression_is_the_studys_to_the_digit(paper):
    printed, methods = paper["published"], paper["methods"]
    model = paper["models"].train("german", "LR").model
    results = methods.evaluate("german", model, "SHAP", None)
    for name, one in results.items():
        lists = printed.LISTS["german", "LR"][printed.METHODS.index(name)]
        shares = [round(100 * one.summary[n], 1) for n in printed.WORTH[:4]]
        assert tuple(shares) == lists[:4]


@pytest.mark.data
@pytest.mark.usefixtures("raw_data")
@pytest.mark.parametrize("method", ["LIME", "SHAP"])
def test_aware_is_what_the_action_aware_explainer_says(paper, method):
    methods, models = paper["methods"], paper["models"]
    model = models.train("german", "LR").model
    people = methods.denied("german", model, 5)
    plain = methods.explainer("german", model, method).explain(people)
    mine = methods.aware(plain, models.load("german").action_set)
    theirs = methods.explainer("german", model, f"{method}-AW").explain(people)
    assert np.array_equal(mine.values, theirs.values)
    assert not np.array_equal(mine.values, plain.values)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.usefixtures("raw_data")
def test_quick_run_writes_the_tables_and_uses_its_cache(tmp_path):
    out = tmp_path / "out.txt"
    command = [sys.executable, str(FOLDER), "--quick", "--data", "german"]
    command += ["--models", "LR", "--cache", str(tmp_path / "cache")]
    command += ["--out", str(out)]
    if importlib.util.find_spec("matplotlib"):
        command += ["--figures", str(tmp_path / "figures")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert out.read_text() == done.stdout
    for title in ("AUC:", "Paths to recourse", "Explanations of LR", "by rank"):
        assert title in done.stdout
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()}
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert again.stdout == done.stdout
    assert made == {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").iterdir()}
