"""The FICO HELOC data: applications for home equity lines of credit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skresp._actions._action_set import ActionSet
from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._validation import check_choice
from skresp.constraints import Linear, Linkage, Reachability, Thermometer

from ._bunch import make_bunch
from ._source import DataHome, Source

_NO_RECORD, _NO_TRADES, _NOT_MET = -9, -8, -7

# Rows with -9 (no record) or -8 (no usable trades) in one of these are left out.
_REQUIRED = [
    "AverageMInFile",
    "ExternalRiskEstimate",
    "MaxDelqEver",
    "MaxDelq2PublicRecLast12M",
    "MSinceMostRecentDelq",
    "NumTotalTrades",
    "NetFractionInstallBurden",
    "NetFractionRevolvingBurden",
    "MSinceOldestTradeOpen",
    "MSinceMostRecentTradeOpen",
    "PercentInstallTrades",
    "NumInstallTradesWBalance",
    "NumRevolvingTradesWBalance",
    "NumBank2NatlTradesWHighUtilization",
]
_DELINQUENCIES = {
    2: "AnyDerogatoryComment",
    3: "AnyTrade120DaysDelq",
    4: "AnyTrade90DaysDelq",
    5: "AnyTrade60DaysDelq",
    6: "AnyTrade30DaysDelq",
}
_COUNTS = (2, 3, 5, 7)
_BURDENS = (10, 20, 50)


# The labels of the codes of the two delinquency columns, the worst first.
_EVER = {
    2: "derogatory comment",
    3: "120+ days late",
    4: "90 days late",
    5: "60 days late",
    6: "30 days late",
    7: "unknown delinquency",
    8: "never delinquent",
}
_LAST_YEAR = {
    0: "derogatory comment",
    1: "120+ days late",
    2: "90 days late",
    3: "60 days late",
    4: "30 days late",
    5: "unknown delinquency",
    6: "unknown delinquency",
    7: "never delinquent",
    9: "other",
}


def fetch_heloc(
    *,
    variant: str = "paper",
    data_home: DataHome = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    """Load the HELOC data, applications for home equity lines of credit.

    The target is 1 for applicants who repaid.

    Parameters
    ----------
    variant : {"paper", "raw"}, default="paper"
        "paper": 43 numbers of 5,842 applicants (47 % repaid), 31 of them actionable,
        encoded as in the study of responsiveness scores. "raw": the 23 columns as
        published, of the 9,871 applicants with a bureau record (48 % repaid), 9
        actionable. The two columns of worst delinquencies have labels (ordered, of
        dtype category), and the codes for no record, no usable trades and condition
        not met are NaN, so explain with `missing="hold"`. Balances and inquiries can
        only decrease, and months without a new trade add to the age of the file.
    data_home : path, optional
        The folder that contains `heloc/heloc_dataset_v1.csv`; by default
        `$SKRESP_DATA`.
    download_if_missing : bool, default=True
        Whether to download the copy on OpenML (`heloc`) if the file is missing. It
        has the same rows in another order.
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
        unknown = rows[_REQUIRED].isin((_NO_RECORD, _NO_TRADES)).any(axis=1)
    else:
        unknown = (rows.drop(columns="RiskPerformance") == _NO_RECORD).all(axis=1)
    rows = rows[~unknown].reset_index(drop=True)
    data = _encoded(rows) if variant == "paper" else _labelled(rows)
    return make_bunch(
        data,
        (rows["RiskPerformance"] == "Good").astype(int).rename("RepaidLoan"),
        _action_set(data) if variant == "paper" else _raw_action_set(data),
        target_names=["Bad", "Good"],
        description=__doc__ or "",
        return_X_y=return_X_y,
    )


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def _from_openml(frame: pd.DataFrame) -> pd.DataFrame:
    label = frame["RiskPerformance"].astype(str).str.strip("' ")
    numbers = frame.drop(columns="RiskPerformance").astype(int)
    return pd.concat([label, numbers], axis=1)


_SOURCE = Source(
    title="HELOC",
    file="heloc/heloc_dataset_v1.csv",
    origin="the FICO community (explainable machine learning challenge)",
    openml_id=46932,
    openml_name="heloc",
    read=_read,
    from_openml=_from_openml,
)


def _encoded(raw: pd.DataFrame) -> pd.DataFrame:
    columns: dict[str, pd.Series] = {}
    for limit in (40, 50, 60, 70, 80):
        columns[f"ExternalRiskEstimate_geq_{limit}"] = (
            raw["ExternalRiskEstimate"] >= limit
        )
    columns["YearsOfAccountHistory"] = _years(raw["MSinceOldestTradeOpen"])
    for limit in (3, 5, 7):
        columns[f"AvgYearsInFile_geq_{limit}"] = _years(raw["AverageMInFile"]) >= limit
    recent = _years(raw["MSinceMostRecentTradeOpen"])
    columns["MostRecentTradeWithinLastYear"] = recent <= 1
    columns["MostRecentTradeWithinLast2Years"] = recent <= 2
    for code, name in _DELINQUENCIES.items():
        columns[name] = raw["MaxDelqEver"] == code
    # As in the study, these are on if the file says that there was no delinquency.
    none = raw["MSinceMostRecentDelq"] == _NOT_MET
    columns["NoDelqEver"] = none
    for limit in (1, 3, 5):
        columns[f"YearsSinceLastDelqTrade_leq_{limit}"] = none
    install = raw["NumTotalTrades"] * raw["PercentInstallTrades"] / 100
    counts = {
        "NumInstallTrades": install,
        "NumInstallTradesWBalance": raw["NumInstallTradesWBalance"],
        "NumRevolvingTrades": raw["NumTotalTrades"] - install,
        "NumRevolvingTradesWBalance": raw["NumRevolvingTradesWBalance"],
    }
    for limit in _COUNTS:
        for name, values in counts.items():
            columns[f"{name}_geq_{limit}"] = values >= limit
    for name in ("NetFractionInstallBurden", "NetFractionRevolvingBurden"):
        for limit in _BURDENS:
            columns[f"{name}_geq_{limit}"] = raw[name] >= limit
    columns["NumBank2NatlTradesWHighUtilization_geq_2"] = (
        raw["NumBank2NatlTradesWHighUtilization"] >= 2
    )
    return pd.DataFrame(columns).astype(int)


def _years(months: pd.Series) -> pd.Series:
    return np.rint(months / 12).astype(int)


def _action_set(data: pd.DataFrame) -> ActionSet:
    down = Feature("binary", direction="decrease")
    up = Feature("binary", direction="increase")
    given = {
        name: up if name.startswith("AvgYearsInFile") else down
        for name in data
        if name.startswith(
            (
                "AvgYearsInFile",
                "NumInstallTrades",
                "NumRevolvingTrades",
                "NumBank2Natl",
                "NetFraction",
                "YearsSinceLastDelq",
            )
        )
    }
    recent = ["MostRecentTradeWithinLastYear", "MostRecentTradeWithinLast2Years"]
    given |= {name: Feature("binary") for name in recent}
    given["YearsOfAccountHistory"] = Feature("integer", 0, 50, actionable=False)
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=_constraints(recent),
    )


def _constraints(recent: list[str]) -> list[Constraint]:
    def thermometer(
        name: str, limits: tuple[int, ...], direction: str, side: str = "geq"
    ) -> Thermometer:
        return Thermometer([f"{name}_{side}_{limit}" for limit in limits], direction)

    rules: list[Constraint] = []
    for trades in ("NumInstallTrades", "NumRevolvingTrades"):
        for limit in _COUNTS:
            source, target = f"{trades}WBalance_geq_{limit}", f"{trades}_geq_{limit}"
            rules.append(Linkage(source, {target: 1}, keep_bounds=True))
        rules.append(thermometer(f"{trades}WBalance", _COUNTS, "decrease"))
        rules.append(thermometer(trades, _COUNTS, "decrease"))
    for limit in (1, 3, 5):
        source = f"YearsSinceLastDelqTrade_leq_{limit}"
        rules.append(Linkage(source, {"YearsOfAccountHistory": -limit}))
    rules.append(thermometer("YearsSinceLastDelqTrade", (1, 3, 5), "decrease", "leq"))
    rules.append(thermometer("AvgYearsInFile", (3, 5, 7), "increase"))
    rules.append(thermometer("NetFractionInstallBurden", _BURDENS, "decrease"))
    rules.append(thermometer("NetFractionRevolvingBurden", _BURDENS, "decrease"))
    rules.append(
        Reachability(
            recent,
            [(0, 0), (1, 0), (0, 1), (1, 1)],
            [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]],
        )
    )
    return rules


def _labelled(rows: pd.DataFrame) -> pd.DataFrame:
    data = rows.drop(columns="RiskPerformance")
    words = {"MaxDelqEver": _EVER, "MaxDelq2PublicRecLast12M": _LAST_YEAR}
    for name in data:
        if name in words:
            order = list(dict.fromkeys(words[name].values()))
            labels = data[name].map(words[name])
            data[name] = pd.Categorical(labels, order, ordered=True)
        elif (codes := data[name].isin((_NO_RECORD, _NO_TRADES, _NOT_MET))).any():
            data[name] = data[name].mask(codes).astype(float)
    return data


def _raw_action_set(data: pd.DataFrame) -> ActionSet:
    def down(by: int) -> Feature:
        return Feature("integer", direction="decrease", max_decrease=by)

    given = {
        "MSinceMostRecentTradeOpen": Feature(
            "integer", direction="increase", max_increase=12
        ),
        # After a year without late payments; older ones stay on record.
        "MaxDelq2PublicRecLast12M": Feature(
            "categorical",
            direction="increase",
            categories=list(dict.fromkeys(_LAST_YEAR.values()))[:-2],
        ),
        "NumInqLast6M": down(5),
        "NumInqLast6Mexcl7days": down(5),
        "NetFractionRevolvingBurden": down(30),
        "NetFractionInstallBurden": down(20),
        "NumRevolvingTradesWBalance": down(3),
        "NumInstallTradesWBalance": down(2),
        "NumBank2NatlTradesWHighUtilization": down(3),
    }
    months = ("MSinceOldestTradeOpen", "AverageMInFile", "MSinceMostRecentDelq")
    return ActionSet.infer(
        data,
        features=given,
        immutable=[name for name in data if name not in given],
        constraints=[
            Linkage("MSinceMostRecentTradeOpen", dict.fromkeys(months, 1)),
            Linear({"NumInqLast6M": 1, "NumInqLast6Mexcl7days": -1}, lower=0),
            Linear(
                {
                    "NumRevolvingTradesWBalance": 1,
                    "NumBank2NatlTradesWHighUtilization": -1,
                },
                lower=0,
            ),
        ],
    )
