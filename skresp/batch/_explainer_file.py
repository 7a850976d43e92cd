"""Explainers of a scorer: what they must be, and files that hold them."""

from __future__ import annotations

import copy
import os
import pickle
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
from sklearn.utils.validation import check_is_fitted

from skresp._explain._responsiveness import ResponsivenessExplainer
from skresp._text import quote
from skresp._validation import is_integer


def check_explainer(explainer: Any) -> None:
    """Raise for an explainer whose results would depend on the batch."""
    if not isinstance(explainer, ResponsivenessExplainer):
        raise TypeError(
            f"explainer must be a fitted ResponsivenessExplainer or the path of one, "
            f"got {type(explainer).__name__}."
        )
    check_is_fitted(explainer, "estimator_")
    if not is_integer(explainer.random_state):
        raise ValueError(
            f"explainer must have an integer random_state, so that every batch has the "
            f"same random numbers, got random_state={quote(explainer.random_state)}. "
            f"Use explainer.set_params(random_state=0)."
        )


def tolerant(explainer: Any) -> Any:
    """Return a copy of an explainer for which invalid rows are no error.

    It shows no progress bar: a bar for each batch says nothing about all of them.
    """
    return copy.copy(explainer).set_params(invalid_rows="nan", verbose=0)


def dump_explainer(explainer: Any, path: Path) -> None:
    """Write an explainer to a file, also one whose model is defined in a script."""
    joblib.dump(joblib.wrap_non_picklable_objects(explainer, keep_wrapper=False), path)


def load_explainer(path: str | os.PathLike[str]) -> tuple[Any, Any]:
    """Return the explainer in a file, and its copy that `tolerant` makes.

    Each process loads a file once.
    """
    file = Path(path)
    if file.is_dir():
        raise ValueError(
            f"explainer must be a file that joblib.dump(explainer, path) has written, "
            f"but {file} is a folder."
        )
    if not file.exists():
        raise FileNotFoundError(
            f"There is no explainer file {file}. Write one with joblib.dump(explainer, "
            f"path), where every worker can read it."
        )
    status = file.stat()
    return _loaded(str(file.resolve()), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _loaded(path: str, changed: int, size: int) -> tuple[Any, Any]:
    try:
        explainer = joblib.load(path)
    except (pickle.UnpicklingError, EOFError, KeyError, ValueError) as error:
        raise ValueError(
            f"explainer must be a file that joblib.dump(explainer, path) has written, "
            f"but {path} cannot be read as one: {type(error).__name__}: {error}"
        ) from error
    check_explainer(explainer)
    return explainer, tolerant(explainer)
