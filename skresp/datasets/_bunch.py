"""The return value of data set loaders."""

from __future__ import annotations

from collections.abc import Sequence

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
