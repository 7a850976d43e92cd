"""Rows of CSV files, each value read by itself.

What a value becomes depends on the action set, not on the other rows: a text in a
column of numbers stays a text, for this row only.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature

# Texts that pandas reads as missing, unless they are categories of the column.
MISSING_TEXTS = frozenset(
    (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan"),
        *("1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a"),
        *("nan", "null"),
    )
)


def csv_chunks(file: Path, actions: ActionSet, size: int) -> Iterator[pd.DataFrame]:
    """Yield the rows of a CSV file, some at a time."""
    heads = list(pd.read_csv(file, nrows=0).columns)
    missing = {
        name: sorted(MISSING_TEXTS - category_texts(name, actions)) for name in heads
    }
    with pd.read_csv(
        file, dtype=str, keep_default_na=False, na_values=missing, chunksize=size
    ) as chunks:
        for chunk in chunks:
            for name in actions.names:
                if name in chunk:
                    chunk[name] = _values(actions.features[name], chunk[name])
            yield chunk


def csv_column_names(file: Path) -> list[str]:
    """Return the names in the first line of a CSV file; a name may occur twice."""
    # With a header pandas would rename the second of two equal names.
    return [
        str(name) for name in pd.read_csv(file, nrows=1, header=None, dtype=str).iloc[0]
    ]


def count_csv_rows(file: Path) -> int:
    """Return the number of rows of a CSV file."""
    with pd.read_csv(file, usecols=[0], dtype=str, chunksize=1_000_000) as chunks:
        return sum(map(len, chunks))


def category_texts(name: str, actions: ActionSet | None) -> set[str]:
    """Return the categories of a feature as texts."""
    if actions is None or name not in actions.features:
        return set()
    return {str(label) for label in actions.features[name].categories or ()}


def _values(feature: Feature, texts: pd.Series) -> pd.Series:
    """Return texts as values of a feature; a text that is none stays a text."""
    if feature.kind == "categorical":
        spelt = {str(c): c for c in feature.categories or () if not isinstance(c, str)}
        if not spelt:
            return texts
        values = [spelt.get(text, text) for text in texts]
        return pd.Series(values, index=texts.index, dtype=object)
    numbers = pd.to_numeric(texts, errors="coerce")
    unread = numbers.isna() & texts.notna()
    if not unread.any():
        return numbers
    return numbers.astype(object).where(~unread, texts)
