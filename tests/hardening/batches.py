"""Batches and files to score."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

from skresp.batch import BatchScorer, score_files

from .attack import Attack


def scored(w: Any, source: Any = None, **parameters: Any) -> Any:
    """Score a file, or another source."""
    given = {"out": w.folder / "scored", "scorer": BatchScorer(w.explainer)}
    source = w.data if source is None else source
    return score_files(source, **(given | parameters))


def problem_of_row(scorer: BatchScorer, row: pd.DataFrame) -> None:
    """Raise what the result says of a row that could not be scored."""
    (problem,) = scorer(row)["problem"]
    raise ValueError(problem)


def table(w: Any, text: str | bytes, name: str = "t.csv") -> str:
    return str(w.file(name, text))


ATTACKS = [
    Attack(
        "no explainer",
        lambda w: BatchScorer(3),
        TypeError,
        (
            "explainer must be a fitted ResponsivenessExplainer or the "
            "path of one, got int."
        ),
    ),
    Attack(
        "a model",
        lambda w: BatchScorer(w.model),
        TypeError,
        (
            "explainer must be a fitted ResponsivenessExplainer or the "
            "path of one, got DecisionTreeClassifier."
        ),
    ),
    Attack(
        "outputs is text",
        lambda w: BatchScorer(w.explainer, outputs="scores"),
        TypeError,
        "outputs must be a list of names, got 'scores'.",
    ),
    Attack(
        "unknown output",
        lambda w: BatchScorer(w.explainer, outputs=["score"]),
        ValueError,
        (
            "outputs must be one of 'scores', 'intervals', 'verdict', "
            "'reasons', 'changes', 'model_score', got 'score'. Did you "
            "mean 'scores'?"
        ),
    ),
    Attack(
        "no outputs",
        lambda w: BatchScorer(w.explainer, outputs=[]),
        ValueError,
        (
            "outputs must name at least one of scores, intervals, verdict, "
            "reasons, changes, model_score, got none."
        ),
    ),
    Attack(
        "top_k is 0",
        lambda w: BatchScorer(w.explainer, top_k=0),
        ValueError,
        "top_k must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "id_columns is text",
        lambda w: BatchScorer(w.explainer, id_columns="id"),
        TypeError,
        "id_columns must be a list of names, got 'id'.",
    ),
    Attack(
        "an id named as a result",
        lambda w: BatchScorer(w.explainer, id_columns=["status"]),
        ValueError,
        (
            "id_columns and keep_columns: 'status' is also a column of the "
            "result. Rename the column, or name it once."
        ),
    ),
    Attack(
        "a table that is a list",
        lambda w: BatchScorer(w.explainer)([1]),
        TypeError,
        (
            "A batch must be a pandas, polars or pyarrow table, got list. "
            "Give an array column names with pandas.DataFrame(X, columns=...); pass "
            "the batches of a dataset or reader one by one, or use score_files."
        ),
    ),
    Attack(
        "a table without an id",
        lambda w: BatchScorer(w.explainer, id_columns=["id"])(w.X),
        ValueError,
        "The table has no column 'id'. The columns are 'age', 'income', 'own'.",
    ),
    Attack(
        "a table without a column",
        lambda w: BatchScorer(w.explainer)(w.X[["age"]]),
        ValueError,
        "The table has no column 'income', 'own'. The columns are 'age'.",
    ),
    Attack(
        "a table with a name that is nearly right",
        lambda w: BatchScorer(w.explainer)(w.X.rename(columns={"income": "incme"})),
        ValueError,
        (
            "The table has no column 'income'. Did you mean 'incme'? The columns are "
            "'age', 'incme', 'own'."
        ),
    ),
    Attack(
        "a table with an id twice",
        lambda w: BatchScorer(w.explainer, id_columns=["id"])(
            pd.concat([w.X.assign(id=1), w.X[["age"]].set_axis(["id"], axis=1)], axis=1)
        ),
        ValueError,
        "Column names must be distinct, but 'id' occurs twice. Rename one of them.",
    ),
    Attack(
        "an arrow table with a column twice",
        lambda w: BatchScorer(w.explainer)(
            pa.Table.from_pandas(w.X).append_column("own", pa.array(w.X["own"]))
        ),
        ValueError,
        "Column names must be distinct, but 'own' occurs twice. Rename one of them.",
    ),
    Attack(
        "a table with a MultiIndex",
        lambda w: BatchScorer(w.explainer)(pd.concat({"a": w.X}, axis=1)),
        TypeError,
        (
            "Column names must be strings, got a MultiIndex with ('a', 'age') in it. "
            "Join its levels: X.columns = ['_'.join(c) for c in X.columns]."
        ),
    ),
    *(
        Attack(
            f"an id that is {value!r}",
            lambda w, value=value: problem_of_row(
                BatchScorer(w.explainer, id_columns=["id"]),
                w.X[:1].assign(id=pd.Series([value], dtype=object)),
            ),
            ValueError,
            (f"id: {value!r}. The value does not fit the column's type string: ..."),
        )
        for value in ([1], {"a": 1}, 1 + 2j, b"\xff")
    ),
    Attack(
        "an id that is too long for its type",
        lambda w: problem_of_row(
            BatchScorer(w.explainer, id_columns={"id": "int64"}),
            w.X[:1].assign(id=2**70),
        ),
        ValueError,
        f"id: {2**70}. The value does not fit the column's type int64: ...",
    ),
    Attack(
        "an id of an unknown type",
        lambda w: BatchScorer(w.explainer, id_columns={"id": "strng"}),
        ValueError,
        (
            "id_columns: the type of 'id' must be one of 'string', ..., got 'strng'. "
            "Did you mean 'string'?"
        ),
    ),
    Attack(
        "an id whose type is a number",
        lambda w: BatchScorer(w.explainer, id_columns={"id": 5}),
        TypeError,
        "id_columns: the type of 'id' must be a type of pyarrow or its name, got 5.",
    ),
    Attack(
        "an id column that is a number",
        lambda w: BatchScorer(w.explainer, id_columns=[5]),
        TypeError,
        "id_columns must be names of columns, got 5.",
    ),
    Attack(
        "a table with a column twice",
        lambda w: BatchScorer(w.explainer)(w.X[["age", "age", "income", "own"]]),
        ValueError,
        ("Column names must be distinct, but 'age' occurs twice. Rename one of them."),
    ),
    Attack(
        "no scorer",
        lambda w: scored(w, scorer="a"),
        TypeError,
        "scorer must be a BatchScorer, got str.",
    ),
    Attack(
        "no rows per part",
        lambda w: scored(w, rows_per_part=0),
        ValueError,
        "rows_per_part must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "n_jobs is 0",
        lambda w: scored(w, n_jobs=0),
        ValueError,
        (
            "n_jobs must be a whole number other than 0 (-1 for all cores) "
            "or None, got 0."
        ),
    ),
    Attack(
        "no such source",
        lambda w: scored(w, w.folder / "none.csv"),
        FileNotFoundError,
        (
            "source must be a Parquet or CSV file, a folder with such "
            "files or a pattern that matches some, but nothing was found "
            "at '.../none.csv'."
        ),
    ),
    Attack(
        "source is a number",
        lambda w: scored(w, 3),
        TypeError,
        "source must be a path, got 3.",
    ),
    Attack(
        "another ending",
        lambda w: scored(w, w.file("a.xlsx", "")),
        ValueError,
        ("source: .../a.xlsx must end in .parquet or .csv, which sets the format."),
    ),
    Attack(
        "a CSV without a column",
        lambda w: scored(w, w.file("b.csv", "age,own\n1,1\n")),
        ValueError,
        ("source: .../b.csv has no column 'income'. The columns are 'age', 'own'."),
    ),
    Attack(
        "a CSV with a column twice",
        lambda w: scored(w, w.file("c.csv", "age,income,own,own\n1,1,1,1\n")),
        ValueError,
        "source: .../c.csv has two columns 'own'. Rename one of them.",
    ),
    Attack(
        "a CSV file that is empty",
        lambda w: scored(w, w.file("e.csv", "")),
        ValueError,
        "source: .../e.csv is not a CSV file: No columns to parse from file.",
    ),
    Attack(
        "a CSV file in Latin-1",
        lambda w: scored(w, w.file("l.csv", b"age,income,own\n1,\xe9,1\n")),
        ValueError,
        "source: .../l.csv is not a text file in UTF-8. Save it in this encoding.",
    ),
    Attack(
        "a CSV file with an open quote",
        lambda w: scored(w, w.file("q.csv", 'age,income,own\n1,"1,1\n2,2,2\n')),
        ValueError,
        "source: .../q.csv is not a CSV file: ...EOF inside string...",
    ),
    Attack(
        "out is a file",
        lambda w: scored(w, out=w.file("out.txt", "")),
        NotADirectoryError,
        "out: .../out.txt is a file. Choose a folder.",
    ),
    Attack(
        "no folder for the parts",
        lambda w: score_files(w.data, None, BatchScorer(w.explainer)),
        TypeError,
        "out must be the path of a folder, got None.",
    ),
    Attack(
        "resume is a text",
        lambda w: score_files(
            w.data, w.folder / "texts", BatchScorer(w.explainer), resume="no"
        ),
        TypeError,
        "resume must be True or False (true or false in a file), got 'no'.",
    ),
]
