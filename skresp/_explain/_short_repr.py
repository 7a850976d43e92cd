"""The repr of estimators that have an action set."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from skresp._actions._action_set import ActionSet
from skresp._text import plural


class _OneLine:
    """An action set whose repr is one line."""

    def __init__(self, actions: ActionSet) -> None:
        self.actions = actions

    def __repr__(self) -> str:
        features, constraints = len(self.actions.names), len(self.actions.constraints)
        return (
            f"ActionSet({plural(features, 'feature')}, "
            f"{len(self.actions.actionable)} actionable, "
            f"{plural(constraints, 'constraint')})"
        )


class ShortRepr(BaseEstimator):
    """An estimator whose repr has its action set in one line, not as a table."""

    action_set: Any

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        # scikit-learn breaks lines only for classes that have its own __repr__.
        kind = type(self)
        plain = type(kind.__name__, (kind,), {"__repr__": BaseEstimator.__repr__})
        shown: Any = object.__new__(plain)
        shown.__dict__.update(self.__dict__)
        if isinstance(self.action_set, ActionSet):
            shown.action_set = _OneLine(self.action_set)
        return BaseEstimator.__repr__(shown, N_CHAR_MAX)
