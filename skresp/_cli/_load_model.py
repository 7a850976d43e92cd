"""Load models from files; pickles only if the user trusts them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.validation import check_is_fitted

from skresp import ActionSet, AtLeast, AtMost
from skresp._model._predictions import classes_of
from skresp._optional import import_optional
from skresp._text import quote, quote_all
from skresp._validation import did_you_mean, to_python

from ._console import BadCallError, existing_file

_PICKLES = (".joblib", ".pkl", ".pickle")
_FORMATS = (
    ".skops, .json or .ubj (XGBoost), .txt (LightGBM), or with --trust-pickle .joblib "
    "or .pkl"
)


def load_model(
    path: str, *, trust_pickle: bool = False, trusted: Sequence[str] = ()
) -> Any:
    """Return the model in a file, read by its ending."""
    file = existing_file(path, "--model")
    ending = file.suffix.lower()
    if ending in _PICKLES and not trust_pickle:
        raise BadCallError(
            f"--model: {path} is a pickle, and loading a pickle runs the code inside "
            f"it. Pass --trust-pickle if you trust its source, or save the model with "
            f"skops."
        )
    try:
        if ending in _PICKLES:
            model = joblib.load(file)
        elif ending == ".skops":
            model = _load_skops(file, trusted)
        elif ending in (".json", ".ubj"):
            model = _load_xgboost(file)
        elif ending == ".txt":
            model = _load_lightgbm(file)
        else:
            raise BadCallError(
                f"--model: {path} must end in {_FORMATS}, which sets the format, got "
                f"{quote(ending)}."
            )
    except (BadCallError, ImportError):
        raise
    except Exception as error:  # every library raises its own errors
        only_a_key = isinstance(error, LookupError) or not str(error)
        message = shorten(repr(error) if only_a_key else str(error), 200)
        raise BadCallError(
            f"--model: {path} cannot be read as a {ending} model: {message}"
        ) from error
    if isinstance(model, type):
        raise BadCallError(
            f"--model: {path} contains the class {model.__name__}. Save a fitted model."
        )
    if not hasattr(model, "predict"):
        raise BadCallError(
            f"--model: {path} contains a {type(model).__name__}, which has no method "
            f"predict."
        )
    try:
        if isinstance(model, BaseEstimator):
            check_is_fitted(model)
    except NotFittedError:
        raise BadCallError(
            f"--model: {path} contains a {type(model).__name__} that is not fitted. "
            f"Fit it before you save it."
        ) from None
    return model


def _load_skops(file: Path, trusted: Sequence[str]) -> Any:
    io = import_optional("skops.io", used_by="--model: a .skops file", install="skops")
    unknown = [t for t in io.get_untrusted_types(file=file) if t not in trusted]
    if unknown:
        raise BadCallError(
            f"--model: {file} contains types that skops does not trust by default: "
            f"{', '.join(unknown)}. If you trust them, pass --trust "
            f"{' '.join(unknown)}"
        )
    return io.load(file, trusted=list(trusted))


def _load_xgboost(file: Path) -> Any:
    xgboost = import_optional(
        "xgboost", used_by=f"--model: {file}", install="skresp[xgboost]"
    )
    booster = xgboost.Booster(model_file=str(file))
    objective = _objective(booster)
    classifies = objective.startswith(("binary:", "multi:"))
    if not classifies and not objective.startswith("reg:"):
        raise BadCallError(
            f"--model: the objective of {file} must be classification (binary:, "
            f"multi:) or regression (reg:), got {quote(objective)}."
        )
    recodes = tuple(int(v) for v in xgboost.__version__.split(".")[:2]) >= (3, 1)
    if "c" in (booster.feature_types or []) and not recodes:
        raise BadCallError(
            f"--model: {file} has categorical columns, whose categories xgboost "
            f"{xgboost.__version__} does not save. Use xgboost 3.1 or newer."
        )
    model = xgboost.XGBClassifier() if classifies else xgboost.XGBRegressor()
    model.load_model(file)
    # load_model does not restore the objective.
    return model.set_params(objective=objective)


def _objective(booster: Any) -> str:
    config = json.loads(booster.save_config())
    return str(config["learner"]["objective"]["name"])


def _load_lightgbm(file: Path) -> Any:
    lightgbm = import_optional(
        "lightgbm", used_by=f"--model: {file}", install="skresp[lightgbm]"
    )
    booster = lightgbm.Booster(model_file=str(file))
    objective = str(booster.params.get("objective", ""))
    names = booster.feature_name()
    classifies = objective in ("binary", "multiclass")
    kind = lightgbm.LGBMClassifier if classifies else lightgbm.LGBMRegressor
    model: Any = kind(
        objective=objective or None,
        sigmoid=booster.params.get("sigmoid", 1.0),
        linear_tree=bool(booster.params.get("linear_tree", False)),
    )
    # LightGBM's estimators cannot read files, so set what their fit would set.
    model._Booster = booster
    model._objective = objective
    model._n_features = model._n_features_in = len(names)
    model.fitted_ = True
    model._fitted_with_feature_names = any(
        name != f"Column_{i}" for i, name in enumerate(names)
    )
    if classifies:
        count = 2 if objective == "binary" else int(booster.params["num_class"])
        model._classes = np.arange(count)
        model._n_classes = count
        model._le = LabelEncoder().fit(model._classes)
        model._class_map = {k: k for k in range(count)}
    return model


def with_categories(model: Any, X: pd.DataFrame, actions: ActionSet) -> pd.DataFrame:
    """Return the table with pandas categories, for libraries that require them."""
    library = type(model).__module__.split(".")[0]
    if library not in ("xgboost", "lightgbm"):
        return X
    X = X.copy()
    for name in X.columns:
        feature = actions.features[name]
        if feature.kind == "categorical":
            # People may have categories that nobody can change to.
            seen = X[name].dropna().unique().tolist()
            labels = list(dict.fromkeys([*(feature.categories or ()), *seen]))
            X[name] = pd.Categorical(X[name], categories=labels)
    return X


def read_target(text: str, model: Any) -> Any:
    """Return the target that a text names: a class, or a bound for a regressor."""
    classes = classes_of(model)
    if classes is None:
        for sign, kind in ((">=", AtLeast), ("<=", AtMost)):
            if text.startswith(sign):
                try:
                    return kind(float(text[2:]))
                except ValueError:
                    break
        raise BadCallError(
            f"--target: the model is a regressor, so the target must be a bound such "
            f"as '>=700' or '<=3', got {quote(text)}."
        )
    labels = [to_python(label) for label in classes]
    for label in labels:
        if str(label) == text:
            return label
    for label in labels:
        if isinstance(label, (int, float)) and _number(text) == label:
            return label
    raise BadCallError(
        f"--target: {quote(text)} is not a class of the model. "
        f"{did_you_mean(text, labels)}The classes are {quote_all(labels)}."
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
