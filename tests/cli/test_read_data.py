"""Tables are read with the labels that the action set lists."""

from __future__ import annotations

import pandas as pd
import pytest

from skresp import ActionSet, Feature
from skresp._actions._unusual_values import unusual_values
from skresp._cli._read_data import read_table
from tests.credit_example import lender


@pytest.mark.parametrize("labels", [[1, 2, 3], [True, False], [1, "two", 3.5]])
def test_labels_that_are_not_texts_are_read_as_they_are_listed(labels, tmp_path):
    kept = ActionSet({"a": Feature("categorical", categories=labels)})
    for extra in ([], ["odd"], [None]):
        rows = pd.DataFrame({"a": [*labels, *extra]})
        rows.to_csv(tmp_path / "x.csv", index=False)
        read = read_table(str(tmp_path / "x.csv"), kept)["a"].tolist()
        assert read[: len(labels)] == labels
        unusual = unusual_values(kept, read_table(str(tmp_path / "x.csv"), kept))
        assert [u.count for u in unusual] == [1] * len(extra)


def test_labels_that_look_missing_or_like_numbers_stay_labels(tmp_path):
    X = pd.DataFrame(
        {
            "a": ["NA", "None", "x"],
            "b": ["1", "2", "1"],
            "c": [1.5, None, 2],
            "zip": ["01", "02", "01"],
            "gaps": ["1", None, "2"],
        }
    )
    actions = ActionSet.infer(X, immutable=["c"])
    X.to_csv(tmp_path / "x.csv", index=False)
    found = read_table(str(tmp_path / "x.csv"), actions)
    # None and NaN are both missing.
    expected, found = (t.astype(object).where(t.notna(), "missing") for t in (X, found))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_parquet_is_read_as_csv_is(tmp_path, files):
    polars = pytest.importorskip("polars")
    us = lender()
    frame = polars.read_csv(files / "data.csv")
    frame.write_parquet(tmp_path / "data.parquet")
    pd.testing.assert_frame_equal(
        read_table(str(tmp_path / "data.parquet"), us.actions),
        read_table(str(files / "data.csv"), us.actions),
        check_dtype=False,
    )
