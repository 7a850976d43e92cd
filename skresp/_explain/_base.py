"""Base class of the explainers: meta-estimators that wrap a model."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    MetaEstimatorMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from skresp._actions._action_set import ActionSet
from skresp._dataframe import as_table, take_rows
from skresp._model._fitted_model import FittedModel
from skresp._model._input_format import InputFormat
from skresp._model._target import target_warning
from skresp._text import quote
from skresp._validation import check_n_jobs, check_seed, check_verbose

from ._short_repr import ShortRepr

# Rows of the fit on which the model's answers are checked.
_CHECKED_ROWS = 64


def _model_has(method: str) -> Any:
    def check(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class BaseExplainer(
    OneToOneFeatureMixin, TransformerMixin, MetaEstimatorMixin, ShortRepr
):
    """Base class of the explainers.

    It fits the model or uses a fitted one, and passes `predict`, `predict_proba`,
    `decision_function` and `score` on to it. A subclass has the parameters `estimator`,
    `action_set` and `target`, and implements `_make_fitted_model` and `explain`.
    """

    action_set: ActionSet | None
    target: Any
    random_state: Any
    n_jobs: int | None
    verbose: int
    _fitted_model: FittedModel
    # Whether `fit` checks the model's answers to some rows.
    _checks_answers = True

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit the model; without `y`, use the fitted model that was given.

        Parameters
        ----------
        X : frame or array
            Rows like those the model was fitted on. SHAP and LIME values are relative
            to them.
        y : array-like, optional
            Labels, or numbers for a regressor.
        **params : dict
            Passed to the model's `fit`.

        Returns
        -------
        self
        """
        self._check_parameters()
        self._fit_model(X, y, params)
        table = as_table(X)
        input_format = InputFormat.of(self.estimator_, table, trained=y is not None)
        self._fitted_model = self._make_fitted_model(input_format, table)
        self.target_ = self._fitted_model.target_rule.target
        self._warn_of_target()
        if self._checks_answers:
            self._check_model_answers(table)
        self._prepare(input_format.named(table))
        return self

    def _check_parameters(self) -> None:
        """Raise for invalid parameters."""
        if self.action_set is not None and not isinstance(self.action_set, ActionSet):
            raise TypeError(
                f"action_set must be an ActionSet or None, got "
                f"{quote(self.action_set)}. Make one with ActionSet.infer(X, ...) or "
                f"ActionSet.from_file(path)."
            )
        check_n_jobs(self.n_jobs)
        check_verbose(self.verbose)
        check_seed(self.random_state)

    def _make_fitted_model(self, input_format: InputFormat, table: Any) -> FittedModel:
        """Return the model with its target; raise if the columns do not fit."""
        raise NotImplementedError  # pragma: no cover

    def _prepare(self, table: Any) -> None:
        """Set further attributes, from the rows of the fit."""

    def _fit_model(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        """Set `estimator_`: a trained clone, or without `y` the fitted model given."""
        if y is None:
            self._check_model_is_fitted()
            self.estimator_ = self.estimator
        else:
            if getattr(y, "ndim", 1) == 2:
                y = column_or_1d(y, warn=True)
            self.estimator_ = clone(self.estimator)
            if get_config()["enable_metadata_routing"]:
                params = process_routing(self, "fit", **params).estimator.fit
            self.estimator_.fit(X, y, **params)
        # The model itself checks the values; frames keep their dtypes.
        validate_data(self, X, skip_check_array=True)

    def _check_model_is_fitted(self) -> None:
        model = self.estimator
        if isinstance(model, type):
            raise TypeError(
                f"estimator must be a fitted model, got the class {model.__name__}."
            )
        if not hasattr(model, "predict"):
            raise TypeError(
                f"estimator must have a predict method, got {quote(model)}. Pass a "
                f"classifier, a regressor or a Pipeline."
            )
        checkable = isinstance(model, BaseEstimator) or hasattr(
            type(model), "__sklearn_is_fitted__"
        )
        if not checkable:
            return  # an object that only has predict does not say if it is fitted
        try:
            check_is_fitted(model)
        except NotFittedError:
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} estimator requires y to be passed, but the target y is "
                f"None, and its model, {type(model).__name__}, is not fitted. Fit the "
                f"model first and wrap it, {name}(FrozenEstimator(model), "
                f"...).fit(X), or let the explainer fit it with fit(X, y)."
            ) from None

    def _warn_of_target(self) -> None:
        """Warn with the name of the class that is used if no target was given."""
        target = self._fitted_model.target_rule.target
        if self.target is None and target is not None:
            message = target_warning(target, self.estimator_.classes_)
            warnings.warn(message, UserWarning, stacklevel=3)

    def _check_model_answers(self, table: Any) -> None:
        """Raise if the model returns invalid predictions for rows of the fit."""
        if not len(table):
            return
        model = self._fitted_model
        positions = np.linspace(0, len(table) - 1, min(_CHECKED_ROWS, len(table)))
        some = take_rows(model.input_format.named(table), positions.astype(np.intp))
        model.target_rule.check(model.rows(some))

    # -- explaining -----------------------------------------------------------------

    def explain(self, X: Any) -> Any:
        """Explain each row."""
        raise NotImplementedError  # pragma: no cover

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the scores, an array of shape (n_rows, n_features)."""
        check_is_fitted(self, "estimator_")
        validate_data(self, as_table(X), reset=False, skip_check_array=True)
        return self.explain(X).values

    # -- methods of the model ----------------------------------------------------

    def _call_model(self, method: str, X: Any, *args: Any, **params: Any) -> Any:
        check_is_fitted(self, "estimator_")
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, method, **params).estimator
            params = routed[method]
        return getattr(self.estimator_, method)(X, *args, **params)

    @available_if(_model_has("predict"))
    def predict(self, X: Any, **params: Any) -> Any:
        """Return the model's predictions."""
        return self._call_model("predict", X, **params)

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Return the model's class probabilities."""
        return self._call_model("predict_proba", X, **params)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> Any:
        """Return the model's decision function."""
        return self._call_model("decision_function", X, **params)

    @available_if(_model_has("score"))
    def score(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Return the model's own score."""
        return self._call_model("score", X, y, **params)

    @property
    def classes_(self) -> Any:
        """The classes of the model."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.classes_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if not hasattr(self.estimator, "__sklearn_tags__"):
            return tags  # an object that only has predict has no tags
        of_model = get_tags(self.estimator)  # a new object, so it may be changed
        tags.estimator_type = of_model.estimator_type
        tags.classifier_tags = of_model.classifier_tags
        tags.regressor_tags = of_model.regressor_tags
        tags.target_tags = of_model.target_tags
        tags.input_tags = of_model.input_tags
        tags.input_tags.sparse = False
        tags.target_tags.multi_output = tags.target_tags.single_output is False
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing: all metadata goes to the model."""
        mapping = MethodMapping()
        for method in (
            "fit",
            "predict",
            "predict_proba",
            "decision_function",
            "score",
        ):
            mapping.add(caller=method, callee=method)
        return MetadataRouter(owner=type(self).__name__).add(
            estimator=self.estimator, method_mapping=mapping
        )
