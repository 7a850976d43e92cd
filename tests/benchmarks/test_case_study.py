"""The join by position, as in the study's script."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "case_study.py"


@pytest.fixture(scope="module")
def joined_by_position():
    for name in ("shap", "lime", "xgboost"):
        pytest.importorskip(name)
    return runpy.run_path(str(FILE))["joined_by_position"]


def test_people_are_joined_as_a_merge_of_the_two_numberings_joins_them(
    joined_by_position,
):
    rng = np.random.default_rng(0)
    denied = np.sort(rng.choice(60, 20, replace=False))
    lists = pd.DataFrame({"index": denied})
    scores = pd.DataFrame({"number": range(len(denied)), "person": denied})
    merged = lists.merge(scores, left_on="index", right_on="number", how="left")
    found = joined_by_position(denied, denied)
    np.testing.assert_array_equal(found, merged["person"].fillna(-1))
    assert (found == -1).sum() == (denied >= 20).sum() > 0
    assert (found != denied).any()
