"""Base class of the SHAP and LIME explainers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from skresp._actions._action_set import ActionSet
from skresp._actions._encoding import column_positions, encode
from skresp._dataframe import as_table, is_frame, snapshot
from skresp._explain._base import BaseExplainer
from skresp._explain._context import (
    ExplanationContext,
    distinct_people,
    keys_of_rows,
)
from skresp._explain._explanation import Explanation
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._output import Output
from skresp._model._target import make_optional_target_rule
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_bool, make_generator
from skresp.reach._reachable_set import check_valid
from skresp.scores._can_move import can_move

from ._describe import SHORT
from ._numeric_rows import (
    NumericRows,
    immutable_features,
    label_columns,
    model_column_positions,
)
from ._parallel import map_people


class AttributionExplainer(BaseExplainer):
    """Base class of explainers that return contributions of features.

    A subclass implements `_prepare`, which sets `_unit`, and `_attribute`.
    """

    _method: str
    # What contributions add up to, in words; set by `_prepare`.
    _unit: str

    def __init__(
        self,
        estimator: Any,
        action_set: ActionSet | None,
        *,
        target: Any,
        per_person: bool,
        random_state: Any,
        n_jobs: int | None,
        verbose: int,
    ) -> None:
        self.estimator = estimator
        self.action_set = action_set
        self.target = target
        self.per_person = per_person
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if check_bool("per_person", self.per_person) and self.action_set is None:
            raise ValueError(
                "per_person=True requires an action_set, which says what each person "
                "can change. Pass action_set=ActionSet.infer(X, ...), or leave "
                "per_person out."
            )

    def _make_fitted_model(self, input_format: InputFormat, table: Any) -> FittedModel:
        model_column_positions(input_format, table)
        if self.action_set is not None:
            column_positions(self.action_set, table)
            input_format.positions(self.action_set)
        self._label_columns = label_columns(input_format, table)
        return FittedModel(
            make_optional_target_rule(self.estimator_, self.target),
            input_format,
            immutable_features(input_format, self._label_columns),
        )

    @property
    def _input_format(self) -> InputFormat:
        return self._fitted_model.input_format

    def _set_output(self, numeric_rows: NumericRows) -> None:
        """Choose the number that is explained where the model is a black box."""
        some = numeric_rows.rows(numeric_rows.background[:2])
        self._output = Output.of(self._fitted_model.target_rule, some)
        self._unit = self._output.unit

    def _attribute_people(
        self,
        attribute: Callable[[int, int], tuple[FloatArray, float]],
        keys: NDArray[np.uint64],
    ) -> tuple[FloatArray, FloatArray]:
        """Return contributions and base values of people, explained one by one."""
        phase = SHORT[self._method]
        if self.action_set is not None:
            phase += ", actionable"
        return map_people(attribute, as_seeds(keys), self.n_jobs, self.verbose, phase)

    @abstractmethod
    def _attribute(self, people: Any, keys: Any) -> tuple[FloatArray, FloatArray, bool]:
        """Return contributions of the model's columns, base values, whether exact."""

    def explain(self, X: Any) -> Explanation:
        """Compute the contribution of each feature to the prediction of each row.

        Parameters
        ----------
        X : frame or array
            A frame may have its columns in any order.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self, "estimator_")
        model = self._fitted_model
        table = model.input_format.named(as_table(X))
        positions = model_column_positions(model.input_format, table)
        people, which = distinct_people(table)
        seed = self._seed()
        width = len(model.input_format.names)
        values, base, exact = np.zeros((0, width)), np.zeros(0), True
        at_target = np.zeros(0, dtype=bool)
        if len(people):
            at_target = model.target_rule.reached(model.rows(people))
            values, base, exact = self._attribute(people, self._keys(people, seed))
            values = np.where(self._kept(people, seed), values, 0.0)
        order, names = self._order(), self._names()
        values = values[which][:, order]
        columns = list(model.features.features.values())
        return Explanation(
            values=values,
            lower=values,
            upper=values,
            exact=np.full(values.shape, exact),
            n_reachable=None,
            feature_names=names,
            data=snapshot(table),
            at_target=at_target[which],
            target=self.target_,
            method=self._method,
            base_values=base[which],
            _features={name: columns[i] for name, i in zip(names, order, strict=True)},
            _columns=[positions[i] for i in order],
            _unit=self._unit,
            _context=ExplanationContext(model),
        )

    # -- seeds ------------------------------------------------------------------------

    def _seed(self) -> int:
        return int(make_generator(self.random_state).randint(2**31 - 1))

    def _keys(self, table: Any, seed: int) -> NDArray[np.uint64]:
        input_format = self._input_format
        positions = model_column_positions(input_format, table)
        return keys_of_rows(seed, table, input_format.names, positions)

    def row_seeds(self, X: Any) -> NDArray[np.int64]:
        """Return the random seed of each row.

        It depends on `random_state` and on the values of the row, and not on row order
        or on the other rows. Calling shap or lime directly with the seed gives the same
        numbers.
        """
        check_is_fitted(self, "estimator_")
        table = self._input_format.named(as_table(X))
        return as_seeds(self._keys(table, self._seed()))

    # -- features people can act on ----------------------------------------------------

    def _kept(self, people: Any, seed: int) -> BoolArray:
        """Return which contributions are kept: those of features people can act on."""
        actions = self.action_set
        if actions is None:
            return np.ones((1, len(self._input_format.names)), dtype=bool)
        if self.per_person:
            # A missing value cannot change, but the row still has contributions.
            codes = encode(actions, people, missing="hold")
            check_valid(actions, people, codes, "pass per_person=False")
            positions = column_positions(actions, people)
            keys = keys_of_rows(seed, people, actions.names, positions)
            mine = can_move(actions, codes, keys)
        else:
            mine = np.array([[f.actionable for f in actions.features.values()]])
        out = np.zeros((len(mine), len(self._input_format.names)), dtype=bool)
        where = self._input_format.positions(actions)
        out[:, [where[name] for name in actions.names]] = mine
        return out

    # -- columns --------------------------------------------------------------------

    def _order(self) -> list[int]:
        """Return the positions of the model's columns in the order at fit."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or not self._input_format.has_names:
            return list(range(len(self._input_format.names)))
        return [self._input_format.names.index(name) for name in names]

    def _names(self) -> list[str]:
        """Return the names of the features: those of the action set if there is one."""
        if self.action_set is not None:
            positions = self._input_format.positions(self.action_set)
            by_position = {position: name for name, position in positions.items()}
            return [by_position[i] for i in self._order()]
        return [self._input_format.names[i] for i in self._order()]


def as_seeds(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return keys as seeds of 32 bits, which shap and lime accept."""
    return (keys >> np.uint64(32)).astype(np.int64)


def is_table(X: Any) -> bool:
    """Return whether X is a frame or a two-dimensional array."""
    return is_frame(X) or np.ndim(X) == 2
