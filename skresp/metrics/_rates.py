"""Shares of people by verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import as_table, column, column_names, is_frame
from skresp.recourse import Verdicts

Truth = NDArray[np.bool_]

COUNTED = ("n_rows", "n_denied", "n_invalid")


def recourse_summary(explainer: Any, X: Any = None, *, groups: Any = None) -> Any:
    """How many are denied, and how many of those have a way back.

    Parameters
    ----------
    explainer : fitted ResponsivenessExplainer, or Verdicts
        Who is asked for verdicts about `X`; with verdicts in hand `X` is not needed.
    X : frame or array
    groups : str or array-like, optional
        A column of `X`, or one label a row: the same for each group.

    Returns
    -------
    dict, or with groups a frame with a line a group, of

    - `denied`: the share of all rows that are not at the target;
    - `no_recourse`, `single`, `joint`, `possible`, `unknown`: shares of the denied,
      which sum to 1; NaN where nobody is denied. `no_recourse` is the share of those
      whose prediction is fixed for certain. People who are `possible` have recourse,
      but whether a single feature would do was not settled; of those who are
      `unknown` no way is known;
    - `n_rows`, `n_denied`: how many these are; `n_invalid`: rows that break a
      constraint as they stand, which are left out of everything else.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
    >>> from skresp.metrics import recourse_summary
    >>> X = [[i, n] for i in range(1, 6) for n in range(4)]
    >>> y = [int(i - n >= 2) for i, n in X]
    >>> actions = ActionSet(
    ...     {
    ...         "income": Feature("integer", 1, 5, max_increase=1),
    ...         "loans": Feature("integer", 0, 3, max_decrease=1),
    ...     }
    ... )
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    >>> explainer = explainer.fit(X, y)
    >>> summary = recourse_summary(explainer, X)
    >>> {name: round(float(share), 2) for name, share in summary.items()}
    {'denied': 0.5, 'no_recourse': 0.3, 'single': 0.4, 'joint': 0.3, 'possible': 0.0, \
'unknown': 0.0, 'n_rows': 20.0, 'n_denied': 10.0, 'n_invalid': 0.0}
    """
    if X is None and not isinstance(explainer, Verdicts):
        raise ValueError("X is None: pass the rows to ask for verdicts about.")
    verdicts = explainer if isinstance(explainer, Verdicts) else explainer.verify(X)
    status = verdicts.status
    if groups is None:
        return _shares(status)
    labels = group_labels(groups, verdicts.data if X is None else X, len(status))
    lines = {label: _shares(status[which]) for label, which in by_label(labels).items()}
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("group")


def _shares(status: NDArray[Any]) -> dict[str, float]:
    invalid = status == "invalid"
    denied = ~invalid & (status != "approved")
    rows, many = int((~invalid).sum()), int(denied.sum())

    def share(name: str) -> float:
        return float((status == name).sum()) / many if many else np.nan

    return {
        "denied": many / rows if rows else np.nan,
        "no_recourse": share("fixed"),
        "single": share("single"),
        "joint": share("joint"),
        "possible": share("possible"),
        "unknown": share("unknown"),
        "n_rows": rows,
        "n_denied": many,
        "n_invalid": int(invalid.sum()),
    }


def group_labels(groups: Any, X: Any, rows: int) -> NDArray[Any]:
    """One label a row: a column of X by its name, or the labels themselves."""
    if isinstance(groups, str):
        table = as_table(X)
        names = column_names(table) if is_frame(table) else None
        if names is None or groups not in names:
            there = ", ".join(names) if names else "no names"
            raise ValueError(
                f"groups={groups!r} is no column of X, which has {there}. Pass the "
                f"name of a column, or one label for each row."
            )
        return column(table, names.index(groups)).to_numpy(dtype=object)
    if isinstance(groups, pd.Series) and isinstance(X, pd.DataFrame):
        if not groups.index.equals(X.index):
            raise ValueError(
                "groups is a Series whose index is not that of X, so whose label is "
                "whose is unclear. Pass groups.loc[X.index], or groups.to_numpy() if "
                "the rows do stand in the same order."
            )
    labels = np.asarray(groups, dtype=object)
    if labels.shape != (rows,):
        raise ValueError(
            f"groups must hold one label for each of the {rows} rows, got an array of "
            f"shape {labels.shape}."
        )
    return labels


def by_label(labels: NDArray[Any]) -> dict[Any, Truth]:
    """Which rows have each label, in the order of the labels; missing ones last."""
    codes, names = pd.factorize(labels, sort=False, use_na_sentinel=False)
    order = sorted(range(len(names)), key=lambda i: (pd.isna(names[i]), str(names[i])))
    return {names[i]: codes == i for i in order}
