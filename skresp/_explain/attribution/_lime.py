"""The explainer that computes LIME weights."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from skresp._actions._action_set import ActionSet
from skresp._dataframe import take_rows
from skresp._optional import import_optional
from skresp._text import quote, quote_names
from skresp._typing import FloatArray
from skresp._validation import check_integer, check_mapping

from ._base import AttributionExplainer
from ._numeric_rows import ArrayTable, NumericModel, NumericRows

# Arguments of lime that the explainer sets itself.
_RESERVED = (
    "self",
    "training_data",
    "mode",
    "feature_names",
    "categorical_names",
    "random_state",
    "data_row",
    "predict_fn",
    "labels",
    "top_labels",
    "num_samples",
)


def import_lime() -> Any:
    """Return the module of lime for tables."""
    return import_optional(
        "lime.lime_tabular", used_by="LimeExplainer", install="skresp[lime]"
    )


class LimeExplainer(AttributionExplainer):
    """Explain predictions by LIME weights, in the columns of X.

    Weights are those of a linear model of the target's probability around the person:
    for a column of numbers per standard deviation, for a column of labels for having
    the person's label. All features have a weight and numbers are not discretized,
    unless `lime_kwargs` says so. A positive weight pushes towards the target. For a
    classifier without probabilities its score is explained, for a regressor its
    prediction (minus the prediction if the target is `AtMost`).

    Parameters
    ----------
    estimator : estimator
        Any model with `predict`. `fit(X, y)` trains a clone of it; `fit(X)` requires a
        fitted model and uses it unchanged.
    action_set : ActionSet, optional
        If given, the weights of features that nobody can act on are set to 0.
    target : label, AtLeast or AtMost, optional
        The wanted prediction; by default the last of the model's classes, and a
        warning names it. A regressor does not require one.
    num_samples : int, default=1000
        Points drawn around each person.
    per_person : bool, default=False
        Whether to set the weights of features that this person cannot move to 0 as
        well.
    random_state : int, RandomState or None
        Makes weights reproducible, independent of row order and of the other rows; see
        `row_seeds`.
    n_jobs : int, optional
        Number of joblib processes.
    lime_kwargs : dict, optional
        Arguments of `lime.lime_tabular.LimeTabularExplainer` (`kernel_width`,
        `discretize_continuous`, `feature_selection`, `categorical_features` by name
        or position, ...) and of its `explain_instance` (`num_features`,
        `distance_metric`, `model_regressor`).
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    estimator_ : estimator
        The model that is explained.
    target_ : label, AtLeast, AtMost or None
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X had column names at fit.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import LimeExplainer
    >>> X = pd.DataFrame({"income": [1, 2, 3, 4], "age": [30, 50, 20, 40]})
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 1])
    >>> explainer = LimeExplainer(model, target=1, random_state=0).fit(X)
    >>> explanation = explainer.explain(X[:2])
    >>> explanation.top(1)[["row", "feature"]]
       row feature
    0    0     age
    1    1     age
    """

    _method = "lime"

    def __init__(
        self,
        estimator: Any,
        action_set: ActionSet | None = None,
        *,
        target: Any = None,
        num_samples: int = 1000,
        per_person: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        lime_kwargs: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            action_set,
            target=target,
            per_person=per_person,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.num_samples = num_samples
        self.lime_kwargs = lime_kwargs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # lime draws numbers around means
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._arguments()
        check_integer("num_samples", self.num_samples, 2)

    def _arguments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments of lime's constructor, and those of its call."""
        lime = import_lime().LimeTabularExplainer
        init_options = {"discretize_continuous": False, "feature_selection": "none"}
        call_options: dict[str, Any] = {}
        check_mapping("lime_kwargs", self.lime_kwargs or {}, "from option to value")
        for key, value in (self.lime_kwargs or {}).items():
            if key in _RESERVED:
                raise ValueError(
                    f"lime_kwargs must not have {quote(key)}, which LimeExplainer sets "
                    f"itself. See its parameters num_samples, target and random_state."
                )
            if key in inspect.signature(lime.__init__).parameters:
                init_options[key] = value
            elif key in inspect.signature(lime.explain_instance).parameters:
                call_options[key] = value
            else:
                raise ValueError(
                    f"lime_kwargs must have arguments of LimeTabularExplainer or of "
                    f"its explain_instance, got {quote(key)}."
                )
        return init_options, call_options

    def _prepare(self, table: Any) -> None:
        init_options, _ = self._arguments()
        named = [
            self._column_position(c)
            for c in init_options.get("categorical_features") or ()
        ]
        self._lime_labels = tuple(sorted({*self._label_columns, *named}))
        numeric_rows = NumericRows(
            self._input_format, table, table[:0], self._lime_labels
        )
        self._check_numbers(numeric_rows.background)
        self._training = numeric_rows.background
        # One row per label, from which rows for the model are built.
        examples = {0} if len(table) else set()
        for i in self._lime_labels:
            examples |= set(
                np.unique(numeric_rows.background[:, i], return_index=True)[1].tolist()
            )
        rows = np.array(sorted(examples), dtype=np.intp)
        self._examples = ArrayTable.of(self._input_format, take_rows(table, rows))
        self._set_output(numeric_rows)

    def _column_position(self, column: Any) -> int:
        names = self._input_format.names
        if isinstance(column, str) and column in names:
            return names.index(column)
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            return int(column)
        raise ValueError(
            f"lime_kwargs['categorical_features'] must have names or positions of "
            f"columns, got {quote(column)}. The columns are {quote_names(names)}."
        )

    def _check_numbers(self, codes: FloatArray) -> None:
        """Raise if a column has missing or infinite values."""
        gone = np.flatnonzero(~np.isfinite(codes).all(axis=0))
        if len(gone):
            name = self._input_format.names[gone[0]]
            raise ValueError(
                f"LIME requires finite numbers, and the column {quote(name)} has "
                f"missing (NaN) or infinite values. Fill them in, or explain with "
                f"ShapExplainer."
            )

    def _attribute(self, people: Any, keys: Any) -> tuple[FloatArray, FloatArray, bool]:
        numeric_rows = NumericRows(
            self._input_format,
            self._examples.frame(),
            people,
            self._lime_labels,
            fractions=True,
        )
        self._check_numbers(numeric_rows.people)
        init_options, call_options = self._arguments()
        backend = LimeBackend(
            model=NumericModel(self._output, numeric_rows),
            training=self._training,
            names=self._input_format.names,
            labels=self._lime_labels,
            num_samples=self.num_samples,
            init_options=init_options,
            call_options=call_options,
        )
        return *self._attribute_people(backend.attribute, keys), False


@dataclass(frozen=True, kw_only=True)
class LimeBackend:
    """Calls lime for one person at a time.

    Attributes
    ----------
    model : NumericModel
        Its rows are some with every label, and the people.
    training : array of shape (n_rows, n_columns)
        The rows of the fit, as numbers.
    names : tuple of str
    labels : tuple of int
        Positions of the columns of labels.
    num_samples : int
    init_options, call_options : mapping
        Arguments of lime's constructor and of its call.
    """

    model: NumericModel
    training: FloatArray
    names: tuple[str, ...]
    labels: tuple[int, ...]
    num_samples: int
    init_options: Mapping[str, Any]
    call_options: Mapping[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        # Lime's own object does not pickle; it is made again when needed.
        return {k: v for k, v in self.__dict__.items() if k != "_lime"}

    @cached_property
    def _lime(self) -> Any:
        return import_lime().LimeTabularExplainer(
            self.training,
            **{
                **self.init_options,
                "mode": "regression",
                "feature_names": list(self.names),
                "categorical_features": list(self.labels),
                "categorical_names": {
                    i: [str(v) for v in labels]
                    for i, labels in self.model.numeric_rows.names.items()
                },
                "random_state": 0,
            },
        )

    def _seeded(self, seed: int) -> Any:
        """Return a copy of lime's object with this seed, cheaper than a new one."""
        lime = copy.copy(self._lime)
        lime.random_state = np.random.RandomState(seed)
        lime.base = copy.copy(lime.base)
        lime.base.random_state = lime.random_state
        if lime.discretizer is not None:
            lime.discretizer = copy.copy(lime.discretizer)
            lime.discretizer.random_state = lime.random_state
        return lime

    def attribute(self, person: int, seed: int) -> tuple[FloatArray, float]:
        """Return the weights and the intercept for a person."""
        call_options = {"num_features": len(self.names), **self.call_options}
        if call_options.get("model_regressor") is not None:
            call_options["model_regressor"] = clone(call_options["model_regressor"])
        found = self._seeded(seed).explain_instance(
            self.model.numeric_rows.people[person],
            self.model,
            num_samples=self.num_samples,
            **call_options,
        )
        values = np.zeros(len(self.names))
        # In its regression mode lime stores weights and intercept under the key 1.
        for j, weight in found.local_exp[1]:
            values[j] = weight
        return values, float(np.ravel(found.intercept[1])[0])
