"""The German credit data (UCI Statlog): 1,000 applicants, 70 % of them good."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.utils import Bunch

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature
from skresp._validation import check_choice
from skresp.constraints import Linkage, Reachability, Thermometer

from ._bunch import make_bunch
from ._source import DataHome, Source

# The columns in the order of the file. For labels: the code in the file and the label
# in the copy on OpenML.
_COLUMNS: dict[str, dict[str, str] | None] = {
    "checking_status": {
        "A11": "<0",
        "A12": "0<=X<200",
        "A13": ">=200",
        "A14": "no checking",
    },
    "duration": None,
    "credit_history": {
        "A30": "no credits/all paid",
        "A31": "all paid",
        "A32": "existing paid",
        "A33": "delayed previously",
        "A34": "critical/other existing credit",
    },
    "purpose": {
        "A40": "new car",
        "A41": "used car",
        "A42": "furniture/equipment",
        "A43": "radio/tv",
        "A44": "domestic appliance",
        "A45": "repairs",
        "A46": "education",
        "A47": "vacation",
        "A48": "retraining",
        "A49": "business",
        "A410": "other",
    },
    "credit_amount": None,
    "savings_status": {
        "A61": "<100",
        "A62": "100<=X<500",
        "A63": "500<=X<1000",
        "A64": ">=1000",
        "A65": "no known savings",
    },
    "employment": {
        "A71": "unemployed",
        "A72": "<1",
        "A73": "1<=X<4",
        "A74": "4<=X<7",
        "A75": ">=7",
    },
    "installment_commitment": None,
    "personal_status": {
        "A91": "male div/sep",
        "A92": "female div/dep/mar",
        "A93": "male single",
        "A94": "male mar/wid",
        "A95": "female single",
    },
    "other_parties": {"A101": "none", "A102": "co applicant", "A103": "guarantor"},
    "residence_since": None,
    "property_magnitude": {
        "A121": "real estate",
        "A122": "life insurance",
        "A123": "car",
        "A124": "no known property",
    },
    "age": None,
    "other_payment_plans": {"A141": "bank", "A142": "stores", "A143": "none"},
    "housing": {"A151": "rent", "A152": "own", "A153": "for free"},
    "existing_credits": None,
    "job": {
        "A171": "unemp/unskilled non res",
        "A172": "unskilled resident",
        "A173": "skilled",
        "A174": "high qualif/self emp/mgmt",
    },
    "num_dependents": None,
    "own_telephone": {"A191": "none", "A192": "yes"},
    "foreign_worker": {"A201": "yes", "A202": "no"},
    "class": {"1": "good", "2": "bad"},
}
# The columns in which people can move along a scale, with labels from low to high.
_SCALES = {
    "checking_status": ["no checking", "<0", "0<=X<200", ">=200"],
    "savings_status": [
        "no known savings",
        "<100",
        "100<=X<500",
        "500<=X<1000",
        ">=1000",
    ],
    "employment": ["unemployed", "<1", "1<=X<4", "4<=X<7", ">=7"],
    "other_parties": ["none", "co applicant", "guarantor"],
    "own_telephone": ["none", "yes"],
}


def fetch_german(
    *,
    variant: str = "paper",
    data_home: DataHome = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    """Load the German credit data.

    There are 1,000 applicants. The target is 1 for a good customer (70 %).

    Parameters
    ----------
    variant : {"paper", "raw"}, default="paper"
        "paper": 36 numbers, 9 of them actionable, encoded as in the study of
        responsiveness scores. "raw": the 20 columns as published, 13 of them labels
        (of dtype category), 10 actionable. Accounts can be opened and filled, the
        loan can be made smaller, shorter or longer, a guarantor found and other plans
        paid off. Years at a residence add to the age.
    data_home : path, optional
        The folder that contains `german/german.data`; by default `$SKRESP_DATA`.
    download_if_missing : bool, default=True
        Whether to download the copy on OpenML (`credit-g`) if the file is missing.
    return_X_y : bool, default=False
        Whether to return data and target instead of a Bunch.

    Returns
    -------
    Bunch, or (data, target) if `return_X_y`
        With `data`, `target`, `frame`, `action_set`, `feature_names`,
        `target_names`, `DESCR`.
    """
    check_choice("variant", variant, ("paper", "raw"))
    rows = _SOURCE.load(data_home, download_if_missing)
    if variant == "paper":
        data = _encoded(rows)
        actions = _action_set(data)
    else:
        data = _labelled(rows)
        actions = _raw_action_set(data)
    return make_bunch(
        data,
        (rows["class"] == "good").astype(int).rename("GoodCustomer"),
        actions,
        target_names=["bad", "good"],
        description=__doc__ or "",
        return_X_y=return_X_y,
    )


def _read(path: Path) -> pd.DataFrame:
    codes = pd.read_csv(path, sep=" ", header=None, names=list(_COLUMNS), dtype=str)
    return pd.DataFrame(
        {
            name: codes[name].map(words) if words else codes[name].astype(int)
            for name, words in _COLUMNS.items()
        }
    )


def _from_openml(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            # Some parsers leave the quotes of the ARFF file around the labels.
            name: frame[name].astype(str).str.strip("' ")
            if words
            else frame[name].astype(int)
            for name, words in _COLUMNS.items()
        }
    )


_SOURCE = Source(
    title="German credit",
    file="german/german.data",
    origin="the UCI repository (Statlog, German credit data)",
    openml_id=31,
    openml_name="credit-g",
    read=_read,
    from_openml=_from_openml,
)


def _encoded(rows: pd.DataFrame) -> pd.DataFrame:
    def among(column: str, *labels: str) -> pd.Series:
        return rows[column].isin(labels)

    columns = {
        "Age": rows["age"],
        "Male": among("personal_status", "male div/sep", "male single", "male mar/wid"),
        "Single": among("personal_status", "male single", "female single"),
        "ForeignWorker": among("foreign_worker", "yes"),
        "YearsAtResidence": rows["residence_since"],
        "LiablePersons": rows["num_dependents"],
        "Housing_Renter": among("housing", "rent"),
        "Housing_Owner": among("housing", "own"),
        "Housing_Free": among("housing", "for free"),
        # In the file of the study all three are off for the unemployed.
        "Job_Unskilled": among("job", "unskilled resident"),
        "Job_Skilled": among("job", "skilled"),
        "Job_Management": among("job", "high qualif/self emp/mgmt"),
        "YearsEmployed_geq_1": among("employment", "1<=X<4", "4<=X<7", ">=7"),
        "CreditAmt_geq_1000K": rows["credit_amount"] >= 1_000,
        "CreditAmt_geq_2000K": rows["credit_amount"] >= 2_000,
        "CreditAmt_geq_5000K": rows["credit_amount"] >= 5_000,
        "CreditAmt_geq_10000K": rows["credit_amount"] >= 10_000,
        "LoanDuration_leq_6": rows["duration"] <= 6,
        "LoanDuration_geq_12": rows["duration"] >= 12,
        "LoanDuration_geq_24": rows["duration"] >= 24,
        "LoanDuration_geq_36": rows["duration"] >= 36,
        "LoanRate": rows["installment_commitment"],
        "HasGuarantor": among("other_parties", "guarantor"),
        "LoanRequiredForBusiness": among("purpose", "business"),
        "LoanRequiredForEducation": among("purpose", "education", "retraining"),
        "LoanRequiredForCar": among("purpose", "new car", "used car"),
        "LoanRequiredForHome": among(
            "purpose",
            "furniture/equipment",
            "radio/tv",
            "domestic appliance",
            "repairs",
        ),
        "NoCreditHistory": among("credit_history", "no credits/all paid"),
        "HistoryOfLatePayments": among("credit_history", "delayed previously"),
        "HistoryOfDelinquency": among(
            "credit_history", "critical/other existing credit"
        ),
        "HistoryOfBankInstallments": among("other_payment_plans", "bank"),
        "HistoryOfStoreInstallments": among("other_payment_plans", "stores"),
        "CheckingAcct_exists": ~among("checking_status", "no checking"),
        "CheckingAcct_geq_0": among("checking_status", "0<=X<200", ">=200"),
        "SavingsAcct_exists": ~among("savings_status", "no known savings"),
        "SavingsAcct_geq_100": among(
            "savings_status", "100<=X<500", "500<=X<1000", ">=1000"
        ),
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


def _labelled(rows: pd.DataFrame) -> pd.DataFrame:
    data = rows.drop(columns="class")
    for name, words in _COLUMNS.items():
        if words and name in data:
            order = _SCALES.get(name, list(words.values()))
            labels = pd.Categorical(data[name], order, ordered=name in _SCALES)
            data[name] = labels.remove_unused_categories()  # such as "vacation"
    return data


def _raw_action_set(data: pd.DataFrame) -> ActionSet:
    given = {
        name: Feature("categorical", direction="increase", categories=labels)
        for name, labels in _SCALES.items()
    }
    given |= {
        "duration": Feature("integer", max_increase=12, max_decrease=12),
        "credit_amount": Feature("integer", direction="decrease", max_decrease=2_000),
        "residence_since": Feature(
            "integer", 1, 7, direction="increase", max_increase=2
        ),
        # Plans can be paid off, but not started.
        "other_payment_plans": Feature("categorical", categories=["none"]),
        "existing_credits": Feature("integer", direction="decrease", max_decrease=1),
    }
    # The unemployed can find a job and keep it for a year or two. Longer employment
    # takes more years than an applicant can wait.
    years = _SCALES["employment"]
    reachable = [[int(i == j or i < j <= 2) for j in range(5)] for i in range(5)]
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=[
            Linkage("residence_since", {"age": 1}),
            Reachability(["employment"], [[label] for label in years], reachable),
        ],
    )
