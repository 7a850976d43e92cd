"""Rows of CSV files, each value read by itself.

What a value becomes depends on the action set, not on the other rows: a text in a
column of numbers stays a text, for this row only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._actions._feature import Feature
from skresp._text import quote

# Texts that are missing values of a feature, unless they are categories of it.
MISSING_TEXTS = frozenset(
    (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan"),
        *("1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a"),
        *("nan", "null"),
    )
)
# Truth values as pandas, R, SQL and JSON write them.
_TRUTH = {
    text: digit
    for word, digit in (("true", "1"), ("false", "0"))
    for text in (word, word.upper(), word.title())
}
# A column for what a row has beyond the last column; no file has this name in it.
_BEYOND = "\0beyond"


class CsvRows(NamedTuple):
    """Some rows of a CSV file.

    Attributes
    ----------
    start : int
        The position of the first of them in the file.
    table : pandas frame
        The rows; all values are missing in those with a problem.
    problems : mapping from position to str
        What is wrong about rows that cannot be divided into columns, by their position
        in the table.
    """

    start: int
    table: pd.DataFrame
    problems: dict[int, str]


def csv_chunks(file: Path, actions: ActionSet, size: int) -> Iterator[CsvRows]:
    """Yield the rows of a CSV file, some at a time."""
    start = 0
    for chunk in _text_chunks(file, actions, size):
        wrong = chunk[_BEYOND].notna().to_numpy().nonzero()[0]
        problems = {
            int(i): f"Row {start + i + 1} of the file has more fields than the header."
            for i in wrong
        }
        table = _readable_rows(chunk, actions).reindex(chunk.index)
        yield CsvRows(start, table, problems)
        start += len(chunk)


def first_csv_rows(file: Path, actions: ActionSet, size: int) -> pd.DataFrame:
    """Return the first rows of a CSV file, without those that have a problem."""
    return _readable_rows(next(_text_chunks(file, actions, size)), actions)


def csv_column_names(file: Path) -> list[str]:
    """Return the names in the first line of a CSV file; a name may occur twice."""
    # With a header pandas would rename the second of two equal names.
    first = pd.read_csv(file, nrows=1, header=None, dtype=str, keep_default_na=False)
    return [str(name) or f"Unnamed: {i}" for i, name in enumerate(first.iloc[0])]


def check_distinct(parameter: str, file: Path, heads: Sequence[str]) -> None:
    """Raise if two columns of a file have one name."""
    twice = [name for name, count in Counter(heads).items() if count > 1]
    if twice:
        raise ValueError(
            f"{parameter}: {file} has two columns {quote(twice[0])}. Rename one of "
            f"them."
        )


def count_csv_rows(file: Path) -> int:
    """Return the number of rows of a CSV file; raise if it cannot be read."""
    return sum(map(len, _text_chunks(file, None, 1_000_000, columns=[0])))


@contextmanager
def csv_errors(parameter: str, file: Path) -> Iterator[None]:
    """Name the file, and the parameter with it, in errors of a CSV file."""
    try:
        yield
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        why = str(error).strip().rstrip(".")
        raise ValueError(f"{parameter}: {file} is not a CSV file: {why}.") from None
    except pd.errors.ParserWarning:
        raise ValueError(
            f"{parameter}: {file} has rows with more fields than the header. Name all "
            f"columns in the first line."
        ) from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{parameter}: {file} is not a text file in UTF-8. Save it in this "
            f"encoding."
        ) from None


def missing_texts(
    heads: Sequence[str], actions: ActionSet | None
) -> dict[str, list[str]]:
    """Return the texts of each column that are missing values.

    In a column that is no feature, such as a group, "NA" can be a name.
    """
    if actions is None:
        return {name: sorted(MISSING_TEXTS) for name in heads}
    return {name: _missing_texts(actions.features.get(name)) for name in heads}


def _missing_texts(feature: Feature | None) -> list[str]:
    if feature is None:
        return [""]
    return sorted(MISSING_TEXTS - set(map(str, feature.categories or ())))


class _Prefixed:
    """A text file with a line before it."""

    def __init__(self, line: str, file: TextIO) -> None:
        self._line, self._file = line, file

    def read(self, size: int = -1) -> str:
        line, self._line = self._line, ""
        return line or self._file.read(size)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)


def _text_chunks(
    file: Path,
    actions: ActionSet | None,
    size: int,
    columns: Sequence[int] | None = None,
) -> Iterator[pd.DataFrame]:
    """Yield the columns of a CSV file as texts, and the column `_BEYOND`.

    pandas fails, or shifts all columns, where a row has more fields than the first
    line. So the first line is one of our own, with a field more than the header.
    """
    with csv_errors("source", file):
        heads = [*csv_column_names(file), _BEYOND]
        check_distinct("source", file, heads)
        positions = range(len(heads))
        with (
            file.open(encoding="utf-8-sig", newline="") as text,
            pd.read_csv(
                _Prefixed(",".join(map(str, positions)) + "\n", text),
                header=0,
                names=heads,
                usecols=positions if columns is None else columns,
                index_col=False,
                dtype=str,
                keep_default_na=False,
                na_values=missing_texts(heads, actions),
                # In a file of one column they are missing values.
                skip_blank_lines=len(heads) > 2,
                chunksize=size,
            ) as chunks,
        ):
            chunks.get_chunk(1)  # the header
            yield from chunks


def _readable_rows(chunk: pd.DataFrame, actions: ActionSet) -> pd.DataFrame:
    """Return rows as values of the features, without those that have a problem."""
    table = chunk[chunk[_BEYOND].isna()].drop(columns=_BEYOND)
    for name in actions.names:
        if name in table:
            table[name] = _values(actions.features[name], table[name])
    return table


def _values(feature: Feature, texts: pd.Series) -> Any:
    """Return texts as values of a feature; a text that is none stays a text."""
    if feature.kind == "categorical":
        spelt = {str(c): c for c in feature.categories or () if not isinstance(c, str)}
        if not spelt:
            return texts
        values = [spelt.get(text, text) for text in texts]
        return pd.Series(values, index=texts.index, dtype=object)
    plain = texts.replace(_TRUTH) if feature.kind == "binary" else texts
    numbers = pd.to_numeric(plain, errors="coerce")
    unread = numbers.isna() & texts.notna()
    if not unread.any():
        return numbers
    return numbers.astype(object).where(~unread, texts)
