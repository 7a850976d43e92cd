"""Shares of people by recourse status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._recourse._status import STATUSES
from skresp._recourse._verdicts import Verdicts
from skresp._text import quote
from skresp._typing import BoolArray

from ._groups import group_labels, group_masks

_DENIED = [name for name in STATUSES if name not in ("approved", "invalid")]


def recourse_summary(explainer: Any, X: Any = None, *, groups: Any = None) -> Any:
    """Compute the share of people denied, and the shares of their recourse statuses.

    Parameters
    ----------
    explainer : fitted ResponsivenessExplainer, or Verdicts
        The explainer that verifies `X`, or the verdicts it returned.
    X : frame or array, optional
        The rows to verify. Not needed with verdicts.
    groups : str or array-like, optional
        A column of `X`, or one label for each row. With groups the summary is
        computed for each group.

    Returns
    -------
    summary : dict, or with groups a frame with one row per group
        - `denied`: share of all rows that are not at the target;
        - `no_recourse`, `single`, `joint`, `possible`, `unknown`: shares of the
          denied, which sum to 1; NaN if nobody is denied. `no_recourse` is the share
          of the status `fixed`: no feasible change reaches the target. `possible`
          people have recourse, but it was not settled whether a single feature is
          enough. For `unknown` people the search found no change that works and did
          not rule one out;
        - `n_rows`, `n_denied`: the numbers of people behind these shares;
        - `n_invalid`: number of rows that break a constraint as they are; they are
          left out of everything else.

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
    if not hasattr(explainer, "verify") and not isinstance(explainer, Verdicts):
        raise TypeError(
            f"explainer must be a fitted ResponsivenessExplainer or Verdicts, got "
            f"{quote(explainer)}."
        )
    if X is None and not isinstance(explainer, Verdicts):
        raise ValueError(
            "X must be given with an explainer, got None. Pass the rows to verify, or "
            "Verdicts instead of the explainer."
        )
    verdicts = explainer if isinstance(explainer, Verdicts) else explainer.verify(X)
    status = verdicts.status
    if groups is None:
        return _shares(status)
    labels = group_labels(groups, verdicts.data if X is None else X, len(status))
    by_group = {
        label: _shares(status[rows]) for label, rows in group_masks(labels).items()
    }
    return pd.DataFrame.from_dict(by_group, orient="index").rename_axis("group")


def is_denied(status: NDArray[Any]) -> BoolArray:
    """Return where a row is valid and not at the target."""
    return (status != "invalid") & (status != "approved")


def _shares(status: NDArray[Any]) -> dict[str, float]:
    return shares_of({name: int((status == name).sum()) for name in STATUSES})


def shares_of(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the summary of a number of rows of each status."""
    n_denied = sum(counts[name] for name in _DENIED)
    n_rows = n_denied + counts["approved"]

    def share(name: str) -> float:
        return counts[name] / n_denied if n_denied else np.nan

    return {
        "denied": n_denied / n_rows if n_rows else np.nan,
        "no_recourse": share("fixed"),
        "single": share("single"),
        "joint": share("joint"),
        "possible": share("possible"),
        "unknown": share("unknown"),
        "n_rows": n_rows,
        "n_denied": n_denied,
        "n_invalid": counts["invalid"],
    }
