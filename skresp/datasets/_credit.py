"""Synthetic loan applicants, and whether they repay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import Bunch

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature
from skresp._typing import FloatArray, IndexArray
from skresp._validation import check_integer, make_generator
from skresp.constraints import IfThen, Linear, Linkage, Reachability

from ._bunch import make_bunch

_JOBS = ["not employed", "part time", "full time"]
_SAVINGS = ["none", "below 1,000", "over 1,000", "over 5,000"]
_ACCOUNTS = ["overdrawn", "none", "in credit"]
_HOUSING = ["own", "rent", "with family"]

# The lender requires at least this repayment per month.
_MIN_REPAYMENT = 50


def make_credit(
    n_samples: int = 1_000,
    *,
    random_state: int | np.random.RandomState | None = None,
    return_X_y: bool = False,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    """Generate synthetic loan applicants, with the changes that they can make.

    There are 13 features, numbers and labels. The target is whether the loan was
    repaid; about two in three are. The probability increases with the job, the years
    employed, savings, a checking account in credit, an owned home and a guarantor. It
    decreases with late payments (more so with many credit cards), and with the
    monthly instalment as a share of the income (less so with savings). Sex has no
    effect on repayment, but women more often work part time and then have lower
    incomes, which an audit by group should find.

    Nobody can change age, sex or the record of late payments. Jobs, savings and
    accounts can only improve, savings by one level. Years employed can only increase,
    and age increases with them. The loan can be made smaller, its duration shorter or
    longer, with a repayment of at least 50 per month. Applicants who are not employed
    have no years employed.

    Parameters
    ----------
    n_samples : int, default=1000
        The number of applicants.
    random_state : int, RandomState or None, default=None
        Pass an int for reproducible applicants.
    return_X_y : bool, default=False
        Whether to return data and target instead of a Bunch.

    Returns
    -------
    Bunch, or (data, target) if `return_X_y`
        With `data` (a frame), `target` (`repaid`, 0 or 1), `frame` (both),
        `action_set`, `feature_names`, `target_names`, `DESCR`.

    Examples
    --------
    >>> from skresp.datasets import make_credit
    >>> credit = make_credit(500, random_state=0)
    >>> credit.data.shape
    (500, 13)
    >>> credit.data.loc[0, ["age", "job", "savings", "loan_amount"]].to_dict()
    {'age': 70, 'job': 'full time', 'savings': 'none', 'loan_amount': 5600}
    >>> print("\\n".join(rule.describe() for rule in credit.action_set.constraints))
    Each unit of change in years_employed changes age by 1.
    Where job is not employed, years_employed is at most 0.
    savings is one of none, below 1,000, over 1,000, over 5,000; it can change from none
    to below 1,000; from below 1,000 to over 1,000; from over 1,000 to over 5,000.
    loan_amount is at least 50 x loan_months.
    >>> len(credit.action_set.check(credit.data))
    0
    """
    n_samples = check_integer("n_samples", n_samples, 1)
    rng = make_generator(random_state)
    data = _applicants(n_samples, rng)
    probability = 1 / (1 + np.exp(-_log_odds(data)))
    repaid = (rng.uniform(size=len(data)) < probability).astype(int)
    return make_bunch(
        data,
        pd.Series(repaid, name="repaid"),
        _action_set(),
        target_names=["not repaid", "repaid"],
        description=__doc__ or "",
        return_X_y=return_X_y,
    )


def _applicants(n: int, rng: np.random.RandomState) -> pd.DataFrame:
    age = np.clip(np.rint(18 + rng.gamma(2.6, 8.5, n)), 19, 75).astype(int)
    female = rng.uniform(size=n) < 0.5
    # Shares of the three jobs, among women and among men.
    shares = np.where(female[:, None], (0.15, 0.40, 0.45), (0.12, 0.10, 0.78))
    job = _draw(shares, rng)
    years = np.minimum(rng.gamma(1.2, 4.5, n), age - 18).astype(int)
    years[job == 0] = 0
    pay = np.array([950, 1_450, 2_500])[job] * (1 + 0.015 * years)
    income = np.rint(np.clip(pay * rng.lognormal(0, 0.3, n), 500, 9_000) / 10) * 10

    # People with higher incomes have higher savings and are less often overdrawn.
    wealth = np.log(income / 1_900) + rng.normal(0, 1, n)
    savings = np.searchsorted((-0.4, 0.5, 1.4), wealth)
    account = _draw(
        _softmax([-0.3 - 0.5 * wealth, -0.4 + 0 * wealth, 0.7 * wealth]), rng
    )
    old = (age - 40) / 15
    housing = _draw(
        _softmax([0.9 * old + 0.4 * wealth, 0.5 + 0 * old, -0.9 * old]), rng
    )
    cards = rng.poisson(1.7, n).clip(0, 6)
    late = rng.poisson(np.exp(-0.9 - 0.3 * wealth + rng.normal(0, 1, n))).clip(0, 6)

    wanted = 5_500 * np.sqrt(income / 2_000) * rng.lognormal(0, 0.55, n)
    amount = np.clip(np.rint(wanted / 100) * 100, 500, 20_000).astype(int)
    months = 6 * np.rint(amount / 1_800 + rng.gamma(2.0, 1.3, n)).astype(int)
    longest = np.minimum(72, amount // _MIN_REPAYMENT // 6 * 6)
    return pd.DataFrame(
        {
            "age": age,
            "sex": np.where(female, "female", "male").tolist(),
            "job": pd.Categorical.from_codes(job, _JOBS, ordered=True),
            "years_employed": years,
            "income": income,
            "savings": pd.Categorical.from_codes(savings, _SAVINGS, ordered=True),
            "checking_account": pd.Categorical.from_codes(
                account, _ACCOUNTS, ordered=True
            ),
            "housing": [_HOUSING[i] for i in housing],
            "credit_cards": cards,
            "late_payments": late,
            "loan_amount": amount,
            "loan_months": np.clip(months, 6, longest),
            "has_guarantor": (rng.uniform(size=n) < 0.12).astype(int),
        }
    )


def _log_odds(data: pd.DataFrame) -> FloatArray:
    """Return the log odds of repayment."""
    burden = data["loan_amount"] / data["loan_months"] / data["income"]
    savings = data["savings"].cat.codes
    account = data["checking_account"].cat.codes
    total = (
        0.7
        + 0.35 * data["job"].cat.codes
        + 0.06 * data["years_employed"].clip(upper=10)
        + 0.35 * savings
        + np.array([-0.6, 0.0, 0.4])[account]
        + 0.3 * (data["housing"] == "own")
        + 0.6 * data["has_guarantor"]
        - 0.8 * data["late_payments"]
        - 0.1 * data["late_payments"] * data["credit_cards"].clip(upper=4)
        - 6.0 * burden * (1 - 0.2 * savings)
    )
    return total.to_numpy(dtype=float)


def _action_set() -> ActionSet:
    def up(labels: list[str]) -> Feature:
        return Feature("categorical", direction="increase", categories=labels)

    # Savings increase by one level at most.
    steps = [[int(j in (i, i + 1)) for j in range(4)] for i in range(4)]
    return ActionSet(
        {
            "age": Feature("integer", 19, 75, actionable=False),
            "sex": Feature(
                "categorical", actionable=False, categories=["female", "male"]
            ),
            "job": up(_JOBS),
            "years_employed": Feature(
                "integer", 0, 50, direction="increase", max_increase=2
            ),
            "income": Feature("real", 0, 10_000, max_increase=400, max_decrease=200),
            "savings": up(_SAVINGS),
            "checking_account": up(_ACCOUNTS),
            "housing": Feature("categorical", categories=_HOUSING),
            "credit_cards": Feature("integer", 0, 6, max_increase=1, max_decrease=1),
            "late_payments": Feature("integer", 0, 6, actionable=False),
            "loan_amount": Feature(
                "integer",
                500,
                20_000,
                direction="decrease",
                max_decrease=2_000,
                step=100,
            ),
            "loan_months": Feature(
                "integer", 6, 72, max_increase=12, max_decrease=12, step=6
            ),
            "has_guarantor": Feature("binary", direction="increase"),
        },
        [
            Linkage("years_employed", {"age": 1}),
            IfThen(("job", "==", "not employed"), ("years_employed", "<=", 0)),
            Reachability(["savings"], [[label] for label in _SAVINGS], steps),
            Linear({"loan_amount": 1, "loan_months": -_MIN_REPAYMENT}, lower=0),
        ],
    )


def _softmax(logits: Any) -> FloatArray:
    """Return probabilities of shape (n_samples, n_labels)."""
    powers = np.exp(np.column_stack(logits))
    return powers / powers.sum(axis=1, keepdims=True)


def _draw(shares: NDArray[Any], rng: np.random.RandomState) -> IndexArray:
    """Draw a position for each row, with the probabilities of the row."""
    point = rng.uniform(size=(len(shares), 1))
    return np.minimum((point > shares.cumsum(axis=1)).sum(axis=1), shares.shape[1] - 1)
