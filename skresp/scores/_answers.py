"""What a model returns, checked before a score or a verdict rests on it.

A missing prediction, a label that is not a class or an array of the wrong shape would
otherwise count as "target not reached": a score of 0, a person without recourse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# How far a probability may leave [0, 1] by rounding, also in float32.
_ROUNDING = 1e-5


class ModelOutputError(ValueError):
    """A model returned something that is not a prediction."""


def predicted(model: Any, X: Any) -> NDArray[Any]:
    """Return the predictions of a model, one per row, none of them missing."""
    found = _one_per_row(model, X)
    if found.dtype.kind not in "biuSU":
        gone = np.asarray(pd.isna(found))
        if gone.any():
            raise ModelOutputError(
                f"{model_name(model)}.predict returned no prediction (NaN or None) for "
                f"{int(gone.sum())} of {len(gone)} rows. {_REMEDY}"
            )
    return found


def predicts_label(
    model: Any, X: Any, label: Any, classes: NDArray[Any] | None
) -> NDArray[np.bool_]:
    """Return for which rows a model predicts a label.

    Parameters
    ----------
    model : fitted model
    X : table that the model takes
    label : one of the classes
    classes : array or None
        All labels that the model may return, where they are known.
    """
    if classes is None:
        return np.asarray(predicted(model, X) == label, dtype=bool)
    labels = _one_per_row(model, X)
    try:
        same = np.asarray(labels == label, dtype=bool)
        # Labels of text are slow to compare, so only those that are left are.
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


def predicted_numbers(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the predictions of a regressor as finite floats, one per row."""
    return _finite(model, "predict", _one_per_row(model, X))


def probabilities(model: Any, X: Any, n_classes: int) -> NDArray[np.float64]:
    """Return the class probabilities of a model, one row per row and one column per
    class."""
    raw = np.asarray(model.predict_proba(X))
    if raw.shape != (X.shape[0], n_classes):
        wanted = f"{n_classes} probabilities for each of {_rows(X)}"
        raise _wrong_shape(model, "predict_proba", raw, wanted)
    found = _finite(model, "predict_proba", raw)
    if found.size and not (found.min() >= -_ROUNDING and found.max() <= 1 + _ROUNDING):
        worst = found.flat[np.abs(found - 0.5).argmax()]
        raise ModelOutputError(
            f"{model_name(model)}.predict_proba returned {worst:g}, which is not a "
            f"probability between 0 and 1. {_REMEDY}"
        )
    return found


def model_scores(model: Any, method: str, X: Any, **options: Any) -> Any:
    """Return what a method of a model says as finite floats, one column per score."""
    raw = _some_per_row(model, method, X, options)
    found = _finite(model, method, raw)
    return found[:, None] if found.ndim == 1 else found


def check_model_scores(model: Any, X: Any) -> None:
    """Raise where the scores of a classifier are NaN on some rows.

    `predict` of most classifiers turns a NaN of `decision_function` or
    `predict_proba` into a valid label, so that asking `predict` shows nothing.
    """
    for method in ("decision_function", "predict_proba"):
        if not hasattr(model, method):
            continue
        try:
            raw = _some_per_row(model, method, X, {})
        except (AttributeError, NotImplementedError):
            continue  # a method in name only; predict is what counts
        _finite(model, method, raw, infinite=method == "decision_function")


def flat(predictions: Any) -> NDArray[Any]:
    """Return predictions as one column; some libraries return a table of one."""
    array = np.asarray(predictions)
    return array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array


def model_name(model: Any) -> str:
    """Return the name of a model for messages; of a pipeline with its last step."""
    if type(model).__name__ == "FrozenEstimator":
        return model_name(model.estimator)
    if type(model).__name__ == "Pipeline":
        return f"Pipeline(..., {model_name(model.steps[-1][1])})"
    return type(model).__name__


_REMEDY = "Correct the model, or fit it anew."
_LIBRARIES = ("sklearn", "imblearn", "xgboost", "lightgbm", "catboost")
_METHODS = ("predict", "predict_proba", "decision_function")


def predicts_differently(model: Any) -> bool:
    """Return whether a model replaces the prediction methods of its library.

    Such a model (a subclass, a namesake or a patched instance) cannot be read from its
    trees or coefficients.
    """
    if any(name in getattr(model, "__dict__", ()) for name in _METHODS):
        return True
    for kind in type(model).__mro__:
        if kind.__module__.split(".")[0] in _LIBRARIES:
            return False
        if any(name in vars(kind) for name in _METHODS):
            return True
    return False


def _some_per_row(
    model: Any, method: str, X: Any, options: dict[str, Any]
) -> NDArray[Any]:
    found = np.asarray(getattr(model, method)(X, **options))
    if found.ndim not in (1, 2) or len(found) != X.shape[0]:
        raise _wrong_shape(model, method, found, f"scores for each of {_rows(X)}")
    return found


def _one_per_row(model: Any, X: Any) -> NDArray[Any]:
    found = flat(model.predict(X))
    if found.shape != (X.shape[0],):
        wanted = f"one prediction for each of {_rows(X)}"
        raise _wrong_shape(model, "predict", found, wanted)
    return found


def _not_a_class(
    model: Any, rest: NDArray[Any], n_rows: int, classes: NDArray[Any]
) -> ModelOutputError:
    value = rest[0].item() if isinstance(rest[0], np.generic) else rest[0]
    known = ", ".join(repr(c.item() if hasattr(c, "item") else c) for c in classes[:10])
    return ModelOutputError(
        f"{model_name(model)}.predict returned {value!r} for {len(rest)} of {n_rows} "
        f"rows, which is not among its classes_: {known}"
        f"{', ...' if len(classes) > 10 else ''}. {_REMEDY}"
    )


def _finite(
    model: Any, method: str, array: NDArray[Any], *, infinite: bool = False
) -> NDArray[np.float64]:
    """Return numbers as floats; raise where they are missing or, unless allowed,
    infinite."""
    if array.dtype.kind not in "buifO":
        raise _not_numbers(model, method, array)
    try:
        found = array.astype(float, copy=False)
    except (TypeError, ValueError):
        raise _not_numbers(model, method, array) from None
    wrong = np.isnan(found) if infinite else ~np.isfinite(found)
    if wrong.any():
        rows = wrong.reshape(len(found), -1).any(axis=1)
        raise ModelOutputError(
            f"{model_name(model)}.{method} returned {found[wrong][0]} for "
            f"{int(rows.sum())} of {len(found)} rows, where a "
            f"{'' if infinite else 'finite '}number is expected. {_REMEDY}"
        )
    return found


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
