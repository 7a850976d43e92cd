"""The registry of model families that can be read.

To add a family, write a reader and add an entry to `FAMILIES`. A reader gets a final
estimator and the steps before it, and returns a `Reading`, or raises UnreadableError.
To add a library of trees, see `trees/__init__.py`; to add a step, `steps/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from skresp._model.composites._adaboost import read_adaboost
from skresp._model.composites._bagging import read_bagging, read_bagging_regressor
from skresp._model.composites._calibrated import read_calibrated
from skresp._model.composites._one_vs_rest import read_one_vs_rest
from skresp._model.composites._policy import read_policy
from skresp._model.composites._stacking import read_stacking
from skresp._model.composites._transformed_target import read_transformed_target
from skresp._model.composites._voting import read_voting, read_voting_regressor
from skresp._model.trees._catboost import CATBOOST
from skresp._model.trees._library import TreeLibrary
from skresp._model.trees._lightgbm import LIGHTGBM
from skresp._model.trees._sklearn import SKLEARN_TREES
from skresp._model.trees._xgboost import XGBOOST
from skresp._typing import FloatArray

from ._class_names import package_of
from ._explainable_boosting import read_explainable_boosting
from ._linear import LINEAR_MODELS, read_linear_model
from ._linear import prediction_link as linear_link
from ._links import PredictionLink
from ._naive_bayes import read_naive_bayes
from ._predictions import default_scores
from ._reading import Reading
from ._unreadable import UnreadableError
from ._unwrap import unwrap

Reader = Callable[[Any, tuple[Any, ...]], Reading]


class Family(NamedTuple):
    """Models that one reader reads.

    Attributes
    ----------
    package : str
        The package of the models; it is not imported.
    classes : collection of str
        Names of classes; a subclass is read too, unless it predicts differently.
    read : callable
        Takes a final estimator and the steps before it, and returns a `Reading`.
    own_scores : callable
        See `TreeLibrary`.
    prediction_link : callable
        See `TreeLibrary`.
    """

    package: str
    classes: Collection[str]
    read: Reader
    own_scores: Callable[[Any, Any], FloatArray] = default_scores
    prediction_link: Callable[[Any], PredictionLink | None] = lambda model: None


def _with_members(read: Callable[..., Reading]) -> Reader:
    """Return the reader of a model that is made of other models."""

    def read_with_members(model: Any, steps: tuple[Any, ...]) -> Reading:
        def read_member(member: Any, steps: tuple[Any, ...]) -> Reading:
            try:
                return read_model(member, steps)
            except UnreadableError as error:
                reason = f"Inside {type(model).__name__}: {error}"
                raise UnreadableError(reason) from error

        return read(model, steps, read_member)

    return read_with_members


FAMILIES: tuple[Family | TreeLibrary, ...] = (
    Family("sklearn", LINEAR_MODELS, read_linear_model, prediction_link=linear_link),
    SKLEARN_TREES,
    XGBOOST,
    LIGHTGBM,
    CATBOOST,
    Family("interpret", ("EBMModel",), read_explainable_boosting),
    Family("sklearn", ("GaussianNB",), read_naive_bayes),
    Family("sklearn", ("CalibratedClassifierCV",), _with_members(read_calibrated)),
    Family("sklearn", ("VotingClassifier",), _with_members(read_voting)),
    Family("sklearn", ("VotingRegressor",), _with_members(read_voting_regressor)),
    Family("sklearn", ("BaggingClassifier",), _with_members(read_bagging)),
    Family("sklearn", ("BaggingRegressor",), _with_members(read_bagging_regressor)),
    Family("sklearn", ("AdaBoostClassifier",), read_adaboost),
    Family("sklearn", ("StackingClassifier",), _with_members(read_stacking)),
    Family("sklearn", ("StackingRegressor",), _with_members(read_stacking)),
    Family("sklearn", ("OneVsRestClassifier",), _with_members(read_one_vs_rest)),
    Family(
        "sklearn",
        ("TransformedTargetRegressor",),
        _with_members(read_transformed_target),
    ),
    Family("skresp", ("DecisionPolicy",), _with_members(read_policy)),
)


#: The packages whose prediction methods are known.
_PACKAGES = {"imblearn", *(family.package for family in FAMILIES)}
_PREDICTION_METHODS = ("predict", "predict_proba", "decision_function")


def family_of(model: Any) -> Family | TreeLibrary | None:
    """Return the family of a model, or of its nearest base class; None if unknown."""
    for kind in type(model).__mro__:
        for family in FAMILIES:
            if package_of(kind) == family.package and kind.__name__ in family.classes:
                return family
    return None


def own_scores(model: Any, X: Any) -> FloatArray:
    """Return the scores of a model before any link, of shape (n_rows, n_outputs)."""
    family = family_of(model)
    return (default_scores if family is None else family.own_scores)(model, X)


def prediction_link(model: Any) -> PredictionLink | None:
    """Return how predictions follow from `own_scores`; None where that is not known."""
    family = family_of(model)
    return None if family is None else family.prediction_link(model)


def read_model(model: Any, steps: tuple[Any, ...] = ()) -> Reading:
    """Read a model, or a pipeline, behind some steps."""
    parts = unwrap(model)
    for each in parts.models:
        if _predicts_differently(each):
            raise UnreadableError(
                f"{type(each).__name__} replaces the prediction methods of its base "
                f"class, so its structure does not say what it predicts."
            )
    family = family_of(parts.final)
    if family is None:
        name = type(parts.final).__name__
        raise UnreadableError(
            f"{name} is not among the models that are read: trees, boosting, linear "
            f"models, naive Bayes, and averaged, calibrated or stacked ones."
        )
    return family.read(parts.final, (*steps, *parts.steps))


def _predicts_differently(model: Any) -> bool:
    """Return whether a model replaces the prediction methods of its library.

    Such a model (a subclass, a namesake or a patched instance) cannot be read from its
    trees or coefficients.
    """
    if any(name in getattr(model, "__dict__", ()) for name in _PREDICTION_METHODS):
        return True
    for kind in type(model).__mro__:
        if package_of(kind) in _PACKAGES:
            return False
        if any(name in vars(kind) for name in _PREDICTION_METHODS):
            return True
    return False
