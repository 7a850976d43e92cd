"""The Give Me Some Credit data (Kaggle): borrowers, 93 % without a delinquency."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.utils import Bunch

from skresp._actions._action_set import ActionSet
from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._validation import check_choice
from skresp.constraints import Linear, Linkage, Thermometer

from ._bunch import make_bunch
from ._source import DataHome, Source

_LABEL = "SeriousDlqin2yrs"
_DAYS_30 = "NumberOfTime30-59DaysPastDueNotWorse"
_DAYS_60 = "NumberOfTime60-89DaysPastDueNotWorse"
_DAYS_90 = "NumberOfTimes90DaysLate"
_UTILIZATION = "RevolvingUtilizationOfUnsecuredLines"
_LOANS = "NumberOfOpenCreditLinesAndLoans"
_REAL_ESTATE = "NumberRealEstateLoansOrLines"

# In the past-due columns these are codes, not counts.
_CODES = (96, 98)


def fetch_givemecredit(
    *,
    variant: str = "paper",
    data_home: DataHome = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    """Load the Give Me Some Credit data.

    The target is 1 for borrowers without a serious delinquency in two years.

    Parameters
    ----------
    variant : {"paper", "continuous", "frozen", "raw"}, default="paper"
        "paper": 23 binary features of 120,268 borrowers (the complete rows, from the
        age of 21; 93 % at the target), 13 of them actionable, encoded as in the study
        of responsiveness scores. "continuous": 11 numbers of the same people, 7
        actionable, as in the case study; clearing a record takes two years.
        "frozen": the same, but records cannot be cleared (5 actionable), which is the
        effect of the linkages in the study. "raw": the 10 columns as published, of
        all 150,000 borrowers, 7 actionable. Missing values, and codes in the past-due
        counts, are NaN, so explain with `missing="hold"`.
    data_home : path, optional
        The folder that contains `givemecredit/cs-training.csv`; by default
        `$SKRESP_DATA`.
    download_if_missing : bool, default=True
        Whether to download the copy on OpenML (`GiveMeSomeCredit`) if the file is
        missing. It has the same rows in another order.
    return_X_y : bool, default=False
        Whether to return data and target instead of a Bunch.

    Returns
    -------
    Bunch, or (data, target) if `return_X_y`
        With `data`, `target`, `frame`, `action_set`, `feature_names`,
        `target_names`, `DESCR`.
    """
    check_choice("variant", variant, ("paper", "continuous", "frozen", "raw"))
    rows = _SOURCE.load(data_home, download_if_missing)
    if variant != "raw":
        rows = rows.dropna()
        rows = rows[rows["age"] >= 21].reset_index(drop=True)
    if variant == "paper":
        data = _encoded(rows)
        actions = _action_set(data)
    elif variant == "raw":
        data = _without_codes(rows)
        actions = _raw_action_set(data)
    else:
        data = _continuous(rows)
        actions = _continuous_action_set(data, frozen=variant == "frozen")
    return make_bunch(
        data,
        (1 - rows[_LABEL]).rename("NoSeriousDlqin2yrs"),
        actions,
        target_names=["serious delinquency", "no serious delinquency"],
        description=__doc__ or "",
        return_X_y=return_X_y,
    )


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, index_col=0).reset_index(drop=True)


def _from_openml(frame: pd.DataFrame) -> pd.DataFrame:
    label = "FinancialDistressNextTwoYears"
    distress = frame[label].astype(str).str.strip("' ") == "Yes"
    numbers = frame.drop(columns=label).astype(float)
    whole = [name for name in numbers if (numbers[name] % 1 == 0).all()]
    return pd.concat(
        [
            distress.astype(int).rename(_LABEL),
            numbers.astype(dict.fromkeys(whole, int)),
        ],
        axis=1,
    )


_SOURCE = Source(
    title="Give Me Some Credit",
    file="givemecredit/cs-training.csv",
    origin="Kaggle (the competition GiveMeSomeCredit)",
    openml_id=46929,
    openml_name="GiveMeSomeCredit",
    read=_read,
    from_openml=_from_openml,
)


# -- variant "paper" ----------------------------------------------------------------


def _encoded(rows: pd.DataFrame) -> pd.DataFrame:
    columns: dict[str, pd.Series] = {}
    for percent in (10, 20, 50, 70, 100):
        name = f"CreditLineUtilization_geq_{percent}.0"
        columns[name] = rows[_UTILIZATION] >= percent / 100
    for thousands in (3, 5, 10):
        name = f"MonthlyIncome_geq_{thousands}K"
        columns[name] = rows["MonthlyIncome"] >= 1_000 * thousands
    age, dependents = rows["age"], rows["NumberOfDependents"]
    columns |= {
        "AnyRealEstateLoans": rows[_REAL_ESTATE] >= 1,
        "MultipleRealEstateLoans": rows[_REAL_ESTATE] >= 2,
        "AnyCreditLinesAndLoans": rows[_LOANS] >= 1,
        "MultipleCreditLinesAndLoans": rows[_LOANS] >= 2,
        "Age_leq_24": age <= 24,
        "Age_bt_25_to_30": (age >= 25) & (age < 30),
        "Age_bt_30_to_59": (age >= 30) & (age <= 59),
        "Age_geq_60": age >= 60,
        "NumberOfDependents_eq_0": dependents == 0,
        "NumberOfDependents_eq_1": dependents == 1,
        "NumberOfDependents_geq_2": dependents >= 2,
        "NumberOfDependents_geq_5": dependents >= 5,
        "DebtRatio_geq_1": rows["DebtRatio"] >= 1,
        "HistoryOfLatePayment": (rows[_DAYS_30] > 0) | (rows[_DAYS_60] > 0),
        "HistoryOfDelinquency": rows[_DAYS_90] > 0,
    }
    return pd.DataFrame(columns).astype(int)


def _action_set(data: pd.DataFrame) -> ActionSet:
    directions = {
        "CreditLineUtilization": "decrease",
        "MonthlyIncome": "increase",
        "RealEstateLoans": "decrease",
        "CreditLinesAndLoans": "decrease",
        "DebtRatio": "decrease",
    }
    groups = {part: [name for name in data if part in name] for part in directions}
    given = {
        name: Feature("binary", direction=directions[part])
        for part, names in groups.items()
        for name in names
    }
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=[
            Thermometer(names, directions[part])
            for part, names in groups.items()
            if len(names) > 1
        ],
    )


# -- variants "continuous" and "frozen" ---------------------------------------------


def _continuous(rows: pd.DataFrame) -> pd.DataFrame:
    days30, days60, days90 = (rows[name] > 0 for name in (_DAYS_30, _DAYS_60, _DAYS_90))
    return pd.DataFrame(
        {
            "Age": rows["age"],
            "NumberOfDependents": rows["NumberOfDependents"],
            "DebtRatio": rows["DebtRatio"],
            "MonthlyIncome": rows["MonthlyIncome"],
            "CreditLineUtilization": rows[_UTILIZATION],
            _REAL_ESTATE: rows[_REAL_ESTATE],
            _LOANS: rows[_LOANS],
            "HistoryOfLatePayment": days30 | days60,
            "HistoryOfLatePaymentInPast2Years": days30,
            "HistoryOfDelinquency": days90,
            "HistoryOfDelinquencyInPast2Years": days60,
        }
    ).astype(float)


def _continuous_action_set(data: pd.DataFrame, frozen: bool) -> ActionSet:
    records = ["HistoryOfLatePaymentInPast2Years", "HistoryOfDelinquencyInPast2Years"]
    given = {
        "DebtRatio": Feature("real", 0, 61_106.5, max_increase=1, max_decrease=1),
        "MonthlyIncome": Feature(
            "integer", 0, 3_008_750, max_increase=5_000, max_decrease=5_000
        ),
        "CreditLineUtilization": Feature(
            "real", 0, 50_708, max_increase=1, max_decrease=1
        ),
        _REAL_ESTATE: Feature("integer", 0, 100, direction="decrease"),
        _LOANS: Feature("integer", 0, 100, direction="decrease", max_decrease=3),
    }
    rules: list[Constraint] = [Linkage(_REAL_ESTATE, {_LOANS: 1})]
    if not frozen:
        given |= {name: Feature("binary", direction="decrease") for name in records}
        # Clearing a record takes two years.
        rules += [Linkage(name, {"Age": -2}) for name in records]
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=rules,
    )


# -- variant "raw" ------------------------------------------------------------------


def _without_codes(rows: pd.DataFrame) -> pd.DataFrame:
    data = rows.drop(columns=_LABEL)
    for name in (_DAYS_30, _DAYS_60, _DAYS_90):
        data[name] = data[name].mask(data[name].isin(_CODES)).astype(float)
    return data


def _raw_action_set(data: pd.DataFrame) -> ActionSet:
    cleared = Feature("integer", direction="decrease", max_decrease=2)
    given = {
        _UTILIZATION: Feature("real", 0, direction="decrease", max_decrease=1),
        "DebtRatio": Feature("real", 0, direction="decrease", max_decrease=1),
        "MonthlyIncome": Feature("integer", 0, max_increase=5_000, max_decrease=1_000),
        _LOANS: Feature("integer", 0, direction="decrease", max_decrease=3),
        _REAL_ESTATE: Feature("integer", 0, direction="decrease", max_decrease=1),
        _DAYS_30: cleared,
        _DAYS_60: cleared,
    }
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=[
            # A mortgage is one of the loans; paying it off removes it from them.
            Linkage(_REAL_ESTATE, {_LOANS: 1}),
            Linear({_LOANS: 1, _REAL_ESTATE: -1}, lower=0),
            # A late payment leaves the record after a year.
            Linkage(_DAYS_30, {"age": -1}),
            Linkage(_DAYS_60, {"age": -1}),
        ],
    )
