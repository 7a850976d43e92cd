"""The columns that a batch can have, and how they are made from results.

To add an output, write two functions and add them to `OUTPUTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skresp._typing import BoolArray

from ._tables import import_pyarrow


class Results(NamedTuple):
    """What the columns of a batch are made from.

    Attributes
    ----------
    explanation : Explanation or None
        None where no output needs it.
    verdicts : Verdicts or None
    features : sequence of str
        The features that people can act on.
    top_k : int
        The largest number of reasons.
    """

    explanation: Any
    verdicts: Any
    features: Sequence[str]
    top_k: int

    @property
    def at_target(self) -> BoolArray:
        """Which rows are at the target already."""
        if self.explanation is not None:
            return np.asarray(self.explanation.at_target)
        return np.asarray(self.verdicts.status == "approved")

    def columns_of(self, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return the columns of an array of all features, for those to act on."""
        names = self.explanation.feature_names
        return {name: values[:, names.index(name)] for name in self.features}


class Output(NamedTuple):
    """One output.

    Attributes
    ----------
    needs : {"explanation", "verdicts"}
    types : callable
        Takes the features that people can act on, and returns the name and the arrow
        type of each column.
    columns : callable
        Takes `Results`, and returns the columns by name.
    """

    needs: str
    types: Callable[[Sequence[str]], dict[str, Any]]
    columns: Callable[[Results], dict[str, Any]]


def _score_types(features: Sequence[str]) -> dict[str, Any]:
    return {f"score__{name}": import_pyarrow().float64() for name in features}


def _scores(results: Results) -> dict[str, Any]:
    columns = results.columns_of(results.explanation.values)
    return {f"score__{name}": values for name, values in columns.items()}


# How certain a score is; each is an attribute of Explanation.
_INTERVAL = ("lower", "upper", "exact", "n_reachable")


def _interval_types(features: Sequence[str]) -> dict[str, Any]:
    pa = import_pyarrow()
    types = (pa.float64(), pa.float64(), pa.bool_(), pa.int64())
    kinds = dict(zip(_INTERVAL, types, strict=True))
    return {f"{what}__{name}": k for what, k in kinds.items() for name in features}


def _intervals(results: Results) -> dict[str, Any]:
    return {
        f"{what}__{name}": values
        for what in _INTERVAL
        for name, values in results.columns_of(
            getattr(results.explanation, what)
        ).items()
    }


def _verdict_types(features: Sequence[str]) -> dict[str, Any]:
    return {"status": import_pyarrow().string(), "proof": import_pyarrow().string()}


def _verdicts(results: Results) -> dict[str, Any]:
    return {"status": results.verdicts.status, "proof": results.verdicts.proof}


def _reason_types(features: Sequence[str]) -> dict[str, Any]:
    pa = import_pyarrow()
    pair = pa.struct([("feature", pa.string()), ("score", pa.float64())])
    return {"reasons": pa.list_(pair)}


def _reasons(results: Results) -> dict[str, Any]:
    """Return the features with the largest scores of each row that is denied."""
    explanation = results.explanation
    size, order = explanation._ranked()
    order = order[:, : results.top_k]
    shown = np.take_along_axis(size, order, axis=1) > 0
    shown[results.at_target] = False
    row, rank = np.nonzero(shown)
    feature = order[row, rank]
    pairs = {
        "feature": np.asarray(explanation.feature_names, dtype=object)[feature],
        "score": explanation.values[row, feature],
    }
    return {"reasons": _lists(row, len(explanation), pairs, _reason_types(()))}


def _change_types(features: Sequence[str]) -> dict[str, Any]:
    pa = import_pyarrow()
    change = pa.struct([(name, pa.string()) for name in ("feature", "from", "to")])
    return {"changes": pa.list_(change)}


def _changes(results: Results) -> dict[str, Any]:
    """Return what differs between each row and its witness, values as text."""
    row, names, before, after = results.verdicts._changed_values()
    change = {
        "feature": names,
        "from": np.array([_text(v) for v in before], dtype=object),
        "to": np.array([_text(v) for v in after], dtype=object),
    }
    return {
        "changes": _lists(row, len(results.verdicts), change, _change_types(())),
    }


def _text(value: Any) -> str:
    """Return a value as text that says the same number again."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _lists(
    row: NDArray[Any],
    n_rows: int,
    entries: dict[str, NDArray[Any]],
    types: dict[str, Any],
) -> Any:
    """Return an array of lists of entries, given the row of each entry."""
    pa = import_pyarrow()
    (kind,) = types.values()
    fields = list(kind.value_type)
    arrays = [pa.array(entries[f.name], type=f.type) for f in fields]
    offsets = np.searchsorted(row, np.arange(n_rows + 1)).astype(np.int32)
    values = pa.StructArray.from_arrays(arrays, fields=fields)
    return pa.ListArray.from_arrays(pa.array(offsets), values, type=kind)


def _model_score_types(features: Sequence[str]) -> dict[str, Any]:
    return {"model_score": import_pyarrow().float64()}


def _model_score(results: Results) -> dict[str, Any]:
    return {"model_score": results.verdicts.score}


OUTPUTS: dict[str, Output] = {
    "scores": Output("explanation", _score_types, _scores),
    "intervals": Output("explanation", _interval_types, _intervals),
    "verdict": Output("verdicts", _verdict_types, _verdicts),
    "reasons": Output("explanation", _reason_types, _reasons),
    "changes": Output("verdicts", _change_types, _changes),
    "model_score": Output("verdicts", _model_score_types, _model_score),
}
