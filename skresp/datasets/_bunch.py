"""The return value of data set loaders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from sklearn.utils import Bunch

from skresp._actions._action_set import ActionSet


def make_bunch(
    data: pd.DataFrame,
    target: pd.Series,
    action_set: ActionSet,
    *,
    target_names: Sequence[str],
    description: str,
    return_X_y: bool = False,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    """Return a data set as a Bunch, or as data and target."""
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=data.assign(**{str(target.name): target}),
        action_set=action_set,
        feature_names=list(data.columns),
        target_names=list(target_names),
        DESCR=description,
    )


def check_variant(variant: str, known: Iterable[str]) -> None:
    """Raise ValueError if a loader has no such variant."""
    if variant not in (names := list(known)):
        listed = " or ".join(map(repr, names))
        raise ValueError(f"variant must be {listed}, got {variant!r}.")
