"""Models from files: forms that hold only a model first, pickles only on trust."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.preprocessing import LabelEncoder

from skresp import ActionSet, AtLeast, AtMost

from ._says import BadCallError, existing

_PICKLES = (".joblib", ".pkl", ".pickle")
_FORMS = (
    ".skops, .json or .ubj (XGBoost), .txt (LightGBM), or with --trust-pickle .joblib "
    "or .pkl"
)


def read_model(
    path: str, *, trust_pickle: bool = False, trusted: Sequence[str] = ()
) -> Any:
    """The model in a file, by its ending."""
    file = existing(path, "--model")
    ending = file.suffix.lower()
    if ending in _PICKLES and not trust_pickle:
        raise BadCallError(
            f"--model: {path} is a pickle, and loading one runs the code that is in "
            f"it. Pass --trust-pickle if you know who made it, or save the model with "
            f"skops."
        )
    try:
        if ending in _PICKLES:
            model = joblib.load(file)
        elif ending == ".skops":
            model = _read_skops(file, trusted)
        elif ending in (".json", ".ubj"):
            model = _read_xgboost(file)
        elif ending == ".txt":
            model = _read_lightgbm(file)
        else:
            raise BadCallError(
                f"--model: the form of {path} follows from its ending, which must be "
                f"{_FORMS}, got {ending!r}."
            )
    except (BadCallError, ImportError):
        raise
    except Exception as error:  # each library has errors of its own
        told = " ".join(str(error).split())[:200]
        raise BadCallError(
            f"--model: {path} cannot be read as a {ending} model: {told}"
        ) from error
    if not hasattr(model, "predict"):
        raise BadCallError(
            f"--model: {path} holds a {type(model).__name__}, which has no predict."
        )
    return model


def _read_skops(file: Path, trusted: Sequence[str]) -> Any:
    try:
        from skops import io
    except ImportError:
        raise BadCallError(
            "--model: a .skops file needs skops; install it with pip install skops."
        ) from None
    unknown = [t for t in io.get_untrusted_types(file=file) if t not in trusted]
    if unknown:
        raise BadCallError(
            f"--model: {file} holds types that are not trusted by themselves: "
            f"{', '.join(unknown)}. Look at them, then pass --trust "
            f"{' '.join(unknown)}"
        )
    return io.load(file, trusted=list(trusted))


def _read_xgboost(file: Path) -> Any:
    try:
        import xgboost
    except ImportError:
        raise BadCallError(
            "--model: this needs xgboost; install it with pip install "
            "'skresp[xgboost]'."
        ) from None
    booster = xgboost.Booster(model_file=str(file))
    objective = _objective(booster)
    classifies = objective.startswith(("binary:", "multi:"))
    if not classifies and not objective.startswith("reg:"):
        raise BadCallError(
            f"--model: {file} has the objective {objective!r}; it must be one that "
            f"classifies (binary:, multi:) or predicts numbers (reg:)."
        )
    recodes = tuple(int(v) for v in xgboost.__version__.split(".")[:2]) >= (3, 1)
    if "c" in (booster.feature_types or []) and not recodes:
        raise BadCallError(
            f"--model: {file} has columns of labels, which xgboost "
            f"{xgboost.__version__} keeps as numbers only; 3.1 or newer keeps the "
            f"labels."
        )
    model = xgboost.XGBClassifier() if classifies else xgboost.XGBRegressor()
    model.load_model(file)
    # The objective is in the file, and not read back into the parameters.
    return model.set_params(objective=objective)


def _objective(booster: Any) -> str:
    config = json.loads(booster.save_config())
    return str(config["learner"]["objective"]["name"])


def _read_lightgbm(file: Path) -> Any:
    try:
        import lightgbm
    except ImportError:
        raise BadCallError(
            "--model: this needs lightgbm; install it with pip install "
            "'skresp[lightgbm]'."
        ) from None
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
    # LightGBM's own classes read no files: what their fit would leave is put there.
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


def dressed(model: Any, X: pd.DataFrame, actions: ActionSet) -> pd.DataFrame:
    """Columns of labels as categories, for models that take them so."""
    library = type(model).__module__.split(".")[0]
    if library not in ("xgboost", "lightgbm"):
        return X
    X = X.copy()
    for name in X.columns:
        feature = actions.features[name]
        if feature.kind == "categorical":
            # People may have labels that nobody can change to.
            seen = X[name].dropna().unique().tolist()
            labels = list(dict.fromkeys([*(feature.categories or ()), *seen]))
            X[name] = pd.Categorical(X[name], categories=labels)
    return X


def read_target(text: str, model: Any) -> Any:
    """The target that a text names, among the classes of the model."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        for sign, kind in ((">=", AtLeast), ("<=", AtMost)):
            if text.startswith(sign):
                try:
                    return kind(float(text[2:]))
                except ValueError:
                    break
        raise BadCallError(
            f"--target: the model predicts numbers, so the target must be like "
            f"'>=700' or '<=3', got {text!r}."
        )
    labels = [c.item() if isinstance(c, np.generic) else c for c in classes]
    for label in labels:
        if str(label) == text:
            return label
    for label in labels:
        if isinstance(label, (int, float)) and _number(text) == label:
            return label
    raise BadCallError(
        f"--target: {text!r} is none of the model's classes, which are "
        f"{', '.join(map(str, labels))}."
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
