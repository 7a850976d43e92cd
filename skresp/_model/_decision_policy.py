"""A classifier with rules that decide before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skresp._column_names import check_not_numbered, column_names
from skresp._dataframe import as_table, take_rows
from skresp._typing import FloatArray, IndexArray

from ._policy_rules import first_matches, outcome_positions, parse_rules, positions_of

# The decision function where a rule decides: beyond the scores of all models.
_CERTAIN = 1e100


def _model_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        getattr(self._model, method)
        return True

    return check


class DecisionPolicy(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with rules that decide before it.

    The first rule that matches a row decides. The model decides where no rule matches.

    Parameters
    ----------
    estimator : classifier
        The model that decides where no rule matches. `fit(X, y)` trains a clone of it.
        A fitted one can be used without `fit`.
    rules : list of (conditions, outcome)
        The conditions are a list of triples `(feature, op, value)` that must all hold,
        as in `IfThen`: `op` is one of "<=", ">=", "==", "!=" and "in"; for "in" the
        value is a list. One triple may stand alone. A condition on a missing value does
        not hold. The features are columns of X; those of an array are "x0", "x1", and
        so on. The outcome is one of the classes.

    Attributes
    ----------
    estimator_ : classifier
        The fitted model.
    classes_ : array
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the model has them.

    Notes
    -----
    Where a rule decides, `predict_proba` is 1 for its outcome, and `decision_function`
    is far beyond the scores of the model. So a threshold applies to the model only.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import DecisionPolicy
    >>> X = pd.DataFrame({"income": [1, 2, 3, 4, 5, 6], "defaults": [0, 0, 0, 0, 0, 0]})
    >>> rules = [([("defaults", ">=", 1), ("income", "<=", 9)], 0)]
    >>> policy = DecisionPolicy(LogisticRegression(), rules)
    >>> policy = policy.fit(X, [0, 0, 0, 1, 1, 1])
    >>> people = pd.DataFrame({"income": [2, 6, 6], "defaults": [0, 0, 1]})
    >>> policy.predict(people)
    array([0, 1, 0])
    """

    def __init__(self, estimator: Any, rules: Any) -> None:
        self.estimator = estimator
        self.rules = rules

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : frame or array
        y : array-like
            Labels.
        **params : dict
            Passed to the model's `fit`.

        Returns
        -------
        self
        """
        rules, table = parse_rules(self.rules), as_table(X)
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "fit", **params).estimator.fit
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        outcome_positions(rules, self.classes_)
        positions_of(rules, self._names(table))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the outcome of the first rule that matches, else the prediction.

        Parameters
        ----------
        X : frame or array

        Returns
        -------
        array of shape (n_rows,)
        """
        outcome = self._outcomes(X)
        labels = self.classes_[np.maximum(outcome, 0)]
        undecided = np.flatnonzero(outcome < 0)
        if len(undecided):
            predicted = np.asarray(self._model.predict(_rows(X, undecided)))
            labels = labels.astype(np.result_type(labels, predicted))
            labels[undecided] = predicted.reshape(-1)
        return labels

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities: 1 for the outcome of a rule, else the model's.

        Parameters
        ----------
        X : frame or array

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        outcome = self._outcomes(X)
        out = np.zeros((len(outcome), len(self.classes_)))
        decided = np.flatnonzero(outcome >= 0)
        out[decided, outcome[decided]] = 1.0
        undecided = np.flatnonzero(outcome < 0)
        if len(undecided):
            out[undecided] = self._model.predict_proba(_rows(X, undecided))
        return out

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Return the model's decision function; far beyond it where a rule decides.

        Parameters
        ----------
        X : frame or array

        Returns
        -------
        array of shape (n_rows,) for two classes, else (n_rows, n_classes)
        """
        outcome = self._outcomes(X)
        two = len(self.classes_) == 2
        chosen = outcome[:, None] == np.arange(len(self.classes_))
        out = np.where(chosen, _CERTAIN, -_CERTAIN)
        if two:
            out = out[:, 1]
        undecided = np.flatnonzero(outcome < 0)
        if len(undecided):
            out[undecided] = self._model.decision_function(_rows(X, undecided))
        return out

    def _outcomes(self, X: Any) -> IndexArray:
        """Return for each row the class that a rule decides; -1 where none matches."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises
        rules, table = parse_rules(self.rules), as_table(X)
        outcomes = np.array([*outcome_positions(rules, self.classes_), -1])
        position = positions_of(rules, self._names(table))
        return outcomes[first_matches(rules, table, position)]

    def _names(self, table: Any) -> list[str]:
        """Return the names of the columns of a table."""
        names = column_names(table)
        if names is None:
            known = getattr(self, "feature_names_in_", ())
            check_not_numbered(table, list(map(str, known)), "the model")
            names = [str(name) for name in known]
        if len(names) != table.shape[1]:
            names = [f"x{i}" for i in range(table.shape[1])]
        return names

    @property
    def _model(self) -> Any:
        """The fitted model; before `fit` the one that was given."""
        return getattr(self, "estimator_", self.estimator)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the model."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError("DecisionPolicy has classes_ after fit only.")
        if not hasattr(self._model, "classes_"):
            raise TypeError(
                f"DecisionPolicy requires a classifier with classes_, got "
                f"{type(self._model).__name__}."
            )
        return np.asarray(self._model.classes_)

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the model."""
        return int(self._model.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns of the model."""
        return np.asarray(self._model.feature_names_in_)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the policy was fitted, or its model was before."""
        if hasattr(self, "estimator_"):
            return True
        try:
            check_is_fitted(self.estimator)
        except (NotFittedError, TypeError):
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_model = get_tags(self.estimator)
        tags.classifier_tags = of_model.classifier_tags
        tags.target_tags = of_model.target_tags
        tags.input_tags = of_model.input_tags
        tags.input_tags.sparse = False
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing: all metadata of `fit` goes to the model.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=type(self).__name__).add(
            estimator=self.estimator, method_mapping=mapping
        )


def _rows(X: Any, rows: IndexArray) -> Any:
    """Return some rows of X, or X itself where they are all of its rows."""
    table = as_table(X)
    return X if len(rows) == table.shape[0] else take_rows(table, rows)
