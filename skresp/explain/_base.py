"""What every explainer shares: it wraps a model and can stand where the model stood."""

from __future__ import annotations

import warnings
from typing import Any

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

from skresp.actions import ActionSet, as_table, spread
from skresp.scores import Dress, Goal, Wardrobe, target_warning

# Rows of the fit on which the model's answers are checked.
_CHECKED_ROWS = 64


def _model_has(method: str) -> Any:
    def check(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class BaseExplainer(
    OneToOneFeatureMixin, TransformerMixin, MetaEstimatorMixin, BaseEstimator
):
    """Fits or takes a model, explains it, and predicts as it does.

    A subclass has the parameter `estimator`, extends `fit` and says `explain`.
    """

    dress_: Dress
    goal_: Goal
    target: Any

    def _fit_model(self, X: Any, y: Any, params: dict[str, Any]) -> None:
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
        # Frames keep their dtypes: the model has checked, or will check, the values.
        validate_data(self, X, skip_check_array=True)

    def _check_model_is_fitted(self) -> None:
        model = self.estimator
        if not hasattr(model, "predict"):
            raise TypeError(f"estimator must be a model with predict, got {model!r}.")
        tells = isinstance(model, BaseEstimator) or hasattr(
            type(model), "__sklearn_is_fitted__"
        )
        if not tells:
            return  # a bare predictor; whether it is fitted its predict will say
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
        """Name the class that is taken for the target where none is given."""
        if self.target is None and self.goal_.target is not None:
            message = target_warning(self.goal_.target, self.estimator_.classes_)
            warnings.warn(message, UserWarning, stacklevel=3)

    def _check_model_answers(self, table: Any, features: ActionSet) -> None:
        """Raise where the model's answers about rows of the fit are broken.

        `features` are the columns of the model.
        """
        if not len(table):
            return
        places = np.linspace(0, len(table) - 1, min(_CHECKED_ROWS, len(table)))
        some = spread(self.dress_.named(table), places.astype(np.intp))
        wardrobe = Wardrobe(self.dress_, features, some)
        self.goal_.check(wardrobe.take(np.arange(len(places)), []))

    # -- explaining -----------------------------------------------------------------

    def explain(self, X: Any) -> Any:
        """The explanation of each row."""
        raise NotImplementedError  # pragma: no cover

    def transform(self, X: Any) -> NDArray[Any]:
        """The scores, one row a person and one column a feature."""
        check_is_fitted(self, "estimator_")
        validate_data(self, as_table(X), reset=False, skip_check_array=True)
        return self.explain(X).values

    # -- standing in for the model ----------------------------------------------------

    def _ask_model(self, method: str, X: Any, *args: Any, **params: Any) -> Any:
        check_is_fitted(self, "estimator_")
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, method, **params).estimator
            params = routed[method]
        return getattr(self.estimator_, method)(X, *args, **params)

    @available_if(_model_has("predict"))
    def predict(self, X: Any, **params: Any) -> Any:
        """What the model predicts."""
        return self._ask_model("predict", X, **params)

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """The model's class probabilities."""
        return self._ask_model("predict_proba", X, **params)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> Any:
        """The model's decision function."""
        return self._ask_model("decision_function", X, **params)

    @available_if(_model_has("score"))
    def score(self, X: Any, y: Any = None, **params: Any) -> Any:
        """The model's own score."""
        return self._ask_model("score", X, y, **params)

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
            return tags  # a bare predictor says nothing about itself
        of_model = get_tags(self.estimator)  # made anew at each call
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
        """Which metadata goes to the model, and for what."""
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
