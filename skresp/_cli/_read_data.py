"""Read data and action sets from files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skresp import ActionSet
from skresp._optional import import_optional
from skresp._text import quote, quote_names
from skresp._validation import did_you_mean, to_python
from skresp.batch._csv import (
    check_distinct,
    csv_column_names,
    csv_errors,
    missing_texts,
)

from ._console import BadCallError, existing_file


def read_actions(path: str) -> ActionSet:
    """Return the action set in a file."""
    file = existing_file(path, "--actions")
    try:
        return ActionSet.from_file(file)
    except (TypeError, ValueError) as error:
        raise BadCallError(f"--actions: {error}") from None


def read_table(path: str, actions: ActionSet | None = None) -> pd.DataFrame:
    """Return the rows in a CSV or parquet file, categories as in the action set."""
    file = existing_file(path, "--data")
    if file.suffix.lower() == ".parquet":
        table = _read_parquet(file)
    elif file.suffix.lower() in (".csv", ".txt"):
        table = _read_csv(file, actions)
    else:
        raise BadCallError(
            f"--data: {path} must end in .csv or .parquet, which sets the format, got "
            f"{quote(file.suffix)}."
        )
    if not len(table):
        raise BadCallError(f"--data: {path} has no rows.")
    if actions is not None:
        missing = [name for name in actions.names if name not in table.columns]
        if missing:
            raise BadCallError(
                f"--data: {path} has no column {quote_names(missing)}, which is in the "
                f"action set. {did_you_mean(missing[0], table.columns)}The columns are "
                f"{quote_names(table.columns)}."
            )
        table = _labelled(table, actions)
    return table


def _read_csv(file: Path, actions: ActionSet | None) -> pd.DataFrame:
    with csv_errors("--data", file), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        heads = csv_column_names(file)
        check_distinct("--data", file, heads)
        # Text stays text: "01" is not a number where the categories are texts.
        text: Any = {name: str for name in heads if _has_text(name, actions)}
        return pd.read_csv(
            file,
            index_col=False,  # otherwise long rows shift all columns
            keep_default_na=False,
            na_values=missing_texts(heads, actions),
            dtype=text,
        )


def _read_parquet(file: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(file)
    except ImportError:
        pass
    except Exception as error:  # every engine raises its own errors
        raise BadCallError(f"--data: {file} is not a parquet file: {error}") from None
    pl = import_optional(
        "polars", used_by="--data: a .parquet file", install="skresp[polars]"
    )
    try:
        return pd.DataFrame(pl.read_parquet(file).to_dict(as_series=False))
    except Exception as error:
        raise BadCallError(f"--data: {file} is not a parquet file: {error}") from None


def _has_text(name: str, actions: ActionSet | None) -> bool:
    if actions is None or name not in actions.features:
        return False
    return any(isinstance(c, str) for c in actions.features[name].categories or ())


def _labelled(table: pd.DataFrame, actions: ActionSet) -> pd.DataFrame:
    """Return the table with categories as the action set lists them.

    Numbers in a column of text categories become text; texts in a column of other
    categories become the categories that they spell.
    """
    table = table.copy()
    for name, feature in actions.features.items():
        numeric = pd.api.types.is_numeric_dtype(table[name].dtype)
        if _has_text(name, actions) and numeric:
            table[name] = table[name].map(str, na_action="ignore")
        spelt = {str(c): c for c in feature.categories or () if not isinstance(c, str)}
        if spelt and not pd.api.types.is_numeric_dtype(table[name].dtype):
            values = [spelt.get(v, v) for v in table[name]]
            table[name] = pd.Series(values, index=table.index, dtype=object)
    return table


@contextmanager
def cells_named(actions: ActionSet, table: pd.DataFrame) -> Iterator[None]:
    """Name a text or an infinite number in a column of numbers, if a model fails."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        for name, feature in actions.features.items():
            if feature.kind == "categorical":
                continue
            values = table[name].reset_index(drop=True)
            numbers = np.array([_as_float(value) for value in values])
            bad = (np.isnan(numbers) & values.notna()) | np.isinf(numbers)
            if bad.any():
                row = int(np.flatnonzero(bad)[0])
                value = quote(to_python(values[row]))
                raise BadCallError(
                    f"--data: column {quote(name)}, which is {feature.kind} in the "
                    f"action set, has {value} in row {row}, and the model refuses it "
                    f"({error}). Correct it, or leave the cell empty."
                ) from None
        raise


def _as_float(value: Any) -> float:
    if isinstance(value, str):  # Python would read 1_000, too
        return float(pd.to_numeric(value, errors="coerce"))
    try:
        return float(value)
    except OverflowError:  # an integer beyond the floats
        return np.inf
    except (TypeError, ValueError):
        return np.nan


def model_columns(model: Any, actions: ActionSet, table: pd.DataFrame) -> list[str]:
    """Return the columns that the model was fitted on, in its order."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return list(actions.names)
    wanted = [str(name) for name in names]
    missing = [name for name in wanted if name not in table.columns]
    if missing:
        raise BadCallError(
            f"--data has no column {quote_names(missing)}, which the model was fitted "
            f"on. {did_you_mean(missing[0], table.columns)}The columns are "
            f"{quote_names(table.columns)}."
        )
    unlisted = [name for name in wanted if name not in actions.features]
    if unlisted:
        raise BadCallError(
            f"--actions does not have {quote_names(unlisted)}, which the model was "
            f"fitted on. {did_you_mean(unlisted[0], actions.names)}Add it, with "
            f"actionable: false if nobody can change it."
        )
    extra = [name for name in actions.names if name not in wanted]
    if extra:
        raise BadCallError(
            f"--actions has {quote_names(extra)}, which the model was not fitted on. "
            f"Remove it from the file; skresp actions leaves out columns that --ignore "
            f"names."
        )
    return wanted
