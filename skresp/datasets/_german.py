"""German credit (UCI Statlog): 1,000 applicants, 70 % of them good."""

from __future__ import annotations

import os

import pandas as pd
from sklearn.utils import Bunch

from skresp.actions import ActionSet, Feature
from skresp.constraints import Linkage, Thermometer

from ._bunch import make_bunch
from ._files import find_file

_RAW = [
    "checking",
    "duration",
    "history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "rate",
    "status",
    "debtors",
    "residence",
    "property",
    "age",
    "plans",
    "housing",
    "credits",
    "job",
    "dependents",
    "telephone",
    "foreign",
    "label",
]


def fetch_german(*, data_home: str | os.PathLike[str] | None = None) -> Bunch:
    """German credit as the study of responsiveness scores encodes it.

    36 features of 1,000 applicants, 9 of them actionable; the target is 1 for a good
    customer.

    Parameters
    ----------
    data_home : path, optional
        The folder that holds `german/german.data`; `$SKRESP_DATA` unless given.

    Returns
    -------
    Bunch
        With `data`, `target`, `frame`, `action_set`, `feature_names`, `DESCR`.
    """
    path = find_file(data_home, "german", "german.data")
    raw = pd.read_csv(path, sep=" ", header=None, names=_RAW)
    data = _encoded(raw)
    target = (raw["label"] == 1).astype(int).rename("GoodCustomer")
    return make_bunch(data, target, _action_set(data), __doc__ or "")


def _encoded(raw: pd.DataFrame) -> pd.DataFrame:
    def among(column: str, *codes: str) -> pd.Series:
        return raw[column].isin(codes)

    columns = {
        "Age": raw["age"],
        "Male": among("status", "A91", "A93", "A94"),
        "Single": among("status", "A93", "A95"),
        "ForeignWorker": among("foreign", "A201"),
        "YearsAtResidence": raw["residence"],
        "LiablePersons": raw["dependents"],
        "Housing_Renter": among("housing", "A151"),
        "Housing_Owner": among("housing", "A152"),
        "Housing_Free": among("housing", "A153"),
        "Job_Unskilled": among("job", "A171", "A172"),
        "Job_Skilled": among("job", "A173"),
        "Job_Management": among("job", "A174"),
        "YearsEmployed_geq_1": among("employment", "A73", "A74", "A75"),
        "CreditAmt_geq_1000K": raw["amount"] >= 1_000,
        "CreditAmt_geq_2000K": raw["amount"] >= 2_000,
        "CreditAmt_geq_5000K": raw["amount"] >= 5_000,
        "CreditAmt_geq_10000K": raw["amount"] >= 10_000,
        "LoanDuration_leq_6": raw["duration"] <= 6,
        "LoanDuration_geq_12": raw["duration"] >= 12,
        "LoanDuration_geq_24": raw["duration"] >= 24,
        "LoanDuration_geq_36": raw["duration"] >= 36,
        "LoanRate": raw["rate"],
        "HasGuarantor": among("debtors", "A103"),
        "LoanRequiredForBusiness": among("purpose", "A49"),
        "LoanRequiredForEducation": among("purpose", "A46", "A48"),
        "LoanRequiredForCar": among("purpose", "A40", "A41"),
        "LoanRequiredForHome": among("purpose", "A42", "A43", "A44", "A45"),
        "NoCreditHistory": among("history", "A30"),
        "HistoryOfLatePayments": among("history", "A33"),
        "HistoryOfDelinquency": among("history", "A34"),
        "HistoryOfBankInstallments": among("plans", "A141"),
        "HistoryOfStoreInstallments": among("plans", "A142"),
        "CheckingAcct_exists": ~among("checking", "A14"),
        "CheckingAcct_geq_0": among("checking", "A12", "A13"),
        "SavingsAcct_exists": ~among("savings", "A65"),
        "SavingsAcct_geq_100": among("savings", "A62", "A63", "A64"),
    }
    return pd.DataFrame(columns).astype(int)


def _action_set(data: pd.DataFrame) -> ActionSet:
    one_way = Feature("binary", direction="increase")
    given = {
        "Age": Feature("integer", 19, 75, actionable=False),
        "YearsAtResidence": Feature(
            "integer", 0, 7, direction="increase", max_increase=2
        ),
        "YearsEmployed_geq_1": one_way,
        "HasGuarantor": one_way,
        "HistoryOfBankInstallments": one_way,
        "HistoryOfStoreInstallments": one_way,
        "CheckingAcct_exists": one_way,
        "CheckingAcct_geq_0": one_way,
        "SavingsAcct_exists": one_way,
        "SavingsAcct_geq_100": one_way,
    }
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=[
            Linkage("YearsAtResidence", {"Age": 1}),
            Linkage("YearsEmployed_geq_1", {"Age": 1}),
            Thermometer(["CheckingAcct_exists", "CheckingAcct_geq_0"], "increase"),
            Thermometer(["SavingsAcct_exists", "SavingsAcct_geq_100"], "increase"),
        ],
    )
