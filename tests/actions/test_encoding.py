"""Columns that are not numeric raise an error for numeric features."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skresp import ActionSet, Feature, LimeExplainer, ResponsivenessExplainer

DAYS = pd.date_range("2020-01-01", periods=4)
COLUMNS = {
    "datetime": DAYS,
    "datetime, seconds": DAYS.astype("datetime64[s]"),
    "datetime, zone": DAYS.tz_localize("UTC"),
    "timedelta": DAYS - DAYS[0],
    "period": DAYS.to_period("D"),
    "interval": pd.interval_range(0, 4),
    "complex": np.arange(4) + 0j,
    "object, Timestamp": pd.Series(DAYS, dtype=object),
    "object, datetime": pd.Series(DAYS.to_pydatetime(), dtype=object),
    "object, date": pd.Series(DAYS.date, dtype=object),
    "object, datetime64": pd.Series(list(DAYS.to_numpy()), dtype=object),
    "object, timedelta": pd.Series([datetime.timedelta(1)] * 4, dtype=object),
    "object, timedelta64": pd.Series(list((DAYS - DAYS[0]).to_numpy()), dtype=object),
    "object, Decimal": pd.Series([Decimal(i) for i in range(4)], dtype=object),
    "object, complex": pd.Series([1 + 2j] * 4, dtype=object),
    "object, texts": pd.Series(list("1234"), dtype=object),
    "category of dates": pd.Categorical(DAYS),
    "no date at all": pd.to_datetime(pd.Series([None] * 4)),
}
ARROW = {
    "timestamp": "timestamp[ns][pyarrow]",
    "duration": "duration[s][pyarrow]",
    "date": "date32[pyarrow]",
}


class Model:
    """A model that takes anything."""

    classes_ = np.array([0, 1])

    def predict(self, Z):
        return np.zeros(len(Z), dtype=int)


def feature(kind):
    bounds = {} if kind == "binary" else {"lower": 0, "upper": 10**9}
    return Feature(kind, **bounds)


def assert_refused(table, kind):
    actions = ActionSet({"since": feature(kind), "n": Feature("integer", 0, 3)})
    remedy = "Convert the column to numbers|change the kind of the feature"
    named = rf"(?s)'since' is {kind}.*({remedy})"
    broken = ResponsivenessExplainer(Model(), actions, target=1)
    with pytest.raises((TypeError, ValueError), match=named):
        broken.fit(table)
    clean = ResponsivenessExplainer(Model(), actions, target=1, missing="hold")
    clean.fit(pd.DataFrame({"since": [0, 1], "n": [1, 2]}))
    for method in (clean.explain, clean.verify):
        with pytest.raises((TypeError, ValueError), match=named):
            method(table)
    found = actions.check(table)
    assert len(found) == len(table)


@pytest.mark.parametrize("kind", ["binary", "integer", "real"])
@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_pandas_columns_that_hold_no_numbers_are_refused(values, kind):
    assert_refused(pd.DataFrame({"since": values, "n": range(4)}), kind)


@pytest.mark.parametrize("dtype", ARROW.values(), ids=ARROW)
def test_arrow_columns_that_hold_no_numbers_are_refused(dtype):
    pytest.importorskip("pyarrow")
    values = DAYS - DAYS[0] if "duration" in dtype else DAYS
    since = pd.Series(values).astype(dtype)
    assert_refused(pd.DataFrame({"since": since, "n": range(4)}), "integer")


@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize(
    "since",
    [
        pl.Series([datetime.datetime(2020, 1, 1)] * 4),
        pl.Series([datetime.date(2020, 1, 1)] * 4),
        pl.Series([datetime.timedelta(1)] * 4),
        pl.Series([datetime.time(1)] * 4),
        pl.Series([Decimal(1)] * 4),
        pl.Series(list("1234")),
    ],
    ids=lambda series: str(series.dtype),
)
def test_polars_columns_that_hold_no_numbers_are_refused(since, kind):
    assert_refused(pl.DataFrame({"since": since, "n": range(4)}), kind)


@pytest.mark.parametrize("dtype", ["M8[us]", "m8[s]", complex, "O"])
def test_arrays_that_hold_no_numbers_are_refused(dtype):
    numbers = np.arange(8).reshape(4, 2)
    table = numbers.astype("M8[D]" if dtype == "O" else dtype).astype(dtype)
    actions = ActionSet({"a": Feature("integer", 0, 9), "b": Feature("real", 0, 9)})
    named = r"'a' is integer.*Convert the column to numbers"
    with pytest.raises((TypeError, ValueError), match=named):
        ResponsivenessExplainer(Model(), actions, target=1).fit(table).explain(table)


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_bounds_are_not_inferred_from_what_is_no_number(values):
    X = pd.DataFrame({"since": values, "n": range(4)})
    for kind in ("integer", "real"):
        with pytest.raises((TypeError, ValueError), match="'since'"):
            ActionSet.infer(X, features={"since": Feature(kind)})


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_a_column_that_nobody_changes_may_hold_anything(values):
    X = pd.DataFrame({"since": values, "n": range(4)})
    for kind in ("integer", "categorical"):
        actions = ActionSet(
            {"since": Feature(kind, actionable=False), "n": Feature("integer", 0, 3)}
        )
        explainer = ResponsivenessExplainer(Model(), actions, target=1).fit(X)
        assert not explainer.explain(X).values.any()


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("gap", [False, True])
def test_dates_that_nobody_changes_reach_the_model_as_they_are(zone, gap):
    days = pl.Series([datetime.datetime(2020, 1, d) for d in (1, 2, 3, 4)])
    days = days.dt.replace_time_zone(zone) if zone else days
    X = pl.DataFrame({"since": days, "spell": days - days[0], "rate": [0.5, 1, 2, 3]})
    if gap:
        X[0, "since"] = None
    seen = []

    class Watch(Model):
        def predict(self, Z):
            seen.append(Z)
            return (Z["rate"] > 2).to_numpy().astype(int)

    fixed = Feature("categorical", actionable=False)
    actions = ActionSet({"since": fixed, "spell": fixed, "rate": Feature("real", 0, 3)})
    explainer = ResponsivenessExplainer(Watch(), actions, target=1).fit(X)
    explainer.explain(X)
    assert explainer.verify(X).status.tolist() == [*["single"] * 3, "approved"]
    for Z in seen:
        assert Z.schema["since"] == X.schema["since"]
        assert Z.schema["spell"] == X.schema["spell"]
        assert set(Z["since"]) <= set(X["since"])
        assert set(Z["spell"]) <= set(X["spell"])


@pytest.mark.parametrize("dtype", [bool, "boolean", object])
def test_truth_values_are_fine_in_a_binary_feature(dtype):
    X = pd.DataFrame({"own": pd.Series([True, False], dtype=dtype)})

    class Owners(Model):
        def predict(self, Z):
            return Z["own"].to_numpy(dtype=bool).astype(int)

    actions = ActionSet.infer(X, features={"own": Feature("binary")})
    found = ResponsivenessExplainer(Owners(), actions, target=1).fit(X).explain(X)
    assert found.values.ravel().tolist() == [0, 1]


def test_an_integer_feature_over_truth_values_reaches_more_than_two():
    X = pd.DataFrame({"loans": [True, False]})

    class Five(Model):
        def predict(self, Z):
            return (Z["loans"] == 5).to_numpy().astype(int)

    actions = ActionSet({"loans": Feature("integer", 0, 5)})
    found = ResponsivenessExplainer(Five(), actions, target=1).fit(X).explain(X)
    assert found.values.ravel().tolist() == [0.2, 0.2]


def test_a_column_of_objects_may_begin_with_a_missing_value():
    X = pd.DataFrame({"n": pd.Series([None, 1, 2], dtype=object), "m": [1, 2, 3]})
    actions = ActionSet({"n": Feature("integer", 0, 3), "m": Feature("integer", 0, 3)})
    explainer = ResponsivenessExplainer(Model(), actions, target=1, missing="hold")
    assert not explainer.fit(X).explain(X).values.any()
    assert not explainer.fit(X[:1]).explain(X[:1]).values.any()


def test_contributions_refuse_dates_where_numbers_were():
    class Rate(Model):
        def predict_proba(self, Z):
            return np.full((len(Z), 2), 0.5)

    X = pd.DataFrame({"since": range(20), "n": range(20)})
    explainer = LimeExplainer(Rate(), target=1, random_state=0).fit(X)
    dates = pd.DataFrame({"since": DAYS, "n": range(4)})
    with pytest.raises(ValueError, match="'since' must hold numbers"):
        explainer.explain(dates)
