"""Read the trees of a fitted model, and compare them with the model.

The sum of the leaves must equal the scores that the model reports, up to one constant
such as a starting value. Otherwise the reading is dropped.

To add a library, write a module with `READERS`, `scores` and `link`, and add it to
`LIBRARIES`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skresp._typing import FloatArray

from . import _catboost, _lightgbm, _sklearn, _xgboost
from ._arrays import XGBOOST, Ensemble, UnsupportedTreesError

#: Readers by the package of a model. The package itself is not imported.
LIBRARIES: dict[str, Any] = {
    "catboost": _catboost,
    "lightgbm": _lightgbm,
    "sklearn": _sklearn,
    "xgboost": _xgboost,
}


def library_of(model: Any) -> Any:
    """Return the module that reads models of this library; None if there is none."""
    return LIBRARIES.get(type(model).__module__.split(".")[0])


def read_ensemble(model: Any, Z: Any) -> Ensemble | None:
    """Read the trees of a fitted model; return None where they cannot be read.

    The reading is compared with the model on the rows `Z`.
    """
    reader = reader_of(model)
    if reader is None or Z.shape[0] < 2:
        return None
    try:
        ensemble = reader(model)
    except UnsupportedTreesError:
        return None
    numbers = np.asarray(dense(Z, ensemble.rule == XGBOOST), dtype=float)
    own = own_scores(model, Z)
    if own.shape[1] != ensemble.width:
        return None
    sums = ensemble.sums(numbers)
    ensemble = replace(ensemble, base=ensemble.base + own[0] - sums[0])
    same = np.allclose(sums + (own[0] - sums[0]), own, rtol=1e-4, atol=1e-4)
    return ensemble if same else None


def own_scores(model: Any, Z: Any) -> FloatArray:
    """Return the scores that a model itself reports, of shape (n_rows, n_scores)."""
    return (library_of(model) or _sklearn).scores(model, Z)


def link_of(model: Any) -> str | None:
    """Return what turns the scores of a model into predictions.

    "logit", "margin" (only the order of scores counts), "probability" or "identity";
    None where that is not known.
    """
    library = library_of(model)
    return None if library is None else library.link(model)


def dense(Z: Any, zero_is_missing: bool) -> Any:
    """Return a sparse matrix as an array, any other table unchanged.

    Entries that are not stored are 0, or NaN as XGBoost takes them.
    """
    if not hasattr(Z, "tocoo"):
        return Z
    if not zero_is_missing:
        return Z.toarray()
    entries = Z.tocoo()
    out = np.full(Z.shape, np.nan)
    out[entries.row, entries.col] = entries.data
    return out


def reader_of(model: Any) -> Any:
    """Return the reader for a model, by the names of its base classes."""
    for kind in type(model).__mro__:
        library = LIBRARIES.get(kind.__module__.split(".")[0])
        reader = None if library is None else library.READERS.get(kind.__name__)
        if reader is not None:
            return reader
    return None
