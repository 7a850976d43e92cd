"""FICO HELOC: applications for home equity lines of credit."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skresp.actions import ActionSet, Constraint, Feature
from skresp.constraints import Linkage, Reachability, Thermometer

from ._bunch import make_bunch
from ._files import find_file

# Rows with -9 (no record) or -8 (no usable trades) in any of these are left out.
_KEPT = [
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
    8: "NoDelqEver",
}
_COUNTS = (2, 3, 5, 7)
_BURDENS = (10, 20, 50)


def fetch_heloc(*, data_home: str | os.PathLike[str] | None = None) -> Bunch:
    """HELOC applications as the study of responsiveness scores encodes them.

    43 features of 5,842 applicants, 31 of them actionable; the target is 1 for who
    repaid.

    Parameters
    ----------
    data_home : path, optional
        The folder that holds `heloc/heloc_dataset_v1.csv`; `$SKRESP_DATA` unless
        given.

    Returns
    -------
    Bunch
        With `data`, `target`, `frame`, `action_set`, `feature_names`, `DESCR`.
    """
    raw = pd.read_csv(find_file(data_home, "heloc", "heloc_dataset_v1.csv"))
    raw = raw[~raw[_KEPT].isin((-9, -8)).any(axis=1)].reset_index(drop=True)
    data = _encoded(raw)
    target = (raw["RiskPerformance"] == "Good").astype(int).rename("RepaidLoan")
    return make_bunch(data, target, _action_set(data), __doc__ or "")


def _encoded(raw: pd.DataFrame) -> pd.DataFrame:
    columns: dict[str, pd.Series] = {}
    for limit in (40, 50, 60, 70, 80):
        columns[f"ExternalRiskEstimate_geq_{limit}"] = (
            raw["ExternalRiskEstimate"] >= limit
        )
    columns["YearsOfAccountHistory"] = _years(raw["MSinceOldestTradeOpen"])
    for limit in (3, 5, 7):
        columns[f"AvgYearsInFile_geq_{limit}"] = _years(raw["AverageMInFile"]) >= limit
    recent = raw["MSinceMostRecentTradeOpen"]
    columns["MostRecentTradeWithinLastYear"] = recent <= 12
    columns["MostRecentTradeWithinLast2Years"] = recent <= 24
    for code, name in _DELINQUENCIES.items():
        columns[name] = raw["MaxDelqEver"] == code
    for limit in (1, 3, 5):
        # The study's reading: on where the file says that there was no delinquency.
        columns[f"YearsSinceLastDelqTrade_leq_{limit}"] = (
            raw["MSinceMostRecentDelq"] == -7
        )
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
    def marks(
        name: str, limits: tuple[int, ...], way: str, side: str = "geq"
    ) -> Thermometer:
        return Thermometer([f"{name}_{side}_{limit}" for limit in limits], way)

    rules: list[Constraint] = []
    for trades in ("NumInstallTrades", "NumRevolvingTrades"):
        for limit in _COUNTS:
            source, target = f"{trades}WBalance_geq_{limit}", f"{trades}_geq_{limit}"
            rules.append(Linkage(source, {target: 1}, keep_bounds=True))
        rules.append(marks(f"{trades}WBalance", _COUNTS, "decrease"))
        rules.append(marks(trades, _COUNTS, "decrease"))
    for limit in (1, 3, 5):
        source = f"YearsSinceLastDelqTrade_leq_{limit}"
        rules.append(Linkage(source, {"YearsOfAccountHistory": -limit}))
    rules.append(marks("YearsSinceLastDelqTrade", (1, 3, 5), "decrease", "leq"))
    rules.append(marks("AvgYearsInFile", (3, 5, 7), "increase"))
    rules.append(marks("NetFractionInstallBurden", _BURDENS, "decrease"))
    rules.append(marks("NetFractionRevolvingBurden", _BURDENS, "decrease"))
    rules.append(
        Reachability(
            recent,
            [(0, 0), (1, 0), (0, 1), (1, 1)],
            [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1]],
        )
    )
    return rules
