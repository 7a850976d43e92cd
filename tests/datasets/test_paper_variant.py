"""The study's data: shapes, validity, and grid against solver on every part value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skresp._actions._encoding import encode
from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc
from skresp.datasets._heloc import _REQUIRED
from skresp.reach import reachable_set
from skresp.reach._cache import make_reaches
from skresp.reach._part import parts_of
from skresp.reach._solver_search import Search

pytestmark = pytest.mark.data

# Rows, columns, actionable features, share at the target; and how many
# distinct part values there are at least (givemecredit's levels: 6 + 4 + 3 + 3 + 2).
CASES = {
    (fetch_german, "paper"): (1_000, 36, 9, 0.7, 150),
    (fetch_heloc, "paper"): (5_842, 43, 31, 0.46662, 150),
    (fetch_givemecredit, "paper"): (120_268, 23, 13, 0.93051, 18),
    (fetch_givemecredit, "continuous"): (120_268, 11, 7, 0.93051, 0),
    (fetch_givemecredit, "frozen"): (120_268, 11, 5, 0.93051, 0),
}


# Those whose reachable points can be listed: no real features.
LISTED = [case for case in CASES if case[1] == "paper"]


def _name(case):
    return f"{case[0].__name__}-{case[1]}"


@pytest.fixture(params=CASES, ids=_name)
def bunch(request, raw_data):
    fetch, variant = request.param
    return fetch(variant=variant, data_home=raw_data), CASES[request.param]


def test_shapes_are_the_studys(bunch):
    data, (rows, columns, actionable, share, _) = bunch
    assert data.data.shape == (rows, columns)
    assert len(data.action_set.actionable) == actionable
    assert list(data.data.columns) == list(data.action_set.names)
    assert set(data.target) == {0, 1}
    assert data.target.mean() == pytest.approx(share, abs=1e-5)
    assert data.frame.shape == (rows, columns + 1)
    assert len(data.target_names) == 2


def test_no_row_breaks_a_constraint(bunch):
    data, _ = bunch
    assert len(data.action_set.check(data.data)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("bunch", LISTED, ids=_name, indirect=True)
def test_grid_and_solver_agree_on_every_distinct_part_value(bunch):
    data, (*_, least) = bunch
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
    assert compared >= least


def test_givemecredits_bands_are_one_hot_and_nested(raw_data):
    X = fetch_givemecredit(data_home=raw_data).data
    ages = ["Age_leq_24", "Age_bt_25_to_30", "Age_bt_30_to_59", "Age_geq_60"]
    assert (X[ages].sum(axis=1) == 1).all()
    family = [f"NumberOfDependents_{n}" for n in ("eq_0", "eq_1", "geq_2")]
    assert (X[family].sum(axis=1) == 1).all()
    assert (X["NumberOfDependents_geq_5"] <= X["NumberOfDependents_geq_2"]).all()


def test_who_has_no_job_has_no_job_of_any_kind(raw_data):
    jobs = ["Job_Unskilled", "Job_Skilled", "Job_Management"]
    on = fetch_german(data_home=raw_data).data[jobs].sum(axis=1)
    job = fetch_german(variant="raw", data_home=raw_data).data["job"]
    assert ((on == 0) == (job == "unemp/unskilled non res")).all()
    assert on.max() == 1


def test_heloc_has_rounded_years_and_marks_the_never_delinquent(raw_data):
    X = fetch_heloc(data_home=raw_data).data
    rows = pd.read_csv(raw_data / "heloc/heloc_dataset_v1.csv")
    rows = rows[~rows[_REQUIRED].isin((-9, -8)).any(axis=1)]
    months = rows["MSinceMostRecentTradeOpen"].to_numpy()
    assert ((months > 12) & (months < 18)).any()
    within = (X["MostRecentTradeWithinLastYear"] == 1).to_numpy()
    assert (within == (months < 18)).all()
    assert X["NoDelqEver"].eq(X["YearsSinceLastDelqTrade_leq_5"]).all()


def test_clearing_a_record_takes_two_years_unless_frozen(raw_data):
    record = "HistoryOfLatePaymentInPast2Years"
    case = fetch_givemecredit(variant="continuous", data_home=raw_data)
    person = case.data[case.data[record] == 1].iloc[0]
    points = reachable_set(case.action_set, person, record).points
    assert points["Age"].tolist() == [person["Age"] + 2]
    frozen = fetch_givemecredit(variant="frozen", data_home=raw_data)
    assert record not in frozen.action_set.actionable
    assert set(frozen.action_set.actionable) < set(case.action_set.actionable)


def _sorted(changes):
    return sorted(map(tuple, changes.tolist()))
