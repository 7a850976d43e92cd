"""A data set with its action set, as scikit-learn's loaders return it."""

from __future__ import annotations

import pandas as pd
from sklearn.utils import Bunch

from skresp.actions import ActionSet


def make_bunch(
    data: pd.DataFrame, target: pd.Series, action_set: ActionSet, description: str
) -> Bunch:
    """The Bunch of a loader."""
    return Bunch(
        data=data,
        target=target,
        frame=data.assign(**{str(target.name): target}),
        action_set=action_set,
        feature_names=list(data.columns),
        DESCR=description,
    )
