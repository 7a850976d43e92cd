"""How shap explains a model: by its coefficients, by its trees, or as a black box.

Coefficients and trees are used only if base and contributions add up to the model's own
output; otherwise the model is explained as a black box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from skresp._model._predictions import class_position, classes_of
from skresp._model._target import TargetRule, sign_of
from skresp._model._unwrap import unwrap
from skresp._model.steps._column_origin import column_origins
from skresp._model.steps._transform import transform_rows
from skresp._optional import import_optional
from skresp._typing import FloatArray, IndexArray

from ._global_seed import global_seed
from ._numeric_rows import NumericModel, NumericRows
from ._threshold_ranks import ThresholdRanks

ALGORITHMS = ("auto", "linear", "tree", "permutation", "exact")
_INIT_OPTIONS = ("feature_perturbation", "model_output")
_CALL_OPTIONS = ("max_evals", "batch_size")
KEYS = ("algorithm", "check_additivity", "approximate", *_INIT_OPTIONS, *_CALL_OPTIONS)
PERTURBATIONS = ("auto", "interventional", "tree_path_dependent")

_SUM_ERROR = 1e-4
# Rows on which the origin of transformed columns is checked.
_CHECKED_ROWS = 32
# Rows on which a backend is tried at fit; `explain` checks every row.
_TRIED_ROWS = 16


class NoBackendError(ValueError):
    """A backend does not work for a model; the message says why."""


def import_shap() -> Any:
    """Return shap."""
    return import_optional("shap", used_by="ShapExplainer", install="skresp[shap]")


@dataclass(frozen=True, kw_only=True)
class NativeBackend:
    """Explains a linear model by its coefficients, or trees by their nodes.

    Attributes
    ----------
    algorithm : {"linear", "tree"}
    steps : tuple of transformers
        Those before the final estimator.
    model : estimator
        The final estimator.
    origins : array of int
        For each input column of the final estimator, the column of the table that it
        comes from.
    width : int
        The number of columns of the table.
    options : mapping
        `shap_kwargs`.
    background : array or None
        Background rows as inputs of the final estimator; None if path dependent.
    base : array of shape (n_outputs,)
        The mean output over the background.
    column : int
        The output that is explained.
    sign : float
        -1 if a lower output is nearer to the target.
    unit : str
        What contributions add up to, in words.
    """

    algorithm: str
    steps: tuple[Any, ...]
    model: Any
    origins: IndexArray
    width: int
    options: Mapping[str, Any]
    background: Any = None
    base: Any = None
    column: int = 0
    sign: float = 1.0
    unit: str = ""

    def __getstate__(self) -> dict[str, Any]:
        # Shap's own object does not always pickle; it is made again when needed.
        return {k: v for k, v in self.__dict__.items() if k != "_explainer"}

    @property
    def path_dependent(self) -> bool:
        """Whether the trees' own counts are used instead of a background."""
        kind = self.options.get("feature_perturbation")
        return self.algorithm == "tree" and kind == "tree_path_dependent"

    @cached_property
    def _explainer(self) -> tuple[Any, Any]:
        """Shap's own object, and the function that prepares rows for it."""
        shap = import_shap()
        init_options = {k: v for k, v in self.options.items() if k in _INIT_OPTIONS}
        if self.path_dependent:
            return shap.TreeExplainer(self.model, **init_options), _as_given_or_matrix
        # Without max_samples shap would use only 100 rows.
        masker = shap.maskers.Independent(
            self.background, max_samples=len(self.background)
        )
        if self.algorithm == "linear":
            return shap.LinearExplainer(self.model, masker), _matrix
        explainer = shap.TreeExplainer(self.model, masker, **init_options)
        ranks = ThresholdRanks(explainer)
        return explainer, lambda rows: ranks(_matrix(rows))

    def transformed(self, rows: Any) -> Any:
        """Return rows as inputs of the final estimator."""
        return transform_rows(self.steps, rows)

    def own(self, seen: Any) -> FloatArray:
        """Return the final estimator's own output, in the unit that is explained."""
        if self.options.get("model_output", "raw") == "raw":
            from skresp._model._families import own_scores  # loads slowly

            return own_scores(self.model, seen)
        found = np.asarray(self.model.predict_proba(seen), dtype=float)
        return found if found.shape[1] > 2 else found[:, 1:]

    def attribute(self, rows: Any) -> tuple[FloatArray, FloatArray]:
        """Return contributions of the table's columns, and base values."""
        seen = self.transformed(rows)
        explainer, prepared = self._explainer
        if self.algorithm == "tree":
            # The sum is checked below, against the model itself.
            call_options = {k: v for k, v in self.options.items() if k == "approximate"}
            found = explainer(
                prepared(seen), check_additivity=False, **call_options
            ).values
        else:
            found = explainer.shap_values(prepared(seen))
        found = np.asarray(found, dtype=float)
        found = found[:, :, None] if found.ndim == 2 else found
        own = self.own(seen)
        if found.shape[2] == 2 and own.shape[1] == 1:
            found = found[:, :, 1:]
        if found.shape[2] != own.shape[1]:
            raise NoBackendError(
                f"shap explains {found.shape[2]} outputs of {self._name}, but it has "
                f"{own.shape[1]}"
            )
        base = self.base
        if self.path_dependent:
            base = np.atleast_1d(np.asarray(explainer.expected_value))
            base = base[-own.shape[1] :].astype(float)
        mine = found[:, :, self.column]
        if self.algorithm == "linear" or self.options.get("check_additivity", True):
            self._check(mine.sum(axis=1) + base[self.column], own[:, self.column])
        values = np.zeros((len(mine), self.width))
        np.add.at(values.T, self.origins, mine.T)
        return self.sign * values, np.full(len(mine), self.sign * base[self.column])

    def _check(self, total: FloatArray, own: FloatArray) -> None:
        """Raise if base and contributions do not add up to the model's output."""
        off = np.abs(total - own) / np.maximum(1.0, np.abs(own))
        if len(off) and off.max() > _SUM_ERROR:
            worst = int(off.argmax())
            raise NoBackendError(
                f"shap's values for {self._name} do not add up: base and contributions "
                f"give {total[worst]:.6g}, but the model's output is {own[worst]:.6g}"
            )

    @property
    def _name(self) -> str:
        return type(self.model).__name__


def _as_given_or_matrix(rows: Any) -> Any:
    """Return rows unchanged if they have labels, otherwise as a matrix."""
    kinds = getattr(rows, "dtypes", None)
    if kinds is not None and not all(getattr(k, "kind", "O") in "buif" for k in kinds):
        return rows
    return _matrix(rows)


def _matrix(rows: Any) -> FloatArray:
    """Return rows as a dense matrix of floats."""
    table = rows.toarray() if hasattr(rows, "toarray") else rows
    if hasattr(table, "to_numpy") and not isinstance(table, np.ndarray):
        table = table.to_numpy()
    try:
        return np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise NoBackendError("the estimator takes labels, not only numbers") from None


def native_backend(
    target_rule: TargetRule,
    numeric_rows: NumericRows,
    options: Mapping[str, Any],
    algorithm: str,
) -> NativeBackend:
    """Return a backend for the coefficients or the trees of a model.

    Raises NoBackendError if that does not work. `numeric_rows` has the background.
    """
    try:
        return _native_backend(target_rule, numeric_rows, options, algorithm)
    except (MemoryError, NoBackendError):
        raise
    except Exception as error:  # shap refuses models in many ways
        reason = str(error).strip().split("\n")[0]
        raise NoBackendError(f"shap does not support it: {reason}") from error


def _native_backend(
    target_rule: TargetRule,
    numeric_rows: NumericRows,
    options: Mapping[str, Any],
    algorithm: str,
) -> NativeBackend:
    parts = unwrap(target_rule.model)
    steps, model = parts.steps, parts.final
    width = numeric_rows.background.shape[1]
    origins = column_origins(list(steps), width)
    if origins is None:
        raise NoBackendError("a step before the estimator mixes columns")
    if algorithm == "linear" and not hasattr(model, "coef_"):
        raise NoBackendError(f"{type(model).__name__} has no coefficients")
    rows = numeric_rows.rows(numeric_rows.background)
    draft = NativeBackend(
        algorithm=algorithm,
        steps=steps,
        model=model,
        origins=origins,
        width=width,
        options=options,
    )
    seen = draft.transformed(rows)
    if len(origins) != seen.shape[1] or not _origins_hold(draft, numeric_rows):
        raise NoBackendError("a step before the estimator mixes columns")
    own = draft.own(seen)
    column, sign = _explained_output(target_rule, own.shape[1])
    found = replace(
        draft,
        background=None if draft.path_dependent else _matrix(seen),
        # The mean by definition; shap's own value lacks the initial score of some
        # libraries.
        base=own.mean(axis=0),
        column=column,
        sign=sign,
        unit=_unit(target_rule, model, options, own.shape[1]),
    )
    few = np.linspace(0, len(numeric_rows.background) - 1, _TRIED_ROWS).astype(np.intp)
    some = numeric_rows.background[np.unique(few)]
    found.attribute(numeric_rows.rows(some))  # raises if the sum is not the output
    return found


def _explained_output(target_rule: TargetRule, outputs: int) -> tuple[int, float]:
    """Return the output that is explained, and -1.0 where a lower one is better."""
    classes = classes_of(target_rule.model)
    if classes is None:
        if outputs != 1:
            raise NoBackendError("it has several outputs")
        return 0, sign_of(target_rule)
    if outputs == len(classes) > 1:
        return class_position(target_rule.model, target_rule.target), 1.0
    if outputs == 1 and len(classes) == 2:
        return 0, sign_of(target_rule)
    raise NoBackendError(f"it has {outputs} outputs for {len(classes)} classes")


def _origins_hold(backend: NativeBackend, numeric_rows: NumericRows) -> bool:
    """Return whether a change of a column of the table changes only its own outputs."""
    codes = numeric_rows.background[:_CHECKED_ROWS]
    if not backend.steps or len(codes) < 2:
        return True
    before = _matrix(backend.transformed(numeric_rows.rows(codes)))
    for j in range(codes.shape[1]):
        mixed = codes.copy()
        mixed[:, j] = np.roll(mixed[:, j], 1)
        after = _matrix(backend.transformed(numeric_rows.rows(mixed)))
        same = (before == after) | (np.isnan(before) & np.isnan(after))
        if (~same).any(axis=0)[backend.origins != j].any():
            return False
    return True


def _unit(
    target_rule: TargetRule,
    model: Any,
    options: Mapping[str, Any],
    outputs: int,
) -> str:
    """Return what contributions add up to, in words."""
    classes = classes_of(target_rule.model)
    if classes is None:
        return "minus the prediction" if sign_of(target_rule) < 0 else "the prediction"
    from skresp._model._families import prediction_link  # loads slowly

    link = prediction_link(model)
    if options.get("model_output", "raw") != "raw":
        link = "probability"
    if link == "logit" and outputs == 1:
        return f"the log odds of {target_rule.target}"
    if link == "probability":
        return f"the probability of {target_rule.target}"
    return f"the score of {target_rule.target}"


@dataclass(frozen=True)
class ModelAgnosticBackend:
    """Explains a black box, evaluated at people mixed with background rows."""

    model: NumericModel
    algorithm: str
    options: Mapping[str, Any]

    def attribute(self, person: int, seed: int) -> tuple[FloatArray, float]:
        """Return the contributions and the base value for a person."""
        shap = import_shap()
        rows = self.model.numeric_rows
        n_rows, n_columns = rows.background.shape
        masker = shap.maskers.Independent(rows.background, max_samples=n_rows)
        call_options: dict[str, Any] = {"silent": True}
        if self.algorithm == "permutation":
            call_options["max_evals"] = max(500, 2 * n_columns + 1)
        call_options |= {k: v for k, v in self.options.items() if k in _CALL_OPTIONS}
        with global_seed(seed):
            if self.algorithm == "exact":
                explainer = shap.ExactExplainer(self.model, masker)
            else:
                explainer = shap.PermutationExplainer(self.model, masker, seed=seed)
            found = explainer(rows.people[person : person + 1], **call_options)
        return found.values[0], float(np.ravel(found.base_values)[0])
