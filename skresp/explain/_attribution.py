"""What explainers by contributions share: the target's sign, seeds, who can act."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skresp.actions import (
    ActionSet,
    as_table,
    column,
    column_positions,
    encode,
    is_frame,
    kept,
)
from skresp.reach import check_valid
from skresp.scores import Dress, Goal, Wardrobe, movable, predicted, row_keys

from ._base import BaseExplainer
from ._coded import label_columns, places_in, plain_columns
from ._explanation import Explanation
from ._output import make_aim
from ._source import distinct_people

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Origin:
    """What contributions were made from, kept to answer further questions.

    `columns` are the columns of the model as features, `unit` says what contributions
    add up to, `labels` which columns hold labels.
    """

    columns: ActionSet
    dress: Dress
    goal: Goal
    unit: str
    labels: frozenset[str]

    def rows(self, X: Any) -> Any:
        """Rows in the model's dress."""
        wardrobe = Wardrobe(self.dress, self.columns, X)
        return wardrobe.take(np.arange(wardrobe.rows), [])

    def predict(self, X: Any) -> NDArray[Any]:
        """What the model predicts for the rows."""
        return predicted(self.goal.model, self.rows(X))  # type: ignore[attr-defined]

    def as_numbers(self, X: Any, names: list[str]) -> tuple[Numbers, NDArray[Any]]:
        """The rows as numbers and as they are, one column for each of the names."""
        table = as_table(X)
        numbers = np.full((len(table), len(names)), np.nan)
        shown = np.empty((len(table), len(names)), dtype=object)
        places = places_in(self.dress, table)
        for j, place in enumerate(self._in_order(places, names)):
            values = column(table, place)
            shown[:, j] = values.to_numpy(dtype=object)
            if self.dress.names[places.index(place)] in self.labels:
                which = pd.factorize(values.astype(str), sort=True)[0].astype(float)
                numbers[:, j] = np.where(values.isna(), np.nan, which)
            else:
                numbers[:, j] = values.to_numpy(dtype=float, na_value=np.nan)
        return numbers, shown

    def _in_order(self, places: list[int], names: list[str]) -> list[int]:
        if not set(names) <= set(self.dress.names):
            return places  # an array, matched by position
        return [places[self.dress.names.index(name)] for name in names]


class AttributionExplainer(BaseExplainer):
    """Explains by contributions; a subclass says how they are computed.

    It has the parameters `estimator`, `action_set`, `target`, `per_person` and
    `random_state`, and says `_prepare` and `_attribute`.
    """

    _method: str

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit the model, or take it as it is where `y` is left out.

        Parameters
        ----------
        X : frame or array
            Rows like those the model was fitted on; contributions are measured
            against them.
        y : labels, optional
        **params : passed to the model's fit
        """
        self._check_parameters()
        self._fit_model(X, y, params)
        table = as_table(X)
        self.dress_ = Dress.of(self.estimator_, table, trained=y is not None)
        places_in(self.dress_, table)
        if self.action_set is not None:
            column_positions(self.action_set, table)
            self.dress_.places(self.action_set)
        self.labels_ = label_columns(self.dress_, table)
        self.goal_ = make_aim(self.estimator_, self.target)
        self.target_ = self.goal_.target
        self._warn_of_target()
        self._check_model_answers(table, plain_columns(self.dress_, self.labels_))
        self._prepare(self.dress_.named(table), y)
        return self

    def _check_parameters(self) -> None:
        actions = self.action_set
        if actions is not None and not isinstance(actions, ActionSet):
            raise TypeError(
                f"action_set must be an ActionSet or None, got {actions!r}. Make one "
                f"with ActionSet.infer(X, ...) or ActionSet.from_file(path)."
            )
        if self.per_person and actions is None:
            raise ValueError(
                f"per_person={self.per_person!r} needs an action_set, which says what "
                f"each person can move. Pass action_set=ActionSet.infer(X, ...), or "
                f"leave per_person out."
            )

    @abstractmethod
    def _prepare(self, table: Any, y: Any) -> None:
        """Find out what explaining takes, on the rows of the fit."""

    @abstractmethod
    def _attribute(self, people: Any, keys: Any) -> tuple[Numbers, Numbers, bool]:
        """Contributions in the model's columns, the base of each row, whether exact."""

    @property
    @abstractmethod
    def _unit(self) -> str:
        """What contributions add up to."""

    def explain(self, X: Any) -> Explanation:
        """The contribution of each feature to the prediction of each row.

        Parameters
        ----------
        X : frame or array
            A frame may have its columns in any order.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self, "estimator_")
        table = self.dress_.named(as_table(X))
        places_in(self.dress_, table)
        origin = self._origin()
        people, which = distinct_people(table)
        seed = self._seed()
        width = len(self.dress_.names)
        values, base, exact = np.zeros((0, width)), np.zeros(0), True
        at_target = np.zeros(0, dtype=bool)
        if len(people):
            at_target = self.goal_.reached(origin.rows(people))
            values, base, exact = self._attribute(people, self._keys(people, seed))
            values = np.where(self._kept(people, seed), values, 0.0)
        values = values[which][:, self._order()]
        return Explanation(
            values,
            values,
            values,
            np.full(values.shape, exact),
            None,
            self._names(),
            kept(table),
            at_target[which],
            self.target_,
            None,
            origin,
            method=self._method,
            base_values=base[which],
        )

    def _origin(self) -> Origin:
        return Origin(
            plain_columns(self.dress_, self.labels_),
            self.dress_,
            self.goal_,
            self._unit,
            frozenset(self.dress_.names[i] for i in self.labels_),
        )

    def _dressed(self, people: Any) -> Any:
        return self._origin().rows(people)

    # -- seeds ------------------------------------------------------------------------

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _keys(self, table: Any, seed: int) -> NDArray[np.uint64]:
        places = places_in(self.dress_, table)
        columns = {
            name: column(table, place)
            for name, place in zip(self.dress_.names, places, strict=True)
        }
        return row_keys(seed, columns, len(table))

    def row_seeds(self, X: Any) -> NDArray[np.int64]:
        """The seed that each row's random numbers start from.

        It depends on `random_state` and on the content of the row, so that a row is
        explained alike in whatever company. A direct call of the library with the seed
        gives the same numbers.
        """
        check_is_fitted(self, "estimator_")
        table = self.dress_.named(as_table(X))
        return as_seeds(self._keys(table, self._seed()))

    # -- who can act ----------------------------------------------------------------

    def _kept(self, people: Any, seed: int) -> NDArray[np.bool_]:
        """Which contributions stay: of features that people can act on."""
        actions = self.action_set
        if actions is None:
            return np.ones((1, len(self.dress_.names)), dtype=bool)
        if self.per_person:
            # What is missing cannot be moved; it does not keep a row from being told.
            codes = encode(actions, people, missing="hold")
            check_valid(actions, people, codes, "pass per_person=False")
            positions = column_positions(actions, people)
            columns = {
                name: column(people, place)
                for name, place in zip(actions.names, positions, strict=True)
            }
            mine = movable(actions, codes, row_keys(seed, columns, len(people)))
        else:
            mine = np.array([[f.actionable for f in actions.features.values()]])
        out = np.zeros((len(mine), len(self.dress_.names)), dtype=bool)
        places = self.dress_.places(actions)
        out[:, [places[name] for name in actions.names]] = mine
        return out

    # -- columns --------------------------------------------------------------------

    def _order(self) -> list[int]:
        """The model's columns in the order of the columns at fit."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or not self.dress_.has_names:
            return list(range(len(self.dress_.names)))
        return [self.dress_.names.index(name) for name in names]

    def _names(self) -> list[str]:
        if self.action_set is not None:
            places = self.dress_.places(self.action_set)
            by_place = {place: name for name, place in places.items()}
            return [by_place[i] for i in self._order()]
        return [self.dress_.names[i] for i in self._order()]


def as_seeds(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Keys as seeds that old libraries take: 32 bits."""
    return (keys >> np.uint64(32)).astype(np.int64)


def is_table(X: Any) -> bool:
    """Whether it is a frame or an array of rows."""
    return is_frame(X) or np.ndim(X) == 2
