"""The registry of model families that can be read.

To add a family, write a reader and add a line to `FAMILIES`. A reader gets a final
estimator and the steps before it, and returns a `Reading`, or raises UnreadableError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from skresp._model.composites._adaboost import read_adaboost
from skresp._model.composites._bagging import read_bagging, read_bagging_regressor
from skresp._model.composites._calibrated import read_calibrated
from skresp._model.composites._stacking import read_stacking
from skresp._model.composites._voting import read_voting, read_voting_regressor
from skresp._model.trees._library import read_tree_model

from ._explainable_boosting import read_explainable_boosting
from ._linear import LINEAR_MODELS, read_linear_model
from ._naive_bayes import read_naive_bayes
from ._reading import Reading
from ._unreadable import UnreadableError
from ._unwrap import split_model

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
    """

    package: str
    classes: Sequence[str]
    read: Reader


def _with_members(read: Callable[..., Reading]) -> Reader:
    """Return the reader of a model that is made of other models."""
    return lambda model, steps: read(model, steps, read_model)


FAMILIES = (
    Family("sklearn", tuple(LINEAR_MODELS), read_linear_model),
    Family("sklearn", ("BaseDecisionTree", "BaseForest"), read_tree_model),
    Family("sklearn", ("BaseGradientBoosting",), read_tree_model),
    Family("sklearn", ("BaseHistGradientBoosting",), read_tree_model),
    Family("xgboost", ("XGBModel",), read_tree_model),
    Family("lightgbm", ("LGBMModel",), read_tree_model),
    Family("catboost", ("CatBoost",), read_tree_model),
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
)


def read_model(model: Any, steps: tuple[Any, ...] = ()) -> Reading:
    """Read a model, or a pipeline, behind some steps."""
    pieces = split_model(model)
    if pieces is None:
        raise UnreadableError(
            f"{type(model).__name__} replaces the prediction methods of its library."
        )
    for kind in type(pieces.final).__mro__:
        for family in FAMILIES:
            package = kind.__module__.split(".")[0]
            if package == family.package and kind.__name__ in family.classes:
                return family.read(pieces.final, (*steps, *pieces.steps))
    raise UnreadableError(f"{type(pieces.final).__name__} is not a model that is read.")
