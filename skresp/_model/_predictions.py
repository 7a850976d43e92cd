"""Call a model and check what it returns.

A missing prediction, a label that is not a class or an array of the wrong shape would
otherwise count as "target not reached": a score of 0, a person without recourse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.frozen import FrozenEstimator

from skresp._text import quote, quote_all
from skresp._typing import BoolArray, FloatArray

from ._class_names import is_sklearn

# How far a probability may leave [0, 1] by rounding, also in float32.
_ROUNDING = 1e-5


class ModelOutputError(ValueError):
    """A model returned something that is not a prediction."""


def predicted(model: Any, X: Any) -> NDArray[Any]:
    """Return the predictions of a model, one for each row, none of them missing."""
    predictions = _one_per_row(model, X)
    if predictions.dtype.kind not in "biuSU":
        missing = np.asarray(pd.isna(predictions))
        if missing.any():
            raise ModelOutputError(
                f"{model_name(model)}.predict returned no prediction (NaN or None) for "
                f"{int(missing.sum())} of {len(missing)} rows. {_REMEDY}"
            )
    return predictions


def predicts_label(
    model: Any, X: Any, label: Any, classes: NDArray[Any] | None
) -> BoolArray:
    """Return for which rows a model predicts a label.

    Parameters
    ----------
    model : fitted model
    X : table in the model's input format
    label : one of the classes
    classes : array or None
        All labels that the model may return, where they are known.
    """
    if classes is None:
        return np.asarray(predicted(model, X) == label, dtype=bool)
    labels = _one_per_row(model, X)
    try:
        same = np.asarray(labels == label, dtype=bool)
        # Text is slow to compare, so only labels not yet recognised are compared.
        rest = labels[~same]
        for other in classes:
            if not len(rest):
                return same
            rest = rest[np.asarray(rest != other, dtype=bool)]
    except TypeError:  # pd.NA cannot be compared
        rest = labels[np.asarray(pd.isna(labels))]
    if len(rest):
        raise _not_a_class(model, rest, len(labels), classes)
    return same


def predicted_numbers(model: Any, X: Any) -> FloatArray:
    """Return the predictions of a regressor as finite floats, one per row."""
    return _finite(model, "predict", _one_per_row(model, X))


def probabilities(model: Any, X: Any, n_classes: int) -> FloatArray:
    """Return the class probabilities of a model, of shape (n_rows, n_classes)."""
    raw = np.asarray(model.predict_proba(X))
    _check_probability_shape(model, raw, X, n_classes)
    values = _finite(model, "predict_proba", raw)
    if values.size and not (
        values.min() >= -_ROUNDING and values.max() <= 1 + _ROUNDING
    ):
        worst = values.flat[np.abs(values - 0.5).argmax()]
        raise ModelOutputError(
            f"{model_name(model)}.predict_proba returned {worst:g}, which is not a "
            f"probability between 0 and 1. {_REMEDY}"
        )
    return values


def _check_probability_shape(
    model: Any, raw: NDArray[Any], X: Any, n_classes: int
) -> None:
    if raw.shape != (X.shape[0], n_classes):
        wanted = f"{n_classes} probabilities for each of {_rows(X)}"
        raise _wrong_shape(model, "predict_proba", raw, wanted)


def model_scores(model: Any, method: str, X: Any, **options: Any) -> FloatArray:
    """Return the result of a model's method as finite floats, (n_rows, n_scores)."""
    raw = _some_per_row(model, method, X, options)
    scores = _finite(model, method, raw)
    return scores[:, None] if scores.ndim == 1 else scores


def default_scores(model: Any, X: Any) -> FloatArray:
    """Return the decision function of a model, else its probabilities or predictions.

    The shape is (n_rows, n_scores).
    """
    methods = ("decision_function", "predict_proba", "predict")
    return model_scores(model, next(m for m in methods if hasattr(model, m)), X)


def check_model_scores(model: Any, X: Any, n_classes: int) -> None:
    """Raise if the scores of a classifier are NaN on some rows, or misshapen.

    `predict` of most classifiers turns a NaN of `decision_function` or
    `predict_proba` into a valid label, so `predict` alone would not show it.
    """
    for method in ("decision_function", "predict_proba"):
        if not hasattr(model, method):
            continue
        try:
            raw = _some_per_row(model, method, X, {})
        except (AttributeError, NotImplementedError):
            continue  # the method exists in name only
        if method == "predict_proba":
            _check_probability_shape(model, raw, X, n_classes)
        _finite(model, method, raw, infinite=method == "decision_function")


def classes_of(model: Any) -> Any:
    """Return the classes of a model; None for a regressor.

    CatBoost's regressors have an empty list of them.
    """
    classes = getattr(model, "classes_", None)
    if classes is not None and not len(classes) and predicts_numbers(model):
        return None
    return classes


def predicts_numbers(model: Any) -> bool:
    """Return whether a model says so; a bare predictor says nothing."""
    if getattr(model, "_estimator_type", None) == "regressor":  # XGBoost before 3
        return True
    return hasattr(model, "__sklearn_tags__") and is_regressor(model)


def class_position(model: Any, label: Any) -> int:
    """Return the position of a label among the classes of a model."""
    return int(np.flatnonzero(np.asarray(model.classes_) == label)[0])


def model_name(model: Any) -> str:
    """Return the name of a model for messages, of a pipeline with its last step."""
    if isinstance(model, FrozenEstimator):
        return model_name(model.estimator)
    if is_sklearn(model, "Pipeline"):
        return f"Pipeline(..., {model_name(model.steps[-1][1])})"
    return type(model).__name__


_REMEDY = "Correct the model, or fit it again."


def _some_per_row(
    model: Any, method: str, X: Any, options: dict[str, Any]
) -> NDArray[Any]:
    """Return the result of a method, of shape (n_rows,) or (n_rows, n_scores)."""
    result = np.asarray(getattr(model, method)(X, **options))
    if result.ndim not in (1, 2) or len(result) != X.shape[0]:
        raise _wrong_shape(model, method, result, f"scores for each of {_rows(X)}")
    return result


def _one_per_row(model: Any, X: Any) -> NDArray[Any]:
    """Return the result of `predict`, of shape (n_rows,)."""
    result = _flat(model.predict(X))
    if result.shape != (X.shape[0],):
        wanted = f"one prediction for each of {_rows(X)}"
        raise _wrong_shape(model, "predict", result, wanted)
    return result


def _flat(predictions: Any) -> NDArray[Any]:
    """Return predictions as a 1d array; some libraries return one column."""
    array = np.asarray(predictions)
    return array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array


def _not_a_class(
    model: Any, rest: NDArray[Any], n_rows: int, classes: NDArray[Any]
) -> ModelOutputError:
    value = rest[0].item() if isinstance(rest[0], np.generic) else rest[0]
    return ModelOutputError(
        f"{model_name(model)}.predict returned {quote(value)} for {len(rest)} of "
        f"{n_rows} rows, which is not among its classes_: "
        f"{quote_all(classes)}. {_REMEDY}"
    )


def _finite(
    model: Any, method: str, array: NDArray[Any], *, infinite: bool = False
) -> FloatArray:
    """Return an array as floats; raise if one is NaN or, unless allowed, infinite."""
    if array.dtype.kind not in "buifO":
        raise _not_numbers(model, method, array)
    try:
        numbers = array.astype(float, copy=False)
    except (TypeError, ValueError):
        raise _not_numbers(model, method, array) from None
    wrong = np.isnan(numbers) if infinite else ~np.isfinite(numbers)
    if wrong.any():
        rows = wrong.reshape(len(numbers), -1).any(axis=1)
        raise ModelOutputError(
            f"{model_name(model)}.{method} returned {numbers[wrong][0]} for "
            f"{int(rows.sum())} of {len(numbers)} rows, where a "
            f"{'' if infinite else 'finite '}number is expected. {_REMEDY}"
        )
    return numbers


def _not_numbers(model: Any, method: str, array: NDArray[Any]) -> ModelOutputError:
    return ModelOutputError(
        f"{model_name(model)}.{method} returned values of dtype {array.dtype}, where "
        f"numbers are expected. {_REMEDY}"
    )


def _wrong_shape(
    model: Any, method: str, array: NDArray[Any], wanted: str
) -> ModelOutputError:
    return ModelOutputError(
        f"{model_name(model)}.{method} returned an array of shape {array.shape}, where "
        f"{wanted} are expected. {_REMEDY}"
    )


def _rows(X: Any) -> str:
    return f"{X.shape[0]} row{'s' if X.shape[0] != 1 else ''}"
