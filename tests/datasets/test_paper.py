"""The study's data: shapes, validity, and grid against solver on every part value."""

from __future__ import annotations

import numpy as np
import pytest

from skresp.actions import encode
from skresp.datasets import fetch_german, fetch_heloc
from skresp.reach import make_reaches, parts_of
from skresp.reach._search import Search

pytestmark = pytest.mark.data

LOADERS = {fetch_german: (1_000, 36, 9), fetch_heloc: (5_842, 43, 31)}


@pytest.fixture(params=LOADERS, ids=lambda f: f.__name__)
def bunch(request, raw_data):
    return request.param(data_home=raw_data), LOADERS[request.param]


def test_shapes_are_the_studys(bunch):
    data, (rows, columns, actionable) = bunch
    assert data.data.shape == (rows, columns)
    assert len(data.action_set.actionable) == actionable
    assert list(data.data.columns) == list(data.action_set.names)
    assert set(data.target) == {0, 1}
    assert data.frame.shape == (rows, columns + 1)


def test_no_row_breaks_a_constraint(bunch):
    data, _ = bunch
    assert len(data.action_set.check(data.data)) == 0


@pytest.mark.slow
def test_grid_and_solver_agree_on_every_distinct_part_value(bunch):
    data, _ = bunch
    codes = encode(data.action_set, data.data)
    compared = 0
    for part in parts_of(data.action_set):
        if not part.actionable:
            continue
        columns = [data.action_set.names.index(name) for name in part.names]
        values = np.unique(codes[:, columns], axis=0)
        for value, reach in zip(values, make_reaches(part, values), strict=True):
            search = Search(part, value)
            for j in part.actionable:
                found, complete = search.minimal(j, 10_000)
                listed = reach.changes[reach.interventions(j, "minimal")]
                assert complete
                assert _sorted(found) == _sorted(listed)
            found, complete = search.changes(None, 10_000)
            assert complete
            assert _sorted(found) == _sorted(reach.changes)
            compared += 1
    assert compared > 150


def test_without_files_the_error_says_where_to_put_them(monkeypatch, tmp_path):
    monkeypatch.delenv("SKRESP_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="SKRESP_DATA is not set"):
        fetch_german()
    with pytest.raises(FileNotFoundError, match="does not exist"):
        fetch_heloc(data_home=tmp_path)


def _sorted(changes):
    return sorted(map(tuple, changes.tolist()))
